"""MAEGE's sentence level by brute force, straight from sections 4 and 6 of the paper.

Choshen and Abend (2018). Nothing is numbered, nothing is vectorized: edit sets are compared as
sets, pairs are listed one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from geceval.model import Edit, Tokens


class Element(NamedTuple):
    """A correction of a chain: which edits it has, and how it reads."""

    edits: frozenset[int]
    text: Tokens


class OracleChain(NamedTuple):
    """The elements of a chain, in any order, with what they are scored against."""

    sentence: int
    held_out: str
    source: Tokens
    elements: list[Element]


def corrected(tokens: Tokens, edits: Sequence[Edit], chosen: Iterable[int]) -> Tokens:
    """Write a sentence with some of its edits, from the last to the first."""
    words = list(tokens)
    for number in sorted(chosen, reverse=True):
        edit = edits[number]
        words[edit.start : edit.end] = edit.correction
    return tuple(words)


def subsets(n_edits: int) -> list[frozenset[int]]:
    """List every element of a lattice."""
    sizes = (combinations(range(n_edits), size) for size in range(n_edits + 1))
    return [frozenset(chosen) for chosen in chain.from_iterable(sizes)]


Scoring = Callable[[int, str, Tokens, Tokens], float]
"""Sentence, held-out reference, source and output give a score."""


def count(chains: Iterable[OracleChain], score: Scoring) -> tuple[int, int, int]:
    """Count unique comparable pairs, discordant ones, and ties."""
    seen = set()
    discordant = ties = 0
    for one in chains:
        for first in one.elements:
            for second in one.elements:
                key = one.sentence, one.held_out, one.source, first.text, second.text
                if not first.edits < second.edits or key in seen:
                    continue
                seen.add(key)
                lower = score(one.sentence, one.held_out, one.source, first.text)
                upper = score(one.sentence, one.held_out, one.source, second.text)
                discordant += lower > upper
                ties += lower == upper
    return len(seen), discordant, ties
