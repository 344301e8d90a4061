"""Analyses in a cache on disk, so that a sentence is analyzed once for many runs."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from geceval.extraction.lang.analysis import Analysis, Analyzer, Text, tokens_of
from geceval.extraction.lang.loading import spacy_version
from geceval.extraction.lang.prefetch import Begun, is_divisible
from geceval.storage import strict_json
from geceval.storage.sqlite_cache import SqliteCache

SCHEMA = 2
"""Version of the form of stored analyses."""

_Columns: TypeAlias = tuple[
    tuple[str, ...],
    tuple[str, ...],
    tuple[str, ...],
    tuple[int, ...],
    tuple[str, ...],
    tuple[bool, ...] | None,
]
"""Tags, parts of speech, lemmas, heads, labels and, of raw text, spaces."""


class StoredAnalyzer:
    """An analyzer that looks analyses up in a folder, and stores new ones there.

    The key of an analysis is the model, its version and the sentence; for raw text, also where
    its spaces are. Processes may share a folder, and threads an analyzer.

    Parameters
    ----------
    analyzer
        Analyzes what is not stored.
    folder
        Folder of the cache; created when needed.
    """

    def __init__(self, analyzer: Analyzer, folder: str | Path) -> None:
        self._analyzer = analyzer
        self._folder = Path(folder)
        name = quote(f"{analyzer.signature}-spacy-{spacy_version()}-{SCHEMA}", safe="")
        self.cache = SqliteCache(self._folder / f"{name}.sqlite", _pack, _unpack)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the analyzer and the place of the cache."""
        return StoredAnalyzer, (self._analyzer, self._folder)

    @property
    def kind(self) -> str:
        """Same as that of the analyzer."""
        return self._analyzer.kind

    @property
    def signature(self) -> str:
        """Same as that of the analyzer."""
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
        """Whether the analyzer can begin."""
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

    def _look_up(self, sentences: Sequence[Text]) -> tuple[dict[Text, Analysis], list[Text]]:
        """Return what is stored, and the sentences that are not."""
        keys = {_key(sentence): sentence for sentence in sentences}
        found = self.cache.get(list(keys))
        known = {
            keys[key]: Analysis(tokens_of(keys[key]), *columns) for key, columns in found.items()
        }
        return known, [sentence for sentence in keys.values() if sentence not in known]

    def _store(self, sentences: Sequence[Text], analyses: list[Analysis]) -> list[Analysis]:
        pairs = zip(sentences, analyses, strict=True)
        self.cache.put({_key(sentence): _columns(analysis) for sentence, analysis in pairs})
        return analyses


def _key(sentence: Text) -> bytes:
    if isinstance(sentence, tuple):
        # A token may hold any character but white space.
        text = " ".join(sentence)
    else:
        # Told apart from all tokens by what no token begins with.
        parts = sentence.words, sentence.spaces, sentence.norms
        text = "\n" + strict_json.dumps(parts, ascii_only=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _columns(analysis: Analysis) -> _Columns:
    columns = analysis.tags, analysis.pos, analysis.lemmas, analysis.heads, analysis.labels
    return *columns, analysis.spaces


def _pack(columns: _Columns) -> bytes:
    data = strict_json.dumps(columns, compact=True, ascii_only=True)
    return zlib.compress(data.encode(), level=1)


def _unpack(data: bytes) -> _Columns:
    try:
        *columns, spaces = json.loads(zlib.decompress(data))
        tags, pos, lemmas, heads, labels = map(tuple, columns)
    except (zlib.error, TypeError) as error:
        raise ValueError("it holds something else than analyses") from error
    return tags, pos, lemmas, heads, labels, None if spaces is None else tuple(spaces)
