"""Analyses of sentences, and the interface of analyzers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from geceval.extraction.lang.casing import Lower
from geceval.model import Tokens

AnalyzerKind: TypeAlias = Literal["fast", "spacy"]
"""Implementation that runs a model: our kernel if it supports the model, or spaCy itself."""

Notify: TypeAlias = Callable[[str], None]
"""Receives a message for the user."""


@dataclass(frozen=True, slots=True)
class SpacedTokens:
    """Raw text as split by spaCy's tokenizer, with all that a model depends on.

    Parameters
    ----------
    words
        Words; white space may be a separate word.
    spaces
        For each word, whether a space follows.
    norms
        For each word, the norm set by the tokenizer ("going" for the first half of "gonna"); None
        for the default norm of the word.

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
        """The words except white space."""
        return tuple([word for word in self.words if not word.isspace()])


Text: TypeAlias = Tokens | SpacedTokens
"""Input of an analyzer: tokens, each followed by a space, or raw text that was split."""


def as_text(sentence: Sequence[str] | SpacedTokens) -> Text:
    """Convert any sequence of tokens to the input of an analyzer."""
    return sentence if isinstance(sentence, SpacedTokens) else tuple(sentence)


def words_of(text: Text) -> Tokens:
    """Return the words of a text, including white space."""
    return text if isinstance(text, tuple) else text.words


def tokens_of(text: Text) -> Tokens:
    """Return the tokens of a text, without white space."""
    return text if isinstance(text, tuple) else text.tokens


@dataclass(frozen=True, slots=True)
class Analysis:
    """A sentence with tags, lemmas and dependencies of its tokens.

    Parameters
    ----------
    tokens
        The sentence.
    tags
        Fine-grained tags of the model, e.g. ``"VBZ"``.
    pos
        Universal parts of speech, e.g. ``"VERB"``.
    lemmas
        Lemmas.
    heads
        For each token, the index of its head; a root is its own head.
    labels
        Dependency labels, e.g. ``"nsubj"``.
    spaces
        For each token of raw text, whether white space follows; None if it always does.
    feats
        Morphological features as in Universal Dependencies, e.g. ``"Case=Nom|Number=Sing"``; None
        if no token has any.
    known
        For each token, whether a dictionary has it; None for a token or all of them if there is
        no telling.
    lower
        Lowercases a word of the language.

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
    feats: tuple[str, ...] | None = None
    known: tuple[bool | None, ...] | None = None
    lower: Lower = str.lower

    def __len__(self) -> int:
        return len(self.tokens)

    def text(self, start: int, end: int) -> str:
        """Return the text of a span of tokens."""
        if self.spaces is None or start == end:
            return " ".join(self.tokens[start:end])
        pairs = zip(self.tokens[start : end - 1], self.spaces[start : end - 1], strict=True)
        parts = [token + " " * space for token, space in pairs]
        return "".join([*parts, self.tokens[end - 1]])

    def of(self, text: Text) -> Analysis:
        """Convert an analysis of the words of a text to one of its tokens."""
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
            tuple([numbers[self._visible_head(place)] for place in places]),
            tuple([self.labels[place] for place in places]),
            tuple([text.spaces[place] or followed[place] for place in places]),
            None if self.feats is None else tuple([self.feats[place] for place in places]),
            None if self.known is None else tuple([self.known[place] for place in places]),
            self.lower,
        )

    def _visible_head(self, place: int) -> int:
        """Return the nearest ancestor of a word that is not white space, or the word itself."""
        head = self.heads[place]
        while self.tokens[head].isspace() and self.heads[head] != head:
            head = self.heads[head]
        return place if self.tokens[head].isspace() else head

    @classmethod
    def plain(cls, tokens: Sequence[str], *, lower: Lower = str.lower) -> Analysis:
        """Analyze without a model: the lemma is the lowercase token, the rest is unknown."""
        unknown = ("",) * len(tokens)
        return cls(
            tuple(tokens),
            unknown,
            unknown,
            tuple(map(lower, tokens)),
            tuple(range(len(tokens))),
            unknown,
            lower=lower,
        )


class Analyzer(Protocol):
    """Interface of analyzers."""

    @property
    def kind(self) -> str:
        """Implementation, which does not affect analyses; empty if there is only one."""
        ...

    @property
    def signature(self) -> str:
        """Model and version: everything that can change an analysis."""
        ...

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order; equal sentences have equal analyses."""
        ...

    def tokenize(self, text: str) -> Text:
        """Tokenize raw text, preserving its spaces if the model depends on them."""
        ...
