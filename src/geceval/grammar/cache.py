"""Answers of checkers on disk, for all runs and all processes of a user."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from geceval.errors import GecevalWarning
from geceval.grammar.base import Checker, Problem, check_distinct
from geceval.storage import strict_json
from geceval.storage.folders import cache_folder

__all__ = ["AnswerCache", "CachedChecker", "cache_folder"]

_CHUNK = 500
"""How many answers are written at a time: what was checked before an interruption is kept."""

_PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""

_QUERY_SIZE = 500


class AnswerCache:
    """A table of answers by key.

    A cache that cannot be read or written costs time and no more: it warns and gives nothing.

    Parameters
    ----------
    path
        The file; it and its folder are made when needed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, keys: Sequence[bytes]) -> dict[bytes, list[Problem]]:
        """Return the answers that are known."""
        found: dict[bytes, list[Problem]] = {}
        with self._forgiving():
            # A folder that may not be looked into is an error, too.
            if not self.path.exists():
                return found
        with self._forgiving(), closing(self._open()) as table:
            for first in range(0, len(keys), _QUERY_SIZE):
                part = keys[first : first + _QUERY_SIZE]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, problems FROM answers WHERE key IN ({marks})"  # noqa: S608
                found.update((key, _read(text)) for key, text in table.execute(query, part))
        return found

    def put(self, answers: Mapping[bytes, Sequence[Problem]]) -> None:
        """Add answers."""
        rows = [
            (key, strict_json.dumps(problems, ascii_only=True)) for key, problems in answers.items()
        ]
        with self._forgiving(), closing(self._open()) as table, table:
            table.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        # A connection for each use: none is shared between threads or inherited by a process.
        self.path.parent.mkdir(parents=True, exist_ok=True)
        table = sqlite3.connect(self.path, timeout=_PATIENCE)
        try:
            table.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, problems TEXT NOT NULL) "
                "WITHOUT ROWID"
            )
        except sqlite3.Error:
            table.close()
            raise
        return table

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            warnings.warn(
                f"the cache {self.path} is not used: {error}", GecevalWarning, stacklevel=4
            )


def _read(text: str) -> list[Problem]:
    try:
        return [Problem(*fields) for fields in json.loads(text)]
    except TypeError as error:
        raise ValueError("it holds something else than answers") from error


class CachedChecker:
    """A checker that is asked only about texts that are not in the cache."""

    def __init__(self, checker: Checker, cache: AnswerCache) -> None:
        self._checker = checker
        self._cache = cache

    @property
    def name(self) -> str:
        """That of the checker behind."""
        return self._checker.name

    @property
    def version(self) -> str:
        """That of the checker behind."""
        return self._checker.version

    @property
    def identity(self) -> str:
        """That of the checker behind."""
        return self._checker.identity

    def check(self, texts: Sequence[str]) -> list[list[Problem]]:
        """Return the problems of each text."""
        return check_distinct(self._check, texts)

    def _check(self, texts: Sequence[str]) -> list[list[Problem]]:
        identity = self.identity
        keys = {text: _key(identity, text) for text in texts}
        known = self._cache.get(list(keys.values()))
        new = [text for text in texts if keys[text] not in known]
        for first in range(0, len(new), _CHUNK):
            part = new[first : first + _CHUNK]
            answers = zip(part, self._checker.check(part), strict=True)
            fresh = {keys[text]: problems for text, problems in answers}
            self._cache.put(fresh)
            known.update(fresh)
        return [known[keys[text]] for text in texts]


def _key(identity: str, text: str) -> bytes:
    return hashlib.sha256(f"{identity}\n{text}".encode("utf-8", "surrogatepass")).digest()
