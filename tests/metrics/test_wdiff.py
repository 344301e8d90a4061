"""The word diff baseline."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.metrics.wdiff import Wdiff
from geceval.model.diff import changes
from oracles import maxmatch as oracle

TOKENS = st.lists(st.sampled_from("abcd"), max_size=9).map(tuple)


@given(TOKENS, TOKENS)
def test_diff_keeps_a_longest_common_subsequence(
    source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    """Which of several longest ones may differ from the oracle, its length may not."""
    found = [
        (change.start, change.end, target[change.new_start : change.new_end])
        for change in changes(source, target)
    ]
    expected = oracle.wdiff_edits(source, target)
    assert sum(end - start for start, end, _ in found) == sum(
        end - start for start, end, _ in expected
    )
    rebuilt = list(source)
    for start, end, words in reversed(found):
        rebuilt[start:end] = words
    assert tuple(rebuilt) == target
    for (_, end, _), (start, _, _) in pairwise(found):
        assert end < start


@pytest.mark.parametrize(
    ("source", "target", "edits"),
    [
        (
            "should basic translational unit be word",
            "should basic translational unit be a word",
            [(5, 5, "a")],
        ),
        (
            "development set similar with test set",
            "development set similar to the test set",
            [(3, 4, "to the")],
        ),
        (
            "Xinhua portion of the English Gigaword3",
            "The xinhua portion of the English Gigaword3",
            [(0, 1, "The xinhua")],
        ),
    ],
)
def test_diff_paper_table_2(source: str, target: str, edits: list[tuple[int, int, str]]) -> None:
    """What wdiff extracts, as Dahlmeier and Ng (2012) print it."""
    words = tuple(target.split())
    found = [
        (change.start, change.end, " ".join(words[change.new_start : change.new_end]))
        for change in changes(source.split(), words)
    ]
    assert found == edits


def test_wdiff_counts() -> None:
    edits = (Edit(0, 1, (("x",),)), Edit(2, 3, (("z",), ("q",))), Edit(9, 9, (("w",),)))
    corpus = Corpus((Sentence(("a", "b", "c"), (Annotation("0", edits),)),))
    score = Wdiff().score(corpus, Hypothesis("h", (("x", "b", "q"),)))
    assert dict(score.parts) == {
        "correct": 2,
        "proposed": 2,
        "gold": 2,
        "precision": 1.0,
        "recall": 1.0,
    }
