"""What runs on a Dask worker: the function, sent there once, and the attempts at chunks."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import ExitStack
from threading import Lock
from typing import Any

from geceval.engines import Chunk
from geceval.engines.attempts import Outcome, attempt
from geceval.engines.process import frozen_objects, owned_process

_functions: dict[str, _SentFunction] = {}
"""Functions of this process, by the names of their runs."""


class _SentFunction:
    """A function as it was sent, unpickled at the first chunk.

    It processes one chunk at a time, because it may hold a model that threads cannot share. What
    exists after the first chunk, such as the model and Dask's own objects, is excluded from garbage
    collection until the function is dropped.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._function: Callable[[Chunk[Any]], Any] | None = None
        self._lock = Lock()
        self._frozen = ExitStack()

    def attempt(self, data: bytes) -> Outcome:
        with self._lock, owned_process():
            is_first = self._function is None
            try:
                if self._function is None:
                    self._function = pickle.loads(self._data)  # noqa: S301 - from our client
                    self._data = b""
                chunk: Chunk[Any] = pickle.loads(data)  # noqa: S301 - from our client
            except Exception as error:  # noqa: BLE001 - unpickling may raise any error
                reason = f"the worker cannot load it: {type(error).__name__}: {error}"
                return Outcome(failure=reason)
            outcome = attempt(self._function, chunk)
            if is_first:
                self._frozen.enter_context(frozen_objects())
            return outcome

    def close(self) -> None:
        self._frozen.close()


_MAX_FUNCTIONS = 4
"""Functions that a worker keeps, should their clients have ended without removing them."""


def store_function(name: str, data: bytes) -> None:
    """Store the pickled function of a run, once for all of its chunks."""
    if name not in _functions:
        while len(_functions) >= _MAX_FUNCTIONS:
            drop_function(next(iter(_functions)))
        _functions[name] = _SentFunction(data)


def drop_function(name: str) -> None:
    """Remove the function of a run."""
    function = _functions.pop(name, None)
    if function is not None:
        function.close()


NOT_STORED = b""
"""Answer of a worker without the function."""


def run_chunk(name: str, data: bytes) -> bytes:
    """Try a pickled chunk once, and return the pickled outcome."""
    function = _functions.get(name)
    return NOT_STORED if function is None else function.attempt(data).packed()
