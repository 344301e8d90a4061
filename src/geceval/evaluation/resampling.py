"""Confidence intervals and paired tests, on the statistics of any metric.

Everything is seeded and never touches a global generator. Resampled corpora keep the order of
their sentences, because some metrics (M², ERRANT) choose references by running totals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.metrics.base import Metric, Rows, Statistics, Swaps
from geceval.metrics.options import Range, Seed, checked

Test: TypeAlias = Literal["bootstrap", "randomization"]

Level: TypeAlias = Annotated[float, Range(above=0, below=1)]
"""A confidence level."""

Resamples: TypeAlias = Annotated[int, Range(min=1)]
"""How many corpora are drawn."""

OptionalResamples: TypeAlias = Annotated[int, Range(min=0)]
"""The same where 0 means no intervals."""

Pair: TypeAlias = tuple[str, str]
"""Names of two systems."""

DEFAULT_RESAMPLES = 1000
DEFAULT_SEED = 12345
DEFAULT_LEVEL = 0.95
_CHUNK = 1000
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two systems differ.

    Parameters
    ----------
    first, second
        Names of the systems.
    difference
        Score of the second minus score of the first.
    interval
        Bootstrap interval of the difference.
    p_value
        How likely so large a difference would be between equal systems.
    adjusted_p_value
        The same after Holm's correction for the number of comparisons.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float
    adjusted_p_value: float


def resampled_rows(n_sents: int, n_resamples: int, seed: int) -> list[Rows]:
    """Draw sentences with replacement, each draw in the order of the corpus, in chunks."""
    rng = np.random.default_rng(seed)
    chunks = []
    for start in range(0, n_resamples, _CHUNK):
        size = min(_CHUNK, n_resamples - start)
        rows = rng.integers(0, n_sents, size=(size, n_sents), dtype=np.int64)
        rows.sort(axis=1)
        chunks.append(rows)
    return chunks


def _sampled(metric: Metric, statistics: Statistics, rows: Sequence[Rows]) -> NDArray[np.float64]:
    return np.concatenate([metric.resample(statistics, chunk) for chunk in rows])


def interval(
    samples: NDArray[np.float64], level: Level = DEFAULT_LEVEL, *, around: float | None = None
) -> Interval:
    """Return the interval that holds the share `level` of samples, as many missing at each end.

    Parameters
    ----------
    samples
        Values from resampled corpora.
    level
        The share.
    around
        The value of the corpus itself, which the interval is made to hold: with few samples or a
        low level it may lie beyond all that are taken, and no interval excludes its own value.

    Examples
    --------
    >>> interval(np.array([0.5]), around=0.25)
    Interval(low=0.25, high=0.5, level=0.95)
    """
    if not 0 < level < 1:
        raise OptionError(f"a confidence level lies between 0 and 1, not at {level}")
    tail = (1 - level) / 2
    low, high = map(float, np.quantile(samples, (tail, 1 - tail)))
    # What is no number is left as it is, for those to see who refuse it.
    if around is not None and math.isfinite(around):
        low, high = min(low, around), max(high, around)
    return Interval(low, high, level)


@checked
def sample(
    metric: Metric,
    systems: Mapping[str, Statistics],
    *,
    n_resamples: Resamples = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
    progress: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> dict[str, NDArray[np.float64]]:
    """Score resampled corpora, the same ones for all systems; see `interval` and `compare`.

    Parameters
    ----------
    metric, systems, n_resamples, seed
        As for `compare`.
    progress
        Wraps the names of the systems to show how many are done.
    """
    some = next(iter(systems.values()))
    _check_enough(some)
    rows = resampled_rows(len(some), n_resamples, seed)
    return {name: _sampled(metric, systems[name], rows) for name in progress(list(systems))}


@checked
def bootstrap(
    metric: Metric,
    statistics: Statistics,
    *,
    n_resamples: Resamples = DEFAULT_RESAMPLES,
    level: Level = DEFAULT_LEVEL,
    seed: Seed = DEFAULT_SEED,
) -> Interval:
    """Percentile bootstrap interval of one system's score, which it always holds.

    Parameters
    ----------
    metric
        Any metric.
    statistics
        Its counts for the system.
    n_resamples
        How many corpora of the same size are drawn.
    level
        Share of the resampled scores that the interval covers.
    seed
        Same seed, same interval.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    _check_enough(statistics)
    rows = resampled_rows(len(statistics), n_resamples, seed)
    samples = _sampled(metric, statistics, rows)
    return interval(samples, level, around=metric.aggregate(statistics).value)


def _check_enough(statistics: Statistics) -> None:
    if not len(statistics):
        raise GecevalError("there are no sentences to resample")


def _p_value(extreme: int, n_samples: int) -> float:
    """Share of samples at least as extreme, the observed one among them.

    Without the one added, a test with few samples could claim an impossible certainty of 0.
    """
    return (extreme + 1) / (n_samples + 1)


@checked
def paired_bootstrap_p(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    *,
    n_resamples: Resamples = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> float:
    """Two-sided p-value of the paired bootstrap.

    The resampled differences, moved so that their center is 0, are what equal systems would
    give; the p-value is how often they are as far from 0 as the observed difference.

    References
    ----------
    Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation.
    """
    _check_enough(first)
    rows = resampled_rows(len(first), n_resamples, seed)
    samples = _sampled(metric, second, rows) - _sampled(metric, first, rows)
    observed = metric.aggregate(second).value - metric.aggregate(first).value
    return _bootstrap_p(samples, observed)


def _bootstrap_p(samples: NDArray[np.float64], observed: float) -> float:
    centered = np.abs(samples - samples.mean())
    return _p_value(int((centered >= abs(observed) - 1e-15).sum()), len(samples))


@checked
def randomization_p(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    *,
    n_resamples: Resamples = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> float:
    """Two-sided p-value of paired approximate randomization.

    If two systems are equal, it does not matter which of them made which output: sentences
    are swapped between them by the toss of a coin, again and again, and the p-value is how
    often the difference is as large as the observed one.

    References
    ----------
    Riezler and Maxwell (2005), On Some Pitfalls in Automatic Evaluation and Significance
    Testing for MT.
    """
    _check_enough(first)
    observed = metric.aggregate(second).value - metric.aggregate(first).value
    return _randomization_p(metric, first, second, observed, _coins(len(first), n_resamples, seed))


def _coins(n_sents: int, n_resamples: int, seed: int) -> list[Swaps]:
    """Toss a coin for each sentence of each resample, in chunks."""
    rng = np.random.default_rng(seed)
    chunks = []
    for start in range(0, n_resamples, _CHUNK):
        size = min(_CHUNK, n_resamples - start), n_sents
        chunks.append(Swaps(rng.integers(0, 2, size=size, dtype=np.int64).astype(bool)))
    return chunks


def _randomization_p(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    observed: float,
    coins: Sequence[Swaps],
) -> float:
    extreme = 0
    for swaps in coins:
        one, other = metric.swapped(first, second, swaps)
        # A hair of slack: sums in another order may differ in their last bits.
        extreme += int((np.abs(other - one) >= abs(observed) - _SLACK).sum())
    return _p_value(extreme, sum(len(swaps.flags) for swaps in coins))


def enough_resamples(n_comparisons: int, level: float = DEFAULT_LEVEL) -> int:
    """Return how many resamples it takes for clear differences to pass Holm's correction.

    No p-value is below one in the number of resamples, and the smallest is multiplied by the
    number of comparisons. A quarter more leaves some room.

    Examples
    --------
    >>> enough_resamples(66), 66 / (enough_resamples(66) + 1) < 0.05
    (1650, True)
    """
    return math.ceil(round(1.25 * n_comparisons / (1 - level), 6))


def resamples_for(n_comparisons: int, level: float = DEFAULT_LEVEL) -> int:
    """Return the usual number of resamples, or more where so many comparisons need them.

    Examples
    --------
    >>> resamples_for(3), resamples_for(66)
    (1000, 1650)
    """
    return max(DEFAULT_RESAMPLES, enough_resamples(n_comparisons, level))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the number of tests by Holm's step-down method.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]

    References
    ----------
    Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


@checked
def compare(
    metric: Metric,
    systems: Mapping[str, Statistics],
    *,
    baseline: str | None = None,
    test: Test = "randomization",
    n_resamples: Resamples | None = None,
    level: Level = DEFAULT_LEVEL,
    seed: Seed = DEFAULT_SEED,
    samples: Mapping[str, NDArray[np.float64]] | None = None,
    progress: Callable[[Sequence[Pair]], Iterable[Pair]] = iter,
) -> list[Comparison]:
    """Compare all pairs of systems, or each with a baseline.

    Parameters
    ----------
    metric
        Any metric.
    systems
        Its counts for each system.
    baseline
        Compare the others with this one only.
    test
        ``"randomization"`` or ``"bootstrap"``.
    n_resamples
        How many corpora are drawn, and how often sentences are swapped; None for what
        `resamples_for` says.
    level, seed
        As for `bootstrap`.
    samples
        What `sample` returned for these systems, where it is at hand.
    progress
        Wraps the pairs to show how many are done.
    """
    if baseline is not None and baseline not in systems:
        raise UnknownNameError("system", baseline, systems)
    pairs: Sequence[Pair] = (
        list(combinations(systems, 2))
        if baseline is None
        else [(baseline, name) for name in systems if name != baseline]
    )
    if not pairs:
        raise GecevalError("a comparison needs at least two systems")
    if n_resamples is None:
        n_resamples = resamples_for(len(pairs), level)
    if samples is None:
        samples = sample(metric, systems, n_resamples=n_resamples, seed=seed)
    n_sents = len(next(iter(systems.values())))
    coins = _coins(n_sents, n_resamples, seed) if test == "randomization" else []
    values = {name: metric.aggregate(counts).value for name, counts in systems.items()}
    found = []
    for first, second in progress(pairs):
        differences = samples[second] - samples[first]
        observed = values[second] - values[first]
        p_value = (
            _bootstrap_p(differences, observed)
            if test == "bootstrap"
            else _randomization_p(metric, systems[first], systems[second], observed, coins)
        )
        reach = interval(differences, level, around=observed)
        found.append((first, second, observed, reach, p_value))
    adjusted = holm([p_value for *_, p_value in found])
    return [Comparison(*row, after) for row, after in zip(found, adjusted, strict=True)]
