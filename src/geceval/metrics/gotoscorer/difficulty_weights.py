"""How difficult each gold chunk is: the number of systems that get it right.

A weight file has the number of systems in its first line, and then a line for each sentence with
the number of systems that are right about each of its chunks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.errors import FormatError, GecevalError, OptionError
from geceval.formats import Input, PathLike, open_output
from geceval.metrics._shared.edits import offsets_of
from geceval.metrics.gotoscorer.gold_chunks import GoldChunks
from geceval.model import Corpus

_DIGEST_BYTES = 5


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of the weight ``a - (n + b) / (N + c)`` of what n of N systems get right.

    By default, a weight is the share of systems that get a chunk wrong.
    """

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0

    def __str__(self) -> str:
        """Write the weight of a chunk."""
        return f"{self.a:g}-(n+{self.b:g})/(N+{self.c:g})"


PLAIN = Constants()


@dataclass(frozen=True, eq=False)
class Difficulty:
    """The number of systems that get each chunk right, by which it is weighted.

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
    >>> easy.scaled_weights().tolist(), easy.scale()
    ([0, 0, 1], 2)
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

    def scale(self, constants: Constants = PLAIN) -> float:
        """What a weight of 1 is in `scaled_weights`."""
        return self.n_systems if constants == PLAIN else self.n_systems + constants.c

    def scaled_weights(self, constants: Constants = PLAIN) -> NDArray[Any]:
        """Return the weight of each chunk, times `scale`.

        By default these are integers, the numbers of systems that get a chunk wrong, so that sums
        are exact.

        Raises
        ------
        OptionError
            If what all systems get right would weigh less than nothing.
        """
        if constants == PLAIN:
            return self.n_systems - self.n_correct
        most = constants.a * self.scale(constants) - constants.b
        if most < self.n_systems:
            raise OptionError(
                f"gotoscorer: with a={constants.a:g}, b={constants.b:g} and c={constants.c:g}, "
                f"what all {self.n_systems} systems get right would weigh less than 0; "
                "give a larger a or c, or a smaller b"
            )
        return most - self.n_correct

    @cached_property
    def digest(self) -> str:
        """A short hash of all numbers, which every signature has."""
        numbers = np.concatenate(([self.n_systems], self.offsets, self.n_correct))
        return blake2b(numbers.astype("<i8").tobytes(), digest_size=_DIGEST_BYTES).hexdigest()

    def check(self, chunks: GoldChunks, corpus: Corpus) -> None:
        """Raise an error if there is not one number for each chunk of the gold standard."""
        name = self.path or "the difficulty"
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


def by_type(
    chunks: GoldChunks, difficulty: Difficulty, constants: Constants = PLAIN
) -> list[TypeDifficulty]:
    """Return the difficulty of each error type, the most difficult first."""
    weights: dict[str, list[float]] = {}
    types = (edit.type for edits in chunks.edits for edit in edits)
    scaled = difficulty.scaled_weights(constants)[chunks.edit_chunks].tolist()
    scale = difficulty.scale(constants)
    for name, weight in zip(types, scaled, strict=True):
        weights.setdefault(name, []).append(weight / scale)
    found = [
        TypeDifficulty(name, len(own), mean(own), stdev(own) if len(own) > 1 else 0.0)
        for name, own in weights.items()
    ]
    return sorted(found, key=lambda one: (-one.mean, one.type))
