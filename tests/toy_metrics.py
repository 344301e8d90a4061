"""Small metrics whose validation has a known outcome, and a corpus to validate them on.

Every correction of the corpus ends in the mark ``!``, which no other token has.
"""

from __future__ import annotations

import random
import zlib
from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from geceval.metrics.base import Metric
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Score, SentenceScores, Statistics
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens

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
        known = values[np.isfinite(values)]
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
