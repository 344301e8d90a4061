"""Slices: each is scored as a corpus of its own."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import made_up
from geceval.errors import MismatchError
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.resampling import Resampling, compare
from geceval.evaluation.slices import compare_slices, score_slices, slice_rows
from geceval.formats.labels import Labeling
from geceval.model import Corpus, Hypothesis

QUICK = Resampling(200)
METRICS = ("m2", "gleu", "sari")


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return made_up.corpus(60)


@pytest.fixture(scope="module")
def labeling() -> Labeling:
    chance = random.Random(1)
    return Labeling("level", tuple(chance.choice("ABC") for _ in range(60)))


def part_of(gold: Corpus, rows: np.ndarray) -> Corpus:
    return replace(gold, sentences=tuple(gold.sentences[row] for row in rows))


def test_slices_equal_scoring_each_by_itself(gold: Corpus, labeling: Labeling) -> None:
    """Scores, parts and intervals are those of a file with the sentences of a slice."""
    hypotheses = made_up.systems(gold, "good", "bad")
    metrics = make_metrics(METRICS)
    for result in evaluate(gold, hypotheses, metrics, resampling=QUICK):
        found = score_slices(result, labeling, resampling=QUICK)
        assert [one.label for one in found.slices] == ["A", "B", "C"]
        [hypothesis] = [one for one in hypotheses if one.name == result.system]
        for one, rows in zip(found.slices, slice_rows(labeling).values(), strict=True):
            output = Hypothesis("own", tuple(hypothesis.sentences[row] for row in rows))
            [own] = evaluate(part_of(gold, rows), [output], [result.metric], resampling=QUICK)
            assert (one.n_sents, one.value) == (len(rows), own.score.value)
            assert (one.parts, one.interval) == (own.score.parts, own.interval)
        mean = np.mean([one.value for one in found.slices])
        assert found.macro.value == pytest.approx(mean)
        assert found.macro.interval is not None
        assert found.macro.interval.low <= mean <= found.macro.interval.high


def test_macro_interval_has_the_width_that_theory_gives(gold: Corpus) -> None:
    """Slices vary independently, so that the variance of the mean is that of a sum."""
    chance = random.Random(2)
    labels = Labeling("x", tuple(chance.choice("ab") for _ in range(60)))
    how = Resampling(4000, level=0.6826895)
    [result] = evaluate(gold, made_up.systems(gold, "good"), make_metrics(["m2"]), resampling=how)
    found = score_slices(result, labels, resampling=how)
    widths = []
    for one in (*found.slices, found.macro):
        assert one.interval is not None
        widths.append((one.interval.high - one.interval.low) / 2)
    expected = np.sqrt(widths[0] ** 2 + widths[1] ** 2) / 2
    assert widths[2] == pytest.approx(expected, rel=0.1)


def test_compare_slices_equals_comparing_each_by_itself(gold: Corpus, labeling: Labeling) -> None:
    hypotheses = made_up.systems(gold, "a", "b", "c")
    [metric] = make_metrics(["m2"])
    systems = {one.name: metric.statistics(gold, one) for one in hypotheses}
    found = compare_slices(metric, systems, labeling, resampling=QUICK)
    for label, rows in slice_rows(labeling).items():
        own = {name: counts.take(rows) for name, counts in systems.items()}
        expected = compare(metric, own, resampling=QUICK)
        rows_found = [one.comparison for one in found if one.label == label]
        for one, other in zip(rows_found, expected, strict=True):
            assert replace(one, adjusted_p_value=other.adjusted_p_value) == other
            assert one.adjusted_p_value >= one.p_value
    macro = [one.comparison for one in found if one.label is None]
    for one in macro:
        slices = [
            other.comparison.difference
            for other in found
            if other.label is not None
            and (other.comparison.first, other.comparison.second) == (one.first, one.second)
        ]
        assert one.difference == pytest.approx(np.mean(slices))
        assert one.interval.low <= one.difference <= one.interval.high
    assert len(found) == 3 * 4


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_compare_slices_of_equal_systems(gold: Corpus, labeling: Labeling, test: str) -> None:
    [metric] = make_metrics(["m2"])
    counts = metric.statistics(gold, made_up.system(gold, "a"))
    how = Resampling(50, test=test)  # type: ignore[arg-type]
    for one in compare_slices(metric, {"a": counts, "b": counts}, labeling, resampling=how):
        assert one.comparison.difference == 0
        assert one.comparison.p_value == 1.0


def test_one_slice_is_the_corpus(gold: Corpus) -> None:
    labels = Labeling("all", ("x",) * 60)
    [result] = evaluate(gold, made_up.systems(gold, "a"), make_metrics(["m2"]), resampling=QUICK)
    found = score_slices(result, labels, resampling=QUICK)
    assert found.slices[0].value == found.macro.value == result.score.value
    assert found.slices[0].interval == found.macro.interval == result.interval


def test_slices_of_one_sentence_have_no_interval(gold: Corpus) -> None:
    labels = Labeling("x", ("a", *("b",) * 59))
    [result] = evaluate(gold, made_up.systems(gold, "a"), make_metrics(["m2"]), resampling=QUICK)
    found = score_slices(result, labels, resampling=QUICK)
    assert [one.interval is None for one in found.slices] == [True, False]
    assert score_slices(result, labels, resampling=Resampling(0)).macro.interval is None


def test_slices_of_another_number_of_sentences(gold: Corpus) -> None:
    [result] = evaluate(gold, made_up.systems(gold, "a"), make_metrics(["m2"]), resampling=QUICK)
    with pytest.raises(MismatchError, match="60 sentences but the labeling 'x' has 2"):
        score_slices(result, Labeling("x", ("a", "b")))
    with pytest.raises(MismatchError):
        compare_slices(result.metric, {"a": result.statistics}, Labeling("x", ("a", "b")))


def test_slices_are_in_numeric_order() -> None:
    assert list(slice_rows(Labeling("x", ("10", "b", "9", "a")))) == ["9", "10", "a", "b"]
