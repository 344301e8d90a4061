"""A cache of analyses in memory: each distinct sentence is analyzed once, while there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import Any

from geceval.extraction.lang.analysis import Analysis, Analyzer, Text
from geceval.extraction.lang.prefetch import Ahead, Begun, is_divisible


class CachedAnalyzer:
    """An analyzer with a cache of the sentences used last; threads may share it.

    Parameters
    ----------
    analyzer
        Analyzes what is not in the cache.
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
        self._analyzer = analyzer
        self._size = size
        self._known: OrderedDict[Text, Analysis] = OrderedDict()
        self._begun: dict[Text, Begun] = {}
        self._ahead = Ahead()
        self._lock = Lock()
        self._expecting = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the analyzer, not the cache."""
        return partial(CachedAnalyzer, size=self._size), (self._analyzer,)

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

    @property
    def can_expect(self) -> bool:
        """Whether prefetching helps."""
        return is_divisible(self._analyzer)

    def expect(self, sentences: Sequence[Text]) -> None:
        """Prefetch sentences that will be needed soon, in a second thread."""
        if not is_divisible(self._analyzer):
            return
        # One thread at a time, or two would begin with one sentence.
        with self._expecting:
            with self._lock:
                new = [
                    sentence
                    for sentence in dict.fromkeys(sentences)
                    if sentence not in self._known and sentence not in self._begun
                ]
            for begun in self._analyzer.begin(new):
                with self._lock:
                    self._begun.update(dict.fromkeys(begun.sentences, begun))
                self._ahead.add(begun)

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze each of `sentences`, in order."""
        distinct = list(dict.fromkeys(sentences))
        self._take(distinct)
        with self._lock:
            found = {sent: self._known[sent] for sent in distinct if sent in self._known}
        new = [sentence for sentence in distinct if sentence not in found]
        found.update(zip(new, self._analyzer.analyze(new), strict=True))
        with self._lock:
            for sentence in distinct:
                self._known[sentence] = found[sentence]
                self._known.move_to_end(sentence)
            while len(self._known) > self._size:
                self._known.popitem(last=False)
        return [found[sentence] for sentence in sentences]

    def _take(self, sentences: Sequence[Text]) -> None:
        """Move prefetched sentences, and those analyzed with them, to the cache."""
        with self._lock:
            parts = {id(part): part for part in map(self._begun.get, sentences) if part}
        for part in parts.values():
            try:
                analyses = self._ahead.finish(part)
                with self._lock:
                    self._known.update(zip(part.sentences, analyses, strict=True))
            finally:
                # What failed or was interrupted is begun anew when it is asked for again.
                with self._lock:
                    for sentence in part.sentences:
                        self._begun.pop(sentence, None)
