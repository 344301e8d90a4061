"""Views of the sentences behind a score: marked edits, counts by type, alignments, chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from geceval.metrics.statistics import f_score
from geceval.model import Annotation, Corpus, Edit, Tokens

ColumnClass: TypeAlias = Literal["TP", "TN", "FP", "FN", "FPN"]
ChunkClass: TypeAlias = Literal["TP", "FPne", "FPun", "FN", "TN"]


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Correct and gold edits of one error type, where wrong edits have no type."""

    correct: int
    gold: int

    @property
    def recall(self) -> float:
        """Share of the gold edits that are correct; 1 without gold edits."""
        return self.correct / self.gold if self.gold else 1.0


@dataclass(frozen=True, slots=True)
class SystemEdit:
    """An edit of a system.

    Parameters
    ----------
    start, end
        Half-open token span of the source.
    correction
        Tokens that the system wrote there.
    gold
        Index of the matching gold edit within the annotation; None for a false positive.
    type
        Error type; empty where the metric does not classify the edits of systems.
    """

    start: int
    end: int
    correction: Tokens
    gold: int | None
    type: str = ""

    @property
    def is_correct(self) -> bool:
        """Whether the edit matches a gold edit."""
        return self.gold is not None


@dataclass(frozen=True, slots=True)
class SentenceEdits:
    """The edits of a system in one sentence, against the chosen reference.

    If the output of the system has several annotators, `reading` names the chosen one.
    """

    annotation: Annotation
    edits: tuple[SystemEdit, ...]
    reading: str = ""

    def missed(self, n_tokens: int) -> list[Edit]:
        """Return the gold edits without a match (false negatives)."""
        found = {edit.gold for edit in self.edits}
        return [
            edit
            for number, edit in enumerate(self.annotation.edits)
            if number not in found and edit.fits(n_tokens)
        ]


@dataclass(frozen=True, slots=True)
class EditCounts:
    """True positives, false positives and false negatives of one error type, or of all.

    Parameters
    ----------
    tp, fp, fn
        Counts.
    beta
        Weight of recall in F; with 0 F is the precision.

    Examples
    --------
    >>> counts = EditCounts(1, 1, 3)
    >>> counts.precision, counts.recall, round(counts.f, 4)
    (0.5, 0.25, 0.4167)
    """

    tp: int
    fp: int
    fn: int
    beta: float = 0.5

    @property
    def precision(self) -> float:
        """Share of the system's edits that are correct; 1 without edits."""
        return self._shares()[0]

    @property
    def recall(self) -> float:
        """Share of the gold edits that the system has; 1 without gold edits."""
        return self._shares()[1]

    @property
    def f(self) -> float:
        """F score."""
        return self._shares()[2]

    def record(self) -> dict[str, float]:
        """Return counts, precision, recall and F, by name."""
        names = ("tp", "fp", "fn", "precision", "recall", "f")
        return {name: getattr(self, name) for name in names}

    def _shares(self) -> tuple[float, float, float]:
        sizes = (self.tp, self.tp + self.fp, self.tp + self.fn)
        precision, recall, f = f_score(*map(np.array, sizes), beta=self.beta)
        return float(precision), float(recall), float(f)


CountsByType: TypeAlias = Mapping[str, TypeCounts] | Mapping[str, EditCounts]
"""Counts by the name of an error type."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an alignment; None is a gap."""

    source: str | None
    hypothesis: str | None
    reference: str | None

    @property
    def kind(self) -> ColumnClass:
        """The class of the column for correction.

        Examples
        --------
        >>> Column("a", "the", None).kind
        'FPN'
        """
        if self.source == self.hypothesis:
            return "TN" if self.hypothesis == self.reference else "FN"
        if self.source == self.reference:
            return "FP"
        return "TP" if self.hypothesis == self.reference else "FPN"


@dataclass(frozen=True, slots=True)
class Aligned:
    """A sentence aligned with its chosen reference.

    Parameters
    ----------
    reference
        Tokens of the reference.
    columns
        The alignment of source, hypothesis and reference.
    is_limited
        Whether the search for the best reference was cut short.
    """

    reference: Tokens
    columns: tuple[Column, ...]
    is_limited: bool


@dataclass(frozen=True, slots=True)
class TextChunk:
    """What the texts of a sentence have between two common boundaries.

    Parameters
    ----------
    start
        Position of its first token in the source.
    source, hypothesis, references
        Tokens of each text.
    kind
        The class of the chunk: a false positive is necessary (``"FPne"``) if a reference
        changes the chunk, too, and otherwise unnecessary (``"FPun"``).
    """

    start: int
    source: Tokens
    hypothesis: Tokens
    references: tuple[Tokens, ...]
    kind: ChunkClass

    @property
    def is_edited(self) -> bool:
        """Whether some text differs from the source, or an edit touches the chunk."""
        texts = (self.hypothesis, *self.references)
        return self.kind != "TN" or any(text != self.source for text in texts)


@dataclass(frozen=True, slots=True)
class ChunkedSentence:
    """A sentence divided into chunks with the same boundaries in all texts.

    Parameters
    ----------
    annotators
        Names of the references.
    chosen
        The reference that the classes refer to; None if they refer to all of them.
    chunks
        The chunks, from left to right.
    reading
        The chosen annotator of the output, if it has several.
    """

    annotators: tuple[str, ...]
    chosen: str | None
    chunks: tuple[TextChunk, ...]
    reading: str = ""

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was changed or should have been."""
        return all(chunk.kind == "TN" for chunk in self.chunks)


def count_by_type(corpus: Corpus, views: Iterable[SentenceEdits | None]) -> dict[str, TypeCounts]:
    """Count correct and gold edits of each gold type, in the chosen references."""
    known = [(sent, view) for sent, view in zip(corpus, views, strict=True) if view is not None]
    gold = Counter(
        edit.type
        for sent, view in known
        for edit in view.annotation.edits
        if edit.fits(len(sent.tokens))
    )
    correct = Counter(
        view.annotation.edits[edit.gold].type
        for _, view in known
        for edit in view.edits
        if edit.gold is not None
    )
    return {name: TypeCounts(correct[name], count) for name, count in sorted(gold.items())}
