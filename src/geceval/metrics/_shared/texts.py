"""References as text, sums over resampled sentences, and metrics that average over sentences."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import WeakCache
from geceval.metrics.base import Metric
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import (
    Counts,
    Rows,
    Score,
    SentenceScores,
    SentenceSums,
    Statistics,
    Swaps,
    annotation_indices,
)
from geceval.model import Corpus, MissingPolicy, Tokens, apply_edits


@dataclass(frozen=True, slots=True)
class References:
    """The corrected sentences of all annotators, in the order of the corpus.

    Parameters
    ----------
    names
        The annotators.
    texts
        Corrected sentences.
    rows, places
        Sentence and annotator of each text.
    of_sentence
        Texts of sentence ``i`` are ``texts[of_sentence[i]:of_sentence[i + 1]]``.
    provenance
        Hashes of sources and texts.
    """

    names: tuple[str, ...]
    texts: list[Tokens]
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    of_sentence: NDArray[np.int64]
    provenance: Provenance

    @classmethod
    def of(cls, corpus: Corpus, *, missing: MissingPolicy) -> References:
        """Apply the edits of every annotator; all metrics share the result."""
        known = _known_references.get(corpus, lambda _: {})
        if missing not in known:
            known[missing] = cls._of(corpus, missing)
        return known[missing]

    @classmethod
    def _of(cls, corpus: Corpus, missing: MissingPolicy) -> References:
        filled = corpus.first_alignments().fill_missing(missing)
        rows, places = annotation_indices(filled)
        texts = [
            apply_edits(sent.tokens, ann.edits) if ann.edits else sent.tokens
            for sent in filled
            for ann in sent.annotations
        ]
        of_sentence = np.searchsorted(rows, np.arange(len(filled) + 1))
        order = np.lexsort((places, rows)).tolist()
        provenance = Provenance.of(
            (sent.tokens, [texts[number] for number in order[start:end]])
            for sent, (start, end) in zip(filled, pairwise(of_sentence.tolist()), strict=True)
        )
        return cls(filled.annotators, texts, rows, places, of_sentence, provenance)

    def by_reference(self, counts: Counts, columns: tuple[str, ...]) -> Statistics:
        """Arrange the counts of texts by sentence and annotator."""
        return Statistics.arrange(
            counts, self.rows, self.places, columns, self.names, self.provenance
        )

    def by_sentence(self, counts: Counts, columns: tuple[str, ...]) -> Statistics:
        """Assign the counts of a sentence to each of its references."""
        return self.by_reference(counts[self.rows], columns)


_known_references: WeakCache[Corpus, dict[MissingPolicy, References]] = WeakCache()


def has_reference(statistics: Statistics) -> NDArray[np.bool_]:
    """Return which sentences have a reference."""
    annotated: NDArray[np.bool_] = np.any(statistics.mask, axis=1)
    return annotated


def sentence_counts(statistics: Statistics) -> NDArray[Any]:
    """Return the counts of each sentence where all of its references share them."""
    if not statistics.references:
        return np.zeros((len(statistics), len(statistics.columns)), dtype=statistics.counts.dtype)
    first = statistics.mask.argmax(axis=1)
    counts = statistics.counts[np.arange(len(statistics)), first]
    return np.where(has_reference(statistics)[:, None], counts, 0)


_PRODUCT = 1 << 19
"""Maximum size of a factor of the matrix products of `sum_rows`."""


def sum_rows(table: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """Sum the rows of each resample, without an array of all resampled rows.

    Matrix products of floats are fast, and exact for counts up to 53 bits.
    """
    if not (np.issubdtype(table.dtype, np.integer) and rows.size and _is_exact(table, rows)):
        return np.array([table[row].sum(axis=0) for row in rows]).reshape(len(rows), table.shape[1])
    summed = np.zeros((len(rows), table.shape[1]), dtype=table.dtype)
    counts = table.astype(np.float64)
    step = max(1, _PRODUCT // len(table))
    known = _known_multiplicities.get(rows, lambda _: {}) if not rows.flags.writeable else None
    if known is not None and len(table) not in known:
        known[len(table)] = _multiplicities(rows, len(table))
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        times = (
            _multiplicities(rows[some], len(table)) if known is None else known[len(table)][some]
        )
        summed[some] = times.astype(np.float64) @ counts
    return summed


def _multiplicities(rows: Rows, n_sents: int) -> NDArray[Any]:
    """Count how often each resample has each sentence, ``(n_resamples, n_sents)``."""
    places = rows + n_sents * np.arange(len(rows), dtype=np.int64)[:, None]
    times = np.bincount(places.ravel(), minlength=len(rows) * n_sents).reshape(len(rows), -1)
    return times.astype(np.min_scalar_type(int(times.max(initial=0))))


_known_multiplicities: WeakCache[Rows, dict[int, NDArray[Any]]] = WeakCache()
"""Of resamples that are used again and again, which cannot be changed, by number of sentences."""


def _is_exact(table: NDArray[Any], rows: NDArray[Any]) -> bool:
    """Whether sums of as many rows as a resample has are exact in floats."""
    return bool(int(np.abs(table).max(initial=0)) * rows.shape[1] < 1 << 53)


def sum_swapped_rows(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    swaps: Swaps,
    summands: Callable[[Statistics], NDArray[Any]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum what the sentences of two systems add after swapping some of them, for each resample.

    Matrix products of floats are fast, and exact for counts up to 53 bits, so that the product of
    each system serves for all of its pairs.
    """
    ours = swaps.shared(metric, first, lambda: _Summed(summands(first), swaps))
    theirs = swaps.shared(metric, second, lambda: _Summed(summands(second), swaps))
    if ours.is_exact and theirs.is_exact:
        moved = theirs.moved - ours.moved
    else:
        moved = swaps.sums(theirs.table - ours.table)
    return ours.total + moved, theirs.total - moved


class _Summed:
    """What sentences add to sums, and the sums over those that each resample swaps."""

    def __init__(self, table: NDArray[Any], swaps: Swaps) -> None:
        self.table = table
        self.is_exact = np.issubdtype(table.dtype, np.integer) and _is_exact(table, swaps.flags)
        self.moved = swaps.sums(table) if self.is_exact else table[:0]
        self.total = table.sum(axis=0)


def all_rows(statistics: Statistics) -> Rows:
    """Return the sample that has each sentence once."""
    return np.arange(len(statistics), dtype=np.int64)[None]


class SentenceMean(Metric):
    """A metric whose score is the mean of its sentence scores.

    Sentences without annotations are skipped; the score is 0 if there are no others.
    """

    @abstractmethod
    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Score each sentence; scores of sentences without a reference are ignored."""

    def is_separable(self, statistics: Statistics) -> bool:  # noqa: ARG002
        """Whether the score is a mean over sentences, which it is."""
        return True

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences."""
        return _means(self.sentence_scores(statistics).values, has_reference(statistics), rows)

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped."""
        one, other = sum_swapped_rows(self, first, second, swaps, self._summands)
        return _ratios(one), _ratios(other)

    def fixed_sums(self, statistics: Statistics) -> SentenceSums | None:
        """Return the mean as a function of sums over sentences."""
        return SentenceSums(self._summands(statistics), _ratios)

    def _summands(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the score of each sentence, and whether it has a reference."""
        annotated = has_reference(statistics)
        values = np.where(annotated, self.sentence_scores(statistics).values, 0.0)
        return np.column_stack((values, annotated))

    def aggregate(self, statistics: Statistics) -> Score:
        """Average over sentences."""
        view = self.sentence_scores(statistics)
        annotated = has_reference(statistics)
        rows = all_rows(statistics)
        return Score(
            self.name,
            float(_means(view.values, annotated, rows)[0]),
            {name: float(_means(part, annotated, rows)[0]) for name, part in view.parts.items()},
            self.signature(statistics),
            mask_unannotated(view, annotated),
        )


def _ratios(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average the sums of `SentenceMean`."""
    means: NDArray[np.float64] = sums[:, 0] / np.maximum(1, sums[:, 1])
    return means


def _means(values: NDArray[Any], annotated: NDArray[np.bool_], rows: Rows) -> NDArray[np.float64]:
    """Average over the annotated sentences of each sample; 0 if there are none."""
    sums = np.where(annotated, values, 0.0)[rows].sum(axis=1)
    numbers = rows.shape[1] if annotated.all() else annotated[rows].sum(axis=1)
    means: NDArray[np.float64] = sums / np.maximum(1, numbers)
    return means


def mask_unannotated(view: SentenceScores, annotated: NDArray[np.bool_]) -> SentenceScores:
    """Set the scores of sentences without annotations to NaN."""
    return SentenceScores(
        np.where(annotated, view.chosen, -1),
        np.where(annotated, view.values, np.nan),
        {name: np.where(annotated, part, np.nan) for name, part in view.parts.items()},
    )


def no_choice(statistics: Statistics) -> NDArray[np.int64]:
    """Return the choices of a metric that does not choose references."""
    return np.full(len(statistics), -1, dtype=np.int64)
