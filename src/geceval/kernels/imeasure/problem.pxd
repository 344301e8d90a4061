"""The problem to solve, and the steps taken so far."""

from libc.stdint cimport int32_t, int64_t

cimport cython

from geceval.kernels.imeasure.column_counts cimport (
    BY_I,
    BY_WACC,
    ColumnCounts,
    Criterion,
    Fraction,
    RankingKey,
    plus,
    ranking_key,
    ratio,
    side_of,
)
from geceval.kernels.interrupt cimport check_stop


@cython.final
cdef class SearchProblem:
    cdef Criterion criterion
    # Counts of the text before, where the whole text is optimized.
    cdef ColumnCounts before
    cdef ColumnCounts base_before
    # Steps that were taken for the sentence and may be, those at which the stage at hand ends,
    # and how many states a beam has.
    cdef int64_t steps
    cdef int64_t limit
    cdef int64_t _stage_end
    cdef int32_t beam_width
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

    cdef inline int32_t ratio_metric(self) noexcept nogil:
        """I is no ratio of counts; of those that are, WAcc decides it."""
        return BY_WACC if self.criterion.metric == BY_I else self.criterion.metric

    cdef inline Fraction total_fraction(self, ColumnCounts counts) noexcept nogil:
        """The ratio to maximize, with the text before."""
        cdef ColumnCounts total = side_of(&self.criterion, plus(self.before, counts))
        return ratio(&self.criterion, self.ratio_metric(), total)

    cdef inline RankingKey total_key(self, ColumnCounts counts, ColumnCounts base) noexcept nogil:
        """The key that references are ranked by, with the text before."""
        return ranking_key(&self.criterion, plus(self.before, counts), plus(self.base_before, base))
