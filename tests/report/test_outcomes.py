"""Edit outcomes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Annotation, Edit
from geceval.report.outcomes import (
    MOST_FREQUENT,
    OUTCOMES,
    classify_edits,
    count_outcomes,
    frequent_edits,
)
from oracles import outcomes as oracle

N_TOKENS = 8


@st.composite
def spans(draw: st.DrawFn, longest: int = N_TOKENS) -> tuple[int, int]:
    start, end = sorted(draw(st.integers(0, longest)) for _ in range(2))
    return start, end


@st.composite
def views(draw: st.DrawFn) -> SentenceEdits:
    """Edits anywhere, also past the end, some of which match a gold edit."""
    gold = [Edit(*span, (("x",),)) for span in draw(st.lists(spans(N_TOKENS + 2), max_size=4))]
    matches = st.sampled_from([None, *range(len(gold))])
    edits = [
        SystemEdit(*span, ("y",), draw(matches)) for span in draw(st.lists(spans(), max_size=4))
    ]
    return SentenceEdits(Annotation("0", tuple(gold)), tuple(edits))


@given(views())
def test_outcomes_equal_a_count_by_cells(view: SentenceEdits) -> None:
    expected = oracle.outcomes(view, N_TOKENS)
    found = count_outcomes([classify_edits(view, N_TOKENS), None])
    assert found == {name: expected[name] for name in OUTCOMES}


def test_outcomes_by_hand() -> None:
    gold = Annotation(
        "0",
        (
            Edit(0, 1, (("A",),)),  # found
            Edit(2, 4, (("x", "y"),)),  # its middle is changed in another way
            Edit(5, 5, ((",",),)),  # something else is inserted there
            Edit(6, 7, (("z",),)),  # left alone; an insertion before it touches nothing
        ),
    )
    edits = (
        SystemEdit(0, 1, ("A",), 0),
        SystemEdit(3, 3, ("w",), None),
        SystemEdit(5, 5, (";",), None),
        SystemEdit(6, 6, ("so",), None),
    )
    found = classify_edits(SentenceEdits(gold, edits), N_TOKENS)
    assert [OUTCOMES[outcome] for _, outcome in found.edits] == [
        "correct",
        "wrong fix",
        "wrong fix",
        "wrong",
    ]
    assert found.missed == ((1, True), (2, True), (3, False))
    assert count_outcomes([found]) == {"correct": 1, "wrong fix": 2, "wrong": 1, "missed": 1}


def test_frequent_edits_by_hand() -> None:
    tokens = ("the", "cat", "the")
    gold = Annotation("0", (Edit(0, 1, ((),)), Edit(2, 3, (("a",),)), Edit(1, 2, ())))
    views = [
        SentenceEdits(gold, (SystemEdit(0, 1, (), 0), SystemEdit(1, 1, ("big",), None))),
        SentenceEdits(gold, (SystemEdit(2, 3, (), None),)),
    ]
    outcomes = [classify_edits(view, len(tokens)) for view in views]
    found = frequent_edits([tokens, tokens, tokens], [*outcomes, None])
    assert found == {
        "wrong": [("", "big", 1, [0]), ("the", "", 1, [1])],
        "missed": [("cat", "", 2, [0, 1]), ("the", "a", 2, [0, 1]), ("the", "", 1, [1])],
        "correct": [("the", "", 1, [0])],
    }


def test_frequent_edits_are_the_most_frequent() -> None:
    tokens = tuple(f"w{number}" for number in range(40))
    counts: Counter[int] = Counter()
    views = []
    for place in range(40):
        edits = tuple(
            SystemEdit(start, start + 1, (), None) for start in range(40) if start <= place
        )
        counts.update(edit.start for edit in edits)
        views.append(SentenceEdits(Annotation("0"), edits))
    outcomes = [classify_edits(view, len(tokens)) for view in views]
    found = frequent_edits([tokens] * 40, outcomes)["wrong"]
    assert [(old, count) for old, _, count, _ in found] == [
        (f"w{start}", count) for start, count in counts.most_common(MOST_FREQUENT)
    ]
