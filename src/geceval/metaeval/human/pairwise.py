"""Pairwise accuracy of metrics, by how far apart people put two systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from geceval.evaluation.ranking import RankRange
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking

PARTS = ("nearest third", "middle third", "farthest third")


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Pairs of systems whose human scores are about equally far apart, and a metric.

    Parameters
    ----------
    name
        Name of the group.
    low, high
        Smallest and largest difference of human scores.
    n
        Number of pairs.
    agreed
        Pairs that the metric orders as people do.
    ties
        Pairs with equal scores of the metric, which are not agreed.
    """

    name: str
    low: float
    high: float
    n: int
    agreed: int
    ties: int

    @property
    def accuracy(self) -> float:
        """The share of pairs that the metric orders as people do."""
        return self.agreed / self.n if self.n else math.nan


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Pairwise accuracy of one metric: all pairs, thirds, and pairs of different clusters."""

    metric: str
    title: str
    groups: tuple[PairGroup, ...]


def pairwise_accuracy(
    metric: MetricScores,
    ranking: Ranking,
    systems: Sequence[str],
    ranges: Mapping[str, RankRange] | None = None,
) -> PairwiseAccuracy:
    """Compare the order of two systems by a metric with that by people.

    The pairs are divided into thirds by the difference of human scores. Pairs of equal human
    scores are ignored.

    Parameters
    ----------
    metric, ranking
        Scores of the metric and of people.
    systems
        The systems to compare.
    ranges
        Clusters of systems; if given, there is a group of pairs from different clusters.

    References
    ----------
    Kocmi et al. (2021), To Ship or Not to Ship: An Extensive Evaluation of Automatic Metrics for
    Machine Translation, WMT.

    Examples
    --------
    >>> human = Ranking("x", {"A": 3.0, "B": 1.0, "C": 0.5})
    >>> metric = MetricScores("m", "M", {"A": 0.9, "B": 0.1, "C": 0.2}, {}, "")
    >>> found = pairwise_accuracy(metric, human, ["A", "B", "C"])
    >>> [(group.name, group.agreed, group.n) for group in found.groups[:2]]
    [('all', 2, 3), ('nearest third', 0, 1)]
    """
    pairs = []
    for first, second in combinations(systems, 2):
        apart = ranking.scores[first] - ranking.scores[second]
        if apart:
            difference = metric.scores[first] - metric.scores[second]
            other_cluster = ranges is not None and ranges[first].cluster != ranges[second].cluster
            pairs.append((abs(apart), float(np.sign(difference) * np.sign(apart)), other_cluster))
    pairs.sort(key=lambda pair: pair[0])
    thirds = [pairs[part * len(pairs) // 3 : (part + 1) * len(pairs) // 3] for part in range(3)]
    groups = [("all", pairs), *zip(PARTS, thirds, strict=True)]
    if ranges is not None:
        groups.append(("different clusters", [pair for pair in pairs if pair[2]]))
    return PairwiseAccuracy(
        metric.name, metric.title, tuple(_group(name, found) for name, found in groups)
    )


def _group(name: str, pairs: Sequence[tuple[float, float, bool]]) -> PairGroup:
    sizes = [size for size, _, _ in pairs]
    return PairGroup(
        name,
        min(sizes, default=math.nan),
        max(sizes, default=math.nan),
        len(pairs),
        sum(sign > 0 for _, sign, _ in pairs),
        sum(sign == 0 for _, sign, _ in pairs),
    )
