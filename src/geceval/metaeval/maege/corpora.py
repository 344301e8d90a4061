"""Corpora of known quality: the more edits a model applies on average, the better the corpus.

Choshen and Abend (2018), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from geceval.metaeval.maege.chains import Source, generator
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.model import Tokens

MODELS = tuple(range(11))
"""The corpus models, by how many edits of a sentence each of them applies on average."""

VARIANCE = 0.9
"""Variance of the number of edits."""


def binomial_of(mean: float) -> tuple[int, float]:
    """Return number and probability of trials that give a mean and a variance of 0.9.

    The number is rounded, as it has to be whole.

    Examples
    --------
    >>> binomial_of(1)
    (10, 0.09999999999999998)
    """
    return round(mean * mean / (mean - VARIANCE)), (mean - VARIANCE) / mean


def draw_count(rng: Generator, model: float, n_edits: int) -> int:
    """Draw how many of the edits of a sentence a corpus model applies; it may want too many."""
    return min(n_edits, int(rng.binomial(*binomial_of(model)))) if model else 0


@dataclass(frozen=True, slots=True)
class Draw:
    """A correction, whose edits it is made of, and how many of them."""

    annotator: str
    n_edits: int
    text: Tokens


@dataclass(frozen=True, slots=True)
class SentenceDraws:
    """What was drawn of one sentence: the source, and the output of each corpus model."""

    source: Tokens
    outputs: tuple[Draw, ...]


def draw_sentence(
    lattices: Sequence[AnnotationLattice], *, sentence: int, seed: int, source: Source
) -> SentenceDraws:
    """Draw the source and the outputs of all corpus models for one sentence.

    Parameters
    ----------
    lattices
        Those of all annotators.
    sentence
        Number of the sentence in its corpus.
    seed
        Same seed, same outputs; whatever the source.
    source
        Whether the source is any element of a lattice, or the original.
    """
    rng = generator(seed, "corpus", sentence)
    outputs = []
    for model in MODELS:
        lattice = _any(lattices, rng)
        count = draw_count(rng, model, len(lattice))
        chosen = rng.choice(len(lattice), count, replace=False).tolist()
        outputs.append(Draw(lattice.annotator, count, lattice.correction(chosen)))
    return SentenceDraws(_draw_source(lattices, sentence, seed, source), tuple(outputs))


def _draw_source(
    lattices: Sequence[AnnotationLattice], sentence: int, seed: int, source: Source
) -> Tokens:
    if source == "original":
        return lattices[0].tokens
    rng = generator(seed, "corpus source", sentence)
    lattice = _any(lattices, rng)
    return lattice.correction(rng.integers(2, size=len(lattice)).nonzero()[0].tolist())


def _any(lattices: Sequence[AnnotationLattice], rng: Generator) -> AnnotationLattice:
    return lattices[int(rng.integers(len(lattices)))]
