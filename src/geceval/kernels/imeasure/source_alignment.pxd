"""The alignment of the source itself with the references: the baseline of I."""

from libc.stdint cimport int16_t, int32_t, int64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.carrillo_lipman cimport Region
from geceval.kernels.imeasure.column_counts cimport ColumnCounts
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.token_lattice cimport TokenLattice


cdef struct Profile:
    int32_t size
    int64_t offset
    # The next profile of the node.
    int32_t next


cdef struct ProfileArc:
    # Over an edge from one profile to another, with a move to each of its rows.
    int32_t profile
    int64_t offset


cdef struct RowBackpointer:
    # The place in the profile before, and the columns between.
    int32_t origin
    int32_t tn
    int32_t fn


@cython.final
cdef class SourceAlignment:
    cdef SearchProblem problem
    cdef Region cells
    cdef TokenLattice lattice
    # Cost of the reference farthest from the source, at most.
    cdef int64_t detour
    cdef vector[Profile] profiles
    cdef vector[int32_t] rows
    cdef vector[ProfileArc] steps
    cdef vector[RowBackpointer] moves
    cdef vector[int32_t] _costs
    cdef vector[int32_t] _first_profile
    cdef unordered_map[int64_t, int32_t] _known
    # By node and row: how much cheaper than at the pivot the rest is at least.
    cdef vector[int16_t] _bound
    cdef vector[int32_t] _detours
    # The line that is being made: cost of each row and the move to it.
    cdef vector[int32_t] _line
    cdef vector[int32_t] _next_line
    cdef vector[RowBackpointer] _line_move
    cdef vector[RowBackpointer] _next_move
    cdef vector[int32_t] _pair_costs

    cdef int find_bounds(self) except -1 nogil
    cdef void _take_edge(self, int32_t number) noexcept nogil
    cdef int32_t start(self) except -1 nogil
    cdef int32_t step(self, int32_t profile, int32_t edge) except -1 nogil
    cdef void _unfold(self, const Profile* profile) noexcept nogil
    cdef void _take_token(self, int32_t token) noexcept nogil
    cdef int32_t _keep(self, int32_t node) except -1 nogil
    cdef bint _is_same(self, const Profile* one, const Profile* other) noexcept nogil
    cdef int count(self, const vector[int32_t]& reference, ColumnCounts* counts) except -1 nogil
