"""The output of a system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

from geceval.model.arguments import check_sentences, check_text, text_lines
from geceval.model.edit import Edit, Tokens
from geceval.model.sentence import Sentence


@dataclass(frozen=True, slots=True)
class OutputReading:
    """The sentences and edits of one annotator of a system's output; None where absent."""

    annotator: str
    sentences: tuple[Tokens | None, ...]
    edits: tuple[tuple[Edit, ...] | None, ...]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Hypothesis:
    """The output of one system, one tokenized sentence per source sentence.

    Parameters
    ----------
    name
        Name of the system.
    sentences
        Corrected sentences.
    edits
        The edits of each sentence, if the output has edits; ignored by comparisons.
    readings
        The sentences and edits of each annotator, if the output has several annotators:
        `sentences` and `edits` are then those of the first annotator of each sentence. Metrics
        of edits choose among them, other metrics raise an error, unless they are alignments of one
        correction.
    tokenized
        Whether the sentences were raw text that geceval tokenized, as signatures show.
    preparation
        What else was done to the sentences, as signatures show it.
    labeled
        Whether the system labels tokens as correct or incorrect instead of correcting them:
        `sentences` are then those of the source, and `edits` mark the incorrect tokens. Other
        metrics than ``ged`` raise an error.
    unit
        What tokens are, if not words, as signatures show: ``"characters"``.
    rows
        The source sentences that the file of the output repeats, if it does; they have to be those
        of the gold standard.
    """

    name: str
    sentences: tuple[Tokens, ...]
    edits: tuple[tuple[Edit, ...], ...] | None = field(default=None, compare=False)
    readings: tuple[OutputReading, ...] = field(default=(), compare=False)
    tokenized: bool = field(default=False, compare=False)
    labeled: bool = field(default=False, compare=False)
    preparation: str = field(default="", compare=False)
    unit: str = field(default="", compare=False)
    rows: tuple[Sentence, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        check_text(self.name, "the name of a system")
        sents = self.sentences
        if (
            type(sents) is not tuple
            or not all(type(sent) is tuple for sent in sents)
            or not _are_tokens(chain.from_iterable(sents))
        ):
            check_sentences(sents)

    @classmethod
    def from_texts(cls, lines: Iterable[str], *, name: str = "") -> Self:
        """Create a hypothesis from text, one sentence per line with spaces between the tokens.

        Examples
        --------
        >>> Hypothesis.from_texts(["I like it ."], name="ours").sentences
        (('I', 'like', 'it', '.'),)
        """
        return cls(name, tuple(tuple(line.split()) for line in text_lines(lines, "lines")))

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Tokens]:
        return iter(self.sentences)


def _are_tokens(values: Iterable[object]) -> bool:
    """Whether all values are strings without spaces."""
    try:
        return " " not in "".join(values)  # type: ignore[arg-type]
    except TypeError:
        return False
