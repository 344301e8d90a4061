"""Scripts, invisible characters and variants that look alike."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.characters import (
    Variant,
    count_scripts,
    fold_width,
    invisible_characters,
    normalized,
    script_of,
    variant_of,
    without_invisible,
)
from geceval.extraction.annotator import Annotator


@pytest.mark.parametrize(
    ("letter", "script"),
    [("a", "Latin"), ("ß", "Latin"), ("Ａ", "Latin"), ("я", "Cyrillic"), ("ｶ", "CJK"),
     ("字", "CJK"), ("ไ", "Thai"), ("ह", "Devanagari"), ("ع", "Arabic"), ("한", "Hangul")],
)  # fmt: skip
def test_characters_scripts(letter: str, script: str) -> None:
    assert script_of(letter) == script


def test_characters_scripts_count_letters_only() -> None:
    assert count_scripts(["a1!", "яя"]) == {"Latin": 1, "Cyrillic": 2}


@pytest.mark.parametrize(
    ("before", "after", "variant"),
    [
        ("C’ est", "C' est", "APOS"),
        ("об'єкт", "обʼєкт", "APOS"),
        ("geht´s", "geht's", "APOS"),
        ("１００", "100", "WIDTH"),
        ("．", ".", "WIDTH"),
        ("co\u00adop", "coop", "INVISIBLE"),
        ("zero\u200bwidth", "zerowidth", "INVISIBLE"),
        ("\u200fשלום", "שלום", "INVISIBLE"),
        (unicodedata.normalize("NFD", "Häuser"), "Häuser", "FORM"),
        ("Häuser", "Hauser", None),
        ("a", "a", None),
        ("می\u200cخواهم", "میخواهم", None),
    ],
)
def test_characters_variants(before: str, after: str, variant: Variant | None) -> None:
    assert variant_of(before.split(), after.split()) == variant
    assert variant_of(after.split(), before.split()) == variant


@pytest.mark.parametrize(
    ("before", "after"), [("C’ est", "C' est"), ("１００ ．", "100 ."), ("co\u00adop x", "coop x")]
)
def test_characters_that_look_alike_are_orthography(before: str, after: str) -> None:
    edits = Annotator("plain").annotate(before, after)
    assert edits
    assert all(edit.type == "R:ORTH" for edit in edits)


@given(st.text(max_size=8))
def test_characters_folding_is_idempotent(text: str) -> None:
    assert fold_width(fold_width(text)) == fold_width(text)
    assert invisible_characters(without_invisible(text)) == []
    assert normalized(normalized([text])) == (unicodedata.normalize("NFC", text),)
