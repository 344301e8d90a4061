"""GLEU of counts: lengths of output and reference, numerators and denominators of the orders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.ngrams import by_order
from geceval.metrics._shared.sums import divide


def gleu_of(counts: NDArray[Any], *, skips_empty: bool = False) -> NDArray[np.float64]:
    """Compute the scores of summed counts, the last axis in the order of the columns.

    Parameters
    ----------
    counts
        Summed counts.
    skips_empty
        Whether an order without n-grams has a precision of 1, and the reference may be empty;
        otherwise the score is 0. Output without tokens scores 0 in any case.
    """
    lengths, above, below = _split(counts)
    is_used = (below > 0) | (not skips_empty)
    is_known = (
        np.all(~is_used | ((above > 0) & (below > 0)), axis=-1)
        & (below[..., 0] > 0)
        & ((lengths[..., 1] > 0) | skips_empty)
    )
    counted = is_used & is_known[..., None]
    logs = np.log(np.where(counted, above, 1) / np.where(counted, below, 1)).mean(axis=-1)
    penalty = np.minimum(0.0, 1 - lengths[..., 1] / np.where(is_known, lengths[..., 0], 1))
    return np.where(is_known, np.exp(penalty + logs), 0.0)


def unsmoothed(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Compute the scores of single sentences; empty output equals an empty reference."""
    lengths, _, below = _split(counts)
    is_equal = (below[..., 0] == 0) & (lengths[..., 1] == 0)
    return np.where(is_equal, 1.0, gleu_of(counts, skips_empty=True))


def smoothed(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Compute the scores of single sentences, with counts of 0 replaced by 1."""
    return gleu_of(np.maximum(1, counts))


def penalized_precisions(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return each precision times the brevity penalty, the highest order first."""
    return (precisions(counts, undefined=1) * brevity_penalty(counts)[..., None])[..., ::-1]


def precisions(counts: NDArray[Any], *, undefined: float) -> NDArray[np.float64]:
    """Return the precision of each order."""
    _, above, below = _split(counts)
    return divide(above, below, undefined=undefined)


def brevity_penalty(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the brevity penalty; it is 0 for output without tokens."""
    lengths, _, below = _split(counts)
    is_known = below[..., 0] > 0
    reach = np.minimum(0.0, 1 - lengths[..., 1] / np.where(is_known, lengths[..., 0], 1))
    return np.where(is_known, np.exp(reach), 0.0)


def ratios(totals: NDArray[Any], *, undefined: float) -> dict[str, float]:
    """Return the precisions and the brevity penalty of summed counts, by name."""
    # The numerators of the formula may be negative; the score is then 0.
    found = np.maximum(0.0, precisions(totals, undefined=undefined))
    return {
        **dict(zip(by_order("precision", len(found)), found.tolist(), strict=True)),
        "brevity_penalty": float(brevity_penalty(totals)),
    }


def _split(counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return lengths, numerators and denominators."""
    above, below = np.split(counts[..., 2:], 2, axis=-1)
    return counts[..., :2], above, below
