"""Lattices of corrections: all subsets of an annotation's edits, ordered by inclusion.

Choshen and Abend (2018), section 4. A correction that applies a proper superset of another's edits
is the better one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from geceval.model import Edit, Tokens, apply_edits, in_order


@dataclass(frozen=True, slots=True)
class AnnotationLattice:
    """The lattice of corrections spanned by the edits of one annotation.

    Parameters
    ----------
    tokens
        The original sentence.
    edits
        Sorted edits without intersections, each of which can be applied by itself.
    annotator
        Name of the annotator.
    insertions
        Order of insertions at the same position: as ``"annotated"``, or as ``"applied"``.

    Examples
    --------
    >>> edits = (Edit(0, 1, (("These",),)), Edit(2, 3, (("are",),)))
    >>> lattice = AnnotationLattice(("This", "cats", "is", "old"), edits)
    >>> " ".join(lattice.correction({1}))
    'This cats are old'
    """

    tokens: Tokens
    edits: tuple[Edit, ...]
    annotator: str = ""
    insertions: Literal["annotated", "applied"] = "annotated"

    def __len__(self) -> int:
        return len(self.edits)

    def correction(self, chosen: Iterable[int]) -> Tokens:
        """Return the original with the chosen edits applied, in this order."""
        edits = [
            self.edits[number]
            for number in (chosen if self.insertions == "applied" else sorted(chosen))
        ]
        words: list[str] = []
        position = 0
        for edit in in_order(edits):
            words += self.tokens[position : edit.start]
            words += edit.correction
            position = edit.end
        return (*words, *self.tokens[position:])


def spanning_edits(
    tokens: Tokens,
    edits: Iterable[Edit],
    lost: Counter[str] | None = None,
    *,
    every: bool = False,
) -> tuple[Edit, ...]:
    """Return the sorted edits that span a lattice, with intersecting edits merged.

    A merged edit covers the spans of its parts and corrects them as the annotator's corrected
    sentence does (see `apply_edits`). It combines the types of its parts.

    Parameters
    ----------
    tokens
        The original sentence.
    edits
        Edits of one annotator.
    lost
        Counts merged and excluded edits.
    every
        Also use detections, which replace their span by their text or delete it, and edits that
        change nothing.

    Examples
    --------
    >>> (edit,) = spanning_edits(("a", "b"), [Edit(0, 2, (("x",),), "A"), Edit(1, 2, ((),), "B")])
    >>> edit.start, edit.end, edit.correction, edit.type
    (0, 2, ('x',), 'A+B')
    """
    lost = Counter() if lost is None else lost
    usable = [edit for edit in in_order(edits) if _is_usable(edit, tokens, lost, every)]
    merged = (_merged(group, tokens, lost) for group in _intersecting(usable))
    return tuple(edit for edit in merged if every or _changes(edit, tokens, lost))


def _is_usable(edit: Edit, tokens: Tokens, lost: Counter[str], every: bool) -> bool:
    if not every and not edit.corrects:
        lost["flags"] += 1
        return False
    if not edit.fits(len(tokens)):
        lost["past-the-end"] += 1
        return False
    lost["alternatives"] += len(edit.corrections) > 1
    return True


def _changes(edit: Edit, tokens: Tokens, lost: Counter[str]) -> bool:
    if tokens[edit.start : edit.end] == edit.correction:
        lost["no-change"] += 1
        return False
    return True


def _intersecting(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """Group sorted edits that intersect, directly or through others."""
    group: list[Edit] = []
    for edit in edits:
        if group and not any(edit.overlaps(other) for other in group):
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _merged(group: list[Edit], tokens: Tokens, lost: Counter[str]) -> Edit:
    first = group[0]
    if len(group) == 1:
        return first
    lost["intersecting"] += len(group)
    lost["merged"] += 1
    start, end = first.start, max(edit.end for edit in group)
    local = [replace(edit, start=edit.start - start, end=edit.end - start) for edit in group]
    types = dict.fromkeys(edit.type for edit in group)
    correction = apply_edits(tokens[start:end], local)
    return replace(
        first, start=start, end=end, corrections=(correction,), type="+".join(types), comment=""
    )
