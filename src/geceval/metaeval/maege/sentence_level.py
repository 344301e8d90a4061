"""Sentence level: whether a metric prefers the better of two corrections of a sentence.

Choshen and Abend (2018), section 6.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, repeat
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, UnknownNameError
from geceval.metaeval.correlation import Correlation, pearson
from geceval.metaeval.maege.argsort import MAX_STABLE, unstable_argsort
from geceval.metaeval.maege.chains import Chain, Source, sample_chains
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.metaeval.maege.material import Material
from geceval.metaeval.maege.protocol import PAPER, Protocol, Ties
from geceval.metaeval.maege.rows import Row
from geceval.metaeval.maege.sensitivity import Steps

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
    reversed
        Ties that an unstable argsort of the scores puts in reverse order.
    """

    n: int
    discordant: int
    ties: int
    unscored: int = 0
    reversed: int = 0

    def kendall(self, ties: Ties = "not-discordant") -> Correlation:
        r"""Kendall's τ over the pairs, with a two-sided p-value.

        :math:`\tau = 1 - 2 d / n` and :math:`z = (2 d - n) / \sqrt{n}` for *d* discordant pairs
        of *n*.

        Parameters
        ----------
        ties
            ``"not-discordant"`` as in the paper, ``"half"`` discordant, ``"excluded"``, or as
            ordered by an unstable ``"argsort"``.

        Examples
        --------
        >>> Pairs(4, 1, 2).kendall().value, Pairs(4, 1, 2).kendall("half").value
        (0.5, 0.0)
        """
        check_ties(ties)
        n = self.n - self.ties if ties == "excluded" else self.n
        more = {"half": self.ties / 2, "argsort": self.reversed}
        discordant = self.discordant + more.get(ties, 0)
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
    Pairs(n=2, discordant=1, ties=0, unscored=0, reversed=0)
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


def original_quality(lattices: Sequence[AnnotationLattice], protocol: Protocol = PAPER) -> float:
    """Return the quality of an original: 1 minus the minimum number of edits per token.

    Or, by the protocol, 1 minus one more than that number per character.
    """
    n_edits, tokens = min(map(len, lattices)), lattices[0].tokens
    if protocol.quality == "characters":
        return 1 - (n_edits + 1) / max(1, len(" ".join(tokens)))
    return 1 - n_edits / max(1, len(tokens))


@dataclass(frozen=True, slots=True)
class SentenceLevel:
    """The sample of the sentence level, as indices of rows.

    Parameters
    ----------
    elements, qualities
        All elements of all chains, and their quality by MAEGE.
    lower, upper
        Pairs of elements of the same chain.
    steps
        Pairs that differ in one edit, or the first element and each other one.
    originals, n_errors
        The original of each chain, and its number of edits.
    long
        Chains that an unstable argsort may not keep in order.
    protocol
        Which pairs and changes count.
    """

    elements: Numbers
    qualities: Values
    lower: Numbers
    upper: Numbers
    steps: Steps
    originals: Numbers
    n_errors: Numbers
    long: tuple[Numbers, ...]
    protocol: Protocol

    @classmethod
    def sample(
        cls,
        material: Material,
        rows: dict[Row, int],
        *,
        seed: int,
        n_chains: int,
        source: Source,
        protocol: Protocol = PAPER,
    ) -> SentenceLevel:
        """Sample chains through all lattices, and add their elements to `rows`."""
        chains = (
            (place, chain)
            for place, sent in enumerate(material.sentences)
            if len(sent.lattices) >= protocol.chain_annotators
            for chain in sample_chains(
                sent.lattices, sentence=sent.number, seed=seed, n_chains=n_chains, source=source
            )
        )
        return cls.of(chains, material, rows, protocol=protocol)

    @classmethod
    def of(
        cls,
        chains: Iterable[tuple[int, Chain]],
        material: Material,
        rows: dict[Row, int],
        *,
        protocol: Protocol = PAPER,
    ) -> SentenceLevel:
        """Add the elements of chains, each with the place of its sentence, to `rows`."""
        elements: list[int] = []
        qualities: list[float] = []
        pairs: list[tuple[int, int]] = []
        steps: list[tuple[int, int, str, int]] = []
        originals: list[tuple[int, int]] = []
        long: list[Numbers] = []
        original, known = 0.0, -1
        for place, chain in chains:
            if place != known:
                original, known = (
                    original_quality(material.sentences[place].lattices, protocol),
                    place,
                )
            numbers = _numbered(material, place, chain, rows)
            n_edits = len(chain) - 1
            elements += numbers
            qualities += [quality(size, n_edits, original) for size in range(len(chain))]
            pairs += combinations(numbers, 2)
            lower = numbers if protocol.change_from == "previous" else repeat(numbers[0])
            steps += zip(lower, numbers[1:], chain.types, repeat(place), strict=False)
            originals.append((numbers[0], n_edits))
            if len(chain) > MAX_STABLE:
                long.append(np.array(numbers, dtype=np.int64))
        if not originals:
            raise GecevalError(
                f"no sentence has the {protocol.chain_annotators} annotators that chains need"
            )
        if protocol.pairs == "unique":
            pairs, steps = list(dict.fromkeys(pairs)), list(dict.fromkeys(steps))
        lowers, uppers = _columns(pairs)
        firsts, sizes = _columns(originals)
        return cls(
            np.array(elements, dtype=np.int64),
            np.array(qualities),
            lowers,
            uppers,
            Steps.of(steps),
            firsts,
            sizes,
            tuple(long),
            protocol,
        )

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return len(self.originals)

    def count_pairs(self, scores: Values) -> Pairs:
        """Count the pairs by how a metric orders them."""
        found = count_pairs(scores, self.lower, self.upper)
        reversed_ties = [pair for chain in self.long for pair in _reversed_ties(scores, chain)]
        if self.protocol.pairs == "unique":
            reversed_ties = list(dict.fromkeys(reversed_ties))
        return replace(found, reversed=len(reversed_ties))

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


def _reversed_ties(scores: Values, chain: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a chain that are tied and reversed by an unstable argsort."""
    values = scores[chain]
    places = np.argsort(unstable_argsort(values))
    lower, upper = np.triu_indices(len(chain), k=1)
    is_reversed = (np.abs(values[upper] - values[lower]) <= SLACK) & (places[upper] < places[lower])
    yield from zip(
        chain[lower[is_reversed]].tolist(), chain[upper[is_reversed]].tolist(), strict=True
    )


def _columns(pairs: list[tuple[int, int]]) -> tuple[Numbers, Numbers]:
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, second
