"""Engines: one function over many chunks of work, the results in order.

An engine knows nothing of the work. It gets a function and a stream of chunks, runs them where
it likes, and gives one result for each chunk, in the order of the chunks. A chunk that fails is
tried once more; if it fails again, the error names it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from geceval.errors import GecevalError

__all__ = ["Chunk", "ChunkError", "Engine", "cut"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Chunk(Generic[Item]):
    """Sentences, or what stands for them, that are worked on together.

    Parameters
    ----------
    start
        The number of the first of them, from 0.
    items
        What is worked on.

    Examples
    --------
    >>> str(Chunk(10, ("a", "b")))
    'sentences 11 to 12'
    """

    start: int
    items: tuple[Item, ...]

    def __str__(self) -> str:
        """Name it as people count."""
        return f"sentences {self.start + 1} to {self.start + len(self.items)}"


class ChunkError(GecevalError):
    """A chunk failed twice."""

    def __init__(self, chunk: Chunk[Item], reason: str) -> None:
        super().__init__(f"{chunk} failed twice: {reason}")


class Engine(Protocol):
    """Anything that can run a function over chunks."""

    def map(
        self, function: Callable[[Chunk[Item]], Answer], chunks: Iterable[Chunk[Item]]
    ) -> Generator[Answer, None, None]:
        """Yield the result for each chunk, in order.

        Chunks are taken from the stream only a little ahead of the results. Closing the
        generator ends all work.

        Parameters
        ----------
        function
            Must be picklable, for it may run in another process. What it needs that is large,
            such as a model, it should load when it is first called.
        chunks
            What to work on.

        Raises
        ------
        ChunkError
            When a chunk failed twice. A `GecevalError` of the function is raised at once:
            bad data does not get better.
        """
        ...


def cut(
    items: Iterable[Item], size: Callable[[Item], int], *, limit: int, start: int = 0
) -> Iterator[Chunk[Item]]:
    """Cut a stream into chunks.

    Parameters
    ----------
    items
        The stream.
    size
        Tells the size of an item, in tokens.
    limit
        A chunk ends with the item that reaches this size.
    start
        The number of the first item.

    Examples
    --------
    >>> [chunk.items for chunk in cut(["aa", "b", "cc"], len, limit=3)]
    [('aa', 'b'), ('cc',)]
    """
    pending: list[Item] = []
    total = 0
    for item in items:
        pending.append(item)
        # Even an empty sentence takes some room.
        total += max(1, size(item))
        if total >= limit:
            yield Chunk(start, tuple(pending))
            start += len(pending)
            pending, total = [], 0
    if pending:
        yield Chunk(start, tuple(pending))
