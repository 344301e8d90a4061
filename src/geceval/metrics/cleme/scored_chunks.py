"""Chunks weighted by a scorer of sentences, and the choice of references by such weights.

The weight of a chunk is how much it alone changes the score of the source against the reference,
as edits are weighted in `geceval.metrics.pt`. Ye et al. (2025) use BERTScore as the scorer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.cleme.chunks import FN, TN, Assumption, Chunks
from geceval.metrics.pt.weighting import Compared, EditWeigher, Key
from geceval.metrics.statistics import Rows
from geceval.model import Tokens

_DIGITS = 12

N_CLASSES = 5
N_SUMS = 6
N_VALUES = 5


@dataclass(frozen=True, slots=True)
class ScoredChunks:
    """The chunks of a sentence against one reference, each with the change that it is weighted by.

    Parameters
    ----------
    compared
        The source, the reference and the changes that are scored.
    changes
        The class of each interval and its change; None if it is not scored.
    n_unchanged
        Number of chunks outside of all intervals.
    """

    compared: Compared
    changes: tuple[tuple[int, Key | None], ...]
    n_unchanged: int

    @classmethod
    def of(
        cls, chunks: Chunks, references: Sequence[Tokens], assumption: Assumption
    ) -> list[ScoredChunks]:
        """Return the chunks of a sentence against each of its corrected texts."""
        classes = chunks.classify(assumption)
        if assumption == "independent":
            # The classes are those of all references; the weights are not.
            classes *= len(references)
        found = []
        for reference, pieces, kinds in zip(references, chunks.references, classes, strict=True):
            changes = []
            for span, own, wanted, kind in zip(
                chunks.intervals, chunks.hypothesis, pieces, kinds, strict=True
            ):
                tokens = wanted if kind == FN else own
                # A correct chunk weighs 1, and nothing is lost by a sentence that would be empty.
                is_scored = kind != TN and (tokens or span != (0, len(chunks.tokens)))
                changes.append((kind, (*span, tokens or ()) if is_scored else None))
            keys = tuple(key for _, key in changes if key is not None)
            compared = Compared(chunks.tokens, reference, keys, (False,) * len(keys), ())
            found.append(cls(compared, tuple(changes), chunks.n_gaps))
        return found


def weighted_sums(scored: Sequence[ScoredChunks], weigher: EditWeigher) -> NDArray[np.float64]:
    """Sum the weights of the chunks of each class; those that are right to leave alone weigh 1."""
    sums = np.zeros((len(scored), N_CLASSES))
    weights = weigher.weigh([one.compared for one in scored])
    for row, one, own in zip(sums, scored, weights, strict=True):
        row[TN] = one.n_unchanged
        for kind, key in one.changes:
            row[kind] += 1 if kind == TN else 0 if key is None else own[key]
    return sums


Values = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], ...]]
"""Compute the values of sums by which references are compared, the most important first."""


class ScoredChoice:
    """The choice of references by sums of weights, in place of the kernel for counts.

    Parameters
    ----------
    sums
        ``(n_sents, n_refs, 6)``: true positives, false positives, false negatives, true negatives,
        and false positives where the reference has a change, and where it has none.
    mask
        ``(n_sents, n_refs)``: which references there are.
    values
        Up to five values of sums. The first one decides for totals.
    running
        Whether to choose for the totals so far, otherwise for each sentence by itself.
    """

    def __init__(
        self,
        sums: NDArray[np.float64],
        mask: NDArray[np.bool_],
        values: Values,
        *,
        running: bool,
    ) -> None:
        self._sums = sums
        self._mask = mask
        self._values = values
        self._running = running

    def choose(self) -> tuple[NDArray[np.float64], Rows, NDArray[np.float64]]:
        """Return the result, and for each sentence the chosen reference and its own result.

        A result has sums, sums of the values of sentences, and the number of sentences.
        """
        rows = np.arange(len(self._sums))[None]
        result, chosen = self._run(rows)
        return result[0], chosen[0], self._own(chosen[0])

    def resample(self, rows: Rows) -> NDArray[np.float64]:
        """Return the results of many choices of sentences."""
        return self._run(rows)[0]

    def _own(self, chosen: Rows) -> NDArray[np.float64]:
        """Return the sums and the values of sentences against their chosen references."""
        has_reference = chosen >= 0
        sums = np.where(
            has_reference[:, None], self._sums[np.arange(len(chosen)), np.maximum(0, chosen)], 0.0
        )
        own = np.zeros((len(chosen), N_SUMS + N_VALUES))
        own[:, :N_SUMS] = sums
        values = np.stack(self._values(sums), axis=-1) * has_reference[:, None]
        own[:, N_SUMS : N_SUMS + values.shape[1]] = values
        return own

    def _run(self, rows: Rows) -> tuple[NDArray[np.float64], Rows]:
        """Return the results of samples, and the chosen references."""
        result = np.zeros((len(rows), N_SUMS + N_VALUES + 2))
        has_reference = np.asarray(self._mask.any(axis=1))
        result[:, N_SUMS + N_VALUES] = has_reference[rows].sum(axis=1)
        if not self._running:
            keys = self._values(self._sums)
            own = _best(keys, self._mask)
            result[:, : N_SUMS + N_VALUES] = self._own(own)[rows].sum(axis=1)
            return result, own[rows]
        chosen = np.full(rows.shape, -1, dtype=np.int64)
        totals = np.zeros((len(rows), N_SUMS))
        samples = np.arange(len(rows))
        for place, own_rows in enumerate(rows.T):
            sums, mask = self._sums[own_rows], self._mask[own_rows]
            after = totals[:, None] + sums
            tp, fp, fn, tn = np.moveaxis(sums[..., :4], -1, 0)
            best = _best((self._values(after)[0], tp, -fp, -fn, tn), mask)
            totals = np.where((best >= 0)[:, None], after[samples, np.maximum(0, best)], totals)
            chosen[:, place] = best
        result[:, :N_SUMS] = totals
        return result, chosen


def _best(keys: Iterable[NDArray[np.float64]], mask: NDArray[np.bool_]) -> Rows:
    """Return the first of the references with the largest keys in order; -1 without any.

    Keys that differ by rounding only are equal.

    Examples
    --------
    >>> keys = np.array([[1.0, 1.0, 0.0]]), np.array([[2.0, 3.0, 9.0]])
    >>> _best(keys, np.array([[True, True, True]])).tolist()
    [1]
    """
    left = mask.copy()
    for key in (np.round(one, _DIGITS) for one in keys):
        top = np.where(left, key, -np.inf).max(axis=1, initial=-np.inf)
        left &= key == top[:, None]
    return np.where(mask.any(axis=1), left.argmax(axis=1) if left.shape[1] else 0, -1)
