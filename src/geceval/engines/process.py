"""State of the interpreter that belongs to the whole process.

The library leaves such state alone, for it may run in a server or a notebook. A program that
does nothing else, such as the command line, declares that it owns its process; only then do the
context managers of this module change anything, and they restore it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
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


def paused_collector() -> AbstractContextManager[None]:
    """Pause the garbage collector while many objects are made that form no cycles."""
    return _changed(gc.disable, gc.enable, is_needed=gc.isenabled())


def frozen_objects() -> AbstractContextManager[None]:
    """Exclude the objects made so far from garbage collection: models stay until the end."""
    return _changed(gc.freeze, gc.unfreeze, is_needed=not gc.get_freeze_count())


def switch_interval(seconds: float) -> AbstractContextManager[None]:
    """Let threads wait no longer than this for the interpreter."""
    change = partial(sys.setswitchinterval, seconds)
    return _changed(change, partial(sys.setswitchinterval, sys.getswitchinterval()))


@contextmanager
def _changed(
    change: Callable[[], None], restore: Callable[[], None], *, is_needed: bool = True
) -> Iterator[None]:
    if not is_owned() or not is_needed:
        yield
        return
    change()
    try:
        yield
    finally:
        restore()
