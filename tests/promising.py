"""What the tests of the promises share: their sizes, and ways to run the program under duress."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, NamedTuple

import geceval

DEMO = Path(geceval.__file__).parent / "data" / "demo"
CODES = frozenset((0, 1, 2, 3))
"""Exit codes that the program may end with when nobody interrupts it."""

GIGABYTE = 10**9


def is_full() -> bool:
    """Whether the promises are to be tested at full size, as ``make promises`` does."""
    return os.environ.get("GECEVAL_PROMISES", "") == "full"


def size(small: int, full: int) -> int:
    """Return how many cases to run: few among all tests, many with ``make promises``."""
    return full if is_full() else small


class Ended(NamedTuple):
    """How a process ended."""

    code: int
    output: bytes
    errors: str


def run(
    *arguments: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
    timeout: float = 300,
) -> Ended:
    """Run the program in a process of its own.

    Parameters
    ----------
    arguments, folder
        Of the program, and where it runs.
    environment
        Variables to set.
    limits
        Resources that it may use, by the number that `resource` has for them.
    timeout
        Seconds after which it has run away.
    """
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "geceval", *arguments],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **(environment or {})},
        preexec_fn=_limiting(limits or {}),
        timeout=timeout,
    )
    return Ended(done.returncode, done.stdout, done.stderr.decode(errors="replace"))


def _limiting(limits: Mapping[int, int]) -> Callable[[], None] | None:
    if not limits:
        return None

    def limit() -> None:
        for number, most in limits.items():
            resource.setrlimit(number, (most, most))

    return limit


def sentences_of(errors: str) -> list[str]:
    """Return what was said as errors: each of them is one line that begins with "Error: "."""
    return [line for line in errors.splitlines() if line.startswith("Error: ")]


class Measured(NamedTuple):
    """How a process ended, and what it took."""

    code: int
    output: str
    errors: str
    cpu_seconds: float
    peak_bytes: int


def measured(*arguments: str, folder: Path, limits: Mapping[int, int] | None = None) -> Measured:
    """Run the program; give CPU time and peak memory of this process alone."""
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        tempfile.NamedTemporaryFile() as peak,
    ):
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-c", _WITH_PEAK, peak.name, *arguments],
            stdout=output,
            stderr=errors,
            cwd=folder,
            # Memory counts, so that a library which starts a thread for each core makes none.
            env={**os.environ, "COLUMNS": "200", "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=_limiting(limits or {}),  # noqa: PLW1509 - nothing runs beside it
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said, complained = _read_all(output), _read_all(errors)
        kilobytes = int(peak.read() or used.ru_maxrss)
    seconds = used.ru_utime + used.ru_stime
    return Measured(process.returncode, said, complained, seconds, kilobytes * 1024)


# The peak that the system tells of a process includes that of the one it was forked from.
_WITH_PEAK = """
import atexit, runpy, sys

def write():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    with open(name, "w") as out:
        out.write(status["VmHWM"].split()[0])

name = sys.argv.pop(1)
atexit.register(write)
runpy.run_module("geceval", run_name="__main__", alter_sys=True)
"""


def _read_all(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
