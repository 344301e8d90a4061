"""The choice among the references that reach the best ratio."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.column_counts cimport ColumnCounts
from geceval.kernels.imeasure.dinkelbach cimport Dinkelbach
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.source_alignment cimport SourceAlignment
from geceval.kernels.imeasure.state_graph cimport StateGraph


cdef struct Label:
    # A label of multi-objective search: a path to a cell of a state and to a row of the
    # alignment of the source.
    int64_t counts
    # What WAcc is made of.
    int64_t good
    int64_t wrong
    # Place in the source's own alignment, and its counts.
    int32_t profile
    int32_t row
    int32_t tn
    int32_t fn
    int32_t next
    # The last arc and the backpointer before it, then its own backpointer.
    int32_t arc
    int32_t trace


cdef struct LabelBackpointer:
    int32_t before
    int32_t arc


@cython.final
cdef class ParetoFront:
    cdef SearchProblem problem
    cdef StateGraph states
    cdef Dinkelbach best
    cdef SourceAlignment baseline
    # The reference that was chosen.
    cdef ColumnCounts counts
    cdef ColumnCounts base
    cdef vector[int32_t] reference
    # Labels at cells of states ahead, in lists; unused memory is a free list.
    cdef vector[Label] _pending
    cdef vector[int32_t] _pending_first
    cdef int32_t _unused
    # Labels at each cell of the state at hand.
    cdef vector[Label] _labels
    cdef vector[int64_t] _labels_first
    cdef vector[int64_t] _labels_last
    cdef vector[Label] _collected
    cdef vector[LabelBackpointer] _backpointers
    # Edges of the chosen path.
    cdef vector[int32_t] _path

    cdef bint choose(self) except -1 nogil
    cdef bint _propagate(self) except -1 nogil
    cdef bint _exceeds_limits(self) noexcept nogil
    cdef int _start(self) except -1 nogil
    cdef int _add(self, int64_t at, Label label) except -1 nogil
    cdef int _extend(self, int32_t arc, int64_t start, int64_t end, int64_t delta) except -1 nogil
    cdef int64_t _first_at(self, int64_t first, int64_t last, int32_t row) noexcept nogil
    cdef int _collect(self, int64_t at) except -1 nogil
    cdef int _prune_dominated(self, int64_t at) except -1 nogil
    cdef bint _is_dominated(self, const Label* label, const Label* other) noexcept nogil
    cdef int _take_best(self) except -1 nogil
    cdef int _take_any(self) except -1 nogil
    cdef int _spell(self) except -1 nogil
