"""Lattices and chains."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from geceval.errors import GecevalError
from geceval.metaeval.maege.chains import (
    Chain,
    check_source,
    generator,
    sample_chains,
    sample_orders,
)
from geceval.metaeval.maege.lattice import AnnotationLattice, spanning_edits
from geceval.model import Edit, Sentence, apply_edits
from oracles.maege import corrected, subsets


@st.composite
def lattices(draw: st.DrawFn) -> AnnotationLattice:
    tokens = draw(sts.phrases(sts.words(), min_size=1))
    edits = spanning_edits(tokens, draw(sts.apart_edits(tokens)))
    return AnnotationLattice(tokens, edits)


@given(lattices())
def test_lattice_order_is_inclusion(lattice: AnnotationLattice) -> None:
    """The original is the bottom, the full correction the top, and one edit makes one step."""
    elements = subsets(len(lattice))
    bottom, top = frozenset[int](), frozenset(range(len(lattice)))
    for x in elements:
        assert lattice.correction(x) == corrected(lattice.tokens, lattice.edits, x)
        assert bottom <= x <= top
        assert not x < x
        for y in elements:
            assert (x < y) == (all(number in y for number in x) and len(x) < len(y))
    assert lattice.correction(bottom) == lattice.tokens
    assert lattice.correction(top) == apply_edits(lattice.tokens, lattice.edits)


@given(st.data(), sts.phrases(sts.words(), min_size=1))
def test_spanning_edits_never_intersect(data: st.DataObject, tokens: tuple[str, ...]) -> None:
    """Whatever the edits, those that span a lattice are apart, and give the same correction."""
    edits = data.draw(st.lists(sts.edits(tokens, sts.words()), max_size=6))
    lost: Counter[str] = Counter()
    spanning = spanning_edits(tokens, edits, lost)
    for number, edit in enumerate(spanning):
        assert edit.corrects
        assert tokens[edit.start : edit.end] != edit.correction
        assert not any(edit.overlaps(other) for other in spanning[number + 1 :])
    assert apply_edits(tokens, spanning) == apply_edits(tokens, edits)
    flags = [edit for edit in edits if not edit.corrects]
    assert lost["flags"] == len(flags)
    merged = lost["intersecting"] - lost["merged"]
    assert len(spanning) == len(edits) - len(flags) - merged - lost["no-change"]


def test_spanning_edits_merge_and_count() -> None:
    tokens = ("a", "b", "c", "d", "e")
    edits = [
        Edit(3, 4, ((),), "D"),
        Edit(0, 2, (("x", "y"),), "A"),
        Edit(1, 3, (("z",),), "B"),
        Edit(2, 3, (("z",),), "A"),
        Edit(4, 5, (("e",), ("f",)), "same"),
        Edit(4, 5, (), "flag"),
        Edit(5, 6, (("g",),), "past"),
    ]
    lost: Counter[str] = Counter()
    assert spanning_edits(tokens, edits, lost) == (
        Edit(0, 3, (("x", "y", "z"),), "A+B"),
        Edit(3, 4, ((),), "D"),
    )
    assert +lost == Counter(
        {
            "intersecting": 3,
            "merged": 1,
            "flags": 1,
            "past-the-end": 1,
            "no-change": 1,
            "alternatives": 1,
        }
    )


def test_spanning_edits_keep_insertions_at_one_place_apart() -> None:
    edits = (Edit(1, 1, (("who",),)), Edit(1, 1, (("has",),)), Edit(1, 2, (("seen",),)))
    assert spanning_edits(("one", "saw"), edits) == edits


@given(st.integers(0, 6), st.integers(1, 30), st.integers(0, 5))
def test_orders_are_different_permutations(n_edits: int, n_chains: int, seed: int) -> None:
    orders = sample_orders(np.random.default_rng(seed), n_edits, n_chains)
    assert len(set(orders)) == len(orders) == min(n_chains, math.factorial(n_edits))
    assert set(orders) <= set(permutations(range(n_edits)))


def test_orders_are_uniform() -> None:
    """Of six orders, each is drawn about as often."""
    rng = np.random.default_rng(3)
    counts = Counter(sample_orders(rng, 3, 1)[0] for _ in range(6000))
    assert len(counts) == 6
    assert all(850 < count < 1150 for count in counts.values())


@given(lattices(), st.integers(1, 4), st.integers(0, 9))
def test_chains_rise_edit_by_edit(lattice: AnnotationLattice, n_chains: int, seed: int) -> None:
    drawn = sample_chains((lattice,), sentence=4, seed=seed, n_chains=n_chains, source="random")
    for chain in drawn:
        texts = list(chain.elements())
        assert len(texts) == len(chain) == len(lattice) + 1
        assert texts[0] == lattice.tokens
        assert texts[-1] == apply_edits(lattice.tokens, lattice.edits)
        assert 0 <= chain.source < len(chain)
        steps = [frozenset(chain.order[:size]) for size in range(len(chain))]
        assert all(lower < upper for lower, upper in pairwise(steps))
        assert chain.types == [lattice.edits[number].type for number in chain.order]
    assert drawn == sample_chains(
        (lattice,), sentence=4, seed=seed, n_chains=n_chains, source="random"
    )


def test_chains_with_the_original_as_source_are_the_same_chains() -> None:
    edits = tuple(Edit(place, place + 1, (("x",),)) for place in range(4))
    lattice = AnnotationLattice(("a", "b", "c", "d"), edits)
    for seed in range(5):
        some = sample_chains((lattice,), sentence=0, seed=seed, n_chains=3, source="random")
        others = sample_chains((lattice,), sentence=0, seed=seed, n_chains=3, source="original")
        assert [chain.order for chain in some] == [chain.order for chain in others]
        assert others == [Chain(lattice, chain.order, 0) for chain in some]


def test_generators_differ_by_seed_level_and_sentence() -> None:
    draws = {
        (seed, level, sentence): generator(seed, level, sentence).integers(2**62)
        for seed in range(3)
        for level in ("corpus", "corpus source", "chains", "chain source")
        for sentence in range(3)
    }
    assert len(set(draws.values())) == len(draws)


def test_source_of_another_kind_is_refused() -> None:
    with pytest.raises(GecevalError, match="random"):
        check_source("randm")


def test_lattice_of_a_sentence_without_edits() -> None:
    lattice = AnnotationLattice(Sentence(("a",)).tokens, ())
    assert sample_chains((lattice,), sentence=0, seed=0, n_chains=2, source="random") == [
        Chain(lattice, (), 0)
    ]


def test_insertions_at_one_place_are_as_annotated_or_as_applied() -> None:
    edits = (Edit(1, 1, ((".",),)), Edit(1, 1, (("It",),)), Edit(1, 2, (("is",),)))
    for insertions, expected in (("annotated", ". It"), ("applied", "It .")):
        lattice = AnnotationLattice(("a", "be"), edits, insertions=insertions)  # type: ignore[arg-type]
        assert " ".join(lattice.correction((2, 1, 0))) == f"a {expected} is"
        assert lattice.correction(()) == ("a", "be")


def test_every_edit_may_be_used() -> None:
    """A detection has its text or deletes its span; an insertion of nothing stays."""
    tokens = ("a", "b", "c")
    edits = (Edit(0, 1, ((),), "Um"), Edit(1, 1, (), "Mec"), Edit(1, 2, (("B",),), "Um"))
    lost: Counter[str] = Counter()
    assert spanning_edits(tokens, edits, lost) == ()
    assert lost["flags"] == 3
    every = spanning_edits(tokens, edits, every=True)
    assert every == edits
    lattice = AnnotationLattice(tokens, every)
    assert lattice.correction((0, 1, 2)) == ("B", "c")
    assert lattice.correction((1,)) == tokens
