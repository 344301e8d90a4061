"""CLEME and CLEME2.0: chunks, counts, weights and choices against the oracle and the original."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from geceval import Annotation, Corpus, Edit, GecevalError, Hypothesis, Sentence
from geceval.cli import main
from geceval.errors import OptionError, UnknownNameError
from geceval.formats import load_hypothesis
from geceval.limits import TooLargeError, allow
from geceval.metrics.cleme import Cleme, Cleme2
from geceval.metrics.cleme.base import LENGTH_WEIGHTS, Average, ChunkMetric
from geceval.metrics.cleme.chunks import CLASSES, TN, Assumption, Change, Chunks, changes_of
from geceval.metrics.cleme.metric import FACTORS
from geceval.metrics.statistics import Score
from geceval.metrics.views import ChunkedSentence
from geceval.model import Tokens, apply_edits, is_nested
from geceval.references.nested import applied_only
from oracles import cleme as oracle

ASSUMPTIONS: tuple[Assumption, ...] = get_args(Assumption)
SHORT = {"dependent": "dep", "independent": "ind"}
KINDS = ("tp", "fp_ne", "fp_un", "fn", "tn")


def words(text: str) -> Tokens:
    return tuple(text.split())


def texts_corpus(source: str, *references: str) -> Corpus:
    return Corpus.from_texts([source], *([reference] for reference in references))


def given_edits(corpus: Corpus, edits: list[list[Edit]]) -> Hypothesis:
    """Return an output with edits of its own, as from an M2 file."""
    outputs = [apply_edits(sent.tokens, own) for sent, own in zip(corpus, edits, strict=True)]
    return Hypothesis("h", tuple(outputs), tuple(map(tuple, edits)))


def counts_of(score: Score) -> dict[str, float]:
    return {name: score.parts[name] for name in KINDS if name in score.parts}


# Chunks.


@st.composite
def readings(draw: st.DrawFn, tokens: Tokens) -> list[Edit]:
    """Edits that may overlap, touch, insert twice at one place, cancel or only mark an error."""
    found = []
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(tokens)))
        end = min(len(tokens) + draw(st.integers(0, 1)), start + draw(st.integers(0, 2)))
        new = tuple(draw(st.lists(st.sampled_from("abc"), max_size=3)))
        options = draw(st.sampled_from(((new,), (new, ("z",)), ((),), ())))
        kind = draw(st.sampled_from(("R:X", "R:X", "R:X", "UNK", "Um")))
        found.append(Edit(start, max(start, end), options, kind))
    return found


@st.composite
def cases(draw: st.DrawFn, min_references: int = 1) -> tuple[Sentence, list[Edit]]:
    """A sentence with references, and the edits of an output."""
    tokens = tuple(draw(st.lists(st.sampled_from("abc"), max_size=6)))
    n_references = draw(st.integers(min_references, 3))
    annotations = [
        Annotation(str(number), tuple(draw(readings(tokens)))) for number in range(n_references)
    ]
    return Sentence(tokens, tuple(annotations)), draw(readings(tokens))


def plain(sent: Sentence, edits: tuple[Edit, ...] | list[Edit]) -> list[oracle.Change]:
    """Return edits as the oracle wants them."""
    return [
        (edit.start, edit.end, edit.corrections[0] if edit.corrects else None)
        for edit in edits
        if edit.end <= len(sent.tokens)
    ]


def oracle_case(
    sent: Sentence, edits: list[Edit], assumption: Assumption, distance: int = 0
) -> oracle.Case:
    """Classify a sentence by the oracle; of empty references, one stays if all are empty."""
    readings = [ann for ann in sent.annotations if apply_edits(sent.tokens, ann.edits)]
    if not sent.tokens:
        readings = list(sent.annotations)
    references = [plain(sent, ann.edits) for ann in readings or sent.annotations[:1]]
    return oracle.case(sent.tokens, plain(sent, edits), references, assumption, distance)


@settings(max_examples=300)
@given(cases(), st.sampled_from(ASSUMPTIONS), st.integers(0, 2))
def test_chunks_equal_oracle(
    example: tuple[Sentence, list[Edit]], assumption: Assumption, distance: int
) -> None:
    sent, edits = example
    references = [plain(sent, ann.edits) for ann in sent.annotations]
    expected = oracle.case(sent.tokens, plain(sent, edits), references, assumption, distance)
    n_tokens = len(sent.tokens)
    changes = [changes_of(ann.edits, n_tokens) for ann in sent.annotations]
    chunks = Chunks.of(sent.tokens, changes_of(edits, n_tokens), changes, distance=distance)
    lengths = chunks.lengths()
    for classes, events in zip(chunks.classify(assumption), expected.events, strict=True):
        found = [(KINDS[kind], length) for kind, length in zip(classes, lengths, strict=True)]
        changed = [pair for pair in found if pair[0] != "tn"]
        assert changed == [(one.kind, one.length) for one in events if one.kind != "tn"]
        n_unchanged = chunks.n_gaps + classes.count(TN)
        assert n_unchanged == sum(one.kind == "tn" for one in events)
        shown = chunks.view(classes)
        assert [chunk.kind for chunk in shown] == [CLASSES[KINDS.index(one.kind)] for one in events]
        assert sum((chunk.source for chunk in shown), ()) == sent.tokens
        if not is_nested(edits):
            assert sum((chunk.hypothesis for chunk in shown), ()) == apply_edits(sent.tokens, edits)
    gold = [length for number in range(len(changes)) for length in chunks.gold_lengths(number)]
    assert gold == expected.gold_lengths


@pytest.mark.parametrize(
    ("hypothesis", "reference", "intervals"),
    [
        ([], [], []),
        ([(1, 2, ("x",))], [(2, 3, ("y",))], [(1, 3)]),
        ([(1, 2, ("x",))], [(3, 4, ("y",))], [(1, 2), (3, 4)]),
        ([(2, 2, ("x",))], [(1, 2, ("y",))], [(1, 2)]),
        ([(2, 2, ("x",))], [(2, 2, ("y",))], [(2, 2)]),
        ([(0, 4, ())], [(2, 2, ("y",))], [(0, 4)]),
    ],
)
def test_chunks_touching_edits_share_one(
    hypothesis: list[Change], reference: list[Change], intervals: list[tuple[int, int]]
) -> None:
    assert Chunks.of(words("a b c d"), hypothesis, [reference]).intervals == intervals


def test_chunks_within_a_distance_share_one() -> None:
    changes: list[list[Change]] = [[(0, 1, ("x",))], [(3, 4, ("y",))]]
    found = [Chunks.of(words("a b c d"), changes[0], changes[1:], distance=d) for d in (1, 2)]
    assert [one.intervals for one in found] == [[(0, 1), (3, 4)], [(0, 4)]]
    assert found[1].references == [[("a", "b", "c", "y")]]


# Scores.


class Setting(dict[str, Any]):
    """Options of a metric, printed briefly."""

    def __repr__(self) -> str:
        return "-".join(map(str, self.values()))


F_SETTINGS = [
    Setting(assumption=assumption, average=average, weights=weights, compat=compat)
    for assumption, average, weights, compat in product(
        ASSUMPTIONS, ("corpus", "sentence"), ("none", "length"), (None, "cleme-1.1")
    )
]
COMBINED_SETTINGS = [
    Setting(assumption=assumption, average=average, weights=weights)
    for assumption, average, weights in product(
        ASSUMPTIONS, ("corpus", "sentence"), ("none", "length")
    )
]


def weigh_by(found: list[oracle.Case], given: Mapping[str, Any]) -> oracle.Weigh:
    if given["weights"] == "none":
        return oracle.unweighted
    return oracle.by_length(found, given["average"], given["assumption"])


def total(found: list[oracle.Case], chosen: list[int], weigh: oracle.Weigh) -> oracle.Counts:
    totals = oracle.Counts()
    for one, number in zip(found, chosen, strict=True):
        totals = totals.plus(oracle.count(one.events[number], weigh))
    return totals


def sentence_scores(keys: list[tuple[float, ...]], names: str) -> dict[str, float]:
    means = (sum(column) / len(keys) for column in zip(*keys, strict=True))
    return dict(zip(names.split(), means, strict=True))


def check(score: Score, expected: Mapping[str, float], chosen: list[int], setting: Setting) -> None:
    found = {**score.parts, "score": score.value}
    for name, value in expected.items():
        assert found[name] == pytest.approx(abs(value), abs=1e-12), name
    if setting["assumption"] == "dependent":
        assert score.sentences.chosen.tolist() == chosen
    else:
        assert set(score.sentences.chosen.tolist()) <= {-1}


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Corpus, Hypothesis]:
    found = draw(st.lists(cases(), min_size=1, max_size=6))
    # What the oracle is not asked for: edits inside of others are not counted.
    outer = applied_only(Corpus(tuple(sent for sent, _ in found)))
    # The oracle counts the references that are left, so those that are empty come last.
    sentences = []
    for sent in outer:
        readings = sorted(sent.annotations, key=lambda ann: not apply_edits(sent.tokens, ann.edits))
        named = (replace(ann, annotator=str(at)) for at, ann in enumerate(readings))
        sentences.append(replace(sent, annotations=tuple(named)))
    corpus = Corpus(tuple(sentences))
    return corpus, given_edits(corpus, [edits for _, edits in found])


def oracle_cases(corpus: Corpus, hypothesis: Hypothesis, setting: Setting) -> list[oracle.Case]:
    assert hypothesis.edits is not None
    pairs = zip(corpus, hypothesis.edits, strict=True)
    return [oracle_case(sent, list(edits), setting["assumption"]) for sent, edits in pairs]


@pytest.mark.parametrize("setting", F_SETTINGS, ids=repr)
@settings(max_examples=25)
@given(corpora())
def test_cleme_equals_oracle(setting: Setting, example: tuple[Corpus, Hypothesis]) -> None:
    found = oracle_cases(*example, setting)
    weigh = weigh_by(found, setting)
    is_rounded = setting["compat"] is not None
    score = Cleme(auto_gold=False, **setting).score(*example)
    if setting["average"] == "sentence":
        key = oracle.sentence_key(rounded=is_rounded)
        keys, chosen = oracle.choose_each(found, weigh, key)
        expected = sentence_scores(keys, "F P R acc")
        assert score.sentences.values.tolist() == pytest.approx([own[0] for own in keys])
        totals = total(found, chosen, weigh)
    else:

        def running(counts: oracle.Counts) -> float:
            return round(oracle.f_score(counts), 4) if is_rounded else oracle.total_f(counts)

        totals, chosen = oracle.choose_running(found, weigh, running)
        expected = {
            "F": oracle.f_score(totals),
            "P": oracle.precision(totals),
            "R": oracle.recall(totals),
            "acc": oracle.accuracy(totals),
        }
    counts = {name: getattr(totals, name) for name in ("tp", "fp", "fn", "tn")}
    lengths = {"mean_length": oracle.mean_length(found)}
    check(score, {**expected, **counts, **lengths, "score": expected["F"]}, chosen, setting)


@pytest.mark.parametrize("setting", COMBINED_SETTINGS, ids=repr)
@settings(max_examples=25)
@given(corpora())
def test_cleme2_equals_oracle(setting: Setting, example: tuple[Corpus, Hypothesis]) -> None:
    found = oracle_cases(*example, setting)
    weigh = weigh_by(found, setting)
    factors = FACTORS[setting["average"]]
    score = Cleme2(auto_gold=False, **setting).score(*example)
    if setting["average"] == "sentence":
        keys, chosen = oracle.choose_each(found, weigh, oracle.combined_key(factors))
        expected = sentence_scores(keys, "score hit wrong under over")
        assert score.sentences.values.tolist() == pytest.approx([own[0] for own in keys])
        totals = total(found, chosen, weigh)
    else:
        totals, chosen = oracle.choose_running(
            found, weigh, lambda counts: oracle.combined(counts, factors)
        )
        rates = zip(("hit", "wrong", "under", "over"), oracle.rates(totals), strict=True)
        expected = {"score": oracle.combined(totals, factors), **dict(rates)}
    counts = {name: getattr(totals, name) for name in KINDS}
    check(score, {**expected, **counts}, chosen, setting)


def first_of(key: Callable[[oracle.Counts], tuple[float, ...]], counts: oracle.Counts) -> float:
    return key(counts)[0]


class CommonWords:
    """A scorer whose numbers are exact: an eighth for each word that texts have in common."""

    signature = "common"

    def score(
        self, sources: Sequence[Tokens], outputs: Sequence[Tokens], references: Sequence[Tokens]
    ) -> list[float]:
        assert all(outputs) or not all(sources)
        return [common_words(*pair) for pair in zip(outputs, references, strict=True)]


def common_words(text: Tokens, reference: Tokens) -> float:
    return (Counter(text) & Counter(reference)).total() / 8


def scored_cases(
    corpus: Corpus, hypothesis: Hypothesis, assumption: Assumption
) -> list[oracle.Case]:
    assert hypothesis.edits is not None
    found = []
    for sent, edits in zip(corpus, hypothesis.edits, strict=True):
        texts = [(apply_edits(sent.tokens, ann.edits), ann) for ann in sent.annotations]
        kept = [one for one in texts if one[0] or not sent.tokens] or texts[:1]
        references = [(text, plain(sent, ann.edits)) for text, ann in kept]
        own = plain(sent, edits)
        found.append(oracle.scored_case(sent.tokens, own, references, assumption, common_words))
    return found


@pytest.mark.parametrize("average", ["corpus", "sentence"])
@pytest.mark.parametrize("assumption", ASSUMPTIONS)
@settings(max_examples=40)
@given(corpora())
def test_cleme_weights_by_a_scorer_equal_oracle(
    assumption: Assumption, average: Average, example: tuple[Corpus, Hypothesis]
) -> None:
    found = scored_cases(*example, assumption)
    options: dict[str, Any] = {
        "assumption": assumption,
        "average": average,
        "scorer": CommonWords(),
        "auto_gold": False,
    }
    setting = Setting(assumption=assumption)
    weigh = oracle.by_score
    factors = FACTORS[average]
    for metric, names, key in (
        (Cleme(**options), "F P R acc", oracle.sentence_key(rounded=False)),
        (Cleme2(**options), "score hit wrong under over", oracle.combined_key(factors)),
    ):
        score = metric.score(*example)

        def rounded(
            counts: oracle.Counts, key: Callable[[oracle.Counts], tuple[float, ...]] = key
        ) -> tuple[float, ...]:
            return tuple(round(value, 12) for value in key(counts))

        if average == "sentence":
            keys, chosen = oracle.choose_each(found, weigh, rounded)
            expected = sentence_scores(keys, names)
            totals = total(found, chosen, weigh)
        else:
            totals, chosen = oracle.choose_running(found, weigh, partial(first_of, rounded))
            expected = dict(zip(names.split(), key(totals), strict=True))
        value = expected.pop(names.split()[0])
        counts = {name: getattr(totals, name) for name in counts_of(score)}
        check(score, {**expected, **counts, "score": value}, chosen, setting)
        rows = np.array([range(len(found)), [len(found) - 1] * len(found)])
        again = metric.resample(metric.statistics(*example), rows)
        assert again[0] == pytest.approx(score.value)
        last = example[0].sentences[-1], example[1].sentences[-1]
        assert example[1].edits is not None
        same = Corpus((last[0],) * len(found))
        repeated = Hypothesis("h", (last[1],) * len(found), (example[1].edits[-1],) * len(found))
        assert again[1] == pytest.approx(metric.score(same, repeated).value)


def test_cleme_scorer_by_name_on_the_command_line_and_wrong_ones() -> None:
    corpus = texts_corpus("I likes my cat", "I like my cat", "I likes my cats")
    ours = Hypothesis.from_texts(["I like my cats"])
    score = Cleme2(scorer="lev", lang="plain").score(corpus, ours)
    assert "|weights:scorer|scorer:ld-reference(" in score.signature
    assert "mean_length" not in score.parts
    with pytest.raises(OptionError, match="cleme2: the option scorer replaces the option weights"):
        Cleme2(scorer="lev", weights="none")
    with pytest.raises(OptionError, match="cleme: the option scorer takes a metric: a scorer is"):
        Cleme(scorer="all")
    with pytest.raises(UnknownNameError, match="unknown metric 'levv'"):
        Cleme(scorer="levv")


@pytest.mark.parametrize("setting", [*F_SETTINGS, *COMBINED_SETTINGS], ids=repr)
def test_cleme_resamples_are_corpora_of_their_own(setting: Setting) -> None:
    """Every sample has a mean length of its own, and references are chosen anew."""
    corpus = made_up.corpus(25, annotators=("0", "1", "2"), absent=0.2)
    system = made_up.system(corpus, "ours")
    kind = Cleme if "compat" in setting else Cleme2
    metric: ChunkMetric = kind(lang="plain", **setting)
    statistics = metric.statistics(corpus, system)
    rows = np.random.default_rng(1).integers(0, 25, size=(15, 25))
    for row, value in zip(rows, metric.resample(statistics, rows), strict=True):
        taken = Corpus(tuple(corpus.sentences[number] for number in row))
        output = Hypothesis("h", tuple(system.sentences[number] for number in row))
        assert value == pytest.approx(metric.score(taken, output).value, abs=1e-12)


# What the paper and the specification say about single cases.


def test_cleme_weight_of_a_chunk_of_mean_length_is_one() -> None:
    corpus = texts_corpus("a b c d e", "a x c d e")
    score = Cleme(lang="plain").score(corpus, Hypothesis.from_texts(["a x c d e"]))
    assert score.parts["mean_length"] == 1
    assert score.parts["tp"] == 1


def test_cleme_long_chunks_count_more_if_right_and_less_if_wrong() -> None:
    """By sentence, the longest chunks weigh almost ten times as much."""
    long = " ".join("pqrstuvwx")
    corpus = Corpus.from_texts(["a b c"] * 9, ["a x c"] * 9)
    wide = Cleme(lang="plain", auto_gold=False, average="sentence", assumption="independent")
    edits = [[Edit(1, 2, (words("x"),))]] * 8 + [[Edit(0, 3, (words(long),))]]
    score = wide.score(corpus, given_edits(corpus, edits))
    assert score.parts["mean_length"] == (8 + 3) / 9
    assert score.parts["tp"] == 8 * 2.5
    assert score.parts["fp"] == 0.25
    right = wide.score(
        Corpus.from_texts(["a b c", "d e"], [long, "d f"]),
        Hypothesis.from_texts([long, "d e"]),
    )
    expected = 10 / (1 + 9 * math.exp(5 - 9))
    assert right.parts["tp"] == pytest.approx(expected)


def test_cleme_without_reference_chunks_has_a_mean_length_of_zero() -> None:
    """The original gives NaN; false positives are weighted all the same, and a note says so."""
    corpus = texts_corpus("a b c", "a b c")
    score = Cleme(lang="plain").score(corpus, Hypothesis.from_texts(["a x c"]))
    assert score.parts["mean_length"] == 0
    assert score.parts["fp"] == 0.75
    assert score.value == 0
    assert "mean length of 0" in score.notes[0]
    unchanged = Cleme(lang="plain").score(corpus, Hypothesis("h", corpus.sources))
    assert unchanged.value == 1
    assert unchanged.notes == ()


def test_cleme_independent_finds_each_chunk_in_another_reference() -> None:
    corpus = texts_corpus("a b c d e", "x b c d e", "a b c d y")
    output = Hypothesis.from_texts(["x b c d y"])
    found = {
        name: Cleme(lang="plain", weights="none", assumption=name).score(corpus, output)
        for name in ASSUMPTIONS
    }
    parts = ("tp", "fp", "fn", "tn")
    assert [found["dependent"].parts[name] for name in parts] == [1, 1, 0, 1]
    assert [found["independent"].parts[name] for name in parts] == [2, 0, 0, 1]


def test_cleme_independent_misses_only_what_all_references_change() -> None:
    corpus = texts_corpus("a b c d e", "x b c d y", "z b c d e")
    score = Cleme(lang="plain", weights="none", assumption="independent").score(
        corpus, Hypothesis("source", corpus.sources)
    )
    assert [score.parts[name] for name in ("tp", "fp", "fn", "tn")] == [0, 0, 1, 2]


def test_cleme_detection_touches_a_chunk() -> None:
    """It changes no token: alone it is no error to find in one reference, and one in all."""
    sent = Sentence(words("a b c"), (Annotation("0", (Edit(1, 2, (), "UNK"),)),))
    corpus = Corpus((sent,))
    unchanged = given_edits(corpus, [[]])
    options: dict[str, Any] = {"weights": "none", "auto_gold": False}
    dependent = Cleme(**options).score(corpus, unchanged)
    assert [dependent.parts[name] for name in ("fn", "tn")] == [0, 3]
    independent = Cleme(assumption="independent", **options).score(corpus, unchanged)
    assert [independent.parts[name] for name in ("fn", "tn")] == [1, 2]
    changed = Cleme2(auto_gold=False).score(corpus, given_edits(corpus, [[Edit(1, 2, (("x",),))]]))
    assert changed.parts["fp_ne"] == 1


def test_cleme_extracted_references_have_no_detections() -> None:
    """What is extracted is the same from M2 and from plain text."""
    marked = Edit(1, 2, (), "UNK")
    right = Edit(2, 3, (("x",),), "R:X")
    edits = Corpus((Sentence(words("a b c"), (Annotation("0", (marked, right)),)),))
    metric = Cleme(lang="plain")
    output = Hypothesis.from_texts(["a b c"])
    one, other = (metric.score(gold, output) for gold in (edits, texts_corpus("a b c", "a b x")))
    assert (one.value, one.signature) == (other.value, other.signature)
    assert dict(one.parts) == dict(other.parts)


def test_cleme_first_alternative_counts() -> None:
    sent = Sentence(words("a b"), (Annotation("0", (Edit(1, 2, (("x",), ("y",))),)),))
    values = [
        Cleme(lang="plain").score(Corpus((sent,)), Hypothesis.from_texts([text])).value
        for text in ("a x", "a y")
    ]
    assert values == [1, 0]


def test_cleme_insertions_at_one_place_are_one_chunk() -> None:
    edits = (Edit(1, 1, (("x",),)), Edit(1, 1, (("y",),)))
    corpus = Corpus((Sentence(words("a b"), (Annotation("0", edits),)),))
    metric = Cleme(auto_gold=False, weights="none")
    score = metric.score(corpus, given_edits(corpus, [[Edit(1, 1, (("x", "y"),))]]))
    assert [score.parts[name] for name in ("tp", "fp", "fn", "tn")] == [1, 0, 0, 2]


def test_cleme_empty_references_are_ignored_unless_there_is_no_other() -> None:
    metric = Cleme2(lang="plain", weights="length")
    output = Hypothesis.from_texts(["a"])
    some = metric.statistics(texts_corpus("a", "", "b", ""), output)
    assert some.mask.tolist() == [[True]]
    assert some.references == ("1",)
    none = metric.statistics(texts_corpus("a", "", ""), output)
    assert none.references == ("0",)
    assert metric.signature(none).startswith("cleme2|sents:1|refs:1|")
    empty = metric.score(texts_corpus("", "", ""), Hypothesis.from_texts([""]))
    assert empty.parts["tn"] == 1


def test_cleme_empty_output_is_scored() -> None:
    corpus = texts_corpus("a", "b", "c")
    score = Cleme(lang="plain", weights="none").score(corpus, Hypothesis.from_texts([""]))
    assert counts_of(score) == {"tp": 0, "fn": 0, "tn": 0}
    assert score.parts["fp"] == 1
    right = Cleme(lang="plain").score(texts_corpus("a", ""), Hypothesis.from_texts([""]))
    assert right.value == 1


def test_cleme_sentences_without_annotators_take_no_part() -> None:
    sent = Sentence(words("a b"), (Annotation("0", (Edit(1, 2, (("x",),)),)),))
    corpus = Corpus((sent, Sentence(words("c"))))
    for average in get_args(Average):
        metric = Cleme(lang="plain", average=average, weights="none")
        score = metric.score(corpus, Hypothesis.from_texts(["a b", "d"]))
        assert [score.parts[name] for name in ("tp", "fp", "fn", "tn")] == [0, 0, 1, 1]
        assert score.value == 0
        assert score.sentences.chosen.tolist() == [0, -1]
        assert np.isnan(score.sentences.values).tolist() == [False, True]
        output = Hypothesis.from_texts(["a b", "d"])
        values = metric.independent_sentence_scores(metric.statistics(corpus, output))
        assert np.isnan(values).tolist() == [False, True]


def test_cleme_corpus_without_sentences() -> None:
    assert Cleme(lang="plain").score(Corpus(()), Hypothesis("h", ())).value == 1
    assert Cleme(lang="plain", average="sentence").score(Corpus(()), Hypothesis("h", ())).value == 0
    score = Cleme2(lang="plain").score(Corpus(()), Hypothesis("h", ()))
    assert score.value == pytest.approx(0.55)


def test_cleme2_of_a_sentence_with_nothing_to_do() -> None:
    """The rate of hits is 0 there, so its factor is missing in the score."""
    corpus = texts_corpus("a b", "a b")
    score = Cleme2(lang="plain", average="sentence").score(corpus, Hypothesis("h", corpus.sources))
    assert score.value == pytest.approx(0.25 + 0.2 + 0.2)
    assert [score.parts[name] for name in ("hit", "wrong", "under", "over")] == [0, 0, 0, 0]


def test_cleme2_has_factors() -> None:
    corpus = texts_corpus("a b c d e", "a b x d y")
    output = Hypothesis.from_texts(["z b x d e"])
    given_: dict[str, Any] = {"hit": 0.1, "wrong": 0.2, "under": 0.3, "over": 0.4}
    score = Cleme2(lang="plain", **given_).score(corpus, output)
    assert score.value == pytest.approx(0.1 * 0.5 + 0.2 + 0.3 * 0.5 + 0.4 * 0.5)
    assert "|factors:0.1,0.2,0.3,0.4|" in score.signature
    usual = Cleme2(lang="plain").score(corpus, output)
    assert usual.signature != score.signature


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"hit": 0.5}, "the option hit takes a factor that adds up to 1 with .* 0.5, 0.35, 0.15"),
        ({"under": 0.2, "over": 0.2}, "the option under takes a factor that adds up to 1"),
        ({"hit": 1.5}, "the option hit takes a number from 0 to 1 or none, not 1.5"),
    ],
)
def test_cleme2_refuses_factors_that_do_not_add_up(given_: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"^cleme2: {message}"):
        Cleme2(**given_)


def test_cleme_for_sentences_averages_them() -> None:
    assert Cleme().for_sentences().settings()["average"] == "sentence"
    assert Cleme2(average="corpus").for_sentences().settings()["average"] == "corpus"


def test_cleme_corpus_length_weights_differ_for_sentences_only() -> None:
    corpus = made_up.corpus(20)
    output = made_up.system(corpus, "ours")
    pairs = product(get_args(Average), ("length", "corpus-length"))
    options = [Setting(average=average, weights=weights) for average, weights in pairs]
    values = {
        tuple(own.values()): Cleme(lang="plain", **own).score(corpus, output).value
        for own in options
    }
    assert values["corpus", "length"] == values["corpus", "corpus-length"]
    assert values["sentence", "length"] != values["sentence", "corpus-length"]
    assert LENGTH_WEIGHTS["corpus", "dependent"] == LENGTH_WEIGHTS["corpus", "independent"]


# Output with edits.


def test_cleme_edits_of_another_source_are_refused() -> None:
    corpus = texts_corpus("a b", "a c")
    output = Hypothesis("h", (("a", "x"),), ((Edit(0, 1, (("y",),)),),))
    with pytest.raises(GecevalError, match="are not edits of sentence 1"):
        Cleme(lang="plain").score(corpus, output)


M2 = """\
S a b c d e
A 1 2|||R:X|||x|||REQUIRED|||-NONE-|||0
A 4 5|||R:X|||y|||REQUIRED|||-NONE-|||0
A 4 5|||R:X|||y|||REQUIRED|||-NONE-|||1
A 0 0|||M:X|||z|||REQUIRED|||-NONE-|||1
A 2 2|||M:X|||z|||REQUIRED|||-NONE-|||1
"""


@pytest.mark.parametrize("setting", [{}, {"assumption": "independent"}, {"average": "sentence"}])
def test_cleme_best_reading_of_an_output_is_chosen(tmp_path: Path, setting: dict[str, Any]) -> None:
    (tmp_path / "h.m2").write_text(M2, encoding="utf-8")
    output = load_hypothesis(tmp_path / "h.m2", format="m2")
    corpus = texts_corpus("a b c d e", "a b c d y", "a x c d y")
    metric = Cleme(lang="plain", **setting)
    score = metric.score(corpus, output)
    assert score.value == 1
    assert score.sentences.readings is not None
    assert score.sentences.readings.tolist() == [0]
    assert score.sentences.chosen.tolist() == [-1 if "assumption" in setting else 1]
    (view,) = metric.chunk_view(corpus, output, score)
    assert view is not None
    assert view.reading == "0"


def test_cleme_readings_with_many_chunks_fit_those_with_few() -> None:
    tokens = words("a b " * 40)
    corpus = Corpus((Sentence(tokens, (Annotation("0", (Edit(0, 1, (("x",),)),)),)),))
    many = [Edit(at, at + 1, (("x",),)) for at in range(0, 80, 2)]
    metric = Cleme(auto_gold=False)
    few, wide = (metric.statistics(corpus, given_edits(corpus, [own])) for own in (many[:1], many))
    assert few.counts.shape[2] < wide.counts.shape[2]
    both = few.followed_by(wide)
    rows = np.array([[0], [1]])
    expected = [metric.aggregate(one).value for one in (few, wide)]
    assert metric.resample(both, rows).tolist() == expected
    assert metric.resample(wide.followed_by(few), rows[::-1]).tolist() == expected


# Views.


def test_cleme_chunk_view() -> None:
    corpus = texts_corpus("I likes cat and dog .", "I like cats and dog .", "I like cat and dogs .")
    output = Hypothesis.from_texts(["I like cats and the dog ."])
    metric = Cleme(lang="plain")
    (view,) = metric.chunk_view(corpus, output, metric.score(corpus, output))
    assert view is not None
    assert view.annotators == ("0", "1")
    assert view.chosen == "0"
    assert [chunk.kind for chunk in view.chunks] == ["TN", "TP", "TN", "FPun", "TN"]
    assert [chunk.start for chunk in view.chunks] == [0, 1, 3, 4, 5]
    assert view.chunks[1].references == (words("like cats"), words("like cat"))
    assert view.chunks[3].source == words("dog")
    independent = Cleme(lang="plain", assumption="independent")
    (view,) = independent.chunk_view(corpus, output, independent.score(corpus, output))
    assert isinstance(view, ChunkedSentence)
    assert view.chosen is None
    assert [chunk.kind for chunk in view.chunks] == ["TN", "TP", "TN", "FPne", "TN"]


def test_cleme_chunk_view_of_a_sentence_without_references() -> None:
    corpus = Corpus((Sentence(words("a b")),))
    output = Hypothesis.from_texts(["a c"])
    metric = Cleme(lang="plain")
    assert metric.chunk_view(corpus, output, metric.score(corpus, output)) == [None]


# Large input.


def test_cleme_of_long_sentences_and_many_references() -> None:
    source = [f"w{number}" for number in range(2000)]
    references = []
    for number in range(16):
        changed = [f"x{place}" if place % 16 == number else word for place, word in
                   enumerate(source)]  # fmt: skip
        references.append([" ".join(changed)])
    corpus = Corpus.from_texts([" ".join(source)], *references)
    output = Hypothesis.from_texts([references[3][0]])
    assert Cleme(lang="plain").score(corpus, output).value == 1
    score = Cleme(lang="plain", assumption="independent").score(corpus, output)
    assert score.parts["tp"] > 0


def test_cleme_names_a_sentence_that_is_too_long() -> None:
    corpus = Corpus.from_texts(["a b", "a b c d e f"], ["a c", "a b c d e f"])
    with allow(cells=1000), pytest.raises(TooLargeError, match=r"^h, sentence 2: "):
        Cleme(lang="plain").score(corpus, Hypothesis("h", (words("a b"), words("x y z a b c"))))


# On the command line.


def invoke(folder: Path, *arguments: str) -> Any:
    (folder / "src.txt").write_text("I likes cat .\nAll is well .\n", encoding="utf-8")
    (folder / "ref.txt").write_text("I like cats .\nAll is well .\n", encoding="utf-8")
    (folder / "ours.txt").write_text("I like cats .\nAll is good .\n", encoding="utf-8")
    files = ["--src", f"{folder}/src.txt", "--ref", f"{folder}/ref.txt", f"{folder}/ours.txt"]
    return CliRunner().invoke(main, ["score", *arguments, *files, "--lang", "plain"])


def test_cleme_scores_plain_text(tmp_path: Path) -> None:
    result = invoke(tmp_path, "-m", "cleme(weights=none),cleme2(assumption=independent)", "--json")
    assert result.exit_code == 0, result.output
    cleme, cleme2 = json.loads(result.stdout)["results"]
    assert cleme["parts"] | {"mean_length": 2.0, "tp": 1, "fp": 1, "fn": 0} == cleme["parts"]
    assert cleme2["parts"]["hit"] == 1
    assert "assumption:independent" in cleme2["signature"]


def test_cleme_verbose_prints_chunks(tmp_path: Path) -> None:
    result = invoke(tmp_path, "-m", "cleme", "--verbose", "--resamples", "0")
    assert result.exit_code == 0, result.output
    lines = [line.strip() for line in result.stdout.split("\n")]
    assert "ours sentence 0, annotator 0" in lines
    assert "source  I  │ likes cat │ ." in lines
    assert "output  I  │ like cats │ ." in lines
    assert "class   TN │ TP        │ TN" in lines
    assert "class   TN     │ FPun │ TN" in lines


def test_cleme_given_edits_need_a_gold_standard_with_edits(tmp_path: Path) -> None:
    """Edits of a plain diff would give a plausible number."""
    result = invoke(tmp_path, "-m", "cleme(auto_gold=no)")
    assert result.exit_code == 2
    assert "cleme compares annotators' edits" in result.output
