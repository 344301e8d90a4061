"""Detokenize sentences, so that checkers do not report the spaces between tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ESCAPED = {
    **dict(zip(("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"), "()[]{}", strict=True)),
    **dict(zip(("&#91;", "&#93;", "&#124;", "&lt;", "&gt;", "&amp;"), "[]|<>&", strict=True)),
    **dict.fromkeys(("``", "''", "&quot;"), '"'),
    **{f"&apos;{letters}": f"'{letters}" for letters in ("", "s", "m", "d", "re", "ve", "ll")},
}
"""Punctuation marks that the Penn Treebank and Moses escape."""

_TO_THE_LEFT = re.compile(r"[,.;:?!%…)\]}”»]+|n['’]t|['’](?:s|m|d|re|ve|ll|t)", re.IGNORECASE)
_TO_THE_RIGHT = re.compile(r"[(\[{“«‘$£€¥#]+")
_HALVES = {("can", "not"), ("gon", "na"), ("wan", "na"), ("got", "ta"), ("gim", "me")}
"""Words that tokenizers split in two."""


def detokenize(tokens: Sequence[str]) -> str:
    r"""Join tokens into running text.

    Handles English contractions and punctuation marks. Straight quotation marks alternate between
    opening and closing.

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
            glued = glued or _attaches(before, word)
            glue_next = _TO_THE_RIGHT.fullmatch(word) is not None
        pieces.append(word if glued else f" {word}")
        glued = glue_next
    return "".join(pieces)


def _attaches(before: str, word: str) -> bool:
    """Whether a token attaches to the preceding one."""
    is_mark = word == "’" or _TO_THE_LEFT.fullmatch(word) is not None
    return is_mark or (before.lower(), word.lower()) in _HALVES


def _is_possessive(before: str, word: str) -> bool:
    return word == "'" and before[-1:] in ("s", "S")
