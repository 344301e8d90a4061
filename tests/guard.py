"""A guard against code that never ends; how fast things are is measured in ``benchmarks``."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 60.0
"""CPU time after which something that takes a blink has surely run away."""


@contextmanager
def finishes() -> Iterator[None]:
    """Fail when the block takes a minute of CPU time, as quadratic code would on large input."""

    def give_up(signum: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still running after {SECONDS:.0f} s of CPU time: {signum}, {frame}")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
