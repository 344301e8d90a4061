"""Cells that an optimal alignment of source and hypothesis with any reference may pass."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport abs
from libcpp.vector cimport vector

cimport cython


cdef struct CellGraph:
    # Of each cell: where it is, the cells that follow, and the tokens that lie between. The
    # number past the last stands for all cells that cannot be passed.
    int32_t n_cells
    const int32_t* row
    const int32_t* column
    const int32_t* below
    const int32_t* right
    const int32_t* diagonal
    const int32_t* source
    const int32_t* hypothesis


cdef inline int32_t distance(
    CellGraph graph, int32_t cell, int32_t row, int32_t column
) noexcept nogil:
    """Tokens between a cell and another place."""
    return abs(graph.row[cell] - row) + abs(graph.column[cell] - column)


@cython.final
cdef class Region:
    cdef const int32_t* source
    cdef const int32_t* hypothesis
    cdef int32_t n
    cdef int32_t m
    # Column of each row on one optimal alignment of source and hypothesis, its first one.
    cdef vector[int32_t] first_column
    # The cells, row by row.
    cdef CellGraph graph
    cdef vector[int32_t] _row
    cdef vector[int32_t] _column
    cdef vector[int32_t] _below
    cdef vector[int32_t] _right
    cdef vector[int32_t] _diagonal
    cdef vector[int32_t] _source_token
    cdef vector[int32_t] _hypothesis_token
    # Number of the cell at each place, -1 for one that cannot be passed.
    cdef vector[int32_t] _at
    cdef vector[int32_t] _forward
    cdef vector[int32_t] _backward

    cdef int prepare(
        self, const int32_t* source, int32_t n, const int32_t* hypothesis, int32_t m
    ) except -1 nogil

    cdef inline int32_t number(self, int32_t i, int32_t j) noexcept nogil:
        """Number of the cell at a place."""
        cdef int32_t cell
        if i > self.n or j > self.m:
            return self.graph.n_cells
        cell = self._at[<int64_t> i * (self.m + 1) + j]
        return self.graph.n_cells if cell < 0 else cell

    cdef void _fill_backward(self) noexcept nogil
    cdef int _link(self) except -1 nogil
    cdef int _find_first_columns(self) except -1 nogil
