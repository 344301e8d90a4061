"""How large a sentence may be: one set of limits for everything that compares sentences.

What is compared token by token needs a table with a cell for each pair of positions, so that time
and memory grow with the product of two lengths. A sentence that would need more cells than are
allowed is refused before any work is done, with an error that names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, TypeVar

from geceval.errors import GecevalError

Sentence = TypeVar("Sentence")

MAX_CELLS = 10_000_000
"""Cells that the table of one sentence may have, about 3,160 tokens against as many. One sentence
then takes at most 10 seconds and 1 GB, by any metric."""

BITS = 64
"""Cells that a comparison by bits fills in one step; it may have as many times more of them."""

PER_TOKEN = 10
"""Cells for which the work on a single token stands."""

ANALYSIS = 100
"""The same, where tokens are analyzed."""

_max_cells: ContextVar[int] = ContextVar("max_cells", default=MAX_CELLS)


def max_cells() -> int:
    """Return how many cells the table of one sentence may have."""
    return _max_cells.get()


@contextmanager
def allow(*, cells: int) -> Iterator[None]:
    """Set how many cells the table of one sentence may have, in this context only.

    Parameters
    ----------
    cells
        About the product of the lengths of two sentences, in tokens.

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
    """A sentence is too large to be worked on.

    Parameters
    ----------
    shape
        What is too large about it.
    limit
        The cells that are allowed; None where no limit could be raised.
    pair
        The two sentences that were to be compared, where there are two.
    place
        Whose sentence it is, and which.

    Examples
    --------
    >>> print(TooLargeError("3 × 2 tokens make 62 cells", 50).at("ours", 0))
    ours, sentence 1: 3 × 2 tokens make 62 cells, more than the 50 that are allowed; split the \
sentence or raise the limit with --max-cells
    """

    def __init__(self, shape: str, limit: int | None, pair: Any = None, place: str = "") -> None:
        self.shape = shape
        self.limit = limit
        self.pair = pair
        self.place = place
        super().__init__(shape, limit, pair, place)

    def __str__(self) -> str:
        """Say where, what, and what can be done about it."""
        start = f"{self.place}: {self.shape}" if self.place else self.shape
        if self.limit is None:
            return f"{start}; split the sentence"
        return (
            f"{start}, more than the {self.limit:,} that are allowed; split the sentence or raise "
            "the limit with --max-cells"
        )

    def at(self, name: str, number: int) -> TooLargeError:
        """Return the error with its place: whose sentence it is, and which, from 0."""
        return TooLargeError(self.shape, self.limit, self.pair, place(name, number))


def place(name: str, number: int) -> str:
    """Name a sentence as people count.

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
    """Refuse a pair of sentences that is too large to be compared; an equal one never is.

    Parameters
    ----------
    first, second
        The sentences.
    unit
        What they are made of.
    at_once
        How many cells are filled in one step.
    per_token
        For how many cells the work on a single token stands.

    Examples
    --------
    >>> with allow(cells=50):
    ...     check_pair("abc", "ab", unit="characters")
    Traceback (most recent call last):
    geceval.limits.TooLargeError: 3 × 2 characters make 62 cells, more than the 50 that are \
allowed; split the sentence or raise the limit with --max-cells
    """
    n_first, n_second = len(first), len(second)
    cells = (n_first + 1) * (n_second + 1) + per_token * (n_first + n_second)
    limit = max_cells() * at_once
    if cells > limit and first != second:
        shape = f"{n_first:,} × {n_second:,} {unit} make {cells:,} cells"
        raise TooLargeError(shape, limit, (first, second))


def check_pairs(
    name: str,
    first: Iterable[Sized],
    second: Iterable[Sized],
    *,
    numbers: Iterable[int] | None = None,
    **how: Any,
) -> None:
    """Refuse pairs of sentences that are too large to be compared, before any is.

    Parameters
    ----------
    name
        Whose sentences they are: a system or a file.
    first, second
        Sentences.
    numbers
        Which sentence each pair belongs to, from 0; None for one after the other.
    how
        As in `check_pair`.
    """
    least = max_cells() // 2
    places = count() if numbers is None else iter(numbers)
    for one, other in zip(first, second, strict=True):
        number = next(places)
        # Nearly all sentences are far from the limit, which is all that is asked of them.
        if len(one) * len(other) + ANALYSIS * (len(one) + len(other)) > least:
            try:
                check_pair(one, other, **how)
            except TooLargeError as error:
                raise error.at(name, number) from None


def named(sentences: Iterable[Sentence], name: str) -> Iterator[Sentence]:
    """Pass sentences on; where one of them is too large, say which and whose."""
    stream = iter(sentences)
    for number in count():
        try:
            sent = next(stream)
        except StopIteration:
            return
        except TooLargeError as error:
            raise error.at(name, number) from None
        yield sent
