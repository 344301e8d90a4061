"""Correlation of metric scores with human rankings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.metaeval.correlation import (
    COEFFICIENTS,
    Correlation,
    Williams,
    coefficients,
    interval,
    pearson,
    williams,
)
from geceval.metaeval.human.agreement import Concordance
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking
from geceval.metrics.statistics import Interval


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """The correlation of a metric with human scores.

    Parameters
    ----------
    metric, title
        The metric.
    coefficients, intervals
        Coefficients over systems and their intervals, by name.
    concordance
        Agreement with preferences in sentences, if the metric scores sentences.
    """

    metric: str
    title: str
    coefficients: Mapping[str, Correlation]
    intervals: Mapping[str, Interval]
    concordance: Concordance | None = None


def correlate(
    metric: MetricScores,
    ranking: Ranking,
    systems: Sequence[str],
    concordance: Concordance | None = None,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> MetricCorrelation:
    """Correlate a metric with a human ranking of `systems`."""
    human, automatic = ranking.of(systems), metric.of(systems)
    return MetricCorrelation(
        metric.name,
        metric.title,
        coefficients(automatic, human),
        {name: interval(name, automatic, human, resampling=resampling) for name in COEFFICIENTS},
        concordance,
    )


def descending(value: float) -> tuple[bool, float]:
    """Return a sort key for descending order, NaN last."""
    return (math.isnan(value), -value)


@dataclass(frozen=True, slots=True)
class Difference:
    """Williams' test of two metrics' correlations with human scores."""

    first: str
    second: str
    r_first: float
    r_second: float
    test: Williams


def differences(
    metrics: Sequence[MetricScores], ranking: Ranking, systems: Sequence[str]
) -> Iterator[Difference]:
    """Compare the Pearson correlations of all pairs of metrics, the higher one first."""
    human = ranking.of(systems)
    r = {metric.name: pearson(metric.of(systems), human).value for metric in metrics}
    for one, other in combinations(metrics, 2):
        first, second = sorted((one, other), key=lambda metric: descending(r[metric.name]))
        between = pearson(first.of(systems), second.of(systems)).value
        test = williams(r[first.name], r[second.name], between, len(systems))
        yield Difference(first.title, second.title, r[first.name], r[second.name], test)
