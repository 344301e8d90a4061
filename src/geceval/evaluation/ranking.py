"""Ranks and clusters of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

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


def clusters(
    scores: Mapping[str, float], comparisons: Sequence[Comparison], *, level: float
) -> dict[str, int]:
    """Group systems into clusters, numbered from the best.

    From the best to the worst, a system that is significantly worse than every system of the
    current cluster (p, adjusted by Holm's method, below ``1 - level``) starts the next cluster.
    Any other joins the current one. Without comparisons there is one cluster.

    Two systems of the same cluster may still differ significantly.

    Examples
    --------
    >>> from geceval.metrics.statistics import Interval
    >>> scores = {"a": 0.3, "b": 0.5, "c": 0.1}
    >>> zero = Interval(0.0, 0.0, 0.95)
    >>> p_values = {("a", "b"): 0.2, ("a", "c"): 0.01, ("b", "c"): 0.01}
    >>> tests = [Comparison(*pair, 0.0, zero, p, p) for pair, p in p_values.items()]
    >>> clusters(scores, tests, level=0.95)
    {'a': 1, 'b': 1, 'c': 2}

    The first and the last system of a cluster may differ significantly:

    >>> p_values = {("a", "b"): 0.2, ("a", "c"): 0.2, ("b", "c"): 0.01}
    >>> tests = [Comparison(*pair, 0.0, zero, p, p) for pair, p in p_values.items()]
    >>> clusters(scores, tests, level=0.95)
    {'a': 1, 'b': 1, 'c': 1}
    """
    significant = {
        frozenset((row.first, row.second))
        for row in comparisons
        if row.adjusted_p_value < 1 - level and math.isfinite(row.difference)
    }
    rank = ranks(scores)
    found: dict[str, int] = {}
    current: list[str] = []
    number = 1
    for name in sorted(scores, key=rank.__getitem__):
        if current and all(frozenset((name, other)) in significant for other in current):
            number += 1
            current = []
        current.append(name)
        found[name] = number
    return {name: found[name] for name in scores}
