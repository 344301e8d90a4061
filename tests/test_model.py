"""The data model."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    minimize,
    minimize_edit,
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
def test_model_minimize_edit(long: Edit, short: Edit | None) -> None:
    assert minimize_edit(long, ABC) == short


def test_model_minimize_does_not_trim_one_token_at_both_ends() -> None:
    assert minimize_edit(edit(0, 2, "a"), ("a", "a")) == edit(1, 2, "")
    assert minimize_edit(edit(0, 1, "a a"), ("a",)) == edit(1, 1, "a")


def test_model_minimize_keeps_the_order_of_what_become_insertions() -> None:
    """Both edits end up at 2; the one that stood further left has to stay in front."""
    sent = Sentence(ABC, (Annotation("0", (edit(2, 2, "y"), edit(1, 2, "b x"))),))
    assert minimize(sent).annotations[0].edits == (edit(2, 2, "x"), edit(2, 2, "y"))
    assert minimize(sent).corrected("0") == sent.corrected("0") == ("a", "b", "x", "y", "c")


@st.composite
def edited(draw: st.DrawFn) -> tuple[Tokens, list[Edit]]:
    tokens = draw(phrases(words(), max_size=8))
    return tokens, draw(apart_edits(tokens))


@given(edited())
def test_model_minimizing_changes_no_correction(case: tuple[Tokens, list[Edit]]) -> None:
    tokens, edits = case
    # Insertions at one place are the only edits whose order means something.
    edits = sorted(edits, key=lambda item: (-item.start, -item.end))
    sent = Sentence(tokens, (Annotation("0", tuple(edits)),))
    assert minimize(sent).corrected("0") == sent.corrected("0")


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


# Strings where tokens belong ----------------------------------------------------------------

READING = Annotation("0", (edit(1, 2, "like"),))
LINE: Any = "I like it ."
ANY: Any = geceval  # No type checker here: it would find all of this.


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (
            lambda: ANY.Edit(1, 2, ("like",)),
            TypeError,
            (
                "Edit.corrections[0] must be a tuple of tokens, not the string 'like'; "
                "write Edit.replace(1, 2, 'like') or (('like',),)"
            ),
        ),
        (
            lambda: ANY.Edit(1, 2, "like it"),
            TypeError,
            (
                "Edit.corrections must be a tuple of alternatives, not the string 'like it'; "
                "write Edit.replace(1, 2, 'like it') or (('like', 'it'),)"
            ),
        ),
        (
            lambda: ANY.Edit(1, 2, [("like",)]),
            TypeError,
            (
                "Edit.corrections must be a tuple of alternatives, not the list [('like',)]; "
                "write Edit.replace(1, 2, 'like') or (('like',),)"
            ),
        ),
        (
            lambda: ANY.Edit(1, 2, (("like",), ["love"])),
            TypeError,
            (
                "Edit.corrections[1] must be a tuple of tokens, not the list ['love']; "
                "write Edit.replace(1, 2, 'like') or (('like',),)"
            ),
        ),
        (
            lambda: ANY.Edit(1, 2, (("like it",),)),
            ValueError,
            (
                "Edit.corrections[0][0] is 'like it', but a token has no spaces; "
                "write Edit.replace(1, 2, 'like it') or (('like', 'it'),)"
            ),
        ),
        (
            lambda: ANY.Edit(1, 2, None),
            TypeError,
            (
                "Edit.corrections must be a tuple of alternatives, not None; "
                "write Edit.replace(1, 2, 'like') or (('like',),)"
            ),
        ),
        (
            lambda: ANY.Edit(1, 2, ((b"like",),)),
            TypeError,
            (
                "Edit.corrections[0][0] must be a token, not the bytes b'like'; "
                "write Edit.replace(1, 2, 'like') or (('like',),)"
            ),
        ),
        (
            lambda: ANY.Annotation(0, ()),
            TypeError,
            "the name of an annotator must be a string, not the int 0",
        ),
        (
            lambda: ANY.Annotation("0", READING.edits[0]),
            TypeError,
            "Annotation.edits must be a tuple of Edit, not the Edit Edit(start=1, ",
        ),
        (
            lambda: ANY.Annotation("0", list(READING.edits)),
            TypeError,
            "Annotation.edits must be a tuple of Edit, not the list [Edit(",
        ),
        (
            lambda: ANY.Annotation("0", ((1, 2, "like"),)),
            TypeError,
            "Annotation.edits[0] must be of type Edit, not the tuple (1, 2, 'like')",
        ),
        (
            lambda: ANY.Sentence(LINE),
            TypeError,
            (
                "Sentence.tokens must be a tuple of tokens, not the string 'I like it .'; "
                "write tuple('I like it .'.split())"
            ),
        ),
        (
            lambda: ANY.Sentence((LINE,)),
            ValueError,
            (
                "Sentence.tokens[0] is 'I like it .', but a token has no spaces; "
                "write tuple('I like it .'.split())"
            ),
        ),
        (
            lambda: ANY.Sentence(LINE.split()),
            TypeError,
            "Sentence.tokens must be a tuple of tokens, not the list ['I', 'like', 'it', '.']; ",
        ),
        (
            lambda: ANY.Sentence((1, 2)),
            TypeError,
            "Sentence.tokens[0] must be a token, not the int 1; ",
        ),
        (
            lambda: ANY.Sentence(ABC, READING),
            TypeError,
            "Sentence.annotations must be a tuple of Annotation, not the Annotation Annotation(",
        ),
        (
            lambda: ANY.Sentence(ABC, ("0",)),
            TypeError,
            "Sentence.annotations[0] must be of type Annotation, not the string '0'",
        ),
        (
            lambda: ANY.Corpus([Sentence(ABC)]),
            TypeError,
            "Corpus.sentences must be a tuple of Sentence, not the list [Sentence(",
        ),
        (
            lambda: ANY.Corpus((Sentence(ABC), ABC)),
            TypeError,
            "Corpus.sentences[1] must be of type Sentence, not the tuple ('a', 'b', 'c')",
        ),
        (
            lambda: ANY.Hypothesis("x", (LINE,)),
            TypeError,
            (
                "Hypothesis.sentences[0] must be a tuple of tokens, not the string "
                "'I like it .'; for lines of text write Hypothesis.from_texts(lines, name=…), "
                "for tokens tuple('I like it .'.split())"
            ),
        ),
        (
            lambda: ANY.Hypothesis("x", (ABC, LINE)),
            TypeError,
            "Hypothesis.sentences[1] must be a tuple of tokens, not the string 'I like it .'; ",
        ),
        (
            lambda: ANY.Hypothesis("x", ((LINE,),)),
            ValueError,
            "Hypothesis.sentences[0][0] is 'I like it .', but a token has no spaces; ",
        ),
        (
            lambda: ANY.Hypothesis("x", (tuple(LINE),)),
            ValueError,
            "Hypothesis.sentences[0][1] is ' ', but a token has no spaces; ",
        ),
        (
            lambda: ANY.Hypothesis("x", [ABC]),
            TypeError,
            "Hypothesis.sentences must be a tuple of sentences, not the list [('a', 'b', 'c')]; ",
        ),
        (
            lambda: ANY.Hypothesis("x", (word for word in ABC)),
            TypeError,
            "Hypothesis.sentences must be a tuple of sentences, not the generator <generator ",
        ),
        (
            lambda: ANY.Hypothesis("x", (ABC, ("a", None))),
            TypeError,
            "Hypothesis.sentences[1][1] must be a token, not None; ",
        ),
        (
            lambda: ANY.Hypothesis((ABC,), ()),
            TypeError,
            "the name of a system must be a string, not the tuple (('a', 'b', 'c'),)",
        ),
        (
            lambda: ANY.RawText(b"a b", ()),
            TypeError,
            "RawText.text must be a string, not the bytes b'a b'",
        ),
        (
            lambda: ANY.RawText("a b", [(0, 1)]),
            TypeError,
            "RawText.spans must be a tuple of tuple, not the list [(0, 1)]; ",
        ),
        (
            lambda: ANY.Hypothesis.from_texts(LINE),
            TypeError,
            (
                "lines must be a list of strings, not the string 'I like it .'; "
                "write ['I like it .']"
            ),
        ),
        (
            lambda: ANY.Hypothesis.from_texts([LINE, None]),
            TypeError,
            "lines[1] must be a string with spaces between the tokens, not None",
        ),
        (
            lambda: ANY.Hypothesis.from_texts([LINE.split()]),
            TypeError,
            "lines[0] must be a string with spaces between the tokens, not the list ['I', ",
        ),
        (
            lambda: ANY.Corpus.from_texts(LINE, LINE),
            TypeError,
            "sources must be a list of strings, not the string 'I like it .'; ",
        ),
        (
            lambda: ANY.Corpus.from_texts([LINE], LINE),
            TypeError,
            "reference 0 must be a list of strings, not the string 'I like it .'; ",
        ),
        (
            lambda: ANY.Corpus.from_texts([LINE], [[LINE]]),
            TypeError,
            "reference 0[0] must be a string with spaces between the tokens, not the list [",
        ),
        (
            lambda: ANY.Edit.replace(1, 2, ("like",)),
            TypeError,
            "corrections[0] must be a string with spaces between the tokens, not the tuple (",
        ),
    ],
)
def test_model_what_is_no_token_is_refused_with_a_remedy(
    wrong: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        wrong()
    assert type(caught.value) is kind
    assert str(caught.value).startswith(message)


def test_model_strings_of_numpy_are_tokens() -> None:
    import numpy as np

    tokens: Any = tuple(np.array(["I", "like"]))
    assert Hypothesis("x", (tokens,)).sentences == (("I", "like"),)
    assert Edit(0, 1, (tokens,)) == edit(0, 1, "I like")
    assert Sentence(tokens) == Sentence(("I", "like"))


def test_model_constructors_for_people() -> None:
    assert Edit.replace(1, 2, "like", "do like", type="V") == edit(
        1, 2, "like", "do like", kind="V"
    )
    assert Edit.insert(3, "the", type="M:DET") == edit(3, 3, "the", kind="M:DET")
    assert Edit.delete(4, 5, type="U") == edit(4, 5, "", kind="U")


def test_model_texts_make_the_corpus_that_files_make(tmp_path: Path) -> None:
    texts = ["I likes it .\nHello\n", "I like it .\nHello !\n", "I likes it .\n\n"]
    paths = [tmp_path / str(number) for number in range(3)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    lines = [text.split("\n")[:-1] for text in texts]
    assert Corpus.from_texts(*lines, name="0") == geceval.load(*paths)
    assert Hypothesis.from_texts(lines[2], name="2") == geceval.load_hypothesis(paths[2])


def test_model_texts_may_lack_an_annotator_and_must_be_equally_many() -> None:
    corpus = Corpus.from_texts(["a b", "c"], ["a", None], [None, "d"])
    assert corpus.references() == {"0": [("a",), None], "1": [None, ("d",)]}
    with pytest.raises(geceval.MismatchError, match="sources has 1 sentence but reference 1 has 2"):
        Corpus.from_texts(["a"], ["a"], ["a", "b"])
