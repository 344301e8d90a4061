"""Shards: one of N parts of the input files, cut between sentences.

Shards are ranges of bytes of the first file, moved to the start of a sentence; a compressed file
counts as if it were not. The other files are cut at the same sentences, which have other offsets
there. Each shard therefore reads all files once, to find the places and to hash the files, and
then its own part; it seeks in plain files, and skips in compressed ones.
"""

from __future__ import annotations

import io
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from geceval.errors import GecevalError, MismatchError, OptionError
from geceval.formats.findings import Findings
from geceval.formats.inputs import BlockStream, Input
from geceval.storage.manifests import Kind, Manifest, identities
from geceval.storage.urls import open_binary, shown_name

Item = TypeVar("Item")

Watch: TypeAlias = Callable[[Iterable[bytes], str, int | None], Iterable[bytes]]
"""Shows progress, given the blocks of a file, what is done and how many there are, if known."""

MAX_SHARDS = 1_000_000

_MARKS = 1 << 16
"""Approximate number of places in a file at which it may be cut."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of an input.

    Examples
    --------
    >>> Shard.parse("3/8")
    Shard(number=3, total=8)
    >>> str(_)
    '3/8'
    """

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse ``I/N``, with I from 1 to N."""
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
        if match is None:
            raise OptionError(f"expected a shard as I/N, such as 3/8, not {text!r}")
        number, total = map(int, match.groups())
        if not 1 <= number <= total:
            raise OptionError(
                f"there is no shard {text.strip()}: the shards of N are 1/N, 2/N, … N/N, from 1"
            )
        if total > MAX_SHARDS:
            raise OptionError(f"at most {MAX_SHARDS:,} shards are possible, not {total:,}")
        return cls(number, total)

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


class _LineLayout(NamedTuple):
    """Where sentences begin in a file of lines.

    Parameters
    ----------
    first
        Position of the first place to cut in whole lines, given the end of the text before; None
        if there is none.
    count
        Number of sentences in whole lines.
    has_header
        Whether the first line is a header, which every shard needs.
    """

    first: Callable[[bytes, bytes], int | None]
    count: Callable[[bytes], int]
    has_header: bool = False


def _count_lines(text: bytes) -> int:
    return text.count(b"\n") + (not text.endswith(b"\n"))


def _first_object(text: bytes, _: bytes) -> int | None:
    return 0 if text.startswith(b"{") else text.find(b"\n{") + 1 or None


def _count_objects(text: bytes) -> int:
    return text.startswith(b"{") + text.count(b"\n{")


_M2_START = re.compile(rb"S(?= |\r?\n|\Z)")
_M2_EMPTY = re.compile(rb"\nS(?=\r?\n|\Z)")
_M2_BLOCK = re.compile(rb"\n\r?\nS(?= |\r?\n|\Z)")
_BEFORE = 3
"""Bytes that end a line and a blank line with CRLF."""


def _first_m2(text: bytes, before: bytes) -> int | None:
    if not before:
        return 0
    match = _M2_BLOCK.search(before + text)
    return None if match is None else match.end() - 1 - len(before)


def _count_m2(text: bytes) -> int:
    is_first = _M2_START.match(text) is not None
    return is_first + text.count(b"\nS ") + len(_M2_EMPTY.findall(text))


OBJECTS = "objects"
"""The layout of tables in JSON Lines."""

_LAYOUTS = {
    "parallel": _LineLayout(lambda *_: 0, _count_lines),
    "m2": _LineLayout(_first_m2, _count_m2),
    "m2-char": _LineLayout(_first_m2, _count_m2),
    "jsonl": _LineLayout(_first_object, _count_objects, has_header=True),
    OBJECTS: _LineLayout(_first_object, _count_objects),
}


def can_cut(layout: str) -> bool:
    """Whether files of a format can be cut into shards."""
    return layout in _LAYOUTS


class _Mark(NamedTuple):
    """A place to cut: its offset in bytes, and the sentences and lines before it."""

    offset: int
    records: int
    lines: int


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A file that was read once, to find where it can be cut.

    Parameters
    ----------
    path
        The file.
    layout
        Name of its layout.
    sha256, size
        Hash and size of the file as it is on disk.
    n_bytes, n_records
        Size of the decompressed text, and number of sentences.
    header
        The first line, if every shard needs it.
    marks
        Places to cut.
    skipped
        Size of the byte order mark.
    is_compressed
        Whether it has to be decompressed from its start.
    """

    path: str
    layout: str
    sha256: str
    size: int
    n_bytes: int
    n_records: int
    header: bytes
    marks: Sequence[_Mark]
    skipped: int
    is_compressed: bool

    @property
    def identity(self) -> dict[str, str | int]:
        """What identifies the content of the file, and its name for messages."""
        return {"name": Path(shown_name(self.path)).name, "size": self.size, "sha256": self.sha256}

    def bounds(self, shard: Shard) -> tuple[int, int]:
        """Return the numbers of the first sentence of a shard, and of the first one after it."""
        return self._bound(shard.number - 1, shard.total), self._bound(shard.number, shard.total)

    def _bound(self, number: int, total: int) -> int:
        offset = -(-self.n_bytes * number // total)
        if not number:
            return 0
        place = bisect_left(self.marks, (offset,))
        return self.marks[place].records if place < len(self.marks) else self.n_records

    def open(self, first: int, last: int, *, findings: Findings | None, encoding: str) -> Input:
        """Open the sentences from `first` up to `last` as an input."""
        section = _Section(self, first, last)
        return Input(
            section.stream(),  # type: ignore[arg-type]
            name=shown_name(self.path),
            findings=findings,
            encoding=encoding,
            lines_before=section.lines_before,
        )


class _Section:
    """A range of the sentences of a file."""

    def __init__(self, scanned: ScannedFile, first: int, last: int) -> None:
        self._scanned = scanned
        self._first, self._last = first, last
        self._layout = _LAYOUTS[scanned.layout]
        self._start = self._mark(first)
        self.lines_before = self._start.lines - bool(scanned.header)

    def _mark(self, record: int) -> _Mark:
        """Return the last mark that is not after a sentence."""
        marks = self._scanned.marks
        place = bisect_right(marks, record, key=lambda mark: mark.records)
        return marks[place - 1] if place else _Mark(0, 0, 0)

    def stream(self) -> BlockStream:
        """Return the bytes of the section."""
        blocks = BlockStream(self._from(self._start.offset))
        if self._first == self._last:
            return BlockStream(iter(()))
        reader = io.BufferedReader(blocks)
        first_line, skipped = self._skip(reader)
        self.lines_before += skipped
        return BlockStream(self._blocks(reader, first_line))

    def _from(self, offset: int) -> Iterator[bytes]:
        """Yield the decompressed file from an offset."""
        scanned = self._scanned
        if not scanned.is_compressed:
            with open_binary(scanned.path) as file:
                file.seek(offset + scanned.skipped)
                while block := file.read(_BLOCK):
                    yield block
            return
        with Input.open(scanned.path) as source:
            for block in source.blocks():
                if offset < len(block):
                    yield block[offset:]
                offset = max(0, offset - len(block))

    def _skip(self, reader: io.BufferedReader[Any]) -> tuple[bytes, int]:
        """Skip to the first sentence; return its first line, and the number of lines skipped."""
        n_left = self._first - self._start.records
        skipped, before = 0, b""
        while line := reader.readline():
            n_begun = self._layout.count(line)
            if n_begun and not n_left:
                break
            n_left -= n_begun
            skipped += 1
            before = line
        if skipped and self._layout.first(line, (b"\n" + before)[-_BEFORE:]) != 0:
            raise GecevalError(
                f"{shown_name(self._scanned.path)}: sentence {self._first + 1} is in the middle of "
                "a block, where it cannot be cut into shards"
            )
        return line, skipped

    def _blocks(self, reader: io.BufferedReader[Any], first_line: bytes) -> Iterator[bytes]:
        """Yield the header and the bytes up to the last sentence."""
        scanned = self._scanned
        with closing(reader):
            if scanned.header:
                yield scanned.header
            yield first_line
            if self._last == scanned.n_records:
                while block := reader.read(_BLOCK):
                    yield block
                return
            n_left = self._last - self._first - self._layout.count(first_line)
            while line := reader.readline():
                n_left -= self._layout.count(line)
                if n_left < 0:
                    return
                yield line


def scan(
    path: str,
    layout: str,
    *,
    encoding: str,
    findings: Findings | None = None,
    watch: Watch | None = None,
) -> ScannedFile:
    """Read a file to find where it can be cut, and to hash it.

    Parameters
    ----------
    path
        A file, plain or compressed.
    layout
        Name of the format, or `OBJECTS`.
    encoding
        Text encoding of the file.
    findings
        Collection for findings about the file as a whole.
    watch
        Shows progress.

    Raises
    ------
    GecevalError
        If the file cannot be cut, because of its format or encoding, or since it is a pipe.
    """
    if not can_cut(layout):
        raise GecevalError(
            f"{path}: files of the format {layout} cannot be cut into shards; convert it to "
            "JSON Lines first, with 'geceval convert'"
        )
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        raise GecevalError(f"{path} is not a file, so it cannot be cut into shards")
    with Input.open(path, findings=findings, encoding=encoding) as source:
        size = source.size or 0
        if "\n".encode(source.encoding) != b"\n":
            raise GecevalError(
                f"{path}: text in {source.encoding.upper()} cannot be cut into shards; convert it "
                "to UTF-8 first"
            )
        blocks: Iterable[bytes] = source.blocks()
        if watch is not None:
            n_blocks = None if source.is_compressed else -(-size // _BLOCK)
            blocks = watch(blocks, f"reading {Path(source.name).name}", n_blocks)
        found = _find_marks(blocks, _LAYOUTS[layout], max(1, size // _MARKS))
        return ScannedFile(
            path,
            layout,
            source.sha256,
            size,
            found.n_bytes,
            found.n_records,
            found.header,
            found.marks,
            source.mark_size,
            source.is_compressed,
        )


class _Found(NamedTuple):
    n_bytes: int
    n_records: int
    header: bytes
    marks: list[_Mark]


def _find_marks(blocks: Iterable[bytes], layout: _LineLayout, stride: int) -> _Found:
    marks: list[_Mark] = []
    n_bytes = n_records = n_lines = 0
    header = before = b""
    for text in _pieces(blocks, stride, has_header=layout.has_header):
        if layout.has_header and not header:
            # Lines before it are blank.
            header = text if text.strip() else b""
        else:
            first = layout.first(text, before)
            if first is not None:
                n_lines_before = n_lines + text.count(b"\n", 0, first)
                n_records_before = n_records + layout.count(text[:first]) if first else n_records
                marks.append(_Mark(n_bytes + first, n_records_before, n_lines_before))
            n_records += layout.count(text)
        n_bytes += len(text)
        n_lines += text.count(b"\n")
        before = (before + text[-_BEFORE:])[-_BEFORE:]
    return _Found(n_bytes, n_records, header, marks)


def _pieces(blocks: Iterable[bytes], stride: int, *, has_header: bool) -> Iterator[bytes]:
    """Yield whole lines of about `stride` bytes; the header by itself."""
    rest = b""
    least = 1 if has_header else stride
    for block in blocks:
        data = rest + block
        start = 0
        while end := data.find(b"\n", start + least - 1) + 1:
            piece = data[start:end]
            yield piece
            if piece.strip():
                least = stride
            start = end
        rest = data[start:]
    if rest:
        yield rest


@dataclass(frozen=True, slots=True)
class Portion:
    """The sentences of a shard.

    Parameters
    ----------
    shard
        The shard.
    first, last
        Number of its first sentence, and of the first one after it, from 0.
    total
        Number of sentences of the input.
    inputs
        What identifies the content of each file, see `ScannedFile.identity`.
    """

    shard: Shard
    first: int
    last: int
    total: int
    inputs: tuple[Mapping[str, str | int], ...]

    def __len__(self) -> int:
        return self.last - self.first

    @classmethod
    def of(cls, files: Sequence[ScannedFile], shard: Shard) -> Portion:
        """Cut parallel files at the same sentences.

        Raises
        ------
        MismatchError
            If the files have different numbers of sentences.
        """
        total = files[0].n_records
        for other in files[1:]:
            if other.n_records != total:
                raise MismatchError(files[0].path, total, other.path, other.n_records)
        return cls(shard, *files[0].bounds(shard), total, tuple(one.identity for one in files))

    def manifest(
        self,
        kind: Kind,
        settings: Mapping[str, str],
        content: tuple[int, str],
        counts: Mapping[str, Any],
    ) -> Manifest:
        """Return the manifest of a part file, given its size and hash."""
        return Manifest(
            kind,
            self.shard.number,
            self.shard.total,
            self.first,
            len(self),
            self.total,
            identities(self.inputs),
            dict(settings),
            *content,
            dict(counts),
        )

    def checked(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items of the shard; raise an error if they are not as many as expected."""
        count = 0
        for count, item in enumerate(items, 1):
            if count > len(self):
                break
            yield item
        if count != len(self):
            raise GecevalError(
                f"{self.inputs[0]['name']}: the shard {self.shard} should have {len(self):,} "
                f"sentences, but {count:,} or more were read: the file has an unusual layout or "
                "was changed meanwhile; convert it to JSON Lines first, with 'geceval convert'"
            )
