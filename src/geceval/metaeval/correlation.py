"""Correlation coefficients, their bootstrap intervals and Williams' test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, UnknownNameError
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.evaluation.resampling import interval as percentile_interval
from geceval.metrics.options import checked
from geceval.metrics.statistics import Interval

Values: TypeAlias = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of two lists of numbers.

    Parameters
    ----------
    value
        From -1 to 1; NaN if one list is constant or contains NaN or infinity.
    p_value
        Two-sided p-value; NaN likewise.
    n
        Number of pairs.
    """

    value: float
    p_value: float
    n: int


def pearson(x: Values, y: Values) -> Correlation:
    """Compute Pearson's *r*, with the two-sided p-value of its t-test.

    Examples
    --------
    >>> pearson([1, 2, 3, 4], [2, 4, 6, 8]).value
    1.0
    """
    return _correlation("pearsonr", x, y)


def spearman(x: Values, y: Values) -> Correlation:
    """Compute Spearman's *ρ*, Pearson's *r* of the ranks; ties share their mean rank.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 9]).value, 3)
    0.8
    """
    return _correlation("spearmanr", x, y)


def kendall(x: Values, y: Values) -> Correlation:
    """Compute Kendall's *τ*-b, which accounts for ties.

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


def coefficients(x: Values, y: Values) -> dict[str, Correlation]:
    """Compute all coefficients."""
    return {name: function(x, y) for name, function in COEFFICIENTS.items()}


def coefficient(name: str) -> Callable[[Values, Values], Correlation]:
    """Return a coefficient by name."""
    try:
        return COEFFICIENTS[name]
    except KeyError:
        raise UnknownNameError("correlation", name, COEFFICIENTS) from None


def _correlation(function: str, x: Values, y: Values) -> Correlation:
    first, second = _paired(x, y)
    is_known = np.isfinite(first).all() and np.isfinite(second).all()
    if len(first) < 2 or not is_known or np.ptp(first) == 0 or np.ptp(second) == 0:
        # Undefined; scipy would warn.
        return Correlation(math.nan, math.nan, len(first))
    if len(first) == 2:
        # Two points always lie on a line, so the p-value is 1.
        sign = float(np.sign((first[1] - first[0]) * (second[1] - second[0])))
        return Correlation(sign, 1.0, 2)
    found = getattr(scipy_module("stats"), function)(first, second)
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
    samples: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Interval:
    """Compute the percentile bootstrap interval of a correlation.

    It always contains the correlation itself.
    Samples in which a list is constant have no correlation and are ignored.
    The pairs are resampled; with `samples`, so is what their numbers were computed from, and the
    bootstrap is hierarchical.

    Parameters
    ----------
    name
        Name of the coefficient.
    x, y
        As for the coefficient.
    samples
        `x` and `y` in resamples of the data that they were computed from, each
        ``(n_resamples, n)``.
    resampling
        Number of resamples, confidence level and seed.

    References
    ----------
    Deutsch, Dror and Roth (2021), A Statistical Analysis of Summarization Evaluation Metrics Using
    Resampling Methods, TACL.
    """
    resampling.check_some()
    first, second = _paired(x, y)
    value = coefficient(name)(first, second).value
    # The samples may come from the same seed; systems must be sampled independently of them.
    seed = resampling.seed if samples is None else [resampling.seed, len(first)]
    rows = np.random.default_rng(seed).integers(
        len(first), size=(resampling.n, len(first)) if len(first) else (0, 0)
    )
    if samples is None:
        tables = first[rows], second[rows]
    else:
        x_samples, y_samples = (
            np.take_along_axis(_sampled(one, rows), rows, axis=1) for one in samples
        )
        is_known = np.isfinite(x_samples).all(axis=1) & np.isfinite(y_samples).all(axis=1)
        tables = x_samples[is_known], y_samples[is_known]
    values = correlate_rows(name, *tables)
    values = values[np.isfinite(values)]
    if not len(values):
        return Interval(math.nan, math.nan, resampling.level)
    return percentile_interval(values, resampling.level, around=value)


def _sampled(table: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    if table.shape != rows.shape:
        msg = f"samples of the shape {rows.shape} are needed, not {table.shape}"
        raise ValueError(msg)
    return table


def correlate_rows(
    name: str, first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Correlate the rows of two tables; NaN if a row is constant."""
    if name == "kendall":
        # The signs of all differences: with ties 0, their correlation is tau-b.
        first, second = (
            np.sign(table[:, :, None] - table[:, None, :]).reshape(len(table), -1)
            for table in (first, second)
        )
    elif name == "spearman":
        first, second = (scipy_module("stats").rankdata(table, axis=1) for table in (first, second))
    first, second = (
        table - table.mean(axis=1, keepdims=True) if table.size else table
        for table in (first, second)
    )
    above = (first * second).sum(axis=1)
    below = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    values = np.full(len(above), np.nan)
    np.divide(above, below, out=values, where=below > 1e-12)
    # Rounding errors may exceed the range.
    return np.clip(values, -1, 1, out=values)


@dataclass(frozen=True, slots=True)
class Williams:
    """Result of Williams' test: the t value and its two-sided p-value."""

    t: float
    p_value: float


def williams(r_first: float, r_second: float, r_between: float, n: int) -> Williams:
    """Test whether two correlations with the same variable differ.

    Parameters
    ----------
    r_first, r_second
        Pearson correlations of two metrics with human scores.
    r_between
        Correlation of the two metrics with each other.
    n
        Number of systems, at least four.

    Returns
    -------
    Williams
        t, positive where the first correlation is larger, and its two-sided p-value with n - 3
        degrees of freedom; NaN if the three correlations are degenerate.

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
        # Two of the three variables are equal up to scale.
        return Williams(math.nan, math.nan)
    t = (r_first - r_second) * math.sqrt((n - 1) * (1 + r_between) / below)
    return Williams(t, float(2 * scipy_module("stats").t.sf(abs(t), n - 3)))


def scipy_module(name: str) -> Any:
    """Import a module of scipy, which is an optional dependency."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError as error:
        raise GecevalError(
            "correlations need scipy: install geceval with the extra 'metaeval'"
        ) from error
