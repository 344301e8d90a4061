"""Counts of systems and the scores that are computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.provenance import Provenance

Counts: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]
Part: TypeAlias = int | float


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of one system.

    Parameters
    ----------
    counts
        Axes ``(n_sents, n_refs, k)``.
    mask
        Axes ``(n_sents, n_refs)``; False where a reference is absent.
    columns
        Names of the ``k`` counts.
    references
        Names of the references, the annotators of the corpus.
    provenance
        Hash of the data behind the counts, for the signature.
    readings
        Names of the readings of the output, where it has several: the references stand in
        `counts` and `mask` once for each, all those of the first reading first.
    tokenized
        Whether the output was raw text that geceval split into tokens.
    """

    counts: Counts
    mask: NDArray[np.bool_]
    columns: tuple[str, ...]
    references: tuple[str, ...]
    provenance: Provenance
    readings: tuple[str, ...] = ()
    tokenized: bool = False

    def __post_init__(self) -> None:
        n_pairs = len(self.references) * max(1, len(self.readings))
        expected = (len(self), n_pairs, len(self.columns))
        if self.counts.shape != expected or self.mask.shape != expected[:2]:
            msg = f"counts {self.counts.shape} and mask {self.mask.shape} do not fit {expected}"
            raise ValueError(msg)
        if len(self.provenance) != len(self):
            msg = f"counts of {len(self)} sentences were not made from {len(self.provenance)}"
            raise ValueError(msg)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, rows: Rows) -> Self:
        """Return the statistics of the given sentences, in that order."""
        return replace(
            self,
            counts=self.counts[rows],
            mask=self.mask[rows],
            provenance=self.provenance.take(rows),
        )

    def followed_by(self, other: Statistics) -> Self:
        """Append the sentences of another system, for tests that swap sentences."""
        readings = max(self.readings, other.readings, key=len)
        n_pairs = len(self.references) * max(1, len(readings))
        first, second = self._widened(n_pairs), other._widened(n_pairs)
        counts: Counts = np.concatenate((first[0], second[0]))  # type: ignore[assignment]
        mask = np.concatenate((first[1], second[1]))
        return replace(
            self,
            counts=counts,
            mask=mask,
            provenance=self.provenance.followed_by(other.provenance),
            readings=readings,
        )

    def _widened(self, n_pairs: int) -> tuple[Counts, NDArray[np.bool_]]:
        """Return counts and mask, padded with masked references."""
        missing = n_pairs - self.mask.shape[1]
        if not missing:
            return self.counts, self.mask
        counts: Any = np.pad(self.counts, ((0, 0), (0, missing), (0, 0)))
        return counts, np.pad(self.mask, ((0, 0), (0, missing)))


@dataclass(frozen=True, eq=False)
class Swaps:
    """Sentences that two systems swap, in many resamples.

    Parameters
    ----------
    flags
        ``(n_resamples, n_sents)``.
    """

    flags: NDArray[np.bool_]

    @cached_property
    def rows(self) -> tuple[Rows, Rows]:
        """Rows of both mixtures, in statistics where the second system follows the first."""
        n_sents = self.flags.shape[1]
        own = np.arange(n_sents, dtype=np.int64)
        other = own + n_sents
        return np.where(self.flags, other, own), np.where(self.flags, own, other)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The flags as numbers, for sums by matrix products."""
        return self.flags.astype(np.float64)


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """Scores of single sentences.

    Parameters
    ----------
    chosen
        Index of the reference that was used; -1 where a metric does not choose one.
    values
        The score of each sentence by itself.
    parts
        Named numbers, one array each.
    readings
        Index of the reading of the output that was used, -1 where there is none; None for
        output that has one reading only.
    """

    chosen: NDArray[np.int64]
    values: NDArray[np.float64]
    parts: Mapping[str, NDArray[Any]]
    readings: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one system.

    Parameters
    ----------
    metric
        Name of the metric.
    value
        The headline number, by which systems are ranked.
    parts
        Named numbers that the score is computed from.
    signature
        Everything that could change the score, in one line.
    sentences
        Scores of single sentences.
    notes
        Remarks on the score, one sentence each.
    """

    metric: str
    value: float
    parts: Mapping[str, Part]
    signature: str
    sentences: SentenceScores
    notes: tuple[str, ...] = ()


def f_score(
    correct: NDArray[Any], proposed: NDArray[Any], gold: NDArray[Any], *, beta: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    r"""Precision, recall and :math:`F_\beta` of counts.

    Nothing proposed gives a precision of 1, nothing in the gold a recall of 1, and F is 0 when
    both are 0. Where recall has no weight, F is the precision.

    Examples
    --------
    >>> [value.item() for value in f_score(*map(np.array, (1, 2, 4)), beta=0.5)]
    [0.5, 0.25, 0.4166666666666667]
    >>> [value.item() for value in f_score(*map(np.array, (0, 0, 4)), beta=0)]
    [1.0, 0.0, 1.0]
    """
    ones = np.ones(np.shape(correct))
    precision = np.divide(correct, proposed, out=ones.copy(), where=np.asarray(proposed) > 0)
    recall = np.divide(correct, gold, out=ones.copy(), where=np.asarray(gold) > 0)
    weight = beta * beta
    if not weight:
        # Also where the recall is 0, and the formula below would divide by it.
        return precision, recall, precision.copy()
    below = weight * precision + recall
    f = np.divide(
        (1 + weight) * precision * recall, below, out=np.zeros_like(ones), where=below > 0
    )
    return precision, recall, f
