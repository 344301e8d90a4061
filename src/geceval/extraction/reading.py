"""What `geceval.extraction.files` reads: lines of parallel text side by side, or a corpus."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice, zip_longest
from typing import TypeAlias

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings, Input, PathLike, read_sentences
from geceval.model import Sentence

Row: TypeAlias = tuple[str, ...]
"""A source sentence and its corrections, as lines of text."""


class Items:
    """The sentences of the input, in order.

    Parameters
    ----------
    format
        Name of their format.
    inputs
        The files.
    stream
        Lines of parallel text, or sentences of a corpus.
    """

    def __init__(
        self, format: str, inputs: Sequence[Input], stream: Iterator[Row] | Iterator[Sentence]
    ) -> None:
        self.format = format
        self.names = [source.name for source in inputs]
        self._inputs = inputs
        self._stream = stream
        self._peeked: deque[Row | Sentence] = deque()
        self._n_read = 0

    def __iter__(self) -> Iterator[Row | Sentence]:
        while self._peeked:
            yield self._peeked.popleft()
        for item in self._stream:
            self._n_read += 1
            yield item

    def peek(self, n: int) -> list[Row | Sentence]:
        """Return the first `n` items, which will be read all the same."""
        head = list(islice(self, n))
        self._peeked.extend(head)
        return head

    @property
    def sizes(self) -> dict[str, str]:
        """The size of each regular file."""
        sizes = ((number, source.size) for number, source in enumerate(self._inputs, 1))
        return {f"the size of input {number}": str(size) for number, size in sizes if size}

    def estimated_total(self) -> int | None:
        """Estimate the number of items by the share of the files that has been read.

        It is exact when all lines are split. None where a file has no size, or no lines.
        """
        positions = [source.position for source in self._inputs]
        sizes = [source.size for source in self._inputs]
        if None in sizes or not (position := sum(filter(None, positions))):
            return None
        return max(self._n_read, round(self._n_read * sum(filter(None, sizes)) / position))


@contextmanager
def open_items(
    sources: Sequence[PathLike], format: str | None, encoding: str, findings: Findings
) -> Iterator[Items]:
    """Open the input: lines of parallel text, or sentences of a corpus.

    Raises
    ------
    MismatchError
        At the end of the shortest file of parallel text, when others have more lines.
    """
    if sum(os.fspath(path) == "-" for path in sources) > 1:
        raise GecevalError("standard input ('-') can be read only once")
    with ExitStack() as stack:
        inputs = [
            stack.enter_context(Input.open(path, findings=findings, encoding=encoding))
            for path in sources
        ]
        if format == "parallel":
            _check_corrections(inputs)
            yield Items(format, inputs, _rows(inputs))
            return
        fmt, sentences = stack.enter_context(read_sentences(inputs, format=format))
        if fmt.name == "parallel":
            _check_corrections(inputs)
        yield Items(fmt.name, inputs, sentences)


def _check_corrections(inputs: Sequence[Input]) -> None:
    if len(inputs) < 2:
        raise GecevalError(
            f"{inputs[0].name} is plain text, which needs a second file with corrections"
        )


def _rows(inputs: Sequence[Input]) -> Iterator[Row]:
    """Read a line of each file at a time."""
    files = [source.lines() for source in inputs]
    for number, row in enumerate(zip_longest(*files)):
        if None in row:
            counts = [
                number + (line is not None) + sum(1 for _ in file)
                for line, file in zip(row, files, strict=True)
            ]
            other = next(i for i, count in enumerate(counts) if count != counts[0])
            raise MismatchError(inputs[0].name, counts[0], inputs[other].name, counts[other])
        yield row
