"""Merging of the operations of a Chinese alignment into edits.

An alignment is cut into runs; neighbors with the same text in another place become a change of word
order; substitutions lose what both sides have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from geceval.extraction.align import Operation
from geceval.extraction.lang.pack_options import Level
from geceval.extraction.lang.zh.alignments import ASCII_MARKS, WIDE_MARKS
from geceval.extraction.merge import Change, Rule
from geceval.model import Tokens

_UNMOVABLE = ASCII_MARKS + "".join(mark for mark in WIDE_MARKS if mark not in "〰〾〿﹏") + "."
"""Text that is part of this list is never moved."""


class Piece(NamedTuple):
    """A part of an alignment; its kind is that of an operation, or ``W`` for word order."""

    kind: str
    start: int
    end: int
    target_start: int
    target_end: int
    rule: Rule

    @property
    def change(self) -> Change:
        """The spans and the rule."""
        return Change(*self[1:])


def merge_pieces(
    operations: Sequence[Operation], source: Tokens, target: Tokens, *, level: Level = "char"
) -> list[Change]:
    """Merge the operations of an alignment into edits.

    Parameters
    ----------
    operations
        The operations, without matches.
    source, target
        The aligned sentences.
    level
        At the level of words, a run of substitutions stays single.

    Examples
    --------
    >>> operations = [Operation("D", 0, 1, 0, 0), Operation("I", 3, 3, 2, 3)]
    >>> (change,) = merge_pieces(operations, ("也", "我", "去"), ("我", "去", "也"))
    >>> change.start, change.end, change.rule.name
    (0, 3, 'MOVED')
    """
    pieces = list(_pieces(operations, level))
    return [
        (_trimmed(piece, source, target) if piece.kind == "S" else piece).change
        for piece in _reordered(pieces, source, target)
        if "".join(source[piece.start : piece.end])
        != "".join(target[piece.target_start : piece.target_end])
    ]


def _pieces(operations: Sequence[Operation], level: Level) -> Iterator[Piece]:
    """Cut an alignment into runs, with matches only between other operations."""
    run: list[Operation] = []
    end = target_end = -1
    for operation in operations:
        is_adjacent = operation.start == end and operation.target_start == target_end
        if run and not (is_adjacent and operation.kind != "T"):
            yield from _joined_run(run, level)
            run = []
        if end >= 0 and not is_adjacent:
            yield Piece("M", end, operation.start, target_end, operation.target_start, Rule.ALONE)
        end, target_end = operation.end, operation.target_end
        if operation.kind == "T":
            yield Piece(*operation, Rule.TRANSPOSITION)
        else:
            run.append(operation)
    if run:
        yield from _joined_run(run, level)


def _joined_run(run: Sequence[Operation], level: Level) -> Iterator[Piece]:
    """Join adjacent operations; what it becomes depends on their kinds."""
    kinds = {operation.kind for operation in run}
    first, last = run[0], run[-1]
    if len(run) == 1:
        yield Piece(*first, Rule.ALONE)
    elif kinds == {"D", "I"}:
        yield from (Piece(*operation, Rule.WITHOUT_SUBSTITUTION) for operation in run)
    elif kinds == {"S"} and level == "word":
        yield from (Piece(*operation, Rule.SUBSTITUTIONS) for operation in run)
    else:
        kind = first.kind if len(kinds) == 1 else "S"
        rule = Rule.SAME_KIND if len(kinds) == 1 else Rule.WITH_SUBSTITUTION
        yield Piece(kind, first.start, last.end, first.target_start, last.target_end, rule)


def _reordered(pieces: Sequence[Piece], source: Tokens, target: Tokens) -> Iterator[Piece]:
    """Find changes of word order, and leave out matches."""
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        three = pieces[place : place + 3]
        if len(three) == 3 and _is_moved(three, source, target):
            last = three[-1]
            yield Piece("W", piece.start, last.end, piece.target_start, last.target_end, Rule.MOVED)
            place += 3
            continue
        if piece.kind != "M":
            yield piece
        place += 1


def _is_moved(pieces: Sequence[Piece], source: Tokens, target: Tokens) -> bool:
    """Whether the text of three pieces changes its place around the middle one."""
    first, between, last = pieces
    kinds = first.kind + last.kind
    before = [_text(source, piece.start, piece.end) for piece in (first, last)]
    after = [_text(target, piece.target_start, piece.target_end) for piece in (first, last)]
    if kinds == "SS" and between.kind == "M":
        if min(map(len, (*before, *after))) == 1:
            return before == after[::-1]
        return _are_close(before[0], after[1]) and _are_close(after[0], before[1])
    if kinds not in ("DI", "ID") or between.kind not in "MT":
        return False
    one, two = (before[0], after[1]) if kinds == "DI" else (after[0], before[1])
    if one in _UNMOVABLE or two in _UNMOVABLE or abs(len(one) - len(two)) > 1:
        return False
    if min(len(one), len(two)) == 1:
        return one == two
    return _are_close(one, two) or (len(one) == len(two) and one in two + two)


def _text(tokens: Tokens, start: int, end: int) -> str:
    return "".join(tokens[start:end])


def _are_close(one: str, two: str) -> bool:
    return Levenshtein.distance(one, two, score_cutoff=1) <= 1


def _trimmed(piece: Piece, source: Tokens, target: Tokens) -> Piece:
    """Trim what both sides of a substitution have in common at the front, then at the end."""
    before, after = source[piece.start : piece.end], target[piece.target_start : piece.target_end]
    front, target_front = _common(before, after)
    before, after = before[front:], after[target_front:]
    back, target_back = _common(before[::-1], after[::-1], backwards=True)
    start, end = piece.start + front, piece.end - back
    target_start, target_end = piece.target_start + target_front, piece.target_end - target_back
    return Piece("S", start, end, target_start, target_end, piece.rule)


def _common(before: Tokens, after: Tokens, *, backwards: bool = False) -> tuple[int, int]:
    """Return how many tokens at the front of both sides are the same text.

    As many tokens of the source are taken as the target begins with, if the same text is a number
    of tokens of the target; otherwise none.
    """
    if backwards:
        before, after = tuple(t[::-1] for t in before), tuple(t[::-1] for t in after)
    whole = "".join(after)
    text = ""
    taken = 0
    for token in before:
        if not whole.startswith(text + token):
            break
        text += token
        taken += 1
    size = 0
    for number, token in enumerate(after, 1):
        size += len(token)
        if size >= len(text):
            return (taken, number) if taken and size == len(text) else (0, 0)
    return 0, 0
