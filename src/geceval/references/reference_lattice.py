"""References as paths of a lattice, as there may be too many to list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from geceval.model import Tokens


@dataclass(frozen=True, slots=True)
class ReferenceLattice:
    """References as paths from the first node to the last.

    Parameters
    ----------
    positions
        Number of source tokens before each node.
    edges
        Start node, end node and words, sorted by start node; edges lead from lower to higher
        numbers.
    is_complete
        False if combinations were skipped because there were too many.
    n_steps
        Steps of its construction.

    Examples
    --------
    >>> ReferenceLattice((0, 1, 2), ((0, 1, ("a",)), (0, 1, ("the",)), (1, 2, ("cat",)))).count()
    2
    """

    positions: tuple[int, ...]
    edges: tuple[tuple[int, int, Tokens], ...]
    is_complete: bool = True
    n_steps: int = 0

    def __iter__(self) -> Iterator[Tokens]:
        """Yield each reference once."""
        return _WordAutomaton(self).spelled()

    def count(self) -> int:
        """Count distinct references."""
        return _WordAutomaton(self).count()


def parallel(tokens: Tokens, references: Iterable[Tokens]) -> ReferenceLattice:
    """Return a lattice with one edge per reference."""
    edges = tuple((0, 1, words) for words in dict.fromkeys(references))
    return ReferenceLattice((0, len(tokens)), edges)


_Spot: TypeAlias = tuple[int, int]
"""An edge and the number of its words before the spot."""


class _WordAutomaton:
    """The lattice as a deterministic automaton, with states built on demand."""

    def __init__(self, lattice: ReferenceLattice) -> None:
        self.edges = lattice.edges
        self.leaving: list[list[int]] = [[] for _ in lattice.positions]
        for number, (start, _, _) in enumerate(lattice.edges):
            self.leaving[start].append(number)
        self.last = len(lattice.positions) - 1

    def _reached(self, nodes: Iterable[int]) -> tuple[set[_Spot], bool]:
        """Return the spots before the next words, and whether the end is reached."""
        open_nodes = list(nodes)
        seen = set(open_nodes)
        places: set[_Spot] = set()
        while open_nodes:
            node = open_nodes.pop()
            for edge in self.leaving[node]:
                _, after, words = self.edges[edge]
                if words:
                    places.add((edge, 0))
                elif after not in seen:
                    seen.add(after)
                    open_nodes.append(after)
        return places, self.last in seen

    def start(self) -> tuple[frozenset[_Spot], bool]:
        places, is_end = self._reached([0])
        return frozenset(places), is_end

    def following(self, state: frozenset[_Spot]) -> dict[str, tuple[frozenset[_Spot], bool]]:
        """Return the next words and the states after them."""
        moved: dict[str, tuple[set[_Spot], set[int]]] = {}
        for edge, read in sorted(state):
            _, after, words = self.edges[edge]
            places, nodes = moved.setdefault(words[read], (set(), set()))
            if read + 1 < len(words):
                places.add((edge, read + 1))
            else:
                nodes.add(after)
        result = {}
        for word, (places, nodes) in moved.items():
            more, is_end = self._reached(nodes)
            result[word] = frozenset(places | more), is_end
        return result

    def count(self) -> int:
        """Count the references, by iterative depth-first search."""
        totals: dict[tuple[frozenset[_Spot], bool], int] = {}
        start = self.start()
        stack = [start]
        followers: dict[frozenset[_Spot], list[tuple[frozenset[_Spot], bool]]] = {}
        while stack:
            state, is_end = stack[-1]
            if state not in followers:
                followers[state] = list(self.following(state).values())
                stack.extend(after for after in followers[state] if after not in totals)
                continue
            stack.pop()
            totals[state, is_end] = is_end + sum(totals[after] for after in followers[state])
        return totals[start]

    def spelled(self) -> Iterator[Tokens]:
        """Yield each reference once."""
        state, is_end = self.start()
        if is_end:
            yield ()
        stack = [iter(self.following(state).items())]
        words: list[str] = []
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                if words:
                    words.pop()
                continue
            word, (state, is_end) = step
            words.append(word)
            if is_end:
                yield tuple(words)
            stack.append(iter(self.following(state).items()))
