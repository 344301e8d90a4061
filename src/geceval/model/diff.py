"""The difference of two token sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from geceval.limits import BITS, check_pair


class Replacement(NamedTuple):
    """Tokens ``start:end`` of a sequence, replaced by ``new_start:new_end`` of another."""

    start: int
    end: int
    new_start: int
    new_end: int


def changes(source: Sequence[str], target: Sequence[str]) -> Iterator[Replacement]:
    """Yield the replacements between the tokens of a longest common subsequence.

    Examples
    --------
    >>> list(changes(("I", "likes", "cat"), ("I", "like", "the", "cat")))
    [Replacement(start=1, end=2, new_start=1, new_end=3)]
    """
    from rapidfuzz.distance import Indel

    check_pair(source, target, at_once=BITS)
    row = column = 0
    for match in Indel.opcodes(source, target):
        if match.tag != "equal":
            continue
        if (row, column) != (match.src_start, match.dest_start):
            yield Replacement(row, match.src_start, column, match.dest_start)
        row, column = match.src_end, match.dest_end
    if (row, column) != (len(source), len(target)):
        yield Replacement(row, len(source), column, len(target))
