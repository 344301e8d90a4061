"""Ranks, ranges of ranks, clusters and the agreement of metrics."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import made_up
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.ranking import RankRange, rank_ranges, ranks
from geceval.evaluation.resampling import Comparison, Resampling
from geceval.metrics.statistics import Interval
from geceval.report.metric_agreement import agreement, midranks, spearman
from geceval.report.score_records import group_by_metric

NOTHING = Interval(0.0, 0.0, 0.95)


def compared(p_values: dict[tuple[str, str], float], scores: dict[str, float]) -> list[Comparison]:
    return [
        Comparison(one, other, scores[other] - scores[one], NOTHING, p, p)
        for (one, other), p in p_values.items()
    ]


def clusters(scores: dict[str, float], tests: list[Comparison], level: float) -> dict[str, int]:
    return {name: one.cluster for name, one in rank_ranges(scores, tests, level=level).items()}


def test_clusters_end_where_all_above_are_better_than_all_below() -> None:
    scores = {"d": 0.1, "a": 0.4, "c": 0.2, "b": 0.3}
    p_values = dict.fromkeys(combinations("abcd", 2), 0.01) | {("a", "b"): 0.3, ("b", "c"): 0.2}
    # c is worse than a, but not surely worse than b: it joins both.
    tests = compared(p_values, scores)
    assert clusters(scores, tests, 0.95) == {"d": 2, "a": 1, "c": 1, "b": 1}
    assert clusters(scores, tests, 0.75) == {"d": 3, "a": 1, "c": 2, "b": 1}
    # b is worse than a, but d is not: nothing ends between them.
    tests = compared(dict.fromkeys(combinations("abcd", 2), 0.01) | {("a", "d"): 0.3}, scores)
    assert set(clusters(scores, tests, 0.95).values()) == {1}


def test_rank_ranges_without_tests_are_all_ranks() -> None:
    assert rank_ranges({"a": 0.4, "b": 0.1}, [], level=0.95) == {
        "a": RankRange(1, 2, 1),
        "b": RankRange(1, 2, 1),
    }


@st.composite
def systems_with_tests(draw: st.DrawFn) -> tuple[dict[str, float], list[Comparison]]:
    """Return scores with ties and unknown ones, and comparisons in any direction."""
    values = draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4, math.nan]), max_size=6))
    scores = {f"s{number}": value for number, value in enumerate(values)}
    p_values = {
        draw(st.sampled_from([pair, pair[::-1]])): draw(st.sampled_from([0.01, 0.05, 0.3]))
        for pair in combinations(scores, 2)
    }
    return scores, compared(p_values, scores)


@given(systems_with_tests())
def test_rank_ranges_equal_a_count(given: tuple[dict[str, float], list[Comparison]]) -> None:
    scores, tests = given
    p_values = {frozenset((one.first, one.second)): one.adjusted_p_value for one in tests}

    def beats(one: str, other: str) -> bool:
        return (
            one != other
            and scores[one] > scores[other]
            and p_values[frozenset((one, other))] < 1 - 0.95
        )

    found = rank_ranges(scores, tests, level=0.95)
    assert list(found) == list(scores)
    for name, own in found.items():
        assert own.best == 1 + sum(beats(other, name) for other in scores)
        assert own.worst == len(scores) - sum(beats(name, other) for other in scores)
        assert own.best <= ranks(scores)[name] <= own.worst
    # A cut is valid if every pair across it is decided; clusters count the valid cuts above.
    order = sorted(scores, key=ranks(scores).__getitem__)
    cuts = [
        cut
        for cut in range(1, len(order))
        if all(beats(one, other) for one in order[:cut] for other in order[cut:])
    ]
    for place, name in enumerate(order):
        assert found[name].cluster == 1 + sum(cut <= place for cut in cuts)


def test_ranks_put_what_is_not_known_last() -> None:
    assert ranks({"a": math.nan, "b": -3.0, "c": 0.5, "d": math.nan}) == {
        "a": 3,
        "b": 2,
        "c": 1,
        "d": 3,
    }


@given(
    arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(2, 12)), elements=st.integers(0, 5))
)
def test_spearman_equals_that_of_scipy(
    table: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = spearman(table)
    for one, other in np.ndindex(found.shape):
        if len(set(table[one])) == 1 or len(set(table[other])) == 1:
            assert math.isnan(found[one, other])
        else:
            expected = stats.spearmanr(table[one], table[other]).statistic
            assert found[one, other] == pytest.approx(expected)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_midranks_sum_to_what_ranks_sum_to(values: list[int]) -> None:
    found = midranks(np.array(values, dtype=np.float64))
    assert found.sum() == pytest.approx(len(values) * (len(values) + 1) / 2)


@pytest.mark.parametrize(("n_systems", "is_enough"), [(3, False), (4, True)])
def test_agreement_over_systems_needs_four(n_systems: int, is_enough: bool) -> None:
    gold = made_up.corpus(20)
    names = [f"system {number}" for number in range(n_systems)]
    metrics = make_metrics(["m2", "gleu"], {})
    systems = made_up.systems(gold, *names)
    results = evaluate(gold, systems, metrics, resampling=Resampling(0))
    found = agreement(group_by_metric(results))
    assert found["metrics"] == ["m2", "gleu"]
    assert (found["systems"] is not None) == is_enough
    matrix = found["sentences"]
    assert matrix[0][0] == matrix[1][1] == 1
    assert matrix[0][1] == matrix[1][0]
