"""Sensitivity: mean score changes by error type.

Choshen and Abend (2018), section 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""Confidence level of significant changes."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Pairs of corrections that differ in one edit, as indices of rows.

    Parameters
    ----------
    lower, upper
        The corrections without and with the edit.
    types
        Index of the error type in `names`.
    names
        The error types.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    types: NDArray[np.int64]
    names: tuple[str, ...]

    @classmethod
    def of(cls, steps: Sequence[tuple[int, int, str]]) -> Steps:
        """Convert steps to arrays."""
        names = tuple(sorted({name for _, _, name in steps}))
        place = {name: number for number, name in enumerate(names)}
        numbers = np.array(
            [(lower, upper, place[name]) for lower, upper, name in steps], dtype=np.int64
        )
        lower, upper, types = numbers.reshape(-1, 3).T
        return cls(lower, upper, types, names)

    def changes(self, scores: NDArray[np.float64]) -> dict[str, ScoreChange]:
        """Return the mean score change by error type."""
        gains = scores[self.upper] - scores[self.lower]
        return {
            name: ScoreChange.of(gains[(self.types == number) & ~np.isnan(gains)])
            for number, name in enumerate(self.names)
        }


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

    Examples
    --------
    >>> change = ScoreChange.of(np.array([0.1, 0.2, 0.3]))
    >>> change.n, round(change.mean, 3), round(change.error, 3), change.is_significant
    (3, 0.2, 0.058, True)
    """

    n: int
    mean: float
    error: float

    @classmethod
    def of(cls, gains: NDArray[np.float64]) -> ScoreChange:
        """Average observations."""
        if not len(gains):
            return cls(0, math.nan, math.nan)
        spread = gains.std(ddof=1) / math.sqrt(len(gains)) if len(gains) > 1 else math.nan
        return cls(len(gains), float(gains.mean()), float(spread))

    @property
    def is_significant(self) -> bool:
        """Whether the 95 % interval of the mean excludes 0."""
        reach = NormalDist().inv_cdf((1 + LEVEL) / 2)
        return abs(self.mean) > reach * self.error


def over_seeds(changes: Iterable[Mapping[str, ScoreChange]]) -> dict[str, ScoreChange]:
    """Average over seeds.

    All seeds observe the same edits, in different contexts. The number of observations is
    therefore averaged, and more seeds do not reduce the standard error.
    """
    found: dict[str, list[ScoreChange]] = {}
    for by_type in changes:
        for name, change in by_type.items():
            if change.n:
                found.setdefault(name, []).append(change)
    return {name: _averaged(found[name]) for name in sorted(found)}


def _averaged(changes: Sequence[ScoreChange]) -> ScoreChange:
    return ScoreChange(
        round(fmean(change.n for change in changes)),
        fmean(change.mean for change in changes),
        math.sqrt(fmean(change.error**2 for change in changes)),
    )
