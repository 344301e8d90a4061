"""Corrections of spans, and functions to apply them.

Overlapping corrections are all applied, from right to left: one that reaches into corrected text
replaces as many tokens of it as its span has. A correction that would delete the whole sentence is
not applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from geceval.model import Edit, Sentence, Tokens
from geceval.references.groups import Error, errors_of


class Correction(NamedTuple):
    """New words for a span of the source."""

    start: int
    end: int
    words: Tokens


Alternative: TypeAlias = tuple[Correction, ...]
"""The corrections of one annotator for a group of edits; empty for no correction."""


def own_references(sent: Sentence) -> dict[str, Tokens]:
    """Return the reference of each annotator; the source for a sentence without annotations."""
    corrections: dict[str, list[Correction]] = {ann.annotator: [] for ann in sent.annotations}
    for error in errors_of(sent):
        for annotator, edits in error.alternatives.items():
            corrections[annotator] += joined(edits, sent.tokens)
    if not corrections:
        return {"source": sent.tokens}
    return {
        annotator: apply_corrections(sent.tokens, 0, mine, keeps_last=True).words
        for annotator, mine in corrections.items()
    }


def alternatives(error: Error, tokens: Tokens) -> list[Alternative]:
    """Return the distinct alternatives of a group; first none, if the group is optional."""
    ways = [joined(edits, tokens) for edits in error.alternatives.values()]
    return list(dict.fromkeys(ways if error.required else [(), *ways]))


def joined(edits: Sequence[Edit], tokens: Tokens) -> Alternative:
    """Return edits as sorted corrections; those with equal spans are concatenated."""
    if len(edits) == 1:
        return (_correction(edits[0], tokens),)
    words: dict[tuple[int, int], Tokens] = {}
    for edit in edits:
        start, end, new = _correction(edit, tokens)
        words[start, end] = words.get((start, end), ()) + new
    return tuple(sorted(Correction(*span, new) for span, new in words.items()))


def _correction(edit: Edit, tokens: Tokens) -> Correction:
    """Return the first correction of an edit; a detection keeps the tokens of its span."""
    new = edit.corrections[0] if edit.corrections else tokens[edit.start : edit.end]
    return Correction(edit.start, edit.end, new)


class Applied(NamedTuple):
    """A corrected piece of text.

    `eaten` counts the tokens that corrections replace in the text to the right, `was_bare` is
    whether the piece was empty at some point.
    """

    words: Tokens
    eaten: int
    was_bare: bool


def apply_corrections(
    tokens: Sequence[str], start: int, corrections: Sequence[Correction], *, keeps_last: bool
) -> Applied:
    """Correct the text that begins at `start`, from right to left."""
    words = list(tokens)
    eaten = 0
    was_bare = False
    if len(corrections) > 1:
        corrections = sorted(corrections, key=itemgetter(0, 1), reverse=True)
    for item in corrections:
        before = words.copy() if keeps_last else words
        over = max(0, item.end - start - len(words))
        words[item.start - start : item.end - start] = item.words
        was_bare |= not words
        if keeps_last and not words:
            words = before
        else:
            eaten += over
    return Applied(tuple(words), eaten, was_bare)
