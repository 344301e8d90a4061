"""Properties of words that follow from their characters alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_QUOTES = frozenset("\"'`´‘’‚‛“”„‟«»‹›「」『』〝〞＂")
_INSIDE = frozenset("'’ʼ´`-‐‑")
"""Apostrophes and hyphens, which inside a word are no punctuation."""


@lru_cache(100_000)
def is_punctuation(token: str) -> bool:
    """Whether all characters of a token are punctuation marks or symbols.

    Examples
    --------
    >>> is_punctuation("..."), is_punctuation("„"), is_punctuation("z.")
    (True, True, False)
    """
    return bool(token) and all(unicodedata.category(char)[0] in "PS" for char in token)


@lru_cache(100_000)
def is_word(token: str, letters: frozenset[str] = frozenset()) -> bool:
    """Whether a token consists of letters, with their marks, and of other `letters`.

    Examples
    --------
    >>> is_word("हिन्दी"), is_word("B2"), is_word("п'ять", frozenset("'"))
    (True, False, True)
    """
    if token.isalpha():
        return True
    return token[:1].isalpha() and all(
        char.isalpha() or char in letters or unicodedata.category(char)[0] == "M" for char in token
    )


def without_punctuation(tokens: Sequence[str]) -> list[str]:
    """Remove punctuation characters, except quotes, and apostrophes and hyphens inside words.

    Examples
    --------
    >>> without_punctuation(["об'єкт", ",", "так", "."])
    ["об'єкт", 'так']
    """
    return [rest for token in tokens if (rest := _bare(token))]


def without_quotes(tokens: Sequence[str]) -> list[str]:
    """Remove quotation marks.

    Examples
    --------
    >>> without_quotes(["„", "Ano", "“"])
    ['Ano']
    """
    stripped = ("".join([char for char in token if char not in _QUOTES]) for token in tokens)
    return [rest for rest in stripped if rest]


@lru_cache(100_000)
def _bare(token: str) -> str:
    last = len(token) - 1
    return "".join(
        [
            char
            for place, char in enumerate(token)
            if unicodedata.category(char)[0] not in "PS"
            or (char in _INSIDE and 0 < place < last)
            or char in _QUOTES
        ]
    )
