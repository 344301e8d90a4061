"""Engines: apply a function to chunks in parallel, with results in order.

All engines follow one policy. A chunk is tried `ATTEMPTS` times, by another worker if its worker
died. A chunk that fails each time yields a `ChunkFailure` in its place, and the others are
finished: the caller decides what a failed chunk means.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from geceval.errors import GecevalError

__all__ = ["ATTEMPTS", "Chunk", "ChunkError", "ChunkFailure", "Engine", "cut", "demand"]

ATTEMPTS = 3
"""How many times a chunk is tried."""

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
    """A chunk failed each time it was tried."""


@dataclass(frozen=True, slots=True)
class ChunkFailure(Generic[Item]):
    """What an engine yields in place of the result of a chunk that failed each time.

    Parameters
    ----------
    chunk
        The chunk.
    reason
        Why its last attempt failed, in one line.
    trace
        Traceback of the last attempt; empty if its worker died.

    Examples
    --------
    >>> str(ChunkFailure(Chunk(10, ("a", "b")), "its process was ended by SIGKILL"))
    'sentences 11 to 12 failed 3 times: its process was ended by SIGKILL'
    """

    chunk: Chunk[Item]
    reason: str
    trace: str = ""

    def __str__(self) -> str:
        """Return a message that names the sentences."""
        return f"{self.chunk} failed {ATTEMPTS} times: {self.reason}"

    @property
    def error(self) -> ChunkError:
        """The failure as an exception."""
        error = ChunkError(str(self))
        if self.trace:
            error.add_note(self.trace)
        return error


class Engine(Protocol):
    """Interface of engines."""

    def map(
        self, function: Callable[[Chunk[Item]], Result], chunks: Iterable[Chunk[Item]]
    ) -> Generator[Result | ChunkFailure[Item], None, None]:
        """Yield the result or the failure of each chunk, in order.

        Only a few chunks are read ahead of the results. Closing the generator stops all workers.

        Parameters
        ----------
        function
            Picklable function. It should load large data, such as a model, on the first call.
        chunks
            Stream of chunks.

        Raises
        ------
        GecevalError
            Of the function, without a retry: it tells what is wrong with the input.
        """
        ...


def demand(results: Iterable[Result | ChunkFailure[Any]]) -> Generator[Result, None, None]:
    """Yield the results of an engine; raise a `ChunkError` at the first failure.

    Examples
    --------
    >>> list(demand([1, 2]))
    [1, 2]
    """
    for result in results:
        if isinstance(result, ChunkFailure):
            raise result.error
        yield result


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
