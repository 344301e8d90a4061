"""References against the papers' examples, brute force and the CoNLL-2014 gold standards."""

from __future__ import annotations

import math
import warnings
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

import geceval
from geceval.model import Annotation, Edit, Sentence, Tokens
from geceval.references.corrections import alternatives, own_references
from geceval.references.groups import errors_of
from geceval.references.mixed import mixed_references
from oracles import imeasure as oracle

if TYPE_CHECKING:
    from pathlib import Path

Gold: TypeAlias = "list[tuple[bool, list[list[tuple[int, int, str]]]]]"
"""Errors: whether it is required, and the alternatives with their corrections."""


def sentence(text: str, gold: Gold) -> Sentence:
    """A sentence whose errors are named, each alternative by an annotator of its own."""
    readings: dict[str, list[Edit]] = {}
    for number, (required, ways) in enumerate(gold):
        for annotator, way in enumerate(ways):
            readings.setdefault(str(annotator), []).extend(
                Edit(start, end, (tuple(new.split()),), required=required, group=str(number))
                for start, end, new in way
            )
    annotations = tuple(Annotation(name, tuple(edits)) for name, edits in readings.items())
    return Sentence(tuple(text.split()), annotations)


def count_combinations(sent: Sentence) -> int:
    """Count the combinations of one alternative per error, including impossible ones."""
    return math.prod(len(alternatives(error, sent.tokens)) for error in errors_of(sent))


def mixed(text: str, gold: Gold) -> list[str]:
    return [" ".join(words) for words in mixed_references(sentence(text, gold))]


def expected(text: str, gold: Gold) -> set[Tokens]:
    """The references by brute force."""
    errors = [
        [
            *([] if required else [()]),
            *([(start, end, tuple(new.split())) for start, end, new in way] for way in ways),
        ]
        for required, ways in gold
    ]
    return oracle.references(text.split(), errors)


def test_references_listing_1() -> None:
    gold: Gold = [
        (True, [[(0, 1, "These"), (2, 3, "are")], [(1, 2, "machine")]]),
        (True, [[(5, 6, "helping")], [(4, 5, "to")]]),
    ]
    assert sorted(mixed("This machines is designed for help people .", gold)) == [
        "These machines are designed for helping people .",
        "These machines are designed to help people .",
        "This machine is designed for helping people .",
        "This machine is designed to help people .",
    ]


def test_references_optional_error_may_be_left_alone() -> None:
    assert mixed("a b c", [(False, [[(1, 2, "x")]])]) == ["a b c", "a x c"]


def test_references_equal_strings_count_once() -> None:
    gold: Gold = [(False, [[(0, 1, "x")], [(0, 2, "x b")]])]
    assert mixed("a b c", gold) == ["a b c", "x b c"]
    assert mixed_references(sentence("a b c", gold)).count() == 2


def test_references_one_span_in_two_errors_excludes_the_combination() -> None:
    gold: Gold = [(False, [[(1, 1, "x")]]), (False, [[(1, 1, "y")]])]
    assert sorted(mixed("a b", gold)) == ["a b", "a x b", "a y b"]


def test_references_one_span_in_one_alternative_is_joined() -> None:
    assert mixed("a b", [(True, [[(1, 1, "x"), (1, 1, "y")]])]) == ["a x y b"]


def test_references_insertion_stands_between_its_neighbors() -> None:
    gold: Gold = [(True, [[(0, 1, "x")]]), (True, [[(1, 1, "i")]]), (True, [[(1, 2, "y")]])]
    assert mixed("a b c", gold) == ["x i y c"]


def test_references_overlapping_errors_are_all_applied() -> None:
    gold: Gold = [(True, [[(0, 2, "x")]]), (True, [[(1, 3, "y z w")]])]
    assert mixed("a b c d", gold) == ["x z w d"]


def test_references_overlap_eats_following_text() -> None:
    gold: Gold = [(True, [[(0, 3, "x")]]), (True, [[(1, 3, "")]]), (False, [[(3, 4, "")]])]
    assert set(mixed("a b c d e f", gold)) == {"x f", "x"}


def test_references_choice_reaches_over_other_errors() -> None:
    gold: Gold = [(True, [[(0, 1, "x"), (3, 4, "x")], [(0, 1, "y")]]), (False, [[(2, 2, "i")]])]
    assert sorted(mixed("a b c d", gold)) == ["x b c x", "x b i c x", "y b c d", "y b i c d"]


@pytest.mark.parametrize(
    ("text", "gold", "references"),
    [
        ("a", [(True, [[(0, 1, "")]])], {"a"}),
        ("a b", [(True, [[(0, 1, "")]]), (True, [[(1, 2, "")]])], {"a"}),
        ("a b", [(True, [[(0, 1, "")]]), (False, [[(1, 2, "")]])], {"a", "b"}),
        ("a b", [(True, [[(0, 2, "")]]), (True, [[(0, 0, "x")]])], {"x a b"}),
        ("a b", [(True, [[(0, 2, "")]]), (True, [[(0, 1, "")]])], {"b"}),
    ],
)
def test_references_last_text_is_not_deleted(text: str, gold: Gold, references: set[str]) -> None:
    assert set(mixed(text, gold)) == references


def test_references_past_the_end_are_appended() -> None:
    gold: Gold = [(True, [[(5, 5, "x")]]), (True, [[(7, 9, "y")]])]
    assert mixed("a b", gold) == ["a b y x"]


def test_references_empty_source() -> None:
    assert mixed("", [(False, [[(0, 0, "x")]])]) == ["", "x"]
    assert mixed("", [(True, [[(0, 2, "x")]]), (True, [[(0, 1, "")]])]) == ["x"]


def test_references_without_a_combination_are_the_annotators_own() -> None:
    gold: Gold = [(True, [[(0, 1, "x")]]), (True, [[(0, 1, "y"), (1, 2, "z")]])]
    sent = sentence("a b", gold)
    assert list(mixed_references(sent)) == list(own_references(sent).values())


def test_references_many_are_counted_exactly() -> None:
    text = " ".join("abc" * 140)
    gold: Gold = [(False, [[(3 * number, 3 * number + 1, "x")]]) for number in range(140)]
    lattice = mixed_references(sentence(text, gold))
    assert lattice.count() == 2**140
    assert lattice.is_complete
    assert len(set(islice(lattice, 100))) == 100


def test_references_limit_leaves_real_references() -> None:
    text = "a b c d e f g h"
    gold: Gold = [
        (False, [[(0, 1, f"x{number}"), (number, number + 1, "y")]]) for number in range(1, 7)
    ]
    whole = mixed_references(sentence(text, gold))
    some = mixed_references(sentence(text, gold), limit=4)
    assert whole.is_complete
    assert not some.is_complete
    assert set() < set(some) < set(whole)


def test_references_own() -> None:
    first = Annotation("0", (Edit(0, 1, (("x",), ("z",))), Edit(1, 1, (("i",),)), Edit(1, 2, ())))
    sent = Sentence(("a", "b"), (first, Annotation("1")))
    assert own_references(sent) == {"0": ("x", "i", "b"), "1": ("a", "b")}


def test_references_own_of_an_unannotated_sentence_is_the_source() -> None:
    sent = Sentence(("a", "b"))
    assert own_references(sent) == {"source": ("a", "b")}
    assert list(mixed_references(sent)) == [("a", "b")]


def test_references_combinations_count_alternatives() -> None:
    gold: Gold = [(False, [[(0, 1, "x")], [(0, 1, "y")], [(0, 1, "x")]]), (True, [[(1, 2, "z")]])]
    sent = sentence("a b", gold)
    assert count_combinations(sent) == 3


# Brute force.


@st.composite
def golds(draw: st.DrawFn) -> tuple[str, Gold]:
    """Errors that interleave, overlap, share spans, delete everything, or lie past the end."""
    letters = st.sampled_from("abc"[: draw(st.integers(1, 3))])
    text = draw(st.lists(letters, max_size=6))
    size = len(text)

    @st.composite
    def corrections(draw: st.DrawFn) -> tuple[int, int, str]:
        start = draw(st.integers(0, size))
        end = min(size, start + draw(st.integers(0, 3)))
        if draw(st.integers(0, 9)) == 0:
            start, end = start + draw(st.integers(0, 2)), max(start, end) + 2
        elif draw(st.integers(0, 9)) == 0:
            start, end = 0, size
        return start, end, " ".join(draw(st.lists(letters, max_size=2)))

    ways = st.lists(corrections(), min_size=1, max_size=2)
    error = st.tuples(st.booleans(), st.lists(ways, min_size=1, max_size=3))
    return " ".join(text), draw(st.lists(error, max_size=4))


@given(golds())
def test_references_equal_brute_force(case: tuple[str, Gold]) -> None:
    text, gold = case
    brute = expected(text, gold)
    lattice = mixed_references(sentence(text, gold))
    found = list(lattice)
    assert len(found) == len(set(found)) == lattice.count()
    if brute:
        assert set(found) == brute


# CoNLL-2014.


@pytest.mark.parametrize(
    ("name", "most", "n_over_2000"),
    [
        ("official-2014.combined", 17179869184, 8),
        ("bryant-ng-10", 1290629436542482941546887159641465159680000, 420),
        ("all-16", 1290629436542482941546887159641465159680000, 582),
    ],
)
def test_references_conll_combinations(
    shared_data: Path, name: str, most: int, n_over_2000: int
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", geceval.GecevalWarning)
        corpus = geceval.load(shared_data / "conll14" / "gold" / f"{name}.ieval.xml")
    counts = [count_combinations(sent) for sent in corpus]
    assert max(counts) == most
    assert sum(count > 2000 for count in counts) == n_over_2000
    lattices = [mixed_references(sent) for sent in corpus]
    assert all(lattice.is_complete for lattice in lattices)
    assert all(lattice.count() <= count for lattice, count in zip(lattices, counts, strict=True))
