"""Rankings of systems by human judgments: Expected Wins and TrueSkill."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, DEFAULT_SEED, Resampling
from geceval.metaeval.correlation import scipy_module
from geceval.metaeval.human.judgments import Judgments
from geceval.metrics.options import Range, Seed, checked

Matrix: TypeAlias = NDArray[np.int64]

GAMES = 1425
"""Games of one run of TrueSkill."""

RUNS = 2000
"""Runs of TrueSkill that are averaged."""

PRIOR_SIGMA = 0.5
DRAW_PROBABILITY = 0.25
GAMES_PER_BETA = 40.0
"""The noise of a game grows with the number of games, ``beta = sigma * games / 40``."""


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
    def of(cls, judgments: Judgments) -> Outcomes:
        """Count the outcomes of all judgments."""
        wins, ties = _per_judgment(judgments)
        n = len(judgments.systems)
        return cls(
            judgments.systems, wins.sum(axis=0).reshape(n, n), ties.sum(axis=0).reshape(n, n)
        )


def _per_judgment(judgments: Judgments) -> tuple[Matrix, Matrix]:
    """Count wins and ties of each judgment, on a flat axis of pairs."""
    place = {name: number for number, name in enumerate(judgments.systems)}
    wins = np.zeros((len(judgments), len(place), len(place)), dtype=np.int64)
    ties = np.zeros_like(wins)
    for row, judgment in enumerate(judgments):
        for preference in judgment.preferences():
            first, second = place[preference.first], place[preference.second]
            if preference.outcome > 0:
                wins[row, first, second] += 1
            elif preference.outcome < 0:
                wins[row, second, first] += 1
            else:
                ties[row, first, second] += 1
                ties[row, second, first] += 1
    flat = (len(judgments), len(place) ** 2)
    return wins.reshape(flat), ties.reshape(flat)


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
    """

    name: str
    scores: Mapping[str, float]
    spread: Mapping[str, float] = field(default_factory=dict)
    signature: str = ""
    note: str = ""

    def of(self, systems: Sequence[str]) -> list[float]:
        """Return the scores of `systems`."""
        return [self.scores[name] for name in systems]


def _best_first(systems: Sequence[str], scores: NDArray[np.float64]) -> dict[str, float]:
    found = dict(zip(systems, scores.tolist(), strict=True))
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def expected_wins(outcomes: Outcomes) -> Ranking:
    r"""Score systems by the share of decided comparisons that they win.

    .. math:: \mathrm{EW}(a) = \frac{1}{n} \sum_{b \ne a}
        \frac{\mathrm{wins}(a, b)}{\mathrm{wins}(a, b) + \mathrm{wins}(b, a)}

    Ties are ignored, and so are pairs of systems that were never decided.

    References
    ----------
    Bojar et al. (2013), Findings of the 2013 Workshop on Statistical Machine Translation.
    """
    _check_enough(outcomes.systems)
    scores = _expected_wins(outcomes.wins[None])[0]
    for name, score in zip(outcomes.systems, scores.tolist(), strict=True):
        if math.isnan(score):
            raise GecevalError(f"no judge found {name} better or worse than another system")
    decided = outcomes.wins + outcomes.wins.T
    n = len(outcomes.systems)
    undecided = int((decided[np.triu_indices(n, 1)] == 0).sum())
    note = f"{undecided} of {n * (n - 1) // 2} pairs of systems were never decided"
    return Ranking(
        "Expected Wins",
        _best_first(outcomes.systems, scores),
        signature="expected-wins|ties:ignored|groups:expanded",
        note=note if undecided else "",
    )


def _expected_wins(wins: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Expected Wins of a stack of matrices; NaN for systems without a decision."""
    decided = wins + wins.transpose(0, 2, 1)
    share = np.divide(wins, decided, out=np.zeros(wins.shape), where=decided > 0)
    opponents = (decided > 0).sum(axis=2)
    scores = np.full(opponents.shape, np.nan)
    np.divide(share.sum(axis=2), opponents, out=scores, where=opponents > 0)
    return scores


def _check_enough(systems: Sequence[str]) -> None:
    if len(systems) < 2:
        raise GecevalError("a ranking needs judgments of at least two systems")


@checked
def trueskill(
    outcomes: Outcomes,
    *,
    n_games: Annotated[int, Range(min=1)] = GAMES,
    n_runs: Annotated[int, Range(min=1)] = RUNS,
    seed: Seed = DEFAULT_SEED,
) -> Ranking:
    """Score systems by TrueSkill, on the scale of published rankings.

    Each run plays `n_games` games. The player is the system whose skill is least certain, and the
    game is one of its judgments; identical outputs are a draw. The runs share a shuffled deck of
    judgments for each system, so that all judgments are used equally often. The score of a system
    is its mean skill over the runs.

    Parameters
    ----------
    outcomes
        Wins and ties.
    n_games
        Number of games in a run.
    n_runs
        Number of runs.
    seed
        Random seed.

    Notes
    -----
    Skills start with mean 0 and standard deviation 0.5; the draw probability is 0.25. The noise of
    a game grows with the number of games, ``beta = 0.5 * n_games / 40``, so that the scale of
    skills hardly depends on the number of games, and early games count as much as late ones. The
    scale depends on the number of systems, which share the games.

    References
    ----------
    Herbrich, Minka and Graepel (2006), TrueSkill: A Bayesian Skill Rating System, NIPS.

    Sakaguchi, Post and Van Durme (2014), Efficient Elicitation of Annotations for Human Evaluation
    of Machine Translation, WMT.
    """
    _check_enough(outcomes.systems)
    rng = np.random.default_rng(seed)
    skills = _Skills(n_runs, len(outcomes.systems), beta=PRIOR_SIGMA * n_games / GAMES_PER_BETA)
    games = _Games(outcomes, rng)
    for _ in range(n_games):
        player = skills.least_known(games.can_play, rng)
        opponent, result = games.next(player)
        is_lost = result < 0
        skills.play(
            np.where(is_lost, opponent, player), np.where(is_lost, player, opponent), result == 0
        )
    spread = skills.mean.std(axis=0, ddof=1) if n_runs > 1 else np.zeros(len(outcomes.systems))
    return Ranking(
        "TrueSkill",
        _best_first(outcomes.systems, skills.mean.mean(axis=0)),
        spread=dict(zip(outcomes.systems, spread.tolist(), strict=True)),
        signature=(
            f"trueskill|sigma:{PRIOR_SIGMA:g}|beta:{skills.beta:g}|tau:0|draw:{DRAW_PROBABILITY:g}"
            f"|players:least-known|games:{n_games}|runs:{n_runs}|seed:{seed}"
        ),
    )


class _Games:
    """Shuffled decks of the judgments of each system, used cyclically."""

    def __init__(self, outcomes: Outcomes, rng: np.random.Generator) -> None:
        decks = [_games_of(number, outcomes, rng) for number in range(len(outcomes.systems))]
        self._sizes = np.array([deck.shape[1] for deck in decks])
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._opponents, self._results = np.concatenate(decks, axis=1)
        self._taken = np.zeros_like(self._sizes)
        self.can_play = self._sizes > 0
        if not self.can_play.any():
            raise GecevalError("TrueSkill needs two systems that were compared")

    def next(self, players: Matrix) -> tuple[Matrix, Matrix]:
        """Return the next game of each player: opponents, and 1, 0 or -1 for win, draw or loss."""
        order = np.argsort(players, kind="stable")
        counts = np.bincount(players, minlength=len(self._sizes))
        before = np.empty_like(players)
        before[order] = np.arange(len(players)) - (np.cumsum(counts) - counts)[players[order]]
        place = (self._taken[players] + before) % self._sizes[players]
        self._taken += counts
        games = self._starts[players] + place
        return self._opponents[games], self._results[games]


def _games_of(system: int, outcomes: Outcomes, rng: np.random.Generator) -> Matrix:
    """Return the shuffled games of a system, as opponents and results."""
    counts = (outcomes.wins[system], outcomes.ties[system], outcomes.wins[:, system])
    opponents = np.arange(len(outcomes.systems))
    games = [
        np.stack((np.repeat(opponents, count), np.full(count.sum(), result)))
        for count, result in zip(counts, (1, 0, -1), strict=True)
    ]
    return rng.permutation(np.concatenate(games, axis=1), axis=1)


_TINY = 1e-15
"""Noise that breaks ties, smaller than any real difference of variances."""


class _Skills:
    """Skills of players in parallel runs, updated by games of two players."""

    def __init__(self, n_runs: int, n_players: int, *, beta: float) -> None:
        special = scipy_module("special")
        self.beta = beta
        self.mean = np.zeros((n_runs, n_players))
        self.variance = np.full((n_runs, n_players), PRIOR_SIGMA**2)
        self._below = special.ndtr
        # Performances that differ by less than this make a draw.
        self._margin = float(special.ndtri((DRAW_PROBABILITY + 1) / 2)) * np.sqrt(2) * beta
        self._rows = np.arange(n_runs)

    def least_known(self, can_play: NDArray[np.bool_], rng: np.random.Generator) -> Matrix:
        """Return the player with the largest variance in each run; ties are broken randomly."""
        variance = self.variance + _TINY * rng.random(self.variance.shape)
        player: Matrix = np.where(can_play, variance, -1.0).argmax(axis=1)
        return player

    def play(
        self, winner: NDArray[np.int64], loser: NDArray[np.int64], is_draw: NDArray[np.bool_]
    ) -> None:
        """Update the skills by one game in each run; the players of a draw may be swapped."""
        one, other = (self._rows, winner), (self._rows, loser)
        total = 2 * self.beta**2 + self.variance[one] + self.variance[other]
        scale = np.sqrt(total)
        ahead = (self.mean[one] - self.mean[other]) / scale
        margin = self._margin / scale
        shift, shrink = np.where(is_draw, self._draw(ahead, margin), self._win(ahead - margin))
        self.mean[one] += self.variance[one] / scale * shift
        self.mean[other] -= self.variance[other] / scale * shift
        self.variance[one] *= 1 - self.variance[one] / total * shrink
        self.variance[other] *= 1 - self.variance[other] / total * shrink

    def _win(self, ahead: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return v and w of Herbrich et al. for a win."""
        shift = _density(ahead) / self._below(ahead)
        return np.stack((shift, shift * (shift + ahead)))

    def _draw(self, ahead: NDArray[np.float64], margin: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return v and w of Herbrich et al. for a draw."""
        low, high = -margin - ahead, margin - ahead
        between = self._below(high) - self._below(low)
        shift = (_density(low) - _density(high)) / between
        shrink = shift**2 + (high * _density(high) - low * _density(low)) / between
        return np.stack((shift, shrink))


def _density(x: NDArray[np.float64]) -> NDArray[np.float64]:
    density: NDArray[np.float64] = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return density


@dataclass(frozen=True, slots=True)
class RankRange:
    """Bootstrap range of the ranks of a system.

    Parameters
    ----------
    best, worst
        Bounds of the range, 1 for the best rank.
    cluster
        Number of the cluster, 1 for the best; the ranges of different clusters do not overlap.
    """

    best: int
    worst: int
    cluster: int


@checked
def rank_ranges(
    judgments: Judgments,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> dict[str, RankRange]:
    """Compute rank ranges by Expected Wins and clusters of systems, best first.

    Judgments are resampled, and systems are ranked by each resample.

    References
    ----------
    Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    resampling.check_some()
    systems = judgments.systems
    _check_enough(systems)
    wins, _ = _per_judgment(judgments)
    rng = np.random.default_rng(resampling.seed)
    n_items, n = len(judgments), len(systems)
    times = rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=resampling.n)
    sampled = _expected_wins((times @ wins).reshape(resampling.n, n, n))
    # A system without a decided judgment in a sample is ranked last.
    ranks = 1 + (-np.nan_to_num(sampled, nan=-1.0)).argsort(axis=1).argsort(axis=1)
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(ranks, (tail, 1 - tail), axis=0, method="closest_observation").astype(
        int
    )
    order = list(expected_wins(Outcomes.of(judgments)).scores)
    place = [systems.index(name) for name in order]
    found = {}
    cluster = 1
    for number, i in enumerate(place):
        before, rest = place[:number], place[number:]
        if before and max(high[before]) < min(low[rest]):
            cluster += 1
        found[systems[i]] = RankRange(int(low[i]), int(high[i]), cluster)
    return found
