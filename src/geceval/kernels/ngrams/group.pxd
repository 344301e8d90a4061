"""The texts of one sentence, and how often each of them has each n-gram.

An n-gram is the number of the (n-1)-gram before its last token, and that token: one look into a
small hash table gives its own number, so that every order costs one pass over the tokens.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from geceval.kernels._memory cimport grow_int32, grow_int64, grown

cdef enum:
    SOURCE = 0
    HYPOTHESIS = 1
    FIRST_REFERENCE = 2


cdef struct Group:
    # Lengths of the texts of one sentence, and their columns in the counts.
    int64_t* lengths
    int64_t* columns
    int64_t n_texts
    # The different texts, one after the other: many outputs and references are the source.
    int32_t* tokens
    int64_t* starts
    int64_t n_tokens
    int64_t n_columns
    # Number of the n-gram that begins at each token, and how often each text has each n-gram.
    int32_t* numbers
    int32_t* counts
    int64_t n_types
    # Open addressing; a number of -1 is a free place.
    uint64_t* keys
    int32_t* slots
    int shift
    # Room there is.
    size_t tokens_size
    size_t texts_size
    size_t counts_size
    size_t slots_size
    bint failed
    # Whether the kernel was asked to stop.
    bint is_stopped


cdef inline void release_group(Group* group) noexcept nogil:
    free(group.lengths)
    free(group.columns)
    free(group.tokens)
    free(group.starts)
    free(group.numbers)
    free(group.counts)
    free(group.keys)
    free(group.slots)


cdef inline bint empty_group(Group* group, int64_t n_tokens, int64_t n_texts) noexcept nogil:
    """Make room for a sentence of so many tokens in so many texts; False without memory."""
    cdef size_t size = group.tokens_size, slots = 16, n_ends = n_texts + 1
    cdef bint* failed = &group.failed
    grow_int32(&group.tokens, &size, n_tokens, failed)
    grow_int32(&group.numbers, &group.tokens_size, n_tokens, failed)
    size = group.texts_size
    grow_int64(&group.lengths, &size, n_ends, failed)
    size = group.texts_size
    grow_int64(&group.columns, &size, n_ends, failed)
    grow_int64(&group.starts, &group.texts_size, n_ends, failed)
    grow_int32(&group.counts, &group.counts_size, n_tokens * n_texts, failed)
    group.shift = 60
    while slots < <size_t> (2 * n_tokens):
        slots *= 2
        group.shift -= 1
    size = group.slots_size
    group.keys = <uint64_t*> grown(group.keys, &size, slots, sizeof(uint64_t), failed)
    grow_int32(&group.slots, &group.slots_size, slots, failed)
    if group.failed:
        return False
    group.n_tokens = group.n_texts = group.n_columns = group.starts[0] = 0
    return True


cdef inline bint is_column(
    Group* group, int64_t column, const int32_t* tokens, int64_t size
) noexcept nogil:
    """Tell whether a text is the one in a column."""
    cdef int64_t there = group.starts[column]
    if group.starts[column + 1] - there != size:
        return False
    return size == 0 or memcmp(group.tokens + there, tokens, size * sizeof(int32_t)) == 0


cdef inline void add_text(Group* group, const int32_t* tokens, int64_t size) noexcept nogil:
    """Put one more text into the group, in a column of its own unless it is there."""
    cdef int64_t column = 0
    while column < group.n_columns and not is_column(group, column, tokens, size):
        column += 1
    group.lengths[group.n_texts] = size
    group.columns[group.n_texts] = column
    group.n_texts += 1
    if column == group.n_columns:
        if size:
            memcpy(group.tokens + group.n_tokens, tokens, size * sizeof(int32_t))
        group.n_tokens += size
        group.n_columns += 1
        group.starts[group.n_columns] = group.n_tokens


cdef inline int32_t number_of(Group* group, uint64_t key) noexcept nogil:
    """Return the number of an n-gram, a new one where it is met for the first time."""
    cdef int64_t mask = (<int64_t> 1 << (64 - group.shift)) - 1
    cdef int64_t place = <int64_t> ((key * <uint64_t> 0x9E3779B97F4A7C15) >> group.shift)
    while group.slots[place] >= 0:
        if group.keys[place] == key:
            return group.slots[place]
        place = (place + 1) & mask
    group.keys[place] = key
    group.slots[place] = <int32_t> group.n_types
    group.n_types += 1
    return group.slots[place]


cdef inline void count_order(Group* group, int order) noexcept nogil:
    """Count the n-grams of one order; the orders must come one after the other."""
    cdef int64_t column, place
    cdef int32_t number
    cdef uint64_t key
    group.n_types = 0
    memset(group.slots, 0xFF, (<size_t> 1 << (64 - group.shift)) * sizeof(int32_t))
    if group.n_tokens:  # Without any there is no room either, and C defines nothing for that.
        memset(group.counts, 0, group.n_tokens * group.n_columns * sizeof(int32_t))
    for column in range(group.n_columns):
        for place in range(group.starts[column], group.starts[column + 1] - order + 1):
            key = <uint64_t> <uint32_t> group.tokens[place + order - 1]
            if order > 1:
                key |= <uint64_t> group.numbers[place] << 32
            number = number_of(group, key)
            group.numbers[place] = number
            group.counts[number * group.n_columns + column] += 1
