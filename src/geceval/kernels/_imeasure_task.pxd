"""What is asked of a search, and what it has cost so far."""

from libc.stdint cimport int32_t, int64_t

cimport cython

from geceval.kernels._imeasure_counts cimport Counts, Ratio, Rule, Standing


@cython.final
cdef class Task:
    cdef Rule rule
    # Counts of the text before, where the whole text is optimised.
    cdef Counts before
    cdef Counts base_before
    # Steps that were taken and may be taken, and how many states make a node crowded.
    cdef int64_t steps
    cdef int64_t limit
    cdef int32_t crowd

    cdef int32_t ratio_metric(self) noexcept nogil

    cdef Ratio total_ratio(self, Counts counts) noexcept nogil

    cdef Standing total_standing(self, Counts counts, Counts base) noexcept nogil
