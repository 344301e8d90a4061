r"""Power of paired tests: which difference a test set can detect, and how many sentences it takes.

The score of a test set with many sentences is approximately normally distributed around the score
of all sentences of its kind, whatever the metric. A paired test at the two-sided level
:math:`\alpha` rejects if the difference is larger than :math:`z_{1-\alpha/2}\,s_0`, where
:math:`s_0` is the standard deviation of differences between equally good systems. The difference
that it detects with probability :math:`1 - \beta` is

.. math:: \delta = z_{1-\alpha/2}\,s_0 + z_{1-\beta}\,s

with the standard error :math:`s` of the difference. Both are estimated from the statistics of two
systems by resampling sentences: :math:`s` by the paired bootstrap, :math:`s_0` by swapping
outputs (approximate randomization) or, for the paired bootstrap, :math:`s_0 = s`. Both shrink with
the square root of the number of sentences, so that detecting a difference :math:`d` needs
:math:`n\,(\delta / d)^2` of them.
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
    Resampling,
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
        Standard deviation of differences between equally good systems.
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
    if n_sents < 2:
        raise GecevalError("the power of a test cannot be estimated from fewer than two sentences")
    rows = resampled_rows(n_sents, resampling)
    samples = resample(metric, second, rows) - resample(metric, first, rows)
    error = null_error = float(np.std(samples))
    if resampling.test == "randomization":
        swaps = random_swaps(n_sents, resampling)
        # Swapping everything changes the sign, so the mean is 0.
        null_samples = swapped_differences(metric, first, second, swaps)
        null_error = float(np.sqrt(np.mean(null_samples**2)))
    difference = metric.aggregate(second).value - metric.aggregate(first).value
    if not (math.isfinite(error) and math.isfinite(null_error) and error > _NO_DIFFERENCE):
        raise GecevalError(
            f"the power of a test by {metric.title} cannot be estimated from two systems whose "
            "difference is the same in all resamples; compare systems with different outputs"
        )
    normal = NormalDist()
    detectable = normal.inv_cdf(1 - alpha / 2) * null_error + normal.inv_cdf(power) * error
    needed = None
    if abs(difference) > _NO_DIFFERENCE:
        needed = max(2, math.ceil(n_sents * (detectable / difference) ** 2))
    return PowerAnalysis(n_sents, difference, error, null_error, detectable, needed, alpha, power)
