"""GLEU of sampled sentences and references equals a plain sum for each iteration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from geceval.kernels.ngrams.sampled_gleu import SampledGleu, SampledReferences

N_COLUMNS = 10
FAR = 40_000
"""A difference that 16 bits cannot hold."""


def plain_score(sums: NDArray[np.int64]) -> float:
    above, below = sums[2:6], sums[6:]
    if not sums[1] or (above <= 0).any() or (below == 0).any():
        return 0.0
    penalty = min(0.0, 1 - sums[1] / sums[0])
    return math.exp(penalty + math.log(math.prod((above / below).tolist())) / 4)


@given(
    n_refs=st.integers(1, 11),
    sizes=st.lists(st.sampled_from(["none", "one", "all"]), min_size=1, max_size=25),
    n_iterations=st.integers(1, 40),
    reach=st.sampled_from([0, 3, FAR]),
    n_resamples=st.integers(1, 7),
    seed=st.integers(0, 1000),
)
@pytest.mark.parametrize("mixes", [False, True], ids=["one number", "two numbers"])
def test_equals_sums_by_iteration(
    mixes: bool,
    n_refs: int,
    sizes: list[str],
    n_iterations: int,
    reach: int,
    n_resamples: int,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    numbers = sorted({n_refs, n_refs + 1} if mixes else {n_refs}) if n_refs > 1 else []
    several = numbers or [1]
    of = [{"none": 0, "one": 1}.get(size) for size in sizes]
    n_of = np.array([rng.choice(several) if one is None else one for one in of], dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum(n_of)))
    counts = 50 + rng.integers(0, reach + 1, size=(offsets[-1], N_COLUMNS))
    # The length of the output and the denominators do not depend on the reference.
    counts[:, [0, *range(6, N_COLUMNS)]] = 60 + reach
    table_of = np.zeros(max(numbers, default=0) + 1, dtype=np.int64)
    table_of[numbers] = np.arange(len(numbers))
    n_sents = len(sizes)
    choices = np.array(
        [rng.integers(0, n, size=(n_sents, n_iterations)) for n in numbers], dtype=np.uint16
    ).reshape(len(numbers), n_sents, n_iterations)
    rows = np.sort(rng.integers(0, n_sents, size=(n_resamples, n_sents)), axis=1)

    samples = [SampledReferences(table, n) for table, n in zip(choices, numbers, strict=True)]
    found = SampledGleu(counts, offsets).scores(samples, n_iterations, rows)

    expected = np.zeros_like(found)
    for resample, sample in enumerate(rows):
        annotated = [row for row in sample if n_of[row]]
        for iteration in range(n_iterations):
            sums = np.zeros(N_COLUMNS, dtype=np.int64)
            for place, row in enumerate(annotated):
                has_choice = n_of[row] > 1
                chosen = choices[table_of[n_of[row]], place, iteration] if has_choice else 0
                sums += counts[offsets[row] + chosen]
            expected[resample, iteration] = plain_score(sums)
    assert found == pytest.approx(expected, rel=1e-12)


def test_what_does_not_fit_is_refused() -> None:
    counts = np.full((4, N_COLUMNS), 5)
    kernel = SampledGleu(counts, np.array([0, 2, 4]))
    choices = np.zeros((2, 3), dtype=np.uint16)
    rows = np.array([[0, 1]])
    two = SampledReferences(choices, 2)
    assert kernel.scores([two], 3, rows).shape == (1, 3)
    with pytest.raises(ValueError, match="number of references"):
        kernel.scores([SampledReferences(choices, 3)], 3, rows)
    with pytest.raises(ValueError, match="each position and iteration"):
        kernel.scores([two], 4, rows)
    with pytest.raises(IndexError, match="sentences of the corpus"):
        kernel.scores([two], 3, rows + 1)
    with pytest.raises(ValueError, match="less than two references"):
        SampledReferences(choices, 1)
