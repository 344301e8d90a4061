"""Records of all sentences: annotations, outputs, edit outcomes and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias, get_args

import numpy as np

from geceval.evaluation.evaluate import Result
from geceval.metrics.views import ChunkClass, ChunkedSentence, SentenceEdits, TextChunk
from geceval.model import Annotation, Corpus, Edit, Hypothesis
from geceval.report.outcomes import CORRECT, EditOutcomes, classify_edits
from geceval.report.results import (
    AnnotationRecord,
    ChunkRecord,
    Counts,
    EditRecord,
    GoldEdit,
    SentenceChunks,
    Sentences,
    SystemSentences,
    number,
)
from geceval.report.score_records import SystemResults

DIGITS = 5
"""Significant digits of sentence scores."""


SystemChunks: TypeAlias = Sequence[ChunkedSentence | None]
"""The chunks of one system in all sentences; None for a sentence without references."""

_CLASSES = get_args(ChunkClass)


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
    counts: list[list[Counts | None]]


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


def _counts(result: Result) -> list[list[Counts | None]]:
    statistics = result.statistics
    counts = result.metric.effective_counts(statistics)
    if counts is None:
        return [[None] * len(statistics.references) for _ in range(len(statistics))]
    return [
        [tuple(row) if known else None for row, known in zip(rows, mask, strict=True)]
        for rows, mask in zip(counts.tolist(), statistics.mask.tolist(), strict=True)
    ]


def sentence_records(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    by_metric: Mapping[str, SystemResults],
    shown: str | None,
    edits: Mapping[str, SystemEdits],
    chunks: Mapping[str, SystemChunks],
) -> Sentences:
    """Return all sentences with annotations, outputs, edits and scores.

    Parameters
    ----------
    corpus, hypotheses
        The gold standard and the systems.
    by_metric
        Results by metric and system.
    shown, edits
        The metric whose edits are shown, and the edits of each system.
    chunks
        The chunks of each system, if any are shown.
    """
    records = _Records(corpus, _Indices(zip(corpus.annotators, count(), strict=False)))
    first = hypotheses[0]
    result = None if shown is None else by_metric[shown][first.name]
    gold = records.gold(_annotations(corpus, first, result, edits))
    systems = {
        hypothesis.name: records.system(
            hypothesis,
            [results[hypothesis.name] for results in by_metric.values()],
            edits.get(hypothesis.name),
            chunks.get(hypothesis.name),
        )
        for hypothesis in hypotheses
    }
    ids = [sent.id for sent in corpus]
    return Sentences(
        annotators=list(records.annotators),
        types=list(records.types),
        source=[" ".join(sent.tokens) for sent in corpus],
        ids=[name or "" for name in ids] if any(ids) else None,
        gold=gold,
        systems=systems,
    )


def _annotations(
    corpus: Corpus,
    hypothesis: Hypothesis,
    result: Result | None,
    edits: Mapping[str, SystemEdits],
) -> list[dict[str, Annotation]]:
    """Return the annotations of each sentence by annotator, as the metric sees them.

    A metric may ignore, reorder or extract gold edits; indices of gold edits refer to its own
    annotation.
    """
    sentences: list[dict[str, Annotation]] = [{} for _ in corpus]
    for own in edits.values():
        _add_annotations(sentences, own.outcomes)
    if result is not None:
        for index in range(len(result.statistics.references)):
            # Get the annotation of every annotator by pretending that this one was chosen.
            chosen = np.where(result.statistics.mask[:, index], index, -1)
            score = replace(result.score, sentences=replace(result.score.sentences, chosen=chosen))
            views = result.metric.marked_edits(corpus, hypothesis, score)
            if views is not None:
                _add_annotations(sentences, views)
    for sent, known in zip(corpus, sentences, strict=True):
        for ann in sent.annotations:
            known.setdefault(ann.annotator, ann)
    return sentences


def _add_annotations(
    sentences: Sequence[dict[str, Annotation]],
    found: Sequence[EditOutcomes | None] | Sequence[SentenceEdits | None],
) -> None:
    for known, one in zip(sentences, found, strict=True):
        if one is not None:
            known.setdefault(one.annotation.annotator, one.annotation)


class _Indices(dict[str, int]):
    """Indices of names, in the order of their first use."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


@dataclass(slots=True)
class _Records:
    """Makes records of sentences, with indices for annotators and types."""

    corpus: Corpus
    annotators: _Indices
    types: _Indices = field(default_factory=_Indices)

    def gold(self, sentences: Sequence[Mapping[str, Annotation]]) -> list[list[AnnotationRecord]]:
        """Return the annotations of all sentences."""
        return [
            sorted(
                (self.annotators[name], [self._gold_edit(edit) for edit in ann.edits])
                for name, ann in annotations.items()
            )
            for annotations in sentences
        ]

    def _gold_edit(self, edit: Edit) -> GoldEdit:
        correction = " ".join(edit.correction) if edit.corrects else None
        return edit.start, edit.end, correction, self.types[edit.type]

    def system(
        self,
        hypothesis: Hypothesis,
        results: Sequence[Result],
        edits: SystemEdits | None,
        chunks: SystemChunks | None,
    ) -> SystemSentences:
        """Return the output, edits, chunks and scores of one system."""
        record = SystemSentences(
            output=[
                0 if output == sent.tokens else " ".join(output)
                for sent, output in zip(self.corpus, hypothesis, strict=True)
            ],
            chosen=None,
            edits=None,
            missed=None,
            counts=None,
            scores={
                result.score.metric: [
                    number(value, DIGITS) for value in result.score.sentences.values.tolist()
                ]
                for result in results
            },
        )
        if edits is not None:
            record["chosen"] = [
                -1 if found is None else self.annotators[found.annotation.annotator]
                for found in edits.outcomes
            ]
            record["edits"] = [
                [] if found is None else self._edits(found) for found in edits.outcomes
            ]
            record["missed"] = [
                [] if found is None else [(index, int(fixed)) for index, fixed in found.missed]
                for found in edits.outcomes
            ]
            record["counts"] = edits.counts
        if chunks is not None:
            record["chunks"] = [self._chunks(found) for found in chunks]
        return record

    def _chunks(self, sentence: ChunkedSentence | None) -> SentenceChunks | None:
        """Return the chunks with edits, unless nothing was changed or should have been."""
        if sentence is None or sentence.is_unchanged:
            return None
        chosen = -1 if sentence.chosen is None else self.annotators[sentence.chosen]
        return (
            chosen,
            [self.annotators[name] for name in sentence.annotators],
            [_chunk(chunk) for chunk in sentence.chunks if chunk.is_edited],
        )

    def _edits(self, found: EditOutcomes) -> list[EditRecord]:
        records: list[EditRecord] = []
        for edit, outcome in found.edits:
            gold = -1 if edit.gold is None else edit.gold
            name = found.annotation.edits[gold].type if outcome == CORRECT else edit.type
            kind = self.types[name] if name or outcome == CORRECT else -1
            records.append((edit.start, edit.end, " ".join(edit.correction), outcome, kind, gold))
        return records


def _chunk(chunk: TextChunk) -> ChunkRecord:
    texts = [
        None if tokens == chunk.source else " ".join(tokens)
        for tokens in (chunk.hypothesis, *chunk.references)
    ]
    end = chunk.start + len(chunk.source)
    return chunk.start, end, _CLASSES.index(chunk.kind), texts[0], texts[1:]
