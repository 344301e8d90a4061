"""References: every way to correct a sentence that its annotators allow, mixed or one by one.

Errors are independent, so each combination of one alternative per error is a reference. There
may be more of them than could ever be listed; they are kept as the paths of a lattice.

A combination in which two errors correct the identical span does not exist. Corrections that
merely overlap are all applied, from the last token to the first: one that reaches into text
that was already rewritten takes as many tokens of it as its span is long. A correction that
would leave nothing of the sentence is not applied.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from geceval.model import Edit, Sentence, Tokens
from geceval.references.groups import Error, errors_of

DEFAULT_LIMIT = 100_000
"""How many combinations of neighboring corrections a lattice looks at in one place."""

DEFAULT_STEPS = 1_000_000_000
"""How many steps a lattice may take, each of about a nanosecond."""

_STEPS_OF_WAY, _STEPS_OF_TOKEN = 5000, 50
"""What a combination takes, and each token of the place where it is applied."""


class Correction(NamedTuple):
    """New words for a span of the source."""

    start: int
    end: int
    words: Tokens


Alternative: TypeAlias = tuple[Correction, ...]
"""Corrections that belong together; none at all where an error is left alone."""


@dataclass(frozen=True, slots=True)
class Lattice:
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
    >>> Lattice((0, 1, 2), ((0, 1, ("a",)), (0, 1, ("the",)), (1, 2, ("cat",)))).count()
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


def mixed_references(
    sent: Sentence, *, limit: int = DEFAULT_LIMIT, most_steps: int = DEFAULT_STEPS
) -> Lattice:
    """Return every reference that mixes the corrections of all annotators.

    Where no combination exists, because required errors share a span, the annotators'
    own references are all there is.

    Parameters
    ----------
    sent
        The sentence.
    limit
        How many combinations of neighboring corrections are looked at in one place.
    most_steps
        How many steps all places together may take. Where combinations were left out because
        of either limit, the lattice is not complete.

    Examples
    --------
    >>> from geceval import Annotation, Edit, Sentence
    >>> these, is_ = Edit(0, 1, (("These",),)), Edit(2, 3, (("are",),))
    >>> first, second = Annotation("0", (these,)), Annotation("1", (these, is_))
    >>> sent = Sentence(("This", "cats", "is", "old"), (first, second))
    >>> [" ".join(words) for words in mixed_references(sent)]
    ['These cats is old', 'These cats are old']
    """
    choices = [alternatives(error, sent.tokens) for error in errors_of(sent)]
    chain = _chain(sent.tokens, choices)
    if chain is not None:
        return chain
    builder = _LatticeBuilder(sent.tokens, choices, limit, most_steps)
    found = builder.lattice()
    if found is None:
        found = _parallel(sent.tokens, own_references(sent).values())
        found = replace(found, is_complete=builder.is_complete)
    return replace(found, n_steps=min(most_steps, most_steps - builder.steps_left))


def own_references(sent: Sentence) -> dict[str, Tokens]:
    """Return each annotator's own reference; the source where nobody annotated the sentence."""
    corrections: dict[str, list[Correction]] = {ann.annotator: [] for ann in sent.annotations}
    for error in errors_of(sent):
        for annotator, edits in error.alternatives.items():
            corrections[annotator] += _joined(edits, sent.tokens)
    if not corrections:
        return {"source": sent.tokens}
    return {
        annotator: _apply(sent.tokens, 0, mine, keeps_last=True).words
        for annotator, mine in corrections.items()
    }


def count_combinations(errors: Iterable[Error], tokens: Tokens) -> int:
    """Count the combinations of one alternative per error, whether they fit together or not."""
    return math.prod(len(alternatives(error, tokens)) for error in errors)


def alternatives(error: Error, tokens: Tokens) -> list[Alternative]:
    """Return the different ways to correct an error, leaving it alone first where allowed."""
    ways = [_joined(edits, tokens) for edits in error.alternatives.values()]
    return list(dict.fromkeys(ways if error.required else [(), *ways]))


def _joined(edits: Sequence[Edit], tokens: Tokens) -> Alternative:
    """Return edits as corrections, sorted; those with the same span are joined in their order."""
    if len(edits) == 1:
        return (_correction(edits[0], tokens),)
    words: dict[tuple[int, int], Tokens] = {}
    for edit in edits:
        start, end, new = _correction(edit, tokens)
        words[start, end] = words.get((start, end), ()) + new
    return tuple(sorted(Correction(*span, new) for span, new in words.items()))


def _correction(edit: Edit, tokens: Tokens) -> Correction:
    """Return the first correction of an edit.

    A flag says nothing about the text, yet it holds its span against other errors.
    """
    new = edit.corrections[0] if edit.corrections else tokens[edit.start : edit.end]
    return Correction(edit.start, edit.end, new)


class _Applied(NamedTuple):
    """A piece of text after its corrections.

    `eaten` counts the tokens that they take from the text to the right, `was_bare` says
    whether nothing was left in between.
    """

    words: Tokens
    eaten: int
    was_bare: bool


def _apply(
    tokens: Sequence[str], start: int, corrections: Sequence[Correction], *, keeps_last: bool
) -> _Applied:
    """Correct the text that begins at `start`, from its last token to its first."""
    words = list(tokens)
    eaten = 0
    was_bare = False
    if len(corrections) > 1:
        corrections = sorted(corrections, key=itemgetter(0, 1), reverse=True)
    for item in corrections:
        before = words.copy() if keeps_last else words
        over = max(0, item.end - start - len(words))
        words[item.start - start : item.end - start] = item.words
        was_bare |= not words
        if keeps_last and not words:
            words = before
        else:
            eaten += over
    return _Applied(tuple(words), eaten, was_bare)


def _parallel(tokens: Tokens, references: Iterable[Tokens]) -> Lattice:
    """Return a lattice of whole references side by side."""
    edges = tuple((0, 1, words) for words in dict.fromkeys(references))
    return Lattice((0, len(tokens)), edges)


# Building the lattice.


def _chain(tokens: Tokens, choices: Iterable[list[Alternative]]) -> Lattice | None:
    """Return the lattice of errors that stand one after the other, which nearly all do.

    None where they are entangled, reach past the end, or leave no token untouched: then it
    takes the whole machinery.
    """
    spans = []
    for ways in choices:
        corrections = [item for way in ways for item in way]
        if corrections:
            start = min(item.start for item in corrections)
            spans.append((start, max(item.end for item in corrections), ways))
    spans.sort(key=itemgetter(0, 1))
    positions = [0]
    edges: dict[tuple[int, int, Tokens], None] = {}
    reached = n_touched = 0
    inserted = -1
    for start, end, ways in spans:
        inserts = {item.start for way in ways for item in way if item.start == item.end}
        if start < reached or end > len(tokens) or (start in inserts and start == inserted):
            return None
        if start > reached:
            edges[len(positions) - 1, len(positions), tokens[reached:start]] = None
            positions.append(start)
        local = tokens[start:end]
        for way in ways:
            words, eaten, _ = _apply(local, start, way, keeps_last=False)
            if eaten:
                return None
            edges[len(positions) - 1, len(positions), words] = None
        positions.append(end)
        reached = end
        n_touched += end - start
        inserted = end if end in inserts else -1
    if n_touched == len(tokens):
        return None
    if reached < len(tokens):
        edges[len(positions) - 1, len(positions), tokens[reached:]] = None
        positions.append(len(tokens))
    return Lattice(tuple(positions), tuple(edges))


@dataclass(slots=True)
class _Block:
    """A stretch of the source that no correction crosses, and what may happen in it."""

    start: int
    end: int
    corrections: set[Correction]

    @property
    def has_tokens(self) -> bool:
        return self.start < self.end


class _Node(NamedTuple):
    """What the text so far leaves to the blocks that follow.

    Parameters
    ----------
    pending
        Corrections in later blocks to which the chosen alternatives are bound.
    eaten
        Tokens of the following text that are already taken.
    claim
        What was assumed about the following text when the beginning was deleted: True,
        something must still come; False, nothing may come; None, no matter.
    """

    pending: Alternative
    eaten: int
    claim: bool | None


_Way: TypeAlias = tuple[Alternative, Alternative]
"""An alternative, divided: what it does in the block at hand and what in later ones."""


_Step: TypeAlias = tuple["_Node", "_Node", Tokens]
"""Two nodes and the words between them."""


class _Place(NamedTuple):
    """Where a block stands among those with tokens."""

    is_first: bool
    is_later: bool
    is_last: bool

    @property
    def is_only(self) -> bool:
        return self.is_last and not self.is_later


def _combined(opened: Sequence[list[_Way]]) -> Iterator[_Way]:
    """Yield every choice of one alternative for each of the errors that begin in a block."""
    if len(opened) == 1:
        yield from opened[0]
        return
    for ways in product(*opened):
        yield (
            tuple(item for now, _ in ways for item in now),
            tuple(item for _, later in ways for item in later),
        )


def _step(
    node: _Node, pending: Alternative, applied: _Applied, place: _Place, claim: bool | None
) -> Iterator[_Step]:
    """Yield the step with the text that a block got, unless it contradicts a claim."""
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
    """The first block is deleted and takes from the second: they must be one."""


class _LatticeBuilder:
    """Walks over the blocks of a sentence and keeps the different nodes between them."""

    def __init__(
        self, tokens: Tokens, choices: Sequence[list[Alternative]], limit: int, most_steps: int
    ) -> None:
        self.tokens = tokens
        self.choices = choices
        self.limit = limit
        self.steps_left = most_steps
        self.is_complete = True
        self.can_vanish = False

    def lattice(self) -> Lattice | None:
        """Return the lattice, or None where no combination exists."""
        corrections = {item for ways in self.choices for way in ways for item in way}
        if not corrections:
            return _parallel(self.tokens, [self.tokens])
        blocks = _blocks(len(self.tokens), corrections)
        while True:
            try:
                return self._build(blocks)
            except _Entangled:
                first = _first_with_tokens(blocks)
                left, right = blocks[first : first + 2]
                joined = _Block(left.start, right.end, left.corrections | right.corrections)
                blocks[first : first + 2] = [joined]

    def _build(self, blocks: list[_Block]) -> Lattice | None:
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
        """Return the errors that begin in each block, their alternatives divided there."""
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
        """Yield the ways through one block from each of the nodes before it."""
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
                applied = _apply(local, block.start, here, keeps_last=place.is_only)
                if not (place.is_first and applied.was_bare and self.can_vanish):
                    yield from _step(node, pending, applied, place, node.claim)
                    continue
                if applied.eaten and not place.is_last:
                    raise _Entangled
                yield from _step(node, pending, applied, place, claim=True)
                kept = _apply(local, block.start, here, keeps_last=True)
                yield from _step(node, pending, kept, place, claim=False)

    def _numbered(self, blocks: list[_Block], steps: list[dict[_Step, None]]) -> Lattice | None:
        """Number the nodes from which the end can be reached."""
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
        return Lattice(tuple(positions), tuple(in_order), self.is_complete)


def _blocks(n_tokens: int, corrections: Iterable[Correction]) -> list[_Block]:
    """Cut the source where no correction crosses.

    Insertions at a cut have a block without tokens to themselves; everything that begins
    at the end of the sentence or past it stands in the last block.
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

    Not if a block is bound to keep a token: one without a correction that writes nothing
    does, unless corrections overlap and take tokens of later blocks.
    """
    return all(
        any(not item.words for item in block.corrections) for block in blocks if block.has_tokens
    ) or any(_overlap(block.corrections) for block in blocks)


def _first_with_tokens(blocks: Sequence[_Block]) -> int:
    return next((number for number, block in enumerate(blocks) if block.has_tokens), len(blocks))


def _overlap(corrections: Iterable[Correction]) -> bool:
    """Whether two different corrections of a block can reach into each other."""
    reached = -1
    for item in sorted(corrections):
        if item.start < reached:
            return True
        reached = max(reached, item.end)
    return False


# Words, one by one, with paths that read the same taken together.

_Spot: TypeAlias = tuple[int, int]
"""An edge and how many of its words are read."""


class _Words:
    """The lattice as a deterministic automaton, made as far as it is looked at."""

    def __init__(self, lattice: Lattice) -> None:
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
