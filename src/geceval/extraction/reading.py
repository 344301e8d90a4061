"""Input of extraction: lines of parallel text, or the sentences of a corpus."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from geceval.errors import GecevalError, MismatchError
from geceval.formats import (
    Findings,
    Input,
    PathLike,
    get_format,
    open_inputs,
    read_sentences,
)
from geceval.model import Sentence

if TYPE_CHECKING:
    # Tables and shards are imported when they are read, so that other runs start sooner.
    from geceval.formats.columns import PairColumns
    from geceval.formats.shards import Portion, ScannedFile, Shard, Watch

Row: TypeAlias = tuple[str, ...]
"""Lines of text: a source sentence and its corrections."""


class Items:
    """A stream of lines of parallel text, or of sentences of a corpus.

    Parameters
    ----------
    format
        Name of the format.
    inputs
        The files.
    stream
        The items.
    names
        Names of the files, or of the columns of a table.
    portion
        The sentences of a shard; None for all.
    """

    def __init__(
        self,
        format: str,
        inputs: Sequence[Input],
        stream: Iterator[Row] | Iterator[Sentence],
        *,
        names: Sequence[str] = (),
        portion: Portion | None = None,
    ) -> None:
        self.format = format
        self.names = list(names or [source.name for source in inputs])
        if portion is not None:
            # Their lines are counted from its start.
            self.names = [f"{name} (shard {portion.shard})" for name in self.names]
        self.portion = portion
        self._inputs = inputs
        self._stream: Iterator[Row | Sentence] = stream
        if portion is not None:
            self._stream = portion.checked(self._stream)
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
    def made_from(self) -> dict[str, str]:
        """What identifies the input, by a description for messages.

        Sizes of the regular files; for a shard, the shard and the hashes of all files.
        """
        if self.portion is not None:
            hashes = (str(one["sha256"]) for one in self.portion.inputs)
            named = {f"the content of input {n}": one for n, one in enumerate(hashes, 1)}
            return {"the shard": str(self.portion.shard), **named}
        sizes = ((number, source.size) for number, source in enumerate(self._inputs, 1))
        return {f"the size of input {number}": str(size) for number, size in sizes if size}

    @property
    def n_bytes(self) -> int | None:
        """Approximate size of the files, or of the shard; None if a file has no size."""
        if self.portion is not None:
            size = sum(int(one["size"]) for one in self.portion.inputs)
            return size * len(self.portion) // max(1, self.portion.total)
        sizes = [source.size for source in self._inputs]
        return None if None in sizes else sum(filter(None, sizes))

    def estimated_total(self) -> int | None:
        """Estimate the number of items from the share of the files that has been read.

        It is exact at the end of the files, and of a shard. None if a file has no size or no line
        was read.
        """
        if self.portion is not None:
            return len(self.portion)
        positions = [source.position for source in self._inputs]
        n_bytes = self.n_bytes
        if n_bytes is None or not (position := sum(filter(None, positions))):
            return None
        return max(self._n_read, round(self._n_read * n_bytes / position))


@dataclass(frozen=True, slots=True)
class Scans:
    """What was found by reading files for a shard, by their paths."""

    files: dict[str, ScannedFile] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)


@contextmanager
def open_items(
    sources: Sequence[PathLike],
    format: str | None,
    encoding: str,
    findings: Findings,
    *,
    columns: PairColumns | None = None,
    shard: Shard | None = None,
    watch: Watch | None = None,
    scans: Scans | None = None,
) -> Iterator[Items]:
    """Open the input files.

    Parameters
    ----------
    sources, format, encoding, findings
        As for `read_sentences`; the format ``"parallel"`` is source and corrections.
    columns
        Columns of a table, which is then the only file.
    shard
        The part of the files to read.
    watch
        Shows progress while the files are read to find a shard.
    scans
        What was found by reading the files for another shard, which is not repeated.

    Raises
    ------
    MismatchError
        At the end of the shortest file of parallel text, if others have more lines; for a shard,
        at once.
    """
    if columns is not None and len(sources) != 1:
        raise GecevalError(f"a table is one file, not {len(sources)}")
    with ExitStack() as stack:
        if shard is not None:
            opening = _Opening(stack, encoding, findings, watch, scans or Scans())
            yield (
                opening.table(sources[0], columns, shard)
                if columns
                else opening.texts(sources, format, shard)
            )
            return
        inputs = open_inputs(stack, sources, findings, encoding)
        if columns is not None:
            from geceval.formats.columns import read_pairs

            names = _column_names(inputs[0], columns)
            yield Items("parallel", inputs, read_pairs(inputs[0], columns), names=names)
        elif format == "parallel":
            _check_corrections(inputs)
            yield Items(format, inputs, _rows(inputs))
        else:
            fmt, sentences = stack.enter_context(read_sentences(inputs, format=format))
            if fmt.name == "parallel":
                _check_corrections(inputs)
            yield Items(fmt.name, inputs, sentences)


@dataclass(frozen=True, slots=True)
class _Opening:
    """Opens shards."""

    stack: ExitStack
    encoding: str
    findings: Findings
    watch: Watch | None
    scans: Scans

    def texts(self, sources: Sequence[PathLike], format: str | None, shard: Shard) -> Items:
        """Open a shard of parallel text, or of a corpus in one file."""
        from geceval.formats.shards import Portion

        name = _detected(sources, format, self.encoding)
        if name != "parallel" and len(sources) > 1:
            raise GecevalError("only one file of a corpus can be cut into shards; join them first")
        files = [self._scan(os.fspath(path), name) for path in sources]
        portion = Portion.of(files, shard)
        inputs = [self._open(file, portion) for file in files]
        if format == "parallel":
            _check_corrections(inputs)
            return Items(name, inputs, _rows(inputs), portion=portion)
        _, sentences = self.stack.enter_context(read_sentences(inputs, format=name))
        if name == "parallel":
            _check_corrections(inputs)
        return Items(name, inputs, sentences, portion=portion)

    def table(self, path: PathLike, columns: PairColumns, shard: Shard) -> Items:
        """Open a shard of a table."""
        from geceval.formats.columns import is_json_lines, read_pairs
        from geceval.formats.parquet import count_rows, is_parquet
        from geceval.formats.shards import OBJECTS, Portion

        source = self.stack.enter_context(Input.open(path, encoding=self.encoding))
        names = _column_names(source, columns)
        if is_parquet(source):
            total = count_rows(source)
            first, last = (total * n // shard.total for n in (shard.number - 1, shard.number))
            identity: dict[str, str | int] = {
                "name": Path(source.name).name,
                "size": source.size or 0,
                "sha256": self._hash(source),
            }
            portion = Portion(shard, first, last, total, (identity,))
            rows = read_pairs(source, columns, (first, last))
            return Items("parallel", [source], rows, names=names, portion=portion)
        if not is_json_lines(source):
            raise source.error("only tables in JSON Lines or Parquet can be cut into shards")
        file = self._scan(os.fspath(path), OBJECTS)
        portion = Portion.of([file], shard)
        part = self._open(file, portion)
        rows = read_pairs(part, columns)
        return Items("parallel", [part], rows, names=names, portion=portion)

    def _scan(self, path: str, layout: str) -> ScannedFile:
        from geceval.formats.shards import scan

        files = self.scans.files
        if path not in files:
            options: Any = {"findings": self.findings, "watch": self.watch}
            files[path] = scan(path, layout, encoding=self.encoding, **options)
        return files[path]

    def _hash(self, source: Input) -> str:
        hashes = self.scans.hashes
        if source.path not in hashes:
            deque(self._watched(source), maxlen=0)
            hashes[source.path] = source.sha256
        return hashes[source.path]

    def _watched(self, source: Input) -> Iterable[bytes]:
        blocks = source.blocks()
        return blocks if self.watch is None else self.watch(blocks, f"reading {source.name}", None)

    def _open(self, file: ScannedFile, portion: Portion) -> Input:
        part = file.open(
            portion.first, portion.last, findings=self.findings, encoding=self.encoding
        )
        return self.stack.enter_context(part)


def _detected(sources: Sequence[PathLike], format: str | None, encoding: str) -> str:
    """Return the format of files."""
    if format is not None:
        return get_format(format).name
    with read_sentences(sources, encoding=encoding) as (fmt, _):
        return fmt.name


def _column_names(source: Input, columns: PairColumns) -> list[str]:
    return [f"{source.name}, column {name}" for name in columns.names]


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
