"""Engines: apply a function to chunks in parallel, with results in order.

A chunk that fails is retried once. If it fails again, the error names it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from geceval.errors import GecevalError

__all__ = ["Chunk", "ChunkError", "Engine", "cut"]

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Chunk(Generic[Item]):
    """A batch of sentences, processed by one worker.

    Parameters
    ----------
    start
        Number of the first sentence, from 0.
    items
        The sentences.

    Examples
    --------
    >>> str(Chunk(10, ("a", "b")))
    'sentences 11 to 12'
    """

    start: int
    items: tuple[Item, ...]

    def __str__(self) -> str:
        """Return the numbers of the sentences, from 1."""
        return f"sentences {self.start + 1} to {self.start + len(self.items)}"


class ChunkError(GecevalError):
    """A chunk failed twice."""

    def __init__(self, chunk: Chunk[Item], reason: str) -> None:
        super().__init__(f"{chunk} failed twice: {reason}")


class Engine(Protocol):
    """Interface of engines."""

    def map(
        self, function: Callable[[Chunk[Item]], Result], chunks: Iterable[Chunk[Item]]
    ) -> Generator[Result, None, None]:
        """Yield the result for each chunk, in order.

        Only a few chunks are read ahead of the results. Closing the generator stops all workers.

        Parameters
        ----------
        function
            Picklable function. It should load large data, such as a model, on the first call.
        chunks
            Stream of chunks.

        Raises
        ------
        ChunkError
            If a chunk failed twice. A `GecevalError` of the function is raised without a retry.
        """
        ...


def cut(
    items: Iterable[Item], size: Callable[[Item], int], *, limit: int, start: int = 0
) -> Iterator[Chunk[Item]]:
    """Split a stream into chunks.

    Parameters
    ----------
    items
        The stream.
    size
        Returns the size of an item in tokens.
    limit
        Size at which a chunk ends.
    start
        Number of the first item.

    Examples
    --------
    >>> [chunk.items for chunk in cut(["aa", "b", "cc"], len, limit=3)]
    [('aa', 'b'), ('cc',)]
    """
    pending: list[Item] = []
    total = 0
    for item in items:
        pending.append(item)
        # Limit the number of empty sentences, too.
        total += max(1, size(item))
        if total >= limit:
            yield Chunk(start, tuple(pending))
            start += len(pending)
            pending, total = [], 0
    if pending:
        yield Chunk(start, tuple(pending))
