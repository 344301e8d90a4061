"""Metric scores of systems on the judged sentences."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import count_all, score_subset
from geceval.evaluation.resampling import Resampling, resample, resampled_rows
from geceval.metaeval.store import StudyStore
from geceval.metrics.base import Metric, check_output
from geceval.metrics.statistics import Rows, Score
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
    samples
        Scores of resamples of the sentences, by system; empty if there are none.
    """

    name: str
    title: str
    scores: Mapping[str, float]
    sentences: Mapping[str, NDArray[np.float64]]
    signature: str
    samples: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def of(self, systems: Sequence[str]) -> list[float]:
        """Return the scores of `systems`."""
        return [self.scores[name] for name in systems]


@dataclass(frozen=True, slots=True)
class _SubsetScore:
    """Score of one system by one metric on a subset of the sentences."""

    value: float
    sentences: list[float]
    signature: str
    samples: list[float]

    @classmethod
    def of(cls, score: Score, samples: NDArray[np.float64]) -> _SubsetScore:
        sentences = score.sentences.values.tolist()
        return cls(float(score.value), sentences, score.signature, samples.tolist())


def score_judged(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    subsets: Sequence[Sequence[int]],
    *,
    resampling: Resampling | None = None,
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
    resampling
        Settings of resamples of the sentences that are also scored, the same ones for all systems
        and metrics; None for no resamples.
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
        check_output(one)
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
            "the resamples": "none" if resampling is None else f"{resampling.n}|{resampling.seed}",
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
    sampled = [judged_resamples(len(subset), resampling) for subset in rows]
    for metric, entry, statistics in counts:
        name = entry.hypothesis.name
        found = []
        for subset, samples in zip(rows, sampled, strict=True):
            score = score_subset(metric, name, statistics, subset)
            own = statistics.take(subset)
            values = resample(metric, own, samples) if samples else np.array([])
            found.append(_SubsetScore.of(score, values))
        store.add(metric.name, name, found)
    return [
        [_metric_scores(metric, judged, number, store) for metric in metrics]
        for number in range(len(subsets))
    ]


def judged_resamples(n_sents: int, resampling: Resampling | None) -> Sequence[Rows]:
    """Sample sentences for `score_judged`, in chunks."""
    return [] if resampling is None or not n_sents else resampled_rows(n_sents, resampling)


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
        {name: np.array(one.samples) for name, one in found.items() if one.samples},
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
