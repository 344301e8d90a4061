"""Interface of error-type classifiers, and shared features."""

from __future__ import annotations

from typing import Protocol

from rapidfuzz.distance import Levenshtein

from geceval.characters import variant_of
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change

OTHER = "OTHER"


class Typer(Protocol):
    """An error-type classifier."""

    @property
    def signature(self) -> str:
        """Name and version: everything that can change a type."""
        ...

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Return the type of an edit, e.g. ``"R:VERB:SVA"``."""
        ...


def operation(change: Change) -> str:
    """Return the operation of an edit: missing (M), unnecessary (U) or replacement (R).

    Examples
    --------
    >>> from geceval.extraction.merge import Rule
    >>> operation(Change(1, 1, 1, 2, Rule.ALONE))
    'M'
    """
    if change.start == change.end:
        return "M"
    return "U" if change.target_start == change.target_end else "R"


def lowered(change: Change, source: Analysis, target: Analysis) -> tuple[list[str], list[str]]:
    """Return the lowercase tokens of both sides."""
    return (
        [*map(source.lower, source.tokens[change.start : change.end])],
        [*map(target.lower, target.tokens[change.target_start : change.target_end])],
    )


def surface_category(before: list[str], after: list[str], *, similar: float) -> str | None:
    """Return the category that follows from the characters alone.

    Parameters
    ----------
    before, after
        Lowercase tokens of both sides.
    similar
        Similarity from which on a replaced word is a spelling error.

    Returns
    -------
    category
        ``"ORTH"`` (case, spaces, and characters that look alike), ``"WO"`` (word order),
        ``"SPELL"``, or None.
    """
    if not before or not after:
        return None
    if "".join(before) == "".join(after) or variant_of(before, after) is not None:
        return "ORTH"
    if sorted(before) == sorted(after):
        return "WO"
    if len(before) == len(after) == 1 and similarity(before[0], after[0]) >= similar:
        return "SPELL"
    return None


def similarity(before: str, after: str) -> float:
    """Return the normalized Levenshtein similarity of two words."""
    return Levenshtein.normalized_similarity(before, after)
