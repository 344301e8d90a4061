from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.extraction.align import Kind, Operation
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import get_strategy
from guard import finishes
from oracles.merge_2017 import merge_anew

SIZES = {"S": (1, 1), "I": (0, 1), "D": (1, 0), "T": (2, 2)}
CLASSES = ["NOUN", "DET", "ADP", "PRON", ""]


def analyzed(words: list[tuple[str, str]]) -> Analysis:
    forms, pos = [tuple(column) for column in zip(*words, strict=True)] or [(), ()]
    unknown = ("",) * len(forms)
    lemmas = tuple(form.lower() for form in forms)
    return Analysis(forms, unknown, pos, lemmas, tuple(range(len(forms))), unknown)


def laid_out(kinds: list[Kind]) -> list[Operation]:
    places = [(0, 0)]
    for kind in kinds:
        places.append((places[-1][0] + SIZES[kind][0], places[-1][1] + SIZES[kind][1]))
    return [
        Operation(kind, start, end, target_start, target_end)
        for kind, ((start, target_start), (end, target_end)) in zip(
            kinds, pairwise(places), strict=True
        )
    ]


@given(data=st.data(), fold_case=st.booleans())
def test_merge_2017_equals_the_recursion(data: st.DataObject, fold_case: bool) -> None:
    kinds: list[Kind] = data.draw(st.lists(st.sampled_from(["S", "I", "D", "T"]), max_size=8))
    run = laid_out(kinds)
    forms = st.sampled_from(["Haus", "haus", "Hau", "s", "ein", "Ein", "eine", ",", ".", "'s"])
    word = st.tuples(forms, st.sampled_from(CLASSES))
    sizes = [sum(SIZES[kind][side] for kind in kinds) for side in (0, 1)]
    source, target = (
        analyzed(data.draw(st.lists(word, min_size=size, max_size=size))) for size in sizes
    )
    got = get_strategy("rules-2017", language="de" if fold_case else "et")(run, source, target)
    assert [change[:4] for change in got] == merge_anew(run, source, target, fold_case=fold_case)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Er kommt , sie geht", "Er kommt . Sie geht", [(2, 4, ". Sie")]),
        ("die Haus Tür", "die Haustür", [(1, 3, "Haustür")]),
        ("ICH HABE Zeit", "Ich habe Zeit", [(0, 2, "Ich habe")]),
        ("gestern wir gingen", "gestern gingen wir", [(1, 3, "gingen wir")]),
    ],
)
def test_merge_2017_german(source: str, target: str, expected: list[tuple[int, int, str]]) -> None:
    annotator = Annotator("de", model="plain", merge="rules-2017")
    edits = annotator.annotate(source, target)
    assert [(edit.start, edit.end, " ".join(edit.correction)) for edit in edits] == expected


def test_merge_2017_of_long_runs_is_quick() -> None:
    size = 4000
    run = laid_out(["D", "I"] * size)
    source, target = (analyzed([("wort", "ADP")] * size) for _ in range(2))
    with finishes():
        assert len(get_strategy("rules-2017")(run, source, target)) == 1
