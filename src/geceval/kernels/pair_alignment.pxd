"""Alignments of two sentences, of which those of three are bounded; and the memory for both.

With gap = 2 and mismatch = 3, forward over all prefixes, and likewise backward over all suffixes:

    C[i, j] = min(C[i-1, j-1] + (0 if a_i = b_j else mismatch), C[i-1, j] + gap, C[i, j-1] + gap)
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcmp

from geceval.kernels._memory cimport grow_int32
from geceval.kernels.interrupt cimport should_stop

cdef enum:
    GAP = 2
    MISMATCH = 3
    INFINITE = 1 << 29

# A column as a set of those that have a token in it.
cdef enum:
    REFERENCE = 1
    HYPOTHESIS = 2
    SOURCE = 4

# Costs are at most three times the tokens of three sentences, and INFINITE is more than two.
cdef enum:
    MOST_TOKENS = 1 << 25


cdef struct TokenSpan:
    const int32_t* tokens
    int32_t size


cdef struct Matrix:
    # Costs of aligning the beginnings of two sentences, row by row.
    int32_t* values
    size_t size
    int32_t width


cdef struct Block:
    # Where the costs of one pair of source and hypothesis positions are kept.
    int64_t offset
    int32_t first
    int32_t last


cdef struct CubeWorkspace:
    # Everything that one thread needs; grown, never shrunk.
    Matrix forward
    Matrix scratch
    # Costs of the best alignment of two sentences through each cell.
    Matrix source_hypothesis
    Matrix source_reference
    Matrix hypothesis_reference
    Block* blocks
    size_t blocks_size
    int32_t* costs
    size_t costs_size
    # The columns of the alignment at hand, last first.
    uint8_t* columns
    size_t columns_size
    int64_t n_columns
    # How many cells the table of two sentences may have; how many are left of those of three
    # sentences, and of steps, for the references of the sentence at hand.
    int64_t max_cells
    int64_t cells_left
    int64_t steps_left
    bint failed
    # Why it failed, unless memory was short.
    bint is_too_large
    bint is_stopped


cdef inline void release(CubeWorkspace* work) noexcept nogil:
    free(work.forward.values)
    free(work.scratch.values)
    free(work.source_hypothesis.values)
    free(work.source_reference.values)
    free(work.hypothesis_reference.values)
    free(work.blocks)
    free(work.costs)
    free(work.columns)


cdef inline bint are_equal(TokenSpan a, TokenSpan b) noexcept nogil:
    return a.size == b.size and (
        not a.size or not memcmp(a.tokens, b.tokens, a.size * sizeof(int32_t))
    )


cdef inline bint stops(CubeWorkspace* work, int64_t steps) noexcept nogil:
    """Count steps; return whether it is time to give the sentence up."""
    if should_stop(steps):
        work.failed = work.is_stopped = True
    return work.failed


cdef inline void shape(
    Matrix* matrix, TokenSpan a, TokenSpan b, CubeWorkspace* work
) noexcept nogil:
    cdef size_t cells = (<size_t> a.size + 1) * (<size_t> b.size + 1)
    if <int64_t> cells > work.max_cells or <int64_t> a.size + b.size > MOST_TOKENS:
        work.failed = work.is_too_large = True
        return
    grow_int32(&matrix.values, &matrix.size, cells, &work.failed)
    matrix.width = b.size + 1


cdef inline void fill_forward(
    Matrix* matrix, TokenSpan a, TokenSpan b, CubeWorkspace* work
) noexcept nogil:
    """Costs of aligning all beginnings of two sentences."""
    cdef int32_t row, column, token, value
    cdef int32_t* here
    cdef int32_t* above
    shape(matrix, a, b, work)
    if work.failed:
        return
    for column in range(b.size + 1):
        matrix.values[column] = GAP * column
    for row in range(1, a.size + 1):
        here = matrix.values + <int64_t> row * matrix.width
        above = here - matrix.width
        here[0] = GAP * row
        if not row & 15 and stops(work, 16 * b.size):
            return
        token = a.tokens[row - 1]
        for column in range(1, b.size + 1):
            value = above[column - 1] + (0 if token == b.tokens[column - 1] else MISMATCH)
            if above[column] + GAP < value:
                value = above[column] + GAP
            if here[column - 1] + GAP < value:
                value = here[column - 1] + GAP
            here[column] = value


cdef inline void add_backward(
    Matrix* matrix, TokenSpan a, TokenSpan b, CubeWorkspace* work
) noexcept nogil:
    """Add the costs of aligning all endings to those of the beginnings."""
    cdef int32_t row, column, token, value
    cdef int32_t* here
    cdef int32_t* below
    shape(&work.scratch, a, b, work)
    if work.failed:
        return
    here = work.scratch.values + <int64_t> a.size * matrix.width
    for column in range(b.size + 1):
        here[column] = GAP * (b.size - column)
    for row in range(a.size - 1, -1, -1):
        here = work.scratch.values + <int64_t> row * matrix.width
        below = here + matrix.width
        here[b.size] = GAP * (a.size - row)
        if not row & 15 and stops(work, 16 * b.size):
            return
        token = a.tokens[row]
        for column in range(b.size - 1, -1, -1):
            value = below[column + 1] + (0 if token == b.tokens[column] else MISMATCH)
            if below[column] + GAP < value:
                value = below[column] + GAP
            if here[column + 1] + GAP < value:
                value = here[column + 1] + GAP
            here[column] = value
    for row in range(a.size + 1):
        for column in range(b.size + 1):
            matrix.values[<int64_t> row * matrix.width + column] += (
                work.scratch.values[<int64_t> row * matrix.width + column]
            )


cdef inline void add_column(CubeWorkspace* work, uint8_t column) noexcept nogil:
    work.columns[work.n_columns] = column
    work.n_columns += 1


cdef inline void trace_two(
    CubeWorkspace* work,
    const Matrix* matrix,
    TokenSpan a,
    TokenSpan b,
    uint8_t a_rows,
    uint8_t b_rows,
    bint insertion_first,
) noexcept nogil:
    """Read the columns of two sentences off their matrix, each standing for one or two rows."""
    cdef int32_t row = a.size, column = b.size, value, step
    cdef const int32_t* here
    cdef bint deletes, inserts
    while row or column:
        here = matrix.values + <int64_t> row * matrix.width + column
        value = here[0]
        if row and column:
            step = 0 if a.tokens[row - 1] == b.tokens[column - 1] else MISMATCH
            if (here - matrix.width - 1)[0] + step == value:
                add_column(work, a_rows | b_rows)
                row -= 1
                column -= 1
                continue
        deletes = row and (here - matrix.width)[0] + GAP == value
        inserts = column and (here - 1)[0] + GAP == value
        if deletes and not (insertion_first and inserts):
            add_column(work, a_rows)
            row -= 1
        else:
            add_column(work, b_rows)
            column -= 1
