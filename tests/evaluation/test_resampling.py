"""Confidence intervals and paired tests."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from geceval import Corpus, GecevalError, Hypothesis, UnknownNameError
from geceval.evaluation import resampling
from geceval.evaluation.resampling import (
    Resampling,
    Test,
    bootstrap,
    compare,
    holm,
    paired_p_value,
    random_swaps,
    resampled_rows,
)
from geceval.metrics.base import Metric
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Rows, Score, SentenceScores, Statistics


class Mean(Metric):
    """A metric of one column: its score is the mean, for which theory knows the answers."""

    name = "mean"
    title = "mean"
    columns = ("value",)

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        raise AssertionError(corpus, hypothesis)

    def aggregate(self, statistics: Statistics) -> Score:
        values = statistics.counts[:, 0, 0].astype(float)
        chosen = np.zeros(len(values), dtype=np.int64)
        view = SentenceScores(chosen, values, {})
        return Score(self.name, float(values.mean()), {}, self.signature(statistics), view)

    def settings(self) -> dict[str, object]:
        return {}


class QuickMean(Mean):
    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        values: NDArray[np.float64] = statistics.counts[:, 0, 0].astype(float)
        means: NDArray[np.float64] = values[rows].mean(axis=1)
        return means


def values(numbers: list[float] | NDArray[np.float64]) -> Statistics:
    array = np.asarray(numbers, dtype=np.float64).reshape(-1, 1, 1)
    mask = np.ones(array.shape[:2], dtype=bool)
    return Statistics(array, mask, ("value",), ("0",), Provenance.of([((), ())] * len(array)))


def test_bootstrap_of_a_mean_has_the_width_that_theory_gives() -> None:
    sample = np.random.default_rng(7).normal(10, 2, size=400)
    interval = bootstrap(QuickMean(), values(sample), resampling=Resampling(4000))
    half = 1.96 * sample.std() / np.sqrt(len(sample))
    assert interval.low == pytest.approx(sample.mean() - half, abs=0.03)
    assert interval.high == pytest.approx(sample.mean() + half, abs=0.03)
    assert interval.level == 0.95


def test_bootstrap_is_the_same_for_a_seed_and_for_a_plain_metric() -> None:
    statistics = values([1.0, 5.0, 2.0, 8.0])
    first = bootstrap(Mean(), statistics, resampling=Resampling(50, seed=3))
    assert first == bootstrap(Mean(), statistics, resampling=Resampling(50, seed=3))
    assert first == bootstrap(QuickMean(), statistics, resampling=Resampling(50, seed=3))
    assert first != bootstrap(Mean(), statistics, resampling=Resampling(50, seed=4))


def test_bootstrap_levels_nest() -> None:
    statistics = values(list(range(30)))
    wide = bootstrap(QuickMean(), statistics, resampling=Resampling(level=0.99))
    narrow = bootstrap(QuickMean(), statistics, resampling=Resampling(level=0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("options", [{"level": 1.0}, {"level": 0.0}, {"n": 0}])
def test_bootstrap_bad_options(options: dict[str, float]) -> None:
    with pytest.raises(GecevalError):
        bootstrap(QuickMean(), values([1.0, 2.0]), resampling=Resampling(**options))  # type: ignore[arg-type]


def test_bootstrap_needs_sentences() -> None:
    with pytest.raises(GecevalError, match="no sentences"):
        bootstrap(QuickMean(), values([]))


def test_resampled_rows_keep_the_order_of_sentences() -> None:
    rows = np.concatenate(resampled_rows(20, Resampling(1500, seed=1)))
    assert rows.shape == (1500, 20)
    assert (np.diff(rows, axis=1) >= 0).all()
    assert set(np.unique(rows)) == set(range(20))


@pytest.mark.parametrize("n_sents", [1, 2, 300])
def test_large_samples_are_stored_as_occurrences(
    n_sents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many sentences or of few, which are then the same again and again."""
    expected = resampling.ResampledRows(n_sents, Resampling(40))
    monkeypatch.setattr(resampling, "_SHARED", 0)
    monkeypatch.setattr(resampling, "_DRAWN_TOGETHER", 700)
    monkeypatch.setattr(resampling, "_CHUNK_SIZE", 9 * n_sents)
    rows = resampling.ResampledRows(n_sents, Resampling(40))
    assert [chunk.dtype for chunk in rows] == [np.dtype(np.int64)] * 5
    assert np.array_equal(np.concatenate(rows[:]), np.concatenate(expected))
    assert np.array_equal(rows[-1], rows[4])
    with pytest.raises(IndexError):
        rows[5]


def test_occurrences_may_be_many() -> None:
    rows = np.array([[0] * 300, list(range(300))])
    found = resampling.occurrences(rows)
    assert found.dtype == np.uint16
    assert found[0].tolist() == [300] + [0] * 299
    assert found[1].tolist() == [1] * 300


@pytest.mark.parametrize("test", get_args(Test))
def test_paired_tests_tell_clear_from_no_difference(test: Test) -> None:
    rng = np.random.default_rng(5)
    base = rng.normal(0, 1, size=200)
    better = values(base + 0.3 + rng.normal(0, 0.1, size=200))
    same = values(base + rng.normal(0, 0.1, size=200))
    how = Resampling(test=test)
    clear = paired_p_value(QuickMean(), values(base), better, resampling=how)
    assert clear == pytest.approx(1 / 1001)
    assert paired_p_value(QuickMean(), values(base), same, resampling=how) > 0.05


def test_randomization_of_few_sentences_equals_all_swaps() -> None:
    """With four sentences there are 16 ways to swap them: 2 are as extreme as the observed."""
    first, second = values([0.0, 0.0, 0.0, 0.0]), values([1.0, 2.0, 3.0, 4.0])
    found = paired_p_value(QuickMean(), first, second, resampling=Resampling(20_000))
    assert found == pytest.approx(2 / 16, abs=0.01)


def test_randomization_p_is_uniform_for_equal_systems() -> None:
    rng = np.random.default_rng(11)
    p_values = []
    for seed in range(150):
        first, second = values(rng.normal(size=30)), values(rng.normal(size=30))
        p_values.append(
            paired_p_value(QuickMean(), first, second, resampling=Resampling(200, seed=seed))
        )
    assert np.mean(np.array(p_values) < 0.1) == pytest.approx(0.1, abs=0.07)
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.08)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_at_least_the_raw_value_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(after >= before for before, after in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_compare_all_pairs_and_baseline() -> None:
    rng = np.random.default_rng(2)
    base = rng.normal(size=100)
    systems = {
        "a": values(base),
        "b": values(base + 1),
        "c": values(base + rng.normal(0, 0.01, size=100)),
    }
    found = compare(QuickMean(), systems, resampling=Resampling(500))
    assert [(row.first, row.second) for row in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found[0].difference == pytest.approx(1.0)
    assert found[0].interval.low == pytest.approx(1.0)
    assert found[0].p_value == pytest.approx(1 / 501)
    assert found[0].adjusted_p_value == pytest.approx(3 / 501)
    assert found[1].p_value > 0.05
    only = compare(QuickMean(), systems, baseline="b", resampling=Resampling(500, test="bootstrap"))
    assert [(row.first, row.second) for row in only] == [("b", "a"), ("b", "c")]


def test_compare_bad_input() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ours'"):
        compare(QuickMean(), {"ours": values([1.0]), "b": values([2.0])}, baseline="our")
    with pytest.raises(GecevalError, match="two systems"):
        compare(QuickMean(), {"a": values([1.0])})


def test_resamples_do_not_depend_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(resampled_rows(30, Resampling(50)))
    flags = np.concatenate([swaps.flags for swaps in random_swaps(31, Resampling(50))])
    monkeypatch.setattr(resampling, "_CHUNK_SIZE", 100)
    chunks = resampling.ResampledRows(30, Resampling(50))
    assert [len(chunk) for chunk in chunks] == [3] * 16 + [2]
    assert np.array_equal(np.concatenate(chunks), whole)
    again = [swaps.flags for swaps in random_swaps(31, Resampling(50))]
    assert [len(chunk) for chunk in again] == [12] * 4 + [2]
    assert np.array_equal(np.concatenate(again), flags)


def test_large_samples_are_shared_as_long_as_they_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = np.concatenate(resampled_rows(30, Resampling(50)))
    monkeypatch.setattr(resampling, "_SHARED", 0)
    rows = resampled_rows(30, Resampling(50))
    assert np.array_equal(np.concatenate(rows), shared)
    assert resampled_rows(30, Resampling(50)) is rows
    assert resampled_rows(30, Resampling(51)) is not rows
    del rows
    assert (30, Resampling(50)) not in resampling._rows_in_use
