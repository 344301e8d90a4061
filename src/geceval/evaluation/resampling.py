"""Confidence intervals and paired tests for any metric.

Random numbers come from seeded generators, never from a global one. Resamples preserve the order
of sentences, because some metrics (M², ERRANT) choose references by cumulative counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import combinations, islice
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, overload
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.evaluation.entries import Progress, silent
from geceval.metrics.base import Metric
from geceval.metrics.options import Range, Seed, check_options, checked
from geceval.metrics.statistics import Interval, Rows, Statistics, Swaps

_Computed = TypeVar("_Computed")

Test: TypeAlias = Literal["bootstrap", "randomization"]

Level: TypeAlias = Annotated[float, Range(above=0, below=1)]
"""A confidence level."""

Resamples: TypeAlias = Annotated[int, Range(min=0)]
"""A number of resamples; 0 for no intervals and no tests."""

DEFAULT_RESAMPLES = 1000
DEFAULT_SEED = 12345
DEFAULT_LEVEL = 0.95
_CHUNK = 1000
_CHUNK_SIZE = 2_000_000
"""Maximum number of sentences in a chunk of resamples, to save memory."""
_SWAPS_TOGETHER = 4
"""Chunks that are one chunk of swaps: flags take less memory, and metrics share more work."""
_DRAWN_TOGETHER = 1 << 18
"""Maximum number of integers that are drawn at a time, each of which takes eight bytes."""
_SHARED = 1_500_000
"""Maximum number of sampled sentences that are kept to be used again."""
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Resampling:
    """Settings of confidence intervals and paired tests.

    Parameters
    ----------
    n
        Number of resamples; with 0 there are no intervals and no tests.
    level
        Confidence level.
    seed
        Random seed.
    test
        Paired test: approximate ``"randomization"`` or ``"bootstrap"``.
    """

    n: Resamples = DEFAULT_RESAMPLES
    level: Level = DEFAULT_LEVEL
    seed: Seed = DEFAULT_SEED
    test: Test = "randomization"

    def __post_init__(self) -> None:
        check_options(type(self), {one.name: getattr(self, one.name) for one in fields(self)})

    def check_some(self) -> None:
        """Raise an error if there are no resamples."""
        if not self.n:
            raise OptionError("intervals and tests need at least one resample")

    def for_comparisons(self, n: int) -> Resampling:
        """Return the settings for `n` comparisons, with enough resamples for significance.

        Examples
        --------
        >>> Resampling().for_comparisons(3).n, Resampling().for_comparisons(66).n
        (1000, 1650)
        """
        if not self.n or not n:
            return replace(self, n=0)
        return replace(self, n=max(self.n, enough_resamples(n, self.level)))


DEFAULT_RESAMPLING = Resampling()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two systems.

    Parameters
    ----------
    first, second
        Names of the systems.
    difference
        Score of the second minus score of the first.
    interval
        Bootstrap interval of the difference.
    p_value
        Probability of a difference at least as large between equal systems, or at least as far
        from the null hypothesis.
    adjusted_p_value
        P-value after Holm's correction for the number of comparisons.
    standard_error
        Standard deviation of the differences of resamples.
    null_error
        Standard deviation of the null distribution of the test.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float
    adjusted_p_value: float
    standard_error: float = math.nan
    null_error: float = math.nan

    def is_significant(self, level: float) -> bool:
        """Whether the systems differ, by the adjusted p-value; an unknown difference never does."""
        # Without a difference, neither is better.
        is_known = math.isfinite(self.difference) and self.difference != 0
        return is_known and self.adjusted_p_value < 1 - level

    def to_dict(self, metric: str, signature: str) -> dict[str, Any]:
        """Return the comparison for JSON, with the metric and its signature."""
        return {
            "metric": metric,
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": list(self.interval),
            "p": self.p_value,
            "p_adjusted": self.adjusted_p_value,
            "signature": signature,
        }


def _step(n_sents: int) -> int:
    """Return the number of resamples of a chunk."""
    return max(1, min(_CHUNK, _CHUNK_SIZE // max(1, n_sents)))


def _swaps_together(n_sents: int) -> int:
    return _SWAPS_TOGETHER if _step(n_sents) < _CHUNK else 1


def _random_integers(
    high: int, n_sents: int, resampling: Resampling, *, step: int, dtype: np.dtype[Any]
) -> Iterator[NDArray[Any]]:
    """Yield integers below `high` for each sentence of each resample, in chunks of resamples."""
    if not n_sents:
        raise GecevalError("there are no sentences to resample")
    resampling.check_some()
    rng = np.random.default_rng(resampling.seed)
    # The numbers do not depend on the size of chunks and blocks.
    block = max(1, _DRAWN_TOGETHER // n_sents)
    for start in range(0, resampling.n, step):
        chunk = np.empty((min(step, resampling.n - start), n_sents), dtype=dtype)
        for first in range(0, len(chunk), block):
            some = chunk[first : first + block]
            some[:] = rng.integers(0, high, size=some.shape, dtype=np.int64)
        yield chunk


class ResampledRows(Sequence[Rows]):
    """Samples of sentences in chunks.

    Of a large corpus, only how often each sample has each sentence is stored: 64 bits per sampled
    sentence would take more memory than anything else.
    """

    def __init__(self, n_sents: int, resampling: Resampling) -> None:
        self._is_small = n_sents * resampling.n <= _SHARED
        self._chunks: list[NDArray[Any]] = []
        dtype = np.min_scalar_type(n_sents)
        for rows in _random_integers(
            n_sents, n_sents, resampling, step=_step(n_sents), dtype=dtype
        ):
            chunk = np.sort(rows, axis=1).astype(np.int64) if self._is_small else occurrences(rows)
            # Chunks may be shared, and what is computed from them.
            chunk.flags.writeable = False
            self._chunks.append(chunk)

    def __len__(self) -> int:
        return len(self._chunks)

    @overload
    def __getitem__(self, index: int) -> Rows: ...

    @overload
    def __getitem__(self, index: slice) -> list[Rows]: ...

    def __getitem__(self, index: int | slice) -> Rows | list[Rows]:
        """Return one or several chunks."""
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        chunk = self._chunks[index]
        return chunk if self._is_small else _rows_of(chunk)


def occurrences(rows: NDArray[Any]) -> NDArray[Any]:
    """Count how often each sample has each of as many sentences."""
    n_sents = rows.shape[1]
    found = np.empty(rows.shape, dtype=np.min_scalar_type(n_sents))
    for own, sample in zip(found, rows, strict=True):
        own[:] = np.bincount(sample, minlength=n_sents)
    return found.astype(np.min_scalar_type(found.max()))


def _rows_of(times: NDArray[Any]) -> Rows:
    """Return the sentences of each sample in order, as often as they occur."""
    n_sents = times.shape[1]
    rows = np.empty(times.shape, dtype=np.int64)
    for own, of_sample in zip(rows, times, strict=True):
        # At place i is the first sentence up to which there are more than i.
        ends = np.cumsum(of_sample, dtype=np.int64)
        np.cumsum(np.bincount(ends, minlength=n_sents)[:n_sents], out=own)
    return rows


def resampled_rows(n_sents: int, resampling: Resampling) -> ResampledRows:
    """Sample sentences with replacement, each sample in the order of the corpus, in chunks.

    Small samples are kept, and others as long as someone uses them.
    """
    if n_sents * resampling.n <= _SHARED:
        return _known_rows(n_sents, resampling)
    key = n_sents, resampling
    rows = _rows_in_use.get(key)
    if rows is None:
        rows = _rows_in_use[key] = ResampledRows(n_sents, resampling)
    return rows


_known_rows = lru_cache(maxsize=2)(ResampledRows)
_rows_in_use: WeakValueDictionary[tuple[int, Resampling], ResampledRows] = WeakValueDictionary()


def resample(metric: Metric, statistics: Statistics, rows: Sequence[Rows]) -> NDArray[np.float64]:
    """Score the samples of `resampled_rows`."""
    return resample_all(metric, [statistics], rows)[0]


def resample_all(
    metric: Metric, systems: Sequence[Statistics], rows: Sequence[Rows]
) -> list[NDArray[np.float64]]:
    """Score the samples of `resampled_rows` for several systems."""
    chunks = by_chunk(rows, lambda chunk: [metric.resample(one, chunk) for one in systems])
    return [np.concatenate(own) for own in zip(*chunks, strict=True)]


def by_chunk(rows: Sequence[Rows], compute: Callable[[Rows], _Computed]) -> list[_Computed]:
    """Compute something of each chunk of samples.

    The chunks of a large corpus are made anew each time, so `compute` should do all that needs
    one. A loop over `rows` would keep one chunk in memory while the next is made.
    """
    return [compute(rows[place]) for place in range(len(rows))]


def interval(
    samples: NDArray[np.float64], level: Level = DEFAULT_LEVEL, *, around: float | None = None
) -> Interval:
    """Return the percentile interval that contains the share `level` of samples.

    Parameters
    ----------
    samples
        Values from resampled corpora.
    level
        Confidence level.
    around
        The value for the whole corpus. The interval is extended to contain it, since with few
        samples or a low level it may not.

    Examples
    --------
    >>> interval(np.array([0.5]), around=0.25)
    Interval(low=0.25, high=0.5, level=0.95)
    """
    if not 0 < level < 1:
        raise OptionError(f"a confidence level lies between 0 and 1, not at {level}")
    tail = (1 - level) / 2
    low, high = map(float, np.quantile(samples, (tail, 1 - tail)))
    # Callers check whether values are finite.
    if around is not None and math.isfinite(around):
        low, high = min(low, around), max(high, around)
    return Interval(low, high, level)


@checked
def bootstrap(
    metric: Metric, statistics: Statistics, *, resampling: Resampling = DEFAULT_RESAMPLING
) -> Interval:
    """Compute the percentile bootstrap interval of a score, which always contains the score.

    Parameters
    ----------
    metric, statistics
        A metric and the statistics of the system.
    resampling
        Number of resamples, confidence level and seed.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    samples = resample(metric, statistics, resampled_rows(len(statistics), resampling))
    return interval(samples, resampling.level, around=metric.aggregate(statistics).value)


def _p_value(extreme: int, n_samples: int) -> float:
    """Return the share of samples at least as extreme, counting the observed one.

    Otherwise the p-value could be 0, which no finite number of samples supports.
    """
    return (extreme + 1) / (n_samples + 1)


@checked
def paired_p_value(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> float:
    """Compute the two-sided p-value of a paired test of two systems.

    For approximate randomization, sentences are swapped between the systems at random many
    times; the p-value is the share of differences at least as large as the observed one. For the
    paired bootstrap, the null distribution are the resampled differences, shifted to a mean of 0.

    References
    ----------
    Riezler and Maxwell (2005), On Some Pitfalls in Automatic Evaluation and Significance
    Testing for MT. Koehn (2004), Statistical Significance Tests for Machine Translation
    Evaluation.
    """
    observed = metric.aggregate(second).value - metric.aggregate(first).value
    if resampling.test == "randomization":
        swaps = random_swaps(len(first), resampling)
        return _randomization_p(swapped_differences(metric, first, second, swaps), observed)
    rows = resampled_rows(len(first), resampling)
    return _bootstrap_p(resample(metric, second, rows) - resample(metric, first, rows), observed)


def _bootstrap_p(samples: NDArray[np.float64], observed: float) -> float:
    return float(bootstrap_p_values(samples[None], np.array([observed]))[0])


def bootstrap_p_values(
    samples: NDArray[np.float64], observed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute two-sided p-values of paired bootstrap tests.

    Parameters
    ----------
    samples
        Differences in the resamples, a row for each test.
    observed
        The observed difference of each test.
    """
    centered = np.abs(samples - samples.mean(axis=1, keepdims=True))
    extreme = (centered >= np.abs(observed)[:, None] - 1e-15).sum(axis=1)
    p_values: NDArray[np.float64] = (extreme + 1) / (samples.shape[1] + 1)
    return p_values


def random_swaps(n_sents: int, resampling: Resampling) -> Iterator[Swaps]:
    """Choose at random whether each sentence of each resample is swapped, in chunks."""
    step = _step(n_sents) * _swaps_together(n_sents)
    for flags in _random_integers(2, n_sents, resampling, step=step, dtype=np.dtype(bool)):
        yield Swaps(flags)


def swapped_differences(
    metric: Metric, first: Statistics, second: Statistics, swaps: Iterable[Swaps]
) -> NDArray[np.float64]:
    """Return the difference between two systems for each of `random_swaps`."""
    pairs = (metric.resample_swapped(first, second, chunk) for chunk in swaps)
    return np.concatenate([other - one for one, other in pairs])


def _swapped_differences_of_pairs(
    metric: Metric,
    systems: Mapping[str, Statistics],
    pairs: Sequence[tuple[str, str]],
    resampling: Resampling,
    progress: Progress,
) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return `swapped_differences` of many pairs.

    A chunk of resamples is used for all pairs before the next one, so that metrics can share work
    between pairs in little memory.
    """
    if not pairs:
        return {}
    found: dict[tuple[str, str], list[NDArray[np.float64]]] = {pair: [] for pair in pairs}
    n_sents = len(next(iter(systems.values())))
    n_chunks = math.ceil(resampling.n / (_step(n_sents) * _swaps_together(n_sents)))
    steps = iter(progress(list(pairs) * n_chunks, f"comparing by {metric.title}"))
    for chunk in random_swaps(n_sents, resampling):
        for first, second in islice(steps, len(pairs)):
            differences = swapped_differences(metric, systems[first], systems[second], [chunk])
            found[first, second].append(differences)
        chunk.forget()
    # The display ends with the last step.
    next(steps, None)
    return {pair: np.concatenate(chunks) for pair, chunks in found.items()}


def _randomization_p(samples: NDArray[np.float64], observed: float) -> float:
    # SentenceSums in a different order may differ in the last bits.
    extreme = int((np.abs(samples) >= abs(observed) - _SLACK).sum())
    return _p_value(extreme, len(samples))


def enough_resamples(n_comparisons: int, level: float = DEFAULT_LEVEL) -> int:
    """Return the number of resamples that significance after Holm's correction requires.

    The smallest p-value is about one divided by the number of resamples, and Holm's correction
    multiplies it by the number of comparisons. A margin of a quarter is added.

    Examples
    --------
    >>> enough_resamples(66), 66 / (enough_resamples(66) + 1) < 0.05
    (1650, True)
    """
    return math.ceil(round(1.25 * n_comparisons / (1 - level), 6))


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


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the expected share of false discoveries, by the step-up method.

    Examples
    --------
    >>> [round(p_value, 3) for p_value in benjamini_hochberg([0.01, 0.04, 0.03, 0.5])]
    [0.04, 0.053, 0.053, 0.5]

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the False Discovery Rate.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    lowest = 1.0
    for rank, index in reversed(list(enumerate(order, 1))):
        lowest = min(lowest, len(p_values) / rank * p_values[index])
        adjusted[index] = lowest
    return adjusted


@checked
def compare(
    metric: Metric,
    systems: Mapping[str, Statistics],
    *,
    baseline: str | None = None,
    null: float = 0.0,
    resampling: Resampling | None = None,
    scores: Mapping[str, float] | None = None,
    samples: Mapping[str, NDArray[np.float64]] | None = None,
    known: Mapping[tuple[str, str], Comparison] | None = None,
    progress: Progress = silent,
) -> list[Comparison]:
    """Compare all pairs of systems, or each with a baseline.

    Parameters
    ----------
    metric, systems
        A metric and the statistics of each system.
    baseline
        Compare the others with this system only.
    null
        The difference under the null hypothesis. One other than 0 needs the paired bootstrap,
        because swapped systems are equally good.
    resampling
        Settings of intervals and tests; by default with enough resamples for all pairs.
    scores, samples
        Scores of these systems and of their resamples, if already computed.
    known
        Comparisons that are already computed with the same settings; only their p-values are
        adjusted anew.
    progress
        Shows how many pairs are finished.
    """
    if baseline is not None and baseline not in systems:
        raise UnknownNameError("system", baseline, systems)
    known = known or {}
    pairs = (
        list(combinations(systems, 2))
        if baseline is None
        else [(baseline, name) for name in systems if name != baseline]
    )
    if not pairs:
        raise GecevalError("a comparison needs at least two systems")
    if resampling is None:
        resampling = DEFAULT_RESAMPLING.for_comparisons(len(pairs))
    is_bootstrap = resampling.test == "bootstrap"
    if null and not is_bootstrap:
        raise OptionError("a null hypothesis other than 0 needs the paired bootstrap")
    n_sents = len(next(iter(systems.values())))
    if samples is None:
        sampled = resample_all(metric, [*systems.values()], resampled_rows(n_sents, resampling))
        samples = dict(zip(systems, sampled, strict=True))
    if scores is None:
        scores = {name: metric.aggregate(counts).value for name, counts in systems.items()}
    swapped = (
        {}
        if is_bootstrap
        else _swapped_differences_of_pairs(
            metric,
            systems,
            [pair for pair in pairs if pair not in known],
            resampling,
            progress,
        )
    )
    found = []
    for first, second in pairs:
        if (first, second) in known:
            found.append(known[first, second])
            continue
        differences = samples[second] - samples[first]
        observed = scores[second] - scores[first]
        error = null_error = float(np.std(differences))
        if is_bootstrap:
            p_value = _bootstrap_p(differences, observed - null)
        else:
            p_value = _randomization_p(swapped[first, second], observed)
            null_error = float(np.std(swapped[first, second]))
        ends = interval(differences, resampling.level, around=observed)
        row = Comparison(first, second, observed, ends, p_value, p_value, error, null_error)
        found.append(row)
    adjusted = holm([row.p_value for row in found])
    return [
        replace(row, adjusted_p_value=after) for row, after in zip(found, adjusted, strict=True)
    ]
