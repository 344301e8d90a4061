"""Writing files so that nothing half-written is ever left behind."""

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

from geceval.errors import GecevalError, OptionError, os_reason

PathLike: TypeAlias = str | os.PathLike[str]
"""A file to read or write; ``-`` is standard input or output."""

_PREFIX = 40
"""Characters of a name that its temporary file has, too."""


def put_in_place(temporary: PathLike, target: PathLike) -> None:
    """Give a file that is complete its name.

    Its content is on the disk before the name is, so that no power cut leaves a name without
    content, and the name before anything is built on it.
    """
    _sync(temporary)
    os.replace(temporary, target)
    # Not every system can do it for a folder.
    with contextlib.suppress(OSError):
        _sync(Path(target).parent)


def _sync(path: PathLike) -> None:
    """Wait until a file, or a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_protected: ContextVar[tuple[str, ...]] = ContextVar("protected", default=())
"""Files that are inputs of what runs now."""


@contextlib.contextmanager
def protecting(paths: Iterable[PathLike]) -> Iterator[None]:
    """Let nothing that is written within this block replace one of these files.

    What standard input (``-``) is read from is protected as well.
    """
    token = _protected.set((*_protected.get(), *(os.fspath(path) for path in paths)))
    try:
        yield
    finally:
        _protected.reset(token)


def check_target(path: PathLike) -> None:
    """Refuse to write a file that is an input (see `protecting`)."""
    name = os.fspath(path)
    if any(is_same_file(name, other) for other in _protected.get()):
        raise OptionError(f"{name} would be written over; choose another name")


def is_same_file(target: str, other: str) -> bool:
    """Whether writing one file would change another, by whatever name or link it is called."""
    if target == "-" or (os.path.exists(target) and not os.path.isfile(target)):
        # Pipes and devices hold nothing that could be lost.
        return False
    try:
        if other == "-":
            return os.path.samestat(os.stat(target), os.fstat(sys.stdin.fileno()))
        if os.path.exists(target) and os.path.exists(other):
            return os.path.samefile(target, other)
        return os.path.realpath(target) == os.path.realpath(other)
    except (OSError, ValueError, AttributeError):
        # What cannot even be looked at is for whoever opens it to complain about.
        return False


@contextlib.contextmanager
def open_output(path: PathLike) -> Iterator[TextIO]:
    """Open a text file for writing that appears under its name only when complete.

    The text goes to a temporary file beside the target, which is renamed when the block
    ends well and removed when it does not. Names that end in ``.gz`` or ``.zst`` are
    compressed; ``-`` is standard output. Everything is UTF-8.
    """
    name = os.fspath(path)
    check_target(name)
    with _clear_errors(name), _opened(name) as out:
        yield out


def write_bytes(path: PathLike, content: bytes) -> None:
    """Write a file that appears under its name only when complete, like `open_output`."""
    name = os.fspath(path)
    check_target(name)
    with _clear_errors(name):
        target = Path(name)
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        with _replaced(target.resolve()) as out:
            out.write(content)


@contextlib.contextmanager
def _clear_errors(name: str) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        letter = error.object[error.start]
        raise GecevalError(f"{name}: half a character, {letter!r}, cannot be written") from error
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        shown = "standard output" if name == "-" else name
        raise GecevalError(f"{shown}: cannot be written: {os_reason(error)}") from error


def _opened(name: str) -> contextlib.AbstractContextManager[TextIO]:
    if name == "-":
        return _standard_output()
    target = Path(name)
    if target.exists() and not target.is_file():
        # A device or a pipe cannot be replaced by renaming.
        return target.open("w", encoding="utf-8", newline="\n")
    return _replaced_text(target.resolve())


@contextlib.contextmanager
def _standard_output() -> Iterator[TextIO]:
    """Lend standard output as UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    try:
        yield out
        out.flush()
    finally:
        with contextlib.suppress(OSError):
            out.detach()


@contextlib.contextmanager
def _replaced_text(target: Path) -> Iterator[TextIO]:
    with _replaced(target) as binary, _text_writer(binary, target.suffix) as out:
        yield out


@contextlib.contextmanager
def _replaced(target: Path) -> Iterator[IO[bytes]]:
    """Write beside `target` and put the file in its place at the end."""
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    # A name that is just short enough leaves no room for more of it.
    name = f".{target.name[:_PREFIX]}.{os.urandom(8).hex()}.part"
    temporary = target.with_name(name)
    # A new file gets the permissions that the user's mask leaves.
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
def _text_writer(binary: IO[bytes], suffix: str) -> Iterator[TextIO]:
    with contextlib.ExitStack() as stack:
        stack.enter_context(binary)
        if suffix == ".gz":
            # No time stamp: the same content gives the same bytes.
            binary = cast(
                "IO[bytes]", gzip.GzipFile(fileobj=binary, mode="wb", mtime=0, filename="")
            )
            stack.enter_context(binary)
        elif suffix == ".zst":
            import zstandard

            binary = zstandard.ZstdCompressor().stream_writer(binary)
            stack.enter_context(binary)
        yield stack.enter_context(io.TextIOWrapper(binary, encoding="utf-8", newline="\n"))
