"""Sums of counts over the swapped sentences of many resamples, with many samples of references.

Sentences are taken in small groups. What a group adds is computed once for each of its subsets
(Arlazarov, Dinic, Kronrod and Faradzhev, 1970), and a resample adds that of the subset that it
swaps: one addition of a vector of iterations instead of one for each sentence.
"""

from libc.stdint cimport INT16_MAX, int16_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport abs
from libc.string cimport memset

import numpy as np

from geceval.kernels.interrupt cimport check_stop

cdef extern from "swapped_sums.h":
    enum: TILE
    enum: MAX_GROUP
    void pick(
        int16_t* values,
        const int32_t* differences,
        int64_t n_refs,
        const uint8_t* chosen,
        int64_t n_iterations,
    ) noexcept nogil
    void add_subsets(
        int16_t* sums,
        const uint8_t* subsets,
        int64_t n_resamples,
        const int16_t* values,
        int64_t n_members,
    ) noexcept nogil


def _group_size(n_resamples):
    """Return the number of sentences per group that takes the fewest additions.

    A group costs an addition for each of its subsets, and one for each resample.
    """
    return min(range(1, MAX_GROUP + 1), key=lambda size: (2**size + n_resamples) / size)


def _subsets(flags, size):
    """Number the subset of each group that each resample swaps, ``(n_groups, n_resamples)``."""
    subsets = np.zeros((-(-flags.shape[1] // size), flags.shape[0]), dtype=np.uint8)
    for member in range(size):
        own = flags[:, member::size].T
        subsets[: len(own)] |= own << np.uint8(member)
    return subsets


cdef struct Work:
    # Differences (n_sents, n_orders, n_refs), sampled references (n_places, n_iterations) in rows
    # of some length, the place of each sentence, subsets (n_groups, n_resamples), and the result
    # (n_resamples, n_orders, n_iterations).
    const int32_t* differences
    const uint8_t* choices
    int64_t row_size
    const int64_t* places
    const uint8_t* subsets
    int32_t* result
    int64_t n_sents
    int64_t n_orders
    int64_t n_refs
    int64_t n_iterations
    int64_t n_resamples
    int64_t group_size
    int64_t n_groups
    # Sums of a tile of iterations (n_resamples, TILE), and their largest possible absolute value.
    int16_t* near
    int64_t reach


cdef inline const int32_t* options_of(
    const Work* work, int64_t sentence, int64_t order
) noexcept nogil:
    """Return the differences of the references of a sentence."""
    return work.differences + (sentence * work.n_orders + order) * work.n_refs


cdef inline const uint8_t* chosen_in(
    const Work* work, int64_t sentence, int64_t start
) noexcept nogil:
    """Return the sampled references of a sentence, from an iteration on."""
    return work.choices + work.places[sentence] * work.row_size + start


cdef int64_t reach_of(const Work* work, int64_t first, int64_t last, int64_t order) noexcept nogil:
    """Return the largest absolute value that some sentences can add."""
    cdef int64_t sentence, ref, total = 0
    cdef int32_t largest
    cdef const int32_t* options
    for sentence in range(first, last):
        largest = 0
        options = options_of(work, sentence, order)
        for ref in range(work.n_refs):
            largest = max(largest, abs(options[ref]))
        total += largest
    return total


cdef inline int32_t* sums_of(
    const Work* work, int64_t resample, int64_t order, int64_t iteration
) noexcept nogil:
    return work.result + (resample * work.n_orders + order) * work.n_iterations + iteration


cdef void empty_tile(Work* work, int64_t order, int64_t start, int64_t width) noexcept nogil:
    """Move the small sums of a tile to the result."""
    cdef int64_t resample, i
    cdef int32_t* sums
    if work.reach == 0:
        return
    for resample in range(work.n_resamples):
        sums = sums_of(work, resample, order, start)
        for i in range(width):
            sums[i] += work.near[resample * TILE + i]
    memset(work.near, 0, work.n_resamples * TILE * sizeof(int16_t))
    work.reach = 0


cdef void add_far(
    Work* work, int64_t group, int64_t order, int64_t start, int64_t width
) noexcept nogil:
    """Add differences that 16 bits cannot hold, one by one."""
    cdef int64_t resample, i, member, sentence
    cdef const uint8_t* chosen
    cdef const int32_t* options
    cdef int32_t* sums
    for member in range(work.group_size):
        sentence = group * work.group_size + member
        if sentence >= work.n_sents:
            return
        options = options_of(work, sentence, order)
        chosen = chosen_in(work, sentence, start)
        for resample in range(work.n_resamples):
            if work.subsets[group * work.n_resamples + resample] >> member & 1:
                sums = sums_of(work, resample, order, start)
                for i in range(width):
                    sums[i] += options[chosen[i]]


cdef int add_tile(Work* work, int64_t order, int64_t start) except -1 nogil:
    """Add all sentences, in a tile of iterations."""
    cdef int16_t[MAX_GROUP * TILE] values
    cdef int64_t group, first, last, sentence, reach
    cdef int64_t width = min(<int64_t> TILE, work.n_iterations - start)
    for group in range(work.n_groups):
        check_stop(TILE * (work.n_resamples + (<int64_t> 1 << work.group_size)))
        first = group * work.group_size
        last = min(first + work.group_size, work.n_sents)
        reach = reach_of(work, first, last, order)
        if reach == 0:
            continue
        if reach > INT16_MAX:
            add_far(work, group, order, start, width)
            continue
        if work.reach + reach > INT16_MAX:
            empty_tile(work, order, start, width)
        work.reach += reach
        for sentence in range(first, last):
            pick(
                values + (sentence - first) * TILE,
                options_of(work, sentence, order),
                work.n_refs,
                chosen_in(work, sentence, start),
                width,
            )
        add_subsets(
            work.near,
            work.subsets + group * work.n_resamples,
            work.n_resamples,
            values,
            last - first,
        )
    empty_tile(work, order, start, width)
    return 0


def swapped_sums(
    const int32_t[:, :, ::1] differences,
    const uint8_t[:, :] choices,
    const int64_t[::1] places,
    const uint8_t[:, :] flags,
):
    """Sum what the sampled references of swapped sentences add.

    Parameters
    ----------
    differences
        ``(n_sents, n_orders, n_refs)``: what each reference adds.
    choices
        ``(n_places, n_iterations)``: sampled references; possibly some columns of a larger array.
    places
        The row of each sentence in `choices`.
    flags
        ``(n_resamples, n_sents)``: 1 for swapped sentences, 0 for others.

    Returns
    -------
    sums
        ``(n_resamples, n_orders, n_iterations)``.
    """
    cdef int64_t n_sents = differences.shape[0], order, tile
    cdef int64_t n_resamples = flags.shape[0], n_iterations = choices.shape[1]
    if places.shape[0] != n_sents or flags.shape[1] != n_sents:
        raise ValueError("differences, places and flags must have the same sentences")
    result = np.zeros((n_resamples, differences.shape[1], n_iterations), dtype=np.int32)
    if not result.size or not differences.size:
        return result
    if n_iterations > 1 and choices.strides[1] != sizeof(uint8_t):
        raise ValueError("the sampled references of a sentence must be consecutive")
    if np.min(places) < 0 or np.max(places) >= choices.shape[0]:
        raise IndexError("places must be rows of the sampled references")
    if np.max(choices) >= differences.shape[2]:
        raise IndexError("sampled references must be references of the sentence")
    cdef int64_t group_size = _group_size(n_resamples)
    cdef const uint8_t[:, ::1] subsets = _subsets(np.asarray(flags), group_size)
    cdef int16_t[:, ::1] near = np.zeros((n_resamples, TILE), dtype=np.int16)
    cdef int32_t[:, :, ::1] sums = result
    cdef Work work = Work(
        &differences[0, 0, 0],
        &choices[0, 0],
        choices.strides[0] // <int64_t> sizeof(uint8_t),
        &places[0],
        &subsets[0, 0],
        &sums[0, 0, 0],
        n_sents,
        differences.shape[1],
        differences.shape[2],
        n_iterations,
        n_resamples,
        group_size,
        subsets.shape[0],
        &near[0, 0],
        0,
    )
    with nogil:
        for tile in range((n_iterations + TILE - 1) // TILE):
            for order in range(work.n_orders):
                add_tile(&work, order, tile * TILE)
    return result
