"""Token alignment: Damerau-Levenshtein with linguistic costs, and plain Levenshtein.

Felice, Bryant and Briscoe (2016). With sub = lemma + part of speech + characters that differ,

    D[i, j] = D[i-1, j-1]                      if s_i = t_j, otherwise the least of
              D[i-1, j-1] + sub(s_i, t_j)
              D[i-k, j-k] + k - 1              if s_(i-k+1..i) is a permutation of t_(j-k+1..j)
              D[i, j-1] + 1,  D[i-1, j] + 1

The order of additions and comparisons is part of the result: where two moves cost the same, the
first of transposition, substitution, insertion, deletion wins.

With a table of similar words, s_(i-k+1..i) and t_(j-k+1..j) may also be words that can be paired
so that each pair is similar and neither the first nor the last words of both are a pair, k <= 5.

A cell depends on nothing to its right or below, and equal tokens always match; so the common
end of two sentences needs no table. The common beginning does: a cheaper path may pass by it.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from geceval.kernels._memory cimport grow_int32, grown, zeroed
from geceval.kernels.interrupt cimport raise_stopped, should_stop

import numpy as np

cdef extern from *:
    int __builtin_popcountll(unsigned long long) nogil

cdef double LEMMA = 0.499
cdef double BOTH_OPEN = 0.25
cdef double OTHER_POS = 0.5

# What is done in a cell. A transposition of k tokens is TRANSPOSE + k.
cdef enum:
    MATCH = 0
    SUBSTITUTE = 1
    INSERT = 2
    DELETE = 3
    TRANSPOSE = 4

# Columns of an operation: kind, source start and end, target start and end.
cdef enum:
    COLUMNS = 5

cdef enum:
    WORD_BITS = 64

# Words that may be reordered and change a little.
cdef enum:
    MAX_SIMILAR = 5


cdef struct Words:
    # What is known of each distinct word; `characters` are numbered densely from 0.
    const int32_t* forms
    const int32_t* lowers
    const int32_t* lemmas
    const int32_t* pos
    const uint8_t* is_open
    const int32_t* characters
    const int64_t* spelling


cdef struct AlignWorkspace:
    # Everything that one thread needs; grown, never shrunk.
    double* costs
    size_t costs_size
    int32_t* backpointers
    size_t backpointers_size
    int32_t* row
    size_t row_size
    # For each character, the places at which the source word at hand has it.
    uint64_t* places
    # For each lower-cased form: how often it is in the source, less how often in the target.
    int32_t* balance
    # Which lower-cased forms the source and the target hold.
    uint8_t* held
    # Whether a source and a target word are similar, or NULL, and the length of a row.
    const uint8_t* similar
    int64_t similar_width
    # Steps that the search for transpositions may still take for the pair at hand.
    int64_t steps_left
    bint is_stopped


cdef bint make_room(AlignWorkspace* work, size_t n_cells, size_t n_row) noexcept nogil:
    cdef bint failed = False
    work.costs = <double*> grown(work.costs, &work.costs_size, n_cells, sizeof(double), &failed)
    grow_int32(&work.backpointers, &work.backpointers_size, n_cells, &failed)
    grow_int32(&work.row, &work.row_size, n_row, &failed)
    return not failed


# Similarity of the spelling of two words.


cdef int64_t lcs_by_bits(
    const uint64_t* places, int64_t n_source, const int32_t* target, int64_t n_target
) noexcept nogil:
    """Length of the longest common subsequence; one bit for each source character."""
    cdef uint64_t state = ~(<uint64_t> 0), hits
    cdef int64_t number
    for number in range(n_target):
        hits = state & places[target[number]]
        state = (state + hits) | (state - hits)
    state = ~state
    if n_source < WORD_BITS:
        state &= ((<uint64_t> 1) << n_source) - 1
    return __builtin_popcountll(state)


cdef int64_t lcs_by_table(
    int32_t* row, const int32_t* source, int64_t n_source, const int32_t* target, int64_t n_target
) noexcept nogil:
    """Length of the longest common subsequence, for words of any length."""
    cdef int64_t i, j
    cdef int32_t diagonal, above
    memset(row, 0, (n_target + 1) * sizeof(int32_t))
    for i in range(n_source):
        diagonal = 0
        for j in range(n_target):
            above = row[j + 1]
            if source[i] == target[j]:
                row[j + 1] = diagonal + 1
            elif row[j] > above:
                row[j + 1] = row[j]
            diagonal = above
    return row[n_target]


# The table.


cdef inline double grammar_cost(const Words* words, int32_t source, int32_t target) noexcept nogil:
    """What it costs that lemma and part of speech differ."""
    cdef double cost = 0.0 if words.lemmas[source] == words.lemmas[target] else LEMMA
    if words.pos[source] != words.pos[target]:
        cost += BOTH_OPEN if words.is_open[source] and words.is_open[target] else OTHER_POS
    return cost


cdef double spelling_cost(
    AlignWorkspace* work, const Words* words, int32_t source, int32_t target
) noexcept nogil:
    """What it costs that characters differ: their share in both words."""
    cdef const int32_t* characters = words.characters + words.spelling[target]
    cdef int64_t n_source = words.spelling[source + 1] - words.spelling[source]
    cdef int64_t n_target = words.spelling[target + 1] - words.spelling[target]
    cdef int64_t both = n_source + n_target, common
    if n_source <= WORD_BITS:
        common = lcs_by_bits(work.places, n_source, characters, n_target)
    else:
        common = lcs_by_table(
            work.row, words.characters + words.spelling[source], n_source, characters, n_target
        )
    return <double> (both - 2 * common) / <double> both


cdef inline void count(
    AlignWorkspace* work, int32_t lower, int32_t step, int64_t* n_uneven
) noexcept nogil:
    """Count a form in the balance of source and target, and how many forms are uneven."""
    cdef int32_t before = work.balance[lower]
    work.balance[lower] = before + step
    n_uneven[0] += (before == 0) - (before + step == 0)


cdef int64_t transposed(
    AlignWorkspace* work,
    const Words* words,
    const int32_t* source,
    const int32_t* target,
    int64_t i,
    int64_t j,
    int64_t width,
) noexcept nogil:
    """How many tokens before tokens `i` and `j` make, with these, a permutation; 0 for none.

    The diagonal is followed back until a match. A form that only one sentence has cannot be part
    of a permutation, so the walk ends there as well.
    """
    cdef int64_t k = 0, n_uneven = 0, found = 0, number
    cdef int32_t first, second
    cdef const double* cell = work.costs + i * width + j
    while True:
        first = words.lowers[source[i - k]]
        second = words.lowers[target[j - k]]
        if not (work.held[first] == 3 and work.held[second] == 3):
            break
        count(work, first, 1, &n_uneven)
        count(work, second, -1, &n_uneven)
        k += 1
        # `cell` is the corner before the tokens counted so far.
        if k > 1:
            if n_uneven == 0:
                found = k - 1
                break
        if i - k < 0 or j - k < 0 or cell[0] == cell[-width - 1]:
            break
        cell -= width + 1
    work.steps_left -= k
    for number in range(k):
        work.balance[words.lowers[source[i - number]]] = 0
        work.balance[words.lowers[target[j - number]]] = 0
    return found


cdef bint can_pair(
    const AlignWorkspace* work, int64_t i, int64_t j, int64_t size, int64_t row, int64_t used
) noexcept nogil:
    """Whether the words from `row` on can be paired with those that are not `used`.

    The words are the `size` ones that end with tokens `i` and `j`.
    """
    cdef int64_t column
    cdef const uint8_t* similar
    if row == size:
        return True
    similar = work.similar + (i - size + 1 + row) * work.similar_width + j - size + 1
    for column in range(size):
        if used >> column & 1 or not similar[column]:
            continue
        if row == column and (row == 0 or row == size - 1):
            continue
        if can_pair(work, i, j, size, row + 1, used | (<int64_t> 1 << column)):
            return True
    return False


cdef int64_t transposed_similar(
    AlignWorkspace* work, int64_t i, int64_t j, int64_t width
) noexcept nogil:
    """As `transposed`, for a few words that may also change a little."""
    cdef int64_t k = 1
    cdef const double* cell = work.costs + i * width + j
    while k < MAX_SIMILAR and i - k >= 0 and j - k >= 0 and cell[0] != cell[-width - 1]:
        work.steps_left -= 1
        if can_pair(work, i, j, k + 1, 0, 0):
            return k
        cell -= width + 1
        k += 1
    return 0


cdef inline void spell_out(
    AlignWorkspace* work, const Words* words, int32_t word, bint on
) noexcept nogil:
    """Note (or forget) the places of each character of a word."""
    cdef int64_t number, start = words.spelling[word]
    cdef int64_t size = words.spelling[word + 1] - start
    if size > WORD_BITS:
        return
    for number in range(size):
        if on:
            work.places[words.characters[start + number]] |= (<uint64_t> 1) << number
        else:
            work.places[words.characters[start + number]] = 0


cdef void fill_matrix(
    AlignWorkspace* work,
    const Words* words,
    const int32_t* source,
    int64_t n_source,
    const int32_t* target,
    int64_t n_target,
    bint linguistic,
) noexcept nogil:
    """Fill the tables of costs and backpointers."""
    cdef int64_t i, j, k, width = n_target + 1
    cdef double* here
    cdef double* above
    cdef int32_t* backpointers
    cdef int32_t move
    cdef double best, cost, step, inserted, deleted
    for j in range(width):
        work.costs[j] = j
        work.backpointers[j] = INSERT
    for i in range(n_source):
        above = work.costs + i * width
        here = above + width
        backpointers = work.backpointers + (i + 1) * width
        here[0] = i + 1
        backpointers[0] = DELETE
        if should_stop(16 * n_target):
            work.is_stopped = True
            return
        if linguistic:
            spell_out(work, words, source[i], True)
        for j in range(n_target):
            if words.forms[source[i]] == words.forms[target[j]]:
                here[j + 1] = above[j]
                backpointers[j + 1] = MATCH
                continue
            inserted = here[j] + 1
            deleted = above[j + 1] + 1
            k = 0
            if not linguistic:
                step = 1.0
            elif words.lowers[source[i]] == words.lowers[target[j]]:
                step = 0.0
            else:
                step = grammar_cost(words, source[i], target[j])
                # Where another move is cheaper already, the spelling cannot matter.
                if above[j] + step <= inserted and above[j] + step <= deleted:
                    step += spelling_cost(work, words, source[i], target[j])
            best = above[j] + step
            move = SUBSTITUTE
            if linguistic and i and j:
                if work.similar != NULL:
                    k = transposed_similar(work, i, j, width)
                if k == 0:
                    k = transposed(work, words, source, target, i, j, width)
            if k:
                cost = work.costs[(i - k) * width + j - k] + k
                if cost <= best:
                    best = cost
                    move = TRANSPOSE + <int32_t> k + 1
            if inserted < best:
                best = inserted
                move = INSERT
            if deleted < best:
                best = deleted
                move = DELETE
            here[j + 1] = best
            backpointers[j + 1] = move
        if linguistic:
            spell_out(work, words, source[i], False)
        if work.steps_left < 0:
            return


cdef int64_t trace_back(
    const int32_t* backpointers, int64_t n_source, int64_t n_target, int32_t* operations
) noexcept nogil:
    """Write down the operations of the best path, without matches, and return how many."""
    cdef int64_t i = n_source, j = n_target, width = n_target + 1, n_operations = 0, low, high
    cdef int32_t move, down, right
    cdef int32_t* operation
    while i or j:
        move = backpointers[i * width + j]
        down = right = 1
        if move == INSERT:
            down = 0
        elif move == DELETE:
            right = 0
        elif move >= TRANSPOSE:
            down = right = move - TRANSPOSE
            move = TRANSPOSE
        if move != MATCH:
            operation = operations + n_operations * COLUMNS
            operation[0] = move
            operation[1] = <int32_t> i - down
            operation[2] = <int32_t> i
            operation[3] = <int32_t> j - right
            operation[4] = <int32_t> j
            n_operations += 1
        i -= down
        j -= right
    # They were found last first.
    low = 0
    high = n_operations - 1
    while low < high:
        for move in range(COLUMNS):
            down = operations[low * COLUMNS + move]
            operations[low * COLUMNS + move] = operations[high * COLUMNS + move]
            operations[high * COLUMNS + move] = down
        low += 1
        high -= 1
    return n_operations


cdef void hold(
    AlignWorkspace* work, const Words* words, const int32_t* tokens, int64_t size, uint8_t bit
) noexcept nogil:
    cdef int64_t number
    for number in range(size):
        if bit:
            work.held[words.lowers[tokens[number]]] |= bit
        else:
            work.held[words.lowers[tokens[number]]] = 0


cdef int64_t align_pair(
    AlignWorkspace* work,
    const Words* words,
    const int32_t* source,
    int64_t n_source,
    const int32_t* target,
    int64_t n_target,
    bint linguistic,
    size_t longest,
    int32_t* operations,
) noexcept nogil:
    """Align one pair; return the number of operations.

    It is -1 where memory is short, and -2 where transpositions take too many steps.
    """
    while (
        n_source
        and n_target
        and words.forms[source[n_source - 1]] == words.forms[target[n_target - 1]]
    ):
        n_source -= 1
        n_target -= 1
    if not make_room(work, <size_t> (n_source + 1) * <size_t> (n_target + 1), longest + 1):
        return -1
    hold(work, words, source, n_source, 1)
    hold(work, words, target, n_target, 2)
    fill_matrix(work, words, source, n_source, target, n_target, linguistic)
    hold(work, words, source, n_source, 0)
    hold(work, words, target, n_target, 0)
    if work.steps_left < 0:
        return -2
    if work.is_stopped:
        return -1
    return trace_back(work.backpointers, n_source, n_target, operations)


def align(
    const int32_t[::1] tokens,
    const int64_t[::1] offsets,
    const int32_t[::1] sources,
    const int32_t[::1] targets,
    const int32_t[::1] forms,
    const int32_t[::1] lowers,
    const int32_t[::1] lemmas,
    const int32_t[::1] pos,
    const uint8_t[::1] is_open,
    const int32_t[::1] characters,
    const int64_t[::1] spelling,
    bint linguistic,
    int64_t max_steps,
    const uint8_t[::1] similar=None,
):
    """Align pairs of sentences.

    Parameters
    ----------
    tokens, offsets
        Sentences as numbers of words.
    sources, targets
        The two sentences of each pair.
    forms, lowers, lemmas, pos, is_open
        By word: its form, lower-cased form, lemma and part of speech, each as a number from 0
        up; whether the part of speech is an open class.
    characters, spelling
        The characters of word ``w``, numbered from 0 up, are
        ``characters[spelling[w]:spelling[w + 1]]``.
    linguistic
        False for plain Levenshtein.
    max_steps
        How many steps the search for transpositions may take for one pair.
    similar
        For each pair of sentences, one after the other, a table ``(n_source, n_target)`` of words
        that are similar; None if words must not change when they are reordered.

    Raises
    ------
    OverflowError
        With the number of a pair that would take more.

    Returns
    -------
    operations
        ``(n, 5)``: kind, source start and end, target start and end; matches are omitted.
    operation_offsets
        ``(n_pairs + 1,)``: where the operations of each pair begin.
    """
    cdef int64_t n_pairs = sources.shape[0], number, first, second, added = 0, room = 0, last = 0
    cdef int64_t similar_start = 0, similar_size
    cdef size_t longest = 0
    cdef size_t n_lowers = <size_t> (np.max(lowers) + 1 if lowers.shape[0] else 0)
    cdef size_t n_characters = <size_t> (np.max(characters) + 1 if characters.shape[0] else 0)
    cdef bint failed = False
    cdef Words words
    cdef AlignWorkspace work
    for number in range(n_pairs):
        first = sources[number]
        second = targets[number]
        room += offsets[first + 1] - offsets[first] + offsets[second + 1] - offsets[second]
        similar_start += (offsets[first + 1] - offsets[first]) * (
            offsets[second + 1] - offsets[second]
        )
    if similar is not None and similar.shape[0] != similar_start:
        raise ValueError("the tables of similar words have another size")
    similar_start = 0
    for number in range(forms.shape[0]):
        longest = max(longest, <size_t> (spelling[number + 1] - spelling[number]))
    operations = np.empty((room + 1, COLUMNS), dtype=np.int32)
    operation_offsets = np.zeros(n_pairs + 1, dtype=np.int64)
    if tokens.shape[0] == 0:
        return operations[:0], operation_offsets
    cdef int32_t[:, ::1] out = operations
    cdef int64_t[::1] out_offsets = operation_offsets
    words.forms = &forms[0]
    words.lowers = &lowers[0]
    words.lemmas = &lemmas[0]
    words.pos = &pos[0]
    words.is_open = &is_open[0]
    words.characters = &characters[0] if characters.shape[0] else NULL
    words.spelling = &spelling[0]
    memset(&work, 0, sizeof(AlignWorkspace))
    try:
        work.places = <uint64_t*> zeroed(n_characters, sizeof(uint64_t), &failed)
        work.balance = <int32_t*> zeroed(n_lowers, sizeof(int32_t), &failed)
        work.held = <uint8_t*> zeroed(n_lowers, sizeof(uint8_t), &failed)
        if failed:
            raise MemoryError
        with nogil:
            for number in range(n_pairs):
                first = sources[number]
                second = targets[number]
                work.steps_left = max_steps
                work.similar_width = offsets[second + 1] - offsets[second]
                similar_size = (offsets[first + 1] - offsets[first]) * work.similar_width
                if similar is not None and similar_size:
                    work.similar = &similar[similar_start]
                    similar_start += similar_size
                added = align_pair(
                    &work,
                    &words,
                    &tokens[0] + offsets[first],
                    offsets[first + 1] - offsets[first],
                    &tokens[0] + offsets[second],
                    offsets[second + 1] - offsets[second],
                    linguistic,
                    longest,
                    &out[last, 0],
                )
                if added < 0:
                    break
                last += added
                out_offsets[number + 1] = last
        if added == -2:
            raise OverflowError(number)
        if work.is_stopped:
            raise_stopped()
        if added < 0:
            raise MemoryError
    finally:
        free(work.costs)
        free(work.backpointers)
        free(work.row)
        free(work.places)
        free(work.balance)
        free(work.held)
    return operations[:last].copy(), operation_offsets
