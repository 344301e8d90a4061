"""The best ratio that any reference reaches, by Dinkelbach's method."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.column_counts cimport Objective
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.state_graph cimport State, StateGraph


@cython.final
cdef class Dinkelbach:
    cdef SearchProblem problem
    cdef StateGraph states
    cdef Objective objective
    # Objective and counts of the best completion of a path from each cell of each state.
    cdef vector[int64_t] completion
    cdef vector[int64_t] completion_counts
    # Counts of the best path.
    cdef int64_t counts

    cdef bint find(self) except -1 nogil
    cdef void set_lambda(self, int64_t numerator, int64_t denominator) noexcept nogil
    cdef int64_t find_completions(self) except? -1 nogil
    cdef int any_path(self, vector[int32_t]& path) except -1 nogil
    cdef int32_t _first_cell(self) noexcept nogil
    cdef int32_t _best_cell_after(
        self, const State* state, int32_t cell, int64_t arc
    ) noexcept nogil
