"""References as the paths of a lattice: there may be more of them than could ever be listed."""

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
        How many source tokens are dealt with at each node.
    edges
        First node, last node and the words between them, in the order of their first nodes;
        edges go from lower to higher numbers.
    is_complete
        False where combinations were left out because there were too many in one place.
    n_steps
        Steps that making it took.

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
        return _Words(self).spelled()

    def count(self) -> int:
        """Count the references; those that read the same count once."""
        return _Words(self).count()


def parallel(tokens: Tokens, references: Iterable[Tokens]) -> ReferenceLattice:
    """Return a lattice of whole references side by side."""
    edges = tuple((0, 1, words) for words in dict.fromkeys(references))
    return ReferenceLattice((0, len(tokens)), edges)


_Spot: TypeAlias = tuple[int, int]
"""An edge and how many of its words are read."""


class _Words:
    """The lattice as a deterministic automaton, made as far as it is looked at."""

    def __init__(self, lattice: ReferenceLattice) -> None:
        self.edges = lattice.edges
        self.leaving: list[list[int]] = [[] for _ in lattice.positions]
        for number, (start, _, _) in enumerate(lattice.edges):
            self.leaving[start].append(number)
        self.last = len(lattice.positions) - 1

    def _reached(self, nodes: Iterable[int]) -> tuple[set[_Spot], bool]:
        """Return the places before the next words, and whether the end is reached."""
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
        """Return the next words and where each of them leads."""
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
        """Count what can be spelled, by depth-first search without recursion."""
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
        """Yield what can be spelled, once each."""
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
