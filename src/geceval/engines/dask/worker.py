"""What runs on a Dask worker: the function, sent there once, and the attempts at chunks."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from threading import Lock
from typing import Any

from geceval.engines import Chunk
from geceval.engines.attempts import Outcome, attempt
from geceval.engines.process import frozen_objects, owned_process

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
        # Dask's own objects, and the model, are many; a worker runs one chunk and little else.
        with self._lock, owned_process(), frozen_objects():
            try:
                if self._function is None:
                    self._function = pickle.loads(self._data)  # noqa: S301 - from our client
                    self._data = b""
                chunk: Chunk[Any] = pickle.loads(data)  # noqa: S301 - from our client
            except Exception as error:  # noqa: BLE001 - unpickling may raise any error
                reason = f"the worker cannot load it: {type(error).__name__}: {error}"
                return Outcome(failure=reason)
            return attempt(self._function, chunk)


_MAX_FUNCTIONS = 4
"""Functions that a worker keeps, should their clients have ended without removing them."""


def store_function(name: str, data: bytes) -> None:
    """Store the pickled function of a run, once for all of its chunks."""
    if name not in _functions:
        while len(_functions) >= _MAX_FUNCTIONS:
            del _functions[next(iter(_functions))]
        _functions[name] = _SentFunction(data)


def drop_function(name: str) -> None:
    """Remove the function of a run."""
    _functions.pop(name, None)


NOT_STORED = b""
"""Answer of a worker without the function."""


def run_chunk(name: str, data: bytes) -> bytes:
    """Try a pickled chunk once, and return the pickled outcome."""
    function = _functions.get(name)
    return NOT_STORED if function is None else function.attempt(data).packed()
