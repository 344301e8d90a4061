"""How alike metrics are: rank correlation over systems and over sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geceval.report.results import Agreement, Matrix, number
from geceval.report.system_scores import Scoring

FEWEST_SYSTEMS = 4
"""With fewer systems a rank correlation says nothing."""


def midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank values from 1; those that are equal share the mean of their ranks.

    Examples
    --------
    >>> midranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: NDArray[np.float64] = (last - (sizes - 1) / 2)[place]
    return ranks


def spearman(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate the ranks of the rows of `table`; NaN where a row has one value only."""
    ranks = np.array([midranks(row) for row in table])
    centered = ranks - (table.shape[1] + 1) / 2
    spread = np.sqrt((centered**2).sum(axis=1))
    below = spread[:, None] * spread
    matrix = np.full(below.shape, np.nan)
    np.divide(centered @ centered.T, below, out=matrix, where=below > 0)
    return matrix


def agreement(scorings: Sequence[Scoring]) -> Agreement:
    """Compare metrics by what they say of the same systems and sentences."""
    systems = list(scorings[0].results)
    scores = np.array([[one.results[name].score.value for name in systems] for one in scorings])
    sentences = [
        np.array([one.results[name].score.sentences.values for one in scorings], dtype=np.float64)
        for name in systems
    ]
    is_enough = len(systems) >= FEWEST_SYSTEMS
    return Agreement(
        metrics=[one.metric.name for one in scorings],
        systems=_matrix(_correlated(scores)) if is_enough else None,
        sentences=_matrix(_known_mean([_correlated(table) for table in sentences])),
    )


def _correlated(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate the metrics that know something, over what all of them know."""
    known = np.isfinite(table)
    rows = np.flatnonzero(known.any(axis=1))
    matrix = np.full((len(table), len(table)), np.nan)
    matrix[np.ix_(rows, rows)] = spearman(table[rows][:, known[rows].all(axis=0)])
    return matrix


def _known_mean(matrices: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Average over the systems for which a correlation is defined; NaN without any."""
    stacked = np.array(matrices)
    known = np.isfinite(stacked)
    sums = np.where(known, stacked, 0.0).sum(axis=0)
    n_known = known.sum(axis=0)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, n_known, out=means, where=n_known > 0)
    return means


def _matrix(values: NDArray[np.float64]) -> Matrix:
    return [[number(value, 5) for value in row] for row in values.tolist()]
