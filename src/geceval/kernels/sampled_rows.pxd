# Checks of resampled rows, for kernels that choose references.

from libc.stdint cimport int64_t, uint64_t


cdef inline bint are_rows(const int64_t[:, ::1] rows, int64_t n_sents) noexcept nogil:
    """Whether all rows are sentences of a corpus; as unsigned numbers, negative ones are large."""
    cdef int64_t sample, number
    cdef uint64_t row, largest = 0
    for sample in range(rows.shape[0]):
        for number in range(rows.shape[1]):
            row = <uint64_t> rows[sample, number]
            largest = row if row > largest else largest
    return rows.shape[0] == 0 or rows.shape[1] == 0 or largest < <uint64_t> n_sents
