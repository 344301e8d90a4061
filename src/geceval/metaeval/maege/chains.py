"""Chains through a lattice, from the original to the full correction, one edit at a time."""

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
"""Indices of the edits of a lattice, in the order of application."""

Source: TypeAlias = Literal["random", "original"]
"""Whether sources are sampled from the lattices, or are the original sentences."""

LEVELS = ("corpus", "corpus source", "chains", "chain source")
"""What is sampled; each has random generators of its own."""


def generator(seed: int, level: str, sentence: int) -> Generator:
    """Return the random generator of one sentence, which depends only on the arguments.

    Results are therefore independent of other samples and of the number of workers.

    Examples
    --------
    >>> generator(7, "chains", 3).integers(100) == generator(7, "chains", 3).integers(100)
    np.True_
    """
    key = (LEVELS.index(level), sentence)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def check_source(source: str) -> None:
    """Validate the kind of source."""
    if source not in get_args(Source):
        raise UnknownNameError("kind of source", source, get_args(Source))


@dataclass(frozen=True, slots=True)
class Chain:
    """Corrections of one sentence, each with one more edit than the previous one.

    Parameters
    ----------
    lattice
        The lattice.
    order
        The order in which edits are applied.
    source
        Index of the element that serves as source.

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
        """Yield the corrections, from the original to the full correction."""
        for size in range(len(self)):
            yield self.lattice.correction(self.order[:size])

    @property
    def types(self) -> list[str]:
        """Types of the edits, in the order of application."""
        return [self.lattice.edits[number].type for number in self.order]


def sample_orders(rng: Generator, n_edits: int, n_chains: int) -> list[Order]:
    """Sample orders of edits without replacement, at most all of them.

    Examples
    --------
    >>> sorted(sample_orders(np.random.default_rng(0), 2, 5))
    [(0, 1), (1, 0)]
    """
    if math.factorial(n_edits) <= n_chains:
        return list(permutations(range(n_edits)))
    orders: dict[Order, None] = {}
    while len(orders) < n_chains:
        orders[tuple(rng.permutation(n_edits).tolist())] = None
    return list(orders)


def sample_chains(
    lattices: tuple[AnnotationLattice, ...],
    *,
    sentence: int,
    seed: int,
    n_chains: int,
    source: Source,
) -> list[Chain]:
    """Sample chains through the lattices of a sentence, and the source of each.

    Parameters
    ----------
    lattices
        Lattices of all annotators.
    sentence
        Index of the sentence in its corpus.
    seed
        Random seed; the chains do not depend on `source`.
    n_chains
        Number of chains for each lattice.
    source
        Whether the source is a random element of the chain, or the original.
    """
    order_rng = generator(seed, "chains", sentence)
    source_rng = generator(seed, "chain source", sentence)
    return [
        Chain(lattice, order, int(source_rng.integers(len(order) + 1)) if source == "random" else 0)
        for lattice in lattices
        for order in sample_orders(order_rng, len(lattice), n_chains)
    ]
