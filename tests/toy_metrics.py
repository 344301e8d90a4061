"""Small metrics whose validation has a known outcome, and a corpus to validate them on.

Every correction of the corpus ends in the mark ``!``, which no other token has.
"""

from __future__ import annotations

import random
import zlib
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.extraction.annotator import Annotator
from geceval.metrics.base import Metric
from geceval.metrics.bleu import BLEU
from geceval.metrics.errant import Errant
from geceval.metrics.imeasure import IMeasure
from geceval.metrics.maxmatch import M2
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Rows, Score, SentenceScores, Statistics, Swaps
from geceval.metrics.views import Aligned, CountsByType, SentenceEdits
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens

Floats: TypeAlias = NDArray[np.float64]

MARK = "!"


class _ByOutput(Metric):
    """A metric that looks at each output by itself; a corpus has the mean of its sentences."""

    columns = ("value",)

    @abstractmethod
    def value(self, output: Tokens) -> float:
        """Score one output."""

    def settings(self) -> Mapping[str, object]:
        return {}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        values = np.array([self.value(output) for output in hypothesis], dtype=np.float64)
        mask = np.ones((len(corpus), 1), dtype=bool)
        read = Provenance.of_sources(corpus)
        return Statistics(values[:, None, None], mask, self.columns, ("none",), read)

    def aggregate(self, statistics: Statistics) -> Score:
        values = statistics.counts[:, 0, 0].astype(np.float64)
        view = SentenceScores(np.full(len(values), -1), values, {})
        known = values[~np.isnan(values)]
        mean = float(known.mean()) if len(known) else 0.0
        return Score(self.name, mean, {}, self.signature(statistics), view)


class CountsEdits(_ByOutput):
    """Counts the edits that were applied."""

    name = "counts"
    title = "edit counter"

    def value(self, output: Tokens) -> float:
        return sum(token.endswith(MARK) for token in output)


class Opposite(CountsEdits):
    """Counts the edits that were applied, as faults."""

    name = "opposite"
    title = "opposite"

    def value(self, output: Tokens) -> float:
        return -super().value(output)


class Noise(_ByOutput):
    """Gives every sentence a score that says nothing."""

    name = "noise"
    title = "noise"

    def value(self, output: Tokens) -> float:
        return zlib.crc32(" ".join(output).encode()) / 2**32


class Constant(_ByOutput):
    """Gives all sentences the same score, or none at all to those with an odd number of edits."""

    name = "constant"
    title = "constant"

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent

    def value(self, output: Tokens) -> float:
        is_odd = sum(token.endswith(MARK) for token in output) % 2
        return float("nan") if self.silent and is_odd else 1.0


class Infinite(_ByOutput):
    """Gives every sentence a score that is no number."""

    name = "infinite"
    title = "infinite"

    def value(self, output: Tokens) -> float:  # noqa: ARG002
        return float("inf")


class Delegate(Metric):
    """A plug-in that knows nothing but the contract, and passes every question on."""

    def __init__(self, **options: Any) -> None:
        self.inner = self.make(**options)
        self.beta = self.inner.beta

    @staticmethod
    @abstractmethod
    def make(**options: Any) -> Metric:
        """Make the metric that answers."""

    @property
    def score_name(self) -> str:
        return self.inner.score_name

    @property
    def type_annotator(self) -> Annotator | None:
        return self.inner.type_annotator

    def for_sentences(self) -> Metric:
        return self.with_options(**self.inner.for_sentences()._options)

    def settings(self) -> Mapping[str, object]:
        return self.inner.settings()

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        return self.inner.statistics(corpus, hypothesis)

    def aggregate(self, statistics: Statistics) -> Score:
        score = self.inner.aggregate(statistics)
        return replace(score, metric=self.name, signature=self.signature(statistics))

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        return self.inner.remarks(statistics)

    def resample(self, statistics: Statistics, rows: Rows) -> Floats:
        return self.inner.resample(statistics, rows)

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, Floats]:
        return self.inner.resample_parts(statistics, rows)

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[Floats, Floats]:
        return self.inner.resample_swapped(first, second, swaps)

    def independent_sentence_scores(self, statistics: Statistics) -> Floats:
        return self.inner.independent_sentence_scores(statistics)

    def effective_counts(self, statistics: Statistics) -> NDArray[np.int64] | None:
        return self.inner.effective_counts(statistics)

    def marked_edits(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[SentenceEdits | None] | None:
        return self.inner.marked_edits(corpus, hypothesis, score)

    def counts_by_type(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> CountsByType | None:
        return self.inner.counts_by_type(corpus, hypothesis, score)

    def aligned_view(self, corpus: Corpus, hypothesis: Hypothesis) -> list[Aligned] | None:
        return self.inner.aligned_view(corpus, hypothesis)


def delegate_to(kind: type[Metric], **fixed: Any) -> type[Delegate]:
    """Return a plug-in that answers as another metric, with some options of its own."""

    class Plugin(Delegate):
        name = "plugin"
        title = kind.title
        columns = kind.columns
        table_parts = kind.table_parts
        needs_edits = kind.needs_edits
        needs_references = kind.needs_references
        weighs_references = kind.weighs_references
        max_part_resamples = kind.max_part_resamples

        @staticmethod
        def make(**options: Any) -> Metric:
            return kind(**{**fixed, **options})

    return Plugin


PluginM2 = delegate_to(M2)
PluginErrant = delegate_to(Errant, lang="plain")
PluginIMeasure = delegate_to(IMeasure)
PluginBleu = delegate_to(BLEU)


TYPES = ("SVA", "Nn", "Prep")


def marked_corpus(n_sents: int = 40, *, n_annotators: int = 2, seed: int = 1) -> Corpus:
    """Make a corpus in which each annotator corrects some tokens of each sentence."""
    rng = random.Random(seed)
    return Corpus(tuple(_sentence(rng, n_annotators) for _ in range(n_sents)), "marked")


def _sentence(rng: random.Random, n_annotators: int) -> Sentence:
    tokens = tuple(f"w{rng.randrange(50)}" for _ in range(rng.randint(3, 9)))
    return Sentence(
        tokens, tuple(_annotation(rng, str(name), tokens) for name in range(n_annotators))
    )


def _annotation(rng: random.Random, name: str, tokens: Tokens) -> Annotation:
    places = sorted(rng.sample(range(len(tokens)), rng.randint(1, min(5, len(tokens)))))
    return Annotation(
        name,
        tuple(
            Edit(place, place + 1, ((f"c{rng.randrange(50)}{MARK}",),), rng.choice(TYPES))
            for place in places
        ),
    )
