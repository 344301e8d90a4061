"""Construction of the lattice of a sentence with interacting errors, block by block.

Blocks are spans of the source that no correction crosses. A node between two blocks is the state
that the following blocks depend on, so that prefixes with equal states share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from geceval.model import Tokens
from geceval.references.corrections import Alternative, Applied, Correction, apply_corrections
from geceval.references.reference_lattice import ReferenceLattice, parallel

_STEPS_OF_WAY, _STEPS_OF_TOKEN = 5000, 50
"""Steps of a combination, and of each token of its block."""


@dataclass(slots=True)
class _Block:
    """A span of the source that no correction crosses, and the corrections in it."""

    start: int
    end: int
    corrections: set[Correction]

    @property
    def has_tokens(self) -> bool:
        return self.start < self.end


class _Node(NamedTuple):
    """The state that the following blocks depend on.

    Parameters
    ----------
    pending
        Corrections in later blocks that belong to chosen alternatives.
    eaten
        Tokens of the following text that earlier corrections replace.
    claim
        The assumption about the following text if all earlier text was deleted: it is not
        empty (True), it is empty (False), or none (None).
    """

    pending: Alternative
    eaten: int
    claim: bool | None


_Way: TypeAlias = tuple[Alternative, Alternative]
"""An alternative, split into corrections of the current block and of later ones."""

_Step: TypeAlias = tuple["_Node", "_Node", Tokens]
"""Two nodes and the words between them."""


class _Place(NamedTuple):
    """The position of a block among those with tokens."""

    is_first: bool
    is_later: bool
    is_last: bool

    @property
    def is_only(self) -> bool:
        return self.is_last and not self.is_later


def _combined(opened: Sequence[list[_Way]]) -> Iterator[_Way]:
    """Yield every combination of alternatives of the errors that begin in a block."""
    if len(opened) == 1:
        yield from opened[0]
        return
    for ways in product(*opened):
        yield (
            tuple(item for now, _ in ways for item in now),
            tuple(item for _, later in ways for item in later),
        )


def _step(
    node: _Node, pending: Alternative, applied: Applied, place: _Place, claim: bool | None
) -> Iterator[_Step]:
    """Yield the step with the text of a block, unless it contradicts the claim."""
    words, eaten, _ = applied
    if node.eaten:
        eaten += max(0, node.eaten - len(words))
        words = words[node.eaten :]
    if place.is_later and words:
        if claim is False:
            return
        claim = None
    yield node, _Node(pending, 0 if place.is_last else eaten, claim), words


class _Entangled(Exception):  # noqa: N818
    """The first block is deleted and changes the second one: they must be joined."""


class LatticeBuilder:
    """Builds the lattice of a sentence, block by block, with the distinct nodes between them."""

    def __init__(
        self, tokens: Tokens, choices: Sequence[list[Alternative]], limit: int, most_steps: int
    ) -> None:
        self.tokens = tokens
        self.choices = choices
        self.limit = limit
        self.steps_left = most_steps
        self.is_complete = True
        self.can_vanish = False

    def lattice(self) -> ReferenceLattice | None:
        """Return the lattice, or None where no combination exists."""
        corrections = {item for ways in self.choices for way in ways for item in way}
        if not corrections:
            return parallel(self.tokens, [self.tokens])
        blocks = _blocks(len(self.tokens), corrections)
        while True:
            try:
                return self._build(blocks)
            except _Entangled:
                first = _first_with_tokens(blocks)
                left, right = blocks[first : first + 2]
                joined = _Block(left.start, right.end, left.corrections | right.corrections)
                blocks[first : first + 2] = [joined]

    def _build(self, blocks: list[_Block]) -> ReferenceLattice | None:
        opened = self._opened(blocks)
        first = _first_with_tokens(blocks)
        self.can_vanish = _can_vanish(blocks)
        nodes: Iterable[_Node] = [_Node((), 0, None)]
        steps: list[dict[_Step, None]] = []
        for number, block in enumerate(blocks):
            place = _Place(number == first, number > first, number == len(blocks) - 1)
            steps.append(dict.fromkeys(self._steps(block, nodes, opened[number], place)))
            nodes = dict.fromkeys(step[1] for step in steps[-1])
        return self._numbered(blocks, steps)

    def _opened(self, blocks: list[_Block]) -> list[list[list[_Way]]]:
        """Return the errors that begin in each block, with their alternatives split there."""
        place = {item: number for number, block in enumerate(blocks) for item in block.corrections}
        opened: list[list[list[_Way]]] = [[] for _ in blocks]
        for ways in self.choices:
            touched = [place[item] for way in ways for item in way]
            if not touched:
                continue
            here = min(touched)
            divided = [
                (
                    tuple(item for item in way if place[item] == here),
                    tuple(item for item in way if place[item] != here),
                )
                for way in ways
            ]
            opened[here].append(divided)
        return opened

    def _steps(
        self, block: _Block, nodes: Iterable[_Node], opened: Sequence[list[_Way]], place: _Place
    ) -> Iterator[_Step]:
        """Yield the steps through one block from each node before it."""
        local = self.tokens[block.start : block.end]
        n_ways = 0
        n_steps = _STEPS_OF_WAY + _STEPS_OF_TOKEN * len(local)
        for node in nodes:
            now: Alternative = ()
            later: Alternative = ()
            if node.pending:
                now = tuple(item for item in node.pending if item in block.corrections)
                later = tuple(item for item in node.pending if item not in block.corrections)
            for chosen_now, chosen_later in _combined(opened):
                n_ways += 1
                self.steps_left -= n_steps
                if n_ways > self.limit or self.steps_left < 0:
                    self.is_complete = False
                    return
                here = now + chosen_now
                if len(here) > 1 and len({item[:2] for item in here}) < len(here):
                    continue
                pending = later + chosen_later
                if len(pending) > 1:
                    pending = tuple(sorted(pending))
                applied = apply_corrections(local, block.start, here, keeps_last=place.is_only)
                if not (place.is_first and applied.was_bare and self.can_vanish):
                    yield from _step(node, pending, applied, place, node.claim)
                    continue
                if applied.eaten and not place.is_last:
                    raise _Entangled
                yield from _step(node, pending, applied, place, claim=True)
                kept = apply_corrections(local, block.start, here, keeps_last=True)
                yield from _step(node, pending, kept, place, claim=False)

    def _numbered(
        self, blocks: list[_Block], steps: list[dict[_Step, None]]
    ) -> ReferenceLattice | None:
        """Number the nodes that reach the end."""
        alive: list[set[_Node]] = [set() for _ in range(len(blocks) + 1)]
        alive[-1] = {step[1] for step in steps[-1] if step[1].claim is not True}
        for number in reversed(range(len(blocks))):
            alive[number] = {
                before for before, after, _ in steps[number] if after in alive[number + 1]
            }
        if not alive[0]:
            return None
        numbers: dict[_Node, int] = dict.fromkeys(alive[0], 0)
        positions = [0]
        edges: dict[tuple[int, int, Tokens], None] = {}
        for number, block in enumerate(blocks):
            after_numbers: dict[_Node, int] = {}
            is_last = number == len(blocks) - 1
            for before, after, words in steps[number]:
                if before not in numbers or after not in alive[number + 1]:
                    continue
                if after not in after_numbers:
                    if not is_last or not after_numbers:
                        positions.append(len(self.tokens) if is_last else block.end)
                    after_numbers[after] = len(positions) - 1
                edges[numbers[before], after_numbers[after], words] = None
            numbers = after_numbers
        in_order = sorted(edges, key=itemgetter(0))
        return ReferenceLattice(tuple(positions), tuple(in_order), self.is_complete)


def _blocks(n_tokens: int, corrections: Iterable[Correction]) -> list[_Block]:
    """Split the source at positions that no correction crosses.

    Insertions at such a position have their own block without tokens; corrections that begin at
    or past the end of the sentence are in the last block.
    """
    is_cut = [True] * (n_tokens + 1)
    for start, end, _ in corrections:
        if end - start > 1:
            last = min(end, n_tokens + 1)
            is_cut[start + 1 : last] = [False] * max(0, last - start - 1)
    cuts = [at for at in range(n_tokens + 1) if is_cut[at]]
    cut_before = list(accumulate((at * is_cut[at] for at in range(n_tokens + 1)), max))
    insertions: dict[int, set[Correction]] = {}
    others: dict[int, set[Correction]] = {}
    for item in corrections:
        cut = cut_before[min(item.start, n_tokens)]
        is_insertion = item.start == item.end == cut < n_tokens
        (insertions if is_insertion else others).setdefault(cut, set()).add(item)
    blocks: list[_Block] = []
    for cut, end in zip(cuts, [*cuts[1:], n_tokens], strict=True):
        if cut in insertions:
            blocks.append(_Block(cut, cut, insertions[cut]))
        if cut in others:
            blocks.append(_Block(cut, end, others[cut]))
        elif cut < end and blocks and not blocks[-1].corrections:
            blocks[-1].end = end
        elif cut < end:
            blocks.append(_Block(cut, end, set()))
    return blocks


def _can_vanish(blocks: Sequence[_Block]) -> bool:
    """Whether some combination may delete the whole sentence.

    It may not if a block without deletions keeps a token, unless overlapping corrections replace
    tokens of later blocks.
    """
    return all(
        any(not item.words for item in block.corrections) for block in blocks if block.has_tokens
    ) or any(_overlap(block.corrections) for block in blocks)


def _first_with_tokens(blocks: Sequence[_Block]) -> int:
    return next((number for number, block in enumerate(blocks) if block.has_tokens), len(blocks))


def _overlap(corrections: Iterable[Correction]) -> bool:
    """Whether two corrections of a block overlap."""
    reached = -1
    for item in sorted(corrections):
        if item.start < reached:
            return True
        reached = max(reached, item.end)
    return False
