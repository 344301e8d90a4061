"""Scores of all systems and baselines by all metrics, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from geceval.engines.blas import one_blas_thread
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import Result, evaluate, refuse
from geceval.evaluation.resampling import (
    Comparison,
    Interval,
    Resampling,
    compare,
    interval,
    resampled_rows,
)
from geceval.metrics.base import Metric, check_lengths
from geceval.metrics.statistics import Score
from geceval.model import Corpus, Hypothesis

SHARES = ("precision", "recall")
"""Parts of a score that get intervals of their own."""


@dataclass(slots=True)
class Scoring:
    """Results of one metric: of all systems, and the scores of the baselines it applies to."""

    metric: Metric
    results: dict[str, Result] = field(default_factory=dict)
    part_intervals: dict[str, dict[str, Interval]] = field(default_factory=dict)
    comparisons: list[Comparison] = field(default_factory=list)
    baselines: dict[str, float] = field(default_factory=dict)


def score_all(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    resampling: Resampling,
    *,
    baselines: Sequence[Entry] = (),
    jobs: int = 1,
    on_fault: Callable[[str], object] = refuse,
    progress: Progress = silent,
) -> list[Scoring]:
    """Score systems and baselines, with intervals of parts and paired tests.

    Parameters
    ----------
    corpus, hypotheses, metrics, baselines, jobs, on_fault, progress
        As for `evaluate`.
    resampling
        Settings of intervals and tests; tests of many pairs take more resamples.
    """
    for hypothesis in hypotheses:
        check_lengths(corpus, hypothesis)
    tests = resampling.for_tests(len(hypotheses))
    # A paired bootstrap tests the differences of the samples behind the intervals.
    is_bootstrap = tests.n and resampling.test == "bootstrap"
    with one_blas_thread():
        results = evaluate(
            corpus,
            hypotheses,
            metrics,
            resampling=tests if is_bootstrap else resampling,
            baselines=baselines,
            jobs=jobs,
            on_fault=on_fault,
            progress=progress,
        )
        return [
            _scoring(
                metric,
                [one for one in results if one.metric is metric],
                resampling,
                tests,
                progress,
            )
            for metric in metrics
        ]


def _scoring(
    metric: Metric,
    results: Sequence[Result],
    resampling: Resampling,
    tests: Resampling,
    progress: Progress,
) -> Scoring:
    systems = {one.system: one for one in results if one.kind == "system"}
    scoring = Scoring(metric, systems)
    scoring.baselines = {one.system: one.score.value for one in results if one.kind != "system"}
    if resampling.n:
        scoring.part_intervals = _part_intervals(metric, systems, resampling)
    if tests.n:
        scoring.comparisons = compare(
            metric,
            {name: one.statistics for name, one in systems.items()},
            resampling=tests,
            samples={name: one.samples for name, one in systems.items() if one.samples is not None},
            progress=progress,
        )
    return scoring


def parts_shown(metric: Metric, score: Score) -> tuple[str, ...]:
    """Return the parts of a score that tables show."""
    return metric.table_parts or tuple(score.parts)


def _part_intervals(
    metric: Metric, systems: Mapping[str, Result], resampling: Resampling
) -> dict[str, dict[str, Interval]]:
    """Return intervals of precision and recall, for metrics whose tables show them."""
    some = next(iter(systems.values()))
    if not set(SHARES) <= set(parts_shown(metric, some.score)):
        return {}
    n = min(metric.max_part_resamples or resampling.n, resampling.n)
    rows = np.concatenate(resampled_rows(len(some.statistics), replace(resampling, n=n)))
    found = {}
    for name, result in systems.items():
        samples = metric.resample_parts(result.statistics, rows)
        found[name] = {
            part: interval(samples[part], resampling.level, around=float(result.score.parts[part]))
            for part in SHARES
        }
    return found
