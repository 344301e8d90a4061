"""The references of sentences as sequences of chunks: which are equal, and which never chosen."""

from libc.stdint cimport int64_t, uint64_t

# Columns of the counts: chunks by class, number and total length of changed reference chunks,
# and then the chunks of a sentence from left to right, as 1 + class + 4 length; 0 for none.
cdef enum:
    TP
    FP_NE
    FP_UN
    FN
    TN
    GOLD
    GOLD_LENGTH
    FIRST_CHUNK

cdef struct Sums:
    double tp
    double fp
    double fn
    double tn
    double fp_ne
    double fp_un

cdef struct ReferenceChunks:
    # A reference of a sentence: its chunks, and its sums unless these depend on weights.
    int64_t reference
    int64_t first
    int64_t last
    Sums sums


cdef inline bint are_equal_codes(
    const int64_t* codes, int64_t first, int64_t last, int64_t other_first, int64_t other_last
) noexcept nogil:
    """Whether two references have the same chunks."""
    cdef int64_t place
    if last - first != other_last - other_first:
        return False
    for place in range(last - first):
        if codes[first + place] != codes[other_first + place]:
            return False
    return True


cdef inline int64_t find_patterns(
    const ReferenceChunks* candidates,
    int64_t n_candidates,
    const int64_t* codes,
    int64_t[::1] slots,
    int64_t[::1] patterns,
    int64_t[:, ::1] spans,
) noexcept nogil:
    """Number the different sequences of chunks, and find where each is; return how many.

    `slots` is memory for a hash table with open addressing: a power of 2, of -1.
    """
    cdef int64_t candidate, place, first, last, n_patterns = 0
    cdef uint64_t key
    for candidate in range(n_candidates):
        first, last = candidates[candidate].first, candidates[candidate].last
        key = 14695981039346656037U
        for place in range(first, last):
            key = (key ^ <uint64_t> codes[place]) * 1099511628211U
        key ^= key >> 32
        while True:
            key &= <uint64_t> (slots.shape[0] - 1)
            if slots[key] < 0:
                slots[key] = n_patterns
                spans[n_patterns, 0], spans[n_patterns, 1] = first, last
                n_patterns += 1
                break
            if are_equal_codes(
                codes, first, last, spans[slots[key], 0], spans[slots[key], 1]
            ):
                break
            key += 1
        patterns[candidate] = slots[key]
    return n_patterns


cdef inline bint are_equal(
    const ReferenceChunks* one, const ReferenceChunks* other, const int64_t* codes
) noexcept nogil:
    """Whether two references have the same chunks, so that the later one is never chosen."""
    return (
        are_equal_codes(codes, one.first, one.last, other.first, other.last)
        and one.sums.tp == other.sums.tp
        and one.sums.fn == other.sums.fn
        and one.sums.tn == other.sums.tn
        and one.sums.fp_ne == other.sums.fp_ne
        and one.sums.fp_un == other.sums.fp_un
    )


cdef inline int class_of(int64_t code) noexcept nogil:
    """Return the sum that a chunk adds to: both kinds of false positives weigh the same."""
    return FP_NE if code & 3 == FP_UN else code & 3


cdef inline int64_t surplus(
    const ReferenceChunks* one, const ReferenceChunks* other, const int64_t* codes, int kind
) noexcept nogil:
    """Return how many more chunks of a class `other` has, if it has those of `one` in order.

    Otherwise return -1. More chunks add to a sum also after rounding, and the same ones add the
    same.
    """
    cdef int64_t place = other.first, found = 0, code
    for code in codes[one.first : one.last]:
        if class_of(code) != kind:
            continue
        while place < other.last and (
            class_of(codes[place]) != kind or codes[place] >> 2 != code >> 2
        ):
            found += class_of(codes[place]) == kind
            place += 1
        if place == other.last:
            return -1
        place += 1
    for code in codes[place : other.last]:
        found += class_of(code) == kind
    return found


cdef inline bint is_dominated(
    const ReferenceChunks* one, const ReferenceChunks* other, const int64_t* codes, bint is_weighted
) noexcept nogil:
    """Whether `other` has all that is right in `one`, and nothing wrong that `one` has not.

    Then it has the higher F for all totals, or as high a one and is preferred for its sums.
    """
    cdef int64_t right, wrong, missing
    if is_weighted:
        right = surplus(one, other, codes, TP)
        wrong = surplus(other, one, codes, FP_NE)
        missing = surplus(other, one, codes, FN)
    else:
        right = <int64_t> (other.sums.tp - one.sums.tp)
        wrong = <int64_t> (one.sums.fp - other.sums.fp)
        missing = <int64_t> (one.sums.fn - other.sums.fn)
    return min(right, wrong, missing) >= 0 and max(right, wrong, missing) > 0


cdef inline int64_t remove_dominated(
    ReferenceChunks* candidates, int64_t n, const int64_t* codes, bint is_weighted
) noexcept nogil:
    """Remove references of a sentence that are never chosen; return how many are left."""
    cdef int64_t candidate, other, n_kept = 0
    cdef bint is_kept
    for candidate in range(n):
        is_kept = True
        for other in range(n):
            # Those that are removed already have been overwritten.
            if other < n_kept or other > candidate:
                is_kept = is_kept and not is_dominated(
                    &candidates[candidate], &candidates[other], codes, is_weighted
                )
        if is_kept:
            candidates[n_kept] = candidates[candidate]
            n_kept += 1
    return n_kept
