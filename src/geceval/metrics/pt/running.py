"""Metrics whose counts are sums of weights, with references chosen by F of running totals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.texts import has_reference
from geceval.metrics.base import Metric
from geceval.metrics.options import Beta
from geceval.metrics.statistics import Rows, Score, SentenceScores, Statistics, f_score

Average: TypeAlias = Literal["corpus", "sentence"]
Floats: TypeAlias = NDArray[np.float64]


class RunningWeights(Metric):
    """A metric of weighted edits: sums of weights in place of counts.

    Parameters
    ----------
    beta
        Weight of recall in F; with 0 F is the precision.
    average
        ``"corpus"`` is F of the totals; ``"sentence"`` is the mean of F over sentences, each
        with its own best reference.
    """

    max_part_resamples = None

    def __init__(self, *, beta: Beta = 0.5, average: Average = "corpus") -> None:
        self.beta: float = beta
        self.average: Average = average

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"F{self.beta:g}" if self.average == "corpus" else f"mean sentence F{self.beta:g}"

    def for_sentences(self) -> Metric:
        """Return the mean over sentences, unless the option `average` was given."""
        return self if self.is_given("average") else self.with_options(average="sentence")

    @abstractmethod
    def effective(self, sums: Floats) -> Floats:
        """Return the weights of correct, proposed and gold edits."""

    @abstractmethod
    def criteria(self, totals: Floats) -> Sequence[Floats]:
        """Return what the choice of a reference maximizes, the most important first."""

    def corpus_sums(self, statistics: Statistics) -> Floats:
        """Return the sums that enter totals, ``(n_sents, n_refs, 3)``."""
        return np.asarray(statistics.counts[..., :3], dtype=np.float64)

    def sentence_sums(self, statistics: Statistics) -> Floats:
        """Return the sums by which sentences are scored one by one."""
        return self.corpus_sums(statistics)

    def f_of(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """Return precision, recall and F of sums."""
        return f_score(*np.moveaxis(self.effective(sums), -1, 0), beta=self.beta)

    def _choose(self, sums: Floats, mask: NDArray[np.bool_], rows: Rows) -> tuple[Floats, Rows]:
        """Choose references by running totals, in many samples of sentences at once.

        Returns the totals of each sample, and the reference of each sentence, -1 without one.
        """
        totals = np.zeros((len(rows), 3))
        chosen = np.full(rows.shape, -1, dtype=np.int64)
        if not sums.shape[1]:
            return totals, chosen
        samples = np.arange(len(rows))
        for place, sentences in enumerate(rows.T):
            candidates = totals[:, None] + sums[sentences]
            best = mask[sentences]
            found = best.any(axis=1)
            for criterion in self.criteria(candidates):
                values = np.where(best, criterion, -np.inf)
                best = best & (values == values.max(axis=1, keepdims=True))
            # The first of ties.
            reference = best.argmax(axis=1)
            chosen[:, place] = np.where(found, reference, -1)
            totals = np.where(found[:, None], candidates[samples, reference], totals)
        return totals, chosen

    def _totals(self, statistics: Statistics, rows: Rows) -> Floats:
        return self._choose(self.corpus_sums(statistics), statistics.mask, rows)[0]

    def _alone(self, statistics: Statistics) -> tuple[Floats, Rows]:
        """Score each sentence by itself; return the sums of its best reference, and which it is."""
        rows = np.arange(len(statistics), dtype=np.int64)[:, None]
        sums, chosen = self._choose(self.sentence_sums(statistics), statistics.mask, rows)
        return sums, chosen[:, 0]

    def _means(self, statistics: Statistics, rows: Rows) -> Floats:
        """Average F over the sentences with a reference of each sample; 0 if there are none."""
        annotated = has_reference(statistics)
        values = np.where(annotated, self.f_of(self._alone(statistics)[0])[2], 0.0)
        means: Floats = values[rows].sum(axis=1) / np.maximum(1, annotated[rows].sum(axis=1))
        return means

    def resample(self, statistics: Statistics, rows: Rows) -> Floats:
        """Score many samples of sentences, choosing references in each."""
        if self.average == "sentence":
            return self._means(statistics, rows)
        return self.f_of(self._totals(statistics, rows))[2]

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, Floats]:
        """Compute precision and recall of many samples of sentences."""
        precision, recall, _ = self.f_of(self._totals(statistics, rows))
        return {"precision": precision, "recall": recall}

    def independent_sentence_scores(self, statistics: Statistics) -> Floats:
        """Score each sentence as a corpus of one."""
        if self.average == "sentence":
            return self.f_of(self._alone(statistics)[0])[2]
        rows = np.arange(len(statistics), dtype=np.int64)[:, None]
        return self.f_of(self._totals(statistics, rows))[2]

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        rows = np.arange(len(statistics), dtype=np.int64)[None]
        sums = self.corpus_sums(statistics)
        (totals,), (chosen,) = self._choose(sums, statistics.mask, rows)
        precision, recall, f = self.f_of(totals)
        mean = float(self._means(statistics, rows)[0])
        by_sentence = self.average == "sentence"
        if by_sentence:
            own, chosen = self._alone(statistics)
        else:
            own = np.zeros((len(statistics), 3))
            annotated = chosen >= 0
            own[annotated] = sums[annotated, chosen[annotated]]
        values = self.f_of(own)
        names = statistics.columns[:3]
        other: dict[str, Any] = (
            {f"corpus_F{self.beta:g}": float(f)}
            if by_sentence
            else {f"mean_sentence_F{self.beta:g}": mean}
        )
        return Score(
            self.name,
            mean if by_sentence else float(f),
            {
                **dict(zip(names, totals.tolist(), strict=True)),
                "precision": float(precision),
                "recall": float(recall),
                **other,
            },
            self.signature(statistics),
            SentenceScores(
                chosen,
                values[2],
                {
                    **dict(zip(names, own.T, strict=True)),
                    "precision": values[0],
                    "recall": values[1],
                },
            ),
        )
