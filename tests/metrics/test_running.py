"""Choosing references by running totals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.extraction.annotator import Annotator
from geceval.kernels.running_totals import RunningChoice
from geceval.metrics import metric_class
from geceval.metrics.imeasure.metric import IMeasure
from geceval.metrics.statistics import f_score
from geceval.metrics.views import EditCounts
from oracles import maxmatch as oracle

COUNTS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)).map(
    lambda c: (min(c[0], c[1], c[2]), c[1], c[2])
)


@settings(max_examples=1000)
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(COUNTS, min_size=n, max_size=n), min_size=1, max_size=12)
    ),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
)
def test_running_choice_equals_oracle(
    counts: list[list[tuple[int, int, int]]], beta: float
) -> None:
    array = np.array(counts, dtype=np.int64)
    mask = np.ones(array.shape[:2], dtype=np.uint8)
    totals, chosen = RunningChoice(array, mask, beta).choose()
    expected = oracle.choose(counts, beta=beta)
    assert chosen.tolist() == expected
    assert totals.tolist() == array[np.arange(len(counts)), expected].sum(axis=0).tolist()


@given(st.lists(st.lists(COUNTS, min_size=3, max_size=3), min_size=1, max_size=8), st.data())
def test_running_choice_resamples(
    counts: list[list[tuple[int, int, int]]], data: st.DataObject
) -> None:
    """A resample is scored as if it were a corpus of its own."""
    array = np.array(counts, dtype=np.int64)
    mask = np.ones(array.shape[:2], dtype=np.uint8)
    row = data.draw(st.lists(st.integers(0, len(counts) - 1), min_size=1, max_size=10))
    rows = np.array([row, row[::-1]])
    found = RunningChoice(array, mask, 0.5).resample(rows)
    for totals, order in zip(found, rows, strict=True):
        taken = RunningChoice(np.ascontiguousarray(array[order]), mask[order], 0.5)
        assert totals.tolist() == taken.choose()[0].tolist()


def test_running_choice_nothing_ties_with_all_right() -> None:
    """0/0 counts as an F of 1, and between two of these more correct edits win."""
    counts = np.array([[[0, 0, 0], [1, 1, 1]]])
    _, chosen = RunningChoice(counts, np.ones((1, 2), dtype=np.uint8), 0.5).choose()
    assert chosen.tolist() == [1]


def test_running_choice_masks_absent_references() -> None:
    counts = np.array([[[1, 1, 1], [0, 1, 1]], [[1, 1, 1], [1, 1, 1]]])
    mask = np.array([[0, 1], [0, 0]], dtype=np.uint8)
    totals, chosen = RunningChoice(counts, mask, 0.5).choose()
    assert chosen.tolist() == [1, -1]
    assert totals.tolist() == [0, 1, 1]


def test_running_choice_refuses_foreign_rows() -> None:
    choice = RunningChoice(np.zeros((2, 1, 3), np.int64), np.ones((2, 1), np.uint8), 0.5)
    for row in (2, -1):
        with pytest.raises(IndexError):
            choice.resample(np.array([[0, row]]))


def test_running_choice_empty_corpus() -> None:
    choice = RunningChoice(np.zeros((0, 0, 3), np.int64), np.ones((0, 0), np.uint8), 0.5)
    totals, chosen = choice.choose()
    assert totals.tolist() == [0, 0, 0]
    assert chosen.tolist() == []


# Recall without weight.


@given(st.lists(COUNTS, min_size=1, max_size=8), st.sampled_from([0.0, 0.5, 2.0]))
def test_f_score_equals_oracle(counts: list[tuple[int, int, int]], beta: float) -> None:
    found = f_score(*np.array(counts).T, beta=beta)
    expected = [oracle.f_score(*count, beta) for count in counts]
    assert np.transpose(found).tolist() == [list(values) for values in expected]


@pytest.mark.parametrize("name", ["m2", "wdiff", "errant", "imeasure"])
@pytest.mark.parametrize(
    "text", ["I like it so", "I likes it now", "I likes it so", "I like it now"]
)
def test_beta_0_is_precision(name: str, text: str) -> None:
    """Nothing proposed has a precision of 1 and a recall of 0."""
    gold = Edit(1, 2, (("like",),), "R:VERB:SVA")
    corpus = Corpus((Sentence(("I", "likes", "it", "so"), (Annotation("0", (gold,)),)),))
    output = Hypothesis("h", (tuple(text.split()),))
    if name == "errant":
        source = corpus.sentences[0].tokens
        output = replace(output, edits=(Annotator("plain").annotate(source, output.sentences[0]),))
    score = metric_class(name)(beta=0.0).score(corpus, output)
    f = score.parts["f"] if name == "imeasure" else score.value
    assert f == score.parts["precision"]
    assert (
        f
        == {
            "I like it so": 1,
            "I likes it now": 0,
            "I likes it so": 1,
            "I like it now": 0.5,
        }[text]
    )


def test_beta_0_of_one_type_is_precision() -> None:
    counts = EditCounts(0, 0, 3, beta=0.0)
    assert (counts.precision, counts.recall, counts.f) == (1.0, 0.0, 1.0)


def test_imeasure_beta_0_maximizes_precision() -> None:
    readings = (
        Annotation("0", (Edit(0, 1, (("x",),)), Edit(1, 2, (("y",),)))),
        Annotation("1", (Edit(2, 3, (("z",),)),)),
    )
    corpus = Corpus((Sentence(("a", "b", "c"), readings),))
    output = Hypothesis("h", (("x", "b", "q"),))
    by_f = IMeasure(maximize="f", beta=0.0, mix=False)
    by_precision = IMeasure(maximize="precision", mix=False)
    assert (
        by_f.statistics(corpus, output).counts.tolist()
        == by_precision.statistics(corpus, output).counts.tolist()
    )
    assert by_f.score(corpus, output).parts == {
        **by_precision.score(corpus, output).parts,
        "f": 0.5,
        "d_f": by_precision.score(corpus, output).parts["d_precision"],
    }
