"""The paper's own chains, scored again.

Choshen and Abend (2018) sampled once. The chains of that sample are known from the published
scores of GLEU, so that tables 2 and 3 can be recomputed without sampling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from geceval.errors import FormatError
from geceval.formats import Input, PathLike
from geceval.metaeval.correlation import Correlation
from geceval.metaeval.maege.chains import Chain
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.metaeval.maege.material import Material
from geceval.metaeval.maege.protocol import PROTOCOLS
from geceval.metaeval.maege.rows import Row
from geceval.metaeval.maege.sensitivity import ScoreChange
from geceval.metaeval.maege.sentence_level import SLACK, SentenceLevel, Values
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens, in_order

_COLUMNS = ("chain", "sentence", "annotator", "order", "source", "gleu")

RELEASED = PROTOCOLS["released"]


@dataclass(frozen=True, slots=True)
class SpacedLattice(AnnotationLattice):
    """A lattice whose corrections are the texts of the released code, split at single spaces.

    A deletion at either end of a sentence leaves a space there, that is, a token without
    characters.

    Examples
    --------
    >>> lattice = SpacedLattice(("a", "b", "c"), (Edit(0, 1, ((),)), Edit(1, 2, ((),))))
    >>> lattice.correction((1,)), lattice.correction((0, 1))
    (('a', 'c'), ('', 'c'))
    """

    def correction(self, chosen: Iterable[int]) -> Tokens:
        """Return the original with the chosen edits applied, in this order."""
        parts: list[str] = []
        position = 0
        for edit in in_order(self.edits[number] for number in chosen):
            parts += self.tokens[position : edit.start]
            parts.append(" ".join(edit.correction))
            position = edit.end
        parts += self.tokens[position:]
        return tuple(re.sub(" +", " ", " ".join(parts)).split(" "))


@dataclass(frozen=True)
class ReplayedTexts:
    """Sources, references and outputs of replayed rows.

    Parameters
    ----------
    material
        Provides the references.
    rows
        The rows; their texts are split at single spaces, see `SpacedLattice`.
    sources
        The source of each chain and the place of its sentence, in the order of the chains.
    """

    material: Material
    rows: tuple[Row, ...]
    sources: tuple[tuple[int, Tokens], ...]

    def references(self, place: int) -> list[Tokens]:
        """Return the references of a sentence."""
        return [text for _, text in self.material.sentences[place].references]

    @cached_property
    def outputs(self) -> Hypothesis:
        """The outputs without empty tokens."""
        return Hypothesis("replay", tuple(words(row.output) for row in self.rows))

    @cached_property
    def gold(self) -> Corpus:
        """The sources and references without empty tokens."""
        return self._corpus(words)

    @cached_property
    def spaced_outputs(self) -> Hypothesis:
        """The outputs with empty tokens."""
        return Hypothesis("replay", tuple(row.output for row in self.rows))

    @cached_property
    def spaced_gold(self) -> Corpus:
        """The sources with empty tokens; a reference without tokens has an empty one."""
        return self._corpus(lambda tokens: tokens or ("",))

    def _corpus(self, form: Callable[[Tokens], Tokens]) -> Corpus:
        known: dict[tuple[int, Tokens], Sentence] = {}
        for row in self.rows:
            if (row.sentence, row.source) not in known:
                source = form(row.source)
                known[row.sentence, row.source] = Sentence(
                    source,
                    tuple(
                        Annotation(name, (Edit(0, len(source), (form(text),)),))
                        for name, text in self.material.sentences[row.sentence].references
                    ),
                )
        return Corpus(tuple(known[row.sentence, row.source] for row in self.rows), "replay")


def words(tokens: Tokens) -> Tokens:
    """Return the tokens that have characters."""
    return tuple(token for token in tokens if token)


Measure: TypeAlias = Callable[[ReplayedTexts], Values]
"""Scores each row."""


@dataclass(frozen=True)
class Replay:
    """Chains of the paper.

    Parameters
    ----------
    material
        Sentences and references.
    chains
        Each chain with the place of its sentence in the material.
    gleu
        The paper's GLEU scores of all elements, to six digits.
    """

    material: Material
    chains: tuple[tuple[int, Chain], ...]
    gleu: Values

    @cached_property
    def _sampled(self) -> tuple[SentenceLevel, ReplayedTexts]:
        rows: dict[Row, int] = {}
        level = SentenceLevel.of(self.chains, self.material, rows, protocol=RELEASED)
        sources = tuple(
            (place, chain.lattice.correction(chain.order[: chain.source]))
            for place, chain in self.chains
        )
        return level, ReplayedTexts(self.material, tuple(rows), sources)

    @property
    def level(self) -> SentenceLevel:
        """The sentence level of these chains."""
        return self._sampled[0]

    @property
    def texts(self) -> ReplayedTexts:
        """The texts to be scored."""
        return self._sampled[1]

    def without(self, sentence: int) -> Replay:
        """Return a replay without the chains of a sentence, given by its number in the corpus."""
        keep = [self.material.sentences[place].number != sentence for place, _ in self.chains]
        sizes = [len(chain) for _, chain in self.chains]
        return Replay(
            self.material,
            tuple(one for one, is_kept in zip(self.chains, keep, strict=True) if is_kept),
            self.gleu[np.repeat(keep, sizes)],
        )

    def with_every_source(self) -> Replay:
        """Return a replay with each chain as often as it has elements, each time another source."""
        chains = tuple(
            (place, replace(chain, source=source))
            for place, chain in self.chains
            for source in range(len(chain))
        )
        return Replay(self.material, chains, np.zeros(0))


@dataclass(frozen=True, slots=True)
class Replayed:
    """Results of a metric on the chains of the paper."""

    pearson: Correlation
    kendall: Correlation
    changes: Mapping[str, ScoreChange]

    @classmethod
    def of(cls, replay: Replay, measure: Measure) -> Replayed:
        """Score the chains."""
        level = replay.level
        scores = measure(replay.texts)
        return cls(
            level.pearson(scores),
            level.count_pairs(scores).kendall(RELEASED.ties),
            level.steps.changes(scores),
        )


@dataclass(frozen=True)
class SourceVariation:
    """Kendall's τ of given chains whose sources are sampled uniformly, as an exact distribution.

    Parameters
    ----------
    taus
        Possible values, from 1 to -1.
    probabilities
        Their probabilities.
    """

    taus: Values
    probabilities: Values

    @property
    def mean(self) -> float:
        """The mean of τ."""
        return float(self.taus @ self.probabilities)

    @property
    def spread(self) -> float:
        """The standard deviation of τ."""
        return float(np.sqrt((self.taus - self.mean) ** 2 @ self.probabilities))

    def share_up_to(self, tau: float) -> float:
        """Return the probability of a τ that is not above a value."""
        return float(self.probabilities[self.taus <= tau + SLACK].sum())


def source_variation(replay: Replay, measure: Measure) -> SourceVariation:
    """Compute the distribution of Kendall's τ over all choices of sources, ties not discordant.

    The sources of different chains are independent, so that the distribution of the number of
    discordant pairs is the convolution of those of single chains.
    """
    every = replay.with_every_source()
    scores = measure(every.texts)[every.level.elements]
    distribution = np.ones(1)
    first = n_pairs = 0
    for _, chain in replay.chains:
        size = len(chain)
        by_source = scores[first : first + size * size].reshape(size, size)
        first += size * size
        lower, upper = np.triu_indices(size, k=1)
        n_pairs += len(lower)
        discordant = (by_source[:, upper] < by_source[:, lower] - SLACK).sum(axis=1)
        longer = np.zeros(len(distribution) + int(discordant.max()))
        for count in discordant.tolist():
            longer[count : count + len(distribution)] += distribution / size
        distribution = longer
    return SourceVariation(1 - 2 * np.arange(len(distribution)) / n_pairs, distribution)


def read_chains(path: PathLike, corpus: Corpus, material: Material) -> Replay:
    """Read chains from a table with a line for each, separated by tabs.

    The columns are the number of the chain and of its sentence, both from 0, the annotator, the
    order of its edits, the number of edits that are applied in the source, and the scores of GLEU.

    Parameters
    ----------
    path
        The file.
    corpus
        The gold standard.
    material
        Material of the gold standard by the released protocol.
    """
    places = {sent.number: place for place, sent in enumerate(material.sentences)}
    chains = []
    gleu: list[float] = []
    with Input.open(path) as source:
        lines = source.lines()
        if (header := next(lines, "")) != "\t".join(_COLUMNS):
            raise FormatError(
                f"expected the columns {', '.join(_COLUMNS)}, not {header!r}",
                path=source.name,
                line=1,
            )
        for number, line in enumerate(lines, 2):
            try:
                place, chain, scores = _parsed(line, corpus, places)
            except (ValueError, LookupError) as error:
                message = f"not a chain of this gold standard ({error})"
                raise FormatError(message, path=source.name, line=number) from error
            chains.append((place, chain))
            gleu += scores
    return Replay(material, tuple(chains), np.array(gleu))


def _parsed(line: str, corpus: Corpus, places: Mapping[int, int]) -> tuple[int, Chain, list[float]]:
    _, sentence, annotator, *rest = line.split("\t")
    order, source, gleu = rest
    sent = corpus.sentences[int(sentence)]
    annotation = sent.annotation(annotator)
    if annotation is None:
        msg = f"no annotator {annotator} in sentence {sentence}"
        raise LookupError(msg)
    lattice = SpacedLattice(sent.tokens, annotation.edits, annotator, "applied")
    chain = Chain(lattice, tuple(map(int, order.split())), int(source))
    scores = list(map(float, gleu.split()))
    if sorted(chain.order) != list(range(len(lattice))):
        msg = f"its order is no permutation of {len(lattice)} edits"
        raise ValueError(msg)
    if not 0 <= chain.source < len(chain) or len(scores) != len(chain):
        msg = f"{len(chain)} elements need as many scores, and one of them as source"
        raise ValueError(msg)
    return places[int(sentence)], chain, scores
