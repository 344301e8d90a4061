"""What `geceval.extraction.files` reads: lines of parallel text side by side, or a corpus."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings, Input, PathLike, read_sentences
from geceval.model import Sentence

Row: TypeAlias = tuple[str, ...]
"""A source sentence and its corrections, as lines of text."""


def _is_file(path: PathLike) -> bool:
    """Whether it can be read again: not a pipe, not standard input."""
    return os.fspath(path) != "-" and Path(path).is_file()


def check_readable_again(sources: Sequence[PathLike]) -> None:
    """Refuse what can be read only once: nobody could tell that it is the same as before."""
    for path in sources:
        if not _is_file(path):
            raise GecevalError(f"{os.fspath(path)} cannot be read again, so nothing can be resumed")


class Survey(NamedTuple):
    """What is known of the input before anything is done with it.

    Parameters
    ----------
    n_sentences
        How many sentences there will be; None where only reading them all would tell.
    digests
        What tells the content of each file apart from any other.
    """

    n_sentences: int | None
    digests: dict[str, str]


def survey(sources: Sequence[PathLike], format: str, encoding: str) -> Survey:
    """Read the input once, before it is read to be worked on.

    Parameters
    ----------
    sources
        The files; what can be read only once, a pipe or standard input, is left alone.
    format
        Name of their format.
    encoding
        Their text encoding.

    Raises
    ------
    MismatchError
        When files of parallel text have different numbers of lines.
    """
    counts: dict[str, int | None] = {}
    digests = {}
    for number, path in enumerate(sources, 1):
        if _is_file(path):
            name = os.fspath(path)
            counts[name], digests[f"input {number}"] = _count_and_digest(path, format, encoding)
    if format == "parallel":
        return Survey(_same_count(counts), digests)
    known = [count for count in counts.values() if count is not None]
    return Survey(sum(known) if len(known) == len(sources) else None, digests)


def _same_count(counts: Mapping[str, int | None]) -> int | None:
    """Return how many lines all files have."""
    known = {name: count for name, count in counts.items() if count is not None}
    if not known:
        return None
    (first, n_first), *others = known.items()
    for name, n_lines in others:
        if n_lines != n_first:
            raise MismatchError(first, n_first, name, n_lines)
    return n_first


# What tells, of the lines of a format, those that begin a sentence.
_BEGINS: dict[str, Callable[[str], bool]] = {
    "parallel": lambda _: True,
    "m2": lambda line: line.startswith("S ") or line == "S",
    "m2-char": lambda line: line.startswith("S ") or line == "S",
    "jsonl": lambda line: not line.isspace() and '"tokens"' in line,
}


def _count_and_digest(path: PathLike, format: str, encoding: str) -> tuple[int | None, str]:
    with open(path, "rb") as file:
        content = _Digesting(file)
        count = None
        if format in _BEGINS:
            with Input(
                io.BufferedReader(content), name=os.fspath(path), encoding=encoding
            ) as source:
                count = sum(map(_BEGINS[format], source.lines()))
                content.drain()
        else:
            content.drain()
    return count, content.digest.hexdigest()


class _Digesting(io.RawIOBase):
    """A file that is digested while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._source = file
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer))
        buffer[: len(data)] = data
        self.digest.update(data)
        return len(data)

    def drain(self) -> None:
        """Digest what nobody has read."""
        while data := self._source.read(1 << 20):
            self.digest.update(data)


@contextmanager
def open_items(
    sources: Sequence[PathLike], format: str | None, encoding: str, findings: Findings
) -> Iterator[tuple[str, Iterator[Row | Sentence]]]:
    """Open the input: lines of parallel text, or sentences of a corpus."""
    if sum(os.fspath(path) == "-" for path in sources) > 1:
        raise GecevalError("standard input ('-') can be read only once")
    if format == "parallel":
        with ExitStack() as stack:
            inputs = [
                stack.enter_context(Input.open(path, findings=findings, encoding=encoding))
                for path in sources
            ]
            _check_corrections(len(inputs), inputs[0].name)
            yield format, _rows(inputs)
        return
    with read_sentences(sources, format=format, findings=findings, encoding=encoding) as (
        fmt,
        sentences,
    ):
        if fmt.name == "parallel":
            _check_corrections(len(sources), os.fspath(sources[0]))
        yield fmt.name, sentences


def _check_corrections(n_files: int, name: str) -> None:
    if n_files < 2:
        raise GecevalError(f"{name} is plain text, which needs a second file with corrections")


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
