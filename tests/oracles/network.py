"""Encoder, tagger and arc-eager parser of a small spaCy pipeline, straight from their definition.

Each token by itself, in double precision, with nothing shared and nothing remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

WIDTH = 96
PIECES = 3
HIDDEN = 64
FEATURES = 8

SHIFT, REDUCE, LEFT, RIGHT, BREAK = range(5)

Array: TypeAlias = NDArray[np.float64]


class Decided(NamedTuple):
    """What was decided for a sentence, and by how much the closest decision was won."""

    tags: list[int]
    heads: list[int]
    transitions: list[int]
    margin: float


def decide(weights: Mapping[str, NDArray[Any]], vectors: NDArray[np.float32]) -> Decided:
    """Tag and parse a sentence, given the vectors of its words."""
    exact = {name: np.asarray(values, dtype=np.float64) for name, values in weights.items()}
    encoded = encode(exact, vectors)
    margins = [np.inf]
    tags = []
    for row in encoded:
        tag, margin = best(row @ exact["tagger"] + exact["tagger_bias"])
        tags.append(tag)
        margins.append(margin)
    heads, transitions, margin = parse(exact, encoded)
    return Decided(tags, heads, transitions, min([*margins, margin]))


def embed(weights: Mapping[str, NDArray[Any]], rows: NDArray[np.int32]) -> Array:
    """Add rows of tables for each feature of a word, and make one vector of all features."""
    exact = {name: np.asarray(values, dtype=np.float64) for name, values in weights.items()}
    features = exact["tables"][rows].sum(axis=2).reshape(len(rows), len(exact["weights"]))
    largest = (features @ exact["weights"] + exact["bias"]).reshape(-1, PIECES, WIDTH).max(axis=1)
    return normal(largest, exact["gain"], exact["shift"])


def normal(values: Array, gain: Array, shift: Array) -> Array:
    """Give each row a mean of 0 and a variance of 1, before gain and shift."""
    mean = values.mean(axis=1, keepdims=True)
    spread = np.sqrt(values.var(axis=1, keepdims=True) + 1e-8)
    result: Array = (values - mean) / spread * gain + shift
    return result


def best(scores: Sequence[float] | Array) -> tuple[int, float]:
    """Return the first of the best, and by how much it is better than the next."""
    winner = int(np.argmax(scores))
    others = [score for number, score in enumerate(scores) if number != winner]
    return winner, float(scores[winner] - max(others)) if others else np.inf


def encode(weights: Mapping[str, Array], vectors: NDArray[np.float32]) -> Array:
    """Apply all layers; beyond a sentence are zeros, which the layers see like words."""
    depth = len(weights["layers"])
    rows = np.zeros((len(vectors) + 2 * depth, WIDTH))
    rows[depth : depth + len(vectors)] = vectors
    for number in range(depth):
        left, middle, right = weights["layers"][number].reshape(WIDTH, 3, -1).transpose(1, 0, 2)
        padded = np.vstack([np.zeros(WIDTH), rows, np.zeros(WIDTH)])
        pieces = padded[:-2] @ left + padded[1:-1] @ middle + padded[2:] @ right
        largest = (pieces + weights["bias"][number]).reshape(-1, PIECES, WIDTH).max(axis=1)
        rows = rows + normal(largest, weights["gain"][number], weights["shift"][number])
    return rows[depth : depth + len(vectors)]


def parse(weights: Mapping[str, Array], encoded: Array) -> tuple[list[int], list[int], float]:
    """Parse greedily; return heads, the transitions that made them, and the smallest margin."""
    hidden = encoded @ weights["reducer"] + weights["reducer_bias"]
    features = (hidden @ weights["features"]).reshape(-1, FEATURES, 2, HIDDEN)
    padding = weights["padding"].reshape(FEATURES, 2, HIDDEN)
    kinds = weights["kinds"].astype(int).tolist()
    state = _State(len(encoded))
    margin = np.inf
    while state.stack or state.buffer:
        pieces = weights["hidden_bias"].reshape(2, HIDDEN).copy()
        for place, token in enumerate(state.shown()):
            pieces += padding[place] if token is None else features[token, place]
        scores = pieces.max(axis=0) @ weights["transitions"] + weights["transition_bias"]
        valid = state.valid()
        possible = [number for number, kind in enumerate(kinds) if kind in valid]
        winner, won_by = best([float(scores[number]) for number in possible])
        margin = min(margin, won_by)
        state.move(kinds[possible[winner]], possible[winner])
    heads = [token if head is None else head for token, head in enumerate(state.heads)]
    return heads, state.transitions, margin


class _State:
    """Stack and buffer, with the arcs found so far."""

    def __init__(self, size: int) -> None:
        self.stack: list[int] = []
        self.buffer = list(range(size))
        self.heads: list[int | None] = [None] * size
        self.transitions = [-1] * size
        # Children in the order in which they were found.
        self.left: list[list[int]] = [[] for _ in range(size)]
        self.right: list[list[int]] = [[] for _ in range(size)]
        self.starts: set[int] = set()
        self.returned: set[int] = set()

    def shown(self) -> list[int | None]:
        """Two tokens of the buffer, three of the stack, and the children found last."""
        first, second = [*self.buffer[:2], None, None][:2]
        top, below, third = [*self.stack[::-1][:3], None, None, None][:3]
        children = [
            self._last(self.left, first),
            self._last(self.left, top),
            self._last(self.right, top),
        ]
        return [first, second, top, below, third, *children]

    @staticmethod
    def _last(children: list[list[int]], token: int | None) -> int | None:
        return children[token][-1] if token is not None and children[token] else None

    def valid(self) -> set[int]:
        """Tell which kinds of transitions are possible."""
        valid = set()
        first, second = [*self.buffer[:2], None, None][:2]
        may_join = bool(self.stack) and first is not None and first not in self.starts
        if not self.stack or (may_join and second is not None and first not in self.returned):
            valid.add(SHIFT)
        if self.stack:
            valid.add(REDUCE)
        if may_join:
            valid |= {LEFT, RIGHT}
        if first is not None and second == first + 1 and second not in self.starts:
            valid.add(BREAK)
        return valid

    def move(self, kind: int, number: int) -> None:
        """Do a move."""
        if kind == SHIFT:
            self.stack.append(self.buffer.pop(0))
        elif kind == REDUCE:
            top = self.stack.pop()
            if self.heads[top] is None and self.stack:
                self.buffer.insert(0, top)
                self.returned.add(top)
        elif kind == LEFT:
            child, head = self.stack.pop(), self.buffer[0]
            old = self.heads[child]
            if old is not None and self.right[old][-1] == child:
                self.right[old].pop()
            self.heads[child], self.transitions[child] = head, number
            self.left[head].append(child)
            self.returned.discard(head)
        elif kind == RIGHT:
            head, child = self.stack[-1], self.buffer.pop(0)
            self.heads[child], self.transitions[child] = head, number
            self.right[head].append(child)
            self.stack.append(child)
        else:
            self.starts.add(self.buffer[1])
