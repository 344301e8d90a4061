"""A cache on disk: a table of values by key, shared by all runs and processes of a user."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from geceval.errors import GecevalWarning

Value = TypeVar("Value")

_TIMEOUT = 60.0
"""Seconds to wait for another process that is writing."""

_QUERY_SIZE = 500
"""Keys in one query."""


class SqliteCache(Generic[Value]):
    """A cache in a SQLite file.

    A cache that cannot be read or written costs time and nothing else: there is one
    `GecevalWarning`, and from then on it is not used. Threads and processes may share it.

    Parameters
    ----------
    path
        The file; it and its folder are created when needed.
    pack
        Converts a value to bytes.
    unpack
        Converts it back; raises a `ValueError` for bytes that are no value.

    Attributes
    ----------
    is_usable
        Whether nothing has failed so far.
    """

    def __init__(
        self, path: Path, pack: Callable[[Value], bytes], unpack: Callable[[bytes], Value]
    ) -> None:
        self.path = path
        self.is_usable = True
        self._pack = pack
        self._unpack = unpack

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Value]:
        """Return the values that are known."""
        found: dict[bytes, Value] = {}
        # A folder that may not be looked into is an error, too.
        with self._forgiving():
            if self.is_usable and self.path.exists():
                with closing(self._open()) as base:
                    for first in range(0, len(keys), _QUERY_SIZE):
                        part = keys[first : first + _QUERY_SIZE]
                        marks = ",".join("?" * len(part))
                        query = f"SELECT key, value FROM cache WHERE key IN ({marks})"  # noqa: S608
                        for key, value in base.execute(query, part):
                            found[key] = self._unpack(value)
        return found

    def put(self, values: Mapping[bytes, Value]) -> None:
        """Add values."""
        with self._forgiving():
            if self.is_usable and values:
                rows = [(key, self._pack(value)) for key, value in values.items()]
                with closing(self._open()) as base, base:
                    base.executemany("INSERT OR REPLACE INTO cache VALUES (?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        # A connection for each use: none is shared between threads or inherited by a process.
        self.path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self.path, timeout=_TIMEOUT)
        try:
            base.execute("PRAGMA synchronous = NORMAL")
            base.execute(
                "CREATE TABLE IF NOT EXISTS cache (key BLOB PRIMARY KEY, value BLOB NOT NULL) "
                "WITHOUT ROWID"
            )
        except BaseException:
            base.close()
            raise
        return base

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            self.is_usable = False
            warnings.warn(
                f"the cache {self.path} is not used: {error}", GecevalWarning, stacklevel=4
            )
