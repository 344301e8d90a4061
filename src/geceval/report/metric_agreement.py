"""Rank correlation between metrics, over systems and over sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from geceval.report.results import Agreement, Matrix, number
from geceval.report.score_records import SystemResults

MIN_SYSTEMS = 4
"""Minimum number of systems for a meaningful rank correlation."""


def midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank values from 1; ties share their mean rank.

    Examples
    --------
    >>> midranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, index, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: NDArray[np.float64] = (last - (sizes - 1) / 2)[index]
    return ranks


def spearman(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Spearman's rank correlation between rows; NaN for constant rows."""
    ranks = np.array([midranks(row) for row in table])
    centered = ranks - (table.shape[1] + 1) / 2
    spread = np.sqrt((centered**2).sum(axis=1))
    product = spread[:, None] * spread
    matrix = np.full(product.shape, np.nan)
    np.divide(centered @ centered.T, product, out=matrix, where=product > 0)
    return matrix


def agreement(by_metric: Mapping[str, SystemResults]) -> Agreement:
    """Correlate the metrics over the scores of systems and of sentences."""
    all_results = list(by_metric.values())
    systems = list(all_results[0])
    scores = np.array([[one[name].score.value for name in systems] for one in all_results])
    sentences = [
        np.array([one[name].score.sentences.values for one in all_results], dtype=np.float64)
        for name in systems
    ]
    matrices = np.ma.masked_invalid([_correlations(table) for table in sentences])
    return Agreement(
        metrics=list(by_metric),
        systems=_matrix(_correlations(scores)) if len(systems) >= MIN_SYSTEMS else None,
        sentences=_matrix(matrices.mean(axis=0).filled(np.nan)),
    )


def _correlations(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate the rows that have finite values, over the columns where all of them have."""
    is_finite = np.isfinite(table)
    rows = np.flatnonzero(is_finite.any(axis=1))
    matrix = np.full((len(table), len(table)), np.nan)
    matrix[np.ix_(rows, rows)] = spearman(table[rows][:, is_finite[rows].all(axis=0)])
    return matrix


def _matrix(values: NDArray[np.float64]) -> Matrix:
    return [[number(value, 5) for value in row] for row in values.tolist()]
