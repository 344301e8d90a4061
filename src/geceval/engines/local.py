"""The engine for one machine: this process, or several worker processes."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, NamedTuple, TypeVar

from geceval.engines import Chunk, ChunkError
from geceval.engines.process import owned_process
from geceval.errors import GecevalError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

AHEAD = 2
"""Chunks for each worker that may be finished or under way before the next result is taken."""

_ATTEMPTS = 2


class LocalEngine:
    """Runs chunks one after the other in this process, or in several processes.

    Worker processes are started afresh, not copied from this process, so a program that uses
    more than one must keep its own start behind ``if __name__ == "__main__":``.

    Parameters
    ----------
    jobs
        Number of workers; with 1, everything happens in this process, one after the other.

    Examples
    --------
    >>> chunks = [Chunk(0, ("a", "b")), Chunk(2, ("c",))]
    >>> list(LocalEngine().map(lambda chunk: len(chunk.items), chunks))
    [2, 1]
    """

    def __init__(self, jobs: int = 1) -> None:
        if jobs < 1:
            raise GecevalError(f"at least one worker is needed, not {jobs}")
        self.jobs = jobs

    def map(
        self, function: Callable[[Chunk[Item]], Answer], chunks: Iterable[Chunk[Item]]
    ) -> Generator[Answer, None, None]:
        """Yield the result for each chunk, in order (see `geceval.engines.Engine`)."""
        if self.jobs == 1:
            return (_here(function, chunk) for chunk in chunks)
        return _elsewhere(function, chunks, self.jobs)


def _here(function: Callable[[Chunk[Item]], Answer], chunk: Chunk[Item]) -> Answer:
    try:
        return function(chunk)
    except GecevalError:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the second time counts
        answer: Answer = _answer(_try(function, chunk), chunk)
        return answer


class _Outcome(NamedTuple):
    """What became of a chunk.

    A failure is told in words, for not every error survives the way between processes.
    """

    answer: Any = None
    failure: str | None = None
    is_final: bool = False
    trace: str = ""


def _try(function: Callable[[Chunk[Item]], Answer], chunk: Chunk[Item]) -> _Outcome:
    try:
        return _Outcome(function(chunk))
    except GecevalError as error:
        return _Outcome(failure=str(error), is_final=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the chunk is named
        reason = traceback.format_exception_only(error)[-1].strip()
        return _Outcome(failure=reason, trace=traceback.format_exc())


def _answer(outcome: _Outcome, chunk: Chunk[Item]) -> Any:
    if outcome.failure is None:
        return outcome.answer
    error = (
        GecevalError(outcome.failure) if outcome.is_final else ChunkError(chunk, outcome.failure)
    )
    if outcome.trace:
        error.add_note(outcome.trace)
    raise error


@dataclass(slots=True)
class _Task(Generic[Item]):
    """A chunk on its way."""

    chunk: Chunk[Item]
    attempts: int = 0
    outcome: _Outcome | None = None


def _elsewhere(
    function: Callable[[Chunk[Item]], Answer], chunks: Iterable[Chunk[Item]], jobs: int
) -> Generator[Answer, None, None]:
    team: _Team[Item] = _Team(function, jobs)
    waiting: deque[_Task[Item]] = deque()
    stream = iter(chunks)
    is_more = True
    try:
        while True:
            while is_more and len(waiting) < AHEAD * jobs and team.has_room:
                chunk = next(stream, None)
                is_more = chunk is not None
                if chunk is not None:
                    waiting.append(_Task(chunk))
                    team.give(waiting[-1])
            if not waiting:
                return
            outcome = waiting[0].outcome
            if outcome is None:
                team.receive()
            else:
                yield _answer(outcome, waiting.popleft().chunk)
    finally:
        team.stop()


class _Team(Generic[Item]):
    """Worker processes, started when there is something to do for them."""

    def __init__(self, function: Callable[[Chunk[Item]], Any], jobs: int) -> None:
        self._function = function
        self._jobs = jobs
        self._idle: list[_Worker[Item]] = []
        self._busy: list[_Worker[Item]] = []

    @property
    def has_room(self) -> bool:
        return len(self._busy) < self._jobs

    def give(self, task: _Task[Item]) -> None:
        """Let an idle worker, or a new one, do a task."""
        worker = self._idle.pop() if self._idle else _Worker(self._function)
        self._busy.append(worker)
        worker.give(task)

    def receive(self) -> None:
        """Wait until some worker has finished or died."""
        ready = wait([worker.connection for worker in self._busy])
        for worker in [worker for worker in self._busy if worker.connection in ready]:
            self._busy.remove(worker)
            task = worker.task
            outcome = worker.outcome()
            if worker.is_alive:
                self._idle.append(worker)
            if outcome.failure is None or outcome.is_final or task.attempts == _ATTEMPTS:
                task.outcome = outcome
            else:
                self.give(task)

    def stop(self) -> None:
        """End all workers, whatever they do."""
        workers = [*self._idle, *self._busy]
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()
            worker.connection.close()


class _Worker(Generic[Item]):
    """A process that works on one chunk at a time."""

    task: _Task[Item]

    def __init__(self, function: Callable[[Chunk[Item]], Any]) -> None:
        # A copy of this process would also copy locks that its threads hold.
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(function, theirs), daemon=True)
        with uninterrupted_start():
            self.process.start()
        theirs.close()
        self.is_alive = True

    def give(self, task: _Task[Item]) -> None:
        self.task = task
        task.attempts += 1
        # A worker that died meanwhile is noticed when its answer is taken.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(task.chunk)

    def outcome(self) -> _Outcome:
        """Take the answer; when there is none the process has died."""
        try:
            outcome: _Outcome = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.is_alive = False
            self.connection.close()
            self.process.join()
            return _Outcome(failure=f"its process {_ending(self.process.exitcode)}")
        return outcome


def _ending(code: int | None) -> str:
    """Say how a process ended."""
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"


def _serve(function: Callable[[Chunk[Item]], Any], connection: Connection) -> None:
    """Work on chunks until the other side is gone."""
    ignore_interrupts()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with owned_process():
        _answer_all(function, connection)


def _answer_all(function: Callable[[Chunk[Item]], Any], connection: Connection) -> None:
    while True:
        try:
            chunk = connection.recv()
        except (EOFError, ConnectionResetError):
            return
        try:
            packed = pickle.dumps(_try(function, chunk))
        except Exception as error:  # noqa: BLE001 - anything may refuse to be pickled
            packed = pickle.dumps(_Outcome(failure=f"its result cannot be sent: {error}"))
        try:
            connection.send_bytes(packed)
        except (BrokenPipeError, ConnectionResetError):
            return


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, whatever it does."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def uninterrupted_start() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach; they have to call `ignore_interrupts` first."""
    # Started now, for it would let interrupts through.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Leave Ctrl-C, which all processes of a terminal get, to the one that people see."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
