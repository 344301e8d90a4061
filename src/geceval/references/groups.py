"""Errors: the edits of all annotators that speak of the same place, taken together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from geceval.model import Edit, Sentence, annotator_order

Reading: TypeAlias = tuple[str, Edit]
"""An annotator and one of that annotator's edits."""


@dataclass(frozen=True, slots=True)
class Error:
    """One error of a sentence and how each annotator corrects it.

    `alternatives` holds, for each annotator who corrects it, the edits that belong
    together; an error that is not `required` may also be left alone.
    """

    required: bool
    type: str
    alternatives: dict[str, tuple[Edit, ...]]


def errors_of(sent: Sentence) -> list[Error]:
    """Group the edits of a sentence into errors.

    Edits that name their group (I-measure XML) are grouped by it. All others are taken
    from the longest span to the shortest; each joins the first group that it touches or
    starts a new one, and an error is required when every annotator corrects it. Two edits
    touch when their spans are equal, a non-empty span begins or ends inside the other, or an
    insertion lies strictly inside the other.
    """
    readings = [(ann.annotator, edit) for ann in sent.annotations for edit in ann.edits]
    if readings and all(edit.group for _, edit in readings):
        return _named_groups(readings)
    edits = [edit for _, edit in readings]
    groups = _touching(edits)
    groups.sort(key=lambda group: min((edits[i].start, edits[i].end) for i in group))
    errors = []
    for group in groups:
        group.sort()
        alternatives = _by_annotator(readings[number] for number in group)
        required = len(alternatives) == len(sent.annotations)
        errors.append(Error(required, edits[group[0]].type, alternatives))
    return errors


def _touching(edits: Sequence[Edit]) -> list[list[int]]:
    """Put each edit, from the longest to the shortest, into the first group that it touches.

    The time grows with the places that edits cover, not with the pairs of edits.
    """
    borders = sorted({border for edit in edits for border in (edit.start, edit.end)})
    place = {border: number for number, border in enumerate(borders)}
    # The first group with an edit over the stretch after each border, with an edit over the
    # border itself, and with an insertion there.
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


def _named_groups(readings: Sequence[Reading]) -> list[Error]:
    groups: dict[str, list[Reading]] = {}
    for annotator, edit in readings:
        groups.setdefault(edit.group, []).append((annotator, edit))
    return [
        Error(group[0][1].required, group[0][1].type, _by_annotator(group))
        for _, group in sorted(groups.items(), key=lambda item: annotator_order(item[0]))
    ]


def _by_annotator(group: Iterable[Reading]) -> dict[str, tuple[Edit, ...]]:
    alternatives: dict[str, tuple[Edit, ...]] = {}
    for annotator, edit in group:
        alternatives[annotator] = (*alternatives.get(annotator, ()), edit)
    return alternatives
