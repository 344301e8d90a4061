"""Sentences of any tokens at all, for comparisons of analyzers."""

from __future__ import annotations

import random
from collections.abc import Callable

from geceval.extraction.lang.en_fast import self_check as selfcheck
from geceval.model import Tokens

COMMON = sorted({word for sentence in selfcheck.sentences() for word in sentence})
# What patterns of the attribute ruler mention, and what stands beside it.
_SPECIAL = """\
n't nt n’t y' y Y' all ALL let Let 's 'S gon na Gon NA got ta ai Ai is was were 're There there
c'm on 'em 'll 'd 've ol' somethin' nothin' nuthin' doin' goin' 'nuff do does did have
"""
_ODD = """\
👍🏽 🇩🇪 👨\u200d👩\u200d👧 \U0001f600 :-) … — « » Ω naïve 猫 дом مرحبا ไทย ﬁ İ ß ǅ a\u200d \u200b
\ufeff http://a.b/c?d=e#f www.example.org me@example.org 3.14 1,000,000 1990s -5 ½ ² #tag @user C++
.NET a/b x=y &amp; <br/> \\n %s \x7f ＡＢＣ １２３ 'tis \'\'\' \"\" `` ---- ... ?!?! ||
"""
SPECIAL, ODD = _SPECIAL.split(), _ODD.split()
SPACES = ["\n", "\t", "  ", "\u00a0", "\u2003", "\u3000"]


def random_tokens(chance: random.Random) -> Tokens:
    """Make a sentence; most are short, a few have hundreds of tokens."""
    size = chance.choice([0, 1, 1, 2, 3, 5, 8, 12, 20, 30])
    if chance.random() < 0.01:
        size = 400
    sources: list[Callable[[], str]] = [
        lambda: chance.choice(COMMON),
        lambda: chance.choice(COMMON).upper(),
        lambda: chance.choice(SPECIAL),
        lambda: chance.choice(ODD),
        lambda: chance.choice(SPACES),
        lambda: str(chance.randrange(10 ** chance.randrange(1, 9))),
        lambda: "".join(chance.choices("abcdefghijklmnopqrstuvwxyz'-", k=chance.randrange(1, 12))),
        lambda: "".join(chr(chance.randrange(0x21, 0x3000)) for _ in range(chance.randrange(1, 6))),
    ]
    weights = chance.choice([[1, 0, 0, 0, 0, 0, 0, 0], [20, 1, 4, 2, 1, 2, 3, 1], [1] * 8])
    return tuple(source() for source in chance.choices(sources, weights, k=size))


def random_sentences(number: int, seed: int) -> list[Tokens]:
    """Make so many sentences."""
    chance = random.Random(seed)
    return [random_tokens(chance) for _ in range(number)]
