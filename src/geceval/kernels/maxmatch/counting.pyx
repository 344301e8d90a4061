"""MaxMatch: correct, proposed and gold edits of whole corpora, for all annotators at once."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from geceval.kernels._memory cimport grow_int32
from geceval.kernels.interrupt cimport raise_stopped
from geceval.kernels.maxmatch.edit_lattice cimport EDIT_COLUMNS, equal_tokens
from geceval.kernels.maxmatch.gold_edges cimport add_gold_edges, prepare
from geceval.kernels.maxmatch.levels cimport (
    CORRECTION,
    LevelWorkspace,
    release_levels,
    shortest_level_path,
    trace_level_path,
)
from geceval.kernels.maxmatch.matching cimport is_sorted, scan, shortest_path, trace_back
from geceval.kernels.maxmatch.path_costs cimport EdgeCosts, set_edge_costs
from geceval.kernels.maxmatch.workspace cimport Gold, MatchWorkspace, release

import numpy as np

# A matrix of so many cells may have so many entries in the tables of a level, and so many steps
# may be taken to find its edges.
cdef int64_t ENTRIES_PER_CELL = 6
cdef int64_t STEPS_PER_CELL = 50

# Cells are numbered in 31 bits.
cdef int64_t MOST_CELLS = (<int64_t> 1 << 31) - 1


cdef void count_matching(
    MatchWorkspace* work, Gold* gold, int64_t* counts, bint want_edits
) noexcept nogil:
    """Count correct and proposed edits of one annotator."""
    cdef int64_t total = shortest_path(work)
    if work.failed:
        return
    read_cost(&work.costs, total, counts)
    # In an unsorted gold list some edits of the path are lost to the scan.
    if want_edits or (counts[0] and not is_sorted(gold)):
        trace_back(work)
        if not work.failed and not work.is_lost:
            counts[0] = scan(work, gold)


cdef void count_level(
    MatchWorkspace* work,
    LevelWorkspace* levels,
    Gold* gold,
    int32_t level,
    int64_t* counts,
    bint want_edits,
) noexcept nogil:
    """Count edits with a right span, or those that overlap a gold edit."""
    cdef int64_t total = shortest_level_path(
        levels,
        &work.lattice,
        &work.costs,
        gold.starts,
        gold.ends,
        gold.n_edits,
        level,
        work.max_unchanged,
        work.match_long,
    )
    work.failed = levels.failed
    work.is_too_large = levels.is_too_large
    if work.failed or work.is_too_large:
        return
    read_cost(&work.costs, total, counts)
    if want_edits:
        grow_int32(&work.path, &work.path_size, <size_t> counts[1] * EDIT_COLUMNS, &work.failed)
        if not work.failed:
            work.n_path = trace_level_path(
                levels, &work.lattice, level, work.max_unchanged, work.path
            )


cdef void read_cost(const EdgeCosts* costs, int64_t total, int64_t* counts) noexcept nogil:
    """Take matching edges and edits out of the cost of a path."""
    cdef int64_t rest = total % costs.matching
    if rest < 0:
        rest += costs.matching
    counts[0] = (rest - total) // costs.matching
    # Those that change nothing are no edits, and those that are dropped are none any more.
    counts[0] -= rest % (costs.kept if costs.kept else costs.edit)
    counts[1] = counts[0] + rest % costs.length // costs.edit


cdef int64_t n_inside(Gold* gold, int32_t n_tokens) noexcept nogil:
    """Count the gold edits that do not reach past the end of the sentence."""
    cdef int64_t count = 0
    cdef int32_t number
    for number in range(gold.n_edits):
        count += gold.ends[number] <= n_tokens
    return count


def max_match(
    const int32_t[::1] sources,
    const int64_t[::1] source_offsets,
    const int32_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const int64_t[::1] annotations,
    const int64_t[::1] edits,
    const int32_t[::1] starts,
    const int32_t[::1] ends,
    const int64_t[::1] options,
    const int32_t[::1] option_tokens,
    const int64_t[::1] option_offsets,
    const int32_t[::1] letters,
    const int64_t[::1] letter_offsets,
    int max_unchanged,
    bint match_long,
    int level,
    int64_t first,
    int64_t last,
    bint want_edits,
    int64_t max_cells,
):
    """Count the edits of sentences ``first`` to ``last`` for each of their annotators.

    Parameters
    ----------
    sources, source_offsets, hypotheses, hypothesis_offsets
        Interned sentences.
    annotations
        Annotations of sentence ``i`` are ``annotations[i]:annotations[i + 1]``.
    edits
        Gold edits of annotation ``a`` are ``edits[a]:edits[a + 1]``.
    starts, ends
        Spans of the gold edits.
    options
        Corrections of gold edit ``e`` are ``options[e]:options[e + 1]``.
    option_tokens, option_offsets
        Interned corrections.
    letters, letter_offsets
        Letters of token ``t`` without case, ``letters[letter_offsets[t]:letter_offsets[t + 1]]``,
        where edits of spaces and case are to be dropped, as many as possible; otherwise empty.
    max_unchanged
        Unchanged words allowed inside an edit.
    match_long
        Whether an edit that equals a gold edit, or has its span, may have more.
    level
        0 for correction, 1 for recognition, 2 for detection.
    first, last
        Range of sentences.
    want_edits
        Whether to return the edits, too.
    max_cells
        How many cells the matrix of a sentence may have.

    Raises
    ------
    OverflowError
        With the number of a sentence whose tables would be too large, and True; or with False
        where its costs do not fit into an integer.

    Returns
    -------
    counts
        ``(n_annotations, 3)``: correct, proposed, gold, of the annotations in the range.
    extracted
        ``(n_edits, 6)``: annotation, source start and end, hypothesis start and end, and
        the gold edit that it equals or -1, counted within the annotation.
    """
    cdef MatchWorkspace work
    cdef LevelWorkspace levels
    cdef Gold gold
    cdef int64_t sentence = first, annotation, offset, n_extracted = 0, number, column
    cdef int64_t first_annotation = annotations[first], last_annotation = annotations[last]
    cdef bint is_same, is_plain, has_lattice, has_plain, fits = True
    cdef int64_t plain = 0
    counts_array = np.zeros((last_annotation - first_annotation, 3), dtype=np.int64)
    cdef int64_t[:, ::1] counts = counts_array
    cdef int32_t[:, ::1] rows
    cdef int64_t* row
    cdef int32_t* extracted = NULL
    cdef size_t extracted_size = 0
    cdef int32_t* target
    cdef int32_t* edit
    memset(&work, 0, sizeof(MatchWorkspace))
    memset(&levels, 0, sizeof(LevelWorkspace))
    work.max_unchanged = max_unchanged
    work.match_long = match_long
    work.n_states = max_unchanged + 2
    if letter_offsets.shape[0]:
        work.letters.letters = &letters[0] if letters.shape[0] else NULL
        work.letters.offsets = &letter_offsets[0]
    max_cells = min(max_cells, MOST_CELLS)
    levels.max_entries = ENTRIES_PER_CELL * max_cells
    with nogil:
        for sentence in range(first, last):
            offset = source_offsets[sentence]
            work.lattice.n_source = <int32_t> (source_offsets[sentence + 1] - offset)
            work.lattice.source = &sources[offset] if work.lattice.n_source else NULL
            offset = hypothesis_offsets[sentence]
            work.lattice.n_hypothesis = <int32_t> (hypothesis_offsets[sentence + 1] - offset)
            work.lattice.hypothesis = &hypotheses[offset] if work.lattice.n_hypothesis else NULL
            is_same = work.lattice.n_source == work.lattice.n_hypothesis and equal_tokens(
                work.lattice.source, work.lattice.hypothesis, work.lattice.n_source
            )
            has_lattice = False
            has_plain = False
            work.steps_left = STEPS_PER_CELL * max_cells
            for annotation in range(annotations[sentence], annotations[sentence + 1]):
                row = &counts[annotation - first_annotation, 0]
                offset = edits[annotation]
                gold.n_edits = <int32_t> (edits[annotation + 1] - offset)
                gold.starts = &starts[offset] if gold.n_edits else NULL
                gold.ends = &ends[offset] if gold.n_edits else NULL
                gold.options = &options[offset]
                gold.option_offsets = &option_offsets[0]
                gold.option_tokens = &option_tokens[0] if option_tokens.shape[0] else NULL
                row[2] = n_inside(&gold, work.lattice.n_source)
                if is_same:
                    continue
                fits = set_edge_costs(
                    &work.costs,
                    <int64_t> work.lattice.n_source + work.lattice.n_hypothesis,
                    gold.n_edits,
                    work.letters.offsets != NULL,
                )
                work.is_too_large = not fits or (<int64_t> work.lattice.n_source + 1) * (
                    <int64_t> work.lattice.n_hypothesis + 1
                ) > max_cells
                if work.is_too_large:
                    break
                if not has_lattice:
                    prepare(&work)
                    has_lattice = True
                if work.failed:
                    break
                if level != CORRECTION:
                    count_level(&work, &levels, &gold, level, row, want_edits)
                else:
                    add_gold_edges(&work, &gold)
                    if work.failed or work.is_too_large:
                        break
                    is_plain = not work.n_edges and not work.n_repeated
                    if is_plain and has_plain and not want_edits:
                        # Nothing to match: the path is that of an annotator before.
                        row[1] = plain
                    else:
                        count_matching(&work, &gold, row, want_edits)
                    if is_plain:
                        has_plain = True
                        plain = row[1]
                if work.failed or work.is_lost or work.is_too_large:
                    break
                if want_edits:
                    grow_int32(
                        &extracted,
                        &extracted_size,
                        (n_extracted + work.n_path) * (EDIT_COLUMNS + 1),
                        &work.failed,
                    )
                    if work.failed:
                        break
                    for number in range(work.n_path - 1, -1, -1):
                        edit = work.path + number * EDIT_COLUMNS
                        target = extracted + n_extracted * (EDIT_COLUMNS + 1)
                        target[0] = <int32_t> (annotation - first_annotation)
                        for column in range(EDIT_COLUMNS):
                            target[column + 1] = edit[column]
                        n_extracted += 1
            if work.failed or work.is_lost or work.is_too_large:
                break
    release(&work)
    release_levels(&levels)
    try:
        if work.lattice.is_stopped:
            raise_stopped()
        if work.failed:
            raise MemoryError(sentence)
        if work.is_too_large:
            raise OverflowError(sentence, fits)
        if work.is_lost:
            raise RuntimeError("the best path was lost")
        extracted_array = np.empty((n_extracted, EDIT_COLUMNS + 1), dtype=np.int32)
        if n_extracted:
            rows = extracted_array
            memcpy(&rows[0, 0], extracted, n_extracted * (EDIT_COLUMNS + 1) * sizeof(int32_t))
    finally:
        free(extracted)
    return counts_array, extracted_array
