"""Agreement of raters beyond chance: Cohen's κ and Krippendorff's α.

Both are 1 for perfect and 0 for chance agreement. They are computed from tables of counts, which
can be added: those of many resamples are evaluated at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Weights: TypeAlias = Literal["linear", "quadratic"]

Tables: TypeAlias = NDArray[Any]
"""Square tables of counts, on the last two axes."""


def kappa_of_tables(tables: Tables, cost: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Compute Cohen's κ of contingency tables; NaN without ratings.

    Raters who always give the same rating agree (1), although κ is undefined.

    Parameters
    ----------
    tables
        How often the first rater gave the rating of the row and the second that of the column.
    cost
        Weights of disagreement; by default 1 outside the diagonal.
    """
    tables = np.asarray(tables, dtype=np.float64)
    if cost is None:
        cost = 1.0 - np.eye(tables.shape[-1])
    total = tables.sum(axis=(-2, -1))
    margins = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    expected = (cost * margins).sum(axis=(-2, -1)) / np.maximum(1.0, total)
    return _corrected((cost * tables).sum(axis=(-2, -1)), expected, total > 0)


def alpha_of_coincidences(tables: Tables) -> NDArray[np.float64]:
    """Compute Krippendorff's α of nominal ratings from tables of coincidences; NaN without any.

    If there is only one rating, all agree (1), although α is undefined.
    """
    tables = np.asarray(tables, dtype=np.float64)
    sizes = tables.sum(axis=-1)
    total = sizes.sum(axis=-1)
    observed = total - np.trace(tables, axis1=-2, axis2=-1)
    expected = (total**2 - (sizes**2).sum(axis=-1)) / np.maximum(1.0, total - 1)
    return _corrected(observed, expected, total > 1)


def _corrected(observed: Tables, expected: Tables, is_known: Tables) -> NDArray[np.float64]:
    """Return 1 minus observed by expected disagreement."""
    ratio = np.divide(observed, expected, out=np.zeros_like(expected), where=expected > 0)
    return np.where(is_known, 1 - ratio, math.nan)


def cohen_kappa(
    first: Sequence[int], second: Sequence[int], *, weights: Weights | None = None
) -> float:
    """Compute Cohen's κ, the chance-corrected agreement of two raters; NaN without ratings.

    Parameters
    ----------
    first, second
        Ratings of the same items by each rater, on an ordered scale of integers.
    weights
        Weights of disagreement: none, or the difference of ratings or its square.

    References
    ----------
    Cohen (1960), A Coefficient of Agreement for Nominal Scales; Cohen (1968), Weighted Kappa.

    Examples
    --------
    >>> cohen_kappa([0, 1, 1, 0], [0, 1, 0, 0])
    0.5
    """
    scale = sorted({*first, *second})
    place = {value: number for number, value in enumerate(scale)}
    table = np.zeros((len(scale), len(scale)))
    for one, other in zip(first, second, strict=True):
        table[place[one], place[other]] += 1
    apart = np.abs(np.subtract.outer(np.array(scale), np.array(scale))).astype(float)
    cost = (apart > 0).astype(float) if weights is None else apart
    if weights == "quadratic":
        cost = apart**2
    return float(kappa_of_tables(table, cost))


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float:
    """Compute Krippendorff's α of nominal ratings by any number of raters; NaN without pairs.

    Parameters
    ----------
    units
        The ratings of each unit, in any order, without those of absent raters. Units with fewer
        than two ratings do not count.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.

    Examples
    --------
    >>> krippendorff_alpha([[0, 0], [0, 1], [1, 1], [0, 0]])
    0.5333333333333333
    """
    rated = [Counter(unit) for unit in units if len(unit) > 1]
    values = list(dict.fromkeys(value for counts in rated for value in counts))
    table = np.zeros((len(values), len(values)))
    for counts in rated:
        sizes = np.array([counts[value] for value in values], dtype=np.float64)
        table += (np.outer(sizes, sizes) - np.diag(sizes)) / (counts.total() - 1)
    return float(alpha_of_coincidences(table))
