"""Attribution of scores to edits: against the oracle, and against the numbers of gec-metrics."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from itertools import groupby
from math import factorial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval import Annotation, Edit, GecevalError, Sentence
from geceval.errors import OptionError
from geceval.evaluation.attribution import (
    METHODS,
    EditedSentence,
    Method,
    attribute,
    attribute_by,
)
from geceval.formats import load
from geceval.limits import TooLargeError, allow
from geceval.metrics import metric_class
from geceval.metrics.sentence_scorers import MetricScorer, get_scorer
from geceval.model import Tokens
from oracles import edit_weights as oracle

REFERENCE = ("I", "really", "like", "the", "dogs")
ORACLES = {"add": oracle.add, "sub": oracle.subtract, "shapley": oracle.shapley}


def score(texts: Sequence[Tokens]) -> list[float]:
    return [oracle.lev(text, REFERENCE) for text in texts]


SOURCES = st.lists(st.sampled_from(["I", "likes", "the", "dog", "a"]), max_size=6).map(tuple)


@st.composite
def edited(draw: st.DrawFn) -> EditedSentence:
    """A source, and edits that do not overlap; several may insert at one place."""
    source = draw(SOURCES)
    edits: list[Edit] = []
    place = 0
    for _ in range(draw(st.integers(0, 5))):
        place = min(len(source), place + draw(st.integers(0, 1)))
        end = min(len(source), place + draw(st.integers(0, 2)))
        words = draw(st.lists(st.sampled_from(["like", "really", "dogs"]), max_size=2))
        edits.append(Edit(place, end, (tuple(words),)))
        place = end
    return EditedSentence(source, edits, score)


def plain(one: EditedSentence) -> list[oracle.PlainEdit]:
    return [(edit.start, edit.end, edit.correction) for group in one.groups for edit in group]


@given(edited())
def test_attribution_equals_the_oracle(one: EditedSentence) -> None:
    edits = plain(one)
    for method in METHODS:
        found = attribute(one, method=method)
        expected = ORACLES[method](one.source, edits, lambda text: score([text])[0])
        # Where contributions nearly cancel, shares are large, and so is the rounding.
        assert found.shares == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert found.source_score == score([one.source])[0]
        assert found.delta == pytest.approx(score([one.output])[0] - found.source_score)
    assert sum(attribute(one).shares) == pytest.approx(attribute(one).delta)


@given(edited())
def test_attribution_all_orders_are_shapley_values(one: EditedSentence) -> None:
    found = attribute(one, method="shapley-sampling", samples=factorial(5))
    assert found.shares == pytest.approx(attribute(one).shares, abs=1e-12)
    assert found.shares == pytest.approx(
        oracle.shapley_by_orders(one.source, plain(one), lambda text: score([text])[0]), abs=1e-12
    )
    if len(one):
        assert found.errors == (0,) * len(one)


def counting(texts: list[Tokens]) -> EditedSentence:
    """Fourteen edits whose shares interact, and a record of what was scored."""
    edits = [Edit.replace(place, place + 1, f"w{place}") for place in range(14)]

    def squared(new: Sequence[Tokens]) -> list[float]:
        texts.extend(new)
        return [
            float(
                sum(token[0] == "w" for token in text[: 3 + len(text) // 2]) ** 2
                * (1 + (text[0] == "w0"))
            )
            for text in new
        ]

    return EditedSentence(tuple(f"s{place}" for place in range(14)), edits, squared)


def test_attribution_samples_beyond_twelve_edits_and_says_so() -> None:
    texts: list[Tokens] = []
    one = counting(texts)
    found = attribute(one)
    assert (found.method, found.samples, found.seed) == ("shapley-sampling", 128, 12345)
    assert len(texts) == len(set(texts)) <= 2 + 128 * 13
    assert sum(found.shares) == pytest.approx(found.delta)
    exact = attribute(one, max_exact=14)
    assert (exact.method, exact.errors) == ("shapley", None)
    assert found.errors is not None
    off = [
        abs(share - right) / max(error, 1e-12)
        for share, right, error in zip(found.shares, exact.shares, found.errors, strict=True)
        if error
    ]
    assert max(off) < 5
    assert attribute(one).shares == found.shares
    assert attribute(one, seed=1).shares != found.shares
    record = found.record()
    assert record["errors"] == found.errors
    assert "errors" not in exact.record()


def test_attribution_without_edits_has_the_score_of_the_source() -> None:
    one = EditedSentence(("I", "like"), [], score)
    for method in (*METHODS, "shapley-sampling"):
        found = attribute(one, method=method)
        assert (found.shares, found.delta) == ((), 0)
        assert found.source_score == score([("I", "like")])[0]


def test_attribution_contributions_that_cancel_have_no_shares() -> None:
    edits = [Edit.replace(0, 1, "x"), Edit.replace(1, 2, "y")]
    values = {"a b": 0.0, "x b": 1.0, "a y": -1.0, "x y": 0.5}
    one = EditedSentence(
        ("a", "b"), edits, lambda texts: [values[" ".join(text)] for text in texts]
    )
    assert attribute(one, method="add").shares == (0, 0)
    assert attribute(one, method="shapley").shares == (1.25, -0.75)


def test_attribution_groups_are_players() -> None:
    edits = [Edit.replace(0, 1, "x"), Edit.replace(1, 2, "y"), Edit.replace(2, 3, "z")]
    one = EditedSentence(
        ("a", "b", "c"),
        [edits[::2], edits[1]],
        lambda texts: [
            4.0 * (text[0] == "x" and text[2] == "z") + (text[1] == "y") for text in texts
        ],
    )
    assert attribute(one).shares == (4, 1)


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([Edit.replace(0, 2, "x"), Edit.replace(1, 2, "y")], "overlaps another edit"),
        ([Edit.replace(1, 3, "x")], "1–3 → 'x' cannot be applied"),
        ([Edit(0, 1, ())], "cannot be applied"),
    ],
)
def test_attribution_refuses_edits_that_cannot_be_applied(edits: list[Edit], message: str) -> None:
    with pytest.raises(GecevalError, match=message):
        EditedSentence(("a", "b"), edits, score)


def test_attribution_refuses_what_is_no_output_or_no_number() -> None:
    with pytest.raises(GecevalError, match="the edits make 'x b' of the source, not the output 'x"):
        EditedSentence(("a", "b"), [Edit.replace(0, 1, "x")], score, ("x", "c"))
    one = EditedSentence(
        ("a",), [Edit.replace(0, 1, "x")], lambda texts: [float("nan")] * len(texts)
    )
    with pytest.raises(GecevalError, match="the score of 'a' is nan; attribution needs finite"):
        attribute(one)
    with pytest.raises(OptionError, match="the option samples takes an integer from 2"):
        attribute(one, samples=1)
    with pytest.raises(OptionError, match="the option max_exact takes an integer from 0 to 20"):
        attribute(one, max_exact=21)


def test_attribution_is_bounded() -> None:
    """A sentence with many edits and many tokens is refused before anything is scored."""
    edits = [Edit.replace(place, place + 1, "x") for place in range(3000)]
    one = EditedSentence(("a",) * 3000, edits, lambda texts: [0.0] * len(texts))
    with pytest.raises(TooLargeError, match="384,000 outputs of up to 6,000 tokens make"):
        attribute(one)
    small = EditedSentence(("a",) * 12, edits[:12], score)
    with allow(cells=4096 * 24 - 1), pytest.raises(TooLargeError, match="4,096 outputs"):
        attribute(small)


def test_attribution_uses_the_references_of_the_sentence() -> None:
    """Against one reference, or as the metric chooses among several."""
    edits = (Edit.replace(1, 2, "like"), Edit.replace(2, 3, "them"))
    first, second = Annotation("0", edits[:1]), Annotation("1", edits)
    source, output = ("I", "likes", "it"), ("I", "like", "them")
    metric = metric_class("m2")()
    for known, delta in (((first,), 5 / 9), ((second,), 1.0), ((first, second), 1.0)):
        sent = Sentence(source, known)
        *_, found = attribute_by(metric, sent, edits, output)
        assert found.delta == pytest.approx(delta)
        assert sum(found.shares) == pytest.approx(delta)


def test_attribution_on_conll(shared_data: Path) -> None:
    folder = shared_data / "conll14"
    names = ("systems/INPUT.txt", "gold/official-2014.ref0.txt")
    corpus = load(*(str(folder / name) for name in names), text=True)
    scorers = {name: get_scorer(name) for name in ("lev", "gleu")}
    n_outputs = 0
    with gzip.open(folder / "scores" / "attribution-ref0.tsv.gz", "rt") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for (scorer, number), group in groupby(rows, lambda row: (row["scorer"], int(row["sent"]))):
        same = list(group)
        # All sentences of one system, and a fifth of the others'.
        if same[0]["system"] != "AMU" and number % 5:
            continue
        metric = scorers[scorer]
        assert isinstance(metric, MetricScorer)
        sent = corpus.sentences[number]
        edits = [
            Edit.replace(int(row["start"]), int(row["end"]), row["correction"]) for row in same
        ]
        output = oracle.applied(
            sent.tokens, [(edit.start, edit.end, edit.correction) for edit in edits]
        )
        for found in attribute_by(metric.metric, sent, edits, output):
            method: Method = found.method
            expected = [float(row[method]) for row in same]
            assert found.shares == pytest.approx(expected, abs=1e-9)
            assert found.delta == pytest.approx(float(same[0]["delta"]), abs=1e-9)
            assert found.source_score == pytest.approx(float(same[0]["source_score"]), abs=1e-9)
        n_outputs += 1
    assert n_outputs > 1500
