"""Totals of two systems that swap sentences, for kernels that choose references by totals.

References are compared by a score of totals + gains. Kernels define its value to the last bit, by
divisions. Here it is a fraction U / V, and fractions are compared without dividing, U1 V2 with
U2 V1. U is a sum of a few terms of at most V, so either way of computing the score is wrong by
less than 1e-14. If two values differ by more than 1e-12, the larger one is larger either way;
otherwise the kernel itself decides. So each choice is that of the kernel, and totals are added in
the same order.

Several resamples advance side by side, so that the processor adds up many totals at a time.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from geceval.kernels.interrupt cimport check_stop

cdef extern from "mixtures.h" nogil:
    enum:
        MAX_GAINS
        BLOCK
        LANES
        WIDTH

    ctypedef int64_t (*Decide)(
        void* kernel, const double* totals, int64_t first, int64_t last, int64_t lane
    ) noexcept nogil

    ctypedef struct Candidates:
        const int64_t* offsets
        const double* gains
        const int64_t* patterns
        const double* lane_gains
        bint is_combined
        double[4] factors
        bint is_safe
        void* kernel
        Decide decide

    ctypedef struct Lanes:
        double[4][4][4] at

    ctypedef struct Flags:
        int64_t[256][4][4] of

    void weigh_patterns(
        int64_t n_patterns,
        const int64_t* spans,
        const int64_t* codes,
        const int* parts,
        const double* weights,
        double* lane_gains,
    ) noexcept
    void swap_block(
        const Candidates* candidates,
        const uint8_t* bits,
        const Flags* flags,
        int64_t n_rows,
        Lanes* result,
    ) noexcept


cdef inline int64_t best_candidate(
    const Candidates* candidates, const double* totals, int64_t row
) noexcept nogil:
    """Return the best candidate of a sentence by F, for totals of three parts."""
    cdef int64_t first = candidates.offsets[row], last = candidates.offsets[row + 1]
    cdef int64_t candidate, best = first
    cdef const double* gains
    cdef double upper, lower, difference, best_upper = 0, best_lower = 0
    if last - first > 1 and not candidates.is_safe:
        return candidates.decide(candidates.kernel, totals, first, last, 0)
    for candidate in range(first, last if last - first > 1 else first):
        gains = &candidates.gains[MAX_GAINS * candidate]
        upper = totals[0] + gains[0]
        lower = (
            candidates.factors[0] * upper
            + candidates.factors[1] * (totals[1] + gains[1])
            + candidates.factors[2] * (totals[2] + gains[2])
        )
        if candidate > first:
            difference = upper * best_lower - best_upper * lower
            # Written so that values that are not numbers are too close, too.
            if not fabs(difference) > 1e-12 * lower * best_lower:
                return candidates.decide(candidates.kernel, totals, first, last, 0)
            if difference < 0:
                continue
        best, best_upper, best_lower = candidate, upper, lower
    return best


cdef inline void pack(
    const uint8_t* flags, int64_t n_rows, int64_t n_samples, uint8_t* bits
) noexcept nogil:
    """Pack the flags of a block into one byte for each sentence."""
    cdef int64_t sample, row
    memset(bits, 0, n_rows)
    for sample in range(n_samples):
        for row in range(n_rows):
            bits[row] |= <uint8_t> ((flags[sample * n_rows + row] != 0) << sample)


cdef inline void unpack_bytes(Flags* flags) noexcept nogil:
    """Prepare which lanes have a sentence of the second system, for all bytes of flags."""
    cdef int byte, lane
    for byte in range(256):
        for lane in range(LANES):
            flags.of[byte][lane // WIDTH][lane % WIDTH] = -(
                ((byte >> (lane % BLOCK)) & 1) ^ (lane >= BLOCK)
            )


cdef inline void store_block(
    const Lanes* found, int64_t first, int64_t size, const int* columns, double[:, :, ::1] totals
) noexcept nogil:
    """Store the totals of a block in columns of ``(2, n_samples, n_columns)``."""
    cdef int64_t sample, part
    cdef const double* own
    for part in range(MAX_GAINS):
        own = <const double*> found.at[part]
        for sample in range(size if columns[part] >= 0 else 0):
            totals[0, first + sample, columns[part]] = own[sample]
            totals[1, first + sample, columns[part]] = own[BLOCK + sample]


cdef inline int swap_all(
    const Candidates* candidates,
    const uint8_t[:, ::1] flags,
    uint8_t[::1] bits,
    double[:, :, ::1] totals,
) except -1 nogil:
    """Compute the totals ``(2, n_samples, n_gains)`` of two systems that swap sentences.

    `bits` is memory for the packed flags of all sentences.
    """
    cdef int64_t n_samples = flags.shape[0], n_rows = flags.shape[1], block, first, size
    cdef int[4] columns = [0, 1, 2, -1]
    cdef Flags unpacked
    cdef Lanes found
    unpack_bytes(&unpacked)
    for block in range((n_samples + BLOCK - 1) // BLOCK if n_rows else 0):
        first = BLOCK * block
        size = min(<int64_t> BLOCK, n_samples - first)
        check_stop(16 * size * n_rows)
        pack(&flags[first, 0], n_rows, size, &bits[0])
        swap_block(candidates, &bits[0], &unpacked, n_rows, &found)
        store_block(&found, first, size, columns, totals)
    return 0
