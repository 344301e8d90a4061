"""Input of extraction: lines of parallel text, or the sentences of a corpus."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice, zip_longest
from typing import TypeAlias

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings, Input, PathLike, open_inputs, read_sentences
from geceval.model import Sentence

Row: TypeAlias = tuple[str, ...]
"""Lines of text: a source sentence and its corrections."""


class Items:
    """A stream of lines of parallel text, or of sentences of a corpus."""

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
        """Return the next `n` items without consuming them."""
        head = list(islice(self, n))
        self._peeked.extend(head)
        return head

    @property
    def sizes(self) -> dict[str, str]:
        """Sizes of the regular files, by a description for messages."""
        sizes = ((number, source.size) for number, source in enumerate(self._inputs, 1))
        return {f"the size of input {number}": str(size) for number, size in sizes if size}

    def estimated_total(self) -> int | None:
        """Estimate the number of items from the share of the files that has been read.

        It is exact at the end of the files. None if a file has no size or no line was read.
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
    """Open the input files.

    Raises
    ------
    MismatchError
        At the end of the shortest file of parallel text, if others have more lines.
    """
    with ExitStack() as stack:
        inputs = open_inputs(stack, sources, findings, encoding)
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
    """Yield one line of each file at a time."""
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
