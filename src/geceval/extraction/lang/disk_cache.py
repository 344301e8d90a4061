"""Analyses kept on disk, so that a sentence is analyzed once for many runs."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis, Analyzer, Text, tokens_of
from geceval.extraction.lang.loading import spacy_version
from geceval.extraction.lang.prefetch import Begun, is_divisible
from geceval.storage import strict_json

SCHEMA = 1
"""Grows when stored analyses take another form."""

_PATIENCE = 60.0  # seconds, while another process writes
_AT_ONCE = 500  # keys in one question


class StoredAnalyzer:
    """An analyzer that looks into a folder first and stores there what it finds out.

    Analyses are told apart by the model, its version and the sentence; for raw text, also by
    where its spaces are. Several processes may
    use one folder, and several threads one analyzer.

    Parameters
    ----------
    analyzer
        Does the work.
    folder
        Where to keep analyses; made when it is not there.
    """

    def __init__(self, analyzer: Analyzer, folder: str | Path) -> None:
        self._analyzer = analyzer
        name = quote(f"{analyzer.signature}-spacy-{spacy_version()}-{SCHEMA}", safe="")
        self.path = Path(folder) / f"{name}.sqlite"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from error
        self._lock = Lock()
        with self._clear_errors():
            self._base = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, value BLOB NOT NULL) "
                "WITHOUT ROWID"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the analyzer behind and the place of the store."""
        return StoredAnalyzer, (self._analyzer, self.path.parent)

    @property
    def kind(self) -> str:
        """That of the analyzer behind."""
        return self._analyzer.kind

    @property
    def signature(self) -> str:
        """That of the analyzer behind."""
        return self._analyzer.signature

    def tokenize(self, text: str) -> Text:
        """Split raw text."""
        return self._analyzer.tokenize(text)

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze each of `sentences`, in order."""
        known, new = self._look_up(sentences)
        if new:
            known.update(zip(new, self._store(new, self._analyzer.analyze(new)), strict=True))
        return [known[sentence] for sentence in sentences]

    @property
    def can_begin(self) -> bool:
        """Whether the analyzer behind can begin."""
        return is_divisible(self._analyzer)

    def begin(self, sentences: Sequence[Text]) -> list[Begun]:
        """Begin to analyze what is not stored."""
        known, new = self._look_up(sentences)
        parts = []
        if known:
            parts.append(Begun(list(known), lambda: None, lambda _: list(known.values())))
        if is_divisible(self._analyzer):
            begun = self._analyzer.begin(new)
            parts += [part.then(partial(self._store, part.sentences)) for part in begun]
        return parts

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _look_up(self, sentences: Sequence[Text]) -> tuple[dict[Text, Analysis], list[Text]]:
        """Return what is stored, and the sentences that are not."""
        keys = {_key(sentence): sentence for sentence in sentences}
        known: dict[Text, Analysis] = {}
        every = list(keys)
        with self._lock, self._clear_errors():
            for start in range(0, len(every), _AT_ONCE):
                some = every[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                question = f"SELECT key, value FROM analyses WHERE key IN ({marks})"  # noqa: S608
                for key, value in self._base.execute(question, some):
                    sentence = keys[key]
                    known[sentence] = self._unpack(sentence, value)
        return known, [sentence for sentence in keys.values() if sentence not in known]

    def _store(self, sentences: Sequence[Text], analyses: list[Analysis]) -> list[Analysis]:
        rows = [
            (_key(sentence), _pack(analysis))
            for sentence, analysis in zip(sentences, analyses, strict=True)
        ]
        with self._lock, self._clear_errors():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self._base.executemany("INSERT OR IGNORE INTO analyses VALUES (?, ?)", rows)
            finally:
                self._base.execute("COMMIT")
        return analyses

    def _unpack(self, sentence: Text, value: bytes) -> Analysis:
        try:
            fields: list[Any] = [tuple(column) for column in json.loads(zlib.decompress(value))]
            # Of raw text it is also told where the spaces are.
            tags, pos, lemmas, heads, labels, spaces = (
                [*fields, None] if isinstance(sentence, tuple) else fields
            )
        except (zlib.error, ValueError, TypeError) as error:
            raise self._unusable(error) from error
        return Analysis(tokens_of(sentence), tags, pos, lemmas, heads, labels, spaces)

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> GecevalError:
        return GecevalError(
            f"the cache {self.path} cannot be used: {error}; remove it, or name another folder"
        )


def _key(sentence: Text) -> bytes:
    if isinstance(sentence, tuple):
        # A token may hold any character but white space.
        text = " ".join(sentence)
    else:
        # Told apart from all tokens by what no token begins with.
        parts = sentence.words, sentence.spaces, sentence.norms
        text = "\n" + strict_json.dumps(parts, ascii_only=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _pack(analysis: Analysis) -> bytes:
    fields = [analysis.tags, analysis.pos, analysis.lemmas, analysis.heads, analysis.labels]
    if analysis.spaces is not None:
        fields.append(analysis.spaces)
    return zlib.compress(strict_json.dumps(fields, compact=True, ascii_only=True).encode(), level=1)
