"""TrueSkill of systems: the procedure of published rankings, and its limit without chance."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import in_threads
from geceval.errors import GecevalError
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.resampling import DEFAULT_SEED
from geceval.metaeval.correlation import scipy_module
from geceval.metaeval.human.rankings import (
    Matrix,
    Outcomes,
    Ranking,
    best_first,
    check_enough,
    ranges_of,
)
from geceval.metrics.options import Jobs, Range, Seed, checked

Procedure: TypeAlias = Literal["limit", "simulated"]
Scores: TypeAlias = NDArray[np.float64]

RUNS = 1000
"""Runs of the published procedure."""

PRIOR_SIGMA = 0.5
DRAW_PROBABILITY = 0.25
GAMES_PER_BETA = 40.0
"""The noise of a game grows with the number of games, ``beta = sigma * games / 40``."""

STEPS = 20
"""Steps of the Runge-Kutta method."""

_GAMES_AT_ONCE = 1 << 16
_RUNS_AT_ONCE = 50


def draw_margin(beta: float) -> float:
    """Return the difference of two performances below which a game is a draw."""
    return float(scipy_module("special").ndtri((1 + DRAW_PROBABILITY) / 2)) * math.sqrt(2) * beta


@checked
def trueskill(
    outcomes: Outcomes,
    *,
    procedure: Procedure = "limit",
    n_runs: Annotated[int, Range(min=1)] = RUNS,
    seed: Seed = DEFAULT_SEED,
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> Ranking:
    """Score systems by TrueSkill, as in the rankings of Grundkiewicz et al. (2015) and SEEDA.

    Parameters
    ----------
    outcomes
        Wins and ties.
    procedure
        ``"simulated"`` plays random games, as was done for the published rankings; ``"limit"`` is
        what the scores tend to if the number of games grows, and involves no chance. If the
        limit does not exist, as may happen with very few judgments, games are simulated, and the
        ranking has a note.
    n_runs
        Number of simulated runs; the score is the mean.
    seed
        Random seed of the simulation.
    jobs
        Number of threads of the simulation; the result does not depend on it.
    progress
        Shows how many runs are finished.

    Notes
    -----
    A run consists of as many games as there are comparisons of two systems, and one more. Skills
    start with mean 0 and standard deviation 0.5; the draw probability is 0.25, and the noise of a
    game is ``beta = 0.5 * games / 40``. The player is the system with the largest variance, the
    last by name of equals. The opponent is chosen with a probability proportional to
    ``exp(-|difference of means|)``, and the game is one of their comparisons. Pairs of systems that
    were never compared do not play.

    References
    ----------
    Herbrich, Minka and Graepel (2006), TrueSkill: A Bayesian Skill Rating System, NIPS.

    Sakaguchi, Post and Van Durme (2014), Efficient Elicitation of Annotations for Human Evaluation
    of Machine Translation, WMT.

    Grundkiewicz, Junczys-Dowmunt and Gillian (2015), Human Evaluation of Grammatical Error
    Correction Systems, EMNLP.
    """
    check_enough(outcomes.systems)
    alone = outcomes.compared.sum(axis=1) - np.diag(outcomes.compared) == 0
    if alone.any():
        name = outcomes.systems[int(alone.argmax())]
        raise GecevalError(f"{name} was never compared with another system")
    notes = _unconnected(outcomes)
    if procedure == "limit":
        scores = limit_of(outcomes.wins[None], outcomes.ties[None])[0]
        if not np.isnan(scores).any():
            return Ranking(
                "TrueSkill",
                best_first(outcomes.systems, scores),
                signature=(
                    f"trueskill|procedure:limit|sigma:{PRIOR_SIGMA:g}|draw:{DRAW_PROBABILITY:g}"
                    "|opponent:near"
                ),
                note="; ".join(notes),
            )
        notes.append("TrueSkill has no limit for so few comparisons, and was simulated")
    n_games = outcomes.n_pairs + 1
    runs = _simulated(outcomes, n_games, n_runs, seed, jobs=jobs, progress=progress)
    spread = runs.std(axis=0, ddof=1) if n_runs > 1 else np.zeros(len(outcomes.systems))
    mean = best_first(outcomes.systems, runs.mean(axis=0))
    return Ranking(
        "TrueSkill",
        mean,
        spread=dict(zip(outcomes.systems, spread.tolist(), strict=True)),
        signature=(
            f"trueskill|procedure:simulated|sigma:{PRIOR_SIGMA:g}|draw:{DRAW_PROBABILITY:g}"
            f"|opponent:near|games:{n_games}|runs:{n_runs}|seed:{seed}"
        ),
        note="; ".join(notes),
        ranges=ranges_of(outcomes.systems, runs, list(mean)),
    )


def _unconnected(outcomes: Outcomes) -> list[str]:
    """Describe which comparisons are missing."""
    n = len(outcomes.systems)
    missing = int((outcomes.compared[np.triu_indices(n, 1)] == 0).sum())
    if not missing:
        return []
    n_groups, _ = scipy_module("sparse.csgraph").connected_components(outcomes.compared > 0)
    if n_groups > 1:
        note = f"the systems form {n_groups} groups that were never compared with each other"
        return [f"{note}, so their scores are comparable only within a group"]
    return [f"{missing} of {n * (n - 1) // 2} pairs of systems were never compared"]


def _simulated(
    outcomes: Outcomes, n_games: int, n_runs: int, seed: int, *, jobs: int, progress: Progress
) -> Scores:
    """Play all runs; the random numbers of a run depend on the seed and on its number."""
    from geceval.kernels.skill_games import play

    beta = PRIOR_SIGMA * n_games / GAMES_PER_BETA
    margin = draw_margin(beta)

    def run(number: int) -> Scores:
        rng = np.random.default_rng([seed, number])
        means = np.zeros(len(outcomes.systems))
        variances = np.full(len(outcomes.systems), PRIOR_SIGMA**2)
        for start in range(0, n_games, _GAMES_AT_ONCE):
            chances = rng.random((min(_GAMES_AT_ONCE, n_games - start), 2))
            play(means, variances, outcomes.wins, outcomes.ties, chances, beta, margin)
        return means

    numbers = range(n_runs)
    chunks = [numbers[start : start + _RUNS_AT_ONCE] for start in range(0, n_runs, _RUNS_AT_ONCE)]
    found: list[Scores] = []
    for chunk in progress(chunks, "simulating TrueSkill"):
        found += in_threads(run, chunk, workers=jobs)
    return np.array(found)


def limit_of(wins: Matrix, ties: Matrix) -> Scores:
    r"""Compute the limit of TrueSkill for a stack of outcomes ``(n, systems, systems)``.

    With many games, the noise of a game is so large that each changes means and variances by the
    same small amounts, whatever the skills, and the variances of all systems stay equal. The means
    then follow a differential equation in the share of games that were played, solved here by the
    Runge-Kutta method of order 4.

    Returns
    -------
    scores
        ``(n, systems)``; NaN if a system was not compared with another, or if the variances
        cannot stay equal.
    """
    special = scipy_module("special")
    margin = float(special.ndtri((1 + DRAW_PROBABILITY) / 2))
    density = math.exp(-(margin**2) / 2) / math.sqrt(2 * math.pi)
    win_shift = density / float(special.ndtr(-margin))
    win_shrink = win_shift * (win_shift - margin)
    draw_shrink = 2 * margin * density / DRAW_PROBABILITY
    total = (wins + wins.transpose(0, 2, 1) + ties).astype(np.float64)
    diagonal = np.arange(total.shape[1])
    total[:, diagonal, diagonal] = 0
    scores = np.full(total.shape[:2], np.nan)
    usable = (total.sum(axis=2) > 0).all(axis=1)
    if not usable.any():
        return scores
    wins, ties, total = wins[usable], ties[usable], total[usable]
    is_compared = total > 0
    divisor = np.where(is_compared, total, 1.0)
    balance = (wins - wins.transpose(0, 2, 1)) / divisor
    tied = ties / divisor
    shrink = np.where(is_compared, draw_shrink * tied + win_shrink * (1 - tied), 0.0)
    speed = GAMES_PER_BETA / 2 / math.sqrt(2) * win_shift
    valid = np.ones(len(total), dtype=bool)

    def slope(means: Scores) -> Scores:
        nonlocal valid
        chances = np.exp(-np.abs(means[:, :, None] - means[:, None, :])) * is_compared
        chances /= chances.sum(axis=2, keepdims=True)
        turns = _turns(chances * shrink)
        valid &= (turns > 0).all(axis=1)
        games = turns[:, :, None] * chances
        games += games.transpose(0, 2, 1)
        found: Scores = speed * (games * balance).sum(axis=2)
        return found

    means = np.zeros(total.shape[:2])
    step = 1 / STEPS
    # What overflows is not valid.
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            first = slope(means)
            second = slope(means + step / 2 * first)
            third = slope(means + step / 2 * second)
            fourth = slope(means + step * third)
            means = means + step / 6 * (first + 2 * second + 2 * third + fourth)
    means[~valid] = np.nan
    scores[usable] = means
    return scores


def _turns(shrink: Scores) -> Scores:
    """Return how often it is the turn of each system, if all variances shrink alike.

    ``shrink[n, a, b]`` is how much the variances shrink in a turn of a, by games with b.
    """
    systems = np.arange(shrink.shape[1])
    matrix = shrink.transpose(0, 2, 1).copy()
    matrix[:, systems, systems] += shrink.sum(axis=2)
    ones = np.ones((*shrink.shape[:2], 1))
    try:
        turns = np.linalg.solve(matrix, ones)[:, :, 0]
    except np.linalg.LinAlgError:
        # Of two systems, both play every game, whoever's turn it is.
        turns = (np.linalg.pinv(matrix) @ ones)[:, :, 0]
    found: Scores = turns / turns.sum(axis=1, keepdims=True)
    return found
