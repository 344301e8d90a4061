"""The data model."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geceval
from geceval.formats import Findings
from geceval.model import (
    Annotation,
    AnnotatorStatistics,
    Corpus,
    CorpusStatistics,
    Edit,
    Hypothesis,
    RawText,
    Sentence,
    Tokens,
    annotator_order,
    applicable,
    apply_edits,
    in_order,
    keep_annotators,
    minimise,
    minimise_edit,
)
from strategies import apart_edits, corpora, phrases, sentences, words

ABC = ("a", "b", "c")


def edit(start: int, end: int, *options: str, kind: str = "") -> Edit:
    """An edit whose alternatives are given as text."""
    return Edit(start, end, tuple(tuple(option.split()) for option in options), kind)


def test_model_insertions_at_one_place_keep_their_order() -> None:
    assert apply_edits(ABC, [edit(1, 1, "x"), edit(1, 1, "y z"), edit(1, 1, "x")]) == (
        "a", "x", "y", "z", "x", "b", "c",
    )  # fmt: skip


def test_model_insertion_goes_before_a_change_at_its_place() -> None:
    assert apply_edits(ABC, [edit(1, 2, "B"), edit(1, 1, "x")]) == ("a", "x", "B", "c")


def test_model_insertion_after_a_change_goes_behind_it() -> None:
    assert apply_edits(ABC, [edit(2, 2, "x"), edit(1, 2, "B")]) == ("a", "B", "x", "c")


def test_model_insertion_at_the_end() -> None:
    assert apply_edits(ABC, [edit(3, 3, ".")]) == ("a", "b", "c", ".")


def test_model_edits_of_an_empty_sentence() -> None:
    assert apply_edits((), [edit(0, 0, "x y")]) == ("x", "y")


def test_model_deletion() -> None:
    assert apply_edits(ABC, [edit(0, 2, "")]) == ("c",)


def test_model_first_alternative_is_applied() -> None:
    assert apply_edits(ABC, [edit(0, 1, "x", "y")]) == ("x", "b", "c")


def test_model_of_overlapping_edits_the_first_is_applied() -> None:
    edits = [edit(1, 3, "z"), edit(0, 2, "x"), edit(2, 2, "y")]
    assert list(applicable(edits, 3)) == [edit(0, 2, "x"), edit(2, 2, "y")]
    assert apply_edits(ABC, edits) == ("x", "y", "c")


def test_model_insertion_inside_a_changed_span_is_left_out() -> None:
    assert apply_edits(ABC, [edit(0, 2, "x"), edit(1, 1, "y")]) == ("x", "c")


def test_model_edits_past_the_end_are_left_out() -> None:
    edits = [edit(2, 4, "x"), edit(4, 4, "y"), edit(0, 1, "A")]
    assert apply_edits(ABC, edits) == ("A", "b", "c")


@pytest.mark.parametrize(
    "flag", [Edit(0, 1, (("x",),), "UNK"), Edit(0, 1, (("x",),), "Um"), Edit(0, 1, ())]
)
def test_model_flags_are_not_applied(flag: Edit) -> None:
    assert not flag.corrects
    assert apply_edits(ABC, [flag, edit(0, 1, "y")]) == ("y", "b", "c")


def test_model_correction_of_a_flag_is_empty() -> None:
    assert (Edit(0, 1, ()).correction, edit(0, 1, "x", "y").correction) == ((), ("x",))


@pytest.mark.parametrize("span", [(-1, -1), (2, 1), (-1, 0)])
def test_model_impossible_spans_are_refused(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"^an edit needs 0 <= start <= end, not "):
        Edit(*span, ())


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0, 2), (1, 3), True),
        ((0, 3), (1, 2), True),
        ((0, 2), (0, 2), True),
        ((0, 2), (1, 1), True),
        ((0, 1), (1, 2), False),
        ((0, 2), (2, 2), False),
        ((0, 2), (0, 0), False),
        ((1, 1), (1, 1), False),
    ],
)
def test_model_overlaps(first: tuple[int, int], second: tuple[int, int], expected: bool) -> None:
    one, two = Edit(*first, ()), Edit(*second, ())
    assert (one.overlaps(two), two.overlaps(one)) == (expected, expected)


@pytest.mark.parametrize(
    ("long", "short"),
    [
        (edit(0, 3, "a x c"), edit(1, 2, "x")),
        (edit(0, 2, "a b x"), edit(2, 2, "x")),
        (edit(0, 2, "x a b"), edit(0, 0, "x")),
        (edit(0, 3, "a c"), edit(1, 2, "")),
        (edit(0, 3, "a c", "a"), edit(1, 3, "c", "")),
        (edit(0, 1, "x"), edit(0, 1, "x")),
        (edit(0, 1, "a", "x"), edit(0, 1, "a", "x")),
        (edit(0, 2, "b a"), edit(0, 2, "b a")),
        (edit(0, 3, "a b c"), None),
        (edit(1, 1, ""), None),
        (edit(2, 5, "c"), edit(2, 5, "c")),
        (Edit(0, 1, ()), Edit(0, 1, ())),
        (edit(0, 2, "a x", kind="UNK"), edit(0, 2, "a x", kind="UNK")),
    ],
)
def test_model_minimise_edit(long: Edit, short: Edit | None) -> None:
    assert minimise_edit(long, ABC) == short


def test_model_minimise_does_not_trim_one_token_at_both_ends() -> None:
    assert minimise_edit(edit(0, 2, "a"), ("a", "a")) == edit(1, 2, "")
    assert minimise_edit(edit(0, 1, "a a"), ("a",)) == edit(1, 1, "a")


def test_model_minimise_keeps_the_order_of_what_become_insertions() -> None:
    """Both edits end up at 2; the one that stood further left has to stay in front."""
    sent = Sentence(ABC, (Annotation("0", (edit(2, 2, "y"), edit(1, 2, "b x"))),))
    assert minimise(sent).annotations[0].edits == (edit(2, 2, "x"), edit(2, 2, "y"))
    assert minimise(sent).corrected("0") == sent.corrected("0") == ("a", "b", "x", "y", "c")


@st.composite
def edited(draw: st.DrawFn) -> tuple[Tokens, list[Edit]]:
    tokens = draw(phrases(words(), max_size=8))
    return tokens, draw(apart_edits(tokens))


@given(edited())
def test_model_minimising_changes_no_correction(case: tuple[Tokens, list[Edit]]) -> None:
    tokens, edits = case
    # Insertions at one place are the only edits whose order means something.
    edits = sorted(edits, key=lambda item: (-item.start, -item.end))
    sent = Sentence(tokens, (Annotation("0", tuple(edits)),))
    assert minimise(sent).corrected("0") == sent.corrected("0")


@given(edited(), st.data())
def test_model_order_of_edits_does_not_matter(
    case: tuple[Tokens, list[Edit]], data: st.DataObject
) -> None:
    tokens, edits = case
    spans = [(edit.start, edit.end) for edit in edits]
    distinct = [edit for i, edit in enumerate(edits) if spans.index(spans[i]) == i]
    shuffled = data.draw(st.permutations(distinct))
    assert apply_edits(tokens, shuffled) == apply_edits(tokens, distinct)


@given(edited())
def test_model_all_edits_apart_are_applied(case: tuple[Tokens, list[Edit]]) -> None:
    tokens, edits = case
    assert list(applicable(edits, len(tokens))) == edits
    expected: list[str] = list(tokens)
    for edit in reversed(edits):
        expected[edit.start : edit.end] = edit.correction
    assert apply_edits(tokens, edits) == tuple(expected)


@settings(max_examples=50)
@given(sentences())
def test_model_applied_edits_never_overlap(sent: Sentence) -> None:
    for ann in sent.annotations:
        chosen = list(applicable(ann.edits, len(sent.tokens)))
        assert all(one.end <= two.start for one, two in itertools.pairwise(chosen))
        assert set(chosen) <= set(ann.edits)


def test_model_in_order_is_stable() -> None:
    edits = [edit(2, 2, "b"), edit(1, 3, "x"), edit(2, 2, "a"), edit(1, 1, "y")]
    assert in_order(edits) == [edits[3], edits[1], edits[0], edits[2]]


SENT = Sentence(ABC, (Annotation("1", (edit(0, 1, "x"),)), Annotation("0")))
OTHER = Sentence(("d",), (Annotation("1"),))
CORPUS = Corpus((SENT, OTHER), "two")


def test_model_corrected() -> None:
    assert (SENT.corrected("1"), SENT.corrected("0"), SENT.corrected("2")) == (
        ("x", "b", "c"),
        ABC,
        None,
    )


def test_model_annotation_of_an_absent_annotator_is_none() -> None:
    assert SENT.annotation("1") == Annotation("1", (edit(0, 1, "x"),))
    assert OTHER.annotation("0") is None


def test_model_references_leave_the_absent_out() -> None:
    assert CORPUS.references() == {"0": [ABC, None], "1": [("x", "b", "c"), ("d",)]}


def test_model_references_take_the_absent_for_content() -> None:
    assert CORPUS.references(missing="noop") == {"0": [ABC, ("d",)], "1": [("x", "b", "c"), ("d",)]}


def test_model_fill_missing_gives_everybody_a_reading_in_order() -> None:
    assert CORPUS.fill_missing() == Corpus(
        (
            Sentence(ABC, (Annotation("0"), Annotation("1", (edit(0, 1, "x"),)))),
            Sentence(("d",), (Annotation("0"), Annotation("1"))),
        ),
        "two",
    )


def test_model_keep_annotators() -> None:
    assert CORPUS.keep_annotators(["0"]) == Corpus(
        (Sentence(ABC, (Annotation("0"),)), Sentence(("d",))), "two"
    )
    assert keep_annotators(OTHER, frozenset({"1"})) == OTHER


def test_model_corpus_is_a_sequence_of_sentences() -> None:
    assert (len(CORPUS), list(CORPUS), CORPUS.sources) == (2, [SENT, OTHER], (ABC, ("d",)))
    hyp = Hypothesis("sys", (ABC, ("d",)))
    assert (len(hyp), list(hyp)) == (2, [ABC, ("d",)])


def test_model_annotators_are_in_numeric_order() -> None:
    names = ["b", "10", "2", "0", "a", "02", "9" * 5000]
    assert sorted(names, key=annotator_order) == ["0", "02", "2", "10", "9" * 5000, "a", "b"]


@settings(max_examples=50)
@given(corpora())
def test_model_fill_missing_fills(corpus: Corpus) -> None:
    filled = corpus.fill_missing()
    assert all(
        tuple(ann.annotator for ann in sent.annotations) == corpus.annotators for sent in filled
    )
    assert filled.references() == corpus.references(missing="noop")
    assert filled.fill_missing() == filled


def test_model_statistics_count_everything() -> None:
    edits = (
        edit(0, 1, "x", kind="R"),
        edit(1, 1, "y", "z", kind="M"),
        edit(1, 2, "", kind="U"),
        Edit(2, 3, (), "R", required=False),
        edit(2, 3, "q", kind="UNK"),
    )
    corpus = Corpus((Sentence(ABC, (Annotation("a", edits), Annotation("b"))), Sentence(())))
    assert corpus.statistics() == CorpusStatistics(
        sentences=2,
        tokens=3,
        empty=1,
        unannotated=1,
        edits=5,
        insertions=1,
        deletions=1,
        replacements=1,
        flags=2,
        optional=1,
        with_alternatives=1,
        annotators={"a": AnnotatorStatistics(1, 0, 5), "b": AnnotatorStatistics(1, 1, 0)},
        types=Counter({"R": 2, "M": 1, "U": 1, "UNK": 1}),
        edits_per_reading=Counter({5: 1, 0: 1}),
        lengths=Counter({3: 1, 0: 1}),
    )


def test_model_statistics_of_nothing() -> None:
    assert Corpus(()).statistics() == CorpusStatistics()


@settings(max_examples=50)
@given(corpora())
def test_model_statistics_add_up(corpus: Corpus) -> None:
    counts = corpus.statistics()
    kinds = counts.insertions + counts.deletions + counts.replacements + counts.flags
    people = counts.annotators.values()
    assert kinds == counts.edits == counts.types.total() == sum(one.edits for one in people)
    assert counts.edits_per_reading.total() == sum(one.sentences for one in people)
    assert sum(length * n for length, n in counts.lengths.items()) == counts.tokens


@pytest.mark.parametrize(
    "value",
    [
        edit(0, 1, "x"),
        Annotation("0"),
        SENT,
        CORPUS,
        Hypothesis("h", (ABC,)),
        RawText("a", ((0, 1),)),
    ],
)
def test_model_is_frozen_slotted_and_hashable(value: object) -> None:
    assert dataclasses.is_dataclass(value)
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, None)
    assert not hasattr(value, "__dict__")
    assert {value: 1}[dataclasses.replace(value)] == 1  # type: ignore[type-var]


@pytest.mark.parametrize("annotator", ["0", "1"])
def test_model_official_edits_give_the_official_references(
    shared_data: Path, annotator: str
) -> None:
    gold = shared_data / "conll14" / "gold"
    corpus = geceval.load(gold / f"official-2014.{annotator}.m2", findings=Findings())
    lines = (gold / f"official-2014.ref{annotator}.txt").read_text().split("\n")[:-1]
    corrected = [apply_edits(sent.tokens, sent.annotations[0].edits) for sent in corpus]
    assert corrected == [tuple(line.split()) for line in lines]
    assert len(corrected) == 1312
