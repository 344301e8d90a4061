"""What is asked of a search, and what it has cost so far."""

from libc.stdint cimport int32_t, int64_t

cimport cython

from geceval.kernels.imeasure.counts cimport Counts, Ratio, Rule, Standing
from geceval.kernels.interrupt cimport check_stop


@cython.final
cdef class Task:
    cdef Rule rule
    # Counts of the text before, where the whole text is optimized.
    cdef Counts before
    cdef Counts base_before
    # Steps that were taken for the sentence and may be, those at which the stage at hand ends,
    # and how many states make a node crowded.
    cdef int64_t steps
    cdef int64_t limit
    cdef int64_t _stage_end
    cdef int32_t crowd
    # Steps since somebody looked whether to stop.
    cdef int64_t _unchecked

    cdef inline int count(self, int64_t steps) except -1 nogil:
        """Count steps; raise if whoever waits for them has been interrupted."""
        self.steps += steps
        self._unchecked += steps
        if self._unchecked < 1 << 16:
            return 0
        steps = self._unchecked
        self._unchecked = 0
        return check_stop(steps)

    cdef inline void allow(self, int64_t parts) noexcept nogil:
        """Begin a stage, which may take one of so many equal parts of the steps that are left."""
        self._stage_end = self.steps + max(0, self.limit - self.steps) // parts
        self._stage_end = min(self._stage_end, self.limit)

    cdef inline bint is_over(self) noexcept nogil:
        """Whether more steps were taken than the stage may take."""
        return self.steps > self._stage_end

    cdef int32_t ratio_metric(self) noexcept nogil

    cdef Ratio total_ratio(self, Counts counts) noexcept nogil

    cdef Standing total_standing(self, Counts counts, Counts base) noexcept nogil
