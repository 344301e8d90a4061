"""Lowercasing by language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Lower: TypeAlias = Callable[[str], str]
"""Lowercases a word."""

_APOSTROPHES = str.maketrans("’ʼ", "''")
_TURKIC = str.maketrans({"I": "ı", "İ": "i"})


def lower_turkic(text: str) -> str:
    """Lowercase Turkish or Azerbaijani, which have a dotted and a dotless i.

    Examples
    --------
    >>> lower_turkic("KAPI"), lower_turkic("İstanbul")
    ('kapı', 'istanbul')
    """
    return text.translate(_TURKIC).lower()


def lower_greek(text: str) -> str:
    """Lowercase Greek; the final sigma is a sigma.

    Examples
    --------
    >>> lower_greek("ΛΌΓΟΣ")
    'λόγοσ'
    """
    return text.lower().replace("ς", "σ")


def lower_ukrainian(text: str) -> str:
    """Lowercase Ukrainian; all apostrophes are one letter.

    Examples
    --------
    >>> lower_ukrainian("П’ять") == lower_ukrainian("пʼять")
    True
    """
    return text.translate(_APOSTROPHES).lower()


_BY_LANGUAGE: dict[str, Lower] = {
    "az": lower_turkic,
    "el": lower_greek,
    "tr": lower_turkic,
    "uk": lower_ukrainian,
}


def lower_for(language: str) -> Lower:
    """Return the function that lowercases a language; `str.lower` for most.

    Examples
    --------
    >>> lower_for("de") is str.lower
    True
    """
    return _BY_LANGUAGE.get(language, str.lower)
