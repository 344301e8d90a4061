"""Ratings of single outputs: mean ratings of systems, and their correlation with a metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.metaeval.correlation import Correlation, coefficients
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.rankings import Ranking, best_first

MEAN_RATING = "mean rating"


def is_rated(judgments: Judgments) -> bool:
    """Whether all outputs were rated, not only ranked."""
    return all(place.rating is not None for item in judgments for place in item.places)


def rating_table(
    judgments: Judgments, sentences: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Return the ratings ``(n_systems, n_sents)``, means over judges; NaN without a rating."""
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for item in judgments:
        for place in item.places:
            if place.rating is not None:
                for name in place.systems:
                    found[name, item.sentence].append(place.rating)
    return np.array(
        [
            [np.mean(found[name, number]) if (name, number) in found else np.nan
             for number in (judgments.sentences if sentences is None else sentences)]
            for name in judgments.systems
        ]
    )  # fmt: skip


def mean_ratings(judgments: Judgments) -> Ranking:
    """Score systems by the mean rating of their outputs, first over judges, then sentences."""
    table = rating_table(judgments)
    rated = (~np.isnan(table)).sum(axis=1)
    if not rated.all():
        raise GecevalError(f"{judgments.systems[int(rated.argmin())]} has no ratings")
    note = ""
    if rated.min() < table.shape[1]:
        note = f"not all outputs were rated ({rated.min()} to {rated.max()} of a system)"
    return Ranking(
        MEAN_RATING,
        best_first(judgments.systems, np.nanmean(table, axis=1)),
        signature="mean-rating|judges:mean",
        note=note,
    )


def rating_correlation(
    judgments: Judgments,
    scores: Mapping[str, NDArray[np.float64]],
    systems: Sequence[str],
) -> dict[str, Correlation]:
    """Correlate a metric's sentence scores with the ratings of all outputs of `systems`.

    Outputs that were not rated, or for which the metric is undefined, are ignored.
    """
    chosen = [judgments.systems.index(name) for name in systems]
    ratings = rating_table(judgments)[chosen].ravel()
    values = np.concatenate([scores[name] for name in systems])
    is_known = np.isfinite(ratings) & np.isfinite(values)
    return coefficients(values[is_known], ratings[is_known])
