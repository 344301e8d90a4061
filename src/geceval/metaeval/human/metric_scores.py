"""What metrics say of systems, on the sentences that people judged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.evaluation.evaluate import Job
from geceval.metaeval.store import Line, Real, StudyStore
from geceval.metrics.base import Metric, Score, check_readings
from geceval.model import Corpus, Hypothesis
from geceval.storage.strict_json import or_nan, or_none

KIND = "geceval-scores"


@dataclass(frozen=True, slots=True)
class MetricScores:
    """What a metric says of systems.

    Parameters
    ----------
    name, title
        Name of the metric, and what people call it.
    scores
        The score of each system.
    sentences
        The score of each sentence, by system; empty where only systems are scored.
    signature
        Everything that could change the scores, in one line.
    """

    name: str
    title: str
    scores: Mapping[str, float]
    sentences: Mapping[str, NDArray[np.float64]]
    signature: str

    def of(self, systems: Sequence[str]) -> list[float]:
        """Return the scores of `systems`."""
        return [self.scores[name] for name in systems]


def score_subsets(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    subsets: Sequence[Sequence[int]],
    *,
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[Sequence[Job]], Iterable[Job]] = iter,
) -> list[list[MetricScores]]:
    """Score systems on several choices of sentences, counting each sentence once.

    Parameters
    ----------
    corpus
        The gold standard.
    hypotheses
        The systems.
    metrics
        The metrics.
    subsets
        Numbers of sentences, in order; for each the scores of all metrics are returned.
    resume
        A file that keeps what is finished, to go on from there.
    progress
        Wraps the list of jobs to show how many are done.
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
    jobs = [(m, h) for m in metrics for h in judged if (m.name, h.name) not in store]
    for metric, hypothesis in progress(jobs):
        statistics = metric.statistics(gold, hypothesis)
        scores = [metric.aggregate(statistics.take(some)) for some in rows]
        store.add(metric.name, hypothesis.name, [_Scored.of(score) for score in scores])
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
