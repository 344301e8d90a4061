"""Limits on the size of sentences, shared by all algorithms that compare sentences.

Dynamic programming needs a table with a cell for each pair of positions, so time and memory grow
with the product of two lengths. A sentence that exceeds the limit raises an error that names it
before any work is done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, TypeVar

from geceval.errors import GecevalError

Sentence = TypeVar("Sentence")

MAX_CELLS = 10_000_000
"""Default maximum number of cells per sentence, that of 3,160 × 3,160 tokens. A sentence then takes
at most 10 seconds and 1 GB with any metric."""

BITS = 64
"""Cells that a bit-parallel algorithm computes at once; its limit is higher by this factor."""

PER_TOKEN = 10
"""Cost of processing a token, in cells."""

ANALYSIS = 100
"""Cost of analyzing a token, in cells."""

_max_cells: ContextVar[int] = ContextVar("max_cells", default=MAX_CELLS)


def max_cells() -> int:
    """Return the maximum number of cells per sentence."""
    return _max_cells.get()


@contextmanager
def allow(*, cells: int) -> Iterator[None]:
    """Set the maximum number of cells per sentence in this context.

    Parameters
    ----------
    cells
        Roughly the product of two sentence lengths in tokens.

    Examples
    --------
    >>> with allow(cells=40_000_000):
    ...     max_cells()
    40000000
    >>> max_cells()
    10000000
    """
    if cells < 1:
        raise GecevalError(f"the limit must be a positive number of cells, not {cells}")
    token = _max_cells.set(cells)
    try:
        yield
    finally:
        _max_cells.reset(token)


class TooLargeError(GecevalError):
    """A sentence exceeds the size limit.

    Parameters
    ----------
    shape
        Description of its size.
    limit
        Maximum number of cells; None if the limit is not adjustable.
    pair
        The two sentences to compare, if any.
    place
        System or file, and sentence.

    Examples
    --------
    >>> print(TooLargeError("3 × 2 tokens make 62 cells", 50).at("ours", 0))
    ours, sentence 1: 3 × 2 tokens make 62 cells, more than the limit of 50; split the \
sentence or raise the limit with --max-cells
    """

    def __init__(self, shape: str, limit: int | None, pair: Any = None, place: str = "") -> None:
        self.shape = shape
        self.limit = limit
        self.pair = pair
        self.place = place
        super().__init__(shape, limit, pair, place)

    def __str__(self) -> str:
        """Format place, size and remedy."""
        start = f"{self.place}: {self.shape}" if self.place else self.shape
        if self.limit is None:
            return f"{start}; split the sentence"
        return (
            f"{start}, more than the limit of {self.limit:,}; split the sentence or raise "
            "the limit with --max-cells"
        )

    def at(self, name: str, number: int) -> TooLargeError:
        """Return the error with its place: system or file, and sentence, from 0."""
        return TooLargeError(self.shape, self.limit, self.pair, place(name, number))

    def later(self, n_sentences: int) -> TooLargeError:
        """Return the error of a sentence that has so many before those that were counted.

        Examples
        --------
        >>> TooLargeError("", None).at("ours", 0).later(2000).place
        'ours, sentence 2,001'
        """
        start, word, number = self.place.rpartition("sentence ")
        if not word:
            return self
        moved = f"{start}{word}{int(number.replace(',', '')) + n_sentences:,}"
        return TooLargeError(self.shape, self.limit, self.pair, moved)


def place(name: str, number: int) -> str:
    """Format the place of a sentence, counted from 1.

    Examples
    --------
    >>> place("ours", 0), place("", 0)
    ('ours, sentence 1', 'sentence 1')
    """
    return ", ".join(part for part in (name, f"sentence {number + 1:,}") if part)


def check_pair(
    first: Sized,
    second: Sized,
    *,
    unit: str = "tokens",
    at_once: int = 1,
    per_token: int = PER_TOKEN,
) -> None:
    """Raise an error if two different sentences are too large to compare.

    Parameters
    ----------
    first, second
        The sentences.
    unit
        What their lengths count.
    at_once
        Number of cells computed at once.
    per_token
        Cost of processing a token, in cells.

    Examples
    --------
    >>> with allow(cells=50):
    ...     check_pair("abc", "ab", unit="characters")
    Traceback (most recent call last):
    geceval.limits.TooLargeError: 3 × 2 characters make 62 cells, more than the limit of 50; \
split the sentence or raise the limit with --max-cells
    """
    n_first, n_second = len(first), len(second)
    cells = (n_first + 1) * (n_second + 1) + per_token * (n_first + n_second)
    limit = max_cells() * at_once
    if cells > limit and first != second:
        shape = f"{n_first:,} × {n_second:,} {unit} make {cells:,} cells"
        raise TooLargeError(shape, limit, (first, second))


def check_pairs(
    name: str,
    first: Collection[Sized],
    second: Collection[Sized],
    *,
    numbers: Iterable[int] | None = None,
    **how: Any,
) -> None:
    """Raise an error if any pair of sentences is too large to compare.

    Parameters
    ----------
    name
        System or file, for the message.
    first, second
        Sentences.
    numbers
        Sentence number of each pair, from 0; consecutive when None.
    how
        As in `check_pair`.
    """
    least = max_cells() // 2
    # The longest sentences of both sides suffice for nearly all corpora.
    longest, other_longest = (max(map(len, side), default=0) for side in (first, second))
    most = longest * other_longest + ANALYSIS * (longest + other_longest)
    if most <= least and len(first) == len(second):
        return
    places = count() if numbers is None else iter(numbers)
    for one, other in zip(first, second, strict=True):
        number = next(places)
        # A quick check suffices for nearly all sentences.
        if len(one) * len(other) + ANALYSIS * (len(one) + len(other)) > least:
            try:
                check_pair(one, other, **how)
            except TooLargeError as error:
                raise error.at(name, number) from None


def name_errors(sentences: Iterable[Sentence], name: str) -> Iterator[Sentence]:
    """Yield sentences, and add their place to a `TooLargeError`."""
    stream = iter(sentences)
    for number in count():
        try:
            sent = next(stream)
        except StopIteration:
            return
        except TooLargeError as error:
            raise error.at(name, number) from None
        yield sent
