"""Costs of alignments: the cost of a column of three sentences is the sum over its pairs.

    C[i, j] = min(C[i-1, j-1] + (0 if a_i = b_j else 3), C[i-1, j] + 2, C[i, j-1] + 2)
"""

from libc.stdint cimport int32_t, int64_t

cdef enum:
    PAIR_GAP = 2  # A token against a gap.
    GAP = 4  # A token against two gaps.
    MISMATCH = 3
    NO_TOKEN = -1
    INFINITE = 30000  # Fits an int16; as a lower bound it only prunes less than it could.

# Which tokens a column of two sentences has.
cdef enum:
    BOTH
    FIRST
    SECOND


cdef inline int32_t pair_cost(bint is_match) noexcept nogil:
    """Cost of a column with one gap."""
    return GAP if is_match else GAP + MISMATCH


cdef inline void fill_costs(
    int32_t* costs, const int32_t* first, int32_t n, const int32_t* second, int32_t m
) noexcept nogil:
    """Costs of aligning all beginnings of two sentences, a row for each token of the first."""
    cdef int32_t i, j, value
    cdef int64_t width = m + 1, at
    for i in range(n + 1):
        for j in range(m + 1):
            at = i * width + j
            if not i or not j:
                costs[at] = PAIR_GAP * (i + j)
                continue
            value = costs[at - width - 1] + (0 if first[i - 1] == second[j - 1] else MISMATCH)
            value = min(value, costs[at - width] + PAIR_GAP)
            costs[at] = min(value, costs[at - 1] + PAIR_GAP)


cdef inline int32_t last_column(
    const int32_t* costs,
    const int32_t* first,
    int32_t i,
    const int32_t* second,
    int32_t j,
    int64_t width,
) noexcept nogil:
    """The column that ends the preferred alignment of two beginnings, not both empty."""
    cdef int64_t at = i * width + j
    cdef int32_t step
    if i and j:
        step = 0 if first[i - 1] == second[j - 1] else MISMATCH
        if costs[at] == costs[at - width - 1] + step:
            return BOTH
    if i and costs[at] == costs[at - width] + PAIR_GAP:
        return FIRST
    return SECOND


cdef inline int32_t cost_beside(int32_t token, const int32_t* run, int32_t size) noexcept nogil:
    """Cost of a token beside a run of tokens, where one of both stands in two sentences."""
    cdef int32_t number
    if not size:
        return GAP
    for number in range(size):
        if run[number] == token:
            return GAP * (size - 1)
    return GAP * (size - 1) + 2 * MISMATCH
