"""Records of all sentences: annotations, outputs, edit outcomes and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeAlias, TypeVar, get_args

import numpy as np

from geceval.evaluation.evaluate import Result
from geceval.metrics.views import ChunkClass, ChunkedSentence, TextChunk
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Tokens
from geceval.report.outcomes import CORRECT, EditOutcomes, classify_edits
from geceval.report.results import (
    AnnotationRecord,
    ChunkRecord,
    Counts,
    EditRecord,
    GoldEdit,
    Number,
    SentenceChunks,
    Sentences,
    SystemSentences,
    number,
)

DIGITS = 5
"""Significant digits of sentence scores."""


SystemChunks: TypeAlias = Sequence[ChunkedSentence | None]
"""The chunks of one system in all sentences; None for a sentence without references."""

_CLASSES = get_args(ChunkClass)

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class SystemEdits:
    """The edits of one system in all sentences, as extracted by one metric.

    Parameters
    ----------
    outcomes
        Outcomes for each sentence; None for a sentence without annotations.
    counts
        Counts for each sentence and annotator, as far as known.
    """

    outcomes: Sequence[EditOutcomes | None]
    counts: list[tuple[Counts | None, ...]]


def system_edits(corpus: Corpus, hypothesis: Hypothesis, result: Result) -> SystemEdits | None:
    """Classify the edits behind a score, if the metric marks edits."""
    views = result.metric.marked_edits(corpus, hypothesis, result.score)
    if views is None:
        return None
    outcomes = [
        None if view is None else classify_edits(view, len(sent.tokens))
        for sent, view in zip(corpus, views, strict=True)
    ]
    return SystemEdits(outcomes, _counts(result))


def _counts(result: Result) -> list[tuple[Counts | None, ...]]:
    statistics = result.statistics
    counts = result.metric.effective_counts(statistics)
    if counts is None:
        return [(None,) * len(statistics.references)] * len(statistics)
    mask = statistics.mask
    if (readings := result.score.sentences.readings) is not None:
        # Of several annotators of the output, the chosen one.
        n_refs = len(statistics.references)
        places = np.maximum(readings, 0)[:, None] * n_refs + np.arange(n_refs)
        rows = np.arange(len(counts))[:, None]
        counts, mask = counts[rows, places], mask[rows, places]
    # Most sentences have the same few counts as others.
    table = np.concatenate((counts.reshape(len(counts), -1), mask), axis=1)
    _, first, number = np.unique(table, axis=0, return_index=True, return_inverse=True)
    distinct = [
        tuple(tuple(row) if is_known else None for row, is_known in zip(*one, strict=True))
        for one in zip(counts[first].tolist(), mask[first].tolist(), strict=True)
    ]
    return [distinct[place] for place in number.reshape(-1).tolist()]


def _annotations(
    corpus: Corpus, hypothesis: Hypothesis, result: Result | None
) -> list[dict[str, Annotation]]:
    """Return the annotations of each sentence by annotator, as the metric sees them.

    A metric may ignore, reorder or extract gold edits; indices of gold edits refer to its own
    annotation.
    """
    sentences: list[dict[str, Annotation]] = [{} for _ in corpus]
    if result is not None:
        for index in range(len(result.statistics.references)):
            # Get the annotation of every annotator by pretending that this one was chosen.
            chosen = np.where(result.statistics.mask[:, index], index, -1)
            score = replace(result.score, sentences=replace(result.score.sentences, chosen=chosen))
            views = result.metric.marked_edits(corpus, hypothesis, score)
            for known, view in zip(sentences, views or (), strict=views is not None):
                if view is not None:
                    known.setdefault(view.annotation.annotator, view.annotation)
    for sent, known in zip(corpus, sentences, strict=True):
        for ann in sent.annotations:
            known.setdefault(ann.annotator, ann)
    return sentences


class _Indices(dict[str, int]):
    """Indices of names, in the order of their first use."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


class _Rounded(dict[float, Number]):
    """Scores as they are recorded; equal ones are one object."""

    def __missing__(self, score: float) -> Number:
        rounded = number(score, DIGITS)
        # A score that is not a number would never be found again.
        if rounded is not None:
            self[score] = rounded
        return rounded


class SentenceRecords:
    """Makes the records of sentences, with indices for annotators and types.

    Systems are added one by one, since what a metric returns takes much more memory than a record.
    Equal rows of several systems are one list.

    Parameters
    ----------
    corpus
        The gold standard.
    hypothesis, result
        The first system, and its result by the metric whose edits are shown, if there is one.
    """

    def __init__(self, corpus: Corpus, hypothesis: Hypothesis, result: Result | None) -> None:
        self._corpus = corpus
        self._annotators = _Indices(zip(corpus.annotators, count(), strict=False))
        self._types = _Indices()
        self._gold = self._gold_records(_annotations(corpus, hypothesis, result))
        self._systems: dict[str, SystemSentences] = {}
        self._texts: dict[str, str] = {}
        self._rows: dict[tuple[Any, ...], list[Any]] = {}
        self._scores = _Rounded()

    def sentences(self) -> Sentences:
        """Return all sentences with annotations, and the systems that were added."""
        ids = [sent.id for sent in self._corpus]
        return Sentences(
            annotators=list(self._annotators),
            types=list(self._types),
            source=[" ".join(sent.tokens) for sent in self._corpus],
            ids=[name or "" for name in ids] if any(ids) else None,
            gold=self._gold,
            systems=self._systems,
        )

    def _gold_records(
        self, sentences: Sequence[Mapping[str, Annotation]]
    ) -> list[list[AnnotationRecord]]:
        return [
            sorted(
                (self._annotators[name], [self._gold_edit(edit) for edit in ann.edits])
                for name, ann in annotations.items()
            )
            for annotations in sentences
        ]

    def _gold_edit(self, edit: Edit) -> GoldEdit:
        correction = " ".join(edit.correction) if edit.corrects else None
        return edit.start, edit.end, correction, self._types[edit.type]

    def add(
        self,
        hypothesis: Hypothesis,
        results: Sequence[Result],
        edits: SystemEdits | None,
        chunks: SystemChunks | None,
    ) -> None:
        """Add the output, edits, chunks and scores of one system."""
        record = SystemSentences(
            output=[
                0 if output == sent.tokens else self._text(output)
                for sent, output in zip(self._corpus, hypothesis, strict=True)
            ],
            chosen=None,
            edits=None,
            missed=None,
            counts=None,
            scores={
                result.score.metric: list(
                    map(self._scores.__getitem__, result.score.sentences.values.tolist())
                )
                for result in results
            },
        )
        if edits is not None:
            record["chosen"] = [
                -1 if found is None else self._annotators[found.annotation.annotator]
                for found in edits.outcomes
            ]
            record["edits"] = [
                self._row(() if found is None else self._edits(found)) for found in edits.outcomes
            ]
            record["missed"] = [
                self._row(() if found is None else found.missed) for found in edits.outcomes
            ]
            record["counts"] = list(map(self._row, edits.counts))
        if chunks is not None:
            record["chunks"] = [self._chunks(found) for found in chunks]
        self._systems[hypothesis.name] = record

    def _text(self, tokens: Tokens) -> str:
        text = " ".join(tokens)
        return self._texts.setdefault(text, text)

    def _row(self, items: tuple[_Item, ...]) -> list[_Item]:
        row = self._rows.get(items)
        if row is None:
            row = self._rows[items] = list(items)
        return row

    def _chunks(self, sentence: ChunkedSentence | None) -> SentenceChunks | None:
        """Return the chunks with edits, unless nothing was changed or should have been."""
        if sentence is None or sentence.is_unchanged:
            return None
        chosen = -1 if sentence.chosen is None else self._annotators[sentence.chosen]
        return (
            chosen,
            [self._annotators[name] for name in sentence.annotators],
            [_chunk(chunk) for chunk in sentence.chunks if chunk.is_edited],
        )

    def _edits(self, found: EditOutcomes) -> tuple[EditRecord, ...]:
        records: list[EditRecord] = []
        for edit, outcome in found.edits:
            gold = -1 if edit.gold is None else edit.gold
            name = found.annotation.edits[gold].type if outcome == CORRECT else edit.type
            kind = self._types[name] if name or outcome == CORRECT else -1
            records.append((edit.start, edit.end, " ".join(edit.correction), outcome, kind, gold))
        return tuple(records)


def recorded_tokens(text: str) -> Tokens:
    """Split the text of a record into its tokens."""
    return tuple(text.split(" ")) if text else ()


def _chunk(chunk: TextChunk) -> ChunkRecord:
    texts = [
        None if tokens == chunk.source else " ".join(tokens)
        for tokens in (chunk.hypothesis, *chunk.references)
    ]
    end = chunk.start + len(chunk.source)
    return chunk.start, end, _CLASSES.index(chunk.kind), texts[0], texts[1:]
