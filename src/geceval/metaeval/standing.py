"""Metrics against people: the scores of both, and how they go together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from geceval.evaluate import Job, evaluate
from geceval.metaeval.agreement import Concordance
from geceval.metaeval.correlation import (
    COEFFICIENTS,
    Correlation,
    Williams,
    interval,
    pearson,
    williams,
)
from geceval.metaeval.rankings import Ranking
from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis
from geceval.stats import DEFAULT_RESAMPLES, DEFAULT_SEED, Interval


@dataclass(frozen=True, slots=True)
class MetricScores:
    """What a metric says of systems.

    Parameters
    ----------
    name, title
        Name of the metric, and what people call it.
    scores
        The score of each system.
    sentences
        The score of each sentence, by system; empty where only systems are scored.
    signature
        Everything that could change the scores, in one line.
    """

    name: str
    title: str
    scores: Mapping[str, float]
    sentences: Mapping[str, NDArray[np.float64]]
    signature: str

    def of(self, systems: Sequence[str]) -> list[float]:
        """Return the scores of `systems`."""
        return [self.scores[name] for name in systems]


def score_subsets(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    subsets: Sequence[Sequence[int]],
    *,
    progress: Callable[[Sequence[Job]], Iterable[Job]] = iter,
) -> list[list[MetricScores]]:
    """Score systems on several choices of sentences, counting each sentence once.

    Parameters
    ----------
    corpus
        The gold standard.
    hypotheses
        The systems.
    metrics
        The metrics.
    subsets
        Numbers of sentences, in order; for each the scores of all metrics are returned.
    progress
        Wraps the list of jobs to show how many are done.
    """
    union = sorted({number for subset in subsets for number in subset})
    place = {number: row for row, number in enumerate(union)}
    results = evaluate(
        Corpus(tuple(corpus.sentences[number] for number in union), corpus.name),
        [
            Hypothesis(one.name, tuple(one.sentences[number] for number in union))
            for one in hypotheses
        ],
        metrics,
        n_resamples=0,
        progress=progress,
    )
    found = []
    for subset in subsets:
        rows = np.array([place[number] for number in subset], dtype=np.int64)
        scored = []
        for metric in metrics:
            scores = {
                result.system: metric.aggregate(result.statistics.take(rows))
                for result in results
                if result.metric is metric
            }
            scored.append(
                MetricScores(
                    metric.name,
                    metric.title,
                    {name: score.value for name, score in scores.items()},
                    {name: score.sentences.values for name, score in scores.items()},
                    next((score.signature for score in scores.values()), ""),
                )
            )
        found.append(scored)
    return found


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
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Standing:
    """Correlate a metric with a human ranking of `systems`."""
    human, automatic = ranking.of(systems), metric.of(systems)
    return Standing(
        metric.name,
        metric.title,
        {name: function(automatic, human) for name, function in COEFFICIENTS.items()},
        {
            name: interval(name, automatic, human, n_resamples=n_resamples, seed=seed)
            for name in COEFFICIENTS
        },
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
