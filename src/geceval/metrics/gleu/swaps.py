"""GLEU of two systems after swapping sentences, for many samples of references at a time.

Swapping a sentence moves the difference of the two systems. What moves is summed once for each
system, not for each pair: a matrix product for one of the references of each sentence, and for the
sampled ones the sums of their differences from it, which few sentences have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.statistics import Statistics, Swaps

_LENGTH, _REFERENCE = 0, 1
"""The first columns; numerators and denominators of each order follow. Length and denominators
do not depend on the reference."""

_COLUMNS = 32
"""Iterations of a matrix product, to save memory."""

_EXACT_SINGLE = 1 << 23
"""Sums of two integers up to here are exact in single precision."""


class SwappedSystem:
    """Sums of the counts of one system, and what moves when some sentences are swapped.

    Parameters
    ----------
    statistics
        Counts of the system.
    swaps
        The swapped sentences.
    chosen
        The sampled reference of each sentence, ``(n_sents, n_iterations)``, in blocks of
        iterations.
    totals
        The `sampled_totals` of each block.
    """

    def __init__(
        self,
        statistics: Statistics,
        swaps: Swaps,
        chosen: Iterable[NDArray[np.uint8]],
        totals: Iterable[NDArray[np.float64]],
    ) -> None:
        from geceval.kernels.ngrams.swapped_sums import swapped_sums

        counts = np.where(statistics.mask[..., None], statistics.counts, 0)
        above, self.below = np.split(np.arange(2, counts.shape[-1]), 2)
        some = counts[np.arange(len(counts)), statistics.mask.argmax(axis=1)]
        self.fixed = some.sum(axis=0)
        self.moved = swaps.sums(some)
        differences = np.where(statistics.mask[..., None], counts - some[:, None], 0)[..., above]
        is_open = np.flatnonzero(differences.any(axis=(1, 2)))
        own = np.ascontiguousarray(differences[is_open].transpose(0, 2, 1), dtype=np.int32)
        flags = swaps.flags[:, is_open].view(np.uint8)
        most = counts[..., above].max(axis=1, initial=0).sum(axis=0)
        exact: Any = np.float32 if most.max(initial=0) < _EXACT_SINGLE else np.float64
        self.above = self.moved[:, above, None].astype(exact)
        self.blocks: list[tuple[NDArray[np.float64], NDArray[Any], NDArray[Any]]] = []
        """Of each block of iterations: reference lengths ``(n_iterations,)``, numerators before
        swapping ``(order, n_iterations)``, and what `above` lacks of those that move
        ``(n_resamples, order, n_iterations)``."""
        for sampled, sums in zip(chosen, totals, strict=True):
            moved = swapped_sums(own, sampled, is_open, flags)
            self.blocks.append((sums[0], sums[1:].astype(exact), _narrow(moved)))


def sampled_totals(
    statistics: Statistics, chosen: Iterable[NDArray[np.uint8]]
) -> list[NDArray[np.float64]]:
    """Sum reference lengths and numerators of the sampled references, in blocks of iterations."""
    counts = np.where(statistics.mask[..., None], statistics.counts, 0)
    above, _ = np.split(np.arange(2, counts.shape[-1]), 2)
    return [_totals(counts[..., [_REFERENCE, *above]], sampled) for sampled in chosen]


def _narrow(sums: NDArray[np.int32]) -> NDArray[Any]:
    """Store sums in 16 bits if they fit, since those of all systems are in memory."""
    fits = sums.size and max(-int(sums.min()), int(sums.max())) <= np.iinfo(np.int16).max
    return sums.astype(np.int16) if fits else sums


def _totals(counts: NDArray[Any], chosen: NDArray[Any]) -> NDArray[np.float64]:
    """Sum the counts of the sampled references, ``(n_columns, n_iterations)``."""
    totals = np.zeros((counts.shape[2], chosen.shape[1]))
    for reference in range(counts.shape[1]):
        values = counts[:, reference].T.astype(np.float64)
        for first in range(0, chosen.shape[1], _COLUMNS):
            some = slice(first, first + _COLUMNS)
            totals[:, some] += values @ (chosen[:, some] == reference)
    return totals


def swapped_scores(
    first: SwappedSystem, second: SwappedSystem
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Score both systems, ``(n_resamples, n_iterations)``, in blocks of iterations."""
    moved = second.moved - first.moved
    ours, theirs = first.fixed + moved, second.fixed - moved
    below = first.below
    above = second.above - first.above
    for one, other in zip(first.blocks, second.blocks, strict=True):
        gains = np.subtract(other[2], one[2], dtype=above.dtype)
        gains += above
        yield (
            _gleu(one[0], one[1] + gains, ours, below),
            _gleu(other[0], np.subtract(other[1], gains, out=gains), theirs, below),
        )


def _gleu(
    reference: NDArray[np.float64],
    above: NDArray[Any],
    sums: NDArray[np.float64],
    below_columns: NDArray[np.int64],
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
    below_columns
        The columns of the denominators.
    """
    length, below = sums[:, _LENGTH, None], sums[:, below_columns].prod(axis=1)[:, None]
    is_defined = (length > 0) & (below > 0)
    # In place, since new arrays would take more time than arithmetic.
    scores: NDArray[np.float64] = reference / np.where(is_defined, length, 1)
    np.subtract(1, scores, out=scores)
    np.exp(np.minimum(0.0, scores, out=scores), out=scores)
    ratios = above[:, 0] * (1 / np.where(is_defined, below, 1))
    for order in range(1, above.shape[1]):
        ratios *= above[:, order]
    scores *= _root(ratios, above.shape[1])
    is_known = is_defined & (reference > 0)
    if not is_known.all():
        scores[~is_known] = 0.0
    return scores


def _root(values: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """Return the roots of values, which may be replaced by them."""
    # Two square roots are much faster than a power.
    if degree == 4:
        return np.sqrt(np.sqrt(values, out=values), out=values)
    # The operator takes the exact square root where `np.power` computes a power.
    roots: NDArray[np.float64] = values ** (1 / degree)
    return roots
