"""Scores of all systems and baselines by all metrics, with intervals and paired tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from geceval.engines.blas import one_blas_thread
from geceval.evaluation.background import Background, Contest
from geceval.evaluation.evaluate import Result, statistics_of
from geceval.evaluation.resampling import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Comparison,
    Interval,
    Test,
    compare,
    enough_resamples,
    interval,
    resampled_rows,
    sample,
)
from geceval.metrics._shared.edits import RunningF
from geceval.metrics.base import Metric, Rows, Score, Statistics, check_lengths, f_score
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.report.baselines import Contestant, contestants

Item = TypeVar("Item")

SHARES = ("precision", "recall")
"""Parts of a score that get intervals of their own."""

PART_RESAMPLES = 200
"""Resamples for them, where a metric has no quick way to resample parts."""


class Progress(Protocol):
    """Passes items on, and shows how many of a stage are done."""

    def __call__(self, items: Sequence[Item], stage: str) -> Iterable[Item]:
        """Pass the items of a stage on."""


def silent(items: Sequence[Item], stage: str) -> Iterable[Item]:  # noqa: ARG001
    """Show nothing."""
    return items


@dataclass(frozen=True, slots=True)
class Chance:
    """How intervals and tests are made.

    Parameters
    ----------
    n_resamples
        Resamples for the intervals; with 0 there are no intervals and no tests.
    level
        Confidence level.
    seed
        Random seed.
    test
        Paired test.
    """

    n_resamples: int = DEFAULT_RESAMPLES
    level: float = DEFAULT_LEVEL
    seed: int = DEFAULT_SEED
    test: Test = "randomization"

    def test_resamples(self, n_systems: int) -> int:
        """Return how many resamples the tests of all pairs take, for them to show anything."""
        n_pairs = n_systems * (n_systems - 1) // 2
        if not self.n_resamples or not n_pairs:
            return 0
        return max(self.n_resamples, enough_resamples(n_pairs, self.level))


@dataclass(slots=True)
class Scoring:
    """What one metric says of all systems and, NaN where it cannot tell, of all baselines."""

    metric: Metric
    results: dict[str, Result] = field(default_factory=dict)
    part_intervals: dict[str, dict[str, Interval]] = field(default_factory=dict)
    comparisons: list[Comparison] = field(default_factory=list)
    baselines: list[float] = field(default_factory=list)


def score_all(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    chance: Chance,
    *,
    missing: MissingPolicy = "absent",
    jobs: int = 1,
    progress: Progress = silent,
) -> tuple[list[Scoring], list[Contestant]]:
    """Score systems and baselines.

    Parameters
    ----------
    corpus
        The gold standard.
    hypotheses
        The systems.
    metrics
        The metrics.
    chance
        How intervals and tests are made.
    missing
        How an annotator without a line is read where annotators are held against each other.
    jobs
        With more than one, metrics that hold up all else count in other processes meanwhile.
    progress
        Shows how far it is.
    """
    baselines = list(contestants(corpus, missing=missing))
    contests: list[Contest] = [(corpus, hypothesis) for hypothesis in hypotheses]
    for contest in contests:
        check_lengths(*contest)
    contests += [(one.corpus, one.output) for one in baselines]
    # The floor comes before the ceilings, which say nothing where there are no references.
    alone = contests[: len(hypotheses) + 1]
    found: dict[str, Scoring] = {}
    with one_blas_thread(), Background(alone, metrics, jobs=jobs) as background:
        # Those that are counted elsewhere come last, when they may be ready.
        for metric in sorted(metrics, key=background.__contains__):
            if metric in background:
                counted = progress([background], f"waiting for {metric.title}")
                counts = [count for one in counted for count in one.take(metric)]
            else:
                own = contests if metric.needs_references else alone
                stage = f"counting for {metric.title}"
                counts = [statistics_of(metric, *contest) for contest in progress(own, stage)]
            scoring = _scored(metric, hypotheses, counts, chance, progress)
            scoring.baselines += [math.nan] * (len(baselines) - len(scoring.baselines))
            found[metric.name] = scoring
    return [found[metric.name] for metric in metrics], baselines


def _scored(
    metric: Metric,
    hypotheses: Sequence[Hypothesis],
    counts: Sequence[Statistics],
    chance: Chance,
    progress: Progress,
) -> Scoring:
    """Make scores, intervals and tests of the counts of systems and, after them, baselines."""
    scoring = Scoring(metric)
    systems = {one.name: count for one, count in zip(hypotheses, counts, strict=False)}
    scoring.baselines = [metric.aggregate(count).value for count in counts[len(systems) :]]
    samples: dict[str, NDArray[np.float64]] = {}
    test_resamples = chance.test_resamples(len(systems))
    n_resamples = chance.n_resamples
    if chance.test == "bootstrap":
        n_resamples = max(n_resamples, test_resamples)
    if n_resamples:
        samples = sample(
            metric,
            systems,
            n_resamples=n_resamples,
            seed=chance.seed,
            progress=lambda names: progress(names, f"resampling for {metric.title}"),
        )
        scoring.part_intervals = _part_intervals(metric, systems, chance)
    for name, count in systems.items():
        score = metric.aggregate(count)
        reach = interval(samples[name], chance.level, around=score.value) if samples else None
        scoring.results[name] = Result(name, metric, score, reach, count)
    if samples and len(systems) > 1:
        scoring.comparisons = compare(
            metric,
            systems,
            test=chance.test,
            n_resamples=test_resamples,
            level=chance.level,
            seed=chance.seed,
            samples=samples,
            progress=lambda pairs: progress(pairs, f"comparing by {metric.title}"),
        )
    return scoring


def parts_shown(metric: Metric, score: Score) -> tuple[str, ...]:
    """Return the parts of a score that tables show."""
    return metric.table_parts or tuple(score.parts)


def _part_intervals(
    metric: Metric, systems: Mapping[str, Statistics], chance: Chance
) -> dict[str, dict[str, Interval]]:
    """Return intervals of precision and recall, where tables show that a metric has them."""
    some = next(iter(systems.values()))
    if not set(SHARES) <= set(parts_shown(metric, metric.aggregate(some))):
        return {}
    n_resamples = chance.n_resamples
    if not isinstance(metric, RunningF):
        n_resamples = min(PART_RESAMPLES, n_resamples)
    rows = np.concatenate(resampled_rows(len(some), n_resamples, chance.seed))
    found = {}
    for name, count in systems.items():
        values = dict(zip(SHARES, _sampled_parts(metric, count, rows), strict=True))
        parts = metric.aggregate(count).parts
        found[name] = {
            part: interval(values[part], chance.level, around=float(parts[part])) for part in SHARES
        }
    return found


def _sampled_parts(
    metric: Metric, statistics: Statistics, rows: Rows
) -> Sequence[NDArray[np.float64]]:
    """Return precision and recall of many choices of sentences."""
    if isinstance(metric, RunningF):
        totals = metric.choice(statistics).resample(rows)
        return f_score(*totals.T, beta=metric.beta)[:2]
    parts = [metric.aggregate(statistics.take(choice)).parts for choice in rows]
    return [np.array([part[name] for part in parts], dtype=np.float64) for name in SHARES]
