"""Three-way alignment of source, hypothesis and reference, and the counts of its columns.

Among all alignments the one with the smallest sum of pairs is taken; a match costs 0, a gap 2, a
mismatch 3, two gaps nothing. Where several are equally good, reading from the right, a column
with all three tokens is preferred, then source and hypothesis, source and reference, hypothesis
and reference, then a token of the source alone, of the hypothesis, of the reference.

Two things keep this far from cubic time. If two of the sentences are equal they are aligned
alike, and an alignment of two sentences does. Otherwise the cells that an optimal alignment can
pass are few (Carrillo and Lipman 1988): the pairs must cost at least what the best alignment of
each two sentences through this cell costs, and together at most what it costs to align two of the
sentences with the third one each.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memset

from geceval.kernels.interrupt cimport raise_stopped, should_stop

import numpy as np

cdef enum:
    GAP = 2
    MISMATCH = 3
    INFINITE = 1 << 29

# A column as a set of those that have a token in it.
cdef enum:
    REFERENCE = 1
    HYPOTHESIS = 2
    SOURCE = 4

# Columns of the counts.
cdef enum:
    TP
    TN
    FP
    FN
    FPN
    BASE_TN
    BASE_FN
    N_COUNTS

# The tables of three sentences, for all references of a sentence together, may have so many times
# more cells than that of two; and so many may be looked at to find out which are needed.
cdef int64_t CELLS_OF_THREE = 12
cdef int64_t STEPS_PER_CELL = 200

# Costs are at most three times the tokens of three sentences, and INFINITE is more than two.
cdef int64_t MOST_TOKENS = 1 << 25
# Why a sentence was given up.
cdef enum:
    NO_MEMORY = 1
    TOO_LONG = 2
    STOPPED = 3


cdef uint8_t[7] PREFERENCE = [7, 6, 5, 3, 4, 2, 1]


cdef struct Text:
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


cdef struct Work:
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
    int32_t failed


cdef void* grown(void* memory, size_t* size, size_t needed, size_t item, Work* work) noexcept nogil:
    """Make room for `needed` items; on failure set the flag and keep the old memory."""
    cdef void* larger
    if needed <= size[0]:
        return memory
    needed += needed // 2
    larger = realloc(memory, needed * item)
    if larger == NULL:
        work.failed = NO_MEMORY
        return memory
    size[0] = needed
    return larger


cdef void release(Work* work) noexcept nogil:
    free(work.forward.values)
    free(work.scratch.values)
    free(work.source_hypothesis.values)
    free(work.source_reference.values)
    free(work.hypothesis_reference.values)
    free(work.blocks)
    free(work.costs)
    free(work.columns)


cdef inline bint are_equal(Text a, Text b) noexcept nogil:
    return a.size == b.size and (
        not a.size or not memcmp(a.tokens, b.tokens, a.size * sizeof(int32_t))
    )


cdef inline bint stops(Work* work, int64_t steps) noexcept nogil:
    """Count steps; return whether it is time to give the sentence up."""
    if should_stop(steps):
        work.failed = STOPPED
    return work.failed != 0


# Two sentences.


cdef void shape(Matrix* matrix, Text a, Text b, Work* work) noexcept nogil:
    cdef size_t cells = (<size_t> a.size + 1) * (<size_t> b.size + 1)
    if <int64_t> cells > work.max_cells or <int64_t> a.size + b.size > MOST_TOKENS:
        work.failed = TOO_LONG
        return
    matrix.values = <int32_t*> grown(
        matrix.values, &matrix.size, cells, sizeof(int32_t), work
    )
    matrix.width = b.size + 1


cdef void fill_forward(Matrix* matrix, Text a, Text b, Work* work) noexcept nogil:
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


cdef void add_backward(Matrix* matrix, Text a, Text b, Work* work) noexcept nogil:
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


cdef inline void add_column(Work* work, uint8_t column) noexcept nogil:
    work.columns[work.n_columns] = column
    work.n_columns += 1


cdef void trace_two(
    Work* work,
    const Matrix* matrix,
    Text a,
    Text b,
    uint8_t a_rows,
    uint8_t b_rows,
    bint insertion_first,
) noexcept nogil:
    """Read the columns of two sentences off their matrix, each standing for one or two rows."""
    cdef int32_t row = a.size, column = b.size, value, price
    cdef const int32_t* here
    cdef bint deletes, inserts
    while row or column:
        here = matrix.values + <int64_t> row * matrix.width + column
        value = here[0]
        if row and column:
            price = 0 if a.tokens[row - 1] == b.tokens[column - 1] else MISMATCH
            if (here - matrix.width - 1)[0] + price == value:
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


# Three sentences.


cdef void find_blocks(Work* work, Text s, Text h, Text r) noexcept nogil:
    """Find, for each pair of source and hypothesis positions, where the reference may be."""
    cdef const int32_t* sh = work.source_hypothesis.values
    cdef const int32_t* sr
    cdef const int32_t* hr
    cdef int32_t i, j, k, rest, most, least, dearest
    cdef int64_t at = 0, n_cells = 0
    cdef Block* block
    work.blocks = <Block*> grown(
        work.blocks,
        &work.blocks_size,
        (<size_t> s.size + 1) * (<size_t> h.size + 1),
        sizeof(Block),
        work,
    )
    if work.failed:
        return
    # The first cell of each matrix holds the cost of its two sentences.
    least = work.source_reference.values[0] + work.hypothesis_reference.values[0]
    dearest = max(sh[0], work.source_reference.values[0], work.hypothesis_reference.values[0])
    most = 2 * (sh[0] + least - dearest)
    for i in range(s.size + 1):
        sr = work.source_reference.values + <int64_t> i * (r.size + 1)
        if stops(work, (h.size + 1) * <int64_t> (r.size + 1)):
            return
        for j in range(h.size + 1):
            hr = work.hypothesis_reference.values + <int64_t> j * (r.size + 1)
            block = work.blocks + at
            rest = most - sh[at]
            at += 1
            block.offset = n_cells
            block.first = 0
            block.last = -1
            if rest < least:
                continue
            work.steps_left -= r.size + 1
            if n_cells > work.cells_left or work.steps_left < 0:
                work.failed = TOO_LONG
                return
            for k in range(r.size + 1):
                if sr[k] + hr[k] <= rest:
                    if block.last < 0:
                        block.first = k
                    block.last = k
            n_cells += block.last - block.first + 1
    work.cells_left -= n_cells
    if work.cells_left < 0:
        work.failed = TOO_LONG
        return
    work.costs = <int32_t*> grown(
        work.costs, &work.costs_size, n_cells, sizeof(int32_t), work
    )


cdef inline int32_t cost_at(const Work* work, const Block* block, int32_t k) noexcept nogil:
    if k < block.first or k > block.last:
        return INFINITE
    return work.costs[block.offset + k - block.first]


cdef inline int32_t cost_before(
    const Work* work, Text s, Text h, Text r, int32_t i, int32_t j, int32_t k, uint8_t column
) noexcept nogil:
    """Cost of the cell ``(i, j, k)`` if `column` is the last before it."""
    cdef int32_t source = (column & SOURCE) != 0, hypothesis = (column & HYPOTHESIS) != 0
    cdef int32_t reference = (column & REFERENCE) != 0
    cdef int32_t price
    if (source and not i) or (hypothesis and not j) or (reference and not k):
        return INFINITE
    price = cost_at(
        work,
        work.blocks + <int64_t> (i - source) * (h.size + 1) + j - hypothesis,
        k - reference,
    )
    if source and hypothesis:
        price += MISMATCH * (s.tokens[i - 1] != h.tokens[j - 1])
    if source and reference:
        price += MISMATCH * (s.tokens[i - 1] != r.tokens[k - 1])
    if hypothesis and reference:
        price += MISMATCH * (h.tokens[j - 1] != r.tokens[k - 1])
    if source + hypothesis + reference < 3:
        price += 2 * GAP
    return price


cdef void fill_costs(Work* work, Text s, Text h, Text r) noexcept nogil:
    cdef int32_t i, j, k, best, value
    cdef int64_t n_before = 0
    cdef uint8_t column
    cdef Block* block = work.blocks
    for i in range(s.size + 1):
        # Steps of the row before this one.
        if stops(work, 16 * (block.offset - n_before)):
            return
        n_before = block.offset
        for j in range(h.size + 1):
            for k in range(block.first, block.last + 1):
                best = 0 if not (i or j or k) else INFINITE
                for column in range(1, 8):
                    value = cost_before(work, s, h, r, i, j, k, column)
                    if value < best:
                        best = value
                work.costs[block.offset + k - block.first] = best
            block += 1


cdef void trace_three(Work* work, Text s, Text h, Text r) noexcept nogil:
    cdef int32_t i = s.size, j = h.size, k = r.size, value, choice
    cdef uint8_t column
    while i or j or k:
        value = cost_at(work, work.blocks + <int64_t> i * (h.size + 1) + j, k)
        for choice in range(7):
            column = PREFERENCE[choice]
            if cost_before(work, s, h, r, i, j, k, column) == value:
                break
        add_column(work, column)
        i -= (column & SOURCE) != 0
        j -= (column & HYPOTHESIS) != 0
        k -= (column & REFERENCE) != 0


cdef void align(Work* work, Text s, Text h, Text r, bint* has_pair) noexcept nogil:
    """Align three sentences; their columns are left in `work`, last first.

    The matrix of source and reference must be in ``work.forward``. `has_pair` tells whether
    the costs of source and hypothesis are known from another reference.
    """
    cdef Matrix forward = work.forward
    work.n_columns = 0
    work.columns = <uint8_t*> grown(
        work.columns, &work.columns_size, s.size + h.size + r.size, sizeof(uint8_t), work
    )
    if work.failed:
        return
    if are_equal(s, h):
        trace_two(work, &forward, s, r, SOURCE | HYPOTHESIS, REFERENCE, False)
        return
    if are_equal(h, r):
        # A token of hypothesis and reference is preferred to one of the source alone.
        trace_two(work, &forward, s, r, SOURCE, HYPOTHESIS | REFERENCE, True)
        return
    if are_equal(s, r):
        fill_forward(&work.scratch, s, h, work)
        if not work.failed:
            trace_two(work, &work.scratch, s, h, SOURCE | REFERENCE, HYPOTHESIS, False)
        return
    if not has_pair[0]:
        fill_forward(&work.source_hypothesis, s, h, work)
        if not work.failed:
            add_backward(&work.source_hypothesis, s, h, work)
        if work.failed:
            return
        has_pair[0] = True
    fill_forward(&work.source_reference, s, r, work)
    fill_forward(&work.hypothesis_reference, h, r, work)
    if work.failed:
        return
    add_backward(&work.source_reference, s, r, work)
    add_backward(&work.hypothesis_reference, h, r, work)
    if work.failed:
        return
    find_blocks(work, s, h, r)
    if work.failed:
        return
    fill_costs(work, s, h, r)
    if work.failed:
        return
    trace_three(work, s, h, r)


cdef void count_columns(const Work* work, Text s, Text h, Text r, int64_t* counts) noexcept nogil:
    """Classify the columns of an alignment; a gap is a token that equals only another gap."""
    cdef int32_t i = s.size, j = h.size, k = r.size, source, hypothesis, reference
    cdef int64_t number
    cdef uint8_t column
    for number in range(work.n_columns):
        column = work.columns[number]
        source = hypothesis = reference = -1
        if column & SOURCE:
            i -= 1
            source = s.tokens[i]
        if column & HYPOTHESIS:
            j -= 1
            hypothesis = h.tokens[j]
        if column & REFERENCE:
            k -= 1
            reference = r.tokens[k]
        if source == hypothesis:
            counts[TN if hypothesis == reference else FN] += 1
        elif source == reference:
            counts[FP] += 1
        elif hypothesis == reference:
            counts[TP] += 1
        else:
            counts[FP] += 1
            counts[FN] += 1
            counts[FPN] += 1


cdef void count_baseline(Work* work, Text s, Text r, int64_t* counts) noexcept nogil:
    """Count the columns of the source as hypothesis of itself."""
    cdef int32_t i = s.size, k = r.size
    cdef int64_t number
    cdef uint8_t column
    cdef bint is_match
    work.n_columns = 0
    work.columns = <uint8_t*> grown(
        work.columns, &work.columns_size, s.size + r.size, sizeof(uint8_t), work
    )
    if work.failed:
        return
    trace_two(work, &work.forward, s, r, SOURCE, REFERENCE, False)
    for number in range(work.n_columns):
        column = work.columns[number]
        i -= (column & SOURCE) != 0
        k -= (column & REFERENCE) != 0
        is_match = column == SOURCE | REFERENCE and s.tokens[i] == r.tokens[k]
        counts[BASE_TN if is_match else BASE_FN] += 1


cdef inline Text text_at(
    const int32_t[::1] tokens, const int64_t[::1] offsets, int64_t number
) noexcept nogil:
    cdef Text text
    text.size = <int32_t> (offsets[number + 1] - offsets[number])
    text.tokens = &tokens[offsets[number]] if text.size else NULL
    return text


def align_three(
    const int32_t[::1] sources,
    const int64_t[::1] source_offsets,
    const int32_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const int64_t[::1] groups,
    const int32_t[::1] references,
    const int64_t[::1] reference_offsets,
    int64_t first,
    int64_t last,
    bint want_columns,
    int64_t max_cells,
):
    """Align the sentences ``first`` to ``last`` with each of their references.

    Parameters
    ----------
    sources, source_offsets, hypotheses, hypothesis_offsets
        Interned sentences.
    groups
        References of sentence ``i`` are ``groups[i]:groups[i + 1]``.
    references, reference_offsets
        Interned references.
    want_columns
        Whether to return the alignments, too.
    max_cells
        How many cells the table of two sentences may have.

    Raises
    ------
    OverflowError
        With the number of a sentence that would take more.

    Returns
    -------
    counts
        ``(n_references, 7)``: TP, TN, FP, FN and FPN for correction, then TN and FN of the
        source as its own hypothesis, of the references in the range.
    columns, column_offsets
        The columns of each alignment: 4 where the source has a token, plus 2 where the
        hypothesis has, plus 1 where the reference has.
    """
    cdef Work work
    cdef Text s, h, r
    cdef bint has_pair
    cdef int64_t sentence = first, reference, number
    cdef int64_t first_reference = groups[first], n_references = groups[last] - first_reference
    cdef int64_t n_kept = 0
    cdef uint8_t* kept = NULL
    cdef size_t kept_size = 0
    counts_array = np.zeros((n_references, N_COUNTS), dtype=np.int64)
    offsets_array = np.zeros(n_references + 1, dtype=np.int64)
    cdef int64_t[:, ::1] counts = counts_array
    cdef int64_t[::1] offsets = offsets_array
    memset(&work, 0, sizeof(Work))
    work.max_cells = min(max_cells, <int64_t> 1 << 50)
    with nogil:
        for sentence in range(first, last):
            s = text_at(sources, source_offsets, sentence)
            h = text_at(hypotheses, hypothesis_offsets, sentence)
            has_pair = False
            work.cells_left = CELLS_OF_THREE * work.max_cells
            work.steps_left = STEPS_PER_CELL * work.max_cells
            for reference in range(groups[sentence], groups[sentence + 1]):
                r = text_at(references, reference_offsets, reference)
                fill_forward(&work.forward, s, r, &work)
                if not work.failed:
                    count_baseline(&work, s, r, &counts[reference - first_reference, 0])
                if not work.failed:
                    align(&work, s, h, r, &has_pair)
                if work.failed:
                    break
                count_columns(&work, s, h, r, &counts[reference - first_reference, 0])
                if want_columns:
                    kept = <uint8_t*> grown(
                        kept, &kept_size, n_kept + work.n_columns, sizeof(uint8_t), &work
                    )
                    if work.failed:
                        break
                    for number in range(work.n_columns):
                        kept[n_kept + number] = work.columns[work.n_columns - 1 - number]
                    n_kept += work.n_columns
                offsets[reference - first_reference + 1] = n_kept
            if work.failed:
                break
    release(&work)
    try:
        if work.failed == STOPPED:
            raise_stopped()
        if work.failed == NO_MEMORY:
            raise MemoryError(sentence)
        if work.failed:
            raise OverflowError(sentence)
        columns_array = np.empty(n_kept, dtype=np.uint8)
        fill_array(columns_array, kept, n_kept)
    finally:
        free(kept)
    return counts_array, columns_array, offsets_array


cdef void fill_array(uint8_t[::1] array, const uint8_t* values, int64_t size):
    cdef int64_t number
    for number in range(size):
        array[number] = values[number]
