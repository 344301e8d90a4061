"""Metrics against people: how the scores of both go together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Interval, Resampling
from geceval.metaeval.correlation import (
    COEFFICIENTS,
    Correlation,
    Williams,
    interval,
    pearson,
    williams,
)
from geceval.metaeval.human.agreement import Concordance
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking


@dataclass(frozen=True, slots=True)
class Standing:
    """How a metric goes together with human scores.

    Parameters
    ----------
    metric, title
        The metric.
    correlations, intervals
        By the name of the coefficient, over systems.
    concordance
        Against preferences in single sentences, where the metric scores these.
    """

    metric: str
    title: str
    correlations: Mapping[str, Correlation]
    intervals: Mapping[str, Interval]
    concordance: Concordance | None = None


def standing(
    metric: MetricScores,
    ranking: Ranking,
    systems: Sequence[str],
    concordance: Concordance | None = None,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Standing:
    """Correlate a metric with a human ranking of `systems`."""
    human, automatic = ranking.of(systems), metric.of(systems)
    return Standing(
        metric.name,
        metric.title,
        {name: function(automatic, human) for name, function in COEFFICIENTS.items()},
        {name: interval(name, automatic, human, resampling=resampling) for name in COEFFICIENTS},
        concordance,
    )


def falling(value: float) -> tuple[bool, float]:
    """Sort key: the highest first, and what is undefined last."""
    return (math.isnan(value), -value)


@dataclass(frozen=True, slots=True)
class Difference:
    """Whether one metric's correlation with people is more than another's."""

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
        first, second = sorted((one, other), key=lambda metric: falling(r[metric.name]))
        between = pearson(first.of(systems), second.of(systems)).value
        test = williams(r[first.name], r[second.name], between, len(systems))
        yield Difference(first.title, second.title, r[first.name], r[second.name], test)
