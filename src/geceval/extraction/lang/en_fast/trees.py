"""Crossing arcs, which the parser encodes in its labels."""

from __future__ import annotations

from collections.abc import Sequence

MARK = "||"
"""Separates the label proper from the label of the true head."""


def reattach(heads: list[int], labels: list[str], is_space: Sequence[bool]) -> None:
    """Reattach tokens with a label ``X||Y`` to their true heads, in place.

    The true head is the first token with the label ``Y`` among the descendants of the parser's
    head, in breadth-first order from left to right; without one, the head is unchanged. White
    space is never a head.

    Parameters
    ----------
    heads, labels
        Of all tokens of a sentence.
    is_space
        Which tokens are white space.
    """
    # Later searches also use the spans of the original tree.
    spans = _spans(heads)
    for token, label in enumerate(labels):
        if MARK in label:
            proper, _, wanted = label.partition(MARK)
            heads[token] = _find(token, wanted, heads, labels, is_space, spans)
            labels[token] = proper


def _find(
    token: int,
    wanted: str,
    heads: Sequence[int],
    labels: Sequence[str],
    is_space: Sequence[bool],
    spans: Sequence[range],
) -> int:
    generation = [heads[token]]
    while generation:
        children = [
            child
            for head in generation
            for child in spans[head]
            if heads[child] == head != child and child != token and not is_space[child]
        ]
        for child in children:
            if labels[child] == wanted:
                return child
        generation = children
    return heads[token]


def _spans(heads: Sequence[int]) -> list[range]:
    """Return the span of each token's descendants, in a tree without crossing arcs."""
    first, last = list(range(len(heads))), list(range(len(heads)))
    for token, head in enumerate(heads):
        first[head] = min(first[head], first[token])
    for token in reversed(range(len(heads))):
        last[heads[token]] = max(last[heads[token]], last[token])
    return [range(start, end + 1) for start, end in zip(first, last, strict=True)]
