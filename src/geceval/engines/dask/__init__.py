"""An engine for a cluster: the workers of a Dask scheduler."""

from __future__ import annotations

import asyncio
import logging
import pickle
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from geceval.engines import Chunk, ChunkFailure
from geceval.engines.process import is_owned
from geceval.errors import GecevalError

if TYPE_CHECKING:
    from geceval.engines.dask.dispatcher import Dispatcher

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 300.0
"""Seconds to wait for a scheduler that is gone, or for a first worker."""

_LOOPBACK = "127.0.0.1"

_LOCAL_SETTINGS = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # Nobody looks at what these measure all the time.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.cycle": "5s",
}
"""Settings of Dask for a cluster that is started here."""

_CLOSE = 30.0
"""Seconds to wait for the end of the thread that talks to the scheduler."""


class DaskEngine:
    """Processes chunks on the workers of a Dask scheduler.

    Each worker process takes one chunk at a time, and receives the function once. A chunk whose
    worker dies is retried by another. If the scheduler is gone, the engine waits for it to come
    back, and submits what was in flight again.

    Parameters
    ----------
    scheduler
        Address of the scheduler, such as ``tcp://10.0.0.5:8786``. Without one, a scheduler and
        its workers are started on this machine, reachable from it alone.
    jobs
        Number of workers to start if there is no scheduler.
    patience
        Seconds to wait for a scheduler that is gone, or for a first worker.

    Raises
    ------
    GecevalError
        If Dask is not installed.
    """

    def __init__(
        self, scheduler: str | None = None, *, jobs: int = 1, patience: float = PATIENCE
    ) -> None:
        if jobs < 1:
            raise GecevalError(f"at least one worker is needed, not {jobs}")
        try:
            import distributed  # noqa: F401
        except ImportError as error:
            raise GecevalError(
                'the engine "dask" needs dask.distributed: pip install "geceval[cluster]"'
            ) from error
        self.scheduler = scheduler
        self.jobs = jobs
        self._patience = patience

    def map(
        self, function: Callable[[Chunk[Item]], Result], chunks: Iterable[Chunk[Item]]
    ) -> Generator[Result | ChunkFailure[Item], None, None]:
        """Yield the result or failure of each chunk, in order (see `geceval.engines.Engine`)."""
        from geceval.engines.dask.dispatcher import ChunkTask

        waiting: deque[ChunkTask] = deque()
        stream = iter(chunks)
        is_more = True
        with _connected(self, pickle.dumps(function), self._patience) as connection:
            while True:
                while is_more and len(waiting) < connection.window:
                    chunk = next(stream, None)
                    is_more = chunk is not None
                    if chunk is not None:
                        waiting.append(ChunkTask(chunk.start, chunk, pickle.dumps(chunk)))
                        connection.add(waiting[-1])
                if not waiting:
                    return
                outcome = waiting[0].outcome
                if outcome is None:
                    connection.wait()
                else:
                    yield outcome.settle(waiting.popleft().chunk)


@contextmanager
def _connected(engine: DaskEngine, function: bytes, patience: float) -> Iterator[_Connection]:
    connection = _Connection(engine, function, patience)
    try:
        yield connection
    finally:
        connection.close()


class _Connection:
    """The thread that talks to the scheduler, as seen from the one that reads and writes."""

    def __init__(self, engine: DaskEngine, function: bytes, patience: float) -> None:
        self._engine = engine
        self._function = function
        self._patience = patience
        self._news: SimpleQueue[BaseException | None] = SimpleQueue()
        self._dispatcher: Dispatcher | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = Thread(target=self._run, name="geceval-dask", daemon=True)
        self._thread.start()
        self.wait()

    @property
    def window(self) -> int:
        """How many chunks may be submitted before the result of the first is taken."""
        return 0 if self._dispatcher is None else self._dispatcher.window

    def add(self, task: Any) -> None:
        """Submit a chunk."""
        if self._dispatcher is not None:
            self._soon(self._dispatcher.add, task)

    def wait(self) -> None:
        """Wait for a change; raise the error that has ended the thread, if any."""
        news = [self._news.get()]
        while not self._news.empty():
            news.append(self._news.get())
        for error in news:
            if error is not None:
                raise error

    def close(self) -> None:
        """End the thread, and the workers that it has started."""
        if self._task is not None:
            self._soon(self._task.cancel)
        self._thread.join(_CLOSE)

    def _soon(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function in the thread, unless the thread has ended; `wait` tells why."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function, *arguments)

    def _run(self) -> None:
        # Blocked in the workers that are started from here, too: the main thread handles Ctrl-C.
        # The tracker comes first, because its start unblocks the signal.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            asyncio.run(self._main())
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again by `wait`
            self._news.put(error)

    async def _main(self) -> None:
        from geceval.engines.dask.dispatcher import Dispatcher

        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        if is_owned():
            _silence()
        async with AsyncExitStack() as stack:
            address = self._engine.scheduler
            connection: dict[str, Any] = {}
            if address is None:
                import dask

                with dask.config.set(_LOCAL_SETTINGS):
                    cluster = await stack.enter_async_context(_local_cluster(self._engine.jobs))
                address = cluster.scheduler_address
                connection = {"security": cluster.security}
            dispatcher = Dispatcher(
                f"geceval-{uuid4().hex}",
                self._function,
                patience=self._patience,
                notify=lambda: self._news.put(None),
            )
            self._dispatcher = dispatcher
            self._news.put(None)
            await dispatcher.run(address, connection)


def _silence() -> None:
    """Silence the loggers of Dask: what they print is handled here, and garbles the terminal."""
    for name in logging.root.manager.loggerDict:
        if name.split(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _local_cluster(jobs: int) -> Any:
    """Return a scheduler and workers that only this machine can reach."""
    import distributed

    # Only parts of Dask have types.
    dist: Any = distributed
    try:
        # Other users of the machine cannot send work, either.
        security = dist.Security.temporary()
    except ImportError:
        security = None
    return dist.LocalCluster(
        n_workers=jobs,
        threads_per_worker=1,
        processes=True,
        host=_LOOPBACK,
        protocol="tcp" if security is None else "tls",
        security=security,
        dashboard_address=f"{_LOOPBACK}:0",
        worker_dashboard_address=f"{_LOOPBACK}:0",
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        asynchronous=True,
    )
