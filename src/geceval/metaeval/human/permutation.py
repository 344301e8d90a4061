"""Permutation test of the difference of two metrics' correlations with human scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.metaeval.correlation import correlate_rows
from geceval.metrics.options import checked

_SLACK = 1e-9
"""Differences of sums in another order, which are far smaller than any real difference."""


@dataclass(frozen=True, slots=True)
class Permutation:
    """Result of a permutation test.

    Parameters
    ----------
    difference
        Correlation of the first metric minus that of the second, by means of sentence scores.
    p_value
        Two-sided p-value.
    """

    difference: float
    p_value: float


@checked
def permutation_tests(
    tables: Sequence[NDArray[np.float64]],
    human: Sequence[float],
    *,
    coefficient: str = "pearson",
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> dict[tuple[int, int], Permutation]:
    """Test whether correlations of metrics with human scores differ, for all pairs of metrics.

    This is PERM-BOTH of Deutsch et al. (2021): sentence scores are standardized, the two scores of
    each output are swapped at random, and system scores are the means of sentence scores. It
    assumes neither normal distributions nor many systems. Sentences in which a metric has no score
    for a system are ignored.

    Parameters
    ----------
    tables
        Sentence scores ``(n_systems, n_sents)`` of each metric; NaN if undefined.
    human
        Human scores of the systems.
    coefficient
        Name of the correlation coefficient.
    resampling
        Number of permutations and seed.

    Returns
    -------
    tests
        By the indices of the two metrics, the first before the second; NaN if a correlation is
        undefined.

    References
    ----------
    Deutsch, Dror and Roth (2021), A Statistical Analysis of Summarization Evaluation Metrics Using
    Resampling Methods, TACL.
    """
    resampling.check_some()
    pairs = list(combinations(range(len(tables)), 2))
    if not pairs:
        return {}
    scores = [_standardized(table) for table in tables]
    n_systems, n_sents = scores[0].shape
    known = np.array([np.isfinite(table).all(axis=0) for table in scores])
    means = np.empty((len(pairs), 2, n_systems))
    # What swapping the scores of an output adds to the mean of the first metric.
    gains = np.zeros((n_systems, n_sents, len(pairs)))
    for number, (one, other) in enumerate(pairs):
        both = known[one] & known[other]
        if not both.any():
            means[number] = np.nan
            continue
        first, second = scores[one][:, both], scores[other][:, both]
        means[number] = first.mean(axis=1), second.mean(axis=1)
        gains[:, both, number] = (second - first) / both.sum()
    rng = np.random.default_rng(resampling.seed)
    moved = np.empty((resampling.n, n_systems, len(pairs)))
    for system in range(n_systems):
        swapped = rng.integers(0, 2, size=(resampling.n, n_sents), dtype=np.int8)
        moved[:, system] = swapped.astype(np.float64) @ gains[system]
    goal = np.broadcast_to(np.asarray(human, dtype=np.float64), (resampling.n, n_systems))
    return {
        pair: _test(coefficient, means[number], moved[:, :, number], goal)
        for number, pair in enumerate(pairs)
    }


def _standardized(table: NDArray[np.float64]) -> NDArray[np.float64]:
    is_known = np.isfinite(table)
    if not is_known.any():
        return table
    spread = table[is_known].std()
    found: NDArray[np.float64] = (table - table[is_known].mean()) / (spread or 1.0)
    return found


def _test(
    coefficient: str,
    means: NDArray[np.float64],
    moved: NDArray[np.float64],
    human: NDArray[np.float64],
) -> Permutation:
    first, second = means
    if not np.isfinite(means).all():
        return Permutation(math.nan, math.nan)
    (observed,) = correlate_rows(coefficient, first[None], human[:1]) - correlate_rows(
        coefficient, second[None], human[:1]
    )
    if math.isnan(observed):
        return Permutation(math.nan, math.nan)
    permuted = correlate_rows(coefficient, first + moved, human) - correlate_rows(
        coefficient, second - moved, human
    )
    permuted = permuted[np.isfinite(permuted)]
    extreme = int((np.abs(permuted) >= abs(observed) - _SLACK).sum())
    return Permutation(float(observed), (extreme + 1) / (len(permuted) + 1))
