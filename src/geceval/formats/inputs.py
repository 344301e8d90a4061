"""Input files: plain, gzip or zstd, and standard input, as lines or as text.

Memory is bounded by limits on the length of a line, on the size of a file that is read as a whole,
and on the expansion ratio of compressed files.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import itertools
import os
import sys
import zlib
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, Self, cast

from geceval.errors import FormatError, GecevalError, os_reason
from geceval.formats.findings import Findings, Severity
from geceval.storage.urls import PathLike, file_size, open_binary, plain_path, shown_name
from geceval.visible import invisible_controls

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES = 1 << 16
CHUNK_BYTES = 1 << 20
_COMPRESSED_BYTES = 1 << 10  # Few at a time: each may expand to 32,768.
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The byte order mark of UTF-16 is a prefix of that of UTF-32.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

MAX_LINE = 1 << 24
"""Maximum length of a line in characters, more than that of a sentence of a million tokens."""

MAX_WHOLE = 1 << 30
"""Maximum size in bytes of a file that is read as a whole, such as XML and results files."""

MAX_EXPANSION = 300
"""Maximum expansion ratio of a compressed file. Usual ratios are 3 to 10 for text and 100 to 300
for very repetitive text; decompression bombs reach 1,000 or more."""

FREE_EXPANSION = 1 << 20
"""Size in bytes up to which any compressed file may expand, whatever the ratio."""


class Input:
    r"""An input file, and the findings about it.

    Byte order marks are removed and CRLF line endings normalized. Only ``\n`` ends a line: other
    Unicode line separators are ordinary characters.

    Parameters
    ----------
    stream
        The bytes, compressed or not. It is closed with the input, unless it is standard input.
    name
        File name for messages.
    findings
        Collection for findings.
    encoding
        Text encoding.
    find_controls
        Whether to find invisible control characters.
    lines_before
        Lines of the file before the stream, for messages about a part of a file.

    Attributes
    ----------
    path
        Path or URL to open the file again.
    mark_size
        Size of the byte order mark.
    head
        The first text of the file, for format detection.
    controls
        Line numbers and the control characters found there.
    lang
        Code of the language of raw text, empty if unknown.
    """

    def __init__(
        self,
        stream: IO[bytes],
        *,
        name: str,
        findings: Findings | None = None,
        encoding: str = "utf-8",
        find_controls: bool = False,
        lines_before: int = 0,
    ) -> None:
        self.name = self.path = name
        self.mark_size = 0
        self._lines_before = lines_before
        self.findings = Findings() if findings is None else findings
        self.encoding = known_encoding(encoding)
        self.controls: list[tuple[int, list[str]]] = []
        self.lang = ""
        self._find_controls = find_controls
        self._source = _HashedStream(stream)
        self._file = io.BufferedReader(self._source)
        self._stream, self._compressed = _decompressed(self._file)
        self._n_read = self._n_split = self._n_yielded = 0
        self._head = self._read(HEAD_BYTES)
        self._strip_byte_order_mark()
        self.head = self._head.decode(self.encoding, errors="replace")

    @classmethod
    def open(
        cls,
        path: PathLike,
        *,
        findings: Findings | None = None,
        encoding: str = "utf-8",
        find_controls: bool = False,
    ) -> Self:
        """Open a file, a URL, or standard input for ``-``."""
        name = os.fspath(path)
        if name == "-":
            stream: IO[bytes] = sys.stdin.buffer
            name = "standard input"
        else:
            try:
                stream = open_binary(path)
            except OSError as error:
                reason = f"cannot be read: {os_reason(error)}"
                raise FormatError(reason, path=shown_name(name)) from error
            except ValueError as error:
                # A null character, or half of one outside of the basic plane.
                raise FormatError("no file can have this name", path=name) from error
        try:
            source = cls(
                stream,
                name=shown_name(name),
                findings=findings,
                encoding=encoding,
                find_controls=find_controls,
            )
        except BaseException:
            if stream is not sys.stdin.buffer:
                stream.close()
            raise
        source.path = plain_path(name)
        return source

    @classmethod
    def from_text(cls, text: str, *, name: str = "text", findings: Findings | None = None) -> Self:
        """Create an input from a string."""
        return cls(io.BytesIO(text.encode()), name=name, findings=findings)

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes read so far; of the whole file after reading to the end."""
        return self._source.digest.hexdigest()

    @property
    def size(self) -> int | None:
        """Size of the file in bytes; None unless it is a regular file."""
        return self._source.size

    @property
    def position(self) -> float | None:
        """Estimated offset in bytes of the line yielded last; None before the first."""
        return self._source.n_read * self._n_yielded / self._n_split if self._n_split else None

    def note(
        self, code: str, message: str, *, line: int | None = None, severity: Severity = "warning"
    ) -> None:
        """Add a finding about this file."""
        line = self._line_of_file(line)
        self.findings.add(code, message, severity=severity, path=self.name, line=line)

    def error(self, message: str, *, line: int | None = None) -> FormatError:
        """Return a `FormatError` about this file."""
        return FormatError(message, path=self.name, line=self._line_of_file(line))

    def _line_of_file(self, line: int | None) -> int | None:
        return None if line is None else line + self._lines_before

    @property
    def is_compressed(self) -> bool:
        """Whether the file is compressed."""
        return self._compressed is not None

    def blocks(self) -> Iterator[bytes]:
        """Yield the decompressed bytes, without a byte order mark."""
        return self._chunks()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def lines(self) -> Iterator[str]:
        r"""Yield the lines without line endings; the last may lack ``\n``."""
        crlf = 0
        number = 0
        for text in self._blocks():
            lines = text.removesuffix("\n").split("\n")
            if "\r" in text:
                crlf += self._strip_returns(lines, number)
            self._n_split += len(lines)
            for self._n_yielded, line in enumerate(lines, number + 1):
                yield line
            number += len(lines)
        self._note_crlf(crlf)

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the nonblank lines and their numbers, from 1."""
        return (pair for pair in enumerate(self.lines(), 1) if pair[1] and not pair[1].isspace())

    def _note_crlf(self, crlf: int) -> None:
        if crlf:
            self.note("crlf", f"{crlf} lines with CRLF line endings, read as LF", severity="note")

    def _strip_returns(self, lines: list[str], lines_before: int) -> int:
        """Remove carriage returns at line ends in place, and count them."""
        crlf = 0
        for i, line in enumerate(lines):
            lines[i] = line.removesuffix("\r")
            crlf += line.endswith("\r")
            if "\r" in lines[i]:
                message = "carriage return inside a line, not treated as a line ending"
                self.note("cr", message, line=lines_before + i + 1)
        return crlf

    def text(self) -> str:
        """Return the whole text."""
        texts = []
        crlf = n_lines = 0
        for text in self._blocks(max_line=MAX_WHOLE):
            if "\r" in text:
                lines = text.split("\n")
                crlf += self._strip_returns(lines, n_lines)
                texts.append("\n".join(lines))
            else:
                texts.append(text)
            n_lines += text.count("\n")
            self._check_whole()
        self._note_crlf(crlf)
        return "".join(texts).removesuffix("\n")

    def data(self) -> bytes:
        """Return the whole content as bytes, without a byte order mark."""
        chunks = []
        for chunk in self._chunks():
            chunks.append(chunk)
            self._check_whole()
        content = b"".join(chunks)
        if self._find_controls:
            self._note_controls(content.decode(self.encoding, errors="replace"), 1)
        return content

    def _strip_byte_order_mark(self) -> None:
        """Strip a byte order mark from the head; it also gives the byte order of UTF-16."""
        for mark, encoding in _MARKS:
            if not self._head.startswith(mark):
                continue
            if mark == codecs.BOM_UTF8:
                self.note("bom", "byte order mark removed", line=1)
            elif encoding.startswith(self.encoding):
                self.encoding = encoding
            elif self.encoding == "utf-8":
                title = encoding[:6].upper()
                raise self.error(f"the file is {title}; give its encoding or convert it")
            else:
                continue
            self._head = self._head[len(mark) :]
            self.mark_size = len(mark)
            return

    def _chunks(self) -> Iterator[bytes]:
        """Yield all bytes, the head first."""
        chunk, self._head = self._head, b""
        while chunk:
            yield chunk
            chunk = self._read(CHUNK_BYTES)

    def _blocks(self, *, max_line: int = MAX_LINE) -> Iterator[str]:
        """Yield text cut at line ends only."""
        if not self._find_controls:
            yield from self._cut_blocks(max_line)
            return
        number = 1
        for text in self._cut_blocks(max_line):
            self._note_controls(text, number)
            number += text.count("\n")
            yield text

    def _note_controls(self, text: str, first: int) -> None:
        """Record the lines with control characters; the number of the first line is `first`."""
        if invisible_controls(text):
            for number, line in enumerate(text.split("\n"), first):
                if found := invisible_controls(line):
                    self.controls.append((number, found))

    def _cut_blocks(self, max_line: int) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder(self.encoding)()
        number = length = 0
        rest: list[str] = []
        for chunk in itertools.chain(self._chunks(), (b"",)):
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                raise self._undecodable(error, number) from error
            except UnicodeError as error:
                raise self.error(f"not valid {self.encoding.upper()}: {error}") from error
            cut = text.rfind("\n") + 1
            # Only the first and last line of a chunk may be too long.
            if length + (text.find("\n") if cut else len(text)) > max_line:
                raise self._too_long(max_line, number)
            number += text.count("\n")
            if cut:
                yield "".join((*rest, text[:cut]))
                rest, length = [], 0
            if cut < len(text):
                rest.append(text[cut:])
                length += len(text) - cut
        if rest:
            yield "".join(rest)

    def _too_long(self, max_line: int, lines_before: int) -> FormatError:
        message = f"the line is longer than the limit of {max_line:,} characters; split it"
        return self.error(message, line=lines_before + 1)

    def _undecodable(self, error: UnicodeDecodeError, lines_before: int) -> FormatError:
        before = error.object[: error.start].decode(self.encoding, errors="ignore")
        message = (
            f"byte 0x{error.object[error.start]:02x} is not valid {self.encoding.upper()}; "
            "give the encoding of the file if it is another"
        )
        return self.error(message, line=lines_before + before.count("\n") + 1)

    def _read(self, size: int) -> bytes:
        """Read up to `size` bytes; fewer only at the end of the file."""
        parts = []
        try:
            while size and (part := self._stream.read(size)):
                parts.append(part)
                size -= len(part)
                self._n_read += len(part)
                self._check_expansion()
        except (OSError, EOFError, zlib.error) as error:
            raise self.error(f"cannot be read: {error}") from error
        return b"".join(parts)

    def _check_expansion(self) -> None:
        """Raise an error for a decompression bomb."""
        if self._compressed is None or self._n_read <= FREE_EXPANSION:
            return
        size = self._compressed.n_read
        if self._n_read > MAX_EXPANSION * size:
            raise self.error(
                f"the first {size:,} compressed bytes expand to {self._n_read:,} or more, over "
                f"{MAX_EXPANSION:,} times as many, like a decompression bomb; if you trust the "
                "file, decompress it first"
            )

    def _check_whole(self) -> None:
        """Raise an error if a file that is read as a whole is too large."""
        if self._n_read > MAX_WHOLE:
            raise self.error(
                f"is larger than {MAX_WHOLE:,} bytes, the limit for files that are read as a "
                "whole; split it"
            )


def strip_compression(name: str) -> str:
    """Return a file name without the extension of a compressed file."""
    return name.removesuffix(".gz").removesuffix(".zst")


def known_encoding(name: str) -> str:
    """Return the canonical name of a text encoding; raise an error if it is unknown."""
    try:
        # Codecs that are not for arbitrary text fail here.
        b"a".decode(name, errors="replace")
        return codecs.lookup(name).name.removesuffix("-sig")
    except (LookupError, ValueError):
        raise GecevalError(f"unknown text encoding {name!r}; try utf-8") from None


class _HashedStream(io.RawIOBase):
    """A stream that is hashed and counted while it is read, so that it is read only once."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()
        self.n_read = 0

    @property
    def size(self) -> int | None:
        return file_size(self._stream)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._stream.read(len(view))
        view[: len(data)] = data
        self.digest.update(data)
        self.n_read += len(data)
        return len(data)

    def close(self) -> None:
        # Standard input stays open.
        if self._stream is not getattr(sys.stdin, "buffer", None):
            self._stream.close()
        super().close()


class _Counted:
    """A stream that is read in small pieces and counts its bytes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.n_read = 0

    def read(self, size: int = -1) -> bytes:
        step = _COMPRESSED_BYTES
        data = self._stream.read(step if size < 0 else min(size, step))
        self.n_read += len(data)
        return data


class BlockStream(io.RawIOBase):
    """A stream of blocks of bytes; closing it closes their generator."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._pending = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read into a buffer."""
        view = memoryview(buffer).cast("B")
        while not self._pending:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._pending = memoryview(block)
        size = min(len(view), len(self._pending))
        view[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        return size

    def close(self) -> None:
        """Close the generator of the blocks."""
        getattr(self._blocks, "close", lambda: None)()
        super().close()


def _zstd_pieces(stream: _Counted) -> Iterator[bytes]:
    """Decompress consecutive frames; unlike the library's reader, reject truncated ones."""
    import zstandard

    decompressor = zstandard.ZstdDecompressor()
    frame = None
    while data := stream.read():
        while data:
            frame = frame or decompressor.decompressobj()
            try:
                yield frame.decompress(data)
            except zstandard.ZstdError as error:
                raise OSError(str(error)) from error
            data, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise EOFError("compressed file ended before the end of a frame")


def _decompressed(stream: io.BufferedReader[Any]) -> tuple[IO[bytes], _Counted | None]:
    """Detect compression from the first bytes, and decompress.

    The second value counts the compressed bytes read.
    """
    start = stream.peek(len(_ZSTD))
    counted = _Counted(stream)
    if start.startswith(_GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=cast("IO[bytes]", counted))), counted
    if start.startswith(_ZSTD):
        return io.BufferedReader(BlockStream(_zstd_pieces(counted))), counted
    return stream, None
