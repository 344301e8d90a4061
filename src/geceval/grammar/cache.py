"""Answers of checkers on disk, for all runs and all processes of a user."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from geceval.grammar.base import Checker, Problem, check_distinct
from geceval.storage import strict_json
from geceval.storage.sqlite_cache import SqliteCache

_CHUNK = 500
"""How many answers are written at a time: what was checked before an interruption is kept."""


def answer_cache(path: Path) -> SqliteCache[list[Problem]]:
    """Return the cache of answers in a file."""
    return SqliteCache(path, _pack, _unpack)


def _pack(problems: Sequence[Problem]) -> bytes:
    return strict_json.dumps(problems, ascii_only=True).encode()


def _unpack(data: bytes) -> list[Problem]:
    try:
        return [Problem(*fields) for fields in json.loads(data)]
    except TypeError as error:
        raise ValueError("it holds something else than answers") from error


class CachedChecker:
    """A checker that is asked only about texts that are not in the cache."""

    def __init__(self, checker: Checker, cache: SqliteCache[list[Problem]]) -> None:
        self._checker = checker
        self._cache = cache

    @property
    def name(self) -> str:
        """Same as that of the checker."""
        return self._checker.name

    @property
    def version(self) -> str:
        """Same as that of the checker."""
        return self._checker.version

    @property
    def identity(self) -> str:
        """Same as that of the checker."""
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
