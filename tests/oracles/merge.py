"""Merging by asking every rule about every window: the longest window first, then from the left.

Rules look at windows of two or more neighboring operations with a substitution among them; the
first rule that holds cuts the sequence, and its parts are looked at anew.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby, islice
from typing import NamedTuple

from rapidfuzz.distance import Indel

from geceval.extraction.align import OPEN_CLASSES, Operation
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import SIMILAR, Change, Rule

_VERB_GROUP = frozenset({"AUX", "PART", "VERB"})
_CONTENT = OPEN_CLASSES | {"AUX"}
_JOINERS = re.compile("['-]")
_PUNCTUATION = frozenset(string.punctuation)


def merge_by_all_windows(
    changes: Sequence[Operation], source: Analysis, target: Analysis
) -> list[Change]:
    """Merge operations by the rules."""
    merged = []
    for run in _runs([change for change in changes if change.kind != "M"]):
        for is_order, group in groupby(run, key=lambda change: change.kind == "T"):
            operations = list(group)
            if is_order:
                merged += [_joined([change], Rule.TRANSPOSITION) for change in operations]
            elif len(operations) == 1:
                merged.append(_joined(operations, Rule.ALONE))
            else:
                merged += _Sequence(operations, source, target).edits()
    return merged


def _runs(changes: Sequence[Operation]) -> Iterator[list[Operation]]:
    run: list[Operation] = []
    for change in changes:
        if run and run[-1].end != change.start:
            yield run
            run = []
        run.append(change)
    if run:
        yield run


def _joined(operations: Sequence[Operation], rule: Rule) -> Change:
    first, last = operations[0], operations[-1]
    return Change(first.start, last.end, first.target_start, last.target_end, rule)


class _Cut(NamedTuple):
    """What a rule does when it holds for the operations from `first` to `last`.

    Those from `start` to before `end` become one edit, and what is left on both sides is looked
    at anew. Where `start` and `end` are equal, the sequence is only cut in two there.
    """

    first: int
    last: int
    start: int
    end: int
    rule: Rule

    def rank(self) -> tuple[int, int, int]:
        """Longer windows come first, then those to the left, then the rules in their order."""
        return self.first - self.last, self.first, _ORDER.get(self.rule, len(_ORDER))


# Where the two kinds of cuts meet: a new start of a sentence yields to a possessive only.
_ORDER = {Rule.POSSESSIVE: 0, Rule.SENTENCE_START: 1}


class _Sequence:
    """Operations without a match or a transposition between them.

    Rules look at windows of two or more neighboring operations with a substitution among
    them, from the longest to the shortest and from left to right; the first rule that holds
    cuts the sequence, and its parts are looked at anew. Most rules do not care what is around
    a window, so they are asked once for each window, however often the sequence is cut.
    """

    def __init__(self, operations: Sequence[Operation], source: Analysis, target: Analysis) -> None:
        self._operations = operations
        self._source = source
        self._target = target
        self._kinds = "".join(operation.kind for operation in operations)
        rows, columns = self._spans(0, len(operations) - 1)
        self._source_letters = _Letters(source, rows)
        self._target_letters = _Letters(target, columns)

    def edits(self) -> list[Change]:
        """Apply the rules until nothing is left."""
        edits: list[Change] = []
        # Stretches of operations, the next one last: whether they are one edit, and why.
        todo = [(0, len(self._operations), False, Rule.ALONE)]
        while todo:
            start, end, is_edit, rule = todo.pop()
            if start == end:
                continue
            if is_edit or end - start == 1:
                edits.append(_joined(self._operations[start:end], rule))
                continue
            cut = self._cut(start, end)
            if cut is None:
                edits += self._uncut(start, end)
                continue
            rest = cut.rule if cut.start == cut.end else Rule.ALONE
            todo.append((cut.end, end, False, rest))
            todo.append((cut.start, cut.end, True, cut.rule))
            todo.append((start, cut.start, False, rest))
        return edits

    def _uncut(self, start: int, end: int) -> list[Change]:
        """Join a stretch that no rule cuts, or keep its operations apart."""
        operations = self._operations[start:end]
        kinds = self._kinds[start:end]
        if kinds.strip(kinds[0]) == "" and kinds[0] != "S":
            return [_joined(operations, Rule.ONE_KIND)]
        pos = {sentence.pos[place] for sentence, place in self._words(start, end - 1)}
        if "S" in kinds and not pos.isdisjoint(_CONTENT):
            return [_joined(operations, Rule.CONTENT)]
        return [_joined([operation], Rule.NO_CONTENT) for operation in operations]

    def _cut(self, start: int, end: int) -> _Cut | None:
        """Find the cut of the longest window that a rule holds for."""
        if "S" not in self._kinds[start:end]:
            return None
        if self._is_possessive(*self._first_words(start, end - 1)):
            return _Cut(start, end - 1, start, start + 1, Rule.POSSESSIVE_FIRST)
        found = [
            *islice((cut for cut in self._cuts if start <= cut.first and cut.last < end), 1),
            *islice(self._openings(start, end), 1),
        ]
        if found:
            return min(found, key=_Cut.rank)
        if self._has_final_determiner(end):
            return _Cut(end - 2, end - 1, end - 1, end, Rule.DETERMINER)
        return None

    def _openings(self, start: int, end: int) -> Iterator[_Cut]:
        """Find windows at the start by which a sentence begins otherwise, longest first."""
        for last in range(end - 1, start, -1):
            if "S" not in self._kinds[start : last + 1]:
                break
            if self._begins_sentence(start, last):
                yield _Cut(start, last, start, last + 1, Rule.SENTENCE_START)

    @cached_property
    def _cuts(self) -> list[_Cut]:
        """What rules do that hold for a window wherever it stands, in the order of the search."""
        n = len(self._operations)
        return [
            cut
            for size in range(n, 1, -1)
            for first in range(n - size + 1)
            if "S" in self._kinds[first : first + size]
            and (cut := self._window_cut(first, first + size - 1))
        ]

    def _window_cut(self, first: int, last: int) -> _Cut | None:
        """Apply the first rule that holds for a window wherever it stands."""
        if self._is_possessive(*self._last_words(first, last)):
            return _Cut(first, last, last - 1, last + 1, Rule.POSSESSIVE)
        if self._follows_punctuation(first, last):
            return _Cut(first, last, last - 1, last + 1, Rule.PUNCTUATION)
        if self._changes_spacing(first, last):
            return _Cut(first, last, first, last + 1, Rule.SPACING)
        rows, columns = self._spans(first, last)
        if len(rows) != len(columns) and self._is_one_part_of_speech(first, last):
            return _Cut(first, last, first, last + 1, Rule.PART_OF_SPEECH)
        if last - first == 1:
            if len(rows) == len(columns) == 2:
                return _Cut(first, last, last, last, Rule.SUBSTITUTIONS)
            if self._has_similar_words(first, last):
                return _Cut(first, last, last, last, Rule.SIMILAR)
        return None

    # What a window holds.

    def _spans(self, first: int, last: int) -> tuple[range, range]:
        """Places in source and target; a substitution makes sure that neither is empty."""
        before, after = self._operations[first], self._operations[last]
        return range(before.start, after.end), range(before.target_start, after.target_end)

    def _words(self, first: int, last: int) -> Iterator[tuple[Analysis, int]]:
        rows, columns = self._spans(first, last)
        for row in rows:
            yield self._source, row
        for column in columns:
            yield self._target, column

    def _first_words(self, first: int, last: int) -> tuple[int, int]:
        rows, columns = self._spans(first, last)
        return rows[0], columns[0]

    def _last_words(self, first: int, last: int) -> tuple[int, int]:
        rows, columns = self._spans(first, last)
        return rows[-1], columns[-1]

    # What the rules ask.

    def _is_possessive(self, row: int, column: int) -> bool:
        """[friends → friend 's]."""
        return "POS" in (self._source.tags[row], self._target.tags[column])

    def _is_same_but_for_case(self, row: int, column: int) -> bool:
        return self._source.tokens[row].lower() == self._target.tokens[column].lower()

    def _begins_sentence(self, first: int, last: int) -> bool:
        """[Cat → The big cat]."""
        rows, columns = self._spans(first, last)
        return self._is_same_but_for_case(rows[-1], columns[-1]) and (
            (len(rows) == 1 and self._target.tokens[columns[0]][:1].isupper())
            or (len(columns) == 1 and self._source.tokens[rows[0]][:1].isupper())
        )

    def _follows_punctuation(self, first: int, last: int) -> bool:
        """[, we → . We]."""
        rows, columns = self._spans(first, last)
        return self._is_same_but_for_case(rows[-1], columns[-1]) and (
            (len(rows) > 1 and _is_punctuation(self._source, rows[-2]))
            or (len(columns) > 1 and _is_punctuation(self._target, columns[-2]))
        )

    def _changes_spacing(self, first: int, last: int) -> bool:
        """[sub - way → subway]."""
        rows, columns = self._spans(first, last)
        # Most windows differ in size already.
        return self._source_letters.size(rows) == self._target_letters.size(
            columns
        ) and self._source_letters.text(rows) == self._target_letters.text(columns)

    def _is_one_part_of_speech(self, first: int, last: int) -> bool:
        """[because of → for], [to eat → eating]."""
        pos: set[str] = set()
        for sentence, place in self._words(first, last):
            pos.add(sentence.pos[place])
            if len(pos) > 1 and not pos <= _VERB_GROUP:
                return False
        # Without a model nothing is known, not even that two words are alike.
        return pos != {""}

    def _has_similar_words(self, first: int, last: int) -> bool:
        """[writting → writing]."""
        return any(
            operation.kind == "S"
            and Indel.normalized_similarity(
                self._source.tokens[operation.start], self._target.tokens[operation.target_start]
            )
            > SIMILAR
            for operation in (self._operations[first], self._operations[last])
        )

    def _has_final_determiner(self, end: int) -> bool:
        operation = self._operations[end - 1]
        return "S" in self._kinds[end - 2 : end] and (
            self._source.pos[operation.start : operation.end] == ("DET",)
            or self._target.pos[operation.target_start : operation.target_end] == ("DET",)
        )


def _is_punctuation(sentence: Analysis, place: int) -> bool:
    return sentence.pos[place] == "PUNCT" or sentence.tokens[place] in _PUNCTUATION


class _Letters:
    """The letters of a stretch of tokens, without regard to case, hyphens and apostrophes."""

    def __init__(self, sentence: Analysis, places: range) -> None:
        self._start = places.start
        self._words = [_JOINERS.sub("", sentence.tokens[place].lower()) for place in places]
        self._ends = list(accumulate(map(len, self._words), initial=0))

    def size(self, places: range) -> int:
        return self._ends[places.stop - self._start] - self._ends[places.start - self._start]

    def text(self, places: range) -> str:
        return "".join(self._words[places.start - self._start : places.stop - self._start])
