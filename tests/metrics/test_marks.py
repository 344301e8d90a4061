"""Combining marks, joiners and emoji: tokenizers keep them with the character before them."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geceval.formats import Input, get_format
from geceval.formats._shared import nucle_tokens
from geceval.text import Tokenizer, raw_text, token_edit, tokenize, tokens_at


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("हिन्दी में लिखा है।", "हिन्दी में लिखा है ।"),
        ("وَكَتَبَ الوَلَدُ.", "وَكَتَبَ الوَلَدُ ."),
        ("שָׁלוֹם, עולם", "שָׁלוֹם , עולם"),
        ("ก็ดี่", "ก็ดี่"),
        (decomposed("Die Häuser sind größer."), decomposed("Die Häuser sind größer .")),
        (decomposed("É.U. née's naïve-té"), decomposed("É.U. née 's naïve-té")),
        ("می‌خواهم.", "می‌خواهم ."),
        ("क्‍ष!", "क्‍ष !"),
        ("ok👍🏽!", "ok 👍🏽 !"),
        ("👩‍💻❤️‍🔥 🇩🇪🇫🇷🇩", "👩‍💻 ❤️‍🔥 🇩🇪 🇫🇷 🇩"),
        ("5️⃣ or 5.5", "5️⃣ or 5.5"),
        ("🏴\U000e0067\U000e0062\U000e007f.", "🏴\U000e0067\U000e0062\U000e007f ."),
        # Without a character before it, a mark stands by itself.
        ("\u0301a b \u0301c", "\u0301 a b \u0301 c"),
    ],
)
def test_marks_stay_with_their_base(text: str, tokens: str) -> None:
    assert tokens_at(text, tokenize(text)) == tuple(tokens.split(" "))


LATIN = st.text(st.sampled_from("aeéöñçÅ .,'’-n't5U!x"), max_size=30)


@given(LATIN)
@example("é's n't")
@example("ñ't")
def test_marks_decomposed_text_has_the_same_tokens(text: str) -> None:
    """Decomposed and composed text are cut in the same places."""
    composed = unicodedata.normalize("NFC", text)
    apart = decomposed(composed)
    expected = tuple(map(decomposed, tokens_at(composed, tokenize(composed))))
    assert tokens_at(apart, tokenize(apart)) == expected


MIXED = st.text(
    st.sampled_from("ab1.,' \u00a0\u0301\u093f\u0903\u20dd\ufe0f\u200c\u200dहк👍🏽🇩")
    | st.characters(categories=("Mn", "Mc", "Me", "So", "L", "Zs")),
    max_size=20,
)


@pytest.mark.parametrize("tokenizer", [tokenize, nucle_tokens.tokenize])
@given(text=MIXED)
def test_marks_never_begin_a_token(tokenizer: Tokenizer, text: str) -> None:
    spans = tokenizer(text)
    for start, _ in spans:
        before = text[start - 1 : start]
        if before and not before.isspace():
            assert unicodedata.category(text[start])[0] != "M"
            assert text[start] not in "\u200c\u200d"
    # Nothing is lost, nothing stands in two tokens.
    assert "".join(tokens_at(text, spans)) == "".join(text.split())
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


def test_marks_edits_take_whole_tokens() -> None:
    raw = raw_text(decomposed("Die Häuser"))
    place = raw.text.index("\u0308")
    edit = token_edit(raw, place, place + 1, [""])
    assert (edit.start, edit.end, edit.corrections) == (1, 2, (("Hauser",),))


def test_marks_in_raw_formats() -> None:
    line = '{"id": "1", "text": "हिन्दी है।", "edits": [[0, [[0, 6, "हिंदी"]]]]}\n'
    (sent,) = get_format("bea").read([Input.from_text(line)])
    assert sent.tokens == ("हिन्दी", "है", "।")
    assert sent.corrected("0") == ("हिंदी", "है", "।")
