"""What runs on a Dask worker: the function, sent there once, and the attempts at chunks."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from threading import Lock
from typing import Any

from distributed import WorkerPlugin

from geceval.engines import Chunk
from geceval.engines.attempts import Outcome, attempt

_functions: dict[str, _SentFunction] = {}
"""Functions of this process, by the names of their runs."""


class _SentFunction:
    """A function as it was sent, unpickled at the first chunk.

    It processes one chunk at a time, because it may hold a model that threads cannot share.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._function: Callable[[Chunk[Any]], Any] | None = None
        self._lock = Lock()

    def attempt(self, data: bytes) -> Outcome:
        with self._lock:
            try:
                if self._function is None:
                    self._function = pickle.loads(self._data)  # noqa: S301 - from our client
                    self._data = b""
                chunk: Chunk[Any] = pickle.loads(data)  # noqa: S301 - from our client
            except Exception as error:  # noqa: BLE001 - unpickling may raise any error
                reason = f"the worker cannot load it: {type(error).__name__}: {error}"
                return Outcome(failure=reason)
            return attempt(self._function, chunk)


class FunctionPlugin(WorkerPlugin):
    """Gives a function to every worker once, also to those that join later.

    Parameters
    ----------
    name
        Name of the run.
    data
        The pickled function.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self._data = data

    def setup(self, worker: Any) -> None:  # noqa: ARG002
        """Store the function."""
        _functions.setdefault(self.name, _SentFunction(self._data))

    def teardown(self, worker: Any) -> None:  # noqa: ARG002
        """Remove the function."""
        _functions.pop(self.name, None)


NOT_SENT = b""
"""Answer of a worker that has not received the function yet."""


def run_chunk(name: str, data: bytes) -> bytes:
    """Try a pickled chunk once, and return the pickled outcome."""
    function = _functions.get(name)
    return NOT_SENT if function is None else function.attempt(data).packed()
