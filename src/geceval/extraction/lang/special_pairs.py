"""Pairs of words whose difference is one of spelling or euphony, by language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

SpecialPair: TypeAlias = Callable[[str, str], str | None]
"""Returns the category of two lowercase words, or None."""

_UKRAINIAN_SETS = tuple(
    frozenset(words.split())
    for words in (
        "в у уві", "і й", "з із зі зо", "о об", "від од", "під піді", "над наді",
        "перед переді", "ж же", "б би", "щоб щоби", "ще іще", "хоч хоча",
    )
)  # fmt: skip
_UKRAINIAN_INITIALS = (frozenset("ву"), frozenset("ій"))
_REFLEXIVE = ("ся", "сь")
_JOINERS = str.maketrans("", "", "'-")


def ukrainian_pair(before: str, after: str) -> str | None:
    """Return ``SPELL`` for euphonic variants and words that differ in apostrophes or hyphens.

    Examples
    --------
    >>> ukrainian_pair("в", "у"), ukrainian_pair("сміявся", "сміявсь")
    ('SPELL', 'SPELL')
    >>> ukrainian_pair("кіт", "пес")
    """
    if any(before in words and after in words for words in _UKRAINIAN_SETS):
        return "SPELL"
    if before[:-2] == after[:-2] and before.endswith(_REFLEXIVE) and after.endswith(_REFLEXIVE):
        return "SPELL"
    if before[1:] == after[1:] and any(
        before[0] in letters and after[0] in letters for letters in _UKRAINIAN_INITIALS
    ):
        return "SPELL"
    if before.translate(_JOINERS) == after.translate(_JOINERS):
        return "SPELL"
    return None


def greek_pair(before: str, after: str) -> str | None:
    """Return ``FN`` if only one of two words ends in ν.

    Examples
    --------
    >>> greek_pair("τη", "την")
    'FN'
    """
    return "FN" if f"{before}ν" == after or before == f"{after}ν" else None
