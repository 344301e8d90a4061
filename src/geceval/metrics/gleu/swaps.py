"""GLEU of two systems after swapping sentences, for many samples of references at a time."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.statistics import Statistics, Swaps

_LENGTH, _REFERENCE = 0, 1
"""The first columns; numerators and denominators of each order follow. Length and denominators
do not depend on the reference."""

_EXACT_SINGLE = 1 << 24
"""Integers up to here are exact in single precision."""


class SwappedGleu:
    """SentenceSums of counts by matrix products, instead of a sum for each resample and iteration.

    Swapping a sentence moves the difference of the two systems. The large product is limited to
    the few sentences whose difference depends on the reference.

    Parameters
    ----------
    first, second
        Counts of the systems, for the same references.
    swaps
        The swapped sentences.
    """

    def __init__(self, first: Statistics, second: Statistics, swaps: Swaps) -> None:
        known = first.mask[..., None]
        self._above, self._below = np.split(np.arange(2, first.counts.shape[-1]), 2)
        self._counts = [np.where(known, one.counts, 0) for one in (first, second)]
        gains = self._counts[1] - self._counts[0]
        some = np.arange(len(first)), first.mask.argmax(axis=1)
        settled = gains[some].astype(np.float64)
        depends = ((gains != gains[some][:, None]) & known).any(axis=(1, 2))
        self._open = np.flatnonzero(depends)
        settled[np.ix_(self._open, self._above)] = 0
        self._moved = swaps.weights @ settled
        largest = sum(counts.sum() for counts in self._counts)
        exact: Any = np.float32 if largest < _EXACT_SINGLE else np.float64
        self._swaps = swaps.flags[:, self._open].astype(exact)
        self._gains = gains[self._open][:, :, self._above].astype(exact)
        self._fixed = [counts[some].sum(axis=0) for counts in self._counts]

    def scores(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score both systems, ``(n_resamples, n_iterations)``.

        Parameters
        ----------
        chosen
            The sampled reference of each sentence, ``(n_sents, n_iterations)``.
        """
        moved = self._moved_by_sample(chosen[self._open])
        moved += self._moved[:, self._above, None].astype(moved.dtype)
        first, second = (self._totals(counts, chosen) for counts in self._counts)
        ours, theirs = (totals[1:].astype(moved.dtype) for totals in (first, second))
        return (
            self._gleu(first[0], ours + moved, self._fixed[0] + self._moved),
            self._gleu(second[0], theirs - moved, self._fixed[1] - self._moved),
        )

    def _moved_by_sample(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        """Sum the numerators that move, ``(n_resamples, order, n_iterations)``."""
        gains = self._gains[np.arange(len(chosen))[:, None], chosen].transpose(0, 2, 1)
        order = len(self._above)
        sums: NDArray[Any] = self._swaps @ gains.reshape(len(chosen), order * chosen.shape[1])
        return sums.reshape(len(sums), order, chosen.shape[1])

    def _totals(self, counts: NDArray[Any], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """Sum reference lengths and numerators before swapping, ``(1 + order, n_iterations)``."""
        columns = [_REFERENCE, *self._above]
        totals = np.zeros((len(columns), chosen.shape[1]))
        for reference in range(counts.shape[1]):
            totals += counts[:, reference, columns].T.astype(np.float64) @ (chosen == reference)
        return totals

    def _gleu(
        self, reference: NDArray[np.float64], above: NDArray[Any], sums: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Compute the scores of sums, as `geceval.metrics.gleu.scores.gleu_of` does.

        Parameters
        ----------
        reference
            Reference lengths ``(n_iterations,)``.
        above
            Numerators ``(n_resamples, order, n_iterations)``.
        sums
            All columns ``(n_resamples, 2 + 2 * order)``; only those are used that do not depend
            on the reference.
        """
        length, below = sums[:, _LENGTH, None], sums[:, self._below].prod(axis=1)[:, None]
        is_defined = (length > 0) & (below > 0)
        ratios = reduce(np.multiply, above.transpose(1, 0, 2), 1 / np.where(is_defined, below, 1))
        penalty = np.minimum(0.0, 1 - reference / np.where(is_defined, length, 1))
        scores = np.exp(penalty) * _root(ratios, above.shape[1])
        return np.where(is_defined & (reference > 0), scores, 0.0)


def _root(values: NDArray[Any], degree: int) -> NDArray[Any]:
    # Two square roots are much faster than a power.
    return np.sqrt(np.sqrt(values)) if degree == 4 else values ** (1 / degree)
