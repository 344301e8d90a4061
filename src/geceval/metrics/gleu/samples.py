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
    choices = np.empty((len(numbers), n_places, last - first), dtype=np.uint16)
    seeds = range(first * SEED_STEP, last * SEED_STEP, SEED_STEP)
    if draws == "python2":
        uniform = np.array([_seeded(seed).random_sample(n_places) for seed in seeds])
    for table, n_refs in enumerate(numbers):
        if draws == "python2":
            choices[table] = (uniform * n_refs).astype(np.uint16).T
        else:
            sampled = [_random_integers(_seeded(seed), n_refs, n_places) for seed in seeds]
            choices[table] = np.array(sampled).T
    choices.flags.writeable = False
    return choices


def _seeded(seed: int) -> np.random.RandomState:
    # A list, as Python seeds its generator.
    return np.random.RandomState([seed])


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
