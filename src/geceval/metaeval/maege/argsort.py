"""An unstable argsort: the order in which a quicksort leaves ties.

The released code of MAEGE ranks the corrections of a chain by such an argsort. It is an insertion
sort, which is stable, for up to 17 values, and quicksort around the median of three for more. It
is written out here because that of NumPy depends on its version and on the processor.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_STABLE = 17
"""Maximum number of values whose ties keep their order."""


def unstable_argsort(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the indices that sort values, with ties in the order that a quicksort leaves.

    Examples
    --------
    >>> unstable_argsort(np.array([2.0, 1.0, 1.0])).tolist()
    [1, 2, 0]
    >>> unstable_argsort(np.zeros(18)).tolist()[:4]
    [0, 15, 14, 13]
    """
    order = list(range(len(values)))
    _sort(order, values.tolist(), 0, len(order) - 1)
    return np.array(order, dtype=np.int64)


def _sort(order: list[int], values: list[float], first: int, last: int) -> None:
    """Sort a part of `order`, both ends included."""
    while last - first >= MAX_STABLE:
        split = _partition(order, values, first, last)
        if split - first < last - split:
            _sort(order, values, first, split - 1)
            first = split + 1
        else:
            _sort(order, values, split + 1, last)
            last = split - 1
    # Python's sort is stable, like insertion sort.
    order[first : last + 1] = sorted(order[first : last + 1], key=values.__getitem__)


def _partition(order: list[int], values: list[float], first: int, last: int) -> int:
    """Put the median of three in its place, smaller values before and larger ones after it."""

    def swap(i: int, j: int) -> None:
        order[i], order[j] = order[j], order[i]

    middle = (first + last) // 2
    for low, high in ((first, middle), (middle, last), (first, middle)):
        if values[order[high]] < values[order[low]]:
            swap(low, high)
    pivot = values[order[middle]]
    left, right = first, last - 1
    swap(middle, right)
    while True:
        left += 1
        while values[order[left]] < pivot:
            left += 1
        right -= 1
        while pivot < values[order[right]]:
            right -= 1
        if left >= right:
            break
        swap(left, right)
    swap(left, last - 1)
    return left
