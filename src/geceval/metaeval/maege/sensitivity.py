"""Sensitivity: by how much a metric rewards the correction of errors of each type.

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
"""How sure the sign of a change has to be."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Pairs of corrections that differ in one edit, as numbers of rows.

    Parameters
    ----------
    lower, upper
        The correction without and the one with the edit.
    types
        Place of the type of the edit among `names`.
    names
        The types.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    types: NDArray[np.int64]
    names: tuple[str, ...]

    @classmethod
    def of(cls, steps: Sequence[tuple[int, int, str]]) -> Steps:
        """Make arrays of steps."""
        names = tuple(sorted({name for _, _, name in steps}))
        place = {name: number for number, name in enumerate(names)}
        numbers = np.array(
            [(lower, upper, place[name]) for lower, upper, name in steps], dtype=np.int64
        )
        lower, upper, types = numbers.reshape(-1, 3).T
        return cls(lower, upper, types, names)

    def changes(self, scores: NDArray[np.float64]) -> dict[str, ScoreChange]:
        """Return how much the score changes, on average, with an edit of each type."""
        gains = scores[self.upper] - scores[self.lower]
        return {
            name: ScoreChange.of(gains[(self.types == number) & ~np.isnan(gains)])
            for number, name in enumerate(self.names)
        }


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """By how much a score changes.

    Parameters
    ----------
    n
        How many changes were seen.
    mean
        Their mean; above 0 where the metric rewards the correction. NaN without any.
    error
        Standard error of the mean; NaN for fewer than two.

    Examples
    --------
    >>> change = ScoreChange.of(np.array([0.1, 0.2, 0.3]))
    >>> change.n, round(change.mean, 3), round(change.error, 3), change.is_certain
    (3, 0.2, 0.058, True)
    """

    n: int
    mean: float
    error: float

    @classmethod
    def of(cls, gains: NDArray[np.float64]) -> ScoreChange:
        """Average over changes."""
        if not len(gains):
            return cls(0, math.nan, math.nan)
        spread = gains.std(ddof=1) / math.sqrt(len(gains)) if len(gains) > 1 else math.nan
        return cls(len(gains), float(gains.mean()), float(spread))

    @property
    def is_certain(self) -> bool:
        """Whether the sign is certain, for the 95 % interval of the mean does not hold 0."""
        reach = NormalDist().inv_cdf((1 + LEVEL) / 2)
        return abs(self.mean) > reach * self.error


def over_seeds(changes: Iterable[Mapping[str, ScoreChange]]) -> dict[str, ScoreChange]:
    """Average over seeds.

    Every seed sees the same edits again, in other surroundings. So the number of changes is the
    mean over seeds, and more seeds do not make the standard error smaller.
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
