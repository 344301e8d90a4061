# distutils: language = c++
"""The problem to solve: what to maximize, after which text, in how many steps.

All parts of the search share it, and count their steps in it.
"""

from libc.stdint cimport int32_t

cimport cython

from geceval.kernels.imeasure.column_counts cimport (
    BY_I,
    BY_WACC,
    ColumnCounts,
    Fraction,
    RankingKey,
    plus,
    ratio,
    side_of,
    ranking_key,
)


@cython.final
cdef class SearchProblem:
    """What to maximize, the counts of the text before, and the steps."""

    cdef int32_t ratio_metric(self) noexcept nogil:
        """I is no ratio of counts; of those that are, WAcc decides it."""
        return BY_WACC if self.criterion.metric == BY_I else self.criterion.metric

    cdef Fraction total_fraction(self, ColumnCounts counts) noexcept nogil:
        """The ratio to maximize, with the text before."""
        return ratio(
            &self.criterion,
            self.ratio_metric(),
            side_of(&self.criterion, plus(self.before, counts)),
        )

    cdef RankingKey total_key(self, ColumnCounts counts, ColumnCounts base) noexcept nogil:
        """The key that references are ranked by, with the text before."""
        return ranking_key(
            &self.criterion, plus(self.before, counts), plus(self.base_before, base)
        )
