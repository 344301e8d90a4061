"""A cache of analyses in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any

from geceval.extraction.lang.analysis import Analysis, Analyzer, Text
from geceval.extraction.lang.prefetch import (
    AnalyzerCache,
    PendingBatch,
    Prefetcher,
    can_prefetch,
)


class CachedAnalyzer(AnalyzerCache):
    """An analyzer with a thread-safe cache of the most recently used sentences.

    Parameters
    ----------
    analyzer
        Analyzer for sentences that are not in the cache.
    size
        Maximum number of sentences in the cache.

    Examples
    --------
    >>> from geceval.extraction.lang import get_pack
    >>> analyzer = CachedAnalyzer(get_pack("plain").analyzer(), size=100)
    >>> first, second = analyzer.analyze([("Yes", "."), ("Yes", ".")])
    >>> first is second
    True
    """

    def __init__(self, analyzer: Analyzer, *, size: int = 10_000) -> None:
        super().__init__(analyzer)
        self._size = size
        self._cached: OrderedDict[Text, Analysis] = OrderedDict()
        self._pending: dict[Text, PendingBatch] = {}
        self._prefetcher = Prefetcher()
        self._lock = Lock()
        self._prefetching = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the analyzer, not the cache."""
        return partial(CachedAnalyzer, size=self._size), (self._analyzer,)

    def prefetch(self, sentences: Sequence[Text]) -> None:
        """Start to analyze sentences that will be needed soon."""
        if not can_prefetch(self._analyzer):
            return
        # One thread at a time, or two would analyze the same sentence.
        with self._prefetching:
            with self._lock:
                new = [
                    sentence
                    for sentence in dict.fromkeys(sentences)
                    if sentence not in self._cached and sentence not in self._pending
                ]
            for batch in self._analyzer.pending(new):
                with self._lock:
                    self._pending.update(dict.fromkeys(batch.sentences, batch))
                self._prefetcher.add(batch)

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        distinct = list(dict.fromkeys(sentences))
        self._collect(distinct)
        with self._lock:
            found = {sent: self._cached[sent] for sent in distinct if sent in self._cached}
        new = [sentence for sentence in distinct if sentence not in found]
        found.update(zip(new, self._analyzer.analyze(new), strict=True))
        with self._lock:
            self._add(found)
            while len(self._cached) > self._size:
                self._cached.popitem(last=False)
        return [found[sentence] for sentence in sentences]

    def _add(self, analyses: Mapping[Text, Analysis]) -> None:
        """Add analyses to the cache, as those that were used last."""
        for sentence, analysis in analyses.items():
            self._cached[sentence] = analysis
            self._cached.move_to_end(sentence)

    def _collect(self, sentences: Sequence[Text]) -> None:
        """Move the batches of prefetched sentences to the cache."""
        with self._lock:
            batches = {id(batch): batch for batch in map(self._pending.get, sentences) if batch}
        for batch in batches.values():
            try:
                analyses = self._prefetcher.finish(batch)
                with self._lock:
                    self._add(dict(zip(batch.sentences, analyses, strict=True)))
            finally:
                # A batch that failed or was interrupted is analyzed again on the next call.
                with self._lock:
                    for sentence in batch.sentences:
                        self._pending.pop(sentence, None)
