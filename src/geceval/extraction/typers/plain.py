"""Error types that need no model: punctuation, orthography, word order, spelling and other."""

from __future__ import annotations

from geceval.characters import variant_of
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change
from geceval.extraction.surface import is_punctuation
from geceval.extraction.typers.base import OTHER, lowered, operation, surface_category

SIMILAR = 0.5
"""Similarity from which on a replaced word is a spelling error."""


class PlainTyper:
    """Classifies edits of any language by their characters alone.

    Examples
    --------
    >>> from geceval.extraction.merge import Rule
    >>> source, target = Analysis.plain(("a", "tset")), Analysis.plain(("a", "test"))
    >>> PlainTyper().type(Change(1, 2, 1, 2, Rule.ALONE), source, target)
    'R:SPELL'
    """

    signature = "plain-2"

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Return the type of an edit."""
        before, after = lowered(change, source, target)
        if variant_of(before, after) == "WIDTH":
            category: str | None = "ORTH"
        elif all(map(is_punctuation, (*before, *after))):
            category = "PUNCT"
        else:
            category = surface_category(before, after, similar=SIMILAR)
        return f"{operation(change)}:{category or OTHER}"
