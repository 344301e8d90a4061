"""Kernels that swap sentences choose the same references as those that are given rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.kernels.chunk_choice import ChunkChoice
from geceval.kernels.running_totals import RunningChoice
from geceval.kernels.weighted_totals import choose_weighted, swap_weighted
from geceval.metrics.statistics import Swaps

SHAPES = st.tuples(st.integers(0, 30), st.integers(1, 4), st.integers(1, 19), st.integers(0, 999))
BETAS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 1000.0])


@given(SHAPES, BETAS, st.sampled_from(["edits", "any", "near ties"]), st.booleans())
def test_swapped_weights_are_those_of_rows(
    shape: tuple[int, int, int, int], beta: float, kind: str, by_errors: bool
) -> None:
    n_sents, n_refs, n_samples, seed = shape
    rng = np.random.default_rng(seed)
    sums = rng.integers(0, 4, size=(2 * n_sents, n_refs, 3)).astype(np.float64) * 0.1
    if kind == "edits":
        sums[..., 1:] += sums[..., :1]
    elif kind == "any":
        # Weights of any sign, for which the score may be anything.
        sums -= 0.2
    else:
        sums = 0.3 + rng.integers(0, 3, size=sums.shape) * np.spacing(0.3)
    mask = (rng.random((2 * n_sents, n_refs)) < 0.8).view(np.uint8)
    swaps = Swaps(rng.random((n_samples, n_sents)) < 0.5)

    found = swap_weighted(sums, mask, swaps.flags.view(np.uint8), beta, by_errors=by_errors)

    for own, rows in zip(found, next(swaps.rows()), strict=True):
        expected = choose_weighted(sums, mask, rows, beta, by_errors=by_errors)[0]
        assert own.tolist() == expected.tolist()


@given(SHAPES, BETAS, st.booleans(), st.booleans())
def test_swapped_counts_are_those_of_rows(
    shape: tuple[int, int, int, int], beta: float, by_errors: bool, rounded: bool
) -> None:
    n_sents, n_refs, n_samples, seed = shape
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, size=(2 * n_sents, n_refs, 3))
    counts[..., 1:] += counts[..., :1]
    mask = (rng.random((2 * n_sents, n_refs)) < 0.8).view(np.uint8)
    swaps = Swaps(rng.random((n_samples, n_sents)) < 0.5)
    choice = RunningChoice(counts, mask, beta, by_errors=by_errors, rounded=rounded)

    found = choice.swap(swaps.flags.view(np.uint8))

    for own, rows in zip(found, next(swaps.rows()), strict=True):
        assert own.tolist() == choice.resample(rows).tolist()


RULES: list[dict[str, Any]] = [
    *({"beta": beta} for beta in (0.0, 0.5, 2.0)),
    {"rounded": True},
    {"factors": (0.45, 0.35, 0.15, 0.05)},
    {"factors": (1.0, 0.0, 0.0, 0.0)},
]


@given(SHAPES, st.sampled_from(RULES), st.booleans())
def test_swapped_chunks_are_those_of_rows(
    shape: tuple[int, int, int, int], rule: dict[str, Any], is_weighted: bool
) -> None:
    n_sents, n_refs, n_samples, seed = shape
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 4, size=(2 * n_sents, n_refs, 3))
    lengths = rng.integers(0, 5, size=classes.shape)
    chunks = np.where(rng.random(classes.shape) < 0.5, 1 + classes + 4 * lengths, 0)
    numbers = [((chunks > 0) & (classes == kind)).sum(axis=2) for kind in range(4)]
    others = rng.integers(0, 4, size=(3, 2 * n_sents, n_refs))
    counts = np.concatenate((np.stack((*numbers, *others), axis=2), chunks), axis=2)
    mask = (rng.random((2 * n_sents, n_refs)) < 0.8).view(np.uint8)
    swaps = Swaps(rng.random((n_samples, n_sents)) < 0.5)
    weights = ((2, 0.75, 1.25),) * 3 if is_weighted else ()
    choice = ChunkChoice(counts, mask, weights=weights, **rule)

    found = choice.swap(swaps.flags.view(np.uint8))

    # Sums and mean length, as far as the score needs them.
    used = [0, 2, 4, 5] if "factors" in rule else [0, 1, 2]
    used += [12] if is_weighted else []
    for own, rows in zip(found, next(swaps.rows()), strict=True):
        assert own[:, used].tolist() == choice.resample(rows)[:, used].tolist()


def test_swapped_chunks_need_two_systems_and_totals() -> None:
    counts, mask = np.ones((4, 1, 7), dtype=np.int64), np.ones((4, 1), dtype=np.uint8)
    for n_sents, running in ((3, True), (2, False)):
        choice = ChunkChoice(counts, mask, running=running)
        with pytest.raises(ValueError, match="flags must fit"):
            choice.swap(np.zeros((1, n_sents), dtype=np.uint8))


def test_swapped_weights_need_two_systems() -> None:
    sums, mask = np.ones((4, 1, 3)), np.ones((4, 1), dtype=np.uint8)
    with pytest.raises(ValueError, match="flags and mask must fit"):
        swap_weighted(sums, mask, np.zeros((1, 3), dtype=np.uint8), 0.5, by_errors=False)
