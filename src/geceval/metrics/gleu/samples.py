"""Sampled references, by the generator of Python."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.gleu.variants import Draws

if TYPE_CHECKING:
    from geceval.kernels.ngrams.sampled_gleu import SampledReferences

SEED_STEP = 101
_BITS = 32
_BLOCK = 50
"""Iterations that are sampled before they are arranged by position."""


@lru_cache(maxsize=1)
def sample_references(
    n_places: int, numbers: tuple[int, ...], first: int, last: int, draws: Draws = "python2"
) -> NDArray[np.unsignedinteger[Any]]:
    """Sample a reference for each position of a corpus in each of some iterations.

    NumPy's legacy generator, which is stable, gives the numbers of Python's after
    ``random.seed(101 * j)``.

    Returns
    -------
    choices
        ``(len(numbers), n_places, n_iterations)``, for sentences with each of these `numbers`
        of references.
    """
    # Seeded for each iteration, since a new generator takes longer.
    generator = np.random.RandomState(0)
    dtype = np.min_scalar_type(max(numbers, default=1) - 1)
    choices = np.empty((len(numbers), n_places, last - first), dtype=dtype)
    for table, n_refs in enumerate(numbers):
        for start in range(first, last, _BLOCK):
            seeds = [one * SEED_STEP for one in range(start, min(start + _BLOCK, last))]
            block = np.empty((len(seeds), n_places), dtype=dtype)
            for own, seed in zip(block, seeds, strict=True):
                generator.seed([seed])
                own[:] = (
                    generator.random_sample(n_places) * n_refs
                    if draws == "python2"
                    else _random_integers(generator, n_refs, n_places)
                )
            choices[table, :, start - first : start - first + len(seeds)] = block.T
    choices.flags.writeable = False
    return choices


@lru_cache(maxsize=1)
def grouped_samples(
    n_places: int, numbers: tuple[int, ...], first: int, last: int, draws: Draws
) -> list[SampledReferences]:
    """Return `sample_references` as the kernel reads them."""
    from geceval.kernels.ngrams.sampled_gleu import SampledReferences

    tables = sample_references(n_places, numbers, first, last, draws)
    return [SampledReferences(table, n) for table, n in zip(tables, numbers, strict=True)]


def _random_integers(generator: np.random.RandomState, below: int, size: int) -> NDArray[np.uint32]:
    """Return the integers that ``randint(0, below - 1)`` of Python 3 gives.

    It takes as many bits as `below` has, again and again until their number is small enough.
    """
    shift = np.uint32(_BITS - below.bit_length())
    found = np.empty(0, dtype=np.uint32)
    while len(found) < size:
        numbers = np.frombuffer(generator.bytes(_BITS // 8 * (2 * size + 16)), dtype="<u4") >> shift
        found = np.concatenate((found, numbers[numbers < below]))
    return found[:size]
