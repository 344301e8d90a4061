"""Decompression of uploads, up to a limit."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, cast

import zstandard

from geceval.errors import FormatError

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 20


def expand(files: Iterable[str], limit: int) -> None:
    """Decompress files in place, unless one is larger than the limit.

    Raises
    ------
    FormatError
        If a file is damaged or too large.
    """
    for name in files:
        path = Path(name)
        with path.open("rb") as packed:
            head = packed.read(4)
            packed.seek(0)
            if not head.startswith((_GZIP, _ZSTD)):
                continue
            target = path.with_name(f"{name}.expanded")
            try:
                with _opened(packed, head) as stream, target.open("wb") as out:
                    _copy(stream, out, limit, name)
            except (EOFError, OSError, zlib.error, zstandard.ZstdError) as error:
                raise FormatError("the compressed file is damaged", path=name) from error
        os.replace(target, path)


def _opened(packed: IO[bytes], head: bytes) -> IO[bytes]:
    if head.startswith(_GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=packed))
    return cast("IO[bytes]", zstandard.ZstdDecompressor().stream_reader(packed))


def _copy(stream: IO[bytes], out: IO[bytes], limit: int, name: str) -> None:
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise FormatError(
                f"over {limit >> 20:,} MB after decompression, more than this server takes",
                path=name,
            )
        out.write(chunk)
