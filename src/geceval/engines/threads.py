"""Interruptible thread pools, and thread-safe caches of what is computed from objects."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import Generic, Protocol, TypeVar
from weakref import WeakSet, ref

Item = TypeVar("Item")
Result = TypeVar("Result")
Key = TypeVar("Key")
Value = TypeVar("Value")

MAX_JOBS = 1024
"""More threads than this exhaust memory where a library starts as many as it is asked for."""


def cores() -> int:
    """Count the cores that this process may use."""
    count = getattr(os, "process_cpu_count", None)
    if count is not None:
        return count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_LIMIT: ContextVar[int] = ContextVar("threads that may run", default=MAX_JOBS)


@contextmanager
def at_most(jobs: int) -> Iterator[None]:
    """Limit how many threads may run, while other processes use the other cores."""
    before = _LIMIT.set(min(jobs, _LIMIT.get()))
    try:
        yield
    finally:
        _LIMIT.reset(before)


def allowed(jobs: int) -> int:
    """Return how many of `jobs` threads may run, see `at_most`."""
    return min(jobs, _LIMIT.get())


_FOREIGN = "geceval-foreign"


class Pool:
    """A thread pool that can interrupt kernels.

    Parameters
    ----------
    workers
        Number of threads.
    name
        Their name.
    is_foreign
        Whether they call libraries that cannot be interrupted; `end` does not wait for them.
    """

    def __init__(self, workers: int, *, name: str = "geceval", is_foreign: bool = False) -> None:
        from geceval.kernels.interrupt import Stop

        self._stop = Stop()
        self._is_foreign = is_foreign
        prefix = _FOREIGN if is_foreign else name
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=prefix)
        _pools.add(self)

    def submit(self, function: Callable[[], Result]) -> Future[Result]:
        """Call a function in a thread."""
        return self._threads.submit(lambda: self._stop.run(function))

    def later(self, function: Callable[[], Result]) -> Callable[[], Result]:
        """Call a function in a thread, or where its result is needed if it has not begun by then.

        Returns
        -------
        result
            Returns the result.
        """
        task = self.submit(function)
        return lambda: function() if task.cancel() else task.result()

    def end(self) -> None:
        """Interrupt running calls, and cancel waiting ones."""
        self._stop.request()
        self._threads.shutdown(wait=not self._is_foreign, cancel_futures=True)


_pools: WeakSet[Pool] = WeakSet()


def end_pools() -> None:
    """End all pools before the program exits."""
    for pool in list(_pools):
        pool.end()


def has_foreign_threads() -> bool:
    """Whether a thread still runs that cannot be interrupted."""
    return any(thread.name.startswith(_FOREIGN) for thread in threading.enumerate())


class Later(Protocol):
    """Calls a function now or later; what it returns gives the result, see `Pool.later`."""

    def __call__(self, function: Callable[[], Result]) -> Callable[[], Result]:
        """Return a function that returns the result."""
        ...


def at_once(function: Callable[[], Result]) -> Callable[[], Result]:
    """Call a function now.

    Examples
    --------
    >>> at_once(list)()
    []
    """
    result = function()
    return lambda: result


def in_threads(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    workers: int,
    is_foreign: bool = False,
) -> list[Result]:
    """Call a function for each item, in threads where there is more than one worker.

    Within `at_most`, there are no more workers than it allows.

    Items are consumed lazily while earlier ones are processed. If a call fails or the caller is
    interrupted, the others stop. Threads that call libraries that cannot be interrupted
    (`is_foreign`) are left behind, and are used for a single worker, too.

    Examples
    --------
    >>> in_threads(len, ["a", "bc"], workers=2)
    [1, 2]
    """
    workers = allowed(workers)
    if workers <= 1 and not is_foreign:
        return list(map(function, items))
    pool = Pool(workers, is_foreign=is_foreign)
    try:
        tasks = [pool.submit(partial(function, item)) for item in items]
        return [task.result() for task in tasks]
    finally:
        pool.end()


class Latest(Generic[Key, Value]):
    """A thread-safe cache of the value computed from the latest object.

    Objects are compared by identity.

    Examples
    --------
    >>> latest: Latest[list[int], int] = Latest()
    >>> numbers = [1, 2]
    >>> latest.get(numbers, sum), latest.get([3], sum), latest.get(numbers, sum)
    (3, 3, 3)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._pair: tuple[Key, Value] | None = None

    def get(self, key: Key, make: Callable[[Key], Value]) -> Value:
        """Return the value of `key`, computed by `make` unless `key` is the latest."""
        pair = self._pair
        if pair is not None and pair[0] is key:
            return pair[1]
        with self._lock:
            pair = self._pair
            if pair is None or pair[0] is not key:
                pair = self._pair = key, make(key)
            return pair[1]

    def __reduce__(self) -> tuple[type[Latest[Key, Value]], tuple[()]]:
        """Copy and pickle an empty cache."""
        return type(self), ()


class WeakCache(Generic[Key, Value]):
    """A thread-safe cache of values computed from objects, each as long as its object exists.

    Objects are compared by identity, and must support weak references. A value must not refer to
    its object, or neither would ever be freed. Two threads may compute the same value.

    Examples
    --------
    >>> cache: WeakCache[Pool, list[int]] = WeakCache()
    >>> pool = Pool(1)
    >>> cache.get(pool, lambda _: [1]), cache.get(pool, lambda _: [2]), len(cache)
    ([1], [1], 1)
    >>> del pool
    >>> len(cache)
    0
    """

    def __init__(self) -> None:
        self._values: dict[int, tuple[ref[Key], Value]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Key) -> bool:
        known = self._values.get(id(key))
        return known is not None and known[0]() is key

    def get(self, key: Key, make: Callable[[Key], Value]) -> Value:
        """Return the value of `key`, computed by `make` if it is new."""
        number = id(key)
        known = self._values.get(number)
        if known is not None and known[0]() is key:
            return known[1]
        value = make(key)
        # Another object may have the same number later, so that of a freed one is forgotten.
        self._values[number] = ref(key, lambda _: self._values.pop(number, None)), value
        return value

    def __reduce__(self) -> tuple[type[WeakCache[Key, Value]], tuple[()]]:
        """Copy and pickle an empty cache."""
        return type(self), ()
