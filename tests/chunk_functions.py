"""What worker processes run in tests; they must be able to import it."""

from __future__ import annotations

import gc
import os
import signal
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from geceval.engines import Chunk
from geceval.errors import UnknownNameError


def lengths(chunk: Chunk[str]) -> list[int]:
    return [len(item) for item in chunk.items]


def first_is_slow(chunk: Chunk[str]) -> int:
    if chunk.start == 0:
        time.sleep(0.3)
    return chunk.start


def process(chunk: Chunk[str]) -> int:  # noqa: ARG001
    return os.getpid()


def refuse(chunk: Chunk[str]) -> None:
    raise UnknownNameError("word", chunk.items[0], ["a"])


def unsendable(chunk: Chunk[str]) -> object:
    return lambda: chunk


def die_sending(chunk: Chunk[str]) -> None:  # noqa: ARG001
    """Announce a hundred bytes to whoever started this process, send one and die."""
    for one in gc.get_objects():
        if isinstance(one, Connection) and not one.closed:
            os.write(one.fileno(), struct.pack("!i", 100) + b"x")
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Deadly:
    """Kills its process at the word ``die``, so many times as there is no file for it."""

    folder: Path
    times: int

    def __call__(self, chunk: Chunk[str]) -> list[int]:
        if "die" in chunk.items:
            deaths = len(list(self.folder.iterdir()))
            if deaths < self.times:
                (self.folder / str(deaths)).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return lengths(chunk)


@dataclass(frozen=True)
class Failing:
    """Fails at the word ``die``, so many times as there is no file for it."""

    folder: Path
    times: int

    def __call__(self, chunk: Chunk[str]) -> list[int]:
        if "die" in chunk.items:
            failures = len(list(self.folder.iterdir()))
            if failures < self.times:
                (self.folder / str(failures)).touch()
                raise ZeroDivisionError("no luck")
        return lengths(chunk)


@dataclass(frozen=True)
class StuckOnce:
    """Waits for the file ``free`` at the word ``wait``, but only the first time."""

    folder: Path

    def __call__(self, chunk: Chunk[str]) -> list[int]:
        first = self.folder / "first"
        if "wait" in chunk.items and not first.exists():
            first.touch()
            deadline = time.monotonic() + 60
            while not (self.folder / "free").exists() and time.monotonic() < deadline:
                time.sleep(0.05)
        return lengths(chunk)


def paced_process(chunk: Chunk[str]) -> int:  # noqa: ARG001
    time.sleep(0.02)
    return os.getpid()


def paced_start(chunk: Chunk[str]) -> int:
    time.sleep(0.02)
    return chunk.start


class Loaded:
    """Leaves a file for each time that it is unpickled."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __setstate__(self, state: dict[str, str]) -> None:
        self.folder = state["folder"]
        (Path(self.folder) / f"{os.getpid()}-{time.monotonic_ns()}").touch()

    def __call__(self, chunk: Chunk[str]) -> int:
        return len(chunk.items)


@dataclass(frozen=True)
class Poisoned:
    """Kills the process that works on a word, and leaves a file for each death."""

    function: Callable[[Chunk[Any]], Any]
    word: str
    folder: Path

    def __call__(self, chunk: Chunk[Any]) -> Any:
        if any(self.word in str(item) for item in chunk.items):
            (self.folder / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.function(chunk)
