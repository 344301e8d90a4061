"""Metric scores of systems, on the sentences that people judged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import count_all, score_subset
from geceval.metaeval.store import Line, Real, StudyStore
from geceval.metrics.base import Metric, check_readings
from geceval.metrics.statistics import Score
from geceval.model import Corpus, Hypothesis
from geceval.storage.strict_json import or_nan, or_none

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
        The score of each sentence, by system; empty where only systems are scored.
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
    for one in hypotheses:
        check_readings(one)
    judged = [
        Hypothesis(one.name, tuple(one.sentences[number] for number in union)) for one in hypotheses
    ]
    store = _Store(
        {
            "the version of geceval": __version__,
            "the data": _digest(gold, judged),
            "the sentences that were judged": _digest_of(rows),
        },
        {metric.name: metric.configuration() for metric in metrics},
        [len(subset) for subset in rows],
        resume,
    )
    counts = count_all(
        metrics,
        [Entry(gold, one) for one in judged],
        skip=lambda metric, entry: (metric.name, entry.hypothesis.name) in store,
        progress=progress,
    )
    for metric, entry, statistics in counts:
        name = entry.hypothesis.name
        scores = [_Scored.of(score_subset(metric, name, statistics, some)) for some in rows]
        store.add(metric.name, name, scores)
    return [
        [_metric_scores(metric, judged, number, store) for metric in metrics]
        for number in range(len(subsets))
    ]


def _metric_scores(
    metric: Metric, hypotheses: Sequence[Hypothesis], subset: int, store: _Store
) -> MetricScores:
    found = {one.name: store[metric.name, one.name][subset] for one in hypotheses}
    return MetricScores(
        metric.name,
        metric.title,
        {name: one.value for name, one in found.items()},
        {name: one.sentences for name, one in found.items()},
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


@dataclass(frozen=True, slots=True)
class _Scored:
    """The score of one system by one metric on some sentences."""

    value: float
    sentences: NDArray[np.float64]
    signature: str

    @classmethod
    def of(cls, score: Score) -> _Scored:
        return cls(float(score.value), score.sentences.values, score.signature)

    def record(self) -> dict[str, Any]:
        return {
            "score": or_none(self.value),
            "sentences": [or_none(value) for value in self.sentences.tolist()],
            "signature": self.signature,
        }

    @classmethod
    def restore(cls, record: _ScoreRecord) -> _Scored:
        values = np.array(record["sentences"], dtype=np.float64)
        return cls(or_nan(record["score"]), values, record["signature"])


class _ScoreRecord(TypedDict):
    score: Real
    sentences: list[Real]
    signature: str


class _ScoreLine(Line):
    system: str
    scores: list[_ScoreRecord]


class _Store:
    """Scores in memory and, where a file is named, on disk; by metric and system.

    `sizes` are the numbers of sentences of the subsets.
    """

    def __init__(
        self,
        made_from: Mapping[str, str],
        metrics: Mapping[str, str],
        sizes: Sequence[int],
        path: str | os.PathLike[str] | None,
    ) -> None:
        self._store = StudyStore(KIND, _ScoreLine, made_from, metrics, path)
        self._scores: dict[tuple[str, str], list[_Scored]] = {}
        for number, record in self._store.records.items():
            if [len(one["sentences"]) for one in record["scores"]] != list(sizes):
                raise self._store.damaged(number, "the number of sentences is another one")
            key = record["metric"], record["system"]
            self._scores[key] = [_Scored.restore(each) for each in record["scores"]]

    def __contains__(self, key: tuple[str, str]) -> bool:
        return key in self._scores

    def __getitem__(self, key: tuple[str, str]) -> list[_Scored]:
        return self._scores[key]

    def add(self, metric: str, system: str, scores: list[_Scored]) -> None:
        self._scores[metric, system] = scores
        self._store.add(metric, {"system": system, "scores": [one.record() for one in scores]})
