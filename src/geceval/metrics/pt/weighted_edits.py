"""Metrics of edits that a scorer of sentences weighs.

Gong, Liu, Huang and Zhang (2022), Revisiting Grammatical Error Correction Evaluation and Beyond.
The published weights are those of neural scorers; here any scorer can be used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property, partial

import numpy as np

from geceval.engines.threads import Latest
from geceval.metrics._shared.edits import COLUMNS
from geceval.metrics._shared.texts import References
from geceval.metrics.options import Beta
from geceval.metrics.pt.running import Average, Floats, RunningWeights
from geceval.metrics.pt.weighting import (
    Compared,
    Key,
    Weights,
    even_if_all_zero,
    gold_keys,
    sums_of_all,
    sums_of_distinct,
    weigh,
    weigher_of,
)
from geceval.metrics.sentence_scorers import SentenceScorer
from geceval.metrics.statistics import Score, Statistics
from geceval.metrics.views import SentenceEdits
from geceval.model import Corpus, Hypothesis

SELF = "self"
"""Name of the scorer that gives every edit the weight 1."""

ERRORS = ("tp", "fp", "fn")
SENTENCE_COLUMNS = tuple(f"sentence_{name}" for name in COLUMNS)


class WeightedEdits(RunningWeights):
    """Edits of a system and of annotators, each weighted by a scorer.

    Unless sums are those of errors, the rules are those of PT-M²: equal edits count once, and a
    sentence scored by itself whose edits all weigh nothing is scored without weights.
    """

    def __init__(self, *, scorer: str | SentenceScorer, beta: Beta, average: Average) -> None:
        super().__init__(beta=beta, average=average)
        self._gold: Latest[Corpus, list[tuple[Key, ...]]] = Latest()
        self._weigher = None if scorer == SELF else weigher_of(scorer, type(self).name)

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"scorer": self._scorer_signature, "beta": self.beta, "average": self.average}

    @cached_property
    def _scorer_signature(self) -> str:
        return SELF if self._weigher is None else self._weigher.scorer.signature

    @abstractmethod
    def all_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[SentenceEdits]]:
        """Return the edits of each sentence against each of its annotations."""

    def weights(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[Weights]]:
        """Return the weight of each edit, by sentence, annotation, and span and correction."""
        compared = self._compared(corpus, hypothesis)
        found = iter(weigh([one for ones in compared for one in ones], self._weigher))
        return [[next(found) for _ in ones] for ones in compared]

    def _compared(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[Compared]]:
        found = self.all_edits(corpus, hypothesis)
        references = iter(self._references(corpus).texts)
        gold = iter(self._gold.get(corpus, partial(_gold_keys, found=found)))
        return [
            [Compared.of(sent.tokens, next(references), next(gold), view.edits) for view in views]
            for sent, views in zip(corpus, found, strict=True)
        ]

    @abstractmethod
    def _references(self, corpus: Corpus) -> References:
        """Return the corrected sentences of all annotators."""

    def _count(self, corpus: Corpus, hypothesis: Hypothesis) -> Floats:
        """Return the sums of weights, one row for each annotation."""
        compared = [one for ones in self._compared(corpus, hypothesis) for one in ones]
        weights = weigh(compared, self._weigher)
        pairs = zip(compared, weights, strict=True)
        if self.by_errors:
            return np.array([sums_of_all(*pair) for pair in pairs], float).reshape(-1, 3)
        return np.array([_sums_of_both(*pair) for pair in pairs], float).reshape(-1, 6)

    @property
    def _columns(self) -> tuple[str, ...]:
        return ERRORS if self.by_errors else (*COLUMNS, *SENTENCE_COLUMNS)

    def sentence_sums(self, statistics: Statistics) -> Floats:
        """Return the sums by which sentences are scored one by one."""
        columns = slice(3) if self.by_errors else slice(3, 6)
        return np.asarray(statistics.counts[..., columns], dtype=np.float64)

    def marked_edits(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[SentenceEdits | None]:
        """Return the edits of each sentence against its chosen reference; None without one."""
        names = self._references(corpus).names
        chosen = [names[number] if number >= 0 else None for number in score.sentences.chosen]
        return [
            next((view for view in views if view.annotation.annotator == name), None)
            for name, views in zip(chosen, self.all_edits(corpus, hypothesis), strict=True)
        ]


def _gold_keys(corpus: Corpus, found: list[list[SentenceEdits]]) -> list[tuple[Key, ...]]:
    """Return the edits of all annotations, which are the same for all systems."""
    return [
        gold_keys(view.annotation, len(sent.tokens))
        for sent, views in zip(corpus, found, strict=True)
        for view in views
    ]


def _sums_of_both(compared: Compared, weights: Weights) -> tuple[float, ...]:
    """Sum weights for the corpus, and for the sentence by itself."""
    sums = sums_of_distinct(compared, weights)
    own = even_if_all_zero(weights)
    return (*sums, *(sums if own is weights else sums_of_distinct(compared, own)))
