"""Corpora of known quality, sampled by models that apply more and more edits on average.

Choshen and Abend (2018), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from geceval.metaeval.maege.chains import Source, generator
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.metaeval.maege.protocol import PAPER, Protocol
from geceval.model import Tokens

MODELS = tuple(range(11))
"""The corpus models, each given by its mean number of applied edits per sentence."""

VARIANCE = 0.9
"""Variance of the number of edits."""


def binomial_of(mean: float, protocol: Protocol = PAPER) -> tuple[int, float]:
    """Return the binomial parameters n and p for a mean and a variance of 0.9.

    Examples
    --------
    >>> binomial_of(2), binomial_of(2, Protocol(trials="truncate"))
    ((4, 0.55), (3, 0.55))
    """
    trials = mean * mean / (mean - VARIANCE)
    n = round(trials) if protocol.trials == "round" else int(trials)
    return n, (mean - VARIANCE) / mean


def sample_count(rng: Generator, model: float, n_edits: int, protocol: Protocol = PAPER) -> int:
    """Sample the number of edits that a corpus model applies, at most `n_edits`."""
    return min(n_edits, int(rng.binomial(*binomial_of(model, protocol)))) if model else 0


@dataclass(frozen=True, slots=True)
class SampledOutput:
    """A correction, the annotator of its edits, and their number."""

    annotator: str
    n_edits: int
    text: Tokens


@dataclass(frozen=True, slots=True)
class SentenceSample:
    """The sampled source of a sentence, and the output of each corpus model."""

    source: Tokens
    outputs: tuple[SampledOutput, ...]


def sample_sentence(
    lattices: Sequence[AnnotationLattice],
    *,
    sentence: int,
    seed: int,
    source: Source,
    protocol: Protocol = PAPER,
) -> SentenceSample:
    """Sample the source and the outputs of all corpus models for one sentence.

    Parameters
    ----------
    lattices
        Lattices of all annotators.
    sentence
        Index of the sentence in its corpus.
    seed
        Random seed; the outputs do not depend on `source`.
    source
        Whether the source is sampled, or the original.
    protocol
        How many edits the corpus models apply, and where sources are sampled from.
    """
    rng = generator(seed, "corpus", sentence)
    outputs = []
    for model in MODELS:
        lattice = _choose(lattices, rng)
        count = sample_count(rng, model, len(lattice), protocol)
        chosen = rng.choice(len(lattice), count, replace=False).tolist()
        outputs.append(SampledOutput(lattice.annotator, count, lattice.correction(chosen)))
    if source == "original":
        return SentenceSample(lattices[0].tokens, tuple(outputs))
    rng = generator(seed, "corpus source", sentence)
    if protocol.corpus_source == "output":
        return SentenceSample(outputs[int(rng.integers(len(outputs)))].text, tuple(outputs))
    return SentenceSample(_sample_subset(lattices, rng), tuple(outputs))


def _sample_subset(lattices: Sequence[AnnotationLattice], rng: Generator) -> Tokens:
    lattice = _choose(lattices, rng)
    return lattice.correction(rng.integers(2, size=len(lattice)).nonzero()[0].tolist())


def _choose(lattices: Sequence[AnnotationLattice], rng: Generator) -> AnnotationLattice:
    return lattices[int(rng.integers(len(lattices)))]
