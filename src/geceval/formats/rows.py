"""What `geceval.annotating` reads: lines of parallel text side by side, or a corpus."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings, Input, PathLike, read_sentences
from geceval.model import Sentence

Row: TypeAlias = tuple[str, ...]
"""A source sentence and its corrections, as lines of text."""


def _is_file(path: PathLike) -> bool:
    """Whether it can be read again: not a pipe, not standard input."""
    return os.fspath(path) != "-" and Path(path).is_file()


def count_lines(sources: Sequence[PathLike], encoding: str) -> int | None:
    """Count the lines of parallel text, where they can be counted before they are read."""
    counts = {}
    for path in filter(_is_file, sources):
        with Input.open(path, encoding=encoding) as source:
            counts[source.name] = sum(1 for _ in source.lines())
    if not counts:
        return None
    (first, n_first), *others = counts.items()
    for name, n_lines in others:
        if n_lines != n_first:
            raise MismatchError(first, n_first, name, n_lines)
    return n_first


def digests(sources: Sequence[PathLike], *, required: bool) -> dict[str, str]:
    """Tell the content of the files apart from any other."""
    found = {}
    for number, path in enumerate(sources, 1):
        if _is_file(path):
            with open(path, "rb") as file:
                found[f"input {number}"] = hashlib.file_digest(file, "sha256").hexdigest()
        elif required:
            raise GecevalError(f"{os.fspath(path)} cannot be read again, so nothing can be resumed")
    return found


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
