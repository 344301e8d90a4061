"""Sums over swapped sentences equal plain sums, whatever the sizes of groups, tiles and numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from geceval.kernels.ngrams.swapped_sums import swapped_sums

FAR = 40_000
"""A difference that 16 bits cannot hold."""


def plain_sums(
    differences: NDArray[np.int32], chosen: NDArray[np.uint8], flags: NDArray[np.uint8]
) -> NDArray[np.int64]:
    picked = np.array(
        [
            [[own[order, reference] for reference in sampled] for order in range(own.shape[0])]
            for own, sampled in zip(differences, chosen, strict=True)
        ],
        dtype=np.int64,
    ).reshape(len(differences), differences.shape[1], chosen.shape[1])
    sums: NDArray[np.int64] = np.einsum("rs,soi->roi", flags.astype(np.int64), picked)
    return sums


@given(
    shape=st.tuples(st.integers(0, 40), st.integers(1, 4), st.integers(1, 5)),
    n_iterations=st.integers(0, 70),
    n_resamples=st.sampled_from([0, 1, 3, 40, 900]),
    reach=st.sampled_from([0, 3, 3000, FAR]),
    seed=st.integers(0, 1000),
)
def test_equals_plain_sums(
    shape: tuple[int, int, int], n_iterations: int, n_resamples: int, reach: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.integers(-reach, reach + 1, size=shape, dtype=np.int32)
    chosen = rng.integers(0, shape[2], size=(shape[0], n_iterations), dtype=np.uint8)
    flags = rng.integers(0, 2, size=(n_resamples, shape[0]), dtype=np.uint8)
    places = rng.permutation(shape[0])
    choices = np.empty_like(chosen)
    choices[places] = chosen
    found = swapped_sums(differences, choices, places, flags)
    np.testing.assert_array_equal(found, plain_sums(differences, chosen, flags))


def test_columns_of_a_larger_array() -> None:
    rng = np.random.default_rng(1)
    differences = rng.integers(-9, 10, size=(7, 2, 3), dtype=np.int32)
    choices = rng.integers(0, 3, size=(7, 50), dtype=np.uint8)
    flags = rng.integers(0, 2, size=(20, 7), dtype=np.uint8)
    found = swapped_sums(differences, choices[:, 4:47], np.arange(7), flags)
    np.testing.assert_array_equal(found, plain_sums(differences, choices[:, 4:47], flags))
    with pytest.raises(ValueError, match="consecutive"):
        swapped_sums(differences, choices[:, ::2], np.arange(7), flags)


def test_small_sums_do_not_overflow() -> None:
    """Sums of thousands of sentences exceed 16 bits, those of a group do not."""
    differences = np.full((5000, 1, 2), 300, dtype=np.int32)
    chosen = np.zeros((5000, 33), dtype=np.uint8)
    flags = np.ones((2, 5000), dtype=np.uint8)
    found = swapped_sums(differences, chosen, np.arange(5000), flags)
    assert (found == 5000 * 300).all()


def test_what_does_not_fit_is_refused() -> None:
    differences = np.zeros((2, 1, 2), dtype=np.int32)
    choices = np.zeros((2, 3), dtype=np.uint8)
    places = np.arange(2)
    flags = np.zeros((1, 2), dtype=np.uint8)
    with pytest.raises(ValueError, match="the same sentences"):
        swapped_sums(differences, choices, places, flags[:, :1])
    with pytest.raises(ValueError, match="the same sentences"):
        swapped_sums(differences, choices, places[:1], flags)
    with pytest.raises(IndexError, match="rows of the sampled"):
        swapped_sums(differences, choices, places + 1, flags)
    with pytest.raises(IndexError, match="references of the sentence"):
        swapped_sums(differences, choices + np.uint8(2), places, flags)
