"""What every typer does, and what several of them ask of an edit."""

from __future__ import annotations

from typing import Protocol

from rapidfuzz.distance import Levenshtein

from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change

OTHER = "OTHER"


class Typer(Protocol):
    """Anything that names the type of an edit."""

    @property
    def signature(self) -> str:
        """Name and version, all that can change a type."""
        ...

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Name the type of an edit, e.g. ``"R:VERB:SVA"``."""
        ...


def operation(change: Change) -> str:
    """Return M for what is missing, U for what is unnecessary, R for what is replaced.

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
    """Return the lower-cased tokens of both sides."""
    return (
        [token.lower() for token in source.tokens[change.start : change.end]],
        [token.lower() for token in target.tokens[change.target_start : change.target_end]],
    )


def surface_category(before: list[str], after: list[str], *, similar: float) -> str | None:
    """Name what can be seen without any analysis.

    Parameters
    ----------
    before, after
        Lower-cased tokens of both sides.
    similar
        From this similarity on, one word for another is a matter of spelling.

    Returns
    -------
    category
        ``"ORTH"`` (only case and spaces change), ``"WO"`` (only the order does), ``"SPELL"``,
        or None.
    """
    if not before or not after:
        return None
    if "".join(before) == "".join(after):
        return "ORTH"
    if sorted(before) == sorted(after):
        return "WO"
    if len(before) == len(after) == 1 and similarity(before[0], after[0]) >= similar:
        return "SPELL"
    return None


def similarity(before: str, after: str) -> float:
    """Return how alike two words are spelt: 1 is equal, 0 has nothing in common."""
    return Levenshtein.normalized_similarity(before, after)
