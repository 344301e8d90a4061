"""Human rankings in resamples of the judged sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.rankings import SentenceOutcomes, expected_wins_of
from geceval.metaeval.human.ratings import MEAN_RATING, is_rated, rating_table
from geceval.metaeval.human.trueskill import limit_of
from geceval.metrics.statistics import Rows

Samples: TypeAlias = Mapping[str, NDArray[np.float64]]
"""Scores of each system in each resample; NaN if undefined."""


def resampled_rankings(
    judgments: Judgments,
    outcomes: SentenceOutcomes,
    sentences: Sequence[int],
    rows: Sequence[Rows],
) -> dict[str, Samples]:
    """Rank systems by the judgments of resampled sentences.

    Parameters
    ----------
    judgments
        The judgments.
    outcomes
        Their outcomes in `sentences`.
    sentences
        Numbers of the sentences, in the order that `rows` refer to.
    rows
        Samples of sentences, in chunks.

    Returns
    -------
    samples
        By name of the ranking. TrueSkill is its limit without chance.
    """
    if not rows:
        return {}
    wins, ties = outcomes.resampled(rows)
    found = {"TrueSkill": limit_of(wins, ties), "Expected Wins": expected_wins_of(wins)}
    if is_rated(judgments):
        found[MEAN_RATING] = _mean_ratings(rating_table(judgments, sentences), rows)
    return {
        name: dict(zip(judgments.systems, scores.T, strict=True)) for name, scores in found.items()
    }


def _mean_ratings(table: NDArray[np.float64], rows: Sequence[Rows]) -> NDArray[np.float64]:
    times = np.array(
        [np.bincount(row, minlength=table.shape[1]) for chunk in rows for row in chunk]
    )
    is_known = ~np.isnan(table)
    counts = times @ is_known.T
    totals = times @ np.where(is_known, table, 0.0).T
    found: NDArray[np.float64] = np.full(totals.shape, np.nan)
    np.divide(totals, counts, out=found, where=counts > 0)
    return found
