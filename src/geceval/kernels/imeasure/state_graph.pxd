"""States: what beginnings of references mean for everything after them; arcs between states."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.bounds cimport Bounds
from geceval.kernels.imeasure.carrillo_lipman cimport Region
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.token_lattice cimport Edge, TokenLattice

cdef extern from *:
    """
    #define GECEVAL_LOWEST (-((int64_t) 1 << 60))
    """
    const int64_t MINUS_INFINITY "GECEVAL_LOWEST"


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


cdef struct Backpointer:
    # The preferred path to a cell: its cost, the rank of the last move, the cell of the state
    # before from which it comes, and its columns.
    int32_t cost
    int32_t rank
    int32_t origin
    int64_t delta


cdef struct FrontierCell:
    int32_t cell
    Backpointer back


cdef struct BeamEntry:
    int64_t bound
    int32_t state


@cython.final
cdef class StateGraph:
    cdef SearchProblem problem
    cdef Region cells
    cdef TokenLattice lattice
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
    # The slice that is being made: paths to cells, a bit set of cells still to be expanded, and
    # the frontier of those that matter.
    cdef vector[Backpointer] _slice
    cdef vector[uint64_t] _queue
    cdef vector[FrontierCell] _frontier
    # Objective of the best prefix to each cell of a profile, and which states are pruned.
    cdef vector[int64_t] _prefix_value
    cdef vector[BeamEntry] _beam
    cdef vector[uint8_t] _is_pruned

    cdef bint build(self, bint is_bounded, int32_t beam) except -1 nogil

    cdef inline int64_t end_cell(self) noexcept nogil:
        """The only cell of the only state of the last node."""
        return self.states[self.first_state[self.lattice.n_nodes - 1]].offset

    cdef bint _exceeds_limits(self) noexcept nogil
    cdef int _start(self) except -1 nogil
    cdef int _expand(self, int32_t state, bint is_bounded) except -1 nogil
    cdef int _extend(self, const State* state, const Edge* edge, int32_t most) except -1 nogil
    cdef int _add_arc(
        self, int32_t start, int32_t end, int32_t edge, bint is_bounded
    ) except -1 nogil
    cdef void _relax(
        self, int32_t cell, int32_t cost, int32_t rank, int32_t origin, int64_t delta
    ) noexcept nogil
    cdef int32_t _take_token(self, const State* state, int32_t token) noexcept nogil
    cdef int _close_slice(self, int32_t node, int32_t first, int32_t most) except -1 nogil
    cdef int32_t _merge_state(self, int32_t node, int32_t most) except -1 nogil
    cdef int _prune_cells(self, int32_t node, int32_t most) except -1 nogil
    cdef int32_t _add_state(self, int32_t node, uint64_t hash) except -1 nogil
    cdef bint _is_same(self, const State* state) noexcept nogil
    cdef int _grow_table(self) except -1 nogil
    cdef int32_t _cost_at_pivot(self, const State* state) noexcept nogil
    cdef int _prune_states(self, int32_t node, int32_t beam) except -1 nogil
    cdef int64_t _upper_bound(self, const State* state) noexcept nogil
