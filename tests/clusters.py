"""A real Dask cluster on this machine: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from requirements import skip_or_fail

LIMIT = 60.0
"""Seconds that anything may take on a busy machine."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """A scheduler and workers on loopback.

    They end by themselves, should nobody end them: the scheduler when it is idle, the workers
    without a scheduler.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self) -> None:
        where = ["--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard"]
        self._scheduler = self._start("scheduler", *where, "--idle-timeout", "120s")
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("the scheduler has not started")

    def start_workers(self, n: int, *, environment: dict[str, str] | None = None) -> None:
        """Start workers; a nanny replaces one that is killed."""
        options = ["--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard"]
        for _ in range(n):
            self.workers.append(
                self._start(
                    "worker",
                    self.address,
                    *options,
                    "--death-timeout",
                    "120s",
                    "--local-directory",
                    str(self._folder),
                    environment=environment,
                )
            )

    def kill_scheduler(self) -> None:
        assert self._scheduler is not None
        _kill(self._scheduler)
        self._scheduler = None

    def stop_workers(self) -> None:
        """Kill the workers, which without a scheduler would take long to end."""
        for process in self.workers:
            _kill(process)
        self.workers.clear()

    def stop(self) -> None:
        self.stop_workers()
        if self._scheduler is not None:
            _kill(self._scheduler)

    def _start(
        self, kind: str, *arguments: str, environment: dict[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments]
        paths = {"PYTHONPATH": str(Path(__file__).parent)}
        log = (self._folder / f"{kind}-{len(self.workers)}-{time.monotonic_ns()}.log").open("wb")
        with log:
            return subprocess.Popen(  # noqa: S603 - our own command
                command,
                env={**os.environ, **paths, **(environment or {})},
                stdout=log,
                stderr=log,
                cwd=self._folder,
                # A group of its own, so that what it started ends with it.
                start_new_session=True,
            )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started, if they have not ended."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def running_cluster(folder: Path, n_workers: int = 3) -> Iterator[Cluster]:
    """Run a cluster; skip the test without Dask, unless ``dask`` is required."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        skip_or_fail("dask", "dask.distributed is not installed")
    cluster = Cluster(folder)
    try:
        cluster.start_scheduler()
        cluster.start_workers(n_workers)
        yield cluster
    finally:
        cluster.stop()
