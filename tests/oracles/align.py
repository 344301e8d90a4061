"""Token alignment, straight from the paper: one full table, nothing left out.

Felice, Bryant and Briscoe (2016), listings 1 and 2. The paper leaves the order of equal costs
open; it is transposition, substitution, insertion, deletion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

OPEN_CLASSES = {"ADJ", "ADV", "NOUN", "VERB"}

Operation: TypeAlias = tuple[str, int, int, int, int]
"""Kind, source start and end, target start and end."""


Similar: TypeAlias = Callable[[str, str], bool]
"""Whether two words may change into each other where they are reordered."""


class Word(NamedTuple):
    form: str
    lemma: str
    pos: str


class _Cell(NamedTuple):
    cost: float
    operation: Operation | None


def longest_common(source: str, target: str) -> int:
    """Length of the longest common subsequence."""
    above = [0] * (len(target) + 1)
    for before in source:
        here = [0]
        for j, after in enumerate(target):
            here.append(above[j] + 1 if before == after else max(above[j + 1], here[j]))
        above = here
    return above[-1]


def character_cost(source: str, target: str) -> float:
    """Share of the characters of both words that are inserted or deleted."""
    both = len(source) + len(target)
    return (both - 2 * longest_common(source, target)) / both


def substitution_cost(source: Word, target: Word) -> float:
    """Listing 2."""
    if source.form.lower() == target.form.lower():
        return 0.0
    lemma = 0.0 if source.lemma == target.lemma else 0.499
    if source.pos == target.pos:
        pos = 0.0
    elif source.pos in OPEN_CLASSES and target.pos in OPEN_CLASSES:
        pos = 0.25
    else:
        pos = 0.5
    return lemma + pos + character_cost(source.form, target.form)


def align(
    source: Sequence[Word],
    target: Sequence[Word],
    *,
    linguistic: bool = True,
    similar: Similar | None = None,
) -> list[Operation]:
    """Listing 1: return all operations, matches included."""
    table = [[_Cell(0.0, None)] * (len(target) + 1) for _ in range(len(source) + 1)]
    for i in range(1, len(source) + 1):
        table[i][0] = _Cell(float(i), ("D", i - 1, i, 0, 0))
    for j in range(1, len(target) + 1):
        table[0][j] = _Cell(float(j), ("I", 0, 0, j - 1, j))
    for i in range(1, len(source) + 1):
        for j in range(1, len(target) + 1):
            table[i][j] = _cell(table, source, target, i, j, linguistic=linguistic, similar=similar)
    return _trace(table)


def _cell(
    table: list[list[_Cell]],
    source: Sequence[Word],
    target: Sequence[Word],
    i: int,
    j: int,
    *,
    linguistic: bool,
    similar: Similar | None,
) -> _Cell:
    before, after = source[i - 1], target[j - 1]
    diagonal = table[i - 1][j - 1].cost
    if before.form == after.form:
        return _Cell(diagonal, ("M", i - 1, i, j - 1, j))
    options = []
    if linguistic:
        size = 0
        if similar is not None:
            size = _reordered(table, source, target, i, j, similar)
        size = size or _transposed(table, source, target, i, j)
        if size:
            # In this order, for in the other the sum may be rounded off what is really a tie.
            cost = table[i - size][j - size].cost + (size - 1)
            options.append(_Cell(cost, ("T", i - size, i, j - size, j)))
    step = substitution_cost(before, after) if linguistic else 1.0
    options.append(_Cell(diagonal + step, ("S", i - 1, i, j - 1, j)))
    options.append(_Cell(table[i][j - 1].cost + 1, ("I", i, i, j - 1, j)))
    options.append(_Cell(table[i - 1][j].cost + 1, ("D", i - 1, i, j, j)))
    return min(options, key=lambda option: option.cost)


def _transposed(
    table: list[list[_Cell]], source: Sequence[Word], target: Sequence[Word], i: int, j: int
) -> int:
    """Follow the diagonal back, while it costs, to where the words are the same in any order."""
    size = 1
    while (
        i > size
        and j > size
        and table[i - size][j - size].cost != table[i - size - 1][j - size - 1].cost
    ):
        size += 1
        if sorted(word.form.lower() for word in source[i - size : i]) == sorted(
            word.form.lower() for word in target[j - size : j]
        ):
            return size
    return 0


def _reordered(
    table: list[list[_Cell]],
    source: Sequence[Word],
    target: Sequence[Word],
    i: int,
    j: int,
    similar: Similar,
) -> int:
    """Follow the diagonal back, while it costs, to up to five words that may also change."""
    size = 1
    while (
        i > size
        and j > size
        and size < 5
        and table[i - size][j - size].cost != table[i - size - 1][j - size - 1].cost
    ):
        size += 1
        before = [word.form for word in source[i - size : i]]
        after = [word.form for word in target[j - size : j]]
        for order in permutations(range(size)):
            if order[0] == 0 or order[-1] == size - 1:
                continue
            if all(similar(one, after[place]) for one, place in zip(before, order, strict=True)):
                return size
    return 0


def _trace(table: list[list[_Cell]]) -> list[Operation]:
    operations = []
    operation = table[-1][-1].operation
    while operation is not None:
        operations.append(operation)
        operation = table[operation[1]][operation[3]].operation
    return operations[::-1]


def figure_source() -> list[Word]:
    """The original sentence of the paper's tables 2 and 5 and figure 1."""
    return [
        Word("This", "this", "DET"),
        Word("wide", "wide", "ADJ"),
        Word("spread", "spread", "VERB"),
        Word("propaganda", "propaganda", "NOUN"),
        Word("benefits", "benefit", "VERB"),
        Word("only", "only", "ADV"),
        Word("to", "to", "ADP"),
        Word("the", "the", "DET"),
        Word("companys", "company", "NOUN"),
        Word(".", ".", "PUNCT"),
    ]


def figure_target() -> list[Word]:
    """Its correction."""
    return [
        Word("This", "this", "DET"),
        Word("widespread", "widespread", "ADJ"),
        Word("publicity", "publicity", "NOUN"),
        Word("only", "only", "ADV"),
        Word("benefits", "benefit", "VERB"),
        Word("their", "their", "DET"),
        Word("companies", "company", "NOUN"),
        Word(".", ".", "PUNCT"),
    ]
