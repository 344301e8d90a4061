"""Learner text made up by chance: corpora of any size, systems that correct some of it, and
metrics that fail on it."""

from __future__ import annotations

import os
import random

from geceval.errors import UnknownNameError
from geceval.metrics.levenshtein import LDSource
from geceval.metrics.statistics import Statistics
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, apply_edits

WORDS = ("the", "a", "cat", "dogs", "likes", "see", "of", "in", "town", ",", "very", "informations")
TYPES = ("R:DET", "M:PREP", "U:CONJ", "R:VERB:SVA")


def corpus(
    n_sents: int, *, annotators: tuple[str, ...] = ("0", "1"), absent: float = 0.0, seed: int = 1
) -> Corpus:
    """Make sentences of up to fifteen tokens, some of them empty, with a few edits each.

    Parameters
    ----------
    n_sents, annotators
        How many sentences, and who annotates them.
    absent
        How likely it is that an annotator did not look at a sentence.
    seed
        Of the chance.
    """
    chance = random.Random(seed)
    return Corpus(
        tuple(_sentence(chance, annotators, absent) for _ in range(n_sents)), name="made up"
    )


def _sentence(chance: random.Random, annotators: tuple[str, ...], absent: float) -> Sentence:
    tokens = tuple(chance.choices(WORDS, k=chance.randrange(16)))
    readings = [
        Annotation(name, tuple(_edits(chance, tokens)))
        for name in annotators
        if chance.random() >= absent
    ]
    return Sentence(tokens, tuple(readings))


def _edits(chance: random.Random, tokens: tuple[str, ...]) -> list[Edit]:
    found = []
    position = 0
    while position < len(tokens):
        position += chance.randrange(1, 8)
        end = position + chance.choice((0, 1, 1, 1, 2))
        if end > len(tokens):
            break
        new = tuple(chance.choices(WORDS, k=chance.randrange(3)))
        if new != tokens[position:end]:
            found.append(Edit(position, end, (new,), chance.choice(TYPES)))
        position = end + 1
    return found


def system(gold: Corpus, name: str, *, skill: float = 0.5, noise: float = 0.2) -> Hypothesis:
    """Make a system that has some of the edits of some annotator, and some of its own."""
    chance = random.Random(name)
    outputs = []
    for sent in gold:
        theirs = chance.choice(sent.annotations).edits if sent.annotations else ()
        kept = [edit for edit in theirs if chance.random() < skill]
        own = [edit for edit in _edits(chance, sent.tokens) if chance.random() < noise]
        outputs.append(apply_edits(sent.tokens, [*kept, *own]))
    return Hypothesis(name, tuple(outputs))


def systems(gold: Corpus, *names: str) -> list[Hypothesis]:
    """Make systems, each better than the next."""
    return [
        system(gold, name, skill=0.9 - 0.6 * place / len(names)) for place, name in enumerate(names)
    ]


class Slow(LDSource):
    """A metric that counts in background processes."""

    runs_in_background = True


class Refusing(LDSource):
    """A slow metric with an error that cannot travel between processes as it is."""

    name = "refusing"
    runs_in_background = True

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:  # noqa: ARG002
        raise UnknownNameError("thing", f"this metric refuses everything, {len(corpus)}", [])


class Dying(LDSource):
    """A slow metric that takes its process down."""

    name = "dying"
    runs_in_background = True

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:  # noqa: ARG002
        os._exit(3)
