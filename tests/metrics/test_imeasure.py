"""The I-measure against the paper, brute force and the published numbers."""

from __future__ import annotations

import csv
import math
import random
import time
import warnings
from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geceval
from geceval.errors import GecevalError, MismatchError, OptionError
from geceval.evaluation.resampling import Resampling, resampled_rows
from geceval.kernels.imeasure.best_reference import best_references
from geceval.kernels.three_way import align_three
from geceval.metrics.imeasure.accuracy import COLUMNS, COUNTS
from geceval.metrics.imeasure.arrays import Lattices, PreparedCorpus
from geceval.metrics.imeasure.metric import Aspect, IMeasure, Maximized
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Statistics
from geceval.metrics.views import Column
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens
from geceval.references.corrections import alternatives, own_references
from geceval.references.groups import errors_of
from geceval.references.mixed import mixed_references
from geceval.references.nested import applied_only
from oracles import imeasure as oracle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row: TypeAlias = tuple[int, ...]

METRICS = get_args(Maximized)
ASPECTS = get_args(Aspect)
COUNTED = (*COUNTS, "base_tn", "base_fn")


def words(text: str) -> Tokens:
    return tuple(text.split())


def hypothesis_of(*sentences: str) -> Hypothesis:
    return Hypothesis("ours", tuple(map(words, sentences)))


def corpus_of(text: str, *annotators: list[tuple[int, int, str]]) -> Corpus:
    annotations = tuple(
        Annotation(str(number), tuple(Edit(start, end, (words(new),)) for start, end, new in edits))
        for number, edits in enumerate(annotators)
    )
    return Corpus((Sentence(words(text), annotations),))


def table(*rows: Row) -> Statistics:
    """Statistics of counts for correction and of the baseline."""
    counts = np.zeros((len(rows), 1, len(COLUMNS)), dtype=np.int64)
    counts[:, 0, : len(COUNTED)] = rows
    mask = np.ones((len(rows), 1), dtype=bool)
    return Statistics(counts, mask, COLUMNS, ("mixed",), Provenance.of([((), ())] * len(rows)))


# The paper.

LISTING = Corpus(
    (
        Sentence(
            words("This machines is designed for help people ."),
            (
                Annotation(
                    "0",
                    (
                        Edit(0, 1, (("These",),), "SVA", group="1"),
                        Edit(2, 3, (("are",),), "SVA", group="1"),
                        Edit(5, 6, (("helping",),), "Vform", group="2"),
                    ),
                ),
                Annotation(
                    "1",
                    (
                        Edit(1, 2, (("machine",),), "SVA", group="1"),
                        Edit(4, 5, (("to",),), "Vform", group="2"),
                    ),
                ),
            ),
        ),
    )
)
TABLE_1 = hypothesis_of("These machines are designed to help people .")


def test_imeasure_paper_table_1_mixes_annotators() -> None:
    score = IMeasure().score(LISTING, TABLE_1)
    assert [score.parts[name] for name in COUNTED] == [3, 5, 0, 0, 0, 5, 3]
    assert score.value == score.parts["precision"] == score.parts["recall"] == 1
    assert score.parts["wacc_base"] == 5 / 8


def test_imeasure_paper_table_1_without_mixing() -> None:
    score = IMeasure(mix=False).score(LISTING, TABLE_1)
    assert [score.parts[name] for name in COUNTED] == [2, 4, 1, 1, 0, 5, 3]
    assert score.sentences.chosen.tolist() == [0]
    assert score.value == pytest.approx((8 / 11 - 5 / 8) / (3 / 8))


def test_imeasure_paper_table_1_alignment() -> None:
    aligned = IMeasure().aligned_view(LISTING, TABLE_1)[0]
    assert aligned.reference == TABLE_1.sentences[0]
    assert not aligned.is_limited
    assert aligned.columns[:3] == (
        Column("This", "These", "These"),
        Column("machines", "machines", "machines"),
        Column("is", "are", "are"),
    )
    assert [column.kind for column in aligned.columns] == [
        *("TP", "TN", "TP", "TN", "TP", "TN", "TN", "TN")
    ]


def columns_of(*texts: str) -> list[oracle.Column]:
    return oracle.align(*map(words, texts))


def test_imeasure_paper_table_4_gaps_stay_together() -> None:
    assert columns_of("A B", "C", "A") == [("A", "C", "A"), ("B", "", "")]


def test_imeasure_paper_table_5_has_two_optimal_alignments() -> None:
    source = "Their is wide spread usage of technology ."
    target = "There is widespread use of technology ."
    counts, _ = oracle.count(columns_of(source, target, target))
    assert counts == oracle.Counts(tp=4, tn=4)


@pytest.mark.parametrize(
    ("tokens", "detection", "correction"),
    [
        ("a a a", "tn", "TN"),
        ("a a b", "fn", "FN"),
        ("a a -", "fn", "FN"),
        ("a b a", "fp", "FP"),
        ("a b b", "tp", "TP"),
        ("a b c", "tp", "FPN"),
        ("a b -", "tp", "FPN"),
        ("a - a", "fp", "FP"),
        ("a - b", "tp", "FPN"),
        ("a - -", "tp", "TP"),
        ("- a a", "tp", "TP"),
        ("- a b", "tp", "FPN"),
        ("- a -", "fp", "FP"),
        ("- - a", "fn", "FN"),
    ],
)
def test_imeasure_paper_table_6(tokens: str, detection: str, correction: str) -> None:
    source, hypothesis, reference = (word if word != "-" else None for word in tokens.split())
    assert Column(source, hypothesis, reference).kind == correction
    column = source or "", hypothesis or "", reference or ""
    corrected, detected = oracle.count([column])
    names = ("fp", "fn", "fpn") if correction == "FPN" else (correction.lower(),)
    assert corrected == oracle.Counts(**dict.fromkeys(names, 1))
    assert detected == oracle.Counts(**{detection: 1})


@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        ((0, 6, 0, 4), "1.00 0.00 0.00 0.60 0.60"),
        ((4, 5, 1, 0), "0.80 1.00 0.83 0.90 0.87"),
        ((1, 6, 0, 3), "1.00 0.25 0.62 0.70 0.73"),
        ((1, 5, 1, 3), "0.50 0.25 0.42 0.60 0.58"),
        ((4, 0, 6, 0), "0.40 1.00 0.45 0.40 0.40"),
    ],
)
def test_imeasure_paper_table_8(counts: Row, printed: str) -> None:
    score = IMeasure(beta=0.5).aggregate(table((*counts, 0, 6, 4)))
    names = ("precision", "recall", "f", "acc", "wacc")
    assert " ".join(f"{score.parts[name]:.2f}" for name in names) == printed
    assert score.parts["wacc_base"] == 0.6


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        ((4, 6, 0, 0), 1.0),
        ((2, 6, 0, 2), (10 / 12 - 0.6) / 0.4),
        ((0, 6, 0, 4), 0.0),
        ((0, 3, 3, 4), 3 / 13 / 0.6 - 1),
        ((0, 0, 6, 4), -1.0),
    ],
)
def test_imeasure_paper_table_9_interpretation(counts: Row, value: float) -> None:
    score = IMeasure().aggregate(table((*counts, 0, 6, 4)))
    assert score.value == pytest.approx(value)
    assert -1 <= score.value <= 1


def test_imeasure_source_of_correct_text_is_perfect() -> None:
    corpus = corpus_of("a b c", [])
    assert IMeasure().score(corpus, hypothesis_of("a b c")).value == 1
    assert IMeasure().score(corpus, hypothesis_of("a b d")).value == pytest.approx(2 / 4 - 1)


def test_imeasure_source_of_wrong_text_is_zero() -> None:
    score = IMeasure().score(corpus_of("a b c", [(1, 2, "x")]), hypothesis_of("a b c"))
    assert (score.value, score.parts["fn"], score.parts["wacc"]) == (0, 1, 2 / 3)


# The kernels against the oracle.


def tokens(size: int) -> st.SearchStrategy[Tokens]:
    return st.integers(1, 4).flatmap(
        lambda n: st.lists(st.sampled_from("abcd"[:n]), max_size=size).map(tuple)
    )


@settings(max_examples=400)
@given(st.lists(st.tuples(tokens(6), tokens(6), tokens(6)), min_size=1, max_size=4))
def test_imeasure_alignment_equals_oracle(triples: list[tuple[Tokens, Tokens, Tokens]]) -> None:
    prepared = PreparedCorpus(Corpus(tuple(Sentence(source) for source, _, _ in triples)))
    hypotheses = prepared.intern([hypothesis for _, hypothesis, _ in triples])
    references = prepared.intern([reference for _, _, reference in triples])
    counts, columns, offsets = align_three(
        prepared.sources.tokens,
        prepared.sources.offsets,
        hypotheses.tokens,
        hypotheses.offsets,
        np.arange(len(triples) + 1),
        references.tokens,
        references.offsets,
        0,
        len(triples),
        True,
        10_000,
    )
    for number, triple in enumerate(triples):
        expected = [4 * bool(s) + 2 * bool(h) + bool(r) for s, h, r in oracle.align(*triple)]
        assert columns[offsets[number] : offsets[number + 1]].tolist() == expected
        assert tuple(counts[number].tolist()) == oracle.read(*triple).row


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Sentence, Tokens]:
    """A sentence with named errors of any kind, and a hypothesis not too far from it."""
    letters = st.sampled_from("abcdef"[: draw(st.integers(1, 6))])
    source = draw(st.lists(letters, max_size=6))
    size = len(source)
    readings: dict[str, list[Edit]] = {}
    for number in range(draw(st.integers(0, 3))):
        required = draw(st.booleans())
        for annotator in range(draw(st.integers(1, 3))):
            for _ in range(draw(st.integers(1, 2))):
                start = draw(st.integers(0, size + 1))
                end = draw(st.sampled_from((start, start + 1, start + 1, start + 2, start + size)))
                new = tuple(draw(st.lists(letters, max_size=2)))
                edit = Edit(start, end, (new,), required=required, group=str(number))
                readings.setdefault(str(annotator), []).append(edit)
    annotations = tuple(Annotation(name, tuple(edits)) for name, edits in readings.items())
    hypothesis = list(source)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(hypothesis)))
        hypothesis[place : place + draw(st.integers(0, 2))] = draw(st.lists(letters, max_size=2))
    return Sentence(tuple(source), annotations), tuple(hypothesis)


def brute_force(sent: Sentence) -> set[Tokens]:
    """All references by enumeration; the annotators' own where none can be combined."""
    errors = [alternatives(error, sent.tokens) for error in errors_of(sent)]
    return oracle.references(sent.tokens, errors) or set(own_references(sent).values())


def kernel_best(
    sent: Sentence,
    hypothesis: Tokens,
    *,
    metric: str = "wacc",
    aspect: str = "correction",
    weight: tuple[int, int] = (2, 1),
    beta: tuple[int, int] = (1, 1),
    totals: Row = (0,) * 7,
    limit: int = 10**9,
    beam_width: int = 100,
) -> tuple[Row, int, Tokens]:
    """Counts, status and words of the reference that the kernel chooses."""
    prepared = PreparedCorpus(Corpus((sent,)))
    hypotheses = prepared.intern([hypothesis])
    lattices = Lattices.of(0, [mixed_references(sent)], prepared)
    counts, status, references, _, _ = best_references(
        prepared.sources.tokens,
        prepared.sources.offsets,
        hypotheses.tokens,
        hypotheses.offsets,
        lattices.nodes,
        lattices.positions,
        lattices.edges,
        lattices.starts,
        lattices.ends,
        lattices.words.tokens,
        lattices.words.offsets,
        0,
        1,
        METRICS.index(metric),
        aspect == "detection",
        weight,
        beta,
        np.array(totals, dtype=np.int64),
        lattices.steps,
        limit,
        beam_width,
    )
    return tuple(counts[0].tolist()), int(status[0]), prepared.spell(references)


@settings(max_examples=1000)
@given(sentences(), st.sampled_from((1, 100)))
def test_imeasure_maximum_equals_brute_force(
    case: tuple[Sentence, Tokens], beam_width: int
) -> None:
    """With a beam of 1 every sentence is solved by branch and bound."""
    sent, hypothesis = case
    references = brute_force(sent)
    counts, status, reference = kernel_best(sent, hypothesis, beam_width=beam_width)
    assert status == 0
    assert reference in references
    assert counts == oracle.read(sent.tokens, hypothesis, reference).row
    assert counts in oracle.best(oracle.readings(sent.tokens, hypothesis, references))


@settings(max_examples=200)
@given(
    sentences(),
    st.sampled_from((1, 100)),
    st.sampled_from(((2, 1), (3, 2), (1, 1))),
    st.sampled_from(((1, 1), (1, 2))),
    st.tuples(*[st.integers(0, 9)] * 4, st.integers(0, 3), *[st.integers(0, 9)] * 2),
)
def test_imeasure_every_maximum_equals_brute_force(
    case: tuple[Sentence, Tokens],
    beam_width: int,
    weight: tuple[int, int],
    beta: tuple[int, int],
    before: Row,
) -> None:
    """Every metric of both aspects, with the counts of some text before."""
    sent, hypothesis = case
    tp, tn, fp, fn, fpn, base_tn, base_fn = before
    totals = oracle.Reading(
        oracle.Counts(tp, tn, fp + fpn, fn + fpn, fpn),
        oracle.Counts(tp + fpn, tn, fp, fn, 0),
        oracle.Counts(0, base_tn, 0, base_fn, 0),
    )
    readings = oracle.readings(sent.tokens, hypothesis, brute_force(sent))
    for metric in METRICS:
        for aspect in ASPECTS:
            counts, status, _ = kernel_best(
                sent,
                hypothesis,
                metric=metric,
                aspect=aspect,
                weight=weight,
                beta=beta,
                totals=totals.row,
                beam_width=beam_width,
            )
            assert status == 0
            assert counts in oracle.best(
                readings,
                metric=metric,
                aspect=aspect,
                weight=Fraction(*weight),
                beta=Fraction(*beta),
                totals=totals,
            )


@settings(max_examples=150)
@given(sentences(), st.integers(1, 3000), st.sampled_from(METRICS), st.sampled_from((1, 100)))
def test_imeasure_limit_gives_a_real_reference(
    case: tuple[Sentence, Tokens], limit: int, metric: str, beam_width: int
) -> None:
    sent, hypothesis = case
    counts, status, reference = kernel_best(
        sent, hypothesis, metric=metric, limit=limit, beam_width=beam_width
    )
    if status < 2:
        assert reference in brute_force(sent)
        assert counts == oracle.read(sent.tokens, hypothesis, reference).row
    if status == 0:
        readings = oracle.readings(sent.tokens, hypothesis, brute_force(sent))
        assert counts in oracle.best(readings, metric=metric)


def test_imeasure_limited_sentences_are_flagged() -> None:
    corpus = corpus_of("a b c d", [(0, 1, "x"), (2, 3, "y")], [(1, 2, "z")])
    hypothesis = hypothesis_of("x b y e")
    exact = IMeasure().score(corpus, hypothesis)
    limited = IMeasure(limit=1).score(corpus, hypothesis)
    assert "limited" not in exact.parts
    assert exact.sentences.parts["limited"].tolist() == [0]
    assert limited.parts["limited"] == 1
    assert limited.parts["wacc"] <= exact.parts["wacc"]
    assert IMeasure(limit=1).aligned_view(corpus, hypothesis)[0].is_limited


def test_imeasure_very_long_sentence_falls_back_to_own_references() -> None:
    text = "a b c d e " * 300
    corpus = corpus_of(text, [(1, 2, "x")], [(3, 4, "y")])
    score = IMeasure().score(corpus, hypothesis_of(text.replace("b", "x", 1)))
    assert score.parts["limited"] == 1
    assert (score.parts["tp"], score.parts["tn"], score.value) == (1, 1499, 1)


# The metric.


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Corpus, Hypothesis]:
    cases = draw(st.lists(sentences(), min_size=1, max_size=3))
    return Corpus(tuple(sent for sent, _ in cases)), Hypothesis(
        "ours", tuple(hypothesis for _, hypothesis in cases)
    )


def chosen_rows(
    corpus: Corpus,
    hypothesis: Hypothesis,
    statistics: Statistics,
    score: geceval.Score,
) -> Iterator[tuple[Sentence, Tokens, Row]]:
    # Edits inside of others are no edits of their own.
    for number, (sent, mine) in enumerate(zip(applied_only(corpus), hypothesis, strict=True)):
        place = score.sentences.chosen[number]
        row = statistics.counts[number, place, : len(COUNTED)]
        yield sent, mine, tuple(row.tolist())


@settings(max_examples=60)
@given(corpora(), st.sampled_from(METRICS), st.booleans())
def test_imeasure_corpus_optimizes_running_totals(
    case: tuple[Corpus, Hypothesis], metric: Maximized, mix: bool
) -> None:
    corpus, hypothesis = case
    measure = IMeasure(mix=mix, maximize=metric, optimize="corpus")
    statistics = measure.statistics(corpus, hypothesis)
    score = measure.aggregate(statistics)
    totals = oracle.NOTHING
    for sent, mine, row in chosen_rows(corpus, hypothesis, statistics, score):
        references = brute_force(sent) if mix else set(own_references(sent).values())
        readings = oracle.readings(sent.tokens, mine, references)
        assert row in oracle.best(readings, metric=metric, totals=totals)
        totals += next(reading for reading in readings if reading.row == row)
    assert tuple(score.parts[name] for name in COUNTED) == totals.row
    value = oracle.value(totals, "i")
    assert score.value == pytest.approx(float(value))


@settings(max_examples=60)
@given(corpora(), st.sampled_from(METRICS), st.sampled_from(ASPECTS))
def test_imeasure_without_mixing_equals_oracle(
    case: tuple[Corpus, Hypothesis], metric: Maximized, aspect: Aspect
) -> None:
    corpus, hypothesis = case
    measure = IMeasure(mix=False, maximize=metric, aspect=aspect)
    statistics = measure.statistics(corpus, hypothesis)
    score = measure.aggregate(statistics)
    for sent, mine, row in chosen_rows(corpus, hypothesis, statistics, score):
        readings = oracle.readings(sent.tokens, mine, own_references(sent).values())
        assert row in oracle.best(readings, metric=metric, aspect=aspect)


@settings(max_examples=40)
@given(corpora(), st.booleans(), st.sampled_from(("sentence", "corpus")))
def test_imeasure_resample_equals_aggregate(
    case: tuple[Corpus, Hypothesis], mix: bool, optimize: str
) -> None:
    measure = IMeasure(mix=mix, optimize=optimize)  # type: ignore[arg-type]
    statistics = measure.statistics(*case)
    rows = resampled_rows(len(statistics), Resampling(5, seed=1))[0]
    one_by_one = [measure.aggregate(statistics.take(row)).value for row in rows]
    assert measure.resample(statistics, rows).tolist() == pytest.approx(one_by_one)


@settings(max_examples=40)
@given(corpora(), st.booleans())
def test_imeasure_alignments_hold_the_counts(case: tuple[Corpus, Hypothesis], mix: bool) -> None:
    corpus, hypothesis = case
    measure = IMeasure(mix=mix)
    parts = measure.score(corpus, hypothesis).sentences.parts
    for number, aligned in enumerate(measure.aligned_view(corpus, hypothesis)):
        rows = zip(*((c.source, c.hypothesis, c.reference) for c in aligned.columns), strict=True)
        spelled = [tuple(token for token in row if token is not None) for row in rows] or [()] * 3
        source = corpus.sentences[number].tokens
        assert spelled == [source, hypothesis.sentences[number], aligned.reference]
        kinds = [column.kind for column in aligned.columns]
        assert kinds.count("TP") == parts["tp"][number]
        assert kinds.count("TN") == parts["tn"][number]
        assert kinds.count("FPN") == parts["fpn"][number]
        assert kinds.count("FP") + kinds.count("FPN") == parts["fp"][number]
        assert kinds.count("FN") + kinds.count("FPN") == parts["fn"][number]


def test_imeasure_statistics_columns() -> None:
    corpus = corpus_of("a b c", [(0, 1, "x")], [])
    mixed = IMeasure().statistics(corpus, hypothesis_of("y b c"))
    assert mixed.references == ("mixed",)
    own = IMeasure(mix=False).statistics(corpus, hypothesis_of("y b c"))
    assert own.references == ("0", "1")
    assert " ".join(own.columns) == (
        "tp tn fp fn fpn base_tn base_fn d_tp d_tn d_fp d_fn d_fpn limited"
    )
    assert own.counts[0, 0].tolist() == [0, 2, 1, 1, 1, 2, 1, 1, 2, 0, 0, 0, 0]


def test_imeasure_parts_have_their_names() -> None:
    score = IMeasure().score(LISTING, TABLE_1)
    names = [*COUNTED, "precision", "recall", "f", "acc", "wacc", "wacc_base"]
    assert list(score.parts) == [*names, *(f"d_{name}" for name in names), "d_i"]
    assert score.parts.keys() <= score.sentences.parts.keys()


def test_imeasure_unannotated_sentence_has_its_source_as_reference() -> None:
    corpus = Corpus((Sentence(words("a b")), *corpus_of("a", [(0, 1, "b")]).sentences))
    hypothesis = hypothesis_of("a b", "b")
    for mix in (True, False):
        statistics = IMeasure(mix=mix).statistics(corpus, hypothesis)
        assert IMeasure(mix=mix).aggregate(statistics).value == 1
    assert statistics.references == ("0", "source")
    assert statistics.mask.tolist() == [[False, True], [True, False]]
    aligned = IMeasure(mix=False).aligned_view(corpus, hypothesis)
    assert [view.reference for view in aligned] == [("a", "b"), ("b",)]


def test_imeasure_empty_inputs() -> None:
    for mix in (True, False):
        assert IMeasure(mix=mix).score(Corpus(()), Hypothesis("none", ())).value == 1
        assert IMeasure(mix=mix).aligned_view(Corpus(()), Hypothesis("none", ())) == []
        corpus = Corpus((Sentence(()), Sentence(("a",))))
        assert IMeasure(mix=mix).score(corpus, hypothesis_of("", "")).value == -1


def test_imeasure_signature() -> None:
    score = IMeasure(maximize="f", aspect="detection", beta=0.5).score(LISTING, TABLE_1)
    read = Provenance.of_edits(LISTING, required=True, groups=True)
    assert score.signature == (
        f"imeasure|sents:1|refs:2|data:{read.digest}|mix:yes|weight:2|beta:0.5|max:detection-f"
        f"|opt:sentence|limit:1000000000|version:{geceval.__version__}"
    )


def test_imeasure_refuses_unknown_names() -> None:
    with pytest.raises(OptionError, match=r"maximize .*not 'wac'; did you mean 'wacc'"):
        IMeasure(maximize="wac")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="aspect"):
        IMeasure(aspect="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="optimize"):
        IMeasure(optimize="text")  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"weight": 0}, {"beta": -1}, {"weight": float("nan")}])
def test_imeasure_refuses_impossible_weights(options: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=r"imeasure: the option (weight|beta) takes a number "):
        IMeasure(**options)  # type: ignore[arg-type]


def test_imeasure_refuses_what_it_cannot_compute_exactly() -> None:
    with pytest.raises(GecevalError, match="simple number"):
        IMeasure(weight=1.23456789)
    with pytest.raises(GecevalError, match="cannot be maximized"):
        IMeasure(maximize="f", beta=0.123)
    with pytest.raises(GecevalError, match="limit"):
        IMeasure(limit=0)


def test_imeasure_refuses_other_lengths() -> None:
    with pytest.raises(MismatchError):
        IMeasure().score(LISTING, hypothesis_of("a", "b"))


# Published numbers.

GOLDS = {2: "official-2014.combined", 10: "bryant-ng-10", 16: "all-16"}


@cache
def load_gold(folder: Path, n_annotators: int) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", geceval.GecevalWarning)
        return geceval.load(folder / "conll14" / "gold" / f"{GOLDS[n_annotators]}.ieval.xml")


def load_system(folder: Path, name: str) -> Hypothesis:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", geceval.GecevalWarning)
        return geceval.load_hypothesis(folder / "conll14" / "systems" / f"{name}.txt")


def read_scores(folder: Path, name: str) -> dict[str, list[dict[str, str]]]:
    """Rows of a table of scores, by system."""
    rows = defaultdict(list)
    with (folder / "conll14" / "scores" / name).open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            rows[row["system"]].append(row)
    return rows


def percent(value: float) -> str:
    text = f"{100 * value:.2f}"
    return "0.00" if text == "-0.00" else text


def test_imeasure_published_system_scores(shared_data: Path) -> None:
    published = read_scores(shared_data, "official-imeasure-system.tsv")
    measure = IMeasure(mix=False)
    corpus = load_gold(shared_data, 2)
    ours = {
        name: percent(measure.score(corpus, load_system(shared_data, name)).value)
        for name in published
    }
    assert ours == {name: rows[0]["score"] for name, rows in published.items()}


def test_imeasure_published_sentence_scores(shared_data: Path) -> None:
    corpus = load_gold(shared_data, 2)
    measure = IMeasure(mix=False)
    for name, rows in read_scores(shared_data, "official-imeasure-sentence.tsv").items():
        score = measure.score(corpus, load_system(shared_data, name))
        assert list(map(percent, score.sentences.values)) == [
            percent(float(row["score"]) / 100) for row in rows
        ]


def test_imeasure_published_counts_without_mixing(shared_data: Path) -> None:
    rows = read_scores(shared_data, "imeasure-nomix-counts-AMU.tsv")["AMU"]
    score = IMeasure(mix=False).score(load_gold(shared_data, 2), load_system(shared_data, "AMU"))
    parts = score.sentences.parts
    for prefix, letter in (("", "c"), ("d_", "d")):
        for name in COUNTS:
            column = [int(row[f"sys_{letter}{name}"]) for row in rows]
            assert parts[f"{prefix}{name}"].tolist() == column
        for name in ("tn", "fn"):
            column = [int(row[f"base_{letter}{name}"]) for row in rows]
            assert parts[f"{prefix}base_{name}"].tolist() == column
    assert parts["wacc"].tolist() == [float(row["wacc"]) for row in rows]
    assert parts["wacc_base"].tolist() == [float(row["wacc_base"]) for row in rows]
    assert score.sentences.values.tolist() == [float(row["I"]) for row in rows]


@pytest.mark.parametrize("n_annotators", GOLDS)
def test_imeasure_mixed_counts(shared_data: Path, n_annotators: int) -> None:
    corpus = load_gold(shared_data, n_annotators)
    measure = IMeasure(jobs=2)
    published = read_scores(shared_data, f"imeasure-mix-counts-{n_annotators}-annotators.tsv")
    for name, rows in published.items():
        statistics = measure.statistics(corpus, load_system(shared_data, name))
        ours = statistics.counts[:, 0, : len(COUNTED)].tolist()
        assert ours == [[int(row[column]) for column in COUNTED] for row in rows]
        assert not statistics.counts[:, 0, -1].any()


def test_imeasure_workers_do_not_change_scores(shared_data: Path) -> None:
    corpus = Corpus(load_gold(shared_data, 10).sentences[:200])
    hypothesis = Hypothesis("CAMB", load_system(shared_data, "CAMB").sentences[:200])
    for mix in (True, False):
        one = IMeasure(mix=mix).statistics(corpus, hypothesis)
        two = IMeasure(mix=mix, jobs=2).statistics(corpus, hypothesis)
        assert np.array_equal(one.counts, two.counts)


def count_combinations(sent: Sentence) -> int:
    return math.prod(len(alternatives(error, sent.tokens)) for error in errors_of(sent))


@pytest.mark.parametrize("n_annotators", GOLDS)
def test_imeasure_mixed_equals_enumeration(shared_data: Path, n_annotators: int) -> None:
    """A sample; references by brute force, aligned by the kernel that the oracle checked."""
    gold = load_gold(shared_data, n_annotators)
    sample = [
        number
        for number in range(n_annotators, len(gold), 13)
        if count_combinations(gold.sentences[number]) <= 2000
    ]
    corpus = Corpus(tuple(gold.sentences[number] for number in sample))
    hypothesis = Hypothesis(
        "CAMB", tuple(load_system(shared_data, "CAMB").sentences[number] for number in sample)
    )
    all_references = [sorted(brute_force(sent)) for sent in corpus]
    enumerated = Corpus(
        tuple(
            Sentence(
                sent.tokens,
                tuple(
                    Annotation(str(number), (Edit(0, len(sent.tokens), (reference,)),))
                    for number, reference in enumerate(references)
                ),
            )
            for sent, references in zip(corpus, all_references, strict=True)
        )
    )
    mixed = IMeasure().score(corpus, hypothesis)
    brute = IMeasure(mix=False).score(enumerated, hypothesis)
    for name in COUNTED:
        assert mixed.sentences.parts[name].tolist() == brute.sentences.parts[name].tolist()


# Limits.


def entangled_case(n_tokens: int, n_annotators: int, n_edits: int) -> tuple[Sentence, Tokens]:
    """A sentence whose annotators' corrections overlap everywhere, and some output."""
    chance = random.Random(1)
    words = [f"w{number}" for number in range(20)]
    tokens = tuple(chance.choices(words, k=n_tokens))
    readings = []
    for annotator in range(n_annotators):
        edits = {}
        for _ in range(n_edits):
            start = chance.randrange(n_tokens)
            end = min(n_tokens, start + chance.randrange(4))
            new = tuple(chance.choices(words, k=chance.randrange(3)))
            edits[start, end] = Edit(start, end, (new,))
        readings.append(Annotation(str(annotator), tuple(edits[span] for span in sorted(edits))))
    hypothesis = tuple(chance.choice(words) if chance.random() < 0.3 else token for token in tokens)
    return Sentence(tokens, tuple(readings)), hypothesis


@pytest.mark.parametrize("shape", [(60, 16, 20), (200, 16, 60), (30, 8, 60), (12, 30, 12)])
@pytest.mark.parametrize("limit", [1, 10**6])
def test_imeasure_limit_bounds_the_work(shape: tuple[int, int, int], limit: int) -> None:
    """Without steps in every loop the first of these would take minutes, whatever the limit."""
    sent, hypothesis = entangled_case(*shape)
    start = time.process_time()
    score = IMeasure(limit=limit).score(Corpus((sent,)), Hypothesis("h", (hypothesis,)))
    assert time.process_time() - start < 5
    assert score.parts["limited"] == 1
    (note,) = score.notes
    assert note.startswith(
        "the search for the best reference was cut short in 1 sentence (number 1)"
    )
    assert f"|limit:{limit}|limited:1|" in score.signature


@pytest.mark.parametrize("shape", [(60, 16, 20), (40, 12, 14), (30, 8, 60), (12, 30, 12)])
@pytest.mark.parametrize("maximize", ["wacc", "i"])
@pytest.mark.parametrize("limit", [10**7, 10**8])
def test_imeasure_limit_bounds_the_sum_of_all_stages(
    shape: tuple[int, int, int],
    maximize: Maximized,
    limit: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = []

    def spied(*arguments: Any) -> Any:
        found = best_references(*arguments)
        taken.extend(found[-1].tolist())
        return found

    monkeypatch.setattr("geceval.kernels.imeasure.best_reference.best_references", spied)
    sent, hypothesis = entangled_case(*shape)
    lattice = mixed_references(sent, most_steps=limit // 2)
    assert 0 < lattice.n_steps <= limit // 2
    metric = IMeasure(limit=limit, maximize=maximize)
    metric.score(Corpus((sent,)), Hypothesis("h", (hypothesis,)))
    (steps,) = taken
    # The last step may be a large one, which is counted before it is taken.
    assert lattice.n_steps < steps <= 1.1 * limit


def test_imeasure_limit_counts_every_kind_of_loop() -> None:
    """Many states and very many ties."""
    chance = random.Random(3)
    words = [f"w{number}" for number in range(6)]
    tokens = tuple(chance.choices(words, k=100))
    readings = [
        Annotation(
            str(number),
            tuple(Edit(at, at + 1, ((chance.choice(words),),)) for at in range(0, 99, 2)),
        )
        for number in range(4)
    ]
    corpus = Corpus((Sentence(tokens, (*readings, Annotation("none"))),))
    hypothesis = Hypothesis("h", (tuple(chance.choices(words, k=100)),))
    for maximize in ("wacc", "i", "tp"):
        start = time.process_time()
        score = IMeasure(limit=10**6, maximize=maximize).score(corpus, hypothesis)
        assert time.process_time() - start < 5
        assert score.parts["limited"] == 1


def test_imeasure_notes_name_the_sentences_that_reached_the_limit() -> None:
    hard, output = entangled_case(60, 16, 20)
    easy = Sentence(("a", "b"), (Annotation("0", (Edit(0, 1, (("c",),)),)),))
    sentences = [easy] * 40
    outputs: list[Tokens] = [("c", "b")] * 40
    for place in range(1, 40, 1 + 40 // 25):
        sentences[place], outputs[place] = hard, output
    score = IMeasure(limit=10_000).score(Corpus(tuple(sentences)), Hypothesis("h", tuple(outputs)))
    limited = np.flatnonzero(score.sentences.parts["limited"]).tolist()
    assert limited == list(range(1, 40, 2))
    assert score.parts["limited"] == len(limited)
    assert f"(number {', '.join(str(place + 1) for place in limited)})" in score.notes[0]
    exact = IMeasure(limit=10_000).score(Corpus((easy,)), Hypothesis("h", (("c", "b"),)))
    assert exact.notes == ()
    assert "limited" not in exact.signature
