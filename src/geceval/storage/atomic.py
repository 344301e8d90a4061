"""Atomic output: a file appears under its name only when complete."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TextIO, TypeAlias, cast
from urllib.parse import urlsplit

from geceval.errors import GecevalError, OptionError, os_reason
from geceval.storage import urls
from geceval.storage.urls import is_url, plain_path, shown_name, uploaded

PathLike: TypeAlias = urls.PathLike
"""A file to read or write; ``-`` is standard input or output."""

_PREFIX = 40
"""Characters of a file name that the name of its temporary file starts with."""


def put_in_place(temporary: PathLike, target: PathLike) -> None:
    """Rename a complete file.

    The content is flushed to disk before the name, so that a power failure cannot leave a file
    without content.
    """
    _sync(temporary)
    os.replace(temporary, target)
    # Some systems cannot flush a folder.
    with contextlib.suppress(OSError):
        _sync(Path(target).parent)


def _sync(path: PathLike) -> None:
    """Flush a file or folder to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_protected: ContextVar[tuple[str, ...]] = ContextVar("protected", default=())
"""Input files of the current command."""


@contextlib.contextmanager
def protecting(paths: Iterable[PathLike]) -> Iterator[None]:
    """Protect input files from being overwritten within this block.

    ``-`` protects the file that standard input is redirected from.
    """
    token = _protected.set((*_protected.get(), *(os.fspath(path) for path in paths)))
    try:
        yield
    finally:
        _protected.reset(token)


def check_target(path: PathLike) -> None:
    """Raise an error if a file to write is an input (see `protecting`)."""
    name = os.fspath(path)
    if any(is_same_file(name, other) for other in _protected.get()):
        raise OptionError(f"{shown_name(name)} would be written over; choose another name")


def is_same_file(target: str, other: str) -> bool:
    """Whether writing one file would overwrite another, through links as well."""
    target, other = plain_path(target), plain_path(other)
    if target == "-" or (os.path.exists(target) and not os.path.isfile(target)):
        # Pipes and devices have no content to lose.
        return False
    try:
        if other == "-":
            return os.path.samestat(os.stat(target), os.fstat(sys.stdin.fileno()))
        if os.path.exists(target) and os.path.exists(other):
            return os.path.samefile(target, other)
        return os.path.realpath(target) == os.path.realpath(other)
    except (OSError, ValueError, AttributeError):
        # Opening the file will raise the error.
        return False


@contextlib.contextmanager
def open_output(path: PathLike) -> Iterator[TextIO]:
    """Open a text file for writing that appears under its name only when complete.

    The text is written as UTF-8 to a temporary file in the same folder, which is renamed when the
    block ends and removed if it fails. Files named ``.gz`` or ``.zst`` are compressed; ``-`` is
    standard output. A URL is uploaded when the block ends.
    """
    name = plain_path(path)
    check_target(name)
    with write_errors(name), _opened(name) as out:
        yield out


def write_bytes(path: PathLike, content: bytes) -> None:
    """Write a file that appears under its name only when complete, like `open_output`."""
    name = plain_path(path)
    check_target(name)
    with write_errors(name):
        if is_url(name):
            with uploaded(name) as out:
                out.write(content)
            return
        target = Path(name)
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        with _replaced(target.resolve()) as out:
            out.write(content)


@contextlib.contextmanager
def write_errors(name: PathLike) -> Iterator[None]:
    """Convert errors of writing a file to a `GecevalError` that names it."""
    try:
        yield
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise GecevalError(
            f"{shown_name(name)}: half a character, {character!r}, cannot be written"
        ) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        shown = "standard output" if name == "-" else shown_name(name)
        raise GecevalError(f"{shown}: cannot be written: {os_reason(error)}") from error


def _opened(name: str) -> contextlib.AbstractContextManager[TextIO]:
    if name == "-":
        return _standard_output()
    if is_url(name):
        return _compressed_text(uploaded(name), Path(urlsplit(name).path).suffix)
    target = Path(name)
    if target.exists() and not target.is_file():
        # A device or a pipe cannot be replaced by renaming.
        return target.open("w", encoding="utf-8", newline="\n")
    target = target.resolve()
    return _compressed_text(_replaced(target), target.suffix)


@contextlib.contextmanager
def _standard_output() -> Iterator[TextIO]:
    """Open standard output as UTF-8, whatever the locale."""
    sys.stdout.flush()
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    try:
        yield out
        out.flush()
    finally:
        with contextlib.suppress(OSError):
            out.detach()


@contextlib.contextmanager
def _replaced(target: Path) -> Iterator[IO[bytes]]:
    """Write a temporary file, and replace `target` with it at the end."""
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    # The full name could exceed the limit of the file system.
    name = f".{target.name[:_PREFIX]}.{os.urandom(8).hex()}.part"
    temporary = target.with_name(name)
    # The umask applies to new files.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    handle = os.open(temporary, flags, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "wb") as binary:
            yield binary
        if mode is not None:
            os.chmod(temporary, mode)
        put_in_place(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def _compressed_text(
    file: contextlib.AbstractContextManager[IO[bytes]], suffix: str
) -> Iterator[TextIO]:
    """Write text to a binary file, compressed according to its suffix."""
    with contextlib.ExitStack() as stack:
        binary = stack.enter_context(file)
        if suffix == ".gz":
            # Without a time stamp, the same content gives the same bytes.
            gzipped = gzip.GzipFile(fileobj=binary, mode="wb", mtime=0, filename="")
            binary = cast("IO[bytes]", stack.enter_context(gzipped))
        elif suffix == ".zst":
            import zstandard

            binary = stack.enter_context(zstandard.ZstdCompressor().stream_writer(binary))
        yield stack.enter_context(io.TextIOWrapper(binary, encoding="utf-8", newline="\n"))
