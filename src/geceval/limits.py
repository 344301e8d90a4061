"""How large a sentence may be: one set of limits for everything that compares sentences.

What is compared token by token needs a table with a cell for each pair of positions, so that time
and memory grow with the product of two lengths. A sentence that would need more cells than are
allowed is refused before any work is done, with an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from geceval.errors import GecevalError

MAX_CELLS = 10_000_000
"""Cells that the table of one sentence may have, about 3,160 tokens against as many. One sentence
then takes at most 10 seconds and 1 GB, by any metric."""

BITS = 64
"""Cells that a comparison by bits fills in one step: it may have as many times more of them."""

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


def check_pairs(
    name: str,
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    number: Callable[[int], int] = int,
    unit: str = "tokens",
    at_once: int = 1,
) -> None:
    """Refuse pairs of sentences that are too large to be compared; equal ones never are.

    Parameters
    ----------
    name
        Whose sentences they are: a system or a file.
    first, second
        Sentences.
    number
        Tells which sentence a pair belongs to, from 0.
    unit
        What sentences are made of.
    at_once
        How many cells are filled in one step.

    Raises
    ------
    GecevalError
        For the first pair that has too many cells.

    Examples
    --------
    >>> with allow(cells=5):
    ...     check_pairs("ours", ["a"], ["b", "c"])
    ...     check_pairs("ours", ["a", "abc"], ["b", "ab"], unit="characters")
    Traceback (most recent call last):
    geceval.errors.GecevalError: ours, sentence 2: 3 × 2 characters make 12 cells, more than the 5 \
that are allowed; split the sentence or raise the limit (--max-cells)
    """
    import numpy as np

    count = min(len(first), len(second))
    sizes = np.fromiter(map(len, first), dtype=np.int64, count=len(first))[:count]
    others = np.fromiter(map(len, second), dtype=np.int64, count=len(second))[:count]
    cells = (sizes + 1) * (others + 1)
    limit = max_cells() * at_once
    for at in np.flatnonzero(cells > limit).tolist():
        if first[at] != second[at]:
            shape = f"{sizes[at]:,} × {others[at]:,} {unit} make {cells[at]:,} cells"
            raise too_large(name, number(at), shape, limit)


def check_cells(name: str, cells: Sequence[int] | Any, what: str) -> None:
    """Refuse sentences whose tables have too many cells.

    Parameters
    ----------
    name
        Whose sentences they are.
    cells
        The cells of each sentence.
    what
        What makes so many cells.
    """
    import numpy as np

    for at in np.flatnonzero(np.asarray(cells) > max_cells())[:1].tolist():
        raise too_large(name, at, f"{what} make {cells[at]:,} cells", max_cells())


def too_large(name: str, number: int, shape: str, limit: int | None = None) -> GecevalError:
    """Make the error for a sentence that is too large.

    Parameters
    ----------
    name
        Whose sentence it is.
    number
        Which one it is, from 0.
    shape
        What is too large about it.
    limit
        The cells that are allowed; None where it is not cells that are too many.
    """
    allowed = ""
    remedy = "split the sentence"
    if limit is not None:
        allowed = f", more than the {limit:,} that are allowed"
        remedy += " or raise the limit (--max-cells)"
    return GecevalError(f"{place(name, number)}: {shape}{allowed}; {remedy}")


def place(name: str, number: int) -> str:
    """Name a sentence as people count.

    Examples
    --------
    >>> place("ours", 0), place("", 0)
    ('ours, sentence 1', 'sentence 1')
    """
    return ", ".join(part for part in (name, f"sentence {number + 1:,}") if part)
