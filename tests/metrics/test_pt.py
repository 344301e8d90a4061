"""Weighted edits: against the oracle, and against the numbers of gec-metrics and PT-M2."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
from geceval import Annotation, Corpus, Edit, GecevalError, Hypothesis, Sentence
from geceval.errors import OptionError
from geceval.evaluation.resampling import Resampling, bootstrap, compare
from geceval.formats import load, load_hypothesis
from geceval.kernels.weighted_totals import choose_weighted
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.metrics.pt import PtErrant, PtM2
from geceval.model import Tokens
from oracles import edit_weights as oracle

TOLERANCE = 1e-9
SYSTEMS = ("AMU", "CUUI", "IITB", "RAC", "UFC")
ALL_SYSTEMS = (*SYSTEMS, "CAMB", "NTHU", "PKU")


def words(text: str) -> Tokens:
    return tuple(text.split())


def keys(edits: Sequence[Any]) -> list[oracle.PlainEdit]:
    return [(edit.start, edit.end, edit.correction) for edit in edits]


# The oracle.


@pytest.mark.parametrize("beta", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_pt_errant_equals_the_oracle(seed: int, beta: float) -> None:
    corpus = made_up.corpus(25, annotators=("0", "1"), seed=seed)
    hypothesis = made_up.system(corpus, f"{seed}", skill=0.6, noise=0.3)
    metric = PtErrant(scorer="lev", lang="plain", beta=beta)
    score = metric.score(corpus, hypothesis)
    sums = [
        [
            oracle.errant_sums(
                sent.tokens,
                keys(view.edits),
                keys(view.annotation.edits),
                partial(oracle.lev, reference=reference),
            )
            for view in views
            for reference in [oracle.applied(sent.tokens, keys(view.annotation.edits))]
        ]
        for sent, views in zip(corpus, metric.all_edits(corpus, hypothesis), strict=True)
    ]
    totals, chosen = oracle.choose(sums, oracle.errant_order, beta)
    assert [score.parts[name] for name in ("tp", "fp", "fn")] == pytest.approx(totals)
    assert score.sentences.chosen.tolist() == chosen
    assert score.value == pytest.approx(oracle.errant_order(totals, beta)[0])
    alone = [max(oracle.errant_order(one, beta) for one in own)[0] for own in sums]
    assert score.parts[f"mean_sentence_F{beta:g}"] == pytest.approx(np.mean(alone))


@pytest.mark.parametrize("seed", range(4))
def test_pt_m2_equals_the_oracle(seed: int) -> None:
    corpus = made_up.corpus(25, annotators=("0", "1"), seed=seed)
    hypothesis = made_up.system(corpus, f"{seed}", skill=0.6, noise=0.3)
    views = M2().all_edits(corpus, hypothesis)

    def sums(*, alone: bool) -> list[list[oracle.Sums]]:
        return [
            [
                oracle.m2_sums(
                    sent.tokens,
                    keys(view.edits),
                    keys([edit for edit in view.edits if edit.is_correct]),
                    keys(view.annotation.edits),
                    partial(oracle.lev, reference=reference),
                    alone=alone,
                )
                for view in own
                for reference in [oracle.applied(sent.tokens, keys(view.annotation.edits))]
            ]
            for sent, own in zip(corpus, views, strict=True)
        ]

    totals, chosen = oracle.choose(sums(alone=False), oracle.m2_order, 0.5)
    score = PtM2(scorer="lev").score(corpus, hypothesis)
    assert [score.parts[name] for name in ("correct", "proposed", "gold")] == pytest.approx(totals)
    assert score.sentences.chosen.tolist() == chosen
    alone = [max(oracle.m2_order(one, 0.5) for one in own)[0] for own in sums(alone=True)]
    by_sentence = PtM2(scorer="lev", average="sentence").score(corpus, hypothesis)
    assert by_sentence.value == pytest.approx(np.mean(alone))
    assert by_sentence.sentences.values.tolist() == pytest.approx(alone)
    assert by_sentence.parts["F0.5"] == pytest.approx(score.value)
    assert score.parts["mean_sentence_F0.5"] == pytest.approx(by_sentence.value)


SUMS = st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0, 0.1])] * 3)


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(SUMS, min_size=n, max_size=n), min_size=1, max_size=10)
    ),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.booleans(),
)
def test_weighted_choice_equals_the_oracle(
    sums: list[list[oracle.Sums]], beta: float, by_errors: bool
) -> None:
    if not by_errors:
        sums = [[(min(one), one[1], one[2]) for one in own] for own in sums]
    array = np.array(sums)
    rows = np.array([range(len(sums)), range(len(sums))[::-1]])
    mask = np.ones(array.shape[:2], dtype=np.uint8)
    totals, chosen = choose_weighted(array, mask, rows, beta, by_errors=by_errors)
    order = oracle.errant_order if by_errors else oracle.m2_order
    for number, given_order in enumerate((sums, sums[::-1])):
        expected = oracle.choose(given_order, order, beta)
        assert totals[number].tolist() == list(expected[0])
        assert chosen[number].tolist() == expected[1]


def test_weighted_choice_of_nothing() -> None:
    totals, chosen = choose_weighted(
        np.ones((2, 1, 3)),
        np.array([[1], [0]], dtype=np.uint8),
        np.array([[1, 0, 1]]),
        0.5,
        by_errors=True,
    )
    assert (totals.tolist(), chosen.tolist()) == ([[1, 1, 1]], [[-1, 0, -1]])
    with pytest.raises(IndexError, match="rows must be sentences"):
        choose_weighted(
            np.ones((2, 1, 3)), np.ones((2, 1), np.uint8), np.array([[2]]), 0.5, by_errors=True
        )
    empty = np.zeros((0, 0, 3))
    totals, _ = choose_weighted(
        empty, np.zeros((0, 0), np.uint8), np.zeros((1, 0), np.int64), 0.5, by_errors=True
    )
    assert totals.tolist() == [[0, 0, 0]]


# Rules.


def test_pt_with_equal_weights_is_the_metric_itself() -> None:
    corpus = made_up.corpus(60, annotators=("0", "1"), seed=7)
    hypothesis = made_up.system(corpus, "7")
    for weighted, plain in (
        (PtM2(scorer="self"), M2()),
        (PtErrant(scorer="self", lang="plain"), Errant(lang="plain", auto_gold=True)),
    ):
        score, expected = weighted.score(corpus, hypothesis), plain.score(corpus, hypothesis)
        assert score.value == pytest.approx(expected.value, abs=1e-12)
        assert "scorer:self|" in score.signature


def test_pt_an_edit_that_makes_it_worse_weighs_too() -> None:
    corpus = Corpus.from_texts(["I like it ."], ["I like it ."])
    score = PtErrant(scorer="lev", lang="plain").score(
        corpus, Hypothesis.from_texts(["I hate it ."])
    )
    assert score.parts["fp"] == pytest.approx(3 / 11)
    assert (score.parts["P"], score.value) == (0, 0)


def test_pt_errant_equal_insertions_count_twice_and_in_pt_m2_once() -> None:
    """Two commas at one place: a list in gec-metrics, a set in PT-M2."""
    comma = Edit(1, 1, ((",",),))
    twice = Sentence(words("Well I go"), (Annotation("0", (comma, comma)),))
    output = Hypothesis("h", (words("Well , , I go"),))
    corpus = Corpus((twice,))
    views = [[(1, 1, (",",)), (1, 1, (",",))]]
    metric = PtErrant(scorer="lev", lang="plain", merge="all-split")
    assert [keys(view.edits) for view in metric.all_edits(corpus, output)[0]] == views
    one = 2 / 13
    assert metric.score(corpus, output).parts["tp"] == pytest.approx(2 * one)
    compat = PtErrant(scorer="lev", lang="plain", merge="all-split", compat="pt-m2")
    assert compat.score(corpus, output).parts["correct"] == pytest.approx(one)


class Blind:
    """A scorer that sees no difference."""

    signature = "blind"

    def score(self, sources: Any, outputs: Any, references: Any) -> list[float]:  # noqa: ARG002
        return [0.5] * len(outputs)


class Broken(Blind):
    signature = "broken"

    def score(self, sources: Any, outputs: Any, references: Any) -> list[float]:  # noqa: ARG002
        return [float("nan")] * len(outputs)


class Short(Blind):
    signature = "short"

    def score(self, sources: Any, outputs: Any, references: Any) -> list[float]:  # noqa: ARG002
        return [0.5]


def test_pt_a_scorer_that_sees_nothing_forgives_all_but_in_sentences_of_pt_m2() -> None:
    corpus = Corpus.from_texts(["I likes it .", "He go ."], ["I like it .", "He goes ."])
    output = Hypothesis.from_texts(["I like them .", "He went ."])
    assert PtErrant(scorer=Blind(), lang="plain").score(corpus, output).value == 1
    score = PtM2(scorer=Blind()).score(corpus, output)
    assert score.value == 1
    expected = M2().statistics(corpus, output)
    alone = M2().independent_sentence_scores(expected)
    assert score.parts["mean_sentence_F0.5"] == pytest.approx(alone.mean())
    by_sentence = PtM2(scorer=Blind()).for_sentences()
    found = by_sentence.independent_sentence_scores(by_sentence.statistics(corpus, output))
    assert found.tolist() == pytest.approx(alone.tolist())


def test_pt_scorers_that_fail_are_named() -> None:
    corpus = Corpus.from_texts(["I likes it ."], ["I like it ."])
    output = Hypothesis.from_texts(["I like them ."])
    with pytest.raises(GecevalError, match="the scorer broken gives nan for the sentence 'I "):
        PtM2(scorer=Broken()).score(corpus, output)
    with pytest.raises(GecevalError, match="the scorer short gave 1 scores for 3 sentences"):
        PtErrant(scorer=Short(), lang="plain").score(corpus, output)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "pt-m2: the option scorer takes a metric: a scorer is one metric, not ''"),
        ("all", "a scorer is one metric, not 'all'"),
        ("gleu,bleu", "a scorer is one metric, not 'gleu,bleu'"),
        ("gleu(order=7)", "gleu: the option order takes an integer from 1 to 4, not 7"),
        ("gleu(ordr=3)", "gleu: unknown option 'ordr'"),
        ("levv", "unknown metric 'levv'"),
    ],
)
def test_pt_scorer_that_is_none(spec: str, message: str) -> None:
    with pytest.raises((OptionError, GecevalError), match=message.replace("(", r"\(")):
        PtM2(scorer=spec)


def test_pt_each_text_is_scored_once() -> None:
    seen: list[tuple[Tokens, Tokens, Tokens]] = []

    class Counting(Blind):
        def score(self, sources: Any, outputs: Any, references: Any) -> list[float]:
            seen.extend(zip(sources, outputs, references, strict=True))
            return [float(len(output)) for output in outputs]

    corpus = made_up.corpus(30, annotators=("0", "1"))
    metric = PtM2(scorer=Counting())
    for name in ("one", "other", "one"):
        metric.score(corpus, made_up.system(corpus, name))
    assert len(seen) == len(set(seen))


def test_pt_errant_needs_only_texts_and_marks_edits() -> None:
    corpus = Corpus.from_texts(["I likes it ."], ["I like them ."], ["I like it ."])
    output = Hypothesis.from_texts(["I like it ."])
    metric = PtErrant(scorer="lev", lang="plain")
    score = metric.score(corpus, output)
    assert score.value == 1
    (view,) = metric.marked_edits(corpus, output, score)
    assert view is not None
    assert (view.annotation.annotator, [edit.gold for edit in view.edits]) == ("1", [0])
    assert not PtErrant.needs_edits
    weights = metric.weights(corpus, output)
    assert weights[0][0].keys() == {(1, 2, ("like",)), (2, 3, ("them",))}


def test_pt_intervals_and_paired_tests() -> None:
    corpus = made_up.corpus(80, annotators=("0", "1"), seed=3)
    metric = PtM2(scorer="lev")
    good, poor = (
        metric.statistics(corpus, made_up.system(corpus, "x", skill=skill, noise=noise))
        for skill, noise in ((0.9, 0.05), (0.1, 0.6))
    )
    interval = bootstrap(metric, good, resampling=Resampling(200))
    assert interval.low < metric.aggregate(good).value < interval.high
    difference = compare(metric, {"poor": poor, "good": good}, resampling=Resampling(200))[0]
    assert difference.difference > 0
    assert difference.p_value < 0.05


# The numbers of the original programs.


def rows(path: Path) -> Iterator[dict[str, str]]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    yield from csv.DictReader(text.splitlines(), delimiter="\t")


@pytest.fixture(scope="module")
def conll(shared_data: Path) -> Path:
    return shared_data / "conll14"


@pytest.fixture(scope="module")
def texts(conll: Path) -> Corpus:
    pytest.importorskip("spacy")
    names = ("systems/INPUT", "gold/official-2014.ref0", "gold/official-2014.ref1")
    return load(*(str(conll / f"{name}.txt") for name in names), text=True)


@pytest.fixture(scope="module")
def outputs(conll: Path) -> dict[str, Hypothesis]:
    return {name: load_hypothesis(str(conll / f"systems/{name}.txt")) for name in SYSTEMS}


@pytest.mark.parametrize(
    ("scorer", "systems"),
    [
        ("lev", ("AMU", "IITB")),
        ("gleu", ("CUUI", "IITB")),
        ("chrf", ("IITB", "UFC")),
        *(
            pytest.param(scorer, ALL_SYSTEMS, marks=pytest.mark.reproduce)
            for scorer in ("lev", "gleu", "chrf")
        ),
    ],
)
def test_pt_errant_on_conll(
    conll: Path, texts: Corpus, scorer: str, systems: tuple[str, ...]
) -> None:
    """Totals, precision, recall, F and sentence means of gec-metrics 0.1.2 and of PT-M2."""
    outputs = {name: load_hypothesis(str(conll / f"systems/{name}.txt")) for name in systems}
    metric, compat = PtErrant(scorer=scorer), PtErrant(scorer=scorer, compat="pt-m2")
    names = ("tp", "fp", "fn", "P", "R", "F0.5", "mean_sentence_F0.5")
    for row in rows(conll / "scores" / "pterrant-system.tsv"):
        if row["scorer"] != scorer or row["system"] not in outputs:
            continue
        score = metric.score(texts, outputs[row["system"]])
        assert score.value == pytest.approx(float(row["F0.5"]), abs=TOLERANCE)
        for name in names:
            assert score.parts[name] == pytest.approx(float(row[name]), abs=TOLERANCE)
        score = compat.score(texts, outputs[row["system"]])
        assert score.value == pytest.approx(float(row["ptm2_F0.5"]), abs=TOLERANCE)
        mean = score.parts["mean_sentence_F0.5"]
        assert mean == pytest.approx(float(row["ptm2_sentence_mean"]), abs=TOLERANCE)
        assert score.parts["P"] == pytest.approx(float(row["ptm2_P"]), abs=TOLERANCE)


def test_pt_errant_sums_weights_and_sentences_on_conll(
    conll: Path, texts: Corpus, outputs: dict[str, Hypothesis]
) -> None:
    metric = PtErrant(scorer="lev")
    systems = ("AMU",)
    sums = {name: metric.statistics(texts, outputs[name]) for name in systems}
    for row in rows(conll / "scores" / "pterrant-counts.tsv.gz"):
        if row["scorer"] == "lev" and row["system"] in systems:
            found = sums[row["system"]].counts[int(row["sent"]), int(row["ref"])]
            expected = [float(row[name]) for name in ("tp", "fp", "fn")]
            assert found.tolist() == pytest.approx(expected, abs=TOLERANCE)
    weights = {name: metric.weights(texts, outputs[name]) for name in systems}
    for row in rows(conll / "scores" / "pterrant-weights-lev.tsv.gz"):
        if row["system"] in systems:
            own = weights[row["system"]][int(row["sent"])][int(row["ref"])]
            key = int(row["start"]), int(row["end"]), words(row["correction"])
            assert own[key] == pytest.approx(float(row["weight"]), abs=TOLERANCE)
    compat = PtErrant(scorer="lev", compat="pt-m2").for_sentences()
    alone = {
        name: (
            metric.independent_sentence_scores(sums[name]),
            compat.independent_sentence_scores(compat.statistics(texts, outputs[name])),
        )
        for name in systems
    }
    for row in rows(conll / "scores" / "pterrant-sentence.tsv.gz"):
        if row["scorer"] == "lev" and row["system"] in systems:
            found = [one[int(row["sent"])] for one in alone[row["system"]]]
            expected = [float(row["F0.5"]), float(row["ptm2_F0.5"])]
            assert found == pytest.approx(expected, abs=TOLERANCE)


@pytest.fixture(scope="module")
def gold(conll: Path) -> Corpus:
    return load(str(conll / "gold" / "official-2014.combined.m2"))


@pytest.fixture(scope="module")
def m2_sums(gold: Corpus, outputs: dict[str, Hypothesis]) -> dict[tuple[str, str], Any]:
    metrics = {name: PtM2(scorer=name) for name in ("self", "lev", "gleu")}
    return {
        (system, scorer): metric.statistics(gold, outputs[system])
        for scorer, metric in metrics.items()
        for system in ("AMU", "CUUI", "IITB", "RAC", "UFC")
    }


def test_pt_m2_sums_on_conll(conll: Path, m2_sums: dict[tuple[str, str], Any]) -> None:
    """All but a few of PT-M2: of several edit sequences that are best for M², it may take another.

    Which of them the official scorer takes depends on the rounding of its sums and on the order
    of its edges. Only proposed edits can differ, in 22 of 12,000 pairs of output and annotator.
    """
    different = set()
    n_rows = 0
    for row in rows(conll / "scores" / "ptm2-counts.tsv.gz"):
        if (row["system"], row["scorer"]) not in m2_sums:
            continue
        n_rows += 1
        statistics = m2_sums[row["system"], row["scorer"]]
        place = statistics.references.index(row["annotator"])
        found = statistics.counts[int(row["sent"]), place].tolist()
        correct, proposed, wanted = (float(row[name]) for name in ("correct", "proposed", "gold"))
        assert [found[0], found[2]] == pytest.approx([correct, wanted], abs=TOLERANCE)
        if found[1] != pytest.approx(proposed, abs=TOLERANCE):
            different.add((row["system"], row["sent"], row["annotator"]))
    assert n_rows == 24_000
    assert len(different) <= 22


EXACT = {("AMU", "gleu"), ("IITB", "lev"), ("IITB", "gleu"), ("UFC", "lev"), ("UFC", "gleu")}
"""Where no edit sequence that was chosen has an equally good one."""


def test_pt_m2_scores_on_conll(conll: Path, m2_sums: dict[tuple[str, str], Any]) -> None:
    for row in rows(conll / "scores" / "ptm2-system.tsv"):
        system, scorer = row["system"], row["scorer"]
        if (system, scorer) not in m2_sums:
            continue
        score = PtM2(scorer=scorer).aggregate(m2_sums[system, scorer])
        found = [score.value, *(score.parts[name] for name in ("P", "R"))]
        found.append(score.parts["mean_sentence_F0.5"])
        names = ("F0.5", "P", "R", "mean_sentence_F0.5")
        is_exact = scorer == "self" or (system, scorer) in EXACT
        tolerance = TOLERANCE if is_exact else 5e-4
        assert found == pytest.approx([float(row[name]) for name in names], abs=tolerance)
