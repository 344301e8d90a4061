"""Sensitivity: mean score changes by error type, and which of them are more than chance.

Choshen and Abend (2018), section 7; the tests are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.05
"""Level of significant changes, after adjustment for the number of tests."""

FEWEST = 10
"""Minimum number of sentences with a change for a test."""

MAX_EXACT = 16
"""Maximum number of sentences for an exact test, which enumerates all combinations of signs."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Pairs of corrections that differ in one edit, as indices of rows.

    Parameters
    ----------
    lower, upper
        The corrections without and with the edit.
    types
        Index of the error type in `names`.
    sentences
        Index of the sentence.
    names
        The error types.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    types: NDArray[np.int64]
    sentences: NDArray[np.int64]
    names: tuple[str, ...]

    @classmethod
    def of(cls, steps: Sequence[tuple[int, int, str, int]]) -> Steps:
        """Convert steps to arrays."""
        names = tuple(sorted({name for _, _, name, _ in steps}))
        place = {name: number for number, name in enumerate(names)}
        numbers = np.array(
            [(lower, upper, place[name], sentence) for lower, upper, name, sentence in steps],
            dtype=np.int64,
        )
        lower, upper, types, sentences = numbers.reshape(-1, 4).T
        return cls(lower, upper, types, sentences, names)

    def changes(self, scores: NDArray[np.float64]) -> dict[str, ScoreChange]:
        """Return the mean score change by error type."""
        gains = scores[self.upper] - scores[self.lower]
        found = {}
        for number, name in enumerate(self.names):
            used = (self.types == number) & ~np.isnan(gains)
            found[name] = ScoreChange.of(gains[used], self.sentences[used])
        return found


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """The mean change of a score.

    Parameters
    ----------
    n
        Number of observations.
    mean
        Mean; positive if the metric rewards the correction, NaN without observations.
    error
        Standard error of the mean; NaN for fewer than two observations.
    p_value
        Two-sided p-value of the mean, see `sign_flip_test`; NaN if there are too few sentences
        to test.

    Examples
    --------
    >>> change = ScoreChange.of(np.array([0.1, 0.2, 0.3]), np.array([0, 1, 2]))
    >>> change.n, round(change.mean, 3), round(change.error, 3), change.p_value
    (3, 0.2, 0.058, nan)
    """

    n: int
    mean: float
    error: float
    p_value: float = math.nan

    @classmethod
    def of(cls, gains: NDArray[np.float64], sentences: NDArray[np.int64]) -> ScoreChange:
        """Average observations, and test them by sentence."""
        if not len(gains):
            return cls(0, math.nan, math.nan)
        spread = gains.std(ddof=1) / math.sqrt(len(gains)) if len(gains) > 1 else math.nan
        sums = np.zeros(sentences.max() + 1)
        np.add.at(sums, sentences, gains)
        p_value = sign_flip_test(sums[np.unique(sentences)])
        return cls(len(gains), float(gains.mean()), float(spread), p_value)


def sign_flip_test(sums: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of a sum under random signs of its terms.

    If a metric neither rewards nor penalizes an edit, the change of the score is as likely to be
    positive as negative. The terms are sums over the changes of a sentence, because annotators
    often make the same edits. The test is exact for up to `MAX_EXACT` terms, and uses the normal
    distribution with the variance of the sum under random signs for more. It is NaN for fewer
    than `FEWEST`.

    Examples
    --------
    >>> sign_flip_test(np.ones(10)) == 2 / 2**10
    True
    """
    if len(sums) < FEWEST:
        return math.nan
    observed = abs(float(sums.sum()))
    scale = math.sqrt(float((sums**2).sum()))
    if not scale:
        return 1.0
    if len(sums) > MAX_EXACT:
        return math.erfc(observed / scale / math.sqrt(2))
    # The first sign is fixed, since opposite signs give sums of the same size.
    totals = sums[:1]
    for term in sums[1:]:
        totals = np.concatenate((totals + term, totals - term))
    return float((np.abs(totals) >= observed - 1e-9 * scale).mean())


def over_seeds(changes: Iterable[Mapping[str, ScoreChange]]) -> dict[str, ScoreChange]:
    """Average over seeds.

    All seeds observe the same edits, in different contexts. The number of observations is
    therefore averaged, and more seeds do not reduce the standard error. The p-value is the median.
    """
    found: dict[str, list[ScoreChange]] = {}
    for by_type in changes:
        for name, change in by_type.items():
            if change.n:
                found.setdefault(name, []).append(change)
    return {name: _averaged(found[name]) for name in sorted(found)}


def _averaged(changes: Sequence[ScoreChange]) -> ScoreChange:
    p_values = [change.p_value for change in changes]
    return ScoreChange(
        round(fmean(change.n for change in changes)),
        fmean(change.mean for change in changes),
        math.sqrt(fmean(change.error**2 for change in changes)),
        math.nan if any(map(math.isnan, p_values)) else median(p_values),
    )
