"""Chains through a lattice: from the original to the full correction, one edit after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator

from geceval.errors import UnknownNameError
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.model import Tokens

Order: TypeAlias = tuple[int, ...]
"""Numbers of the edits of a lattice, in the order in which they are applied."""

Source: TypeAlias = Literal["random", "original"]
"""Where sources come from, sampled from the lattices, or the original sentences."""

LEVELS = ("corpus", "corpus source", "chains", "chain source")
"""What is drawn; each draws from generators of its own."""


def generator(seed: int, level: str, sentence: int) -> Generator:
    """Return the generator of one sentence, which depends on nothing but the arguments.

    So results do not depend on what else is drawn, or by how many workers.

    Examples
    --------
    >>> generator(7, "chains", 3).integers(100) == generator(7, "chains", 3).integers(100)
    np.True_
    """
    key = (LEVELS.index(level), sentence)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def check_source(source: str) -> None:
    """Refuse a kind of source that there is not."""
    if source not in get_args(Source):
        raise UnknownNameError("kind of source", source, get_args(Source))


@dataclass(frozen=True, slots=True)
class Chain:
    """Corrections of one sentence, each with one edit more than the one before.

    Parameters
    ----------
    lattice
        What it leads through.
    order
        In which order edits are applied.
    source
        Number of the element that serves as source.

    Examples
    --------
    >>> from geceval.model import Edit
    >>> lattice = AnnotationLattice(("a", "b"), (Edit(0, 1, (("A",),)), Edit(1, 2, (("B",),))))
    >>> [" ".join(element) for element in Chain(lattice, (1, 0), 0).elements()]
    ['a b', 'a B', 'A B']
    """

    lattice: AnnotationLattice
    order: Order
    source: int

    def __len__(self) -> int:
        return len(self.order) + 1

    def elements(self) -> Iterator[Tokens]:
        """Yield the corrections from the original to the top."""
        for size in range(len(self)):
            yield self.lattice.correction(self.order[:size])

    @property
    def types(self) -> list[str]:
        """The type of the edit by which each element differs from the one before it."""
        return [self.lattice.edits[number].type for number in self.order]


def draw_orders(rng: Generator, n_edits: int, n_chains: int) -> list[Order]:
    """Draw orders of edits without repetition; all there are where they do not suffice.

    Examples
    --------
    >>> sorted(draw_orders(np.random.default_rng(0), 2, 5))
    [(0, 1), (1, 0)]
    """
    if math.factorial(n_edits) <= n_chains:
        return list(permutations(range(n_edits)))
    orders: dict[Order, None] = {}
    while len(orders) < n_chains:
        orders[tuple(rng.permutation(n_edits).tolist())] = None
    return list(orders)


def draw_chains(
    lattices: tuple[AnnotationLattice, ...],
    *,
    sentence: int,
    seed: int,
    n_chains: int,
    source: Source,
) -> list[Chain]:
    """Draw chains through the lattices of a sentence, and a source from each.

    Parameters
    ----------
    lattices
        Those of all annotators.
    sentence
        Number of the sentence in its corpus.
    seed
        Same seed, same chains; whatever the source.
    n_chains
        How many for each lattice.
    source
        Whether any element of the chain, or always the original, is the source.
    """
    order_rng = generator(seed, "chains", sentence)
    source_rng = generator(seed, "chain source", sentence)
    return [
        Chain(lattice, order, int(source_rng.integers(len(order) + 1)) if source == "random" else 0)
        for lattice in lattices
        for order in draw_orders(order_rng, len(lattice), n_chains)
    ]
