"""Three-way alignment of source, hypothesis and reference, and the counts of its columns.

Among all alignments the one with the smallest sum of pairs is taken; a match costs 0, a gap 2, a
mismatch 3, two gaps nothing:

    D[i, j, k] = min over (a, b, c) in {0, 1}^3 of  D[i-a, j-b, k-c] + cost(column of a, b, c)

Where several are equally good, reading from the right, a column with all three tokens is
preferred, then source and hypothesis, source and reference, hypothesis and reference, then a token
of the source alone, of the hypothesis, of the reference.

Two things keep this far from cubic time. If two of the sentences are equal they are aligned
alike, and an alignment of two sentences does. Otherwise the cells that an optimal alignment can
pass are few (Carrillo and Lipman 1988): the pairs must cost at least what the best alignment of
each two sentences through this cell costs, and together at most what it costs to align two of the
sentences with the third one each.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from geceval.kernels._memory cimport grow_int32, grow_uint8, grown
from geceval.kernels.interrupt cimport raise_stopped
from geceval.kernels.pair_alignment cimport (
    GAP,
    HYPOTHESIS,
    INFINITE,
    MISMATCH,
    REFERENCE,
    SOURCE,
    Block,
    CubeWorkspace,
    Matrix,
    TokenSpan,
    add_backward,
    add_column,
    are_equal,
    fill_forward,
    release,
    stops,
    trace_two,
)

import numpy as np

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

cdef uint8_t[7] PREFERENCE = [7, 6, 5, 3, 4, 2, 1]


cdef void find_blocks(CubeWorkspace* work, TokenSpan s, TokenSpan h, TokenSpan r) noexcept nogil:
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
        &work.failed,
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
                work.failed = work.is_too_large = True
                return
            for k in range(r.size + 1):
                if sr[k] + hr[k] <= rest:
                    if block.last < 0:
                        block.first = k
                    block.last = k
            n_cells += block.last - block.first + 1
    work.cells_left -= n_cells
    if work.cells_left < 0:
        work.failed = work.is_too_large = True
        return
    grow_int32(&work.costs, &work.costs_size, n_cells, &work.failed)


cdef inline int32_t cost_at(
    const CubeWorkspace* work, const Block* block, int32_t k
) noexcept nogil:
    if k < block.first or k > block.last:
        return INFINITE
    return work.costs[block.offset + k - block.first]


cdef inline int32_t cost_before(
    const CubeWorkspace* work,
    TokenSpan s,
    TokenSpan h,
    TokenSpan r,
    int32_t i,
    int32_t j,
    int32_t k,
    uint8_t column,
) noexcept nogil:
    """Cost of the cell ``(i, j, k)`` if `column` is the last before it."""
    cdef int32_t source = (column & SOURCE) != 0, hypothesis = (column & HYPOTHESIS) != 0
    cdef int32_t reference = (column & REFERENCE) != 0
    cdef int32_t step
    if (source and not i) or (hypothesis and not j) or (reference and not k):
        return INFINITE
    step = cost_at(
        work, work.blocks + <int64_t> (i - source) * (h.size + 1) + j - hypothesis, k - reference
    )
    if source and hypothesis:
        step += MISMATCH * (s.tokens[i - 1] != h.tokens[j - 1])
    if source and reference:
        step += MISMATCH * (s.tokens[i - 1] != r.tokens[k - 1])
    if hypothesis and reference:
        step += MISMATCH * (h.tokens[j - 1] != r.tokens[k - 1])
    if source + hypothesis + reference < 3:
        step += 2 * GAP
    return step


cdef void fill_costs(CubeWorkspace* work, TokenSpan s, TokenSpan h, TokenSpan r) noexcept nogil:
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


cdef void trace_three(CubeWorkspace* work, TokenSpan s, TokenSpan h, TokenSpan r) noexcept nogil:
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


cdef void align(
    CubeWorkspace* work, TokenSpan s, TokenSpan h, TokenSpan r, bint* has_pair
) noexcept nogil:
    """Align three sentences; their columns are left in `work`, last first.

    The matrix of source and reference must be in ``work.forward``. `has_pair` tells whether
    the costs of source and hypothesis are known from another reference.
    """
    cdef Matrix forward = work.forward
    work.n_columns = 0
    grow_uint8(&work.columns, &work.columns_size, s.size + h.size + r.size, &work.failed)
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


cdef void count_columns(
    const CubeWorkspace* work, TokenSpan s, TokenSpan h, TokenSpan r, int64_t* counts
) noexcept nogil:
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


cdef void count_baseline(
    CubeWorkspace* work, TokenSpan s, TokenSpan r, int64_t* counts
) noexcept nogil:
    """Count the columns of the source as hypothesis of itself."""
    cdef int32_t i = s.size, k = r.size
    cdef int64_t number
    cdef uint8_t column
    cdef bint is_match
    work.n_columns = 0
    grow_uint8(&work.columns, &work.columns_size, s.size + r.size, &work.failed)
    if work.failed:
        return
    trace_two(work, &work.forward, s, r, SOURCE, REFERENCE, False)
    for number in range(work.n_columns):
        column = work.columns[number]
        i -= (column & SOURCE) != 0
        k -= (column & REFERENCE) != 0
        is_match = column == SOURCE | REFERENCE and s.tokens[i] == r.tokens[k]
        counts[BASE_TN if is_match else BASE_FN] += 1


cdef inline TokenSpan text_at(
    const int32_t[::1] tokens, const int64_t[::1] offsets, int64_t number
) noexcept nogil:
    cdef TokenSpan text
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
    cdef CubeWorkspace work
    cdef TokenSpan s, h, r
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
    cdef uint8_t[::1] columns
    memset(&work, 0, sizeof(CubeWorkspace))
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
                    grow_uint8(&kept, &kept_size, n_kept + work.n_columns, &work.failed)
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
        if work.is_stopped:
            raise_stopped()
        if work.is_too_large:
            raise OverflowError(sentence)
        if work.failed:
            raise MemoryError(sentence)
        columns_array = np.empty(n_kept, dtype=np.uint8)
        if n_kept:
            columns = columns_array
            memcpy(&columns[0], kept, n_kept)
    finally:
        free(kept)
    return counts_array, columns_array, offsets_array
