"""Process-wide state of the interpreter.

The library does not change such state, because it may run in a server or notebook. A program such
as the command line declares that it owns its process; only then do the context managers of this
module have an effect, which ends with their block.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from threading import Lock

_RARE_COLLECTIONS = 20_000, 10, 5
"""Objects before a collection, by default 700, and collections before one of older objects."""

_LOCK = Lock()
_N_OWNERS = 0


@contextmanager
def owned_process() -> Iterator[None]:
    """Declare that this process runs nothing else within the block."""
    global _N_OWNERS  # noqa: PLW0603 - the state of a process
    with _LOCK:
        _N_OWNERS += 1
    try:
        yield
    finally:
        with _LOCK:
            _N_OWNERS -= 1


def is_owned() -> bool:
    """Whether this process is within `owned_process`."""
    return _N_OWNERS > 0


def paused_collector() -> AbstractContextManager[None]:
    """Disable garbage collection while many objects without cycles are created."""
    return _changed(gc.disable, _enable_later, is_needed=gc.isenabled())


def _enable_later() -> None:
    """Enable garbage collection, without one of everything that was created meanwhile."""
    if not gc.get_freeze_count():
        # All objects are then old, which are rarely collected.
        gc.freeze()
        gc.unfreeze()
    gc.enable()


@contextmanager
def collector_as_it_is() -> Iterator[None]:
    """Leave the collector disabled if it is, since some libraries enable it."""
    is_enabled = gc.isenabled()
    try:
        yield
    finally:
        if not is_enabled:
            gc.disable()


def rare_collections() -> AbstractContextManager[None]:
    """Collect garbage rarely, since data without cycles is most of what there is."""
    restore = partial(gc.set_threshold, *gc.get_threshold())
    return _changed(partial(gc.set_threshold, *_RARE_COLLECTIONS), restore)


def frozen_objects() -> AbstractContextManager[None]:
    """Exclude existing objects, such as models, from garbage collection."""
    return _changed(gc.freeze, gc.unfreeze, is_needed=not gc.get_freeze_count())


def switch_interval(seconds: float) -> AbstractContextManager[None]:
    """Set the time after which the interpreter switches to a waiting thread."""
    change = partial(sys.setswitchinterval, seconds)
    return _changed(change, partial(sys.setswitchinterval, sys.getswitchinterval()))


def release_memory() -> None:
    """Return freed memory to the system, which the C library otherwise keeps for itself."""
    if is_owned() and sys.platform == "linux":
        import ctypes

        # Other C libraries than that of GNU do not have this function.
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


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
