"""Levenshtein distances of many pairs of sentences, computed by RapidFuzz."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from geceval.limits import BITS, check_pairs

_CHUNK = 2000
"""Pairs compared at a time."""


def distances(
    name: str,
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    *,
    unit: str,
    numbers: Iterable[int] | None = None,
    jobs: int = 1,
) -> NDArray[np.int64]:
    """Return the distance of each pair.

    Parameters
    ----------
    name
        The system, for messages.
    first, second
        Sentences, as texts or as tokens.
    unit
        What they consist of, for messages.
    numbers
        Sentence number of each pair, from 0; consecutive when None.
    jobs
        Threads.

    Examples
    --------
    >>> distances("ours", ["abc", "a"], ["abx", ""], unit="characters").tolist()
    [1, 1]
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    check_pairs(name, first, second, numbers=numbers, unit=unit, at_once=BITS)
    found = np.zeros(len(first), dtype=np.int64)
    # In chunks, since a call cannot be interrupted.
    for start in range(0, len(first), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        found[chunk] = cpdist(
            first[chunk],
            second[chunk],
            scorer=Levenshtein.distance,
            dtype=np.int64,
            workers=jobs,
        )
    return found
