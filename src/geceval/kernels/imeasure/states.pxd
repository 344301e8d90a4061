"""States: what beginnings of references mean for everything after them; arcs between states."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.bounds cimport Bounds
from geceval.kernels.imeasure.cells cimport Cells
from geceval.kernels.imeasure.lattice cimport Edge, Lattice
from geceval.kernels.imeasure.task cimport Task

cdef extern from *:
    """
    #define GECEVAL_LOWEST (-((int64_t) 1 << 60))
    """
    const int64_t LOWEST "GECEVAL_LOWEST"


cdef struct State:
    int32_t node
    # Its profile: cells and what they cost more than the cheapest.
    int32_t size
    int64_t offset
    uint64_t hash
    # The next state of the node.
    int32_t next
    int64_t first_arc
    int64_t last_arc


cdef struct Arc:
    int32_t start
    int32_t end
    int32_t edge
    # Of each cell of the state at its end: where it comes from, and the columns between.
    int64_t offset


cdef struct Way:
    # The preferred way to a cell: its cost, the rank of the last move, where it comes from, and
    # its columns.
    int32_t cost
    int32_t rank
    int32_t origin
    int64_t delta


cdef struct Found:
    int32_t cell
    Way way


cdef struct Scored:
    int64_t score
    int32_t state


@cython.final
cdef class States:
    cdef Task task
    cdef Cells cells
    cdef Lattice lattice
    cdef Bounds bounds
    cdef vector[State] states
    cdef vector[int32_t] first_state
    cdef vector[int32_t] profile_cell
    cdef vector[int32_t] profile_cost
    # Arcs in the order of the nodes that they start from.
    cdef vector[Arc] arcs
    cdef vector[int32_t] origins
    cdef vector[int64_t] deltas
    # Columns before any reference token, of each cell of the first state.
    cdef vector[int64_t] first_deltas
    cdef vector[int32_t] _last_state
    cdef vector[int32_t] _n_states
    # Open addressing; -1 is a free place.
    cdef vector[int32_t] _table
    # The slice that is being made: ways to cells, cells still to be gone on from, and those
    # that matter.
    cdef vector[Way] _slice
    cdef vector[uint64_t] _waiting
    cdef vector[Found] _found
    # The best worth of each cell of a profile so far, and which states are left out.
    cdef vector[int64_t] _reached
    cdef vector[Scored] _scored
    cdef vector[uint8_t] _is_dropped

    cdef bint walk(self, bint is_priced, int32_t beam) except -1 nogil

    cdef inline int64_t end_cell(self) noexcept nogil:
        """The only cell of the only state of the last node."""
        return self.states[self.first_state[self.lattice.n_nodes - 1]].offset

    cdef bint _is_too_much(self) noexcept nogil

    cdef int _start(self) except -1 nogil

    cdef int _leave(self, int32_t state, bint is_priced) except -1 nogil

    cdef int _follow(self, const State* state, const Edge* edge, int32_t most) except -1 nogil

    cdef int _add_arc(
        self, int32_t start, int32_t end, int32_t edge, bint is_priced
    ) except -1 nogil

    cdef void _push(
        self, int32_t cell, int32_t cost, int32_t rank, int32_t origin, int64_t delta
    ) noexcept nogil

    cdef int32_t _take_token(self, const State* state, int32_t token) noexcept nogil

    cdef int _close_slice(self, int32_t node, int32_t first, int32_t most) except -1 nogil

    cdef int32_t _keep_state(self, int32_t node, int32_t most) except -1 nogil

    cdef int _drop_cells(self, int32_t node, int32_t most) except -1 nogil

    cdef int32_t _add_state(self, int32_t node, uint64_t hash) except -1 nogil

    cdef bint _is_same(self, const State* state) noexcept nogil

    cdef int _grow_table(self) except -1 nogil

    cdef int32_t _cost_at_pivot(self, const State* state) noexcept nogil

    cdef int _drop_states(self, int32_t node, int32_t beam) except -1 nogil

    cdef int64_t _score(self, const State* state) noexcept nogil
