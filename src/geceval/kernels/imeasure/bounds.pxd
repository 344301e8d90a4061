"""Lower bounds of costs and upper bounds of the objective, for the rest of an alignment."""

from libc.stdint cimport int16_t, int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.carrillo_lipman cimport Region
from geceval.kernels.imeasure.column_counts cimport Objective
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.token_lattice cimport Edge, TokenLattice


cdef struct ColumnValues:
    # Objective of a column with two gaps or one, and without gaps, less its penalized cost.
    int32_t gap_tp
    int32_t gap_fp
    int32_t gap_fn
    int32_t pair_fpn
    int32_t full_tp
    int32_t full_tn
    int32_t full_fp
    int32_t full_fn
    int32_t full_fpn


@cython.final
cdef class Bounds:
    cdef SearchProblem problem
    cdef Region cells
    cdef TokenLattice lattice
    # By node and cell: how much cheaper than at the pivot the rest is at least, where the next
    # column has a reference token, and where it is any.
    cdef vector[int16_t] before_token
    cdef vector[int16_t] before_any
    # Upper bounds of the rounded objective of the rest, and the multiplier of its extra cost.
    cdef vector[int32_t] upper
    cdef Objective rounded
    cdef int64_t multiplier
    cdef ColumnValues _values

    cdef bint fit(self) noexcept nogil
    cdef bint find(self) except -1 nogil
    cdef void _take_edge(self, const Edge* edge) noexcept nogil
    cdef void _lower_by_gaps(self, int32_t node) noexcept nogil
    cdef bint find_upper_bounds(self, const Objective* objective, int64_t n_columns) except -1 nogil
    cdef void _round_objective(self, const Objective* objective, int64_t n_columns) noexcept nogil
    cdef void _raise_by_edge(self, const Edge* edge) noexcept nogil
    cdef void _raise_by_gaps(self, int32_t node) noexcept nogil
