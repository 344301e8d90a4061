"""An engine for one machine: this process, or several worker processes."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from geceval.engines import ATTEMPTS, Chunk, ChunkFailure
from geceval.engines.attempts import Outcome, attempt
from geceval.engines.process import frozen_objects, owned_process
from geceval.errors import GecevalError

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Chunks per worker that may be finished or running before the next result is taken."""


class LocalEngine:
    """Processes chunks in this process, or in several worker processes.

    Worker processes are spawned, not forked, so a program that uses more than one must be guarded
    by ``if __name__ == "__main__":``.

    Parameters
    ----------
    jobs
        Number of workers; a single one is this process.
    is_isolated
        Whether a single worker is a process of its own, too, so that a chunk that kills it does
        not end this process.

    Examples
    --------
    >>> chunks = [Chunk(0, ("a", "b")), Chunk(2, ("c",))]
    >>> list(LocalEngine().map(lambda chunk: len(chunk.items), chunks))
    [2, 1]
    """

    def __init__(self, jobs: int = 1, *, is_isolated: bool = False) -> None:
        if jobs < 1:
            raise GecevalError(f"at least one worker is needed, not {jobs}")
        self.jobs = jobs
        self.is_isolated = is_isolated

    def map(
        self, function: Callable[[Chunk[Item]], Result], chunks: Iterable[Chunk[Item]]
    ) -> Generator[Result | ChunkFailure[Item], None, None]:
        """Yield the result or failure of each chunk, in order (see `geceval.engines.Engine`)."""
        if self.jobs == 1 and not self.is_isolated:
            return (_call(function, chunk) for chunk in chunks)
        return _map_in_processes(function, chunks, self.jobs)


def _call(
    function: Callable[[Chunk[Item]], Result], chunk: Chunk[Item]
) -> Result | ChunkFailure[Item]:
    for _ in range(ATTEMPTS - 1):
        try:
            return function(chunk)
        except GecevalError:
            raise
        except Exception:  # noqa: BLE001, S112 - any error is retried
            continue
    last: Result | ChunkFailure[Item] = attempt(function, chunk).settle(chunk)
    return last


@dataclass(slots=True)
class _ChunkTask(Generic[Item]):
    """A chunk, its number of attempts and its outcome."""

    chunk: Chunk[Item]
    attempts: int = 0
    outcome: Outcome | None = None


def _map_in_processes(
    function: Callable[[Chunk[Item]], Result], chunks: Iterable[Chunk[Item]], jobs: int
) -> Generator[Result | ChunkFailure[Item], None, None]:
    pool: _ProcessPool[Item] = _ProcessPool(function)
    waiting: deque[_ChunkTask[Item]] = deque()
    stream = iter(chunks)
    is_more = True
    try:
        while True:
            while is_more and len(waiting) < AHEAD * jobs and len(pool.busy) < jobs:
                chunk = next(stream, None)
                is_more = chunk is not None
                if chunk is not None:
                    waiting.append(_ChunkTask(chunk))
                    pool.submit(waiting[-1])
            if not waiting:
                return
            outcome = waiting[0].outcome
            if outcome is None:
                pool.wait()
            else:
                yield outcome.settle(waiting.popleft().chunk)
    finally:
        pool.stop()


class _ProcessPool(Generic[Item]):
    """Worker processes, started on demand."""

    def __init__(self, function: Callable[[Chunk[Item]], Any]) -> None:
        self._function = function
        self._idle: list[_Worker[Item]] = []
        self.busy: list[_Worker[Item]] = []

    def submit(self, task: _ChunkTask[Item]) -> None:
        """Assign a task to an idle worker or a new one."""
        worker = self._idle.pop() if self._idle else _Worker(self._function)
        self.busy.append(worker)
        worker.submit(task)

    def wait(self) -> None:
        """Wait until a worker has finished or died."""
        ready = wait([worker.connection for worker in self.busy])
        for worker in [worker for worker in self.busy if worker.connection in ready]:
            self.busy.remove(worker)
            task = worker.task
            outcome = worker.outcome()
            if worker.is_alive:
                self._idle.append(worker)
            if outcome.is_settled(task.attempts):
                task.outcome = outcome
            else:
                self.submit(task)

    def stop(self) -> None:
        """Terminate all workers."""
        workers = [*self._idle, *self.busy]
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()
            worker.connection.close()


class _Worker(Generic[Item]):
    """A process that works on one chunk at a time."""

    task: _ChunkTask[Item]

    def __init__(self, function: Callable[[Chunk[Item]], Any]) -> None:
        # A fork would copy locks held by threads.
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(function, theirs), daemon=True)
        with uninterrupted_start():
            self.process.start()
        theirs.close()
        self.is_alive = True

    def submit(self, task: _ChunkTask[Item]) -> None:
        self.task = task
        task.attempts += 1
        # The death of a worker is detected by `outcome`.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(task.chunk)

    def outcome(self) -> Outcome:
        """Receive the outcome; without one, the process has died."""
        try:
            outcome: Outcome = self.connection.recv()
        except (EOFError, OSError):
            # An `OSError` if it died while it sent its result.
            self.is_alive = False
            self.connection.close()
            self.process.join()
            return Outcome(failure=f"its process {_ending(self.process.exitcode)}")
        return outcome


def _ending(code: int | None) -> str:
    """Describe how a process ended."""
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"


def _serve(function: Callable[[Chunk[Item]], Any], connection: Connection) -> None:
    """Process chunks until the connection is closed."""
    ignore_interrupts()
    threading.Thread(target=end_with_parent, daemon=True).start()
    with owned_process(), suppress(EOFError, BrokenPipeError, ConnectionResetError):
        _answer(function, connection)
        # The first chunk has loaded the model.
        with frozen_objects():
            while True:
                _answer(function, connection)


def _answer(function: Callable[[Chunk[Item]], Any], connection: Connection) -> None:
    """Receive a chunk, and send its outcome."""
    connection.send_bytes(attempt(function, connection.recv()).packed())


def end_with_parent() -> None:
    """Exit as soon as the parent process has ended."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def uninterrupted_start() -> Iterator[None]:
    """Block Ctrl-C while processes start, until they call `ignore_interrupts`."""
    # Started first, because its start unblocks the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker; the main process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
