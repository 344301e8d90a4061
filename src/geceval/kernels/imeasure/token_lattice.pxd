"""The lattice of references with at most one token on an edge, every node at a pivot cell."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.carrillo_lipman cimport Region
from geceval.kernels.imeasure.problem cimport SearchProblem


cdef struct WordLattice:
    # The lattice that Python hands in; edges are sorted by the node that they start from.
    const int32_t* positions
    int32_t n_positions
    const int32_t* starts
    const int32_t* ends
    const int32_t* words
    const int64_t* word_offsets
    int64_t n_edges


cdef struct Edge:
    int32_t start
    int32_t end
    int32_t token
    # Cost of the path from pivot to pivot.
    int32_t cost


cdef struct Box:
    # An edge before it is split: source and hypothesis between the pivots, and its words.
    const int32_t* source
    int32_t rows
    const int32_t* hypothesis
    int32_t columns
    const int32_t* words
    int32_t size


cdef int32_t longest_path(const WordLattice* word_lattice) except -1 nogil


@cython.final
cdef class TokenLattice:
    cdef SearchProblem problem
    cdef Region cells
    cdef int32_t n_nodes
    cdef vector[int32_t] pivot_row
    cdef vector[int32_t] pivot_column
    # Edges from node i are leaving[i]:leaving[i + 1].
    cdef vector[Edge] edges
    cdef vector[int32_t] leaving
    cdef vector[Edge] _unsorted
    cdef vector[int32_t] _numbers
    # Of the cells of a box: cost, and what the column before takes.
    cdef vector[int32_t] _costs
    cdef vector[uint8_t] _backpointers
    # After each word of a box.
    cdef vector[int32_t] _row_after
    cdef vector[int32_t] _column_after
    cdef vector[int32_t] _cost_after

    cdef int place_nodes(self, const WordLattice* word_lattice) except -1 nogil
    cdef bint prepare(self, const WordLattice* word_lattice) except -1 nogil
    cdef int _split(
        self, int32_t start, int32_t end, int32_t inner, const int32_t* words, int32_t size
    ) except -1 nogil
    cdef int _add_edge(
        self, int32_t start, int32_t end, int32_t token, int32_t cost
    ) except -1 nogil
    cdef int _sort_edges(self) except -1 nogil
    cdef int _find_pivots(self, Box box, int32_t x, int32_t y) except -1 nogil
    cdef int _keep_source(self, Box box, int32_t x, int32_t y) except -1 nogil
    cdef int _fill(self, Box box) except -1 nogil
    cdef int _trace(self, Box box) except -1 nogil
    cdef void _note(self, Box box, int32_t i, int32_t j, int32_t k) noexcept nogil
