"""Errors: groups of edits of all annotators that concern the same error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from geceval.model import Edit, Sentence, annotator_order

AnnotatedEdit: TypeAlias = tuple[str, Edit]
"""An annotator and an edit."""


@dataclass(frozen=True, slots=True)
class Error:
    """One error of a sentence and its corrections.

    `alternatives` maps annotators to their edits of this error; an error that is not `required`
    may remain uncorrected.
    """

    required: bool
    type: str
    alternatives: dict[str, tuple[Edit, ...]]


def errors_of(sent: Sentence) -> list[Error]:
    """Group the edits of a sentence into errors.

    Edits with named groups (I-measure XML) are grouped by name. Otherwise each edit, from the
    longest span to the shortest, is added to the first group that it touches or to a new one, and
    an error is required if every annotator corrects it. Two edits touch if their spans are equal,
    a non-empty span begins or ends inside the other, or an insertion is strictly inside the other.
    """
    pairs = [(ann.annotator, edit) for ann in sent.annotations for edit in ann.edits]
    if pairs and all(edit.group for _, edit in pairs):
        return _named_groups(pairs)
    edits = [edit for _, edit in pairs]
    groups = touching_groups(edits)
    groups.sort(key=lambda group: min((edits[i].start, edits[i].end) for i in group))
    errors = []
    for group in groups:
        group.sort()
        alternatives = _by_annotator(pairs[number] for number in group)
        required = len(alternatives) == len(sent.annotations)
        errors.append(Error(required, edits[group[0]].type, alternatives))
    return errors


def touching_groups(edits: Sequence[Edit]) -> list[list[int]]:
    """Add each edit, from the longest to the shortest, to the first group that it touches.

    Groups have the numbers of their edits, in the order in which they were added. The time
    depends on the positions that edits cover, not on the number of pairs.
    """
    borders = sorted({border for edit in edits for border in (edit.start, edit.end)})
    place = {border: number for number, border in enumerate(borders)}
    # For each border, the first group with an edit that covers the tokens after it, that covers
    # the border, and that inserts there.
    over = [len(edits)] * len(borders)
    across = over.copy()
    inserted = over.copy()
    groups: list[list[int]] = []
    for number in sorted(range(len(edits)), key=lambda i: edits[i].start - edits[i].end):
        start, end = place[edits[number].start], place[edits[number].end]
        touched = over[start:end] or [across[start], inserted[start]]
        group = min(*touched, len(groups))
        if group == len(groups):
            groups.append([])
        groups[group].append(number)
        if start == end:
            inserted[start] = min(inserted[start], group)
        over[start:end] = [min(group, other) for other in over[start:end]]
        across[start + 1 : end] = [min(group, other) for other in across[start + 1 : end]]
    return groups


def _named_groups(pairs: Sequence[AnnotatedEdit]) -> list[Error]:
    groups: dict[str, list[AnnotatedEdit]] = {}
    for annotator, edit in pairs:
        groups.setdefault(edit.group, []).append((annotator, edit))
    return [
        Error(group[0][1].required, group[0][1].type, _by_annotator(group))
        for _, group in sorted(groups.items(), key=lambda item: annotator_order(item[0]))
    ]


def _by_annotator(group: Iterable[AnnotatedEdit]) -> dict[str, tuple[Edit, ...]]:
    alternatives: dict[str, tuple[Edit, ...]] = {}
    for annotator, edit in group:
        alternatives[annotator] = (*alternatives.get(annotator, ()), edit)
    return alternatives
