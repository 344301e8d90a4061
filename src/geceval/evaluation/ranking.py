"""Ranks, ranges of ranks and clusters of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from geceval.evaluation.resampling import Comparison


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """Rank systems by score, the best first; ties share a rank.

    Examples
    --------
    >>> ranks({"a": 0.3, "b": 0.5, "c": 0.3, "d": 0.1})
    {'a': 2, 'b': 1, 'c': 2, 'd': 4}
    """
    values = [-math.inf if math.isnan(score) else score for score in scores.values()]
    return {
        name: 1 + sum(other > own for other in values)
        for name, own in zip(scores, values, strict=True)
    }


@dataclass(frozen=True, slots=True)
class RankRange:
    """The ranks that a system may have, and its cluster.

    Parameters
    ----------
    best, worst
        Bounds of the range, 1 for the best rank.
    cluster
        Number of the cluster, 1 for the best.
    """

    best: int
    worst: int
    cluster: int


def rank_ranges(
    scores: Mapping[str, float], comparisons: Sequence[Comparison], *, level: float
) -> dict[str, RankRange]:
    """Compute the range of ranks and the cluster of each system from paired tests.

    The best rank is one plus the number of systems that are significantly better (p, adjusted by
    Holm's method, below ``1 - level``), the worst is the number of systems minus those that are
    significantly worse. From the best score to the worst, a cluster ends only where every system
    above is significantly better than every system below. Pairs without a comparison do not
    differ significantly.

    Two systems of the same cluster may still differ significantly.

    Examples
    --------
    >>> from geceval.metrics.statistics import Interval
    >>> scores = {"a": 0.3, "b": 0.5, "c": 0.1}
    >>> zero = Interval(0.0, 0.0, 0.95)
    >>> def tests(p_values):
    ...     return [
    ...         Comparison(one, other, scores[other] - scores[one], zero, p, p)
    ...         for (one, other), p in p_values.items()
    ...     ]
    >>> p_values = {("a", "b"): 0.2, ("a", "c"): 0.01, ("b", "c"): 0.01}
    >>> for name, found in rank_ranges(scores, tests(p_values), level=0.95).items():
    ...     print(name, found)
    a RankRange(best=1, worst=2, cluster=1)
    b RankRange(best=1, worst=2, cluster=1)
    c RankRange(best=3, worst=3, cluster=2)

    A chain of close systems is one cluster, although the first and the last of them differ:

    >>> p_values = {("a", "b"): 0.2, ("a", "c"): 0.2, ("b", "c"): 0.01}
    >>> for name, found in rank_ranges(scores, tests(p_values), level=0.95).items():
    ...     print(name, found)
    a RankRange(best=1, worst=3, cluster=1)
    b RankRange(best=1, worst=2, cluster=1)
    c RankRange(best=2, worst=3, cluster=1)

    References
    ----------
    Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    better: dict[str, set[str]] = {name: set() for name in scores}
    worse: dict[str, set[str]] = {name: set() for name in scores}
    for row in comparisons:
        if row.is_significant(level):
            winner, loser = row.second, row.first
            if row.difference < 0:
                winner, loser = loser, winner
            better[loser].add(winner)
            worse[winner].add(loser)
    rank = ranks(scores)
    order = sorted(scores, key=rank.__getitem__)
    found: dict[str, RankRange] = {}
    cluster = 1
    for place, name in enumerate(order):
        above, below = order[:place], order[place:]
        if above and all(worse[one].issuperset(below) for one in above):
            cluster += 1
        found[name] = RankRange(1 + len(better[name]), len(scores) - len(worse[name]), cluster)
    return {name: found[name] for name in scores}
