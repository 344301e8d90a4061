"""Token offsets in text with Unicode spaces inside words.

All formats split at white space of any kind, so that sources, references and outputs are tokenized
alike. Some tools split at U+0020 only: for them, ``10 000`` with a no-break space is one word. This
module converts their word offsets into token offsets.
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
class UnicodeSpaces:
    """A sentence whose tokens are not its words between plain spaces (U+0020).

    Parameters
    ----------
    space
        The first space that is not plain.
    places
        Number of tokens before each word, and in total.
    """

    space: str
    places: Sequence[int]

    @classmethod
    def of(cls, text: str, *, ascii_separates: bool = False) -> UnicodeSpaces | None:
        r"""Analyze a sentence; None if its words are its tokens.

        Examples
        --------
        >>> UnicodeSpaces.of("10\u00a0000 euros").places
        (0, 2, 3)
        >>> UnicodeSpaces.of("10 000 euros") is None
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
        """Convert a word offset into a token offset."""
        n_words = len(self.places) - 1
        past = max(0, offset - n_words)
        return self.places[offset - past] + past

    def resolve(self, spans: Sequence[Span], source: Input, line: int) -> UnicodeSpaces | None:
        """Determine whether offsets count words or tokens, and report it where it matters.

        They count words, unless an edit is out of range as words but not as tokens: then None.
        """
        n_words, n_tokens = len(self.places) - 1, self.places[-1]
        counts_tokens = any(n_words < end <= n_tokens for _, end in spans)
        moves = any(self.place(offset) != offset for span in spans for offset in span)
        if counts_tokens or moves:
            self.note(source, line, counts_tokens=counts_tokens)
        return None if counts_tokens else self

    def note(self, source: Input, line: int, *, counts_tokens: bool) -> None:
        """Report how the offsets of the sentence were read."""
        name = f"U+{ord(self.space):04X} {unicodedata.name(self.space, '')}".rstrip()
        how = "every white space" if counts_tokens else "plain spaces only"
        message = f"{name} inside a word: offsets are read as if text were split at {how}"
        source.note("unicode-space", message, line=line)

    def move(
        self, span: Span, corrections: Iterable[Tokens], source: Input, line: int
    ) -> Span | None:
        """Convert a span of words into a span of tokens.

        An edit that only removes white space changes no token: it is reported, and None returned.
        """
        start, end = map(self.place, span)
        if start == end and span[0] < span[1] and not any(corrections):
            source.note("unicode-space", "ignored an edit that only changes white space", line=line)
            return None
        return start, end
