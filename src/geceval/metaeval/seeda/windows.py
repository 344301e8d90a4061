"""Window analysis: whether a metric still agrees with people where systems are close."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from geceval.errors import GecevalError
from geceval.metaeval.correlation import Correlation, kendall, pearson, spearman
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbors in a human ranking, and how a metric ranks them.

    Parameters
    ----------
    metric
        What the metric is called.
    size
        How many systems there are.
    start
        Rank of the best of them, 1 for the best of all.
    systems
        The systems, best first.
    pearson, spearman, kendall
        Correlations of the metric with the human scores.
    """

    metric: str
    size: int
    start: int
    systems: tuple[str, ...]
    pearson: Correlation
    spearman: Correlation
    kendall: Correlation


def sliding_windows(
    metric: MetricScores, ranking: Ranking, systems: Sequence[str], size: int
) -> Iterator[Window]:
    """Correlate a metric with people on each `size` neighbors, from the best to the worst."""
    if not 3 <= size <= len(systems):
        message = f"a window holds 3 to {len(systems)} of {len(systems)} systems, not {size}"
        raise GecevalError(message)
    ranked = [name for name in ranking.scores if name in systems]
    for start in range(len(ranked) - size + 1):
        window = tuple(ranked[start : start + size])
        automatic, human = metric.of(window), ranking.of(window)
        yield Window(
            metric.title,
            size,
            start + 1,
            window,
            pearson(automatic, human),
            spearman(automatic, human),
            kendall(automatic, human),
        )
