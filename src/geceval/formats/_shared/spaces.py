"""Offsets in text whose words hold other spaces than the plain one.

Tokens are what stands between white space of any kind, in every format, so that sources,
references and outputs are cut in the same way. Some tools cut at plain spaces only: to them
``10 000`` with a no-break space is one word, and their offsets count it once. Here offsets are
turned into those of our tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from geceval.formats.inputs import Input
from geceval.model import Tokens

Span: TypeAlias = tuple[int, int]

_PLAIN, _ASCII = " ", " \t\n\r\f\v"
_ODD_SPACE = {separators: re.compile(rf"[^\S{separators}]") for separators in (_PLAIN, _ASCII)}


@dataclass(frozen=True, slots=True)
class OddSpaces:
    """A sentence that has more tokens, or fewer, than words between plain spaces.

    Parameters
    ----------
    space
        Its first space that is not plain.
    places
        How many tokens stand before each word, and in all.
    """

    space: str
    places: Sequence[int]

    @classmethod
    def of(cls, text: str, *, ascii_separates: bool = False) -> OddSpaces | None:
        r"""Look at a sentence; None where words are tokens.

        Examples
        --------
        >>> OddSpaces.of("10\u00a0000 euros").places
        (0, 2, 3)
        >>> OddSpaces.of("10 000 euros") is None
        True
        """
        separators = _ASCII if ascii_separates else _PLAIN
        found = _ODD_SPACE[separators].search(text)
        if found is None:
            return None
        words = (word for word in re.split(f"[{separators}]+", text) if word)
        sizes = [len(word.split()) for word in words]
        if sizes.count(1) == len(sizes):
            return None
        return cls(found[0], tuple(accumulate(sizes, initial=0)))

    def place(self, offset: int) -> int:
        """Turn an offset that counts words into one that counts tokens."""
        n_words = len(self.places) - 1
        past = max(0, offset - n_words)
        return self.places[offset - past] + past

    def settle(self, spans: Sequence[Span], source: Input, line: int) -> OddSpaces | None:
        """Tell what the offsets of a sentence count, and note it where it matters.

        Words, unless an edit reaches past the last of them and still fits when tokens are
        counted: then None.
        """
        n_words, n_tokens = len(self.places) - 1, self.places[-1]
        counts_tokens = any(n_words < end <= n_tokens for _, end in spans)
        moves = any(self.place(offset) != offset for span in spans for offset in span)
        if counts_tokens or moves:
            self.note(source, line, counts_tokens=counts_tokens)
        return None if counts_tokens else self

    def note(self, source: Input, line: int, *, counts_tokens: bool) -> None:
        """Note how the offsets of the sentence were read."""
        name = f"U+{ord(self.space):04X} {unicodedata.name(self.space, '')}".rstrip()
        how = "every white space" if counts_tokens else "plain spaces only"
        message = f"{name} stands between words: offsets are read as if cut at {how}"
        source.note("odd-space", message, line=line)

    def move(
        self, span: Span, corrections: Iterable[Tokens], source: Input, line: int
    ) -> Span | None:
        """Turn a span of words into one of tokens.

        None, and noted, where white space alone is taken out, which is nothing to tokens.
        """
        start, end = map(self.place, span)
        if start == end and span[0] < span[1] and not any(corrections):
            source.note("odd-space", "an edit of white space alone was left out", line=line)
            return None
        return start, end
