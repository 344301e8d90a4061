"""Standard output that is full, closed, or read by nobody anymore."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator

import click

from geceval.errors import os_reason
from geceval.visible import visible

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF})
"""What happens to a stream; files that are written or read are named in errors of our own."""


@contextlib.contextmanager
def whole_output() -> Iterator[None]:
    """End with one sentence and exit code 1 where what was printed could not be written.

    Nobody is told that a pipe was closed: whoever reads only the beginning knows. Everything is
    written before the program ends, for Python itself would end with a traceback.
    """
    if sys.stdout is None:
        # A file for reading only: whatever is written to it fails, as it should.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    try:
        yield
    except SystemExit:
        _flush()
        raise
    except OSError as error:
        _end(error, _described(error))
    else:
        _flush()


def _flush() -> None:
    """Write what is left in the buffers of standard output."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _end(error, _described(error))


def _described(error: OSError) -> str:
    """Say what went wrong, as far as it is known."""
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {os_reason(error)}"
    if error.errno in _FULL:
        return f"standard output cannot be written: {os_reason(error)}"
    return f"something cannot be read or written: {os_reason(error)}"


def _end(error: OSError, message: str) -> None:
    _forget_output()
    if not isinstance(error, BrokenPipeError):
        # Where nothing can be said either, the exit code has to do.
        with contextlib.suppress(OSError):
            click.echo(f"Error: {visible(message)}", err=True)
    raise SystemExit(1) from None


def _forget_output() -> None:
    """Let nothing of what could not be written be tried again when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
