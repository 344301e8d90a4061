"""Interned corpora and flattened lattices for the kernels of the I-measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from threading import RLock
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.limits import TooLargeError, max_cells
from geceval.metrics._shared.edits import offsets_of
from geceval.metrics.provenance import Provenance
from geceval.model import Corpus, Tokens
from geceval.references.corrections import own_references
from geceval.references.mixed import DEFAULT_STEPS, mixed_references
from geceval.references.reference_lattice import ReferenceLattice
from geceval.text import Interned, Interner

Ints: TypeAlias = NDArray[np.int64]

CHUNK = 32
"""Sentences per call of a kernel."""


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """The name of a system, and the limit of cells, which other threads do not inherit."""

    name: str
    cells: int = field(default_factory=max_cells)


@dataclass(slots=True)
class Lattices:
    """The lattices of some sentences as flat arrays; see the kernel."""

    first: int
    nodes: Ints
    positions: NDArray[np.int32]
    edges: Ints
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    words: Interned
    is_complete: NDArray[np.bool_]
    steps: Ints

    @classmethod
    def of(
        cls, first: int, lattices: Sequence[ReferenceLattice], prepared: PreparedCorpus
    ) -> Lattices:
        """Flatten the lattices of sentences from number `first` on."""
        edges = [edge for lattice in lattices for edge in lattice.edges]
        positions = list(chain.from_iterable(lattice.positions for lattice in lattices))
        return cls(
            first,
            offsets_of(len(lattice.positions) for lattice in lattices),
            np.array(positions, dtype=np.int32),
            offsets_of(len(lattice.edges) for lattice in lattices),
            np.array([start for start, _, _ in edges], dtype=np.int32),
            np.array([end for _, end, _ in edges], dtype=np.int32),
            prepared.intern([words for _, _, words in edges]),
            np.array([lattice.is_complete for lattice in lattices]),
            np.array([lattice.n_steps for lattice in lattices], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.is_complete)


@dataclass(slots=True)
class PreparedCorpus:
    """A corpus with interned tokens and references that are built on demand; thread-safe.

    Parameters
    ----------
    corpus
        The corpus.
    limit
        Maximum number of steps per sentence, half of them for building its lattice.
    """

    corpus: Corpus
    limit: int = DEFAULT_STEPS
    interner: Interner = field(default_factory=Interner)
    spelling: dict[int, str] = field(default_factory=dict)
    chunks: list[Lattices] = field(default_factory=list)
    own: tuple[Ints, Interned] | None = None
    sources: Interned = field(init=False)
    provenance: Provenance = field(init=False)
    _lock: RLock = field(default_factory=RLock)

    def __post_init__(self) -> None:
        self.sources = self.intern(self.corpus.sources)
        self.provenance = Provenance.of_edits(self.corpus, required=True, groups=True)

    def intern(self, sentences: Sequence[Tokens]) -> Interned:
        """Intern the tokens of `sentences`."""
        interned = self.interner.intern(sentences)
        numbers = interned.tokens.tolist()
        self.spelling.update(zip(numbers, chain.from_iterable(sentences), strict=True))
        return interned

    def spell(self, numbers: NDArray[np.int32]) -> Tokens:
        """Return the tokens of interned numbers."""
        return tuple(self.spelling[number] for number in numbers.tolist())

    def lattices(self) -> Iterator[Lattices]:
        """Yield lattices in chunks, built on demand."""
        for number in range((len(self.corpus) + CHUNK - 1) // CHUNK):
            with self._lock:
                # Chunks are requested in order, so a new one is the next.
                if number == len(self.chunks):
                    self.chunks.append(self._build(number * CHUNK))
            yield self.chunks[number]

    def _build(self, first: int) -> Lattices:
        sents = self.corpus.sentences[first : first + CHUNK]
        lattices = [mixed_references(sent, most_steps=self.limit // 2) for sent in sents]
        return Lattices.of(first, lattices, self)

    def own_references(self) -> tuple[Ints, Interned]:
        """Return the references of annotators, after the offsets of each sentence."""
        with self._lock:
            if self.own is None:
                groups = [list(own_references(sent).values()) for sent in self.corpus]
                references = list(chain.from_iterable(groups))
                self.own = offsets_of(map(len, groups)), self.intern(references)
            return self.own

    def align(
        self,
        hypotheses: Interned,
        groups: Ints,
        references: Interned,
        first: int = 0,
        last: int | None = None,
        *,
        size_limit: SizeLimit,
    ) -> tuple[Ints, NDArray[np.uint8], Ints]:
        """Align sentences with their references, within a size limit.

        Returns
        -------
        counts, columns, offsets
            See the kernel; columns only for a call without `last`.
        """
        from geceval.kernels.three_way import align_three

        try:
            return align_three(
                self.sources.tokens,
                self.sources.offsets,
                hypotheses.tokens,
                hypotheses.offsets,
                groups,
                references.tokens,
                references.offsets,
                first,
                len(self.corpus) if last is None else last,
                last is None,
                size_limit.cells,
            )
        except OverflowError as error:
            shape = "aligning it with its output and its reference takes too many cells"
            found = TooLargeError(shape, size_limit.cells)
            raise found.at(size_limit.name, error.args[0]) from None
