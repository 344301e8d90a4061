"""Each distinct sentence analysed once, as long as there is room for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from geceval.lang.analysis import Analyser, Analysis
from geceval.model import Tokens


class CachedAnalyser:
    """An analyser that remembers the sentences used last.

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

    @property
    def signature(self) -> str:
        """That of the analyser behind."""
        return self._analyser.signature

    def tokenise(self, text: str) -> Tokens:
        """Split raw text into tokens."""
        return self._analyser.tokenise(text)

    def analyse(self, sentences: Sequence[Tokens]) -> list[Analysis]:
        """Analyse each of `sentences`, in order."""
        known = self._known
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
        known.update(zip(new, self._analyser.analyse(new), strict=True))
        analyses = [known[sentence] for sentence in sentences]
        for sentence in sentences:
            known.move_to_end(sentence)
        while len(known) > self._size:
            known.popitem(last=False)
        return analyses
