"""What metrics that compare whole sentences share: references as text, and means of sentences."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.base import Metric
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Counts, Rows, Score, SentenceScores, Statistics, Swaps
from geceval.model import Corpus, MissingPolicy, Tokens, apply_edits


@dataclass(frozen=True, slots=True)
class References:
    """The corrected sentences of all annotators, one sentence of the corpus after the other.

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
        What they were made from.
    """

    names: tuple[str, ...]
    texts: list[Tokens]
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    of_sentence: NDArray[np.int64]
    provenance: Provenance

    @classmethod
    def of(cls, corpus: Corpus, *, missing: MissingPolicy) -> References:
        """Correct the sentences of `corpus` as its annotators did."""
        filled = corpus.fill_missing(missing)
        names = filled.annotators
        place = {name: number for number, name in enumerate(names)}
        readings = [(sent, ann) for sent in filled for ann in sent.annotations]
        sizes = [len(sent.annotations) for sent in filled]
        places = [place[ann.annotator] for _, ann in readings]
        texts = [
            apply_edits(sent.tokens, ann.edits) if ann.edits else sent.tokens
            for sent, ann in readings
        ]
        of_sentence = list(accumulate(sizes, initial=0))
        return cls(
            names,
            texts,
            np.repeat(np.arange(len(sizes)), sizes),
            np.array(places, dtype=np.int64),
            np.array(of_sentence, dtype=np.int64),
            Provenance.of(
                (
                    sent.tokens,
                    [texts[at] for at in sorted(range(*ends), key=places.__getitem__)],
                )
                for sent, ends in zip(filled, pairwise(of_sentence), strict=True)
            ),
        )

    def by_reference(self, counts: Counts, columns: tuple[str, ...]) -> Statistics:
        """Lay counts by text out by sentence and annotator.

        An annotator who is absent from a sentence is masked there; a sentence that nobody
        annotated takes no part.
        """
        n_sents = len(self.of_sentence) - 1
        table: NDArray[Any] = np.zeros((n_sents, len(self.names), len(columns)), dtype=counts.dtype)
        mask = np.zeros(table.shape[:2], dtype=bool)
        table[self.rows, self.places] = counts
        mask[self.rows, self.places] = True
        return Statistics(table, mask, columns, self.names, self.provenance)

    def by_sentence(self, counts: Counts, columns: tuple[str, ...]) -> Statistics:
        """Give each reference of a sentence the counts that come from all of them together."""
        return self.by_reference(counts[self.rows], columns)


def takes_part(statistics: Statistics) -> NDArray[np.bool_]:
    """Tell which sentences have a reference."""
    known: NDArray[np.bool_] = np.any(statistics.mask, axis=1)
    return known


def of_any_reference(statistics: Statistics) -> NDArray[Any]:
    """Return the counts of each sentence where they are the same for all of its references."""
    if not statistics.references:
        return np.zeros((len(statistics), len(statistics.columns)), dtype=statistics.counts.dtype)
    found = statistics.mask.argmax(axis=1)
    return np.where(
        takes_part(statistics)[:, None],
        statistics.counts[np.arange(len(statistics)), found],
        0,
    )


def summed(table: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """Sum the rows of a table that each resample has, without a table for all of them."""
    return np.array([table[row].sum(axis=0) for row in rows]).reshape(len(rows), table.shape[1])


def swapped_sums(
    first: NDArray[Any], second: NDArray[Any], swaps: Swaps
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the rows of two tables, again and again, with some of them swapped.

    As floats these sums are quick, and exact for counts as long as they have 53 bits.
    """
    moved = swaps.weights @ (second - first).astype(np.float64)
    return first.sum(axis=0) + moved, second.sum(axis=0) - moved


def everything(statistics: Statistics) -> Rows:
    """Return the one choice that has each sentence once."""
    return np.arange(len(statistics), dtype=np.int64)[None]


class SentenceMean(Metric):
    """A metric whose score is the mean of the scores of the sentences.

    Sentences that nobody annotated take no part; where there is no other, the score is 0.
    """

    @abstractmethod
    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Score each sentence; what sentences without a reference get is of no matter."""

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many choices of sentences; each is a mean of numbers that are known."""
        return _means(self.sentence_scores(statistics).values, takes_part(statistics), rows)

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped; only sums change."""
        one, other = swapped_sums(self._summands(first), self._summands(second), swaps)
        return one[:, 0] / np.maximum(1, one[:, 1]), other[:, 0] / np.maximum(1, other[:, 1])

    def _summands(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the score of each sentence, and whether it takes part."""
        known = takes_part(statistics)
        values = np.where(known, self.sentence_scores(statistics).values, 0.0)
        return np.column_stack((values, known))

    def aggregate(self, statistics: Statistics) -> Score:
        """Average over sentences."""
        view = self.sentence_scores(statistics)
        known = takes_part(statistics)
        rows = everything(statistics)
        return Score(
            self.name,
            float(_means(view.values, known, rows)[0]),
            {name: float(_means(part, known, rows)[0]) for name, part in view.parts.items()},
            self.signature(statistics),
            only_known(view, known),
        )


def _means(values: NDArray[Any], known: NDArray[np.bool_], rows: Rows) -> NDArray[np.float64]:
    """Average over the known values of each choice; 0 where there are none."""
    sums = np.where(known, values, 0.0)[rows].sum(axis=1)
    means: NDArray[np.float64] = sums / np.maximum(1, known[rows].sum(axis=1))
    return means


def only_known(view: SentenceScores, known: NDArray[np.bool_]) -> SentenceScores:
    """Say of sentences that nobody annotated that their score is not known."""
    return SentenceScores(
        np.where(known, view.chosen, -1),
        np.where(known, view.values, np.nan),
        {name: np.where(known, part, np.nan) for name, part in view.parts.items()},
    )


def no_choice(statistics: Statistics) -> NDArray[np.int64]:
    """Say that no single reference was chosen."""
    return np.full(len(statistics), -1, dtype=np.int64)
