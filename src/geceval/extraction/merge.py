"""Merge the operations of an alignment into edits.

Felice, Bryant and Briscoe (2016), section 4. The ten rules of the paper are implemented as in
ERRANT, their successor, so that scores are comparable with published ones.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from heapq import heappop, heappush
from itertools import accumulate, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from rapidfuzz.distance import Indel

from geceval.errors import UnknownNameError
from geceval.extraction.align import OPEN_CLASSES, Operation
from geceval.extraction.lang.analysis import Analysis

SIMILAR = 0.75
"""Character similarity above which a substitution is a separate edit."""

_GERMAN = ("rules-2017", "de")
"""The strategy and language that ignore case in words that are written together or apart."""

_VERB_GROUP = frozenset({"AUX", "PART", "VERB"})
# Auxiliaries are content words here, though not for the cost of a substitution.
_CONTENT = OPEN_CLASSES | {"AUX"}
_JOINERS = re.compile("['-]")
_PUNCTUATION = frozenset(string.punctuation)


class Rule(Enum):
    """Reason why operations were merged or split; the value is a description."""

    ALONE = "no adjacent operation to merge with"
    TRANSPOSITION = "a change of word order is a separate edit"
    ONE_KIND = "adjacent operations are all deletions or all insertions"
    POSSESSIVE_FIRST = "an initial possessive suffix is a separate edit"
    POSSESSIVE = "a possessive suffix is merged with the preceding word"
    SENTENCE_START = "words are inserted or deleted before a word that only changes case"
    PUNCTUATION = "punctuation changes before a word that only changes case"
    SPACING = "only spaces, hyphens and apostrophes change"
    PART_OF_SPEECH = "all words have the same part of speech or form a verb group"
    SUBSTITUTIONS = "adjacent substitutions are separate edits"
    SIMILAR = "a word with a similar spelling to its correction is a separate edit"
    DETERMINER = "a final determiner is a separate edit"
    CONTENT = "the operations include a content word"
    NO_CONTENT = "the operations include no content word"
    CONTRACTION = "words are contracted, or a contraction is resolved"
    STRATEGY = "the merging strategy is not rule-based"
    SAME_KIND = "adjacent operations of the same kind are one edit"
    WITH_SUBSTITUTION = "adjacent operations that include a substitution are one edit"
    WITHOUT_SUBSTITUTION = "adjacent deletions and insertions are separate edits"
    MOVED = "the same text, or nearly so, changes its place"


class Change(NamedTuple):
    """An edit, as half-open spans of source and target, and the rule that produced it."""

    start: int
    end: int
    target_start: int
    target_end: int
    rule: Rule


Strategy = Callable[[Sequence[Operation], Analysis, Analysis], list[Change]]


def merge(
    changes: Sequence[Operation], source: Analysis, target: Analysis, *, strategy: str = "rules"
) -> list[Change]:
    """Merge the operations of an alignment into edits.

    Parameters
    ----------
    changes
        The operations; matches are ignored.
    source, target
        The aligned sentences.
    strategy
        ``"rules"``, ``"rules-2017"`` (see `geceval.extraction.merge_2017`), ``"all-split"`` (no
        merging), ``"all-merge"`` (all adjacent operations) or ``"all-equal"`` (adjacent operations
        of the same kind).

    Examples
    --------
    >>> from geceval.extraction.align import align
    >>> source, target = (Analysis.plain(text.split()) for text in ("a sub way", "a subway"))
    >>> operations = align(source, target)
    >>> [change[:4] for change in merge(operations, source, target)]
    [(1, 3, 1, 2)]
    """
    return get_strategy(strategy)([op for op in changes if op.kind != "M"], source, target)


def get_strategy(name: str, *, language: str = "") -> Strategy:
    """Return a merging strategy by name, as it is for a language."""
    if name not in STRATEGIES:
        raise UnknownNameError("merging strategy", name, STRATEGIES)
    strategy = STRATEGIES[name]
    return partial(_by_rules_of_2017, fold_case=True) if (name, language) == _GERMAN else strategy


def runs(changes: Iterable[Operation]) -> Iterator[list[Operation]]:
    """Split operations at the matches between them."""
    run: list[Operation] = []
    for change in changes:
        if run and run[-1].end != change.start:
            yield run
            run = []
        run.append(change)
    if run:
        yield run


def joined(operations: Sequence[Operation], rule: Rule) -> Change:
    """Make one edit of operations."""
    first, last = operations[0], operations[-1]
    return Change(first.start, last.end, first.target_start, last.target_end, rule)


def _all_split(changes: Sequence[Operation], _source: Analysis, _target: Analysis) -> list[Change]:
    return [joined([change], Rule.STRATEGY) for change in changes]


def _all_merge(changes: Sequence[Operation], _source: Analysis, _target: Analysis) -> list[Change]:
    return [joined(run, Rule.STRATEGY) for run in runs(changes)]


def _all_equal(changes: Sequence[Operation], _source: Analysis, _target: Analysis) -> list[Change]:
    return [
        joined(list(group), Rule.STRATEGY)
        for run in runs(changes)
        for _, group in groupby(run, key=_kind_and_size)
    ]


def _kind_and_size(operation: Operation) -> tuple[str, int]:
    """Return the key by which ``all-equal`` merges operations."""
    return operation.kind, operation.end - operation.start if operation.kind == "T" else 1


def _by_rules(changes: Sequence[Operation], source: Analysis, target: Analysis) -> list[Change]:
    merged = []
    for run in runs(changes):
        for is_order, group in groupby(run, key=lambda change: change.kind == "T"):
            operations = list(group)
            if is_order:
                merged += [joined([change], Rule.TRANSPOSITION) for change in operations]
            elif len(operations) == 1:
                merged.append(joined(operations, Rule.ALONE))
            else:
                merged += _Sequence(operations, source, target).edits()
    return merged


def _by_rules_of_2017(
    changes: Sequence[Operation], source: Analysis, target: Analysis, *, fold_case: bool = False
) -> list[Change]:
    from geceval.extraction.merge_2017 import by_rules_of_2017

    return by_rules_of_2017(changes, source, target, fold_case=fold_case)


STRATEGIES: dict[str, Strategy] = {
    "rules": _by_rules,
    "rules-2017": _by_rules_of_2017,
    "all-split": _all_split,
    "all-merge": _all_merge,
    "all-equal": _all_equal,
}


class _Window(NamedTuple):
    """Adjacent operations to which a rule applies, ordered as they are searched.

    Longer windows come first, then those to the left, then the rules in order. The other fields
    identify the run or the chain of which the window is the longest part.
    """

    shortness: int
    first: int
    order: int
    begin: int = 0
    end: int = 0
    chain: int = 0

    @property
    def last(self) -> int:
        """The last operation."""
        return self.first - self.shortness


# The order of rules that apply to the same window.
_RULES = (
    Rule.POSSESSIVE,
    Rule.SENTENCE_START,
    Rule.PUNCTUATION,
    Rule.SPACING,
    Rule.PART_OF_SPEECH,
    Rule.SUBSTITUTIONS,
    Rule.SIMILAR,
)
_ORDER = {rule: number for number, rule in enumerate(_RULES)}
_ENDING = (Rule.POSSESSIVE, Rule.PUNCTUATION)
_SPLITTING = (Rule.SUBSTITUTIONS, Rule.SIMILAR)


class _Sequence:
    """Operations without a match or a transposition between them.

    Rules are tried on windows of two or more adjacent operations with a substitution, from the
    longest to the shortest and from left to right. The first rule that applies splits the sequence
    into segments, which are then processed in the same way.

    There are quadratically many windows, so they are not enumerated. Each rule adds the longest
    windows that it applies to to a priority queue. If the segment was split in the meantime, the
    rest of the window is added instead.
    """

    def __init__(self, operations: Sequence[Operation], source: Analysis, target: Analysis) -> None:
        self._operations = operations
        self._source = source
        self._target = target
        self._kinds = "".join([operation.kind for operation in operations])
        # For each operation, the last substitution up to it.
        self._last_substitution = _last_places(kind == "S" for kind in self._kinds)
        self._edits: list[tuple[int, int, Rule]] = []
        # Segments: their starts, in order, and the end of each.
        self._starts: list[int] = []
        self._ends: dict[int, int] = {}
        self._queue: list[_Window] = []
        # Properties of all operations, for the rules.
        self._possessives: list[int] = []
        self._punctuated: list[int] = []
        self._known_openings: dict[int, list[int]] = {}
        self._chains: list[list[int]] = []
        self._indels: list[int] = []

    def edits(self) -> list[Change]:
        """Apply the rules until no operation remains."""
        if self._last_substitution[-1] >= 0:
            self._find_ends()
        self._open(0, len(self._operations), Rule.ALONE)
        if self._starts:
            self._name_chains()
            self._name_runs()
            self._name_pairs()
        while self._queue:
            self._look_at(heappop(self._queue))
        for start in self._starts:
            self._finish(start, self._ends[start])
        self._edits.sort(key=itemgetter(0))
        return [joined(self._operations[start:end], rule) for start, end, rule in self._edits]

    def _look_at(self, window: _Window) -> None:
        """Split the segment of a window; if it is in none, add the rest of the window."""
        rule = _RULES[window.order]
        number = bisect_right(self._starts, window.first) - 1
        if number >= 0 and window.last < self._ends[self._starts[number]]:
            self._cut(number, window, rule)
        elif rule is Rule.SPACING:
            self._name_chain(window.chain, window.begin, window.end)
        if rule is Rule.PART_OF_SPEECH:
            # Also after a split: the window may be only part of the run.
            self._name_run(window.begin, window.end)

    # Segments.

    def _open(self, start: int, end: int, rule: Rule) -> None:
        """Process a segment; the rule is the reason for a single operation."""
        while end - start > 1 and self._has_substitution(start, end):
            operation = self._operations[start]
            if not self._is_possessive(operation.start, operation.target_start):
                insort(self._starts, start)
                self._ends[start] = end
                self._name_from_start(start, end)
                return
            self._edits.append((start, start + 1, Rule.POSSESSIVE_FIRST))
            start, rule = start + 1, Rule.ALONE
        if end - start > 1:
            self._join_or_not(start, end)
        elif start < end:
            self._edits.append((start, end, rule))

    def _cut(self, number: int, window: _Window, rule: Rule) -> None:
        """Make an edit of a window or of its end, or only split the segment."""
        start, end = window.first, window.last + 1
        if rule in _ENDING:
            start = window.last - 1
        elif rule in _SPLITTING:
            start = end = window.last
        first = self._starts.pop(number)
        last = self._ends.pop(first)
        if start < end:
            self._edits.append((start, end, rule))
            rule = Rule.ALONE
        self._open(first, start, rule)
        self._open(end, last, rule)

    def _finish(self, start: int, end: int) -> None:
        """Process a segment that no window splits."""
        while self._has_final_determiner(start, end):
            end -= 1
            self._edits.append((end, end + 1, Rule.DETERMINER))
        if end - start > 1:
            self._join_or_not(start, end)
        else:
            self._edits.append((start, end, Rule.ALONE))

    def _join_or_not(self, start: int, end: int) -> None:
        """Merge a segment that no rule splits, or make its operations separate edits."""
        kinds = self._kinds[start:end]
        if kinds.strip(kinds[0]) == "" and kinds[0] != "S":
            self._edits.append((start, end, Rule.ONE_KIND))
        elif "S" in kinds and self._has_content(start, end):
            self._edits.append((start, end, Rule.CONTENT))
        else:
            self._edits += [(place, place + 1, Rule.NO_CONTENT) for place in range(start, end)]

    # Rules about the end of a window: the longest windows start with the segment.

    def _name_from_start(self, start: int, end: int) -> None:
        """Add the longest windows of these rules in a segment."""
        openings = self._openings(start)
        place = bisect_left(openings, end)
        if place:
            self._name(Rule.SENTENCE_START, start, openings[place - 1])
        for rule, places, holds in (
            (Rule.POSSESSIVE, self._possessives, self._ends_in_possessive),
            (Rule.PUNCTUATION, self._punctuated, self._follows_punctuation),
        ):
            for number in range(bisect_left(places, end) - 1, -1, -1):
                last = places[number]
                if last <= start or self._last_substitution[last] < start:
                    break
                if holds(start, last):
                    self._name(rule, start, last)
                    break

    def _find_ends(self) -> None:
        """Find the possible ends of windows for these rules.

        A rule that applies to a window applies to longer windows with the same end.
        """
        for last, place in enumerate(self._last_substitution):
            if last and place >= 0:
                if self._ends_in_possessive(0, last):
                    self._possessives.append(last)
                if self._follows_punctuation(0, last):
                    self._punctuated.append(last)

    def _openings(self, start: int) -> list[int]:
        """Find the ends of windows that change the beginning of a sentence, from a given start."""
        known = self._known_openings.get(start)
        if known is None:
            known = self._known_openings[start] = [
                last
                for last in range(start + 1, self._end_of_opening(start))
                if self._last_substitution[last] >= start and self._begins_sentence(start, last)
            ]
        return known

    def _end_of_opening(self, start: int) -> int:
        """Return where windows from a start have more than one word on both sides."""
        first = self._operations[start]
        for last in range(start + 1, len(self._operations)):
            operation = self._operations[last]
            if operation.end - first.start > 1 and operation.target_end - first.target_start > 1:
                return last
        return len(self._operations)

    # Spacing: between some positions both sides have the same letters.

    def _name_chains(self) -> None:
        self._chains = self._find_chains()
        for number, chain in enumerate(self._chains):
            self._name_chain(number, 0, len(chain) - 1)

    def _find_chains(self) -> list[list[int]]:
        """Group positions before, between and after operations into chains.

        Between any two positions of a chain, both sides have the same letters. The difference of
        their lengths is therefore constant, and only consecutive positions are compared.
        """
        rows, columns = self._spans(0, len(self._operations) - 1)
        source, target = _Letters(self._source, rows), _Letters(self._target, columns)
        places = [(operation.start, operation.target_start) for operation in self._operations]
        places.append((rows.stop, columns.stop))
        ends = [(source.end(row), target.end(column)) for row, column in places]
        chains: dict[int, list[int]] = {}
        finished: list[list[int]] = []
        for place, (end, target_end) in enumerate(ends):
            chain = chains.setdefault(end - target_end, [])
            if chain:
                before, target_before = ends[chain[-1]]
                if source.text[before:end] != target.text[target_before:target_end]:
                    finished.append(chain)
                    chain = chains[end - target_end] = []
            chain.append(place)
        return [chain for chain in (*finished, *chains.values()) if len(chain) > 1]

    def _name_chain(self, number: int, begin: int, end: int) -> None:
        """Add the windows of all segments within part of a chain."""
        chain = self._chains[number]
        segment = max(0, bisect_right(self._starts, chain[begin]) - 1)
        while segment < len(self._starts):
            first = self._starts[segment]
            last = self._ends[first]
            left = bisect_left(chain, first, begin, end + 1)
            if left > end:
                break
            if chain[left] > last:
                # No window here: continue at the next possible position.
                after = bisect_right(self._starts, chain[left]) - 1
                segment = max(segment + 1, after)
                continue
            right = bisect_right(chain, last, left, end + 1) - 1
            if self._is_window(chain[left], chain[right]):
                self._name(Rule.SPACING, chain[left], chain[right] - 1, left, right, number)
            segment += 1

    # Parts of speech: runs of operations whose words are all of the same kind.

    def _name_runs(self) -> None:
        self._indels = [place for place, kind in enumerate(self._kinds) if kind != "S"]
        start = 0
        for kind, group in groupby(map(self._kind_of_words, self._operations)):
            end = start + sum(1 for _ in group)
            if kind and end - start > 1:
                self._name_run(start, end)
            start = end

    def _kind_of_words(self, operation: Operation) -> str:
        """Return the common part of speech of an operation, verb groups as one."""
        source = self._source.pos[operation.start : operation.end]
        target = self._target.pos[operation.target_start : operation.target_end]
        kinds = {"VERB" if pos in _VERB_GROUP else pos for pos in (*source, *target)}
        # Without a model, parts of speech are unknown, and unknown ones are not equal.
        return kinds.pop() if len(kinds) == 1 else ""

    def _name_run(self, begin: int, end: int) -> None:
        """Add the longest window of each segment within a run."""
        for number in range(max(0, bisect_right(self._starts, begin) - 1), len(self._starts)):
            start = self._starts[number]
            if start >= end:
                break
            self._name_in_run(max(begin, start), min(end, self._ends[start]))

    def _name_in_run(self, begin: int, end: int) -> None:
        """Add the longest window of a run with different numbers of words on both sides.

        If the run itself is balanced, the window must end before the last or start after the first
        insertion or deletion.
        """
        if not self._is_window(begin, end):
            return
        windows = [(begin, end)]
        if self._balance(begin) == self._balance(end):
            first, last = bisect_left(self._indels, begin), bisect_left(self._indels, end) - 1
            if last < first:
                return
            windows = [(begin, self._indels[last]), (self._indels[first] + 1, end)]
        found = [
            (start - stop, start, stop) for start, stop in windows if self._is_window(start, stop)
        ]
        if found:
            _, start, stop = min(found)
            self._name(Rule.PART_OF_SPEECH, start, stop - 1, begin, end)

    def _balance(self, place: int) -> int:
        """Return how many more words the source has than the target up to a position."""
        row, column = self._place(place)
        return row - column

    # Two adjacent operations that are separate edits.

    def _name_pairs(self) -> None:
        for first, (kind, other) in enumerate(pairwise(self._kinds)):
            if kind == other == "S":
                self._name(Rule.SUBSTITUTIONS, first, first + 1)
            elif (kind == "S" and self._has_similar_words(first)) or (
                other == "S" and self._has_similar_words(first + 1)
            ):
                self._name(Rule.SIMILAR, first, first + 1)

    # Properties of windows.

    def _name(
        self, rule: Rule, first: int, last: int, begin: int = 0, end: int = 0, chain: int = 0
    ) -> None:
        """Add a window to the queue."""
        heappush(self._queue, _Window(first - last, first, _ORDER[rule], begin, end, chain))

    def _has_substitution(self, start: int, end: int) -> bool:
        return self._last_substitution[end - 1] >= start

    def _is_window(self, start: int, end: int) -> bool:
        """Whether rules are tried on the operations between two positions."""
        return end - start > 1 and self._has_substitution(start, end)

    def _place(self, place: int) -> tuple[int, int]:
        """Return the offsets in source and target of a position between operations."""
        if place < len(self._operations):
            operation = self._operations[place]
            return operation.start, operation.target_start
        operation = self._operations[-1]
        return operation.end, operation.target_end

    def _spans(self, first: int, last: int) -> tuple[range, range]:
        """Return the spans in source and target, which a substitution makes nonempty."""
        before, after = self._operations[first], self._operations[last]
        return range(before.start, after.end), range(before.target_start, after.target_end)

    def _has_content(self, start: int, end: int) -> bool:
        rows, columns = self._spans(start, end - 1)
        return not (
            _CONTENT.isdisjoint(self._source.pos[rows.start : rows.stop])
            and _CONTENT.isdisjoint(self._target.pos[columns.start : columns.stop])
        )

    # Conditions of the rules.

    def _is_possessive(self, row: int, column: int) -> bool:
        """[friends → friend 's]."""
        return "POS" in (self._source.tags[row], self._target.tags[column])

    def _ends_in_possessive(self, first: int, last: int) -> bool:
        rows, columns = self._spans(first, last)
        return self._is_possessive(rows[-1], columns[-1])

    def _is_same_but_for_case(self, row: int, column: int) -> bool:
        lower = self._source.lower
        return lower(self._source.tokens[row]) == lower(self._target.tokens[column])

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

    def _has_similar_words(self, place: int) -> bool:
        """[writting → writing]."""
        operation = self._operations[place]
        before = self._source.tokens[operation.start]
        after = self._target.tokens[operation.target_start]
        return Indel.normalized_similarity(before, after) > SIMILAR

    def _has_final_determiner(self, start: int, end: int) -> bool:
        operation = self._operations[end - 1]
        return (
            end - start > 1
            and "S" in self._kinds[end - 2 : end]
            and (
                self._source.pos[operation.start : operation.end] == ("DET",)
                or self._target.pos[operation.target_start : operation.target_end] == ("DET",)
            )
        )


def _last_places(conditions: Iterable[bool]) -> list[int]:
    """Return, for each position, the last true one up to it; -1 if none."""
    places = (place if wanted else -1 for place, wanted in enumerate(conditions))
    return list(accumulate(places, max))


def _is_punctuation(sentence: Analysis, place: int) -> bool:
    return sentence.pos[place] == "PUNCT" or sentence.tokens[place] in _PUNCTUATION


class _Letters:
    """The letters of a span of tokens, ignoring case, hyphens and apostrophes."""

    def __init__(self, sentence: Analysis, places: range) -> None:
        words = [_JOINERS.sub("", sentence.lower(sentence.tokens[place])) for place in places]
        self._start = places.start
        self._ends = list(accumulate(map(len, words), initial=0))
        self.text = "".join(words)

    def end(self, place: int) -> int:
        """Return the number of letters before a token."""
        return self._ends[place - self._start]
