"""Sends chunks to Dask workers, and survives their deaths and that of the scheduler.

Each worker process is a *lane*. Chunks are assigned to lanes here and not by the scheduler, for
three reasons. Few chunks are in flight, so neither the scheduler nor this process grows. A chunk
that is suspected of killing workers runs alone. And a death is counted against such a chunk only,
not against others that were on the same worker.
"""

from __future__ import annotations

import asyncio
import heapq
import pickle
import pkgutil
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import distributed
from distributed import KilledWorker

from geceval import __version__
from geceval.engines import Chunk
from geceval.engines.attempts import Outcome
from geceval.engines.dask.worker import NOT_STORED, drop_function, run_chunk, store_function
from geceval.errors import GecevalError

IN_FLIGHT = 2
"""Chunks in flight per worker: one that runs, and one that waits, so that the worker never does."""

WINDOW = 3
"""Chunks per worker that may be in flight or finished before the next result is taken."""

_POLL = 0.5
"""Seconds between two looks at the workers."""

_SLOW = 4.0
"""A chunk that takes so many times as long as others is given to a second worker."""

_MIN_SLOW = 10.0
"""Seconds before a chunk is slow, whatever the others took."""

_CONNECT = 10.0
"""Seconds to connect to a scheduler."""

_ANSWER = 30.0
"""Seconds to wait for an answer of workers."""

_GOODBYE = 3.0
"""Seconds to wait at the end for workers, of which one may hang."""

_DIED = "its worker died"

_VERSION = "geceval:__version__"

# Only parts of Dask have types.
_connect: Any = distributed.Client


@dataclass(slots=True, order=True)
class ChunkTask:
    """A chunk, its number of failed attempts and its outcome."""

    start: int
    chunk: Chunk[Any] = field(compare=False)
    data: bytes = field(compare=False)
    attempts: int = field(default=0, compare=False)
    outcome: Outcome | None = field(default=None, compare=False)
    copies: int = field(default=0, compare=False)
    """Attempts that are in flight."""
    is_suspect: bool = field(default=False, compare=False)
    """Whether it was on a worker that died, so that it has to run alone."""


@dataclass(slots=True, eq=False)
class _Flight:
    """An attempt that is in flight."""

    task: ChunkTask
    since: float
    waiting: asyncio.Task[None] | None = None


@dataclass(slots=True, eq=False)
class _Lane:
    """A worker process, and what is in flight on it, the oldest first."""

    address: str
    flights: list[_Flight] = field(default_factory=list)

    def takes(self, task: ChunkTask) -> bool:
        """Whether the worker can take a chunk now."""
        if task.is_suspect or any(flight.task.is_suspect for flight in self.flights):
            return not self.flights
        return len(self.flights) < IN_FLIGHT


class _ConnectionLostError(Exception):
    """The scheduler is gone."""


class Dispatcher:
    """Runs chunks on the workers of a scheduler; lives in the event loop of its own thread.

    Parameters
    ----------
    name
        Unique name of the run.
    function
        The pickled function.
    patience
        Seconds to wait for a scheduler that is gone, or for a first worker.
    notify
        Called whenever a chunk is finished or the number of workers has changed.
    """

    def __init__(
        self, name: str, function: bytes, *, patience: float, notify: Callable[[], None]
    ) -> None:
        self._name = name
        self._function = function
        self._patience = patience
        self._notify = notify
        self._pending: list[ChunkTask] = []
        self._lanes: dict[str, _Lane] = {}
        self._seconds: list[float] = []
        self._n_sent = 0
        self._alive_at = 0.0
        self._client: Any | None = None
        self._is_lost = asyncio.Event()

    @property
    def window(self) -> int:
        """How many chunks may be submitted before the result of the first is taken."""
        return WINDOW * max(1, len(self._lanes))

    def add(self, task: ChunkTask) -> None:
        """Submit a chunk."""
        heapq.heappush(self._pending, task)
        self._dispatch()

    async def run(self, address: str, connection: dict[str, Any]) -> None:
        """Serve until cancelled.

        Raises
        ------
        GecevalError
            If there is no scheduler or no worker for too long, or if one has another version of
            geceval.
        """
        is_first = True
        self._alive_at = time.monotonic()
        while True:
            client = _connect(
                address,
                asynchronous=True,
                set_as_default=False,
                timeout=_CONNECT,
                **connection,
            )
            try:
                await client
                await _check_scheduler(client, address)
                is_first = False
                await self._serve(client)
            except ValueError as error:
                message = f"{address!r} is not the address of a scheduler: {error}"
                raise GecevalError(message) from error
            except (OSError, _ConnectionLostError) as error:
                if is_first:
                    raise GecevalError(
                        f"no Dask scheduler answers at {address}; is it running?"
                    ) from error
                if self._is_too_late:
                    raise GecevalError(
                        f"the Dask scheduler {address} is gone and has not come back"
                    ) from error
                await asyncio.sleep(_POLL)
            finally:
                self._abandon()
                with suppress(OSError):
                    await client.close(timeout=_CONNECT)

    @property
    def _is_too_late(self) -> bool:
        return time.monotonic() > self._alive_at + self._patience

    async def _serve(self, client: Any) -> None:
        """Run chunks until the connection is lost."""
        self._is_lost.clear()
        self._client = client
        try:
            while not self._is_lost.is_set() and client.status == "running":
                workers = await client.scheduler.ncores()
                for address in [one for one in self._lanes if one not in workers]:
                    self._bury(address)
                for address in await self._ready(client, workers):
                    self._lanes[address] = _Lane(address)
                if self._lanes:
                    self._alive_at = time.monotonic()
                elif self._is_too_late:
                    raise GecevalError(
                        f"no worker has been connected to {client.scheduler.address} for "
                        f"{self._patience:g} seconds"
                    )
                self._dispatch()
                self._notify()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._is_lost.wait(), _POLL)
        finally:
            # The run is over, or the scheduler is gone; what was sent goes with it.
            if self._lanes and client.status == "running":
                workers = list(self._lanes)
                await _call(client, drop_function, self._name, workers=workers, timeout=_GOODBYE)
        raise _ConnectionLostError

    async def _ready(self, client: Any, workers: Iterable[str]) -> list[str]:
        """Return new workers, after giving them the function."""
        new = [one for one in workers if one not in self._lanes]
        if not new:
            return []
        versions = await _call(client, pkgutil.resolve_name, _VERSION, workers=new)
        for address, found in versions.items():
            _check_version(f"the worker {address}", found)
        done = await _call(
            client, store_function, self._name, self._function, workers=list(versions)
        )
        return list(done)

    def _dispatch(self) -> None:
        """Assign pending chunks to lanes, idle lanes first; then help with slow chunks."""
        if self._client is None:
            return
        for _ in range(len(self._pending)):
            task = heapq.heappop(self._pending)
            lanes = [lane for lane in self._lanes.values() if lane.takes(task)]
            if not lanes:
                heapq.heappush(self._pending, task)
                break
            self._send(self._client, task, min(lanes, key=lambda lane: len(lane.flights)))
        if not self._pending:
            self._help_slow()

    def _help_slow(self) -> None:
        """Give slow chunks to idle lanes as well; whichever is first counts."""
        idle = [lane for lane in self._lanes.values() if not lane.flights]
        if not idle:
            return
        now = time.monotonic()
        limit = max(_MIN_SLOW, _SLOW * median(self._seconds)) if self._seconds else _MIN_SLOW
        flights = [flight for lane in self._lanes.values() for flight in lane.flights]
        for flight in sorted(flights, key=lambda flight: flight.task):
            task = flight.task
            is_slow = now - flight.since > limit
            if idle and is_slow and task.copies == 1 and not task.is_suspect:
                self._send(self._client, task, idle.pop())

    def _send(self, client: Any, task: ChunkTask, lane: _Lane) -> None:
        self._n_sent += 1
        future = client.submit(
            run_chunk,
            self._name,
            task.data,
            key=f"{self._name}-{self._n_sent}",
            workers=[lane.address],
            allow_other_workers=False,
        )
        flight = _Flight(task, time.monotonic())
        task.copies += 1
        lane.flights.append(flight)
        flight.waiting = asyncio.ensure_future(self._receive(future, lane, flight))

    async def _receive(self, future: Any, lane: _Lane, flight: _Flight) -> None:
        """Wait for the outcome of an attempt."""
        outcome: Outcome | None = None
        try:
            data = await future
            if data == NOT_STORED:
                # Its process is a new one with the same address, or other runs have pushed it out.
                sent = store_function, self._name, self._function
                await _call(self._client, *sent, workers=[lane.address])
            else:
                outcome = pickle.loads(data)  # noqa: S301 - from our worker
        except KilledWorker:
            self._bury(lane.address)
        except (asyncio.CancelledError, CancelledError):
            # By `_bury` or `_abandon`; if not, by the client, which has lost the scheduler.
            if flight in lane.flights:
                self._is_lost.set()
            return
        except Exception as error:  # noqa: BLE001 - any error of the chunk or of Dask
            outcome = Outcome(failure=f"{type(error).__name__}: {error}")
        finally:
            future.release()
        self._land(lane, flight, outcome)

    def _land(self, lane: _Lane, flight: _Flight, outcome: Outcome | None) -> None:
        """End an attempt; without an outcome it does not count."""
        if flight not in lane.flights:
            return
        lane.flights.remove(flight)
        now = time.monotonic()
        if lane.flights:
            # The next one has only been waiting.
            lane.flights[0].since = now
        task = flight.task
        task.copies -= 1
        if task.outcome is None:
            self._count(task, outcome)
            if outcome is not None and outcome.failure is None:
                self._seconds = [*self._seconds[-20:], now - flight.since]
        self._dispatch()
        self._notify()

    def _count(self, task: ChunkTask, outcome: Outcome | None) -> None:
        if outcome is not None:
            task.attempts += outcome.failure is not None
            if outcome.is_settled(task.attempts):
                task.outcome = outcome
                return
        if not task.copies:
            heapq.heappush(self._pending, task)

    def _bury(self, address: str) -> None:
        """Take the chunks of a dead worker back; one that was alone there has failed.

        Of two, either may have run: the outcome of the first may have been lost on its way.
        """
        lane = self._lanes.pop(address, None)
        if lane is None:
            return
        flights, lane.flights = lane.flights, []
        outcome = Outcome(failure=_DIED) if len(flights) == 1 else None
        for flight in flights:
            if flight.waiting is not None and flight.waiting is not asyncio.current_task():
                flight.waiting.cancel()
            task = flight.task
            task.copies -= 1
            task.is_suspect = True
            if task.outcome is None:
                self._count(task, outcome)
        self._notify()

    def _abandon(self) -> None:
        """Take all chunks back; none of them is to blame."""
        self._client = None
        lanes, self._lanes = self._lanes, {}
        for lane in lanes.values():
            flights, lane.flights = lane.flights, []
            for flight in flights:
                if flight.waiting is not None:
                    flight.waiting.cancel()
                flight.task.copies -= 1
                if flight.task.outcome is None:
                    self._count(flight.task, None)


async def _call(
    client: Any,
    function: Callable[..., Any],
    *arguments: Any,
    workers: list[str],
    timeout: float = _ANSWER,
) -> dict[str, Any]:
    """Call a function on workers; those that have just died give no answer."""
    call = client.run(function, *arguments, workers=workers, on_error="return")
    try:
        answers = await asyncio.wait_for(call, timeout)
    except OSError:
        return {}
    return {
        address: answer for address, answer in answers.items() if not isinstance(answer, OSError)
    }


async def _check_scheduler(client: Any, address: str) -> None:
    try:
        found = await client.run_on_scheduler(pkgutil.resolve_name, _VERSION)
    except ImportError as error:
        found = error
    _check_version(f"the scheduler {address}", found)


def _check_version(who: str, found: object) -> None:
    if found == __version__:
        return
    if isinstance(found, str):
        problem = f"{who} has geceval {found}, but this is {__version__}"
    else:
        problem = f"{who} cannot import geceval ({found})"
    raise GecevalError(
        f"{problem}; results could differ: install the same version on the whole cluster "
        f"(pip install geceval=={__version__})"
    )
