"""Tokens back to running text, so that no checker stumbles over the spaces between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ESCAPED = {
    **dict(zip(("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"), "()[]{}", strict=True)),
    **dict(zip(("&#91;", "&#93;", "&#124;", "&lt;", "&gt;", "&amp;"), "[]|<>&", strict=True)),
    **dict.fromkeys(("``", "''", "&quot;"), '"'),
    **{f"&apos;{letters}": f"'{letters}" for letters in ("", "s", "m", "d", "re", "ve", "ll")},
}
"""Marks that the Penn Treebank and Moses write in another way."""

_TO_THE_LEFT = re.compile(r"[,.;:?!%…)\]}”»]+|n['’]t|['’](?:s|m|d|re|ve|ll|t)", re.IGNORECASE)
_TO_THE_RIGHT = re.compile(r"[(\[{“«‘$£€¥#]+")
_HALVES = {("can", "not"), ("gon", "na"), ("wan", "na"), ("got", "ta"), ("gim", "me")}
"""Words that tokenizers cut in two."""


def detokenize(tokens: Sequence[str]) -> str:
    r"""Join tokens as people write them.

    It knows English contractions, and marks that stand against the word before or behind them.
    Straight quotation marks open and close in turn.

    Examples
    --------
    >>> detokenize("He ca n't pay $ 5 ( or 6 ) , `` yet '' .".split())
    'He can\'t pay $5 (or 6), "yet".'
    """
    words = [_ESCAPED.get(token, token) for token in tokens]
    pieces: list[str] = []
    is_open = dict.fromkeys("\"'", False)
    glued = True
    for number, word in enumerate(words):
        before = words[number - 1] if number else ""
        if word in is_open:
            closes = is_open[word] or (not glued and _is_possessive(before, word))
            is_open[word] = not closes
            glued, glue_next = glued or closes, not closes
        else:
            glued = glued or _goes_left(before, word)
            glue_next = _TO_THE_RIGHT.fullmatch(word) is not None
        pieces.append(word if glued else f" {word}")
        glued = glue_next
    return "".join(pieces)


def _goes_left(before: str, word: str) -> bool:
    """Whether a word stands right behind the one before it."""
    goes_left = word == "’" or _TO_THE_LEFT.fullmatch(word) is not None
    return goes_left or (before.lower(), word.lower()) in _HALVES


def _is_possessive(before: str, word: str) -> bool:
    return word == "'" and before[-1:] in ("s", "S")
