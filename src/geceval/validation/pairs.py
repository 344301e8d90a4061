"""A text paired with its source, and statistics of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from geceval.characters import script_of
from geceval.formats.findings import Severity
from geceval.model import Tokens

UNRELATED = 0.3
"""Token similarity below which two sentences are unrelated."""

MIN_TOKENS = 3
"""Minimum length, in tokens, for the similarity of two sentences to be meaningful."""

MOST = 0.5
"""Proportion of sentences that makes a property one of the whole file."""

_SYSTEMATIC = 0.01
"""Proportion of sentences from which on an issue is systematic rather than incidental."""

_SAMPLE = 400
"""Number of sentences, evenly spaced, that are sampled for statistics."""

MIN_COUNT = 10
"""Minimum number of sentences or marks for a statistic to be meaningful."""


@dataclass(frozen=True, slots=True)
class Issue:
    """A reason why a text should not be scored as it is.

    Parameters
    ----------
    code
        Kind of issue.
    message
        The problem, its effect on scores and the remedy.
    lines
        Affected sentences, counted from 1.
    severity
        ``"error"`` if scores would be wrong.
    """

    code: str
    message: str
    lines: tuple[int, ...] = ()
    severity: Severity = "error"


class Text:
    """A text, with statistics of a sample of its sentences, which is much faster than all."""

    def __init__(self, sentences: Sequence[Tokens]) -> None:
        self.sentences = sentences

    @cached_property
    def joined(self) -> list[str]:
        """The characters of each sentence, without spaces."""
        return ["".join(tokens) for tokens in self.sentences]

    @cached_property
    def lengths(self) -> list[int]:
        """Number of tokens of each sentence."""
        return list(map(len, self.sentences))

    @cached_property
    def n_nonempty(self) -> int:
        """Number of sentences that are not empty."""
        return len(self.lengths) - self.lengths.count(0)

    @cached_property
    def words(self) -> Counter[str]:
        """Token counts of the sample."""
        step = 1 + len(self.sentences) // _SAMPLE
        return Counter(chain.from_iterable(self.sentences[::step]))

    @cached_property
    def vocabulary(self) -> str:
        """Every distinct token of the sample, with a newline on both sides."""
        return "\n".join(("", *self.words, ""))

    def count(self, *words: str) -> int:
        """Count occurrences of tokens."""
        return sum(self.words[word] for word in words)

    @cached_property
    def nonalphabetic_words(self) -> list[tuple[str, int]]:
        """Tokens that contain more than letters, with their counts."""
        return [(word, number) for word, number in self.words.items() if not word.isalpha()]

    def count_inside(self, *substrings: str) -> int:
        """Count occurrences of nonalphabetic substrings inside tokens."""
        return sum(
            number * word.count(substring)
            for substring in substrings
            if substring in self.vocabulary
            for word, number in self.nonalphabetic_words
        )

    def count_endings(self, *suffixes: str) -> int:
        """Count tokens that end in one of several nonalphabetic suffixes."""
        return sum(number for word, number in self.nonalphabetic_words if word.endswith(suffixes))

    @cached_property
    def n_hyphens(self) -> int:
        """Count hyphens, inside words and as tokens."""
        return self.count_inside("-")

    @cached_property
    def n_quotes(self) -> tuple[int, int]:
        """Count straight and curly quotation marks and apostrophes."""
        return self.count_inside("'", '"'), self.count_inside("’", "‘", "“", "”")

    def where(self, predicate: Callable[[str], bool]) -> tuple[int, ...]:
        """Return the numbers, from 1, of the sentences with a token that satisfies a predicate."""
        matching = set(filter(predicate, set(chain.from_iterable(self.sentences))))
        return tuple(
            number
            for number, tokens in enumerate(self.sentences, 1)
            if not matching.isdisjoint(tokens)
        )

    @cached_property
    def separate_punctuation(self) -> float | None:
        """Proportion of final punctuation marks that are separate tokens."""
        marks = (".", ",", "?", "!", ";", ":")
        ends = self.count_endings(*marks)
        return self.count(*marks) / ends if ends >= MIN_COUNT else None

    @cached_property
    def separate_clitics(self) -> float | None:
        """Proportion of ``n't`` and ``'s`` that are separate tokens."""
        clitics = ("n't", "'s", "n’t", "’s")
        ends = self.count_endings(*clitics)
        return self.count(*clitics) / ends if ends >= MIN_COUNT else None

    @cached_property
    def script(self) -> str | None:
        """The most frequent script of the vocabulary."""
        sample = self.vocabulary[:: max(1, len(self.vocabulary) // 1000)]
        counts = Counter(map(script_of, filter(str.isalpha, sample)))
        return counts.most_common(1)[0][0] if counts.total() >= MIN_COUNT else None


class Pair:
    """A source and a text aligned with it, and the sentences that differ.

    Attributes
    ----------
    changed
        Sentences that differ, counted from 0.
    beginnings
        Those of them whose first tokens differ.
    distant
        Those of them that may be unrelated.
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
            # Sentences that share a long enough prefix or suffix are related.
            end = int(UNRELATED / 2 * (len(old) + len(new))) + 1
            if old[:end] != new[:end] and old[-end:] != new[-end:]:
                self.distant.append(number)

    def sentences(self, numbers: Iterable[int]) -> Iterator[tuple[int, Tokens, Tokens]]:
        """Yield the number, source and text of each sentence."""
        for number in numbers:
            yield number, self.source.sentences[number], self.text.sentences[number]

    @cached_property
    def new_words(self) -> str:
        """Tokens of the text that the source lacks, with a newline on both sides."""
        known = self.source.words
        return "\n".join(("", *(word for word in self.text.words if word not in known), ""))

    def are_most(self, lines: Sequence[int]) -> bool:
        """Whether most sentences are affected."""
        return len(lines) > MOST * self.text.n_nonempty

    def of_all(self, lines: Sequence[int]) -> str:
        """Format the number of affected sentences."""
        return of_all(len(lines), len(self.text.sentences))

    def severity(self, lines: Sequence[int]) -> Severity:
        """Return the severity of an issue that may be legitimate in single sentences."""
        return "error" if len(lines) >= _SYSTEMATIC * len(self.text.sentences) else "note"


def of_all(count: int, total: int) -> str:
    """Format a number of sentences out of all."""
    return f"{count:,} of {total:,} sentences"
