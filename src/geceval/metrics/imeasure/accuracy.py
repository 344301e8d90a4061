"""Scores of the I-measure, computed from counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.statistics import f_score

Floats: TypeAlias = NDArray[np.float64]

COUNTS = ("tp", "tn", "fp", "fn", "fpn")
BASE = ("base_tn", "base_fn")
COLUMNS = (*COUNTS, *BASE, *(f"d_{name}" for name in COUNTS), "limited")
N_COUNTED = len(COUNTS) + len(BASE)
"""Number of counted columns; the others follow from these."""


def scores_of(
    counts: NDArray[Any], weight: float, beta: float
) -> tuple[Floats, dict[str, NDArray[Any]]]:
    """Return I and all parts; the last axis of `counts` has counts and baseline."""
    *corrected, base_tn, base_fn = np.moveaxis(counts, -1, 0)
    none = np.zeros_like(base_tn)
    base = none, base_tn, none, base_fn, none
    value, parts = _aspect(corrected, base, weight, beta)
    d_value, d_parts = _aspect(_detected(corrected), base, weight, beta)
    detected = {f"d_{name}": part for name, part in d_parts.items()}
    return value, {**parts, **detected, "d_i": d_value}


def with_detection(counts: NDArray[np.int64], limited: NDArray[Any]) -> NDArray[np.int64]:
    """Append the counts of detection, which follow from those of correction."""
    detected = _detected(list(counts[:, : len(COUNTS)].T))
    return np.column_stack((counts, *detected, limited)).astype(np.int64)


def improvement(wacc: NDArray[Any], base: NDArray[Any]) -> Floats:
    """Compute I from the weighted accuracies of a system and of the source.

    Examples
    --------
    >>> [improvement(np.array(wacc), np.array(0.5)).item() for wacc in (1, 0.75, 0.5, 0.25, 0)]
    [1.0, 0.5, 0.0, -0.5, -1.0]
    """
    values = np.array(np.floor(wacc), dtype=np.float64)
    worse = wacc < base
    np.divide(wacc - base, 1 - base, out=values, where=wacc > base)
    np.divide(wacc, base, out=values, where=worse)
    np.subtract(values, 1, out=values, where=worse)
    return values


def _aspect(
    counts: Sequence[NDArray[Any]], base: Sequence[NDArray[Any]], weight: float, beta: float
) -> tuple[Floats, dict[str, NDArray[Any]]]:
    """Return I and its parts for correction or for detection."""
    tp, tn, fp, fn, fpn = counts
    _, base_tn, _, base_fn, _ = base
    precision, recall, f = f_score(tp, tp + fp, tp + fn, beta=beta)
    wacc, wacc_base = _wacc(counts, weight), _wacc(base, weight)
    return improvement(wacc, wacc_base), {
        **dict(zip(COUNTS, counts, strict=True)),
        "base_tn": base_tn,
        "base_fn": base_fn,
        "precision": precision,
        "recall": recall,
        "f": f,
        "acc": _share(tp + tn, tp + tn + fp + fn - fpn),
        "wacc": wacc,
        "wacc_base": wacc_base,
    }


def _wacc(counts: Sequence[NDArray[Any]], weight: float) -> Floats:
    tp, tn, fp, fn, fpn = counts
    below = weight * (tp + fp) + tn + fn - (weight + 1) * fpn / 2
    return _share(weight * tp + tn, below)


def _share(above: NDArray[Any], below: NDArray[Any]) -> Floats:
    """Divide, with 0/0 = 1."""
    values = np.ones(np.shape(above))
    np.divide(above, below, out=values, where=np.asarray(below) > 0)
    return values


def _detected(counts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the counts of detection, where a wrong correction detects the error."""
    tp, tn, fp, fn, fpn = counts
    return [tp + fpn, tn, fp - fpn, fn - fpn, np.zeros_like(fpn)]
