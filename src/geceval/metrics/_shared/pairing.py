"""Which edits of a system are which edits of an annotator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from geceval.model import Edit

Mode: TypeAlias = Literal["correction", "span-detection", "token-detection"]

_Groups: TypeAlias = dict[tuple[object, ...], list["Unit"]]


@dataclass(frozen=True, slots=True)
class Unit:
    """What is compared: an edit, or one of its tokens; `number` is that of the edit."""

    number: int
    edit: Edit


@dataclass(frozen=True, slots=True)
class EditPairing:
    """The edits of a system against one reading.

    Parameters
    ----------
    found
        Pairs of what the system has and what the annotator has.
    wrong, missed
        What only the system, and only the annotator, has.
    """

    found: list[tuple[Unit, Unit]] = field(default_factory=list)
    wrong: list[Unit] = field(default_factory=list)
    missed: list[Unit] = field(default_factory=list)

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many are right, wrong and missed."""
        return len(self.found), len(self.wrong), len(self.missed)

    @property
    def types(self) -> tuple[list[str], list[str], list[str]]:
        """The types of what is right, wrong and missed; the annotator's where both have it."""
        return (
            [gold.edit.type for _, gold in self.found],
            [unit.edit.type for unit in self.wrong],
            [unit.edit.type for unit in self.missed],
        )


def pair(edits: Sequence[Edit], gold: Sequence[Edit], *, mode: Mode) -> EditPairing:
    """Compare edits; each of them is paired with one other at most.

    Parameters
    ----------
    edits, gold
        The edits of a system and of an annotator.
    mode
        What must be equal: span and correction, where any of the gold alternatives will do
        (``"correction"``); the span (``"span-detection"``); a token (``"token-detection"``),
        which for an insertion is the one after it.

    Examples
    --------
    >>> gold = [Edit(1, 2, (("an",), ("the",))), Edit(3, 3, ((",",),))]
    >>> pair([Edit(1, 2, (("the",),)), Edit(4, 5, ((),))], gold, mode="correction").counts
    (1, 1, 1)
    """
    comparison = EditPairing()
    free = _groups(gold, mode)
    for place, units in _groups(edits, mode).items():
        candidates = free.get(place, [])
        for unit in units:
            fitting = [
                other
                for other in candidates
                if mode != "correction" or unit.edit.correction in other.edit.corrections
            ]
            if not fitting:
                comparison.wrong.append(unit)
                continue
            # One of the same type, and one that no other edit could be paired with.
            best = min(
                fitting,
                key=lambda other: (other.edit.type != unit.edit.type, len(other.edit.corrections)),
            )
            candidates.remove(best)
            comparison.found.append((unit, best))
    comparison.missed.extend(unit for units in free.values() for unit in units)
    return comparison


def pair_like_errant(edits: Sequence[Edit], gold: Sequence[Edit], *, mode: Mode) -> EditPairing:
    """Compare edits as ``errant_compare`` does.

    Edits that are equal are one edit: if the annotator has it, it counts as often as the
    annotator has it, otherwise as often as the system does. Alternatives must all be equal.

    Examples
    --------
    >>> comma = Edit(3, 3, ((",",),))
    >>> pair_like_errant([comma], [comma, comma], mode="correction").counts
    (2, 0, 0)
    """
    comparison = EditPairing()
    literally = mode == "correction"
    system = _groups(edits, mode, literally=literally)
    theirs = _groups(gold, mode, literally=literally)
    for place, units in system.items():
        if place in theirs:
            comparison.found.extend((units[0], unit) for unit in theirs[place])
        else:
            comparison.wrong.extend(units)
    for place, units in theirs.items():
        if place not in system:
            comparison.missed.extend(units)
    return comparison


def _groups(edits: Sequence[Edit], mode: Mode, *, literally: bool = False) -> _Groups:
    """Group units by place or, literally, by place and corrections."""
    groups: _Groups = defaultdict(list)
    for number, edit in enumerate(edits):
        unit = Unit(number, edit)
        if mode == "token-detection":
            for token in range(edit.start, max(edit.end, edit.start + 1)):
                groups[(token,)].append(unit)
        elif literally:
            groups[edit.start, edit.end, edit.corrections].append(unit)
        else:
            groups[edit.start, edit.end].append(unit)
    return dict(groups)
