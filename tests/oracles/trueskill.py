"""Published rankings, one game at a time, with the package `trueskill`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def environment(beta: float) -> Any:
    import trueskill

    return trueskill.TrueSkill(mu=0.0, sigma=0.5, beta=beta, tau=0.0, draw_probability=0.25)


def rated(first: Any, second: Any, outcome: int, rules: Any) -> tuple[Any, Any]:
    """Return new ratings of two players; the outcome is 1, 0 or -1 for win, draw or loss."""
    ranks = {1: [0, 1], 0: [0, 0], -1: [1, 0]}[outcome]
    (one,), (other,) = rules.rate([(first,), (second,)], ranks=ranks)
    return one, other


def play(
    wins: NDArray[np.int64],
    ties: NDArray[np.int64],
    chances: Iterable[Sequence[float]],
    beta: float,
) -> tuple[list[float], list[float]]:
    """Play a game for each pair of chances; return the means and deviations of all players."""
    rules = environment(beta)
    players = range(len(wins))
    ratings = [rules.create_rating() for _ in players]
    for choice, judgment in chances:
        a = max(players, key=lambda one: (ratings[one].sigma, one))
        compared = {b: wins[a][b] + wins[b][a] + ties[a][b] for b in players if b != a}
        weights = {
            b: math.exp(-abs(ratings[a].mu - ratings[b].mu))
            for b, count in compared.items()
            if count
        }
        rest = choice * sum(weights.values())
        for opponent, weight in weights.items():
            b = opponent
            rest -= weight
            if rest < 0:
                break
        drawn = judgment * compared[b]
        outcome = 1 if drawn < wins[a][b] else 0 if drawn < wins[a][b] + ties[a][b] else -1
        ratings[a], ratings[b] = rated(ratings[a], ratings[b], outcome, rules)
    return [one.mu for one in ratings], [one.sigma for one in ratings]


def one_pass(scores: Sequence[Sequence[float | None]]) -> list[float]:
    """Rate systems by their sentence scores: every pair in every sentence, once, in order."""
    rules = environment(0.25)
    n = len(scores)
    ratings = [rules.create_rating() for _ in range(n)]
    for sentence in zip(*scores, strict=True):
        for i in range(n):
            for j in range(i + 1, n):
                first, second = sentence[i], sentence[j]
                if first is None or second is None:
                    continue
                outcome = (first > second) - (first < second)
                ratings[i], ratings[j] = rated(ratings[i], ratings[j], outcome, rules)
    return [float(one.mu) for one in ratings]


def limit(wins: NDArray[np.int64], ties: NDArray[np.int64], steps: int = 2000) -> list[float]:
    """Follow the differential equation by many small steps of Euler's method."""
    n = len(wins)
    e = 0.31863936396437514  # the quantile 0.625 of the normal distribution
    phi = math.exp(-e * e / 2) / math.sqrt(2 * math.pi)
    v = phi / (0.5 * math.erfc(e / math.sqrt(2)))
    mu = np.zeros(n)
    for _ in range(steps):
        p, d, h = (np.zeros((n, n)) for _ in range(3))
        for a in range(n):
            for b in range(n):
                count = wins[a, b] + wins[b, a] + ties[a, b]
                if a != b and count:
                    p[a, b] = math.exp(-abs(mu[a] - mu[b]))
                    d[a, b] = (wins[a, b] - wins[b, a]) / count
                    tied = ties[a, b] / count
                    h[a, b] = 2 * e * phi / 0.25 * tied + v * (v - e) * (1 - tied)
            p[a] /= p[a].sum()
        f = np.linalg.solve(np.diag((p * h).sum(axis=1)) + (p * h).T, np.ones(n))
        m = (f / f.sum())[:, None] * p
        mu = mu + 20 / math.sqrt(2) * v * ((m + m.T) * d).sum(axis=1) / steps
    return [float(one) for one in mu]
