"""Running text: tokens, sentences, character edits as token edits, and whole documents."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geceval.formats._shared.documents import CharacterEdit, split_document
from geceval.model import Annotation, Edit, Sentence, Tokens, apply_edits
from geceval.text import raw_text, split_sentences, token_edit, tokenize, tokens_at
from guard import finishes

ALPHABET = "abnt AB.,!'’-1@/\n\t 。é"
texts = st.text(ALPHABET, max_size=30)
pieces = st.text(ALPHABET, max_size=5)


def words(text: str) -> Tokens:
    return tokens_at(text, tokenize(text))


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def squeezed(text: str) -> str:
    return "".join(text.split())


def edited(text: str, edits: Iterable[CharacterEdit]) -> str:
    parts = []
    position = 0
    for edit in edits:
        assert edit.replacements is not None
        parts += [text[position : edit.start], edit.replacements[0]]
        position = edit.end
    return "".join([*parts, text[position:]])


@st.composite
def texts_with_span(draw: st.DrawFn) -> tuple[str, int, int]:
    text = draw(texts)
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    return text, start, end


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, list[CharacterEdit]]:
    """A text and edits of it in order, none overlapping another; some at the same place."""
    text = draw(texts)
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), max_size=10)))
    spans = list(zip(bounds[::2], bounds[1::2], strict=False))
    return text, [
        CharacterEdit(start, end, (draw(pieces),), f"T{number}")
        for number, (start, end) in enumerate(spans)
    ]


# --- tokens -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \t\n", ""),
        ("I don't know, it's 3.50 euros.", "I do n't know , it 's 3.50 euros ."),
        ("Write to a.b+c@mail.example.org now", "Write to a.b+c@mail.example.org now"),
        ("See https://example.org/a,b.", "See https://example.org/a,b ."),
        ("The U.S. team, e.g. Dr. No", "The U.S. team , e.g. Dr. No"),
        ("well-known o'clock 21st 1,000", "well-known o'clock 21st 1,000"),
        ("Він п'ять разів...", "Він п'ять разів ..."),
    ],
)
def test_tokenize_splits(text: str, expected: str) -> None:
    assert words(text) == tuple(expected.split())


@given(texts)
def test_tokenize_keeps_every_character_but_white_space(text: str) -> None:
    spans = tokenize(text)
    assert "".join(words(text)) == squeezed(text)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


@pytest.mark.parametrize(
    "unit", ["+", "a.", "1.", ".", "-", "'", "a@", "a-", "n't", "www.", "(", "1,a"]
)
@pytest.mark.parametrize("tail", ["", "a", " "])
def test_tokenize_takes_linear_time(unit: str, tail: str) -> None:
    with finishes():
        tokenize(unit * 100_000 + tail)


# --- sentences --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n ", []),
        ("No end", ["No end"]),
        ("I met Mr. Li. He smiled!  We left.", ["I met Mr. Li.", "He smiled!", "We left."]),
        ("One line\nnext line\n\nlast", ["One line", "next line", "last"]),
        ("He asked why... and left.", ["He asked why... and left."]),
        ('"Stop!" he said. "Why?" She ran.', ['"Stop!" he said.', '"Why?"', "She ran."]),
        ('It is (see p. 5. "it") so.', ['It is (see p. 5. "it") so.']),
        ("В м. Києві і т. д. на річці. Це добре.", ["В м. Києві і т. д. на річці.", "Це добре."]),
        ("他说：「好。」我走了！再见", ["他说：「好。」", "我走了！", "再见"]),
        ("Wait.... What?!", ["Wait....", "What?!"]),
    ],
)
def test_split_sentences_splits(text: str, expected: list[str]) -> None:
    assert sentences_of(text) == expected


@given(texts)
def test_split_sentences_loses_nothing_but_white_space(text: str) -> None:
    assert squeezed("".join(sentences_of(text))) == squeezed(text)
    assert all(part and part == part.strip() for part in sentences_of(text))


@pytest.mark.parametrize("unit", [".", "Mr. ", "A. B. ", ".)", ". ", '. "', "\n ", "。", '"'])
@pytest.mark.parametrize("tail", ["", "a", "A"])
def test_split_sentences_takes_linear_time(unit: str, tail: str) -> None:
    with finishes():
        split_sentences(unit * 40_000 + tail)


# --- character edits as token edits -----------------------------------------------------------


@given(texts_with_span(), pieces)
@example(("a.b", 1, 2), "")
@example(("do n't", 2, 3), "")
@example(("1 5", 1, 2), ".")
@example(("www a.b", 3, 4), ".")
def test_token_edit_does_what_the_character_edit_does(span: tuple[str, int, int], new: str) -> None:
    text, start, end = span
    raw = raw_text(text)
    edit = token_edit(raw, start, end, [new])
    after = text[:start] + new + text[end:]
    assert "".join(apply_edits(words(text), [edit])) == squeezed(after)


@given(texts_with_span(), pieces)
def test_token_edit_gives_the_tokens_of_the_corrected_text(
    span: tuple[str, int, int], new: str
) -> None:
    """Even the borders between tokens are right while few tokens stand without a space."""
    text, start, end = span
    if max(map(len, text.split()), default=0) <= 16:
        edit = token_edit(raw_text(text), start, end, [new])
        assert apply_edits(words(text), [edit]) == words(text[:start] + new + text[end:])


@given(texts_with_span(), pieces, pieces)
def test_token_edit_keeps_alternatives_in_step(
    span: tuple[str, int, int], one: str, two: str
) -> None:
    text, start, end = span
    edit = token_edit(raw_text(text), start, end, [one, two])
    for new, option in zip((one, two), edit.corrections, strict=True):
        chosen = Edit(edit.start, edit.end, (option,))
        after = text[:start] + new + text[end:]
        assert "".join(apply_edits(words(text), [chosen])) == squeezed(after)


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "expected"),
    [
        ("to the school", 3, 7, "", Edit(1, 2, ((),))),
        ("to school", 3, 3, "the ", Edit(1, 1, (("the",),))),
        ("some times", 4, 5, "", Edit(0, 2, (("sometimes",),))),
        ("However I", 7, 7, ",", Edit(1, 1, ((",",),))),
        ("its fine", 2, 2, "'", Edit(0, 1, (("it", "'s"),))),
        ("a cat.", 2, 5, "dog", Edit(1, 2, (("dog",),))),
    ],
)
def test_token_edit_is_small(text: str, start: int, end: int, new: str, expected: Edit) -> None:
    assert token_edit(raw_text(text), start, end, [new]) == expected


def test_token_edit_flags_whole_tokens() -> None:
    raw = raw_text("I goed home.")
    assert token_edit(raw, 3, 8, None) == Edit(1, 3, ())
    assert token_edit(raw, 6, 7, None) == Edit(2, 2, ())


# --- documents --------------------------------------------------------------------------------


def corrected(sentences: Iterable[Sentence], annotator: str) -> str:
    return "".join("".join(sent.corrected(annotator) or ()) for sent in sentences)


@given(documents())
@example(("dont go", [CharacterEdit(0, 1, ("D",), "T0"), CharacterEdit(3, 3, ("'",), "T1")]))
@example(("a b", [CharacterEdit(1, 2, ("-",), "T0"), CharacterEdit(2, 3, ("c",), "T1")]))
@example(("a\nb", [CharacterEdit(1, 2, ("",), "T0")]))
@example(("  a", [CharacterEdit(0, 0, ("b",), "T0")]))
@example((" ", [CharacterEdit(0, 1, ("b",), "T0")]))
def test_documents_keep_the_effect_of_every_edit(
    document: tuple[str, list[CharacterEdit]],
) -> None:
    text, edits = document
    sentences = list(split_document(text, {"0": edits}))
    assert squeezed("".join("".join(sent.tokens) for sent in sentences)) == squeezed(text)
    assert corrected(sentences, "0") == squeezed(edited(text, edits))


@given(documents())
def test_documents_lose_no_edit(document: tuple[str, list[CharacterEdit]]) -> None:
    text, edits = document
    found = [
        name
        for sent in split_document(text, {"0": edits})
        for ann in sent.annotations
        for edit in ann.edits
        for name in edit.type.split("+")
    ]
    assert found == [edit.type for edit in edits]


@given(documents(), documents())
def test_documents_keep_annotators_apart(
    one: tuple[str, list[CharacterEdit]], two: tuple[str, list[CharacterEdit]]
) -> None:
    text = one[0] + two[0]
    shifted = [
        CharacterEdit(edit.start + len(one[0]), edit.end + len(one[0]), edit.replacements)
        for edit in two[1]
    ]
    sentences = list(split_document(text, {"a": one[1], "b": shifted, "c": []}))
    assert corrected(sentences, "a") == squeezed(edited(text, one[1]))
    assert corrected(sentences, "b") == squeezed(edited(text, shifted))
    assert corrected(sentences, "c") == squeezed(text)


def only_edits(text: str, edits: Sequence[CharacterEdit]) -> list[tuple[Edit, ...]]:
    return [sent.annotations[0].edits for sent in split_document(text, {"0": edits})]


def test_documents_names_sentences_and_keeps_the_raw_text() -> None:
    one, two = split_document("Hi.  You there.", {"7": []}, id="doc")
    assert (one.id, two.id) == ("doc-0", "doc-1")
    assert one.tokens == ("Hi", ".")
    assert one.annotations == (Annotation("7"),)
    assert two.raw == raw_text("You there.")


def test_documents_joins_sentences_that_an_edit_reaches_across() -> None:
    [sent] = split_document("I ran. Home we went.", {"0": [CharacterEdit(5, 8, (", h",), "R")]})
    assert sent.tokens == ("I", "ran", ".", "Home", "we", "went", ".")
    assert sent.corrected("0") == ("I", "ran", ",", "home", "we", "went", ".")


def test_documents_joins_sentences_whose_space_is_taken_away() -> None:
    [sent] = split_document("any\nbody", {"0": [CharacterEdit(3, 4, ("",))]})
    assert sent.corrected("0") == ("anybody",)


def test_documents_leaves_sentences_apart_when_white_space_stays() -> None:
    edits = [CharacterEdit(4, 6, ("! ",)), CharacterEdit(5, 9, (" You",))]
    assert only_edits("I go. She ran.", edits) == [
        (Edit(2, 3, (("!",),)),),
        (Edit(0, 1, (("You",),)),),
    ]


def test_documents_leaves_sentences_without_space_apart() -> None:
    edits = [CharacterEdit(2, 3, ("！",)), CharacterEdit(3, 3, ("她",))]
    assert only_edits("我走。再见。", edits) == [
        (Edit(1, 2, (("！",),)),),
        (Edit(0, 1, (("她再见",),)),),
    ]


def test_documents_puts_new_words_between_sentences_at_the_end_of_the_first() -> None:
    assert only_edits("see \n\nyou", [CharacterEdit(4, 4, ("x",))]) == [
        (Edit(1, 1, (("x",),)),),
        (),
    ]


def test_documents_puts_new_words_against_a_sentence_into_it() -> None:
    assert only_edits("see \n\nyou", [CharacterEdit(5, 6, ("x",))]) == [
        (),
        (Edit(0, 1, (("xyou",),)),),
    ]


def test_documents_keeps_new_words_before_the_first_sentence_apart() -> None:
    assert only_edits("  you", [CharacterEdit(0, 0, ("x",))]) == [(Edit(0, 0, (("x",),)),)]


def test_documents_merges_edits_that_meet_in_a_token() -> None:
    edits = [
        CharacterEdit(0, 1, ("D", "d"), "CASE", required=False, comment="one"),
        CharacterEdit(3, 3, ("'",), "PUNCT", comment="two"),
    ]
    options = (("Do", "n't"), ("do", "n't"))
    assert only_edits("dont go", edits) == [
        (Edit(0, 1, options, "CASE+PUNCT", required=True, comment="one; two"),)
    ]


def test_documents_orders_edits_by_place_and_keeps_order_at_one_place() -> None:
    edits = [
        CharacterEdit(7, 8, ("c",)),
        CharacterEdit(2, 2, ("very ",)),
        CharacterEdit(2, 2, ("really ",)),
    ]
    assert only_edits("I am a b", edits) == [
        (Edit(1, 1, (("very",),)), Edit(1, 1, (("really",),)), Edit(3, 4, (("c",),)))
    ]


def test_documents_keeps_flags_and_overlapping_edits_as_they_are() -> None:
    edits = [
        CharacterEdit(2, 6, ("went",), "V"),
        CharacterEdit(2, 6, ("walked",), "V"),
        CharacterEdit(3, 5, None, "UNK"),
    ]
    assert only_edits("I goed.", edits) == [
        (
            Edit(1, 2, (("went",),), "V"),
            Edit(1, 2, (("walked",),), "V"),
            Edit(1, 2, (), "UNK"),
        )
    ]


@pytest.mark.parametrize(
    ("text", "step", "new"),
    [
        ("a" * 20_000, 1, "b"),
        ("a." * 20_000, 1, "b"),
        ("ab " * 20_000, 3, "c"),
        ("Ab. " * 20_000, 4, "c"),
        ("www." + "a/" * 20_000, 2, "b"),
    ],
)
def test_documents_takes_linear_time(text: str, step: int, new: str) -> None:
    edits = [CharacterEdit(i, i + 1, (new,)) for i in range(0, len(text), step)]
    with finishes():
        sentences = list(split_document(text, {"0": edits}))
    assert corrected(sentences, "0") == squeezed(edited(text, edits))


def test_documents_takes_linear_time_for_many_edits_at_one_place() -> None:
    edits = [CharacterEdit(3, 3, ("x",))] * 20_000
    with finishes():
        [sent] = split_document("abc d", {"0": edits})
    assert sent.corrected("0") == ("abc" + "x" * 20_000, "d")
