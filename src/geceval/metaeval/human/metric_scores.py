"""Metric scores of systems on the judged sentences."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import count_all, score_subset
from geceval.metaeval.store import StudyStore
from geceval.metrics.base import Metric, check_readings
from geceval.metrics.statistics import Score
from geceval.model import Corpus, Hypothesis

KIND = "geceval-scores"


@dataclass(frozen=True, slots=True)
class MetricScores:
    """Scores of systems by one metric.

    Parameters
    ----------
    name, title
        Name and title of the metric.
    scores
        The score of each system.
    sentences
        The score of each sentence, by system; empty if only systems are scored.
    signature
        Signature of the scores.
    """

    name: str
    title: str
    scores: Mapping[str, float]
    sentences: Mapping[str, NDArray[np.float64]]
    signature: str

    def of(self, systems: Sequence[str]) -> list[float]:
        """Return the scores of `systems`."""
        return [self.scores[name] for name in systems]


@dataclass(frozen=True, slots=True)
class _SubsetScore:
    """Score of one system by one metric on a subset of the sentences."""

    value: float
    sentences: list[float]
    signature: str

    @classmethod
    def of(cls, score: Score) -> _SubsetScore:
        return cls(float(score.value), score.sentences.values.tolist(), score.signature)


def score_judged(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    subsets: Sequence[Sequence[int]],
    *,
    resume: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> list[list[MetricScores]]:
    """Score systems on several subsets of the sentences, counting each sentence once.

    Parameters
    ----------
    corpus, hypotheses, metrics
        The gold standard, the systems and the metrics.
    subsets
        Indices of sentences, in order; the scores of all metrics are returned for each subset.
    resume
        A file for finished scores, to resume from.
    progress
        Shows how many systems are finished.
    """
    union = sorted({number for subset in subsets for number in subset})
    place = {number: row for row, number in enumerate(union)}
    rows = [np.array([place[number] for number in subset], dtype=np.int64) for subset in subsets]
    gold = Corpus(tuple(corpus.sentences[number] for number in union), corpus.name)
    metrics = [metric.on_sentences(union, len(corpus)) for metric in metrics]
    for one in hypotheses:
        check_readings(one)
    judged = [
        Hypothesis(one.name, tuple(one.sentences[number] for number in union)) for one in hypotheses
    ]
    store = StudyStore(
        KIND,
        list[_SubsetScore],
        {
            "the version of geceval": __version__,
            "the data": _digest(gold, judged),
            "the sentences that were judged": _digest_of(rows),
        },
        {metric.name: metric.configuration() for metric in metrics},
        resume,
        is_valid=lambda scores: [len(one.sentences) for one in scores] == list(map(len, rows)),
    )
    counts = count_all(
        metrics,
        [Entry(gold, one) for one in judged],
        skip=lambda metric, entry: (metric.name, entry.hypothesis.name) in store,
        progress=progress,
    )
    for metric, entry, statistics in counts:
        name = entry.hypothesis.name
        scores = [score_subset(metric, name, statistics, subset) for subset in rows]
        store.add(metric.name, name, [_SubsetScore.of(score) for score in scores])
    return [
        [_metric_scores(metric, judged, number, store) for metric in metrics]
        for number in range(len(subsets))
    ]


def _metric_scores(
    metric: Metric,
    hypotheses: Sequence[Hypothesis],
    subset: int,
    store: StudyStore[list[_SubsetScore]],
) -> MetricScores:
    found = {one.name: store[metric.name, one.name][subset] for one in hypotheses}
    return MetricScores(
        metric.name,
        metric.title,
        {name: one.value for name, one in found.items()},
        {name: np.array(one.sentences) for name, one in found.items()},
        next((one.signature for one in found.values()), ""),
    )


def _digest(corpus: Corpus, hypotheses: Sequence[Hypothesis]) -> str:
    sentences = ((sent.tokens, sent.annotations) for sent in corpus)
    outputs = ((one.name, one.sentences) for one in hypotheses)
    return _digest_of([*sentences, *outputs])


def _digest_of(parts: Iterable[object]) -> str:
    state = hashlib.sha256()
    for part in parts:
        state.update(repr(part.tolist() if isinstance(part, np.ndarray) else part).encode())
    return state.hexdigest()
