"""Corrections of spans, as the alternatives of an error give them, and how they are applied.

Corrections that merely overlap are all applied, from the last token to the first: one that reaches
into text that was already rewritten takes as many tokens of it as its span is long. A correction
that would leave nothing of the sentence is not applied.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
"""Corrections that belong together; none at all where an error is left alone."""


def own_references(sent: Sentence) -> dict[str, Tokens]:
    """Return each annotator's own reference; the source where nobody annotated the sentence."""
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


def count_combinations(errors: Iterable[Error], tokens: Tokens) -> int:
    """Count the combinations of one alternative per error, whether they fit together or not."""
    return math.prod(len(alternatives(error, tokens)) for error in errors)


def alternatives(error: Error, tokens: Tokens) -> list[Alternative]:
    """Return the different ways to correct an error, leaving it alone first where allowed."""
    ways = [joined(edits, tokens) for edits in error.alternatives.values()]
    return list(dict.fromkeys(ways if error.required else [(), *ways]))


def joined(edits: Sequence[Edit], tokens: Tokens) -> Alternative:
    """Return edits as corrections, sorted; those with the same span are joined in their order."""
    if len(edits) == 1:
        return (_correction(edits[0], tokens),)
    words: dict[tuple[int, int], Tokens] = {}
    for edit in edits:
        start, end, new = _correction(edit, tokens)
        words[start, end] = words.get((start, end), ()) + new
    return tuple(sorted(Correction(*span, new) for span, new in words.items()))


def _correction(edit: Edit, tokens: Tokens) -> Correction:
    """Return the first correction of an edit.

    A flag says nothing about the text, yet it holds its span against other errors.
    """
    new = edit.corrections[0] if edit.corrections else tokens[edit.start : edit.end]
    return Correction(edit.start, edit.end, new)


class Applied(NamedTuple):
    """A piece of text after its corrections.

    `eaten` counts the tokens that they take from the text to the right, `was_bare` says
    whether nothing was left in between.
    """

    words: Tokens
    eaten: int
    was_bare: bool


def apply_corrections(
    tokens: Sequence[str], start: int, corrections: Sequence[Correction], *, keeps_last: bool
) -> Applied:
    """Correct the text that begins at `start`, from its last token to its first."""
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
