"""What an analyser tells of a sentence, and what every analyser must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from geceval.model import Tokens

AnalyserKind: TypeAlias = Literal["fast", "spacy"]
"""What runs a model: our kernel where it knows the model, or spaCy's own pipeline."""

Notify: TypeAlias = Callable[[str], None]
"""Tells people something, in one sentence."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A sentence and, for each token, what the analyser found.

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

    def __len__(self) -> int:
        return len(self.tokens)

    @classmethod
    def plain(cls, tokens: Sequence[str]) -> Analysis:
        """Analyse without any model: the lemma is the lower-cased token, the rest is unknown."""
        unknown = ("",) * len(tokens)
        return cls(
            tuple(tokens),
            unknown,
            unknown,
            tuple(token.lower() for token in tokens),
            tuple(range(len(tokens))),
            unknown,
        )


class Analyser(Protocol):
    """Anything that analyses tokenised sentences, many at a time."""

    @property
    def kind(self) -> str:
        """What runs the model, which changes no analysis; empty where there is no choice."""
        ...

    @property
    def signature(self) -> str:
        """Model and version, all that can change an analysis."""
        ...

    def analyse(self, sentences: Sequence[Tokens]) -> list[Analysis]:
        """Analyse each of `sentences`, in order; equal sentences get equal analyses."""
        ...

    def tokenise(self, text: str) -> Tokens:
        """Split raw text into tokens."""
        ...
