"""A key-value cache on disk, shared by all runs and processes of a user."""

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

    If it cannot be read or written, it issues one `GecevalWarning` and is not used any longer.
    Threads and processes may share it.

    Parameters
    ----------
    path
        The file, created with its folder when needed.
    pack
        Converts a value to bytes.
    unpack
        Converts bytes to a value; raises a `ValueError` for invalid bytes.

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
        """Return the cached values by key."""
        found: dict[bytes, Value] = {}
        with self._errors_as_warning():
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
        with self._errors_as_warning():
            if self.is_usable and values:
                rows = [(key, self._pack(value)) for key, value in values.items()]
                with closing(self._open()) as base, base:
                    base.executemany("INSERT OR REPLACE INTO cache VALUES (?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        # Connections must not be shared by threads or inherited by processes.
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
    def _errors_as_warning(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            self.is_usable = False
            warnings.warn(
                f"the cache {self.path} is not used: {error}", GecevalWarning, stacklevel=4
            )
