"""Edits inside of others, by definition.

This is for edits of tokens, no insertions, of which no two cross or have the same span.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from geceval.model import Edit


def is_inside(inner: Edit, outer: Edit) -> bool:
    """Whether the span of an edit is a proper part of that of another, which it overlaps."""
    spans = outer.start <= inner.start and inner.end <= outer.end
    return spans and inner.overlaps(outer) and (inner.start, inner.end) != (outer.start, outer.end)


def holds(outer: Edit, inner: Edit) -> bool:
    """Whether a correction contains the words or letters of a correction, regardless of case."""
    for own in outer.corrections:
        for other in inner.corrections:
            words = Counter(token.lower() for token in other)
            if words <= Counter(token.lower() for token in own):
                return True
            if "".join(other).lower() in "".join(own).lower():
                return True
    return False


def outer_edits(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that are not inside of one that holds something directly inside it.

    Edits that do not correct anything are not inside of others.
    """
    correcting = [edit for edit in edits if edit.corrects]

    def directly_inside(outer: Edit) -> list[Edit]:
        found = [edit for edit in correcting if is_inside(edit, outer)]
        return [edit for edit in found if not any(is_inside(edit, other) for other in found)]

    holding = [
        outer
        for outer in correcting
        if any(holds(outer, inner) for inner in directly_inside(outer))
    ]
    return [
        edit
        for edit in edits
        if not (edit.corrects and any(is_inside(edit, outer) for outer in holding))
    ]


def readings(edits: Sequence[Edit], n_tokens: int) -> list[list[Edit]]:
    """Divide edits into readings without overlaps, the first with the edits that are applied.

    Each reading has the outer edits of those that no reading before it has, from left to right, and
    whatever fits beside them.
    """
    able = [edit for edit in edits if edit.corrects and edit.end <= n_tokens]
    left = able
    found: list[list[Edit]] = []
    while left:
        chosen = _from_left_to_right(left, [])
        chosen = _from_left_to_right(able, chosen)
        found.append([edit for edit in edits if edit in chosen or edit not in able])
        left = [edit for edit in left if edit not in chosen]
    return found or [list(edits)]


def _from_left_to_right(edits: Sequence[Edit], chosen: Sequence[Edit]) -> list[Edit]:
    found = list(chosen)
    free = [edit for edit in edits if not any(edit.overlaps(other) for other in chosen)]
    for edit in sorted(outer_edits(free), key=lambda edit: (edit.start, edit.end)):
        if not any(edit.overlaps(other) for other in found):
            found.append(edit)
    return found
