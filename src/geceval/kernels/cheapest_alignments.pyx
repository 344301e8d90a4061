"""All cheapest alignments of two Chinese sentences, of characters or of words.

Zhang et al. (2022). With sub = semantics + characters + class, which is less than 2,

    D[i, j] = D[i-1, j-1]                      if s_i = t_j, otherwise the least of
              D[i-k, j-k] + k - 1              if s_(i-k+1..i) is a permutation of t_(j-k+1..j)
              D[i-1, j-1] + sub(s_i, t_j)
              D[i, j-1] + 1,  D[i-1, j] + 1

A cell keeps all moves that reach its cost exactly, in this order, so the order of additions is part
of the result. The paths are listed depth first from the last cell.

The search for the smallest permutation follows the diagonal back for as long as the cost changes.
It is not walked: a permutation that ends in s_i and t_j holds s_i in the target and t_j in the
source, which gives the first k to try; the number of changes of the diagonal gives the last; and
the sums of random numbers of tokens tell which k in between to look at.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from geceval.kernels._memory cimport grow_int32, grow_uint8, grown, zeroed
from geceval.kernels.interrupt cimport raise_stopped, should_stop

import numpy as np

# Moves of a cell, as bits in their order.
cdef enum:
    TRANSPOSE = 1
    SUBSTITUTE = 2
    INSERT = 4
    DELETE = 8
    MATCH = 16

# Columns of an operation: kind, source start and end, target start and end.
cdef enum:
    COLUMNS = 5

cdef enum:
    PARTS = 3


cdef struct ChineseTokens:
    # What is known of each distinct token. Characters, syllables and classes are numbers.
    const int32_t* meanings
    const int32_t* classes
    const uint8_t* is_han
    const int32_t* syllables
    const int64_t* reading
    const int32_t* characters
    const int64_t* spelling
    # For each character, those that look or sound alike, in order.
    const int32_t* confusions
    const int64_t* confused
    bint by_words


cdef struct PathWorkspace:
    # Everything that a call needs; grown, never shrunk.
    double* costs
    size_t costs_size
    uint8_t* moves
    size_t moves_size
    # Tokens of a transposition, by cell; written only where there is one.
    int32_t* widths
    size_t widths_size
    # How many steps back the cost of the diagonal changes, of two rows.
    int32_t* changes
    size_t changes_size
    # Sums of the random numbers of the tokens before a position.
    uint64_t* source_sums
    size_t source_sums_size
    uint64_t* target_sums
    size_t target_sums_size
    # By token: where it stood last in the source, from 1; 0 if it did not.
    int32_t* last_seen
    # By token: how often it is in the source, less how often in the target.
    int32_t* balance
    # The path from the last cell to the one at hand: row, column, moves left to try.
    int32_t* path
    size_t path_size
    int32_t* operations
    size_t operations_size
    int64_t n_operations
    int64_t steps_left
    bint is_stopped


# Costs.


cdef bint share_a_reading(const ChineseTokens* units, int32_t one, int32_t two) noexcept nogil:
    cdef int64_t i, j
    for i in range(units.reading[one], units.reading[one + 1]):
        for j in range(units.reading[two], units.reading[two + 1]):
            if units.syllables[i] == units.syllables[j]:
                return True
    return False


cdef bint are_confused(const ChineseTokens* units, int32_t one, int32_t two) noexcept nogil:
    """Whether a character is in the list of another, which is symmetric."""
    cdef int64_t low = units.confused[one], high = units.confused[one + 1], middle
    while low < high:
        middle = (low + high) // 2
        if units.confusions[middle] < two:
            low = middle + 1
        else:
            high = middle
    return low < units.confused[one + 1] and units.confusions[low] == two


cdef double character_cost(const ChineseTokens* units, int32_t one, int32_t two) noexcept nogil:
    """The share of the shorter token's characters that have no partner in the longer."""
    cdef int64_t i, j, lacking = 0
    cdef int32_t held = one
    if not (units.is_han[one] and units.is_han[two]):
        return 0.5
    if share_a_reading(units, one, two):
        return 0.0
    i = units.spelling[one + 1] - units.spelling[one]
    j = units.spelling[two + 1] - units.spelling[two]
    if j < i:
        one = two
        two = held
    for i in range(units.spelling[one], units.spelling[one + 1]):
        for j in range(units.spelling[two], units.spelling[two + 1]):
            if units.characters[i] == units.characters[j] or are_confused(
                units, units.characters[i], units.characters[j]
            ):
                break
        else:
            lacking += 1
    return <double> lacking / <double> (units.spelling[one + 1] - units.spelling[one]) * 0.5


cdef double substitution(const ChineseTokens* units, int32_t one, int32_t two) noexcept nogil:
    cdef const int32_t* first = units.meanings + PARTS * one
    cdef const int32_t* second = units.meanings + PARTS * two
    cdef int32_t differing = 4, part
    cdef double semantics, characters, classes
    if first[0] >= 0 and second[0] >= 0:
        differing = 0
        for part in range(PARTS):
            differing += 2 * (first[part] != second[part])
    semantics = <double> differing / 6.0
    characters = character_cost(units, one, two)
    if units.by_words:
        classes = 0.0 if units.classes[one] == units.classes[two] else 0.499
        return semantics + classes + characters
    # The classes are: no punctuation mark (0), punctuation mark (1).
    if units.classes[one] != units.classes[two]:
        classes = 0.499
    else:
        classes = 0.0 if units.classes[one] else 0.25
    return semantics + characters + classes


# The table.


cdef bint is_permutation(
    PathWorkspace* work, const int32_t* source, const int32_t* target, int64_t size
) noexcept nogil:
    cdef int64_t number
    cdef bint is_same = True
    for number in range(size):
        work.balance[source[number]] += 1
        work.balance[target[number]] -= 1
    for number in range(size):
        is_same = is_same and work.balance[source[number]] == 0
    for number in range(size):
        work.balance[source[number]] = 0
        work.balance[target[number]] = 0
    work.steps_left -= size
    return is_same


cdef int64_t transposed(
    PathWorkspace* work,
    const int32_t* source,
    const int32_t* target,
    int64_t i,
    int64_t j,
    int64_t first,
    int64_t last,
) noexcept nogil:
    """Return how many tokens before tokens `i` and `j` make, with these, a permutation.

    At least `first` and at most `last` tokens are tried; 0 for none.
    """
    cdef int64_t k
    cdef uint64_t difference = work.source_sums[i + 1] - work.target_sums[j + 1]
    for k in range(first, last + 1):
        if work.source_sums[i - k] - work.target_sums[j - k] == difference and is_permutation(
            work, source + i - k, target + j - k, k + 1
        ):
            break
    else:
        k = 0
    if last >= first:
        work.steps_left -= last - first + 1
    return k


cdef void fill_table(
    PathWorkspace* work,
    const ChineseTokens* units,
    const int32_t* source,
    int64_t n_source,
    const int32_t* target,
    int64_t n_target,
) noexcept nogil:
    """Fill the tables of costs and moves."""
    cdef int64_t i, j, k, first, last, seen, width = n_target + 1
    cdef double* above
    cdef double* here
    cdef int32_t* changes_above
    cdef int32_t* changes
    cdef uint8_t moves
    cdef double best, moved, replaced, inserted, deleted
    for j in range(width):
        work.costs[j] = j
        work.moves[j] = INSERT
        work.changes[j] = 0
    for i in range(n_source):
        above = work.costs + i * width
        here = above + width
        changes_above = work.changes + (i % 2) * width
        changes = work.changes + ((i + 1) % 2) * width
        here[0] = i + 1
        work.moves[(i + 1) * width] = DELETE
        changes[0] = 0
        if should_stop(16 * n_target):
            work.is_stopped = True
            return
        # Where the target held this token last, from 1.
        seen = 0
        for j in range(n_target):
            if source[i] == target[j]:
                here[j + 1] = above[j]
                work.moves[(i + 1) * width + j + 1] = MATCH
                changes[j + 1] = 0
                seen = j + 1
                continue
            replaced = above[j] + substitution(units, source[i], target[j])
            inserted = here[j] + 1
            deleted = above[j + 1] + 1
            best = replaced
            if inserted < best:
                best = inserted
            if deleted < best:
                best = deleted
            k = 0
            if seen and work.last_seen[target[j]]:
                first = j + 1 - seen
                if i + 1 - work.last_seen[target[j]] > first:
                    first = i + 1 - work.last_seen[target[j]]
                last = changes_above[j]
                k = transposed(work, source, target, i, j, first, last)
            moves = 0
            if k:
                moved = work.costs[(i - k) * width + j - k] + k
                if moved <= best:
                    best = moved
                    moves = TRANSPOSE
                    work.widths[(i + 1) * width + j + 1] = <int32_t> k + 1
            if replaced == best:
                moves |= SUBSTITUTE
            if inserted == best:
                moves |= INSERT
            if deleted == best:
                moves |= DELETE
            here[j + 1] = best
            work.moves[(i + 1) * width + j + 1] = moves
            changes[j + 1] = changes_above[j] + 1 if best != above[j] else 0
        work.last_seen[source[i]] = <int32_t> i + 1
        if work.steps_left < 0:
            return


# The paths.


cdef inline int32_t lowest(int32_t moves) noexcept nogil:
    return moves & -moves


cdef bint write_path(PathWorkspace* work, int64_t size) noexcept nogil:
    """Write down the operations of the path, without matches; return whether there was room."""
    cdef int64_t number
    cdef int32_t move, row, column
    cdef int32_t* step
    cdef int32_t* operation
    cdef bint failed = False
    grow_int32(
        &work.operations,
        &work.operations_size,
        <size_t> ((work.n_operations + size) * COLUMNS),
        &failed,
    )
    if failed:
        return False
    # The path leads from the last cell to the first.
    for number in range(size - 2, -1, -1):
        step = work.path + PARTS * number
        move = lowest(step[2])
        if move == MATCH:
            continue
        operation = work.operations + work.n_operations * COLUMNS
        row = step[PARTS]
        column = step[PARTS + 1]
        operation[0] = move
        operation[1] = row
        operation[2] = step[0]
        operation[3] = column
        operation[4] = step[1]
        work.n_operations += 1
    return True


cdef int64_t list_paths(
    PathWorkspace* work,
    int64_t n_source,
    int64_t n_target,
    bint only_first,
    int64_t limit,
    int64_t* ends,
) noexcept nogil:
    """List the cheapest paths; return their number, -1 where memory is short.

    At most `limit` are written; the number is one more if there are others.
    """
    cdef int64_t width = n_target + 1, depth = 0, n_paths = 0
    cdef int32_t row, column, move, size
    cdef int32_t* step = work.path
    step[0] = <int32_t> n_source
    step[1] = <int32_t> n_target
    step[2] = work.moves[n_source * width + n_target]
    while True:
        step = work.path + PARTS * depth
        row = step[0]
        column = step[1]
        if row == 0 and column == 0:
            if n_paths == limit:
                return limit + 1
            if not write_path(work, depth + 1):
                return -1
            n_paths += 1
            ends[n_paths] = work.n_operations
            step[2] = 0
        if step[2] == 0:
            # All moves of this cell were tried: the next move of the cell after it.
            if depth == 0:
                return n_paths
            depth -= 1
            step = work.path + PARTS * depth
            step[2] = 0 if only_first else step[2] & (step[2] - 1)
            if step[2] == 0:
                continue
            row = step[0]
            column = step[1]
        move = lowest(step[2])
        size = 1
        if move == TRANSPOSE:
            size = work.widths[row * width + column]
        step += PARTS
        step[0] = row - (0 if move == INSERT else size)
        step[1] = column - (0 if move == DELETE else size)
        step[2] = work.moves[step[0] * width + step[1]]
        depth += 1
        if should_stop(4):
            work.is_stopped = True
            return n_paths


cdef bint make_room(PathWorkspace* work, int64_t n_source, int64_t n_target) noexcept nogil:
    cdef bint failed = False
    cdef size_t n_cells = <size_t> (n_source + 1) * <size_t> (n_target + 1)
    work.costs = <double*> grown(work.costs, &work.costs_size, n_cells, sizeof(double), &failed)
    grow_uint8(&work.moves, &work.moves_size, n_cells, &failed)
    grow_int32(&work.widths, &work.widths_size, n_cells, &failed)
    grow_int32(&work.changes, &work.changes_size, 2 * (<size_t> n_target + 1), &failed)
    grow_int32(
        &work.path, &work.path_size, PARTS * <size_t> (n_source + n_target + 2), &failed
    )
    work.source_sums = <uint64_t*> grown(
        work.source_sums, &work.source_sums_size, <size_t> n_source + 1, sizeof(uint64_t), &failed
    )
    work.target_sums = <uint64_t*> grown(
        work.target_sums, &work.target_sums_size, <size_t> n_target + 1, sizeof(uint64_t), &failed
    )
    return not failed


cdef int64_t align_pair(
    PathWorkspace* work,
    const ChineseTokens* units,
    const uint64_t* random,
    const int32_t* source,
    int64_t n_source,
    const int32_t* target,
    int64_t n_target,
    int64_t max_difference,
    int64_t limit,
    int64_t* ends,
) noexcept nogil:
    """Align one pair; return the number of alignments, or `limit` + 1 if there are more.

    It is -1 where memory is short, and -2 where transpositions take too many steps.
    """
    cdef int64_t number
    cdef bint only_first = n_source - n_target > max_difference or (
        n_target - n_source > max_difference
    )
    # The common end matches: no other move leads to these cells.
    while n_source and n_target and source[n_source - 1] == target[n_target - 1]:
        n_source -= 1
        n_target -= 1
    if not make_room(work, n_source, n_target):
        return -1
    work.source_sums[0] = work.target_sums[0] = 0
    for number in range(n_source):
        work.source_sums[number + 1] = work.source_sums[number] + random[source[number]]
    for number in range(n_target):
        work.target_sums[number + 1] = work.target_sums[number] + random[target[number]]
    fill_table(work, units, source, n_source, target, n_target)
    for number in range(n_source):
        work.last_seen[source[number]] = 0
    if work.steps_left < 0:
        return -2
    if work.is_stopped:
        return -1
    return list_paths(work, n_source, n_target, only_first, limit, ends)


def align(
    const int32_t[::1] tokens,
    const int64_t[::1] offsets,
    const int32_t[::1] sources,
    const int32_t[::1] targets,
    const int32_t[:, ::1] meanings,
    const int32_t[::1] classes,
    const uint8_t[::1] is_han,
    const int32_t[::1] syllables,
    const int64_t[::1] reading,
    const int32_t[::1] characters,
    const int64_t[::1] spelling,
    const int32_t[::1] confusions,
    const int64_t[::1] confused,
    const uint64_t[::1] random,
    bint by_words,
    int64_t max_difference,
    int64_t limit,
    int64_t max_steps,
):
    """List the cheapest alignments of pairs of sentences.

    Parameters
    ----------
    tokens, offsets
        Sentences as numbers of distinct tokens.
    sources, targets
        The two sentences of each pair.
    meanings, classes, is_han
        By token: three parts of its class in a thesaurus, negative if it has none; its part of
        speech or, for characters, whether it is a punctuation mark; whether it is Chinese.
    syllables, reading
        The syllables of token ``t`` are ``syllables[reading[t]:reading[t + 1]]``.
    characters, spelling
        Its characters, likewise, numbered from 0 up.
    confusions, confused
        The characters that may be confused with character ``c``, likewise, in order.
    random
        A random number for each token.
    by_words
        Whether tokens are words rather than characters.
    max_difference
        Difference of lengths above which a pair has one alignment, that of the first moves.
    limit
        Maximum number of alignments of a pair.
    max_steps
        How many steps the search for transpositions may take for one pair.

    Raises
    ------
    OverflowError
        With the number of a pair that would take more.

    Returns
    -------
    operations
        ``(n, 5)``: kind, source start and end, target start and end; matches are omitted.
    operation_offsets
        Where the operations of each alignment begin.
    alignment_offsets
        ``(n_pairs + 1,)``: where the alignments of each pair begin.
    is_limited
        ``(n_pairs,)``: whether a pair has more alignments than `limit`.
    """
    cdef int64_t n_pairs = sources.shape[0], n_tokens = classes.shape[0]
    cdef int64_t number, one, first, second, found = 0
    cdef bint failed = False
    cdef ChineseTokens units
    cdef PathWorkspace work
    cdef int64_t* ends = NULL
    cdef int64_t n_alignments = 0
    cdef int64_t* all_ends = NULL
    cdef size_t ends_size = 0
    alignment_offsets = np.zeros(n_pairs + 1, dtype=np.int64)
    limited = np.zeros(n_pairs, dtype=np.uint8)
    cdef int64_t[::1] out_offsets = alignment_offsets
    cdef uint8_t[::1] is_limited = limited
    cdef int32_t[:, ::1] written
    cdef int64_t[::1] bounds
    memset(&work, 0, sizeof(PathWorkspace))
    units.meanings = &meanings[0, 0] if n_tokens else NULL
    units.classes = &classes[0] if n_tokens else NULL
    units.is_han = &is_han[0] if n_tokens else NULL
    units.syllables = &syllables[0] if syllables.shape[0] else NULL
    units.reading = &reading[0]
    units.characters = &characters[0] if characters.shape[0] else NULL
    units.spelling = &spelling[0]
    units.confusions = &confusions[0] if confusions.shape[0] else NULL
    units.confused = &confused[0]
    units.by_words = by_words
    try:
        work.last_seen = <int32_t*> zeroed(<size_t> n_tokens, sizeof(int32_t), &failed)
        work.balance = <int32_t*> zeroed(<size_t> n_tokens, sizeof(int32_t), &failed)
        ends = <int64_t*> zeroed(<size_t> limit + 1, sizeof(int64_t), &failed)
        if failed:
            raise MemoryError
        with nogil:
            for number in range(n_pairs):
                first = sources[number]
                second = targets[number]
                work.steps_left = max_steps
                found = align_pair(
                    &work,
                    &units,
                    &random[0] if n_tokens else NULL,
                    &tokens[0] + offsets[first] if tokens.shape[0] else NULL,
                    offsets[first + 1] - offsets[first],
                    &tokens[0] + offsets[second] if tokens.shape[0] else NULL,
                    offsets[second + 1] - offsets[second],
                    max_difference,
                    limit,
                    ends,
                )
                if found < 0 or work.is_stopped:
                    break
                if found > limit:
                    found = limit
                    is_limited[number] = 1
                all_ends = <int64_t*> grown(
                    all_ends,
                    &ends_size,
                    <size_t> (n_alignments + found),
                    sizeof(int64_t),
                    &failed,
                )
                if failed:
                    break
                for one in range(found):
                    all_ends[n_alignments + one] = ends[one + 1]
                n_alignments += found
                out_offsets[number + 1] = n_alignments
        if work.is_stopped:
            raise_stopped()
        if found == -2:
            raise OverflowError(number)
        if found < 0 or failed:
            raise MemoryError
        operations = np.empty((work.n_operations, COLUMNS), dtype=np.int32)
        operation_offsets = np.zeros(n_alignments + 1, dtype=np.int64)
        written = operations
        bounds = operation_offsets
        for number in range(work.n_operations):
            for one in range(COLUMNS):
                written[number, one] = work.operations[number * COLUMNS + one]
        for number in range(n_alignments):
            bounds[number + 1] = all_ends[number]
    finally:
        free(work.costs)
        free(work.moves)
        free(work.widths)
        free(work.changes)
        free(work.source_sums)
        free(work.target_sums)
        free(work.last_seen)
        free(work.balance)
        free(work.path)
        free(work.operations)
        free(ends)
        free(all_ends)
    return operations, operation_offsets, alignment_offsets, limited
