"""A text that is held against its source, and what can be counted in the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from unicodedata import name

from geceval.formats.findings import Severity
from geceval.model import Tokens

UNLIKE = 0.3
"""The share of tokens in common below which two sentences do not go together."""

SHORTEST_TELLING = 3
"""Tokens that a sentence needs for its likeness to another to mean something."""

MOST = 0.5
"""The share of sentences that makes something the habit of a file."""

_TOO_MANY = 0.01
"""The share of sentences from which on something is no longer a matter of single sentences."""

_SAMPLE = 400
"""Sentences, evenly spread, in which the habits of a file are looked for."""

FEW = 10
"""Sentences or marks without which nothing is called a habit."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that makes a text unfit to be scored.

    Parameters
    ----------
    code
        Its kind.
    message
        What was seen, what it does to scores and what to do about it.
    lines
        The sentences where it was seen, counted from 1.
    severity
        ``"error"`` where it spoils a score.
    """

    code: str
    message: str
    lines: tuple[int, ...] = ()
    severity: Severity = "error"


class Text:
    """A text, and what can be counted in a sample of its words: far quicker than in all of it."""

    def __init__(self, sentences: Sequence[Tokens]) -> None:
        self.sentences = sentences

    @cached_property
    def joined(self) -> list[str]:
        """The letters of each sentence, without spaces."""
        return ["".join(tokens) for tokens in self.sentences]

    @cached_property
    def lengths(self) -> list[int]:
        """How many tokens each sentence has."""
        return list(map(len, self.sentences))

    @cached_property
    def n_filled(self) -> int:
        """How many sentences are not empty."""
        return len(self.lengths) - self.lengths.count(0)

    @cached_property
    def words(self) -> Counter[str]:
        """The words of a sample, which is enough to know the habits of a file."""
        step = 1 + len(self.sentences) // _SAMPLE
        return Counter(chain.from_iterable(self.sentences[::step]))

    @cached_property
    def vocabulary(self) -> str:
        """Every word of the sample once, each with a line end on both sides."""
        return "\n".join(("", *self.words, ""))

    def count(self, *words: str) -> int:
        """Count tokens."""
        return sum(self.words[word] for word in words)

    @cached_property
    def odd_words(self) -> list[tuple[str, int]]:
        """The words that are not made of letters alone, and how often they come."""
        return [(word, number) for word, number in self.words.items() if not word.isalpha()]

    def count_inside(self, *pieces: str) -> int:
        """Count pieces of tokens that are no letters."""
        return sum(
            number * word.count(piece)
            for piece in pieces
            if piece in self.vocabulary
            for word, number in self.odd_words
        )

    def count_ends(self, *pieces: str) -> int:
        """Count tokens that end in one of the pieces, which have something else than letters."""
        return sum(number for word, number in self.odd_words if word.endswith(pieces))

    @cached_property
    def n_hyphens(self) -> int:
        """Count hyphens, whether inside of words or apart."""
        return self.count_inside("-")

    @cached_property
    def n_quotes(self) -> tuple[int, int]:
        """Count straight and curly quotation marks and apostrophes."""
        return self.count_inside("'", '"'), self.count_inside("’", "‘", "“", "”")

    def where(self, is_one: Callable[[str], bool]) -> tuple[int, ...]:
        """Number the sentences with a token of a certain kind."""
        wanted = set(filter(is_one, set(chain.from_iterable(self.sentences))))
        return tuple(
            number
            for number, tokens in enumerate(self.sentences, 1)
            if not wanted.isdisjoint(tokens)
        )

    @cached_property
    def share_of_marks_apart(self) -> float | None:
        """The share of punctuation marks at the end of words that are tokens of their own."""
        marks = (".", ",", "?", "!", ";", ":")
        ends = self.count_ends(*marks)
        return self.count(*marks) / ends if ends >= FEW else None

    @cached_property
    def share_of_clitics_apart(self) -> float | None:
        """The share of ``n't`` and ``'s`` that are tokens of their own."""
        clitics = ("n't", "'s", "n’t", "’s")
        ends = self.count_ends(*clitics)
        return self.count(*clitics) / ends if ends >= FEW else None

    @cached_property
    def script(self) -> str | None:
        """The script that most letters of the vocabulary are of."""
        sample = self.vocabulary[:: max(1, len(self.vocabulary) // 1000)]
        counts = Counter(map(_script, filter(str.isalpha, sample)))
        return counts.most_common(1)[0][0] if counts.total() >= FEW else None


_JOINT_SCRIPTS = {"Hiragana": "CJK", "Katakana": "CJK", "Cjk": "CJK", "Bopomofo": "CJK"}


def _script(letter: str) -> str:
    """Name the script of a letter, by the first word of its Unicode name."""
    if letter.isascii():
        return "Latin"
    script = name(letter, "").partition(" ")[0].capitalize()
    return _JOINT_SCRIPTS.get(script, script)


class Pair:
    """A source and a text that is held against it, and where the two are not the same.

    Attributes
    ----------
    changed
        Sentences that are not the same, counted from 0.
    beginnings
        Those of them that begin with another word.
    distant
        Those of them that may have next to nothing in common.
    """

    def __init__(self, source: Text, text: Text) -> None:
        self.source = source
        self.text = text
        self.changed: list[int] = []
        self.beginnings: list[int] = []
        self.distant: list[int] = []
        pairs = zip(source.sentences, text.sentences, strict=True)
        for number, (old, new) in enumerate(pairs):
            if old == new:
                continue
            self.changed.append(number)
            if not (old and new):
                continue
            if old[0] != new[0]:
                self.beginnings.append(number)
            # Where one of the ends is the same, there is no need to look any closer.
            end = int(UNLIKE / 2 * (len(old) + len(new))) + 1
            if old[:end] != new[:end] and old[-end:] != new[-end:]:
                self.distant.append(number)

    def sentences(self, numbers: Iterable[int]) -> Iterator[tuple[int, Tokens, Tokens]]:
        """Yield number, source and text of sentences."""
        for number in numbers:
            yield number, self.source.sentences[number], self.text.sentences[number]

    @cached_property
    def new_words(self) -> str:
        """The words that the source does not have, each with a line end on both sides."""
        known = self.source.words
        return "\n".join(("", *(word for word in self.text.words if word not in known), ""))

    def are_most(self, lines: Sequence[int]) -> bool:
        """Whether something is seen in most of the sentences."""
        return len(lines) > MOST * self.text.n_filled

    def of_all(self, lines: Sequence[int]) -> str:
        """Say how many sentences are concerned."""
        return of_all(len(lines), len(self.text.sentences))

    def severity(self, lines: Sequence[int]) -> Severity:
        """Say how grave something is that single sentences may be right to have."""
        return "error" if len(lines) >= _TOO_MANY * len(self.text.sentences) else "note"


def of_all(count: int, total: int) -> str:
    """Say how many of all sentences."""
    return f"{count:,} of {total:,} sentences"
