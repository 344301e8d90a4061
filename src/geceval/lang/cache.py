"""Each distinct sentence analysed once, as long as there is room for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from geceval.lang.analysis import Analyser, Analysis
from geceval.model import Tokens


class CachedAnalyser:
    """An analyser that remembers the sentences used last; threads may share it.

    Parameters
    ----------
    analyser
        Does the work.
    size
        How many sentences to remember.

    Examples
    --------
    >>> from geceval.lang import get_pack
    >>> analyser = CachedAnalyser(get_pack("plain").analyser(), size=100)
    >>> first, second = analyser.analyse([("Yes", "."), ("Yes", ".")])
    >>> first is second
    True
    """

    def __init__(self, analyser: Analyser, *, size: int = 10_000) -> None:
        self._analyser = analyser
        self._size = size
        self._known: OrderedDict[Tokens, Analysis] = OrderedDict()
        self._lock = Lock()

    @property
    def kind(self) -> str:
        """That of the analyser behind."""
        return self._analyser.kind

    @property
    def signature(self) -> str:
        """That of the analyser behind."""
        return self._analyser.signature

    def tokenise(self, text: str) -> Tokens:
        """Split raw text into tokens."""
        return self._analyser.tokenise(text)

    def analyse(self, sentences: Sequence[Tokens]) -> list[Analysis]:
        """Analyse each of `sentences`, in order."""
        distinct = list(dict.fromkeys(sentences))
        with self._lock:
            found = {sent: self._known[sent] for sent in distinct if sent in self._known}
        new = [sentence for sentence in distinct if sentence not in found]
        found.update(zip(new, self._analyser.analyse(new), strict=True))
        with self._lock:
            for sentence in distinct:
                self._known[sentence] = found[sentence]
                self._known.move_to_end(sentence)
            while len(self._known) > self._size:
                self._known.popitem(last=False)
        return [found[sentence] for sentence in sentences]
