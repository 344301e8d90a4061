"""Errors of standard output: a full disk, a closed stream or a broken pipe."""

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
"""Errors of streams; those of files have an error class of their own."""


@contextlib.contextmanager
def checked_output() -> Iterator[None]:
    """Exit with one sentence and code 1 if standard output cannot be written.

    A closed pipe gives no message. Buffers are flushed here, because an error at exit would give
    a traceback.
    """
    if sys.stdout is None:
        # Writing to a read-only file fails, as it should.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        _exit(error)


def _described(error: OSError) -> str:
    """Describe an error."""
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {os_reason(error)}"
    if error.errno in _FULL:
        return f"standard output cannot be written: {os_reason(error)}"
    return f"something cannot be read or written: {os_reason(error)}"


def _exit(error: OSError) -> None:
    _discard_output()
    if not isinstance(error, BrokenPipeError):
        # If standard error is closed as well, only the exit code remains.
        with contextlib.suppress(OSError):
            click.echo(f"Error: {visible(_described(error))}", err=True)
    raise SystemExit(1) from None


def _discard_output() -> None:
    """Discard buffered output, which Python would write again at exit."""
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
