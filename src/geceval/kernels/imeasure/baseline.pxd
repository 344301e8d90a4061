"""The source's own alignment with the references: what leaving it as it is would be."""

from libc.stdint cimport int16_t, int32_t, int64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.cells cimport Cells
from geceval.kernels.imeasure.counts cimport Counts
from geceval.kernels.imeasure.lattice cimport Lattice
from geceval.kernels.imeasure.task cimport Task


cdef struct Profile:
    int32_t size
    int64_t offset
    # The next profile of the node.
    int32_t next


cdef struct Step:
    # Over an edge from one profile to another, with a move to each of its rows.
    int32_t profile
    int64_t offset


cdef struct Move:
    # The place in the profile before, and the columns between.
    int32_t origin
    int32_t tn
    int32_t fn


@cython.final
cdef class Baseline:
    cdef Task task
    cdef Cells cells
    cdef Lattice lattice
    # Cost of the reference farthest from the source, at most.
    cdef int64_t detour
    cdef vector[Profile] profiles
    cdef vector[int32_t] rows
    cdef vector[Step] steps
    cdef vector[Move] moves
    cdef vector[int32_t] _costs
    cdef vector[int32_t] _first_profile
    cdef unordered_map[int64_t, int32_t] _known
    # By node and row: how much cheaper than at the pivot the rest is at least.
    cdef vector[int16_t] _bound
    cdef vector[int32_t] _detours
    # The line that is being made: cost of each row and the move to it.
    cdef vector[int32_t] _line
    cdef vector[int32_t] _next_line
    cdef vector[Move] _line_move
    cdef vector[Move] _next_move
    cdef vector[int32_t] _pair_costs

    cdef int find_bounds(self) except -1 nogil

    cdef void _take_edge(self, int32_t number) noexcept nogil

    cdef int32_t start(self) except -1 nogil

    cdef int32_t step(self, int32_t profile, int32_t edge) except -1 nogil

    cdef void _unfold(self, const Profile* profile) noexcept nogil

    cdef void _take_token(self, int32_t token) noexcept nogil

    cdef int32_t _keep(self, int32_t node) except -1 nogil

    cdef bint _is_same(self, const Profile* one, const Profile* other) noexcept nogil

    cdef int count(self, const vector[int32_t]& reference, Counts* counts) except -1 nogil
