"""Metrics of edits that a scorer of sentences weighs.

Gong, Liu, Huang and Zhang (2022), Revisiting Grammatical Error Correction Evaluation and Beyond.
The published weights are those of neural scorers; here any scorer can be used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from geceval.errors import OptionError
from geceval.metrics._shared.edits import COLUMNS
from geceval.metrics._shared.texts import References
from geceval.metrics.options import Beta
from geceval.metrics.pt.running import Average, Floats, RunningWeights
from geceval.metrics.pt.weighting import (
    Compared,
    Weights,
    even_if_all_zero,
    sums_of_all,
    sums_of_distinct,
    weigh,
)
from geceval.metrics.sentence_scorers import CachedScorer, SentenceScorer, get_scorer
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
        self._scorer: CachedScorer | None = None
        if isinstance(scorer, str) and scorer != SELF:
            try:
                scorer = get_scorer(scorer)
            except OptionError as error:
                what = "the option scorer takes a metric"
                raise OptionError(f"{type(self).name}: {what}: {error}") from error
        if not isinstance(scorer, str):
            self._scorer = CachedScorer(scorer)

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"scorer": self._scorer_signature, "beta": self.beta, "average": self.average}

    @cached_property
    def _scorer_signature(self) -> str:
        return SELF if self._scorer is None else self._scorer.scorer.signature

    @abstractmethod
    def all_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[SentenceEdits]]:
        """Return the edits of each sentence against each of its annotations."""

    def weights(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[Weights]]:
        """Return the weight of each edit, by sentence, annotation, and span and correction."""
        compared = self._compared(corpus, hypothesis)
        found = iter(weigh([one for ones in compared for one in ones], self._scorer))
        return [[next(found) for _ in ones] for ones in compared]

    def _compared(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[Compared]]:
        references = iter(self._references(corpus).texts)
        return [
            [Compared.of(sent.tokens, next(references), view) for view in views]
            for sent, views in zip(corpus, self.all_edits(corpus, hypothesis), strict=True)
        ]

    @abstractmethod
    def _references(self, corpus: Corpus) -> References:
        """Return the corrected sentences of all annotators."""

    def _count(self, corpus: Corpus, hypothesis: Hypothesis) -> Floats:
        """Return the sums of weights, one row for each annotation."""
        compared = [one for ones in self._compared(corpus, hypothesis) for one in ones]
        weights = weigh(compared, self._scorer)
        pairs = list(zip(compared, weights, strict=True))
        if self.by_errors:
            return np.array([sums_of_all(*pair) for pair in pairs], float).reshape(-1, 3)
        sums = [
            (*sums_of_distinct(one, own), *sums_of_distinct(one, even_if_all_zero(own)))
            for one, own in pairs
        ]
        return np.array(sums, float).reshape(-1, 6)

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
