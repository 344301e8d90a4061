"""Sentence level: whether a metric prefers the better of two corrections of a sentence.

Choshen and Abend (2018), section 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from geceval.errors import UnknownNameError
from geceval.metaeval.correlation import Correlation, pearson
from geceval.metaeval.maege.chains import Chain, Source, sample_chains
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.metaeval.maege.material import Material
from geceval.metaeval.maege.rows import Row
from geceval.metaeval.maege.sensitivity import Steps

Ties: TypeAlias = Literal["not-discordant", "half", "excluded"]
"""How pairs with tied scores are counted."""

Numbers: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.float64]

SLACK = 1e-12
"""Tolerance for equal scores, whose terms may have been summed in different orders."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Numbers of pairs of comparable corrections, by how a metric orders them.

    Parameters
    ----------
    n
        Scored pairs.
    discordant
        Pairs whose worse correction has the higher score.
    ties
        Pairs with equal scores.
    unscored
        Pairs with a correction that has no score.
    """

    n: int
    discordant: int
    ties: int
    unscored: int = 0

    def kendall(self, ties: Ties = "not-discordant") -> Correlation:
        r"""Kendall's τ over the pairs, with a two-sided p-value.

        :math:`\tau = 1 - 2 d / n` and :math:`z = (2 d - n) / \sqrt{n}` for *d* discordant pairs
        of *n*.

        Parameters
        ----------
        ties
            ``"not-discordant"`` as in the paper's experiments, ``"half"`` discordant, or
            ``"excluded"``.

        Examples
        --------
        >>> Pairs(4, 1, 2).kendall().value, Pairs(4, 1, 2).kendall("half").value
        (0.5, 0.0)
        """
        check_ties(ties)
        n = self.n - self.ties if ties == "excluded" else self.n
        discordant = self.discordant + (self.ties / 2 if ties == "half" else 0)
        if not n:
            return Correlation(math.nan, math.nan, 0)
        z = (2 * discordant - n) / math.sqrt(n)
        return Correlation(1 - 2 * discordant / n, math.erfc(abs(z) / math.sqrt(2)), n)


def check_ties(ties: str) -> None:
    """Validate the treatment of ties."""
    if ties not in get_args(Ties):
        raise UnknownNameError("rule for ties", ties, get_args(Ties))


def count_pairs(scores: Values, lower: Numbers, upper: Numbers) -> Pairs:
    """Compare the scores of pairs of rows.

    Parameters
    ----------
    scores
        Scores of all rows.
    lower, upper
        Indices of the worse and the better row of each pair.

    Examples
    --------
    >>> count_pairs(np.array([0.1, 0.3, 0.2]), np.array([0, 1]), np.array([1, 2]))
    Pairs(n=2, discordant=1, ties=0, unscored=0)
    """
    gain = scores[upper] - scores[lower]
    known = ~np.isnan(gain)
    return Pairs(
        int(known.sum()),
        int((gain < -SLACK).sum()),
        int((np.abs(gain) <= SLACK).sum()),
        int((~known).sum()),
    )


def quality(n_applied: int, n_edits: int, original: float) -> float:
    """Return the quality of a correction, interpolated between that of the original and 1.

    Examples
    --------
    >>> quality(1, 2, 0.5)
    0.75
    """
    return original + (1 - original) * n_applied / n_edits


def original_quality(lattices: Sequence[AnnotationLattice]) -> float:
    """Return the quality of an original: 1 minus the minimum number of edits per token."""
    return 1 - min(map(len, lattices)) / max(1, len(lattices[0].tokens))


@dataclass(frozen=True, slots=True)
class SentenceLevel:
    """The sample of the sentence level, as indices of rows.

    Parameters
    ----------
    elements, qualities
        All elements of all chains, and their quality by MAEGE.
    lower, upper
        Distinct pairs of elements of the same chain.
    steps
        Pairs that differ in one edit.
    originals, n_errors
        The original of each chain, and its number of edits.
    n_chains
        Number of chains.
    """

    elements: Numbers
    qualities: Values
    lower: Numbers
    upper: Numbers
    steps: Steps
    originals: Numbers
    n_errors: Numbers
    n_chains: int

    @classmethod
    def sample(
        cls, material: Material, rows: dict[Row, int], *, seed: int, n_chains: int, source: Source
    ) -> SentenceLevel:
        """Sample chains through all lattices, and add their elements to `rows`."""
        elements: list[int] = []
        qualities: list[float] = []
        pairs: dict[tuple[int, int], None] = {}
        steps: dict[tuple[int, int, str], None] = {}
        originals: list[tuple[int, int]] = []
        for place, sent in enumerate(material.sentences):
            original = original_quality(sent.lattices)
            for chain in sample_chains(
                sent.lattices, sentence=sent.number, seed=seed, n_chains=n_chains, source=source
            ):
                numbers = _numbered(material, place, chain, rows)
                n_edits = len(chain) - 1
                elements += numbers
                qualities += [quality(size, n_edits, original) for size in range(len(chain))]
                pairs.update(dict.fromkeys(combinations(numbers, 2)))
                for (lower, upper), name in zip(pairwise(numbers), chain.types, strict=True):
                    steps[lower, upper, name] = None
                originals.append((numbers[0], n_edits))
        lowers, uppers = _columns(list(pairs))
        firsts, sizes = _columns(originals)
        return cls(
            np.array(elements, dtype=np.int64),
            np.array(qualities),
            lowers,
            uppers,
            Steps.of(list(steps)),
            firsts,
            sizes,
            len(originals),
        )

    def pearson(self, scores: Values) -> Correlation:
        """Compute Pearson's *r* between the scores of a metric and the qualities."""
        values = scores[self.elements]
        known = ~np.isnan(values)
        return pearson(values[known], self.qualities[known])

    def mean_gain(self, scores: Values) -> float:
        """Return the mean score difference of better and worse corrections, over all pairs."""
        gains = scores[self.upper] - scores[self.lower]
        return float(np.nanmean(gains)) if (~np.isnan(gains)).any() else math.nan

    def by_errors(self, scores: Values) -> Mapping[int, tuple[int, float]]:
        """Return the number of originals and their mean score, by number of errors."""
        values = scores[self.originals]
        found = {}
        for size in np.unique(self.n_errors).tolist():
            same = values[(self.n_errors == size) & ~np.isnan(values)]
            if len(same):
                found[size] = len(same), float(same.mean())
        return found


def _numbered(material: Material, place: int, chain: Chain, rows: dict[Row, int]) -> list[int]:
    texts = list(chain.elements())
    held_out = material.held_out(chain.lattice.annotator)
    source = texts[chain.source]
    return [rows.setdefault(Row(place, source, held_out, text), len(rows)) for text in texts]


def _columns(pairs: list[tuple[int, int]]) -> tuple[Numbers, Numbers]:
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, second
