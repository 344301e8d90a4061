"""Scores and comparisons of slices of a corpus, and their macro averages.

A slice are the sentences with the same label. Its score, interval and tests are those of its
sentences as a corpus of their own. The macro average is the mean of the scores of all slices, so
that each counts the same, however large. Sentences are resampled within each slice (a stratified
bootstrap), because the slices are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.errors import MismatchError
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import Result, check_finite, refuse
from geceval.evaluation.resampling import (
    DEFAULT_RESAMPLING,
    Comparison,
    Resampling,
    compare,
    holm,
    interval,
    resample,
    resampled_rows,
)
from geceval.formats.labels import Labeling
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Interval, Part, Rows, Score, Statistics, Swaps
from geceval.model import Corpus, Hypothesis, annotator_order

MACRO = "macro average"

Samples = NDArray[np.float64]


def slice_rows(labeling: Labeling) -> dict[str, Rows]:
    """Return the sentences of each slice, by label: numbers first, then in alphabetical order.

    Examples
    --------
    >>> {label: rows.tolist() for label, rows in slice_rows(Labeling("L", ("b", "a", "b"))).items()}
    {'a': [1], 'b': [0, 2]}
    """
    labels = np.array(labeling.labels, dtype=object)
    ordered = sorted(set(labeling.labels), key=annotator_order)
    return {label: np.flatnonzero(labels == label).astype(np.int64) for label in ordered}


@dataclass(frozen=True, slots=True)
class SliceScore:
    """The score of one system on one slice, or the macro average of all slices.

    Parameters
    ----------
    label, n_sents
        Label and number of sentences.
    value, parts
        The score, and the numbers that it is computed from; a macro average has none.
    interval
        Confidence interval; None without resamples and for a single sentence.
    """

    label: str
    n_sents: int
    value: float
    parts: Mapping[str, Part]
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class SlicedResult:
    """The scores of one system by one metric on all slices of a labeling."""

    result: Result
    labeling: str
    slices: tuple[SliceScore, ...]
    macro: SliceScore

    def to_dict(self) -> dict[str, Any]:
        """Return the scores of the slices for JSON."""
        return {
            "labels": {
                one.label: {
                    "sentences": one.n_sents,
                    "score": one.value,
                    "parts": dict(one.parts),
                    "interval": None if one.interval is None else list(one.interval),
                }
                for one in self.slices
            },
            "macro": {
                "score": self.macro.value,
                "interval": None if self.macro.interval is None else list(self.macro.interval),
            },
        }


def score_slices(
    result: Result,
    labeling: Labeling,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    on_invalid: Callable[[str], object] = refuse,
) -> SlicedResult:
    """Score all slices of a system, from the statistics of the whole corpus.

    Parameters
    ----------
    result
        The result of a system by a metric.
    labeling
        A label for each sentence.
    resampling
        Settings of the intervals.
    on_invalid
        Called with a message for each score that is not finite; by default it raises an error.
    """
    _check_length(result.statistics, labeling)
    metric = result.metric
    found = []
    samples = []
    for label, rows in slice_rows(labeling).items():
        counts = result.statistics.take(rows)
        score = metric.aggregate(counts)
        ends = None
        if resampling.n:
            samples.append(resample(metric, counts, resampled_rows(len(rows), resampling)))
            if len(rows) > 1:
                ends = interval(samples[-1], resampling.level, around=score.value)
        check_finite(metric, f"{result.system} ({label})", score, ends, on_invalid=on_invalid)
        found.append(SliceScore(label, len(rows), score.value, score.parts, ends))
    mean = float(np.mean([one.value for one in found]))
    ends = None
    if any(one.interval is not None for one in found):
        ends = interval(_averaged(samples, resampling), resampling.level, around=mean)
    macro = SliceScore(MACRO, len(labeling), mean, {}, ends)
    return SlicedResult(result, labeling.name, tuple(found), macro)


def _check_length(statistics: Statistics, labeling: Labeling) -> None:
    if len(statistics) != len(labeling):
        raise MismatchError(
            "the corpus", len(statistics), f"the labeling {labeling.name!r}", len(labeling)
        )


def _averaged(samples: Sequence[Samples], resampling: Resampling) -> Samples:
    """Average the samples of slices, in an order that makes them independent.

    All slices are resampled with the same seed, as if they were scored alone.
    """
    shuffled = [
        own[np.random.default_rng([resampling.seed, number]).permutation(len(own))]
        for number, own in enumerate(samples)
    ]
    return np.asarray(np.mean(shuffled, axis=0), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class SlicedComparison:
    """A comparison of two systems on one slice; the macro average has no label."""

    label: str | None
    n_sents: int
    comparison: Comparison


def compare_slices(
    metric: Metric,
    systems: Mapping[str, Statistics],
    labeling: Labeling,
    *,
    baseline: str | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
    progress: Progress = silent,
) -> list[SlicedComparison]:
    """Compare systems on each slice, and by the macro average.

    P-values are adjusted by Holm's method for all pairs on all slices, and separately for all
    pairs by the macro average.

    Parameters
    ----------
    metric, systems
        A metric and the statistics of each system.
    labeling
        A label for each sentence.
    baseline
        Compare the others with this system only.
    resampling
        Settings of intervals and tests.
    progress
        Shows how many slices are finished.
    """
    for statistics in systems.values():
        _check_length(statistics, labeling)
    slices = slice_rows(labeling)
    found: list[SlicedComparison] = []
    samples: dict[str, list[Samples]] = {name: [] for name in systems}
    for label, rows in progress(list(slices.items()), f"comparing slices by {labeling.name}"):
        own = {name: statistics.take(rows) for name, statistics in systems.items()}
        resamples = resampled_rows(len(rows), resampling)
        scores = {name: resample(metric, counts, resamples) for name, counts in own.items()}
        for name, values in scores.items():
            samples[name].append(values)
        compared = compare(metric, own, baseline=baseline, resampling=resampling, samples=scores)
        found += [SlicedComparison(label, len(rows), row) for row in compared]
    adjusted = holm([one.comparison.p_value for one in found])
    found = [
        replace(one, comparison=replace(one.comparison, adjusted_p_value=p_value))
        for one, p_value in zip(found, adjusted, strict=True)
    ]
    macro = compare(
        _MacroAverage(metric=metric, slices=tuple(slices.values())),
        systems,
        baseline=baseline,
        resampling=resampling,
        samples={name: _averaged(own, resampling) for name, own in samples.items()},
    )
    return [*found, *(SlicedComparison(None, len(labeling), row) for row in macro)]


class _MacroAverage(Metric):
    """The mean of a metric over slices, for paired tests of systems."""

    def __init__(self, *, metric: Metric, slices: tuple[Rows, ...]) -> None:
        self.name, self.title = metric.name, metric.title
        self._metric = metric
        self._slices = slices

    def settings(self) -> Mapping[str, object]:
        return {**self._metric.settings(), "slices": len(self._slices)}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        return self._metric.statistics(corpus, hypothesis)

    def aggregate(self, statistics: Statistics) -> Score:
        values = [self._metric.aggregate(statistics.take(rows)).value for rows in self._slices]
        whole = self._metric.aggregate(statistics)
        return replace(whole, value=float(np.mean(values)), parts={})

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[Samples, Samples]:
        pairs = [
            self._metric.resample_swapped(
                first.take(rows), second.take(rows), Swaps(swaps.flags[:, rows])
            )
            for rows in self._slices
        ]
        one, other = (np.mean(values, axis=0) for values in zip(*pairs, strict=True))
        return one, other
