"""What the rest of an alignment costs at least, and what it may be worth at most."""

from libc.stdint cimport int16_t, int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.cells cimport Cells
from geceval.kernels.imeasure.counts cimport Price
from geceval.kernels.imeasure.lattice cimport Edge, Lattice
from geceval.kernels.imeasure.task cimport Task


cdef struct Worths:
    # Of a column with two gaps or with one, and of one without gaps, less what it costs.
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
    cdef Task task
    cdef Cells cells
    cdef Lattice lattice
    # By node and cell: how much cheaper than at the pivot the rest is at least, where the next
    # column has a reference token, and where it is any.
    cdef vector[int16_t] before_token
    cdef vector[int16_t] before_any
    # What the rest may be worth, at a rough price and a rate for what it costs.
    cdef vector[int32_t] hope
    cdef Price rough
    cdef int64_t rate
    cdef Worths _worths

    cdef bint fit(self) noexcept nogil

    cdef bint find(self) except -1 nogil

    cdef void _take_edge(self, const Edge* edge) noexcept nogil

    cdef void _take_rest(self, int32_t node) noexcept nogil

    cdef bint find_hopes(self, const Price* price, int64_t n_columns) except -1 nogil

    cdef void _set_rough_price(self, const Price* price, int64_t n_columns) noexcept nogil

    cdef void _hope_for_edge(self, const Edge* edge) noexcept nogil

    cdef void _hope_for_rest(self, int32_t node) noexcept nogil
