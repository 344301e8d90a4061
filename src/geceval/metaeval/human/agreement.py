"""Agreement of judges with each other, with themselves, and with a metric."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from geceval.evaluation.chance_agreement import cohen_kappa
from geceval.metaeval.human.judgments import Judgments


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement about pairs of outputs that were judged twice.

    Parameters
    ----------
    n
        Number of pairs of judgments.
    agreed
        Number of pairs that agree.
    plain, linear, quadratic
        Cohen's κ, unweighted and weighted.
    """

    n: int
    agreed: int
    plain: float
    linear: float
    quadratic: float


def rater_agreement(judgments: Judgments) -> dict[str, Kappa]:
    """Compare judgments of the same two outputs, ``inter`` and ``intra`` judges."""
    judged: dict[tuple[int, str, str], list[tuple[str, int]]] = defaultdict(list)
    for sentence, judge, first, second, outcome in judgments.comparisons():
        judged[sentence, first, second].append((judge, outcome))
    pairs: dict[str, list[tuple[int, int]]] = {"inter": [], "intra": []}
    for outcomes in judged.values():
        # Sorted by name, so that the order of two judges is always the same.
        ordered = sorted(outcomes, key=lambda one: one[0])
        for (judge, outcome), (other, its_outcome) in combinations(ordered, 2):
            pairs["intra" if judge == other else "inter"].append((outcome, its_outcome))
    return {kind: _kappa(found) for kind, found in pairs.items()}


def _kappa(pairs: Sequence[tuple[int, int]]) -> Kappa:
    first = [one for one, _ in pairs]
    second = [other for _, other in pairs]
    return Kappa(
        len(pairs),
        sum(one == other for one, other in pairs),
        cohen_kappa(first, second),
        cohen_kappa(first, second, weights="linear"),
        cohen_kappa(first, second, weights="quadratic"),
    )


@dataclass(frozen=True, slots=True)
class Concordance:
    """Agreement of a metric with human preferences in single sentences.

    Parameters
    ----------
    concordant, discordant
        Pairs of outputs that the metric orders as the judges do, and the other way round.
    metric_ties
        Pairs that are tied only for the metric.
    human_ties
        Pairs that are tied for the judges, not counted otherwise.
    """

    concordant: int
    discordant: int
    metric_ties: int
    human_ties: int

    @property
    def accuracy(self) -> float:
        """The share of concordant pairs, without ties."""
        decided = self.concordant + self.discordant
        return self.concordant / decided if decided else math.nan

    @property
    def tau(self) -> float:
        """Kendall's τ over the same pairs, 2 · accuracy - 1."""
        return 2 * self.accuracy - 1


def concordance(
    judgments: Judgments,
    scores: Mapping[str, NDArray[np.float64]],
    rows: Mapping[int, int],
    systems: Collection[str],
) -> Concordance:
    """Compare a metric with human preferences between the outputs of `systems`.

    Parameters
    ----------
    judgments
        The judgments.
    scores
        Sentence scores of the metric by system; NaN if undefined.
    rows
        Index in `scores` of each judged sentence.
    systems
        The systems to compare.
    """
    signs = {-1: 0, 0: 0, 1: 0}
    human_ties = 0
    for sentence, _, first, second, outcome in judgments.keep_systems(systems).comparisons():
        difference = scores[first][rows[sentence]] - scores[second][rows[sentence]]
        if not outcome:
            human_ties += 1
        elif not math.isnan(difference):
            signs[int(np.sign(difference)) * outcome] += 1
    return Concordance(signs[1], signs[-1], signs[0], human_ties)
