"""Window analysis: correlation over adjacent systems of a human ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from geceval.errors import GecevalError
from geceval.metaeval.correlation import Correlation, coefficients
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking


@dataclass(frozen=True, slots=True)
class Window:
    """Adjacent systems of a human ranking, and the correlation of a metric over them.

    Parameters
    ----------
    metric
        Title of the metric.
    size
        Number of systems.
    start
        Rank of the best of them.
    systems
        The systems, best first.
    coefficients
        Correlations of the metric with the human scores, by name.
    """

    metric: str
    size: int
    start: int
    systems: tuple[str, ...]
    coefficients: Mapping[str, Correlation]


def sliding_windows(
    metric: MetricScores, ranking: Ranking, systems: Sequence[str], size: int
) -> Iterator[Window]:
    """Correlate a metric with a human ranking in all windows of `size`, best first."""
    if not 3 <= size <= len(systems):
        message = f"a window holds 3 to {len(systems)} of {len(systems)} systems, not {size}"
        raise GecevalError(message)
    ranked = [name for name in ranking.scores if name in systems]
    for start in range(len(ranked) - size + 1):
        window = tuple(ranked[start : start + size])
        found = coefficients(metric.of(window), ranking.of(window))
        yield Window(metric.title, size, start + 1, window, found)
