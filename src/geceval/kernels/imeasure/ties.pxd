"""The choice among the references that reach the best ratio."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.baseline cimport Baseline
from geceval.kernels.imeasure.counts cimport Counts
from geceval.kernels.imeasure.ratio cimport BestRatio
from geceval.kernels.imeasure.states cimport States
from geceval.kernels.imeasure.task cimport Task


cdef struct Item:
    # A way to a cell of a state and to a row of the source's own alignment.
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
    # The way up to here: the arc and the trace before it, then its own trace.
    int32_t arc
    int32_t trace


cdef struct Trace:
    int32_t before
    int32_t arc


@cython.final
cdef class Ties:
    cdef Task task
    cdef States states
    cdef BestRatio best
    cdef Baseline baseline
    # The reference that was chosen.
    cdef Counts counts
    cdef Counts base
    cdef vector[int32_t] reference
    # Ways to cells of states ahead, in lists; memory of those no longer needed is a list too.
    cdef vector[Item] _pending
    cdef vector[int32_t] _pending_first
    cdef int32_t _unused
    # Ways to each cell of the state at hand.
    cdef vector[Item] _items
    cdef vector[int64_t] _items_first
    cdef vector[int64_t] _items_last
    cdef vector[Item] _gathered
    cdef vector[Trace] _traces
    # Edges of the chosen path.
    cdef vector[int32_t] _path

    cdef bint choose(self) except -1 nogil

    cdef bint _carry(self) except -1 nogil

    cdef bint _is_too_much(self) noexcept nogil

    cdef int _start(self) except -1 nogil

    cdef int _add(self, int64_t at, Item item) except -1 nogil

    cdef int _extend(self, int32_t arc, int64_t start, int64_t end, int64_t delta) except -1 nogil

    cdef int64_t _first_at(self, int64_t first, int64_t last, int32_t row) noexcept nogil

    cdef int _gather(self, int64_t at) except -1 nogil

    cdef int _settle(self, int64_t at) except -1 nogil

    cdef bint _is_worse(self, const Item* item, const Item* other) noexcept nogil

    cdef int _take_best(self) except -1 nogil

    cdef int _take_any(self) except -1 nogil

    cdef int _spell(self) except -1 nogil
