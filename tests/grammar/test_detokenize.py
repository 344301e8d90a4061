"""Tokens back to running text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.grammar.detokenize import detokenize


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("I do n't know , it 's fine .", "I don't know, it's fine."),
        ("They ca n’t ; we ’ll see !", "They can’t; we’ll see!"),
        ("We can not stay .", "We cannot stay."),
        ('" Yes , " he said .', '"Yes," he said.'),
        ("`` Yes , '' he said .", '"Yes," he said.'),
        ("“ Yes ” and ‘ no ’ .", "“Yes” and ‘no’."),
        ('( " Yes " )', '("Yes")'),
        ("He said ' no ' twice .", "He said 'no' twice."),
        ("the students ' books and John 's", "the students' books and John's"),
        ("It costs $ 5 ( or 50 % more ) [ 3 ] .", "It costs $5 (or 50% more) [3]."),
        ("-LRB- so -RRB- &quot; a &quot; &amp; b", '(so) "a" & b'),
        ("What ? !", "What?!"),
        ("a well - known man", "a well - known man"),
        ("", ""),
    ],
)
def test_detokenize_writes_as_people_do(tokens: str, text: str) -> None:
    assert detokenize(tokens.split()) == text


@given(st.lists(st.sampled_from(["a", "Bob", ",", ".", '"', "'", "(", ")", "n't", "’", "$", "😀"])))
def test_detokenize_changes_nothing_but_spaces(tokens: list[str]) -> None:
    text = detokenize(tokens)
    assert text.replace(" ", "") == "".join(tokens)
    assert text == " ".join(text.split())
