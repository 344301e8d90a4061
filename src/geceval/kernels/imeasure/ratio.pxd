"""The best ratio that any reference reaches, by Dinkelbach's method."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.counts cimport Price
from geceval.kernels.imeasure.states cimport State, States
from geceval.kernels.imeasure.task cimport Task


@cython.final
cdef class BestRatio:
    cdef Task task
    cdef States states
    cdef Price price
    # Worth and counts of the best rest of a path from each cell of each state.
    cdef vector[int64_t] rest
    cdef vector[int64_t] rest_counts
    # Counts of the best path.
    cdef int64_t counts

    cdef bint find(self) except -1 nogil

    cdef void set_price(self, int64_t above, int64_t below) noexcept nogil

    cdef int64_t find_rest(self) except? -1 nogil

    cdef int any_path(self, vector[int32_t]& path) except -1 nogil

    cdef int32_t _first_cell(self) noexcept nogil

    cdef int32_t _best_cell_after(
        self, const State* state, int32_t cell, int64_t arc
    ) noexcept nogil
