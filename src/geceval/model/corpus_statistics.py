"""Counts over sentences, annotators and edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geceval.model.edit import Edit
    from geceval.model.sentence import Sentence


@dataclass(slots=True)
class AnnotatorStatistics:
    """Counts of one annotator."""

    sentences: int = 0
    unchanged: int = 0
    edits: int = 0


@dataclass(slots=True)
class CorpusStatistics:
    """Counts over a stream of sentences; `add` one sentence at a time."""

    sentences: int = 0
    tokens: int = 0
    empty: int = 0
    unannotated: int = 0
    edits: int = 0
    insertions: int = 0
    deletions: int = 0
    replacements: int = 0
    flags: int = 0
    optional: int = 0
    with_alternatives: int = 0
    annotators: dict[str, AnnotatorStatistics] = field(default_factory=dict)
    types: Counter[str] = field(default_factory=Counter)
    edits_per_reading: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> CorpusStatistics:
        """Count all of `sentences`."""
        stats = cls()
        for sent in sentences:
            stats.add(sent)
        return stats

    def add(self, sent: Sentence) -> None:
        """Count a sentence."""
        self.sentences += 1
        self.tokens += len(sent.tokens)
        self.lengths[len(sent.tokens)] += 1
        self.empty += not sent.tokens
        self.unannotated += not sent.annotations
        for ann in sent.annotations:
            counts = self.annotators.setdefault(ann.annotator, AnnotatorStatistics())
            counts.sentences += 1
            counts.unchanged += not ann.edits
            counts.edits += len(ann.edits)
            self.edits_per_reading[len(ann.edits)] += 1
            for edit in ann.edits:
                self._add_edit(edit)

    def _add_edit(self, edit: Edit) -> None:
        self.edits += 1
        self.types[edit.type] += 1
        self.optional += not edit.required
        self.with_alternatives += len(edit.corrections) > 1
        if not edit.corrects:
            self.flags += 1
        elif edit.is_insertion:
            self.insertions += 1
        elif not edit.correction:
            self.deletions += 1
        else:
            self.replacements += 1
