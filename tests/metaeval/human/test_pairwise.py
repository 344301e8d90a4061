"""Pairwise accuracy by distance."""

from __future__ import annotations

import math

from geceval.evaluation.ranking import RankRange
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.pairwise import PARTS, pairwise_accuracy
from geceval.metaeval.human.rankings import Ranking

HUMAN = Ranking("x", {"A": 10.0, "B": 9.0, "C": 5.0, "D": 0.0, "E": 0.0})


def test_pairwise_accuracy_by_hand() -> None:
    """The metric confuses A and B, which are close, and does not tell B from C."""
    metric = MetricScores("m", "M", {"A": 2.0, "B": 3.0, "C": 3.0, "D": 1.0, "E": 0.5}, {}, "")
    ranges = {name: RankRange(1, 1, cluster) for name, cluster in zip("ABCDE", (1, 1, 1, 2, 2))}  # noqa: B905
    found = pairwise_accuracy(metric, HUMAN, "ABCDE", ranges)
    groups = {group.name: group for group in found.groups}
    assert list(groups) == ["all", *PARTS, "different clusters"]
    # D and E are equal for people. A-B, A-C and B-C are wrong or tied.
    assert (groups["all"].n, groups["all"].agreed, groups["all"].ties) == (9, 6, 1)
    near = groups["nearest third"]
    assert (near.low, near.high, near.n, near.agreed) == (1.0, 5.0, 3, 0)
    assert groups["different clusters"].accuracy == 1.0
    assert groups["different clusters"].n == 6


def test_pairwise_accuracy_without_pairs_is_undefined() -> None:
    metric = MetricScores("m", "M", {"D": 1.0, "E": 0.5}, {}, "")
    found = pairwise_accuracy(metric, HUMAN, "DE")
    assert found.groups[0].n == 0
    assert math.isnan(found.groups[0].accuracy)
    assert math.isnan(found.groups[1].low)


def test_pairwise_accuracy_of_an_undefined_metric() -> None:
    metric = MetricScores("m", "M", dict.fromkeys("ABC", math.nan), {}, "")
    group = pairwise_accuracy(metric, HUMAN, "ABC").groups[0]
    assert (group.agreed, group.n) == (0, 3)
