"""The order of systems: ranks, and clusters that are clearly apart from each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from geceval.evaluation.resampling import Comparison


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """Rank systems by score, the best first; those with one score share a rank.

    Examples
    --------
    >>> ranks({"a": 0.3, "b": 0.5, "c": 0.3, "d": 0.1})
    {'a': 2, 'b': 1, 'c': 2, 'd': 4}
    """
    known = [-math.inf if math.isnan(score) else score for score in scores.values()]
    return {
        name: 1 + sum(other > own for other in known)
        for name, own in zip(scores, known, strict=True)
    }


def clusters(
    scores: Mapping[str, float], comparisons: Sequence[Comparison], *, level: float
) -> dict[str, int]:
    """Put systems into clusters, the best being 1.

    The systems are taken from the best to the worst. One that is significantly worse than every
    system of the current cluster (p, adjusted by Holm's method, below ``1 - level``) opens the
    next cluster; any other joins the current one. Without comparisons all are in one cluster.

    A system is in the cluster of those above it because *some* difference to them may be chance.
    Two systems of one cluster may differ significantly nevertheless.

    Examples
    --------
    >>> from geceval.evaluation.resampling import Interval
    >>> scores = {"a": 0.3, "b": 0.5, "c": 0.1}
    >>> nothing = Interval(0.0, 0.0, 0.95)
    >>> p_values = {("a", "b"): 0.2, ("a", "c"): 0.01, ("b", "c"): 0.01}
    >>> tests = [Comparison(*pair, 0.0, nothing, p, p) for pair, p in p_values.items()]
    >>> clusters(scores, tests, level=0.95)
    {'a': 1, 'b': 1, 'c': 2}

    In a chain, neighbors may be equal and its ends differ:

    >>> p_values = {("a", "b"): 0.2, ("a", "c"): 0.2, ("b", "c"): 0.01}
    >>> tests = [Comparison(*pair, 0.0, nothing, p, p) for pair, p in p_values.items()]
    >>> clusters(scores, tests, level=0.95)
    {'a': 1, 'b': 1, 'c': 1}
    """
    apart = {
        frozenset((row.first, row.second))
        for row in comparisons
        if row.adjusted_p_value < 1 - level and math.isfinite(row.difference)
    }
    place = ranks(scores)
    found: dict[str, int] = {}
    current: list[str] = []
    number = 1
    for name in sorted(scores, key=place.__getitem__):
        if current and all(frozenset((name, other)) in apart for other in current):
            number += 1
            current = []
        current.append(name)
        found[name] = number
    return {name: found[name] for name in scores}
