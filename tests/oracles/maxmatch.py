"""MaxMatch (M²) written down as Dahlmeier and Ng (2012) tell it: slow, and easy to check.

The steps are those of the paper: the token Levenshtein matrix, the lattice of its shortest
paths, phrase edges by transitive closure, the best path, the counts. The shared-task scorer
3.2 goes further in one thing: it joins the lattices of two matrices, in which a substitution
costs 1 and 2.

What the two leave open, checked against the scorer's counts for the CoNLL-2014 systems with
two, ten and sixteen annotators:

- *Ties.* The best path is the one with the most matching edges, then the smallest total length
  of all other edges, then the fewest non-matching edits. Paths that are equal in all three
  propose equally many edits, so no count depends on which is taken. Only the words at the
  borders of the edits do: an unchanged word costs the same inside an edit and beside it.
  Here the edits with the fewest unchanged words are taken; papers print all kinds.
- *Small cost.* It falls on changing edges only. The footnote of the paper puts it on unchanged
  words as well; two adjacent edits, each with two unchanged words at its outer side, would then
  beat one edit. That gives other counts for one in six readings of CAMB.
- *Two lattices.* Cost 2 alone nearly suffices, for it finds what cost 1 finds except for
  substitutions that stand across a word both sides have; cost 1 alone misses correct edits.
- *Gold order.* A path goes left to right, so gold edits sorted by span are met in their order
  and `correct` is the number of matching edges. In a list that is not sorted, edits that stand
  too early in it are lost to the scan, though the path was chosen as if they were not.
- *One place.* Only insertions can have one span twice on a path. There the path keeps count of
  the gold insertions it has used up; two adjacent inserted words may be one edit or two.
- *Alternatives.* One gold edit with several corrections counts once. Two gold edits with one
  span and different corrections count twice in `gold`, and unless they are insertions a path
  can match only one of them.
- *Nothing to correct.* A gold edit of one token that repeats the source, or has no correction,
  equals the unchanged edge of that token, which is matching like any other: it draws the path.
  It is no edit, so it is neither proposed nor correct; it counts in `gold`. A longer one equals
  no edge, for a phrase edge has at least one change. Of paths that are equal in all three of the
  above, that with the fewest such edges is taken, so that the most edits are correct.
- *Spaces and case.* Where these are ignored, edits that change nothing else are dropped before
  counting; of paths that are equal in all three, that which keeps the fewest edits is taken, and
  of these that which loses the fewest matching ones. The official scorer takes any.
- *Past the end.* Edits past the end of the sentence count nowhere.
- *Annotators.* One who is absent from a sentence cannot be chosen there; the official tables
  give names, `choose` gives positions among those present.

The published counts do not decide everything: in none of them does a gold list go back, are two
gold insertions at one place met, does a flag draw the path, is a list of alternatives met, or
does it matter whether length or number of edits comes first. There this module follows the
description alone.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Words: TypeAlias = tuple[str, ...]
Cell: TypeAlias = tuple[int, int]
"""Tokens read of the source and of the hypothesis."""

GoldEdit: TypeAlias = "tuple[int, int, Sequence[Words]]"
"""Start, end and the alternative corrections."""

PlainEdit: TypeAlias = tuple[int, int, Words]
"""Start, end and correction."""

ScoredEdit: TypeAlias = tuple[int, int, Words, bool]
"""Start, end, correction, and whether it was found in the gold standard."""

Cost: TypeAlias = tuple[int, int, int, int, int]
"""Minus the matching edges, total length of the others, non-matching edits, edits that are not
dropped where some are, matching edges that change nothing or are dropped: less is better."""


class Edge(NamedTuple):
    """A step through the lattice; it leaves a word unchanged or is an edit.

    The length is the number of atomic steps, `unchanged` the number of matches among them.
    """

    start: Cell
    end: Cell
    length: int
    unchanged: int

    @property
    def changes(self) -> bool:
        return self.unchanged < self.length

    @property
    def is_insertion(self) -> bool:
        return self.start[0] == self.end[0]

    def edit(self, hypothesis: Sequence[str]) -> PlainEdit:
        (start, column), (end, end_column) = self.start, self.end
        return start, end, tuple(hypothesis[column:end_column])


# The lattice.


def levenshtein_matrix(
    source: Sequence[str], hypothesis: Sequence[str], *, substitution: int = 1
) -> list[list[int]]:
    """Return the distance of every beginning of `source` to every one of `hypothesis`."""
    matrix = [[0] * (len(hypothesis) + 1) for _ in range(len(source) + 1)]
    for row in range(len(source) + 1):
        for column in range(len(hypothesis) + 1):
            steps = _steps_to((row, column), source, hypothesis, substitution)
            matrix[row][column] = min(
                (matrix[before[0]][before[1]] + price for before, price in steps), default=0
            )
    return matrix


def _steps_to(
    cell: Cell, source: Sequence[str], hypothesis: Sequence[str], substitution: int
) -> Iterator[tuple[Cell, int]]:
    """Yield the cells one step before `cell`, and what the step costs."""
    row, column = cell
    if row:
        yield (row - 1, column), 1
    if column:
        yield (row, column - 1), 1
    if row and column:
        is_match = source[row - 1] == hypothesis[column - 1]
        yield (row - 1, column - 1), 0 if is_match else substitution


def shortest_path_atoms(
    source: Sequence[str], hypothesis: Sequence[str], *, substitution: int
) -> set[Edge]:
    """Return the atomic edges of all shortest paths, walking back from the last cell."""
    matrix = levenshtein_matrix(source, hypothesis, substitution=substitution)
    atoms = set()
    waiting = [(len(source), len(hypothesis))]
    seen = set(waiting)
    while waiting:
        cell = waiting.pop()
        for before, price in _steps_to(cell, source, hypothesis, substitution):
            if matrix[before[0]][before[1]] + price == matrix[cell[0]][cell[1]]:
                atoms.add(Edge(before, cell, length=1, unchanged=int(price == 0)))
                if before not in seen:
                    seen.add(before)
                    waiting.append(before)
    return atoms


def lattice(source: Sequence[str], hypothesis: Sequence[str]) -> set[Edge]:
    """Join the lattices in which a substitution costs 1 and 2."""
    return shortest_path_atoms(source, hypothesis, substitution=1) | shortest_path_atoms(
        source, hypothesis, substitution=2
    )


def edit_graph(
    source: Sequence[str], hypothesis: Sequence[str], *, max_unchanged: int = 2
) -> list[Edge]:
    """Return the lattice with its phrase edges, sorted by start and end.

    Between two cells there is at most one edge: two cells say which words are replaced by
    which, and of the paths that do it the shortest counts.
    """
    leaving: dict[Cell, list[Edge]] = {}
    for atom in sorted(lattice(source, hypothesis)):
        leaving.setdefault(atom.start, []).append(atom)
    edges = [atom for atoms in leaving.values() for atom in atoms if not atom.changes]
    for start in leaving:
        edges += _edits_from(start, leaving, max_unchanged)
    return sorted(edges)


def _edits_from(start: Cell, leaving: dict[Cell, list[Edge]], max_unchanged: int) -> Iterator[Edge]:
    """Yield the shortest edit to each cell that a path with few enough matches reaches."""
    # Shortest length by matches on the way and whether anything was changed yet.
    reached: dict[Cell, dict[tuple[int, bool], int]] = {start: {(0, False): 0}}
    # Steps lead to greater cells, so that a cell is complete when it is the smallest.
    while reached:
        cell = min(reached)
        ways = reached.pop(cell)
        edits = [(length, unchanged) for (unchanged, changed), length in ways.items() if changed]
        if edits:
            yield Edge(start, cell, *min(edits))
        for (unchanged, changed), length in ways.items():
            for atom in leaving.get(cell, ()):
                way = unchanged + atom.unchanged, changed or atom.changes
                if way[0] <= max_unchanged:
                    there = reached.setdefault(atom.end, {})
                    there[way] = min(length + 1, there.get(way, length + 1))


# The best path.


class _Gold:
    """The gold edits of one annotator that a path can meet."""

    def __init__(self, edits: Iterable[GoldEdit]) -> None:
        self._by_span: dict[tuple[int, int], list[set[Words]]] = {}
        for start, end, corrections in edits:
            self._by_span.setdefault((start, end), []).append(set(corrections))

    def match(self, edit: PlainEdit, used: int) -> int | None:
        """Return how many gold edits of this span are used up if `edit` takes the next it can."""
        start, end, correction = edit
        corrections = self._by_span.get((start, end), [])
        for index in range(used, len(corrections)):
            if correction in corrections[index]:
                return index + 1
        return None


class _Path(NamedTuple):
    """The best way to a cell; the last field of the cost only makes the edits short."""

    cost: tuple[int, int, int, int, int, int]
    edges: tuple[Edge, ...]
    matching: tuple[bool, ...]

    def extended(self, edge: Edge, *, matching: bool, dropped: bool | None) -> _Path:
        matches, length, edits, kept, wasted, inside = self.cost
        if matching:
            matches -= 1
            wasted += not edge.changes or dropped is True
        else:
            length += edge.length
            edits += edge.changes
            inside += edge.unchanged if edge.changes else 0
        kept += edge.changes and dropped is False
        cost = matches, length, edits, kept, wasted, inside
        return _Path(cost, (*self.edges, edge), (*self.matching, matching))


def only_spaces_or_case(source: Sequence[str], edit: PlainEdit) -> bool:
    """Whether an edit changes nothing but spaces and letter case."""
    start, end, correction = edit
    return "".join(source[start:end]).lower() == "".join(correction).lower()


def _best_path(
    graph: Sequence[Edge],
    source: Sequence[str],
    hypothesis: Sequence[str],
    gold: Sequence[GoldEdit],
    *,
    max_unchanged: int,
    ignore_casing: bool = False,
) -> _Path:
    goal = len(source), len(hypothesis)
    # What repeats a single token is met by leaving that token as it is.
    repeating = {
        start
        for start, end, corrections in gold
        if end == start + 1 and (not corrections or (source[start],) in corrections)
    }
    known = _Gold(gold)
    leaving: dict[Cell, list[Edge]] = {}
    for edge in graph:
        leaving.setdefault(edge.start, []).append(edge)
    # Best path to each cell by the number of gold insertions used up at its row.
    best: dict[Cell, dict[int, _Path]] = {(0, 0): {0: _Path((0, 0, 0, 0, 0, 0), (), ())}}
    for cell in sorted(leaving):
        for used, path in best.pop(cell, {}).items():
            for edge in leaving[cell]:
                there = best.setdefault(edge.end, {})
                used_up = used if edge.is_insertion else 0
                edit = edge.edit(hypothesis)
                dropped = only_spaces_or_case(source, edit) if ignore_casing else None
                # An edit with too many unchanged words can only be a matching one.
                if not edge.changes or edge.unchanged <= max_unchanged:
                    _offer(there, used_up, path.extended(edge, matching=False, dropped=dropped))
                taken = None
                if edge.changes:
                    taken = known.match(edit, used_up)
                elif edge.start[0] in repeating:
                    taken = 0
                if taken is not None:
                    used_up = taken if edge.is_insertion else 0
                    _offer(there, used_up, path.extended(edge, matching=True, dropped=dropped))
    return min(best[goal].values(), key=lambda path: path.cost)


def _offer(paths: dict[int, _Path], used: int, path: _Path) -> None:
    if used not in paths or path.cost < paths[used].cost:
        paths[used] = path


def scan(edits: Iterable[PlainEdit], gold: Sequence[GoldEdit]) -> list[ScoredEdit]:
    """Mark the edits found in `gold`, each gold edit once and never going back in its order."""
    scored = []
    position = 0
    for start, end, correction in edits:
        found = next(
            (
                index
                for index in range(position, len(gold))
                if gold[index][:2] == (start, end) and correction in gold[index][2]
            ),
            None,
        )
        if found is not None:
            position = found + 1
        scored.append((start, end, correction, found is not None))
    return scored


def n_correct(edits: Iterable[ScoredEdit]) -> int:
    return sum(is_correct for *_, is_correct in edits)


def _within(gold: Iterable[GoldEdit], n_tokens: int) -> list[GoldEdit]:
    return [edit for edit in gold if edit[1] <= n_tokens]


def max_match(
    source: Sequence[str],
    hypothesis: Sequence[str],
    gold: Sequence[GoldEdit],
    *,
    max_unchanged: int = 2,
    match_long: bool = False,
    ignore_casing: bool = False,
) -> tuple[int, int, int, list[ScoredEdit]]:
    """Count correct, proposed and gold edits for one annotator, and return those proposed.

    The edits are given as start, end, correction and whether they are correct. With `match_long`,
    those that equal a gold edit may have any number of unchanged words.
    """
    known = _within(gold, len(source))
    graph = edit_graph(source, hypothesis, max_unchanged=max_unchanged)
    if match_long:
        short = {(edge.start, edge.end) for edge in graph}
        every = edit_graph(source, hypothesis, max_unchanged=len(source))
        graph += [edge for edge in every if (edge.start, edge.end) not in short]
    path = _best_path(
        graph,
        source,
        hypothesis,
        known,
        max_unchanged=max_unchanged,
        ignore_casing=ignore_casing,
    )
    met = zip(path.edges, path.matching, strict=True)
    edits = [(*edge.edit(hypothesis), matching) for edge, matching in met if edge.changes]
    scanned = scan((edit[:3] for edit in edits), known)
    is_sorted = known == sorted(known, key=lambda edit: edit[:2])
    if not is_sorted or n_correct(scanned) >= n_correct(edits):
        edits = scanned
    if ignore_casing:
        edits = [edit for edit in edits if not only_spaces_or_case(source, edit[:3])]
    return n_correct(edits), len(edits), len(known), edits


def best_cost(
    source: Sequence[str],
    hypothesis: Sequence[str],
    gold: Sequence[GoldEdit],
    *,
    max_unchanged: int = 2,
) -> Cost:
    """Return the cost of the best path."""
    graph = edit_graph(source, hypothesis, max_unchanged=max_unchanged)
    known = _within(gold, len(source))
    return _best_path(graph, source, hypothesis, known, max_unchanged=max_unchanged).cost[:5]


def cost_of(
    edits: Iterable[PlainEdit],
    source: Sequence[str],
    hypothesis: Sequence[str],
    gold: Sequence[GoldEdit],
    *,
    max_unchanged: int = 2,
) -> Cost | None:
    """Return what a given sequence of edits costs, or None where it is no path.

    Equally good sequences differ in their unchanged words; this tells whether one is among
    the best without asking which of them was taken.
    """
    graph = {
        (edge.start, edge.end): edge
        for edge in edit_graph(source, hypothesis, max_unchanged=max_unchanged)
    }
    cells = [(0, 0)]

    def keep_until(row: int) -> None:
        while cells[-1][0] < row:
            cells.append((cells[-1][0] + 1, cells[-1][1] + 1))

    for start, end, correction in edits:
        keep_until(start)
        cells.append((end, cells[-1][1] + len(correction)))
    keep_until(len(source))
    steps = list(pairwise(cells))
    if cells[-1] != (len(source), len(hypothesis)) or not all(step in graph for step in steps):
        return None
    path = [graph[step] for step in steps]
    if [edge.edit(hypothesis) for edge in path if edge.changes] != list(edits):
        return None
    known = _within(gold, len(source))
    return _best_path(path, source, hypothesis, known, max_unchanged=max_unchanged).cost[:5]


# From counts to scores.


def choose(counts: Sequence[Sequence[tuple[int, int, int]]], *, beta: float = 0.5) -> list[int]:
    """Choose the annotator of each sentence that is best for the totals up to it.

    `counts` holds, for each sentence and annotator, the edits that are correct, proposed and
    gold. The result are positions in these lists, not names. The arithmetic is exact, so that
    a tie is a tie for every `beta`.
    """
    weight = Fraction(beta) ** 2
    chosen = []
    totals = 0, 0, 0
    for annotators in counts:
        running = [
            (totals[0] + correct, totals[1] + proposed, totals[2] + gold)
            for correct, proposed, gold in annotators
        ]
        best = max(range(len(running)), key=lambda index: _standing(running[index], weight))
        chosen.append(best)
        totals = running[best]
    return chosen


def _standing(totals: tuple[int, int, int], weight: Fraction) -> tuple[Fraction, int, Fraction]:
    """Return F, correct edits, and fewness of the others: what annotators are compared by."""
    correct, proposed, gold = totals
    below = proposed + weight * gold
    f = (1 + weight) * correct / below if below else Fraction(1)
    return f, correct, -below


def f_score(
    correct: int, proposed: int, gold: int, beta: float = 0.5
) -> tuple[float, float, float]:
    """Return precision, recall and F; where recall has no weight, F is the precision."""
    precision = correct / proposed if proposed else 1.0
    recall = correct / gold if gold else 1.0
    if not beta:
        return precision, recall, precision
    below = beta**2 * precision + recall
    f = (1 + beta**2) * precision * recall / below if below else 0.0
    return precision, recall, f


# What MaxMatch is compared with.


def wdiff_edits(source: Sequence[str], hypothesis: Sequence[str]) -> list[PlainEdit]:
    """Return everything between the words of a longest common subsequence.

    Of several longest ones, that which has its words as early as it can in the source.
    """
    edits = []
    row = column = 0
    for match_row, match_column in [
        *_common_words(source, hypothesis),
        (len(source), len(hypothesis)),
    ]:
        if (row, column) != (match_row, match_column):
            edits.append((row, match_row, tuple(hypothesis[column:match_column])))
        row, column = match_row + 1, match_column + 1
    return edits


def _common_words(source: Sequence[str], hypothesis: Sequence[str]) -> Iterator[Cell]:
    """Yield the places of a longest common subsequence."""
    rows, columns = len(source), len(hypothesis)
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        for column in reversed(range(columns)):
            longest[row][column] = (
                longest[row + 1][column + 1] + 1
                if source[row] == hypothesis[column]
                else max(longest[row + 1][column], longest[row][column + 1])
            )
    row = column = 0
    while row < rows and column < columns:
        if source[row] == hypothesis[column]:
            yield row, column
            row, column = row + 1, column + 1
        elif longest[row][column + 1] >= longest[row + 1][column]:
            column += 1
        else:
            row += 1
