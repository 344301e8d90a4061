"""Contractions of a language, which are one edit with their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from geceval.extraction.align import Operation
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change, Rule, Strategy

Contractions = Mapping[tuple[str, ...], str]
"""Words that are contracted, and the contraction."""


class ContractionMerger:
    """A merging strategy that also joins contractions with their parts.

    Parameters
    ----------
    strategy
        Merges everything else.
    contractions
        Lowercase words and their contraction.

    Examples
    --------
    >>> from geceval.extraction.align import align_pairs
    >>> from geceval.extraction.merge import get_strategy
    >>> texts = "Je vais à le parc", "Je vais au parc"
    >>> pair = tuple(Analysis.plain(text.split()) for text in texts)
    >>> merger = ContractionMerger(get_strategy("all-split"), {("à", "le"): "au"})
    >>> (operations,) = align_pairs([pair])
    >>> [change[:4] for change in merger(operations, *pair)]
    [(2, 4, 2, 3)]
    """

    def __init__(self, strategy: Strategy, contractions: Contractions) -> None:
        self._strategy = strategy
        self._pairs: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        for parts, whole in contractions.items():
            self._pairs |= {(parts, (whole,)), ((whole,), parts)}

    def __call__(
        self, changes: Sequence[Operation], source: Analysis, target: Analysis
    ) -> list[Change]:
        """Merge operations into edits."""
        merged: list[Change] = []
        for change in self._strategy(changes, source, target):
            if merged and (both := self._joined(merged[-1], change, source, target)):
                merged[-1] = both
            else:
                merged.append(change)
        return merged

    def _joined(
        self, first: Change, second: Change, source: Analysis, target: Analysis
    ) -> Change | None:
        """Join two adjacent edits that contract words; None if they do not."""
        if (first.end, first.target_end) != (second.start, second.target_start):
            return None
        before = tuple(map(source.lower, source.tokens[first.start : second.end]))
        after = tuple(map(target.lower, target.tokens[first.target_start : second.target_end]))
        if (before, after) not in self._pairs:
            return None
        spans = first.start, second.end, first.target_start, second.target_end
        return Change(*spans, Rule.CONTRACTION)
