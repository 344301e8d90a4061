"""Rankings of systems by human judgments: outcomes, Expected Wins, ranges of ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.evaluation.ranking import RankRange
from geceval.evaluation.resampling import DEFAULT_LEVEL, DEFAULT_RESAMPLING, Level, Resampling
from geceval.metaeval.human.judgments import Judgments
from geceval.metrics.options import checked
from geceval.metrics.statistics import Rows

Matrix: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Wins and ties between systems.

    Parameters
    ----------
    systems
        Names, in the order of the axes.
    wins
        ``wins[a, b]`` counts judgments that prefer `a` to `b`.
    ties
        ``ties[a, b] == ties[b, a]`` counts ties, including identical outputs.
    """

    systems: tuple[str, ...]
    wins: Matrix
    ties: Matrix

    @classmethod
    def of(cls, judgments: Judgments, *, identical: bool = True) -> Outcomes:
        """Count the outcomes of all judgments; see `SentenceOutcomes.of`."""
        return SentenceOutcomes.of(judgments, identical=identical).total()

    @property
    def compared(self) -> Matrix:
        """Number of comparisons of each pair of systems."""
        return self.wins + self.wins.T + self.ties

    @property
    def n_pairs(self) -> int:
        """Number of comparisons of two systems."""
        return int(self.compared[np.triu_indices(len(self.systems), 1)].sum())


@dataclass(frozen=True, slots=True)
class SentenceOutcomes:
    """Wins and ties in each judged sentence.

    Parameters
    ----------
    systems
        Names, in the order of the axes.
    wins, ties
        ``(n_sents, n_systems, n_systems)``, each sentence as in `Outcomes`.
    """

    systems: tuple[str, ...]
    wins: Matrix
    ties: Matrix

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        sentences: Sequence[int] | None = None,
        *,
        identical: bool = True,
    ) -> SentenceOutcomes:
        """Count the outcomes of each sentence.

        Parameters
        ----------
        judgments
            The judgments.
        sentences
            Numbers of sentences, which include all judged ones; by default those, in order.
        identical
            Whether identical outputs are ties; otherwise their pairs are excluded.
        """
        place = {name: number for number, name in enumerate(judgments.systems)}
        numbers = judgments.sentences if sentences is None else sentences
        row = {number: row for row, number in enumerate(numbers)}
        wins = np.zeros((len(row), len(place), len(place)), dtype=np.int64)
        ties = np.zeros_like(wins)
        for judgment in judgments:
            for sentence, _, one, other, outcome in judgment.preferences(identical=identical):
                first, second = place[one], place[other]
                if outcome > 0:
                    wins[row[sentence], first, second] += 1
                elif outcome < 0:
                    wins[row[sentence], second, first] += 1
                else:
                    ties[row[sentence], first, second] += 1
                    ties[row[sentence], second, first] += 1
        return cls(judgments.systems, wins, ties)

    def total(self) -> Outcomes:
        """Add up all sentences."""
        return Outcomes(self.systems, self.wins.sum(axis=0), self.ties.sum(axis=0))

    def resampled(self, rows: Sequence[Rows]) -> tuple[Matrix, Matrix]:
        """Return wins and ties ``(n_resamples, n_systems, n_systems)`` of samples of sentences."""
        n = len(self.wins)
        times = np.array([np.bincount(row, minlength=n) for chunk in rows for row in chunk])
        shape = (-1, *self.wins.shape[1:])
        wins, ties = (
            (times @ counts.reshape(n, -1)).reshape(shape) for counts in (self.wins, self.ties)
        )
        return wins, ties


@dataclass(frozen=True, slots=True)
class Ranking:
    """Human scores of systems.

    Parameters
    ----------
    name
        Name of the method.
    scores
        Scores in descending order; higher is better.
    spread
        Standard deviation of each score over the runs of a random method.
    signature
        Signature of the scores.
    note
        A limitation of the scores; empty if there is none.
    ranges
        Rank ranges and clusters over the runs of a random method.
    """

    name: str
    scores: Mapping[str, float]
    spread: Mapping[str, float] = field(default_factory=dict)
    signature: str = ""
    note: str = ""
    ranges: Mapping[str, RankRange] = field(default_factory=dict)

    def of(self, systems: Sequence[str]) -> list[float]:
        """Return the scores of `systems`."""
        return [self.scores[name] for name in systems]


def best_first(systems: Sequence[str], scores: NDArray[np.float64]) -> dict[str, float]:
    """Return the scores by system in descending order, equal ones by name."""
    found = dict(zip(systems, scores.tolist(), strict=True))
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def check_enough(systems: Sequence[str]) -> None:
    """Raise an error if there is nothing to rank."""
    if len(systems) < 2:
        raise GecevalError("a ranking needs judgments of at least two systems")


def expected_wins(outcomes: Outcomes) -> Ranking:
    r"""Score systems by the share of decided comparisons that they win.

    .. math:: \mathrm{EW}(a) = \frac{1}{n} \sum_{b \ne a}
        \frac{\mathrm{wins}(a, b)}{\mathrm{wins}(a, b) + \mathrm{wins}(b, a)}

    Ties are ignored, and so are pairs of systems that were never decided.

    References
    ----------
    Bojar et al. (2013), Findings of the 2013 Workshop on Statistical Machine Translation.
    """
    check_enough(outcomes.systems)
    scores = expected_wins_of(outcomes.wins[None])[0]
    for name, score in zip(outcomes.systems, scores.tolist(), strict=True):
        if math.isnan(score):
            raise GecevalError(f"no judge found {name} better or worse than another system")
    decided = outcomes.wins + outcomes.wins.T
    n = len(outcomes.systems)
    undecided = int((decided[np.triu_indices(n, 1)] == 0).sum())
    note = f"{undecided} of {n * (n - 1) // 2} pairs of systems were never decided"
    return Ranking(
        "Expected Wins",
        best_first(outcomes.systems, scores),
        signature="expected-wins|ties:ignored|groups:expanded",
        note=note if undecided else "",
    )


def expected_wins_of(wins: Matrix) -> NDArray[np.float64]:
    """Compute Expected Wins of a stack of matrices; NaN for systems without a decision."""
    decided = wins + wins.transpose(0, 2, 1)
    share = np.divide(wins, decided, out=np.zeros(wins.shape), where=decided > 0)
    opponents = (decided > 0).sum(axis=2)
    scores = np.full(opponents.shape, np.nan)
    np.divide(share.sum(axis=2), opponents, out=scores, where=opponents > 0)
    return scores


@checked
def rank_ranges(
    outcomes: Outcomes,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> dict[str, RankRange]:
    """Compute rank ranges by Expected Wins and clusters of systems, best first.

    Comparisons of two systems are resampled, and systems are ranked by each resample.

    References
    ----------
    Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    resampling.check_some()
    order = list(expected_wins(outcomes).scores)
    n = len(outcomes.systems)
    upper = np.triu_indices(n, 1)
    cells = np.concatenate((outcomes.wins[upper], outcomes.wins.T[upper], outcomes.ties[upper]))
    rng = np.random.default_rng(resampling.seed)
    first, second, _ = np.split(
        rng.multinomial(cells.sum(), cells / cells.sum(), size=resampling.n), 3, axis=1
    )
    wins = np.zeros((resampling.n, n, n), dtype=np.int64)
    wins[:, upper[0], upper[1]] = first
    wins[:, upper[1], upper[0]] = second
    # A system without a decided comparison in a sample is ranked last.
    sampled = np.nan_to_num(expected_wins_of(wins), nan=-1.0)
    return ranges_of(outcomes.systems, sampled, order, resampling.level)


def ranges_of(
    systems: Sequence[str],
    scores: NDArray[np.float64],
    order: Sequence[str],
    level: Level = DEFAULT_LEVEL,
) -> dict[str, RankRange]:
    """Compute rank ranges and clusters from the scores of many resamples or runs.

    The share (1 - level) / 2 of the ranks of a system is cut off at each end, rounded up. A
    cluster ends where all ranges so far are better than all that follow.

    Parameters
    ----------
    systems
        Names, in the order of the columns.
    scores
        ``(n_resamples, n_systems)``.
    order
        The systems, best first.
    level
        Share of the ranks to cover.
    """
    ranks = np.sort(1 + (-scores).argsort(axis=1, kind="stable").argsort(axis=1), axis=0)
    n = len(ranks)
    cut = min(math.ceil(round(n * (1 - level) / 2, 6)), (n - 1) // 2)
    low, high = ranks[cut], ranks[n - 1 - cut]
    place = [systems.index(name) for name in order]
    found = {}
    cluster = 1
    for number, i in enumerate(place):
        before, rest = place[:number], place[number:]
        if before and max(high[before]) < min(low[rest]):
            cluster += 1
        found[systems[i]] = RankRange(int(low[i]), int(high[i]), cluster)
    return found
