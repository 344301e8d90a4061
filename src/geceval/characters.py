r"""Properties of characters: scripts, invisible characters, and variants that look alike.

All functions take text of any language.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

Normalization: TypeAlias = Literal["none", "nfc"]
"""Whether texts are compared as they are, or in Unicode's composed form."""

NORMALIZATIONS: tuple[Normalization, ...] = get_args(Normalization)

_JOINT_SCRIPTS = {"Hiragana": "CJK", "Katakana": "CJK", "Cjk": "CJK", "Bopomofo": "CJK"}
_HALFWIDTH = "Halfwidth"

UNSPACED_SCRIPTS = frozenset({"CJK", "Thai", "Lao", "Khmer", "Myanmar"})
"""Scripts without spaces between words."""


@lru_cache(100_000)
def script_of(letter: str) -> str:
    """Return the script of a letter, the first word of its Unicode name.

    Chinese characters and kana are one script, CJK.

    Examples
    --------
    >>> [script_of(letter) for letter in "aжह字か"]
    ['Latin', 'Cyrillic', 'Devanagari', 'CJK', 'CJK']
    """
    if letter.isascii():
        return "Latin"
    script, _, rest = unicodedata.name(letter, "").partition(" ")
    if script in ("HALFWIDTH", "FULLWIDTH"):
        script = rest.partition(" ")[0]
    script = script.capitalize()
    return _JOINT_SCRIPTS.get(script, script)


def count_scripts(texts: Iterable[str]) -> Counter[str]:
    """Count the letters of each script.

    Examples
    --------
    >>> count_scripts(["Это", "ok", "1"])
    Counter({'Cyrillic': 3, 'Latin': 2})
    """
    letters = Counter(filter(str.isalpha, "".join(texts)))
    found: Counter[str] = Counter()
    for letter, count in letters.items():
        found[script_of(letter)] += count
    return found


# Invisible characters. Joiners and variation selectors are part of the spelling of some scripts.
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
                        "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\uffa0]")  # fmt: skip


def invisible_characters(text: str) -> list[str]:
    r"""Return the distinct characters of a word that cannot be seen but make it another word.

    Examples
    --------
    >>> invisible_characters("co\u00adoper\u200bate")
    ['\xad', '\u200b']
    """
    if text.isascii():
        return []
    return list(dict.fromkeys(_INVISIBLE.findall(text)))


def without_invisible(text: str) -> str:
    """Remove invisible characters."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


APOSTROPHES = "'’ʼ‘`´ʹ′＇"
"""Characters that are used as an apostrophe."""

_TO_APOSTROPHE = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))


def fold_apostrophes(text: str) -> str:
    """Replace all kinds of apostrophes by the plain one.

    Examples
    --------
    >>> fold_apostrophes("об’єкт"), fold_apostrophes("C´est")
    ("об'єкт", "C'est")
    """
    return text.translate(_TO_APOSTROPHE)


@lru_cache(100_000)
def fold_width(text: str) -> str:
    """Replace full-width and half-width characters by the usual ones.

    Examples
    --------
    >>> fold_width("１００．"), fold_width("ｶﾞ")
    ('100.', 'ガ')
    """
    if text.isascii():
        return text
    folded = [
        unicodedata.normalize("NFKC", char)
        if unicodedata.decomposition(char).startswith(("<wide>", "<narrow>"))
        else char
        for char in text
    ]
    return unicodedata.normalize("NFC", "".join(folded))


Variant: TypeAlias = Literal["APOS", "WIDTH", "INVISIBLE", "FORM"]
"""How two spellings of the same text differ: in apostrophes, in width, in invisible characters, or
in their Unicode form (composed or decomposed)."""


def variant_of(before: Sequence[str], after: Sequence[str]) -> Variant | None:
    r"""Return how two phrases differ if only in characters that look alike.

    Spaces and case are compared, too. None if the phrases differ in anything else, or not at all.

    Examples
    --------
    >>> variant_of(["C’", "est"], ["C'", "est"]), variant_of(["１００"], ["100"])
    ('APOS', 'WIDTH')
    >>> variant_of(["coop\u00ad"], ["coop"]), variant_of(["a"], ["b"])
    ('INVISIBLE', None)
    """
    one, other = " ".join(before), " ".join(after)
    if one == other or (one.isascii() and other.isascii() and "`" not in one + other):
        return None
    one, other = (unicodedata.normalize("NFC", text) for text in (one, other))
    if one == other:
        return "FORM"
    kinds: tuple[tuple[Variant, str, str], ...] = (
        ("INVISIBLE", without_invisible(one), without_invisible(other)),
        ("APOS", fold_apostrophes(one), fold_apostrophes(other)),
        ("WIDTH", fold_width(one), fold_width(other)),
    )
    for kind, first, second in kinds:
        if first == second:
            return kind
    return None


def normalized(tokens: Sequence[str]) -> tuple[str, ...]:
    """Compose the characters of each token (NFC).

    Examples
    --------
    >>> normalized(["Ha\u0308user"]) == ("Häuser",)
    True
    """
    return tuple(
        token
        if token.isascii() or unicodedata.is_normalized("NFC", token)
        else unicodedata.normalize("NFC", token)
        for token in tokens
    )


def is_composed(text: str) -> bool:
    """Whether text is in Unicode's composed form (NFC)."""
    return text.isascii() or unicodedata.is_normalized("NFC", text)
