"""What an analyzer tells of a sentence, and what every analyzer must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from geceval.model import Tokens

AnalyzerKind: TypeAlias = Literal["fast", "spacy"]
"""What runs a model: our kernel where it knows the model, or spaCy's own pipeline."""

Notify: TypeAlias = Callable[[str], None]
"""Tells people something, in one sentence."""


@dataclass(frozen=True, slots=True)
class SpacedTokens:
    """Raw text as spaCy's tokenizer splits it, with everything that a model sees of it.

    Parameters
    ----------
    words
        What the text was split into; white space may be a word of its own.
    spaces
        By word, whether a space follows it.
    norms
        By word, the normal form that the tokenizer gave it ("going" for the first half of
        "gonna"); None where it is that of the word anywhere.

    Examples
    --------
    >>> text = SpacedTokens(("He", "/", "she", " "), (False, False, True, False), (None,) * 4)
    >>> text.tokens
    ('He', '/', 'she')
    """

    words: Tokens
    spaces: tuple[bool, ...]
    norms: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def tokens(self) -> Tokens:
        """The words that are no white space."""
        return tuple([word for word in self.words if not word.isspace()])


Text: TypeAlias = Tokens | SpacedTokens
"""What can be analyzed: tokens, each followed by a space, or raw text that was split."""


def as_text(sentence: Sequence[str] | SpacedTokens) -> Text:
    """Make what can be analyzed of any sequence of tokens."""
    return sentence if isinstance(sentence, SpacedTokens) else tuple(sentence)


def words_of(text: Text) -> Tokens:
    """Return everything that a text was split into."""
    return text if isinstance(text, tuple) else text.words


def tokens_of(text: Text) -> Tokens:
    """Return the tokens of a text, as edits count them."""
    return text if isinstance(text, tuple) else text.tokens


@dataclass(frozen=True, slots=True)
class Analysis:
    """A sentence and, for each token, what the analyzer found.

    Parameters
    ----------
    tokens
        The sentence.
    tags
        Fine-grained tags of the model, e.g. ``"VBZ"``.
    pos
        Universal parts of speech, e.g. ``"VERB"``.
    lemmas
        Base forms.
    heads
        For each token the number of the token it depends on; a root is its own head.
    labels
        How it depends on its head, e.g. ``"nsubj"``.
    spaces
        For raw text: by token, whether white space follows; None where it always does.

    Examples
    --------
    >>> Analysis.plain(("He", "runs")).lemmas
    ('he', 'runs')
    """

    tokens: Tokens
    tags: tuple[str, ...]
    pos: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    spaces: tuple[bool, ...] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    def text(self, start: int, end: int) -> str:
        """Return some tokens with the spaces that are between them."""
        if self.spaces is None or start == end:
            return " ".join(self.tokens[start:end])
        pairs = zip(self.tokens[start : end - 1], self.spaces[start : end - 1], strict=True)
        parts = [token + " " * space for token, space in pairs]
        return "".join([*parts, self.tokens[end - 1]])

    def of(self, text: Text) -> Analysis:
        """Make the analysis of all words of a text one of its tokens."""
        if isinstance(text, tuple):
            return self
        places = [place for place, word in enumerate(text.words) if not word.isspace()]
        numbers = {place: number for number, place in enumerate(places)}
        followed = (*(word.isspace() for word in text.words[1:]), False)
        return Analysis(
            tuple([self.tokens[place] for place in places]),
            tuple([self.tags[place] for place in places]),
            tuple([self.pos[place] for place in places]),
            tuple([self.lemmas[place] for place in places]),
            tuple([numbers[self._seen_head(place)] for place in places]),
            tuple([self.labels[place] for place in places]),
            tuple([text.spaces[place] or followed[place] for place in places]),
        )

    def _seen_head(self, place: int) -> int:
        """Find the head of a word, or the head of that where it is white space."""
        head = self.heads[place]
        while self.tokens[head].isspace() and self.heads[head] != head:
            head = self.heads[head]
        return place if self.tokens[head].isspace() else head

    @classmethod
    def plain(cls, tokens: Sequence[str]) -> Analysis:
        """Analyze without any model: the lemma is the lower-cased token, the rest is unknown."""
        unknown = ("",) * len(tokens)
        return cls(
            tuple(tokens),
            unknown,
            unknown,
            tuple(token.lower() for token in tokens),
            tuple(range(len(tokens))),
            unknown,
        )


class Analyzer(Protocol):
    """Anything that analyses sentences, many at a time."""

    @property
    def kind(self) -> str:
        """What runs the model, which changes no analysis; empty where there is no choice."""
        ...

    @property
    def signature(self) -> str:
        """Model and version, all that can change an analysis."""
        ...

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze each of `sentences`, in order; equal sentences get equal analyses."""
        ...

    def tokenize(self, text: str) -> Text:
        """Split raw text, and keep what the model sees of it beside the tokens."""
        ...
