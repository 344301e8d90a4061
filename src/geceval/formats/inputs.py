"""Opening inputs: plain, gzip or zstd files and standard input, as lines or as text."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import IO, Self, TypeAlias, cast

from geceval.errors import FormatError
from geceval.formats.findings import Findings, Severity

PathLike: TypeAlias = str | os.PathLike[str]
"""A file to read or write; ``-`` is standard input or output."""

HEAD_BYTES = 1 << 16
CHUNK_BYTES = 1 << 20
_GZIP, _ZSTD, _BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Input:
    r"""One file being read, with what was noticed on the way.

    A byte order mark is taken off, CRLF line ends become plain ones, and only ``\n`` ends
    a line: other Unicode line separators are ordinary characters of a sentence.

    Parameters
    ----------
    stream
        The bytes, compressed or not. It is closed with the input.
    name
        The file as the user named it.
    findings
        Where to note repairs.
    encoding
        Text encoding.

    Attributes
    ----------
    head
        The first text of the file, for format detection.
    """

    def __init__(
        self,
        stream: io.BufferedReader,
        *,
        name: str,
        findings: Findings | None = None,
        encoding: str = "utf-8",
    ) -> None:
        self.name = name
        self.findings = Findings() if findings is None else findings
        self.encoding = encoding
        self._file = stream
        self._stream = _decompressed(stream)
        self._head = self._read(HEAD_BYTES)
        if self._head.startswith(_UTF16) and encoding.lower() in ("utf-8", "utf8"):
            raise FormatError("the file is UTF-16; name its encoding or convert it", path=name)
        if self._head.startswith(_BOM):
            self._head = self._head[len(_BOM) :]
            self.note("bom", "byte order mark left out", line=1)
        self.head = self._head.decode(encoding, errors="replace")

    @classmethod
    def open(
        cls, path: PathLike, *, findings: Findings | None = None, encoding: str = "utf-8"
    ) -> Self:
        """Open a file, or standard input for ``-``."""
        name = os.fspath(path)
        if name == "-":
            stream: io.BufferedReader = sys.stdin.buffer  # type: ignore[assignment]
            name = "standard input"
        else:
            try:
                stream = open(path, "rb")  # noqa: SIM115 - closed by close()
            except OSError as error:
                reason = error.strerror or str(error)
                raise FormatError(f"cannot be read: {reason.lower()}", path=name) from error
        try:
            return cls(stream, name=name, findings=findings, encoding=encoding)
        except BaseException:
            stream.close()
            raise

    @classmethod
    def from_text(cls, text: str, *, name: str = "text", findings: Findings | None = None) -> Self:
        """Make an input of a string."""
        return cls(io.BufferedReader(io.BytesIO(text.encode())), name=name, findings=findings)

    def note(
        self, code: str, message: str, *, line: int | None = None, severity: Severity = "warning"
    ) -> None:
        """Note something about this file."""
        self.findings.add(code, message, severity=severity, path=self.name, line=line)

    def error(self, message: str, *, line: int | None = None) -> FormatError:
        """Make the error to raise for a fault in this file."""
        return FormatError(message, path=self.name, line=line)

    def close(self) -> None:
        """Close the file."""
        if self._file is not sys.stdin.buffer:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def lines(self) -> Iterator[str]:
        r"""Yield the lines without their ends; a last line without ``\n`` counts too."""
        crlf = 0
        number = 0
        for block in self._blocks():
            text = self._decode(block, number)
            lines = text.removesuffix("\n").split("\n")
            if "\r" in text:
                for i, line in enumerate(lines):
                    if line.endswith("\r"):
                        crlf += 1
                        lines[i] = line[:-1]
            number += len(lines)
            yield from lines
        self._note_crlf(crlf)

    def text(self) -> str:
        """Return the whole text."""
        return "\n".join(self.lines())

    def data(self) -> bytes:
        """Return the whole content as bytes, without a byte order mark."""
        return b"".join(self._chunks())

    def _note_crlf(self, crlf: int) -> None:
        if crlf:
            self.note("crlf", f"{crlf} lines end in CRLF, read as plain line ends", severity="note")

    def _chunks(self) -> Iterator[bytes]:
        """Yield all bytes, the head first."""
        chunk, self._head = self._head, b""
        while chunk:
            yield chunk
            chunk = self._read(CHUNK_BYTES)

    def _blocks(self) -> Iterator[bytes]:
        """Yield bytes cut at line ends only."""
        rest: list[bytes] = []
        for chunk in self._chunks():
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                rest.append(chunk)
                continue
            yield b"".join((*rest, chunk[:cut]))
            rest = [chunk[cut:]] if cut < len(chunk) else []
        if rest:
            yield b"".join(rest)

    def _decode(self, block: bytes, lines_before: int) -> str:
        try:
            return block.decode(self.encoding)
        except UnicodeDecodeError as error:
            line = lines_before + block.count(b"\n", 0, error.start) + 1
            message = f"byte 0x{block[error.start]:02x} is not valid {self.encoding.upper()}"
            raise self.error(message, line=line) from error

    def _read(self, size: int) -> bytes:
        """Read up to `size` bytes; fewer only at the end of the file."""
        parts = []
        try:
            while size and (part := self._stream.read(size)):
                parts.append(part)
                size -= len(part)
        except (OSError, EOFError, zlib.error) as error:
            raise self.error(f"cannot be read: {error}") from error
        except Exception as error:
            if type(error).__module__.startswith("zstandard"):
                raise self.error(f"cannot be read: {error}") from error
            raise
        return b"".join(parts)


def _decompressed(stream: io.BufferedReader) -> IO[bytes]:
    """Look at the first bytes, whatever the file is called, and undo compression."""
    start = stream.peek(len(_ZSTD))
    if start.startswith(_GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if start.startswith(_ZSTD):
        import zstandard

        reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
        return cast("IO[bytes]", reader)
    return stream
