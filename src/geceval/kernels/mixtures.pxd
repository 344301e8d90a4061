"""Totals of two systems that swap sentences, for kernels that choose references by totals.

References are compared by F of totals + gains. Kernels define its value to the last bit, by
divisions. Here it is a fraction U / V, and fractions are compared without dividing, U1 V2 with
U2 V1. Both are sums of a few nonnegative terms and F lies between 0 and 1, so either way of
computing it is wrong by less than 1e-14. If two values differ by more than 1e-12, the larger one
is larger either way; otherwise the kernel itself decides. So each choice is that of the kernel,
and totals are added in the same order.

Several resamples advance side by side, since each has to wait for its own last total.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint8_t

cdef enum:
    N_GAINS = 3
    # Resamples that advance side by side, each with two mixtures.
    BLOCK = 8

cdef struct Gain:
    # What a candidate adds to the totals, and to the denominator of F.
    double[N_GAINS] at
    double size

# Returns the best of the candidates from `first` to `last` for totals.
ctypedef int64_t (*Decide)(
    void* kernel, const double* totals, int64_t first, int64_t last
) noexcept nogil

cdef struct Candidates:
    # The candidates of all sentences: those of sentence i begin at offsets[i].
    const int64_t* offsets
    const Gain* gains
    # F is the first total by a sum of totals with these factors.
    double[N_GAINS] sizes
    # Whether F lies between 0 and 1, otherwise the kernel always decides.
    bint is_safe
    void* kernel
    Decide decide


cdef inline int64_t likely_best(
    const Candidates* candidates, const double* totals, const Gain* gains, int64_t n
) noexcept nogil:
    """Return the place of the best of `n` candidates; -1 if two are too close to tell."""
    cdef double below = (
        candidates.sizes[0] * totals[0]
        + candidates.sizes[1] * totals[1]
        + candidates.sizes[2] * totals[2]
    )
    cdef double upper, lower, best_upper = 0, best_lower = 0, difference
    cdef int64_t number, best = 0
    if not candidates.is_safe:
        return -1
    for number in range(n):
        upper = totals[0] + gains[number].at[0]
        lower = below + gains[number].size
        if number:
            difference = upper * best_lower - best_upper * lower
            # Written so that values that are not numbers are too close, too.
            if not fabs(difference) > 1e-12 * lower * best_lower:
                return -1
            if difference < 0:
                continue
        best, best_upper, best_lower = number, upper, lower
    return best


cdef inline void swap_block(
    const Candidates* candidates,
    const uint8_t* flags,
    int64_t n_rows,
    int64_t n_samples,
    double* totals,
) noexcept nogil:
    """Add the totals of both mixtures of a few resamples, ``(n_samples, 2, N_GAINS)``.

    The sentences of the second system follow those of the first; `flags` has a row for each
    resample.
    """
    cdef int64_t position, sample, mixture, row, first, n, best
    cdef const Gain* gains
    cdef double* own
    cdef int part
    for position in range(n_rows):
        for sample in range(n_samples):
            for mixture in range(2):
                row = position + n_rows * ((flags[sample * n_rows + position] != 0) ^ mixture)
                first = candidates.offsets[row]
                n = candidates.offsets[row + 1] - first
                if n == 0:
                    continue
                gains = &candidates.gains[first]
                own = &totals[N_GAINS * (2 * sample + mixture)]
                best = 0 if n == 1 else likely_best(candidates, own, gains, n)
                if best < 0:
                    best = candidates.decide(candidates.kernel, own, first, first + n) - first
                for part in range(N_GAINS):
                    own[part] += gains[best].at[part]
