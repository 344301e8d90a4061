"""A cache of analyses on disk, shared by many runs."""

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
from geceval.extraction.lang.casing import Lower
from geceval.extraction.lang.loading import spacy_version
from geceval.extraction.lang.prefetch import AnalyzerCache, PendingBatch, can_prefetch
from geceval.storage import strict_json
from geceval.storage.sqlite_cache import SqliteCache

SCHEMA = 3
"""Version of the format of stored analyses."""

_Columns: TypeAlias = tuple[
    tuple[str, ...],
    tuple[str, ...],
    tuple[str, ...],
    tuple[int, ...],
    tuple[str, ...],
    tuple[bool, ...] | None,
    tuple[str, ...] | None,
    tuple[bool | None, ...] | None,
]
"""Tags, parts of speech, lemmas, heads, labels; for raw text spaces; features, known words."""


class StoredAnalyzer(AnalyzerCache):
    """An analyzer with a cache on disk.

    The key of an analysis is the model, its version and the sentence; for raw text, also the
    positions of its spaces. Processes may share a folder, and threads an analyzer.

    Parameters
    ----------
    analyzer
        Analyzer for sentences that are not in the cache.
    folder
        Folder of the cache; created when needed.
    """

    def __init__(self, analyzer: Analyzer, folder: str | Path) -> None:
        super().__init__(analyzer)
        self._folder = Path(folder)
        self._lower: Lower = getattr(analyzer, "lower", str.lower)
        name = quote(f"{analyzer.signature}-spacy-{spacy_version()}-{SCHEMA}", safe="")
        self.cache = SqliteCache(self._folder / f"{name}.sqlite", _pack, _unpack)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the analyzer and the folder."""
        return StoredAnalyzer, (self._analyzer, self._folder)

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        known, new = self._look_up(sentences)
        if new:
            known.update(zip(new, self._store(new, self._analyzer.analyze(new)), strict=True))
        return [known[sentence] for sentence in sentences]

    def pending(self, sentences: Sequence[Text]) -> list[PendingBatch]:
        """Return batches to analyze; the first contains the stored analyses."""
        known, new = self._look_up(sentences)
        batches = []
        if known:
            batches.append(PendingBatch(list(known), lambda: None, lambda _: list(known.values())))
        if can_prefetch(self._analyzer):
            pending = self._analyzer.pending(new)
            batches += [batch.then(partial(self._store, batch.sentences)) for batch in pending]
        return batches

    def _look_up(self, sentences: Sequence[Text]) -> tuple[dict[Text, Analysis], list[Text]]:
        """Return the stored analyses, and the sentences without one."""
        keys = {_key(sentence): sentence for sentence in sentences}
        found = self.cache.get(list(keys))
        known = {
            keys[key]: Analysis(tokens_of(keys[key]), *columns, self._lower)
            for key, columns in found.items()
        }
        return known, [sentence for sentence in keys.values() if sentence not in known]

    def _store(self, sentences: Sequence[Text], analyses: list[Analysis]) -> list[Analysis]:
        pairs = zip(sentences, analyses, strict=True)
        self.cache.put({_key(sentence): _columns(analysis) for sentence, analysis in pairs})
        return analyses


def _key(sentence: Text) -> bytes:
    if isinstance(sentence, tuple):
        # A token may contain any character except white space.
        text = " ".join(sentence)
    else:
        # No token begins with a line break, so the key differs from that of any tokens.
        parts = sentence.words, sentence.spaces, sentence.norms
        text = "\n" + strict_json.dumps(parts, ascii_only=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _columns(analysis: Analysis) -> _Columns:
    columns = analysis.tags, analysis.pos, analysis.lemmas, analysis.heads, analysis.labels
    return *columns, analysis.spaces, analysis.feats, analysis.known


def _pack(columns: _Columns) -> bytes:
    data = strict_json.dumps(columns, compact=True, ascii_only=True)
    return zlib.compress(data.encode(), level=1)


def _unpack(data: bytes) -> _Columns:
    try:
        *columns, spaces, feats, known = json.loads(zlib.decompress(data))
        tags, pos, lemmas, heads, labels = map(tuple, columns)
    except (zlib.error, TypeError) as error:
        raise ValueError("it holds something else than analyses") from error
    spaces, feats, known = (
        None if column is None else tuple(column) for column in (spaces, feats, known)
    )
    return tags, pos, lemmas, heads, labels, spaces, feats, known
