"""State of the interpreter that belongs to the whole process.

The library leaves such state alone, for it may run in a server or a notebook. A program that
does nothing else, such as the command line, declares that it owns its process; only then do the
context managers of this module change anything, and they restore it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_N_OWNERS = 0


@contextmanager
def owned_process() -> Iterator[None]:
    """Declare that this process does nothing else within the block."""
    global _N_OWNERS  # noqa: PLW0603 - the state of a process
    with _LOCK:
        _N_OWNERS += 1
    try:
        yield
    finally:
        with _LOCK:
            _N_OWNERS -= 1


def is_owned() -> bool:
    """Whether some program has declared that it owns this process."""
    return _N_OWNERS > 0


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the garbage collector while many objects are made that form no cycles."""
    if not is_owned() or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def frozen_objects() -> Iterator[None]:
    """Exclude the objects made so far from garbage collection: models stay until the end."""
    if not is_owned() or gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def switch_interval(seconds: float) -> Iterator[None]:
    """Let threads wait no longer than this for the interpreter."""
    if not is_owned():
        yield
        return
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
