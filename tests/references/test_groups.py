"""Errors: edits of all annotators taken together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers, lists, tuples

import geceval
from geceval.formats import Findings
from geceval.model import Annotation, Edit, Sentence
from geceval.references.groups import Error, errors_of
from strategies import sentences

ABCDE = ("a", "b", "c", "d", "e")


def edit(start: int, end: int, new: str, kind: str = "T", group: str = "") -> Edit:
    return Edit(start, end, (tuple(new.split()),), kind, group=group)


def sentence(*readings: tuple[Edit, ...]) -> Sentence:
    return Sentence(ABCDE, tuple(Annotation(str(i), edits) for i, edits in enumerate(readings)))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0, 2), (1, 3), True),
        ((1, 2), (1, 2), True),
        ((1, 1), (1, 1), True),
        ((0, 2), (1, 1), True),
        ((0, 2), (2, 3), False),
        ((0, 2), (2, 2), False),
        ((0, 2), (0, 0), False),
    ],
)
def test_clusters_touches(first: tuple[int, int], second: tuple[int, int], expected: bool) -> None:
    for one, two in ((first, second), (second, first)):
        errors = errors_of(sentence((Edit(*one, ()),), (Edit(*two, ()),)))
        assert len(errors) == (1 if expected else 2)


def test_clusters_of_one_place_hold_everybodys_edits() -> None:
    one, two, other = edit(0, 2, "x"), edit(1, 2, "y", "U"), edit(4, 5, "z", "V")
    assert errors_of(sentence((one, other), (two,))) == [
        Error(required=True, type="T", alternatives={"0": (one,), "1": (two,)}),
        Error(required=False, type="V", alternatives={"0": (other,)}),
    ]


def test_clusters_stand_in_order_of_place() -> None:
    late, early = edit(4, 5, "x"), edit(0, 0, "y")
    errors = errors_of(sentence((late, early)))
    assert [error.alternatives["0"] for error in errors] == [(early,), (late,)]


def test_clusters_do_not_join_neighbors() -> None:
    errors = errors_of(sentence((edit(0, 1, "x"), edit(1, 1, "y"), edit(1, 2, "z"))))
    assert len(errors) == 3


def test_clusters_grow_from_the_longest_span() -> None:
    long, left, right = edit(0, 4, "x"), edit(0, 1, "y"), edit(3, 5, "z")
    assert errors_of(sentence((left, right), (long,))) == [
        Error(required=True, type="T", alternatives={"0": (left, right), "1": (long,)})
    ]


def test_clusters_keep_the_order_of_edits_that_annotators_share() -> None:
    """Readers use one object for equal edits; that must not move an edit behind another."""
    shared, alone = edit(0, 2, "x"), edit(1, 2, "y", "U")
    assert errors_of(sentence((shared, alone), (shared,))) == [
        Error(required=True, type="T", alternatives={"0": (shared, alone), "1": (shared,)})
    ]


def test_clusters_are_optional_when_somebody_is_content() -> None:
    assert [error.required for error in errors_of(sentence((edit(0, 1, "x"),), ()))] == [False]


def test_clusters_named_by_the_file_stay() -> None:
    one, two, three = (
        edit(4, 5, "x", "T", "10"),
        edit(0, 1, "y", "U", "2"),
        edit(0, 1, "z", "U", "2"),
    )
    assert errors_of(sentence((one, two), (three,))) == [
        Error(required=True, type="U", alternatives={"0": (two,), "1": (three,)}),
        Error(required=True, type="T", alternatives={"0": (one,)}),
    ]


def test_clusters_of_nothing() -> None:
    assert errors_of(sentence((), ())) == errors_of(Sentence(ABCDE)) == []


@settings(max_examples=50)
@given(sentences())
def test_clusters_lose_no_edit(sent: Sentence) -> None:
    errors = errors_of(sent)
    for ann in sent.annotations:
        found = [edit for error in errors for edit in error.alternatives.get(ann.annotator, ())]
        assert sorted(map(repr, found)) == sorted(map(repr, ann.edits))


def _spans(sent: Sentence) -> list[tuple[bool, dict[str, list[tuple[int, int]]]]]:
    return [
        (
            error.required,
            {
                name: sorted((edit.start, edit.end) for edit in edits)
                for name, edits in sorted(error.alternatives.items())
            },
        )
        for error in errors_of(sent)
    ]


@pytest.mark.parametrize("name", ["official-2014.combined", "bryant-ng-10", "all-16"])
def test_clusters_of_m2_are_those_of_the_official_xml(shared_data: Path, name: str) -> None:
    gold = shared_data / "conll14" / "gold"
    ours = geceval.load(gold / f"{name}.m2", findings=Findings())
    theirs = geceval.load(gold / f"{name}.ieval.xml", findings=Findings())
    differing = [
        number
        for number, (one, two) in enumerate(zip(ours, theirs, strict=True))
        if _spans(one) != _spans(two)
    ]
    assert differing == []


def touch(one: Edit, other: Edit) -> bool:
    if (one.start, one.end) == (other.start, other.end):
        return True
    return one.start < other.end and other.start < one.end


def grouped_one_by_one(edits: Sequence[Edit]) -> list[list[int]]:
    """Group edits as the definition says it, with every pair compared."""
    groups: list[list[int]] = []
    for number in sorted(range(len(edits)), key=lambda i: edits[i].start - edits[i].end):
        for group in groups:
            if any(touch(edits[number], edits[other]) for other in group):
                group.append(number)
                break
        else:
            groups.append([number])
    return groups


@given(lists(tuples(integers(0, 9), integers(0, 4)), max_size=14))
def test_clusters_are_those_of_the_definition(spans: list[tuple[int, int]]) -> None:
    edits = [
        Edit(start, start + size, (), str(number)) for number, (start, size) in enumerate(spans)
    ]
    expected = sorted(
        grouped_one_by_one(edits),
        key=lambda group: min((edits[i].start, edits[i].end) for i in group),
    )
    found = errors_of(Sentence(ABCDE, (Annotation("0", tuple(edits)),)))
    assert [sorted(int(one.type) for one in error.alternatives["0"]) for error in found] == [
        sorted(group) for group in expected
    ]


def test_clusters_of_many_edits_take_no_time_for_every_pair() -> None:
    edits = tuple(Edit(start, start + 1, ()) for start in range(20_000))
    assert len(errors_of(Sentence(ABCDE, (Annotation("0", edits),)))) == 20_000
