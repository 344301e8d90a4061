"""Error types by universal parts of speech, for any language with a spaCy pipeline."""

from __future__ import annotations

from geceval.extraction.align import OPEN_CLASSES
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change
from geceval.extraction.typers.base import OTHER, lowered, operation, similarity, surface_category

SIMILAR = 0.75
"""Similarity from which on a replaced word is a spelling error."""

_VERB_GROUP = frozenset({"AUX", "PART", "VERB"})
# Parts of speech that are not informative.
_VAGUE = frozenset({"", "X", "SYM", "SPACE", "INTJ"})


class UniversalTyper:
    """Classifies edits by the parts of speech, lemmas and characters of their words.

    A type is an operation (M, R, U) and one of: ``ORTH`` (case and spaces), ``WO`` (word order),
    ``SPELL``; a part of speech (a different word of that class), a part of speech and ``:FORM`` (a
    different form of the same word); ``MORPH`` (same lemma, different class); ``OTHER``.

    Examples
    --------
    >>> from geceval.extraction.merge import Rule
    >>> def analyzed(word, lemma):
    ...     return Analysis((word,), ("",), ("NOUN",), (lemma,), (0,), ("",))
    >>> source, target = analyzed("mouse", "mouse"), analyzed("mice", "mouse")
    >>> UniversalTyper().type(Change(0, 1, 0, 1, Rule.ALONE), source, target)
    'R:NOUN:FORM'
    """

    signature = "universal"

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Return the type of an edit."""
        return f"{operation(change)}:{self._category(change, source, target)}"

    def _category(self, change: Change, source: Analysis, target: Analysis) -> str:
        before, after = lowered(change, source, target)
        # Similar forms of the same word are not spelling errors.
        surface = surface_category(before, after, similar=2.0)
        if surface is not None:
            return surface
        pos = {
            *source.pos[change.start : change.end],
            *target.pos[change.target_start : change.target_end],
        }
        lemmas = source.lemmas[change.start : change.end]
        target_lemmas = target.lemmas[change.target_start : change.target_end]
        if len(before) == len(after) == 1:
            return _word_category(before[0], after[0], pos, same_lemma=lemmas == target_lemmas)
        if len(pos) == 1:
            return _named(pos)
        if before and after and pos <= _VERB_GROUP and lemmas[-1] == target_lemmas[-1]:
            return "VERB:FORM"
        return OTHER


def _word_category(before: str, after: str, pos: set[str], *, same_lemma: bool) -> str:
    """Return the category of a replaced word."""
    if same_lemma and pos <= OPEN_CLASSES | _VERB_GROUP | {"PRON", "DET", "PROPN"}:
        return f"{_named(pos)}:FORM" if len(pos) == 1 else "MORPH"
    if similarity(before, after) >= SIMILAR:
        return "SPELL"
    return _named(pos) if len(pos) == 1 else OTHER


def _named(pos: set[str]) -> str:
    (name,) = pos
    return OTHER if name in _VAGUE else name
