"""Correlation of metric scores with human rankings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

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
from geceval.metaeval.human.permutation import Permutation, permutation_tests
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
    resampled
        What the intervals were resampled from: ``"systems"``, or ``"sentences and systems"``.
    """

    metric: str
    title: str
    coefficients: Mapping[str, Correlation]
    intervals: Mapping[str, Interval]
    concordance: Concordance | None = None
    resampled: str = "systems"


def correlate(
    metric: MetricScores,
    ranking: Ranking,
    systems: Sequence[str],
    concordance: Concordance | None = None,
    *,
    human: Mapping[str, NDArray[np.float64]] | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> MetricCorrelation:
    """Correlate a metric with a human ranking of `systems`.

    Parameters
    ----------
    metric, ranking, systems
        The scores, and the systems to correlate.
    concordance
        Agreement with preferences in sentences.
    human
        Human scores in the resamples of sentences of `MetricScores.samples`, by system. If both
        are there, intervals are over sentences and systems, otherwise over systems only.
    resampling
        Settings of the intervals.
    """
    goal, automatic = ranking.of(systems), metric.of(systems)
    samples = None
    if metric.samples and human:
        samples = _columns(metric.samples, systems), _columns(human, systems)
        # A ranking may be undefined in some of the resamples, but not in most of them.
        if np.isfinite(samples[1]).all(axis=1).mean() < 0.5:
            samples = None
    return MetricCorrelation(
        metric.name,
        metric.title,
        coefficients(automatic, goal),
        {
            name: interval(name, automatic, goal, samples=samples, resampling=resampling)
            for name in COEFFICIENTS
        },
        concordance,
        "systems" if samples is None else "sentences and systems",
    )


def _columns(
    samples: Mapping[str, NDArray[np.float64]], systems: Sequence[str]
) -> NDArray[np.float64]:
    return np.stack([samples[name] for name in systems], axis=1)


def descending(value: float) -> tuple[bool, float]:
    """Return a sort key for descending order, NaN last."""
    return (math.isnan(value), -value)


@dataclass(frozen=True, slots=True)
class Difference:
    """Tests of two metrics' correlations with human scores.

    Parameters
    ----------
    first, second
        Titles of the metrics, the higher correlation first.
    r_first, r_second
        Their Pearson correlations.
    test
        Williams' test.
    permutation
        Permutation test by means of sentence scores; None if a metric has none.
    """

    first: str
    second: str
    r_first: float
    r_second: float
    test: Williams
    permutation: Permutation | None = None


def differences(
    metrics: Sequence[MetricScores],
    ranking: Ranking,
    systems: Sequence[str],
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Iterator[Difference]:
    """Compare the Pearson correlations of all pairs of metrics, the higher one first."""
    human = ranking.of(systems)
    r = {metric.name: pearson(metric.of(systems), human).value for metric in metrics}
    ordered = sorted(metrics, key=lambda metric: descending(r[metric.name]))
    detailed = [metric for metric in ordered if metric.sentences]
    tables = [np.array([metric.sentences[name] for name in systems]) for metric in detailed]
    place = {metric.name: number for number, metric in enumerate(detailed)}
    permuted = permutation_tests(tables, human, resampling=resampling)
    rank = {metric.name: number for number, metric in enumerate(ordered)}
    for pair in combinations(metrics, 2):
        first, second = sorted(pair, key=lambda metric: rank[metric.name])
        between = pearson(first.of(systems), second.of(systems)).value
        yield Difference(
            first.title,
            second.title,
            r[first.name],
            r[second.name],
            williams(r[first.name], r[second.name], between, len(systems)),
            permuted.get((place.get(first.name, -1), place.get(second.name, -1))),
        )
