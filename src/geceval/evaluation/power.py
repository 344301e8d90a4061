r"""Power of paired tests: which difference a test set can detect, and how many sentences it takes.

The score of many sentences is approximately normally distributed, whatever the metric. A paired
test at the two-sided level :math:`\alpha` rejects if the difference is larger than
:math:`z_{1-\alpha/2}\,s_0`, where :math:`s_0` is the standard deviation of its null distribution.
It detects a true difference :math:`\delta` with probability :math:`1 - \beta` if

.. math:: \delta = z_{1-\alpha/2}\,s_0(\delta) + z_{1-\beta}\,s

with the standard error :math:`s` of the difference. Both are estimated from the statistics of two
systems by resampling sentences. The paired bootstrap gives :math:`s`, and is a test with
:math:`s_0 = s`. Swapping outputs (approximate randomization) gives :math:`s_0(d)` for the
difference :math:`d` that the two systems have. A sum of numbers :math:`g_i` with random signs has
the variance :math:`\sum g_i^2`, to which their mean contributes: the more two systems differ, the
larger is :math:`s_0`.

.. math:: s_0(\delta)^2 = s_0(d)^2 + \frac{\delta^2 - d^2}{n}

Standard errors shrink with the square root of the number of sentences. A difference :math:`d`
therefore needs :math:`n\,(z_{1-\alpha/2}\,s_0(d) + z_{1-\beta}\,s)^2 / d^2` of them.

The tests simulate both kinds of tests on test sets with a known difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, TypeAlias

import numpy as np

from geceval.errors import GecevalError
from geceval.evaluation.gate import DEFAULT_ALPHA, Alpha
from geceval.evaluation.resampling import (
    Comparison,
    Resampling,
    Test,
    random_swaps,
    resample,
    resampled_rows,
    swapped_differences,
)
from geceval.metrics.base import Metric
from geceval.metrics.options import Range, checked
from geceval.metrics.statistics import Statistics

Power: TypeAlias = Annotated[float, Range(above=0, below=1)]
"""A probability of detecting a difference."""

DEFAULT_POWER = 0.8
DEFAULT_POWER_RESAMPLES = 2000
"""Number of resamples; the relative error of a standard error is about 1.6 %."""

_NO_DIFFERENCE = 1e-12


@dataclass(frozen=True, slots=True)
class PowerAnalysis:
    """What a test set can detect between two systems like these.

    Parameters
    ----------
    n_sents
        Number of sentences of the test set.
    difference
        The difference seen: score of the second system minus that of the first.
    standard_error
        Standard error of the difference.
    null_error
        Standard deviation of the null distribution of the test.
    detectable
        The smallest difference that is detected with the wanted power.
    needed
        Number of sentences that detect a difference of the size seen with this power; None if
        there is no difference.
    alpha, power
        Two-sided significance level, and the wanted power.
    """

    n_sents: int
    difference: float
    standard_error: float
    null_error: float
    detectable: float
    needed: int | None
    alpha: float
    power: float


@checked
def analyze_power(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    *,
    alpha: Alpha = DEFAULT_ALPHA,
    power: Power = DEFAULT_POWER,
    resampling: Resampling | None = None,
) -> PowerAnalysis:
    """Estimate which difference between two systems a test set can detect.

    Parameters
    ----------
    metric, first, second
        A metric and the statistics of two systems on the same sentences. Other pairs of systems
        have other standard errors: the more alike their outputs, the smaller.
    alpha
        Two-sided significance level.
    power
        Probability of detecting the difference.
    resampling
        Number of resamples, seed and test.

    Raises
    ------
    GecevalError
        If there are fewer than two sentences, or the systems do not differ in any of them.

    References
    ----------
    Berg-Kirkpatrick, Burkett and Klein (2012), An Empirical Investigation of Statistical
    Significance in NLP. Card et al. (2020), With Little Power Comes Great Responsibility.
    """
    if resampling is None:
        resampling = Resampling(DEFAULT_POWER_RESAMPLES)
    n_sents = len(first)
    z_alpha = NormalDist().inv_cdf(1 - alpha / 2)
    # Swapping so few sentences never gives a significant difference.
    if n_sents <= max(1, z_alpha**2):
        raise GecevalError(f"the power of a test cannot be estimated from {n_sents} sentences")
    difference = metric.aggregate(second).value - metric.aggregate(first).value
    rows = resampled_rows(n_sents, resampling)
    error = float(np.std(resample(metric, second, rows) - resample(metric, first, rows)))
    if not _is_positive(error):
        raise GecevalError(
            f"the power of a test by {metric.title} cannot be estimated from two systems whose "
            "difference is the same in all resamples; compare systems with different outputs"
        )
    null_error = error
    if resampling.test == "randomization":
        swaps = random_swaps(n_sents, resampling)
        # Swapping everything changes the sign, so the mean is 0.
        null_error = float(np.std(swapped_differences(metric, first, second, swaps)))
    return _analysis(n_sents, difference, error, null_error, alpha, power, resampling.test)


@checked
def power_of(
    comparison: Comparison,
    n_sents: int,
    *,
    test: Test,
    alpha: Alpha = DEFAULT_ALPHA,
    power: Power = DEFAULT_POWER,
) -> PowerAnalysis | None:
    """Estimate which difference a test can detect, from a comparison that was already computed.

    Parameters
    ----------
    comparison
        A comparison of `geceval.evaluation.resampling.compare`, with its standard errors.
    n_sents
        Number of sentences of the test set.
    test
        The paired test of the comparison.
    alpha, power
        Two-sided significance level, and probability of detecting the difference.

    Returns
    -------
    analysis
        None if it cannot be estimated: there are too few sentences, or the systems do not differ
        in any resample.
    """
    z_alpha = NormalDist().inv_cdf(1 - alpha / 2)
    errors = comparison.standard_error, comparison.null_error
    if n_sents <= max(1, z_alpha**2) or not all(map(_is_positive, errors)):
        return None
    return _analysis(n_sents, comparison.difference, *errors, alpha, power, test)


def _is_positive(error: float) -> bool:
    return math.isfinite(error) and error > _NO_DIFFERENCE


def _analysis(
    n_sents: int,
    difference: float,
    error: float,
    null_error: float,
    alpha: float,
    power: float,
    test: Test,
) -> PowerAnalysis:
    z_alpha, z_power = (NormalDist().inv_cdf(share) for share in (1 - alpha / 2, power))
    growth = 1 / n_sents if test == "randomization" else 0.0
    detectable = _detectable(
        z_power * error, z_alpha, null_error**2 - growth * difference**2, growth
    )
    needed = None
    if abs(difference) > _NO_DIFFERENCE:
        ratio = (z_alpha * null_error + z_power * error) / difference
        needed = max(2, math.ceil(n_sents * ratio**2))
    return PowerAnalysis(n_sents, difference, error, null_error, detectable, needed, alpha, power)


def _detectable(shift: float, z_alpha: float, variance: float, growth: float) -> float:
    r"""Solve :math:`\delta = z \sqrt{v + g \delta^2} + b`, a quadratic equation, for δ.

    Examples
    --------
    >>> found = _detectable(0.1, 1.96, 0.04, 0.01)
    >>> round(found - 1.96 * math.sqrt(0.04 + 0.01 * found**2), 12)
    0.1
    """
    square = z_alpha**2
    below = 1 - square * growth
    # An estimated variance may be slightly negative.
    root = shift**2 - below * (shift**2 - square * max(0.0, variance))
    return (shift + math.sqrt(max(0.0, root))) / below
