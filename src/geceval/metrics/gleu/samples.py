"""Sampled references, by the generator of Python."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.gleu.variants import Draws

SEED_STEP = 101
_BITS = 32


@lru_cache(maxsize=8)
def sample_references(
    n_places: int, numbers: tuple[int, ...], first: int, last: int, draws: Draws = "python2"
) -> NDArray[np.uint16]:
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
    seeds = range(first * SEED_STEP, last * SEED_STEP, SEED_STEP)
    choices = np.empty((len(numbers), n_places, last - first), dtype=np.uint16)
    if draws == "python2":
        uniform = np.empty((last - first, n_places))
        for iteration, seed in enumerate(seeds):
            generator.seed([seed])
            uniform[iteration] = generator.random_sample(n_places)
        for table, n_refs in enumerate(numbers):
            choices[table] = (uniform * n_refs).astype(np.uint16).T
    else:
        integers = np.empty((last - first, n_places), dtype=np.uint16)
        for table, n_refs in enumerate(numbers):
            for iteration, seed in enumerate(seeds):
                generator.seed([seed])
                integers[iteration] = _random_integers(generator, n_refs, n_places)
            choices[table] = integers.T
    choices.flags.writeable = False
    return choices


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
