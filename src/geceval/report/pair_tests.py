"""Who beats whom: the pairwise tests of a report, as page, headline and summary show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from geceval.report.results import Number, Pair, Results

Verdict: TypeAlias = Literal["win", "loss", "undecided", "untested"]


@dataclass(frozen=True, slots=True)
class PairTest:
    """The test of one system against another.

    Parameters
    ----------
    verdict
        Whether the first system is significantly better (``"win"``) or worse (``"loss"``).
    difference, interval
        Score of the first minus that of the second system; None if unknown.
    p
        The p-value, adjusted for the number of pairs; None without a test.
    """

    verdict: Verdict
    difference: Number = None
    interval: Pair | None = None
    p: float | None = None


UNTESTED = PairTest("untested")


def best_first(results: Results, metric: str) -> list[str]:
    """Return the systems by their score, the best first; equal scores keep their order."""
    scores = results["scores"][metric]
    return sorted(results["systems"], key=lambda name: scores[name]["rank"])


def pair_tests(results: Results, metric: str) -> dict[tuple[str, str], PairTest]:
    """Return the test of every ordered pair of systems by one metric; pairs without one are absent.

    A difference is significant if its p-value, adjusted for all pairs, is below 1 minus the
    confidence level.
    """
    alpha = 1 - results["settings"]["level"]
    found: dict[tuple[str, str], PairTest] = {}
    for row in results["comparisons"][metric]:
        difference, p = row["difference"], row["p_adjusted"]
        for sign, pair in ((-1, (row["first"], row["second"])), (1, (row["second"], row["first"]))):
            own = None if difference is None else sign * difference
            verdict: Verdict = "undecided"
            if own and p < alpha:
                verdict = "win" if own > 0 else "loss"
            low, high = row["interval"] or (0.0, 0.0)
            ends = (low, high) if sign > 0 else (-high, -low)
            found[pair] = PairTest(verdict, own, ends if row["interval"] else None, p)
    return found
