"""Metrics whose score is a function of counts that are summed over sentences."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.texts import sum_rows, sum_swapped_rows
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Rows, SentenceSums, Statistics, Swaps

ROUNDING = 1e-12
"""Scores that differ less are equal but for rounding."""


class CorpusSums(Metric):
    """A metric whose score is a function of counts that are summed over sentences.

    What a sentence adds to the sums does not depend on other sentences.
    """

    @abstractmethod
    def summands(self, statistics: Statistics) -> NDArray[Any]:
        """Return what each sentence adds to the sums; 0 without a reference."""

    @abstractmethod
    def values(self, totals: NDArray[Any]) -> NDArray[np.float64]:
        """Compute the scores of sums, with the sums of one corpus in each row."""

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences."""
        return self.values(sum_rows(self.summands(statistics), rows))

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped."""
        one, other = sum_swapped_rows(self, first, second, swaps, self.summands)
        return self.values(one), self.values(other)

    def fixed_sums(self, statistics: Statistics) -> SentenceSums:
        """Return the score as a function of sums over sentences."""
        return SentenceSums(self.summands(statistics), self.values)


def best_references(
    scores: NDArray[Any], mask: NDArray[np.bool_], *, tolerance: float = 0.0
) -> NDArray[np.int64]:
    """Choose the reference of each sentence with the highest scores, the first of ties.

    Parameters
    ----------
    scores
        ``(n_sents, n_refs, k)``, compared in the order of the last axis: the next one decides
        between equal scores.
    mask
        ``(n_sents, n_refs)``; False for absent references.
    tolerance
        Difference up to which scores are equal.

    Returns
    -------
    chosen
        Index of the chosen reference; -1 for sentences without references.

    Examples
    --------
    >>> scores = np.array([[[0.0, 0.2], [0.0, 0.5]], [[0.3, 0.1], [0.2, 0.4]]])
    >>> best_references(scores, np.array([[True, True], [True, True]])).tolist()
    [1, 0]
    >>> best_references(scores, np.array([[True, False], [False, False]])).tolist()
    [0, -1]
    """
    if not mask.shape[1]:
        return np.full(len(mask), -1, dtype=np.int64)
    is_open = mask
    for score in np.moveaxis(scores, -1, 0):
        known = np.where(is_open, score, -np.inf)
        is_open = is_open & (known >= known.max(axis=1, keepdims=True) - tolerance)
    return np.where(mask.any(axis=1), is_open.argmax(axis=1), -1)


def divide(
    above: NDArray[Any], below: NDArray[Any], *, undefined: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Divide counts, with a value for divisors of 0.

    Examples
    --------
    >>> divide(np.array([1, 0]), np.array([2, 0]), undefined=1).tolist()
    [0.5, 1.0]
    """
    is_known = below > 0
    return np.where(is_known, above / np.where(is_known, below, 1), undefined)


def chosen_counts(counts: NDArray[Any], chosen: NDArray[np.int64]) -> NDArray[Any]:
    """Return the counts of the chosen reference of each sentence; 0 without one.

    Examples
    --------
    >>> chosen_counts(np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]), np.array([1, -1])).tolist()
    [[3, 4], [0, 0]]
    """
    found: NDArray[Any] = np.zeros((len(counts), counts.shape[2]), dtype=counts.dtype)
    rows = np.flatnonzero(chosen >= 0)
    found[rows] = counts[rows, chosen[rows]]
    return found
