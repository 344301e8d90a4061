"""The search for the best mixed reference of each sentence."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import in_threads
from geceval.metrics.imeasure.accuracy import N_COUNTED
from geceval.metrics.imeasure.arrays import Ints, Lattices, PreparedCorpus, SizeLimit
from geceval.model import Tokens
from geceval.text import Interned

Criterion: TypeAlias = tuple[int, bool, tuple[int, int], tuple[int, int]]
"""The criterion to maximize: index of the metric, whether for detection, weight, beta."""

_NOTHING_FOUND = 2


@dataclass(slots=True)
class Best:
    """The best references of some sentences."""

    counts: Ints
    limited: NDArray[np.bool_]
    references: list[Tokens]

    @classmethod
    def joined(cls, found: list[Best]) -> Best:
        """Concatenate the results of chunks."""
        if not found:
            return cls(np.zeros((0, N_COUNTED), dtype=np.int64), np.zeros(0, dtype=bool), [])
        return cls(
            np.concatenate([best.counts for best in found]),
            np.concatenate([best.limited for best in found]),
            list(chain.from_iterable(best.references for best in found)),
        )


@dataclass(frozen=True, slots=True)
class Search:
    """The search for the references of one system.

    Parameters
    ----------
    prepared
        The corpus.
    hypotheses
        The output of the system.
    criterion
        What to maximize.
    limit
        Maximum number of steps per sentence.
    size_limit
        Maximum size of a sentence.
    """

    prepared: PreparedCorpus
    hypotheses: Interned
    criterion: Criterion
    limit: int
    size_limit: SizeLimit

    def for_sentences(self, workers: int) -> Best:
        """Find the best reference of each sentence, in threads."""
        totals = np.zeros(N_COUNTED, dtype=np.int64)

        def run(chunk: Lattices) -> Best:
            return self._search(chunk, 0, len(chunk), totals)

        # Lattices are built while earlier chunks are searched.
        return Best.joined(in_threads(run, self.prepared.lattices(), workers=workers))

    def for_totals(self) -> Best:
        """Find the best reference of each sentence for the totals up to it."""
        totals = np.zeros(N_COUNTED, dtype=np.int64)
        found = []
        for chunk in self.prepared.lattices():
            for number in range(len(chunk)):
                best = self._search(chunk, number, number + 1, totals)
                totals += best.counts[0]
                found.append(best)
        return Best.joined(found)

    def _search(self, lattices: Lattices, start: int, end: int, totals: Ints) -> Best:
        """Search some lattices of a chunk, given the totals of earlier sentences."""
        from geceval.kernels.imeasure.best_reference import best_references

        prepared, hypotheses = self.prepared, self.hypotheses
        first, last = lattices.first + start, lattices.first + end
        counts, status, words, offsets, _ = best_references(
            prepared.sources.tokens,
            prepared.sources.offsets,
            hypotheses.tokens,
            hypotheses.offsets,
            lattices.nodes[start : end + 1],
            lattices.positions,
            lattices.edges[start : end + 1],
            lattices.starts,
            lattices.ends,
            lattices.words.tokens,
            lattices.words.offsets,
            first,
            last,
            *self.criterion,
            totals,
            lattices.steps[start:end],
            self.limit,
        )
        references = [
            prepared.spell(words[offsets[at] : offsets[at + 1]]) for at in range(last - first)
        ]
        for at in np.flatnonzero(status == _NOTHING_FOUND):
            counts[at], references[at] = self._own_best(first + int(at), totals)
        return Best(counts, (status > 0) | ~lattices.is_complete[start:end], references)

    def _own_best(self, number: int, totals: Ints) -> tuple[Ints, Tokens]:
        """Return the best of the annotators' own references, if the search found none."""
        from geceval.kernels.imeasure.best_reference import choose_references

        groups, references = self.prepared.own_references()
        counts, _, _ = self.prepared.align(
            self.hypotheses, groups, references, number, number + 1, size_limit=self.size_limit
        )
        _, chosen = choose_references(
            (counts + totals)[np.newaxis],
            np.ones((1, len(counts)), dtype=np.uint8),
            np.zeros((1, 1), dtype=np.int64),
            *self.criterion,
            False,
        )
        place = groups[number] + chosen[0]
        words = references.tokens[references.offsets[place] : references.offsets[place + 1]]
        return counts[chosen[0]], self.prepared.spell(words)
