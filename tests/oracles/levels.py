"""Detection and recognition by trying everything: all paths, all ways to cut them into edits.

Section 4 of Dahlmeier and Ng (2012) speaks of scores for detection, recognition and correction,
as in the HOO shared tasks. An edit is any stretch of a path through the lattice with a change in
it and at most so many unchanged words; gold edits are given to edits in order, each once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Literal, TypeAlias

from oracles.maxmatch import Edge, lattice

Span: TypeAlias = tuple[int, int]
Cut: TypeAlias = tuple[Edge, ...]
"""An edit, as the atomic edges that it is made of, or one unchanged word."""


def paths(source: Sequence[str], hypothesis: Sequence[str]) -> Iterator[tuple[Edge, ...]]:
    """Yield every path from the first to the last cell."""
    leaving: dict[tuple[int, int], list[Edge]] = {}
    for edge in lattice(source, hypothesis):
        leaving.setdefault(edge.start, []).append(edge)
    goal = (len(source), len(hypothesis))
    waiting: list[tuple[Edge, ...]] = [()]
    while waiting:
        path = waiting.pop()
        cell = path[-1].end if path else (0, 0)
        if cell == goal:
            yield path
        waiting.extend((*path, edge) for edge in leaving.get(cell, ()))


def cuts(
    path: tuple[Edge, ...], max_unchanged: int, long: Sequence[Span]
) -> Iterator[tuple[Cut, ...]]:
    """Yield every way to cut a path into unchanged words and edits.

    Edits with one of the given spans may have any number of unchanged words.
    """
    if not path:
        yield ()
        return
    for size in range(1, len(path) + 1):
        piece = path[:size]
        n_unchanged = sum(not edge.changes for edge in piece)
        is_long = (piece[0].start[0], piece[-1].end[0]) in long
        is_edit = n_unchanged < size and (n_unchanged <= max_unchanged or is_long)
        if is_edit or (size == 1 and n_unchanged == 1):
            for rest in cuts(path[size:], max_unchanged, long):
                yield (piece, *rest)


def overlaps(gold: Span, start: int, end: int) -> bool:
    if gold[0] == gold[1] or start == end:
        return start <= gold[1] and gold[0] <= end
    return start < gold[1] and gold[0] < end


def fits(piece: Cut, gold: Span, level: Literal["recognition", "detection"]) -> bool:
    start, end = piece[0].start[0], piece[-1].end[0]
    if level == "recognition":
        return (start, end) == gold
    return piece[0].changes and piece[-1].changes and overlaps(gold, start, end)


def cost(
    pieces: Sequence[Cut],
    gold: Sequence[Span],
    level: Literal["recognition", "detection"],
    max_unchanged: int,
) -> tuple[float, int, int]:
    """Return minus the matched edits, length of the others, and their number, at the best.

    The cost of an edit that has too many unchanged words and matches nothing is infinite.
    """
    if not pieces:
        return 0, 0, 0
    piece, *rest = pieces
    is_edit = any(edge.changes for edge in piece)
    is_short = not is_edit or sum(not edge.changes for edge in piece) <= max_unchanged
    matched, length, edits = cost(rest, gold, level, max_unchanged)
    best = matched if is_short else inf, length + len(piece), edits + is_edit
    if is_edit:
        for number, span in enumerate(gold):
            if fits(piece, span, level):
                matched, length, edits = cost(rest, gold[number + 1 :], level, max_unchanged)
                best = min(best, (matched - 1, length, edits))
    return best


def level_counts(
    source: Sequence[str],
    hypothesis: Sequence[str],
    gold: Sequence[Span],
    *,
    level: Literal["recognition", "detection"],
    max_unchanged: int = 2,
    match_long: bool = False,
) -> tuple[int, int, int]:
    """Count right, proposed and gold edits.

    With `match_long`, recognized edits may have any number of unchanged words.
    """
    known = sorted(span for span in gold if span[1] <= len(source))
    long = known if match_long and level == "recognition" else ()
    matched, _, edits = min(
        cost(pieces, known, level, max_unchanged)
        for path in paths(source, hypothesis)
        for pieces in cuts(path, max_unchanged, long)
    )
    return int(-matched), int(edits - matched), len(known)
