"""The merging rules of 2017, which ERRANT had before version 2, and other languages still have.

A run of operations between two matches is processed from left to right. Whenever a rule makes an
edit, the operations before it are finished, and the rest is processed as a run of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from geceval.extraction.align import OPEN_CLASSES, Operation
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change, Rule, joined, runs
from geceval.extraction.surface import is_punctuation
from geceval.model import Tokens

MAX_COST = 0.3
"""Cost of letters below which a substitution is a separate edit."""

_APOSTROPHES = str.maketrans("", "", "'’´`")


def by_rules_of_2017(
    changes: Sequence[Operation], source: Analysis, target: Analysis, *, fold_case: bool = False
) -> list[Change]:
    """Merge operations by the rules of 2017.

    Parameters
    ----------
    changes, source, target
        See `geceval.extraction.merge.merge`.
    fold_case
        Whether words that are written together or apart may change case, as in German.
    """
    merged: list[Change] = []
    for run in runs(changes):
        merged += _Run2017(run, source, target, fold_case=fold_case).edits()
    return merged


class _Run2017:
    """Operations without a match between them."""

    def __init__(
        self,
        operations: Sequence[Operation],
        source: Analysis,
        target: Analysis,
        *,
        fold_case: bool,
    ) -> None:
        self._operations = operations
        self._source = source
        self._target = target
        self._fold_case = fold_case
        self._edits: list[Change] = []

    def edits(self) -> list[Change]:
        """Apply the rules until no operation remains."""
        start, end = 0, len(self._operations)
        while start < end:
            first, last, rule = self._first_edit(start, end)
            # No rule but that of the end applies to what precedes.
            self._finish(start, first)
            if first < last:
                self._add(first, last, rule)
            start = last
        return self._edits

    def _first_edit(self, start: int, end: int) -> tuple[int, int, Rule]:
        """Return the first edit of a run; it is empty, and at the end, if there is none."""
        classes: set[str] = set()
        for place in range(start, end):
            operation = self._operations[place]
            has_next = place + 1 < end
            classes.update(self._classes(operation))
            if has_next and self._precedes_case(place):
                return place, place + 2, Rule.PUNCTUATION
            if operation.kind == "T":
                return place, place + 1, Rule.TRANSPOSITION
            if has_next and self._is_spacing(place):
                return place, place + 2, Rule.SPACING
            if operation.kind == "S":
                if self._is_similar(operation) and (place == start or not _are_one(classes)):
                    return place, place + 1, Rule.SIMILAR
                if place > start and self._operations[place - 1].kind == "S":
                    return place, place + 1, Rule.SUBSTITUTIONS
        return end, end, Rule.ALONE

    def _finish(self, start: int, end: int) -> None:
        """Process operations that no rule splits."""
        if end - start == 1:
            self._add(start, end, Rule.ALONE)
        elif start < end:
            if "DET" in self._classes(self._operations[end - 1]):
                self._add(start, end - 1, Rule.CONTENT if end - start > 2 else Rule.ALONE)
                self._add(end - 1, end, Rule.DETERMINER)
                return
            operations = self._operations[start:end]
            classes = {name for operation in operations for name in self._classes(operation)}
            if not OPEN_CLASSES.isdisjoint(classes):
                self._add(start, end, Rule.CONTENT)
            elif _are_one(classes):
                self._add(start, end, Rule.PART_OF_SPEECH)
            else:
                for place in range(start, end):
                    self._add(place, place + 1, Rule.NO_CONTENT)

    def _add(self, start: int, end: int, rule: Rule) -> None:
        self._edits.append(joined(self._operations[start:end], rule))

    # Properties of operations.

    def _classes(self, operation: Operation) -> tuple[str, ...]:
        return (
            *self._source.pos[operation.start : operation.end],
            *self._target.pos[operation.target_start : operation.target_end],
        )

    def _tokens(self, operation: Operation) -> tuple[Tokens, Tokens]:
        return (
            self._source.tokens[operation.start : operation.end],
            self._target.tokens[operation.target_start : operation.target_end],
        )

    def _precedes_case(self, place: int) -> bool:
        """[, we → . We]."""
        following = self._operations[place + 1]
        if following.kind != "S":
            return False
        (before,), (after,) = self._tokens(following)
        lower = self._source.lower
        if before[:1] == after[:1] or lower(before) != lower(after):
            return False
        sides = self._tokens(self._operations[place])
        return any(
            is_punctuation(token) or token[:1].isupper() for tokens in sides for token in tokens
        )

    def _is_spacing(self, place: int) -> bool:
        """[sub way → subway]."""
        pair = zip(*map(self._tokens, self._operations[place : place + 2]), strict=True)
        before, after = ((*first, *second) for first, second in pair)
        if min(len(before), len(after)) != 1 or max(len(before), len(after)) < 2:
            return False
        letters, others = ("".join(side).translate(_APOSTROPHES) for side in (before, after))
        if self._fold_case:
            return self._source.lower(letters) == self._source.lower(others)
        return letters == others

    def _is_similar(self, operation: Operation) -> bool:
        """[writting → writing]."""
        (before,), (after,) = self._tokens(operation)
        steps = Levenshtein.editops(before, after)
        n_inserted = sum(step.tag == "insert" for step in steps)
        return len(steps) < MAX_COST * (len(before) + n_inserted)


def _are_one(classes: set[str]) -> bool:
    """Whether words have one part of speech; unknown ones are not equal."""
    return len(classes) == 1 and "" not in classes
