"""Counts of edits made up for simulations, where the true scores of systems are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from geceval.evaluation.evaluate import Result
from geceval.metrics.maxmatch import M2
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Statistics

Counts = NDArray[np.int64]

METRIC = M2()


@cache
def _provenance(n_sents: int) -> Provenance:
    return Provenance(np.zeros(n_sents, dtype=np.uint64), np.ones(n_sents, dtype=np.int64))


def statistics(counts: Counts) -> Statistics:
    """Return counts of correct, proposed and gold edits as statistics of M²."""
    mask = np.ones((len(counts), 1), dtype=bool)
    return Statistics(counts[:, None, :], mask, METRIC.columns, ("0",), _provenance(len(counts)))


def result(name: str, counts: Counts) -> Result:
    """Return the result of a system."""
    found = statistics(counts)
    return Result(METRIC, replace(METRIC.aggregate(found), system=name), found)


def f_score(counts: Counts) -> float:
    return METRIC.aggregate(statistics(counts)).value


class Population:
    """Many sentences of various difficulty, from which test sets are sampled.

    Two systems are equally good: they find the same share of edits, and propose as many wrong
    ones, but not in the same sentences. A third one is better.
    """

    def __init__(self, n_sents: int = 50_000, *, seed: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        self._gold = self._rng.poisson(1.5, n_sents)
        self._ease = self._rng.normal(0, 1, n_sents)
        self.first = self.system(0.0, 0.5)
        self.second = self.system(0.0, 0.5)
        self.better = self.system(1.0, 0.3)

    def system(self, skill: float, noise: float) -> Counts:
        share = 1 / (1 + np.exp(-(skill + self._ease)))
        correct = self._rng.binomial(self._gold, share)
        wrong = self._rng.poisson(noise * np.exp(-0.3 * self._ease))
        return np.stack((correct, correct + wrong, self._gold), axis=1).astype(np.int64)

    def ahead_by(self, difference: float) -> Counts:
        """Improve the second system in random sentences until it is so much ahead of the first."""
        order = self._rng.random(len(self.second))
        low, high = 0.0, 1.0
        for _ in range(25):
            share = (low + high) / 2
            mixed = np.where((order < share)[:, None], self.better, self.second)
            if f_score(mixed) - f_score(self.first) < difference:
                low = share
            else:
                high = share
        return mixed

    def rows(self, n_sents: int) -> NDArray[np.int64]:
        """Sample a test set."""
        return self._rng.integers(0, len(self.first), n_sents)
