"""How difficult each gold chunk is: the number of systems that get it right.

A weight file has the number of systems in its first line, and then a line for each sentence with
the number of systems that are right about each of its chunks.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from statistics import mean, stdev

import numpy as np
from numpy.typing import NDArray

from geceval.errors import FormatError, GecevalError
from geceval.formats import Input, PathLike, open_output
from geceval.metrics._shared.edits import offsets_of
from geceval.metrics.gotoscorer.gold_chunks import GoldChunks
from geceval.model import Corpus

_DIGEST_BYTES = 5


@dataclass(frozen=True, slots=True, eq=False)
class Difficulty:
    """The number of systems that get each chunk right; the weight of a chunk is the others' share.

    Parameters
    ----------
    n_systems
        Number of systems.
    n_correct
        For each chunk, the number of systems that get it right.
    offsets
        Chunks of sentence ``i`` are those from ``offsets[i]`` to ``offsets[i + 1]``.
    path
        The file that it was read from, for messages.

    Examples
    --------
    >>> easy = Difficulty(2, np.array([2, 2, 1]), np.array([0, 3]))
    >>> easy.n_wrong.tolist()
    [0, 0, 1]
    """

    n_systems: int
    n_correct: NDArray[np.int64]
    offsets: NDArray[np.int64]
    path: str = ""

    @classmethod
    def read(cls, path: PathLike) -> Difficulty:
        """Read a weight file."""
        with Input.open(path) as source:
            lines = source.lines()
            n_systems = _number(source, next(lines, "").strip(), 1)
            if n_systems < 1:
                raise source.error("expected the number of systems, found 0", line=1)
            rows = [_row(source, line, number, n_systems) for number, line in enumerate(lines, 2)]
            counts = np.array([count for row in rows for count in row], dtype=np.int64)
            return cls(n_systems, counts, offsets_of(map(len, rows)), source.name)

    def write(self, path: PathLike) -> None:
        """Write a weight file."""
        with open_output(path) as out:
            out.write(f"{self.n_systems}\n")
            for start, end in pairwise(self.offsets.tolist()):
                out.write(" ".join(map(str, self.n_correct[start:end].tolist())) + "\n")

    @property
    def n_wrong(self) -> NDArray[np.int64]:
        """For each chunk, the number of systems that get it wrong: its weight, as an integer."""
        return self.n_systems - self.n_correct

    @property
    def digest(self) -> str:
        """A short hash of all numbers."""
        numbers = np.concatenate(([self.n_systems], self.offsets, self.n_correct))
        return blake2b(numbers.astype("<i8").tobytes(), digest_size=_DIGEST_BYTES).hexdigest()

    def check(self, chunks: GoldChunks, corpus: Corpus) -> None:
        """Raise an error if there is not one number for each chunk of the gold standard."""
        name = self.path or "the weights"
        if len(self.offsets) != len(chunks.offsets):
            n_given, n_sents = len(self.offsets) - 1, len(corpus)
            raise GecevalError(
                f"{name} has weights of {n_given:,} sentences, but "
                f"{corpus.name or 'the gold standard'} has {n_sents:,}"
            )
        sizes, expected = np.diff(self.offsets), np.diff(chunks.offsets)
        for number in np.flatnonzero(sizes != expected)[:1].tolist():
            why = (
                "the annotator is absent, which missing=noop reads as nothing to correct"
                if not expected[number]
                else "were they made with other gold edits (see auto_gold, ref and missing)?"
            )
            raise FormatError(
                f"{sizes[number]} weights for the {expected[number]} chunks of sentence "
                f"{number + 1:,} of {corpus.name or 'the gold standard'}: {why}",
                path=name,
                line=number + 2,
            )


def _number(source: Input, text: str, line: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < _MAX_DIGITS):
        expected = "the number of systems" if line == 1 else "numbers of systems"
        raise source.error(f"expected {expected}, found {text[:40]!r}", line=line)
    return int(text)


_MAX_DIGITS = 10


def _row(source: Input, text: str, line: int, n_systems: int) -> list[int]:
    row = [_number(source, word, line) for word in text.split()]
    if row and max(row) > n_systems:
        message = f"{max(row)} systems cannot be right about a chunk: line 1 says {n_systems}"
        raise source.error(message, line=line)
    return row


@dataclass(frozen=True, slots=True)
class TypeDifficulty:
    """Difficulty of the gold edits of one error type.

    Parameters
    ----------
    type
        Error type.
    n_edits
        Number of gold edits.
    mean, deviation
        Mean and sample standard deviation of their weights; the latter is 0 for a single edit.
    """

    type: str
    n_edits: int
    mean: float
    deviation: float


def by_type(chunks: GoldChunks, difficulty: Difficulty) -> list[TypeDifficulty]:
    """Return the difficulty of each error type, the most difficult first."""
    weights: dict[str, list[float]] = {}
    types = (edit.type for edits in chunks.edits for edit in edits)
    wrong = difficulty.n_wrong[chunks.edit_chunks].tolist()
    for name, n_wrong in zip(types, wrong, strict=True):
        weights.setdefault(name, []).append(n_wrong / difficulty.n_systems)
    found = [
        TypeDifficulty(name, len(own), mean(own), stdev(own) if len(own) > 1 else 0.0)
        for name, own in weights.items()
    ]
    return sorted(found, key=lambda one: (-one.mean, one.type))
