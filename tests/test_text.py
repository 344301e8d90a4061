"""Tokens: what the tests of documents do not cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.text import Interner, find_tokens, raw_text, split_tokens, tokens_at, touched_tokens
from strategies import phrases, words


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("", ()),
        ("  \t ", ()),
        ("a  b\tc ", ("a", "b", "c")),
        ("a\u2028b\u00a0c\u0085d\x1ee", ("a", "b", "c", "d", "e")),
        ("zero\u200bwidth 👩‍👩‍👧", ("zero\u200bwidth", "👩‍👩‍👧")),
    ],
)
def test_text_split_tokens(line: str, tokens: tuple[str, ...]) -> None:
    assert split_tokens(line) == tokens


@pytest.mark.parametrize(
    ("text", "tokens", "spans"),
    [
        ("", (), ()),
        (" a b ", ("a", "b"), ((1, 2), (3, 4))),
        ("don't", ("do", "n't"), ((0, 2), (2, 5))),
        ("aa", ("a", "a"), ((0, 1), (1, 2))),
        ("a b", ("a",), None),
        ("a b", ("b",), None),
        ("a", ("a", "a"), None),
        ("b a", ("a", "b"), None),
    ],
)
def test_text_find_tokens(
    text: str, tokens: tuple[str, ...], spans: tuple[tuple[int, int], ...] | None
) -> None:
    assert find_tokens(text, tokens) == spans


@given(phrases(words()), st.sampled_from(["", " ", " \u2028\t"]))
def test_text_find_tokens_finds_joined_tokens(tokens: tuple[str, ...], glue: str) -> None:
    text = glue.join(tokens)
    spans = find_tokens(text, tokens)
    assert spans is not None
    assert tokens_at(text, spans) == tokens


def test_text_raw_text_takes_any_tokenizer() -> None:
    raw = raw_text("ab", lambda text: tuple((i, i + 1) for i in range(len(text))))
    assert tokens_at(raw.text, raw.spans) == ("a", "b")


@pytest.mark.parametrize(
    ("span", "tokens"),
    [((0, 0), (0, 0)), ((1, 1), (0, 1)), ((2, 3), (1, 1)), ((0, 4), (0, 2)), ((5, 9), (2, 2))],
)
def test_text_touched_tokens(span: tuple[int, int], tokens: tuple[int, int]) -> None:
    assert touched_tokens(((0, 2), (3, 5)), *span) == tokens


def test_text_interner_numbers_tokens_across_calls() -> None:
    interner = Interner()
    first = interner.intern([("a", "b"), (), ("b",)])
    second = interner.intern([["c", "a"]])
    assert (first.tokens.tolist(), first.offsets.tolist()) == ([0, 1, 1], [0, 2, 2, 3])
    assert (second.tokens.tolist(), second.offsets.tolist()) == ([2, 0], [0, 2])
    assert [str(array.dtype) for array in first] == ["int32", "int64"]
    assert len(interner) == 3


def test_text_interner_of_nothing() -> None:
    empty = Interner().intern([])
    assert (empty.tokens.tolist(), empty.offsets.tolist()) == ([], [0])
    assert empty.tokens.dtype == np.int32


def test_text_interner_normalizes() -> None:
    interner = Interner(str.lower)
    assert interner.intern([("The", "the", "THE", "cat")]).tokens.tolist() == [0, 0, 0, 1]
    assert len(interner) == 2


@given(st.lists(phrases(words())))
def test_text_interner_keeps_equality(sents: list[tuple[str, ...]]) -> None:
    tokens, offsets = Interner().intern(sents)
    flat = [token for sent in sents for token in sent]
    numbers: list[int] = tokens.tolist()
    assert dict(zip(flat, numbers, strict=True)).keys() == set(flat)
    assert len(set(zip(flat, numbers, strict=True))) == len(set(flat)) == len(set(numbers))
    assert np.diff(offsets).tolist() == [len(sent) for sent in sents]
