"""Tokens by the rules of the Penn Treebank, as NLTK's ``TreebankWordTokenizer`` applies them."""

from __future__ import annotations

import re

from geceval.compat.gleu_counts import words

_BEFORE = [
    (re.compile(r"^\""), "``"),
    (re.compile(r"(``)"), r" \1 "),
    (re.compile(r"([ \(\[{<])(\"|\'{2})"), r"\1 `` "),
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"[;@#$%&]"), r" \g<0> "),
    (re.compile(r"([^\.])(\.)([\]\)}>\"\']*)\s*$"), r"\1 \2\3 "),
    (re.compile(r"[?!]"), r" \g<0> "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"[\]\[\(\)\{\}\<\>]"), r" \g<0> "),
    (re.compile(r"--"), r" -- "),
]
"""Opening quotes, punctuation marks, brackets and dashes."""

_AFTER = [
    (re.compile(r"''"), " '' "),
    (re.compile(r'"'), " '' "),
    (re.compile(r"([^' ])('[sS]|'[mM]|'[dD]|') "), r"\1 \2 "),
    (re.compile(r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), r"\1 \2 "),
    *(
        (re.compile(rf"(?i)\b({first})({second})\b"), r" \1 \2 ")
        for first, second in (
            ("can", "not"), ("d", "'ye"), ("gim", "me"), ("gon", "na"), ("got", "ta"),
            ("lem", "me"), ("more", "'n"),
        )
    ),
    (re.compile(r"(?i)\b(wan)(na)(?=\s)"), r" \1 \2 "),
    (re.compile(r"(?i) ('t)(is)\b"), r" \1 \2 "),
    (re.compile(r"(?i) ('t)(was)\b"), r" \1 \2 "),
]  # fmt: skip
"""Closing quotes, clitics and contractions, with a space at both ends of the text."""


def treebank_tokens(text: str) -> list[str]:
    """Split a text into tokens, at ASCII spaces only, as Python 2 did.

    Examples
    --------
    >>> treebank_tokens("You can't leave.")
    ['You', 'ca', "n't", 'leave', '.']
    """
    for pattern, replacement in _BEFORE:
        text = pattern.sub(replacement, text)
    text = f" {text} "
    for pattern, replacement in _AFTER:
        text = pattern.sub(replacement, text)
    return words(text)
