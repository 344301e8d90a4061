"""Matching of system edits with gold edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Literal, NamedTuple, TypeAlias

from geceval.model import Edit

Mode: TypeAlias = Literal["correction", "correction+type", "span-detection", "token-detection"]

_Groups: TypeAlias = dict[tuple[object, ...], list["Unit"]]


class Unit(NamedTuple):
    """An edit, or one of its tokens, with the index of the edit."""

    number: int
    edit: Edit


@dataclass(frozen=True, slots=True)
class EditPairing:
    """The edits of a system compared with one annotation.

    Parameters
    ----------
    found
        True positives: pairs of a system unit and a gold unit.
    wrong, missed
        False positives and false negatives.
    """

    found: list[tuple[Unit, Unit]] = field(default_factory=list)
    wrong: list[Unit] = field(default_factory=list)
    missed: list[Unit] = field(default_factory=list)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of true positives, false positives and false negatives."""
        return len(self.found), len(self.wrong), len(self.missed)

    @property
    def types(self) -> tuple[list[str], list[str], list[str]]:
        """Error types of true positives (the gold type), false positives and false negatives."""
        return (
            [gold.edit.type for _, gold in self.found],
            [unit.edit.type for unit in self.wrong],
            [unit.edit.type for unit in self.missed],
        )


def pair(edits: Sequence[Edit], gold: Sequence[Edit], *, mode: Mode) -> EditPairing:
    """Match edits one to one.

    Parameters
    ----------
    edits, gold
        The edits of a system and of an annotator.
    mode
        What must be equal: the span and any of the gold corrections (``"correction"``), these
        and the type (``"correction+type"``), the span (``"span-detection"``), or a token
        (``"token-detection"``), where an insertion has the token after it.

    Examples
    --------
    >>> gold = [Edit(1, 2, (("an",), ("the",))), Edit(3, 3, ((",",),))]
    >>> pair([Edit(1, 2, (("the",),)), Edit(4, 5, ((),))], gold, mode="correction").counts
    (1, 1, 1)
    """
    comparison = EditPairing()
    if not (edits or gold):
        return comparison
    own, free = _groups(edits, mode), _groups(gold, mode)
    if not (own and free):
        comparison.wrong.extend(chain.from_iterable(own.values()))
        comparison.missed.extend(chain.from_iterable(free.values()))
        return comparison
    literally = mode.startswith("correction")
    for place, units in own.items():
        candidates = free.get(place)
        if not candidates:
            comparison.wrong.extend(units)
            continue
        for unit in units:
            fitting = [
                other
                for other in candidates
                if not literally or unit.edit.correction in other.edit.corrections
            ]
            if not fitting:
                comparison.wrong.append(unit)
                continue
            # Prefer the same type, then few alternatives, which leaves more for other edits.
            best = min(
                fitting,
                key=lambda other: (other.edit.type != unit.edit.type, len(other.edit.corrections)),
            )
            candidates.remove(best)
            comparison.found.append((unit, best))
    comparison.missed.extend(chain.from_iterable(free.values()))
    return comparison


def count_pairs(edits: Sequence[Edit], gold: Sequence[Edit], *, mode: Mode) -> tuple[int, int, int]:
    """Return the counts of `pair`, in less time where each span occurs once.

    Examples
    --------
    >>> gold = [Edit(1, 2, (("an",), ("the",))), Edit(3, 3, ((",",),))]
    >>> count_pairs([Edit(1, 2, (("the",),)), Edit(4, 5, ((),))], gold, mode="correction")
    (1, 1, 1)
    """
    if mode == "correction" and not (edits and gold):
        return 0, len(edits), len(gold)
    by_span = {(edit.start, edit.end): edit for edit in gold}
    spans = [(edit.start, edit.end) for edit in edits]
    if mode != "correction" or len(by_span) < len(gold) or len({*spans}) < len(spans):
        return pair(edits, gold, mode=mode).counts
    n_found = sum(
        span in by_span and edit.correction in by_span[span].corrections
        for span, edit in zip(spans, edits, strict=True)
    )
    return n_found, len(edits) - n_found, len(gold) - n_found


def pair_like_errant(edits: Sequence[Edit], gold: Sequence[Edit], *, mode: Mode) -> EditPairing:
    """Match edits as ``errant_compare`` does.

    Equal edits match all of their gold copies, each of which is a true positive; without a gold
    copy, each is a false positive. Alternatives must all be equal.

    Examples
    --------
    >>> comma = Edit(3, 3, ((",",),))
    >>> pair_like_errant([comma], [comma, comma], mode="correction").counts
    (2, 0, 0)
    """
    comparison = EditPairing()
    literally = mode.startswith("correction")
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
    """Group units by span or token or, literally, by span and corrections."""
    groups: _Groups = {}
    for unit in map(Unit, count(), edits):
        edit = unit.edit
        if mode == "token-detection":
            for token in range(edit.start, max(edit.end, edit.start + 1)):
                groups.setdefault((token,), []).append(unit)
        else:
            place: tuple[object, ...] = (edit.start, edit.end)
            if literally:
                place += (edit.corrections,)
            if mode == "correction+type":
                place += (edit.type,)
            groups.setdefault(place, []).append(unit)
    return groups
