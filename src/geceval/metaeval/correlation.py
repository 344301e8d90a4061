"""Correlations: how well two rankings or scorings of the same things agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, UnknownNameError
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Interval, Resampling
from geceval.evaluation.resampling import interval as percentile_interval
from geceval.metrics.options import checked

Values: TypeAlias = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correlation:
    """How well two lists of numbers agree.

    Parameters
    ----------
    value
        From -1 to 1; NaN where one list holds a single value throughout, or one that is no number.
    p_value
        How likely so strong a correlation, of either sign, would be by chance; NaN likewise.
    n
        How many pairs of numbers there are.
    """

    value: float
    p_value: float
    n: int


def pearson(x: Values, y: Values) -> Correlation:
    """Pearson's *r*, with the two-sided p-value of its t-test.

    Examples
    --------
    >>> pearson([1, 2, 3, 4], [2, 4, 6, 8]).value
    1.0
    """
    return _correlation("pearsonr", x, y)


def spearman(x: Values, y: Values) -> Correlation:
    """Spearman's *ρ*, Pearson's *r* of the ranks; ties share their mean rank.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 9]).value, 3)
    0.8
    """
    return _correlation("spearmanr", x, y)


def kendall(x: Values, y: Values) -> Correlation:
    """Kendall's *τ*-b, which takes ties into account.

    Examples
    --------
    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 9]).value, 3)
    0.667
    """
    return _correlation("kendalltau", x, y)


COEFFICIENTS: Mapping[str, Callable[[Values, Values], Correlation]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
"""The coefficients by name."""


def coefficient(name: str) -> Callable[[Values, Values], Correlation]:
    """Return the coefficient that is called `name`."""
    try:
        return COEFFICIENTS[name]
    except KeyError:
        raise UnknownNameError("correlation", name, COEFFICIENTS) from None


def _correlation(function: str, x: Values, y: Values) -> Correlation:
    first, second = _paired(x, y)
    is_known = np.isfinite(first).all() and np.isfinite(second).all()
    if len(first) < 2 or not is_known or np.ptp(first) == 0 or np.ptp(second) == 0:
        # Where nothing varies, nothing can vary together; scipy would warn.
        return Correlation(math.nan, math.nan, len(first))
    if len(first) == 2:
        # Two points always lie on a line, which tells nothing.
        sign = float(np.sign((first[1] - first[0]) * (second[1] - second[0])))
        return Correlation(sign, 1.0, 2)
    found = getattr(scipy_stats(), function)(first, second)
    return Correlation(float(found.statistic), float(found.pvalue), len(first))


def _paired(x: Values, y: Values) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        msg = f"two lists of the same length are needed, not {first.shape} and {second.shape}"
        raise ValueError(msg)
    return first, second


@checked
def interval(
    name: str,
    x: Values,
    y: Values,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Interval:
    """Compute the percentile bootstrap interval of a correlation.

    It always contains the correlation itself.
    Samples in which a list is constant have no correlation and are ignored.

    Parameters
    ----------
    name
        Name of the coefficient.
    x, y
        As for the coefficient.
    resampling
        Number of resamples, confidence level and seed.
    """
    resampling.check_some()
    first, second = _paired(x, y)
    value = coefficient(name)(first, second).value
    rows = np.random.default_rng(resampling.seed).integers(
        len(first), size=(resampling.n, len(first)) if len(first) else (0, 0)
    )
    values = _many(name, first[rows], second[rows])
    values = values[np.isfinite(values)]
    if not len(values):
        return Interval(math.nan, math.nan, resampling.level)
    return percentile_interval(values, resampling.level, around=value)


def _many(
    name: str, first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Correlate each row of one table with that of the other; NaN where a row does not vary."""
    if name == "kendall":
        # The signs of all differences: with ties 0, their correlation is tau-b.
        first, second = (
            np.sign(table[:, :, None] - table[:, None, :]).reshape(len(table), -1)
            for table in (first, second)
        )
    elif name == "spearman":
        first, second = (scipy_stats().rankdata(table, axis=1) for table in (first, second))
    first, second = (
        table - table.mean(axis=1, keepdims=True) if table.size else table
        for table in (first, second)
    )
    above = (first * second).sum(axis=1)
    below = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    values = np.full(len(above), np.nan)
    np.divide(above, below, out=values, where=below > 1e-12)
    # Rounding may lead past the ends.
    return np.clip(values, -1, 1, out=values)


@dataclass(frozen=True, slots=True)
class Williams:
    """Williams' test: a t value, and how likely one so far from 0 would be by chance."""

    t: float
    p_value: float


def williams(r_first: float, r_second: float, r_between: float, n: int) -> Williams:
    """Test whether two correlations with the same thing differ.

    Parameters
    ----------
    r_first, r_second
        Pearson correlations of two metrics with human scores.
    r_between
        Correlation of the two metrics with each other.
    n
        How many systems there are; at least four.

    Returns
    -------
    Williams
        t, positive where the first correlation is larger, and its two-sided p-value with n - 3
        degrees of freedom; NaN where the three correlations leave nothing to chance.

    References
    ----------
    Williams (1959), Regression Analysis; Steiger (1980), Tests for Comparing Elements of a
    Correlation Matrix; Graham and Baldwin (2014), Testing for Significance of Increased
    Correlation with Human Judgment.

    Examples
    --------
    >>> test = williams(0.4, 0.5, 0.1, 103)
    >>> round(test.t, 2), round(test.p_value, 2)
    (-0.89, 0.37)
    """
    if n < 4:
        return Williams(math.nan, math.nan)
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2
    below = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_between) ** 3
    if not below > 1e-12:
        # Metrics that are the same up to scale, or that are human scores up to scale.
        return Williams(math.nan, math.nan)
    t = (r_first - r_second) * math.sqrt((n - 1) * (1 + r_between) / below)
    return Williams(t, float(2 * scipy_stats().t.sf(abs(t), n - 3)))


def scipy_stats() -> Any:
    """Import ``scipy.stats``, or say what is missing."""
    return _scipy("scipy.stats")


def scipy_special() -> Any:
    """Import ``scipy.special``, or say what is missing."""
    return _scipy("scipy.special")


def _scipy(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise GecevalError(
            "correlations need scipy: install geceval with the extra 'metaeval'"
        ) from error
