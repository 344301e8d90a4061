"""Agreement of judges with each other, with themselves, and with a metric."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from geceval.evaluation.chance_agreement import cohen_kappa
from geceval.metaeval.human.judgments import Judgments, Preference


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
class TieCalibration:
    """Pairwise accuracy after small differences of a metric were made ties.

    Parameters
    ----------
    accuracy
        The share of all pairs that the metric orders, or leaves tied, as the judges do.
    threshold
        The largest difference of scores that is a tie; the smallest threshold with the highest
        accuracy.
    """

    accuracy: float
    threshold: float


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
        Pairs that are tied for the judges.
    both_ties
        Those of them that are tied for the metric, too.
    undefined
        Pairs for which the metric has no score, not counted otherwise.
    seeda_tau
        Kendall's τ as defined by SEEDA, see `seeda_tau`.
    calibrated
        Accuracy with calibrated ties, see `calibrate_ties`.
    """

    concordant: int
    discordant: int
    metric_ties: int
    human_ties: int
    both_ties: int = 0
    undefined: int = 0
    seeda_tau: float = math.nan
    calibrated: TieCalibration = TieCalibration(math.nan, math.nan)

    @property
    def accuracy(self) -> float:
        """The share of concordant pairs, without ties."""
        decided = self.concordant + self.discordant
        return self.concordant / decided if decided else math.nan

    @property
    def tau(self) -> float:
        """Kendall's τ over the same pairs, 2 · accuracy - 1."""
        return 2 * self.accuracy - 1

    @property
    def tied_share(self) -> float:
        """The share of pairs decided by the judges that the metric leaves tied."""
        decided = self.concordant + self.discordant + self.metric_ties
        return self.metric_ties / decided if decided else math.nan

    @property
    def tie_accuracy(self) -> float:
        """The share of all pairs that the metric orders, or leaves tied, as the judges do."""
        total = self.concordant + self.discordant + self.metric_ties + self.human_ties
        return (self.concordant + self.both_ties) / total if total else math.nan


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of outputs: the sentence, the systems by their place, and the judge's outcome."""

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    outcomes: NDArray[np.int64]

    @classmethod
    def of(
        cls, preferences: Iterable[Preference], rows: Mapping[int, int], place: Mapping[str, int]
    ) -> _Pairs:
        found = [
            (rows[sentence], place[first], place[second], outcome)
            for sentence, _, first, second, outcome in preferences
        ]
        return cls(*np.array(found, dtype=np.int64).reshape(-1, 4).T)

    def differences(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = table[self.first, self.rows] - table[self.second, self.rows]
        return found


class JudgedPairs:
    """Pairs of outputs that judges saw, to compare metrics with.

    Parameters
    ----------
    judgments
        The judgments.
    rows
        Index in the scores of each judged sentence.
    systems
        The systems to compare.
    """

    def __init__(
        self, judgments: Judgments, rows: Mapping[int, int], systems: Collection[str]
    ) -> None:
        self._systems = sorted(systems)
        place = {name: number for number, name in enumerate(self._systems)}
        seen = judgments.keep_systems(systems)
        self._outputs = _Pairs.of(seen.comparisons(), rows, place)
        self._expanded = _Pairs.of(
            (one for judgment in seen for one in judgment.preferences()), rows, place
        )

    def concordance(self, scores: Mapping[str, NDArray[np.float64]]) -> Concordance:
        """Compare a metric with the judges' preferences.

        Each pair of distinct outputs that a judge saw counts once.

        Parameters
        ----------
        scores
            Sentence scores of the metric by system; NaN if undefined.
        """
        table = np.array([scores[name] for name in self._systems])
        differences, outcomes = self._outputs.differences(table), self._outputs.outcomes
        is_known = ~np.isnan(differences)
        differences, outcomes = differences[is_known], outcomes[is_known]
        signs = np.sign(differences) * outcomes
        is_tied = outcomes == 0
        return Concordance(
            concordant=int((signs > 0).sum()),
            discordant=int((signs < 0).sum()),
            metric_ties=int(((differences == 0) & ~is_tied).sum()),
            human_ties=int(is_tied.sum()),
            both_ties=int(((differences == 0) & is_tied).sum()),
            undefined=int((~is_known).sum()),
            seeda_tau=seeda_tau(self._expanded.differences(table), self._expanded.outcomes),
            calibrated=calibrate_ties(differences, outcomes),
        )


def seeda_tau(differences: NDArray[np.float64], outcomes: NDArray[np.int64]) -> float:
    r"""Compute Kendall's τ as defined by SEEDA, in which a metric's ties count.

    .. math:: \tau = \frac{C - D}{C + D + T}

    Over the pairs that the judges decided, with C concordant, D discordant and T tied ones. Each
    pair of systems counts, so that an output of several systems counts several times.

    Parameters
    ----------
    differences
        Differences of the metric's scores; pairs with NaN are ignored.
    outcomes
        1 if the judge prefers the first output, -1 if the second, 0 for a tie.

    References
    ----------
    Kobayashi, Mita and Komachi (2024), Revisiting Meta-evaluation for Grammatical Error
    Correction, TACL.

    Examples
    --------
    >>> seeda_tau(np.array([1.0, 0.0, -1.0, 5.0]), np.array([1, 1, -1, 0])) == 2 / 3
    True
    """
    counted = ~np.isnan(differences) & (outcomes != 0)
    if not counted.any():
        return math.nan
    return float((np.sign(differences[counted]) * outcomes[counted]).mean())


def calibrate_ties(differences: NDArray[np.float64], outcomes: NDArray[np.int64]) -> TieCalibration:
    r"""Find the threshold of ties with the highest pairwise accuracy.

    .. math:: \mathrm{acc}_{eq} = \frac{C + T_{hm}}{C + D + T_h + T_m + T_{hm}}

    with C concordant and D discordant pairs, and pairs tied only for the judges, only for the
    metric and for both; τ is 2 · accuracy - 1. Two scores that differ by at most the threshold are
    tied. It is chosen on the same pairs, so that the accuracy is an upper bound.

    Parameters
    ----------
    differences, outcomes
        As for `seeda_tau`, without NaN.

    References
    ----------
    Deutsch, Foster and Freitag (2023), Ties Matter: Meta-Evaluating Modern Metrics with Pairwise
    Accuracy and Tie Calibration, EMNLP.

    Examples
    --------
    >>> calibrate_ties(np.array([0.5, -0.1, 0.1]), np.array([1, 0, 0]))
    TieCalibration(accuracy=1.0, threshold=0.1)
    """
    if not len(differences):
        return TieCalibration(math.nan, math.nan)
    order = np.argsort(np.abs(differences), kind="stable")
    size = np.abs(differences)[order]
    tied = np.concatenate(([0], np.cumsum(outcomes[order] == 0)))
    agreed = np.sign(differences[order]) * outcomes[order] > 0
    concordant = agreed.sum() - np.concatenate(([0], np.cumsum(agreed)))
    # Thresholds: 0, and each size of a difference; equal differences are tied together.
    ends = np.flatnonzero(np.append(size[1:] > size[:-1], True)) + 1
    n_zero = int((size == 0).sum())
    ends = np.unique(np.append(ends, n_zero))
    ends = ends[ends >= n_zero]
    right = (tied + concordant)[ends]
    best = int(ends[right.argmax()])
    threshold = float(size[best - 1]) if best else 0.0
    return TieCalibration(float(right.max() / len(differences)), threshold)
