# distutils: language = c++
"""What is asked of a search: what to maximize, after which text, in how many steps.

All parts of the search share it, and count their steps in it.
"""

from libc.stdint cimport int32_t

cimport cython

from geceval.kernels.imeasure.counts cimport (
    BY_I,
    BY_WACC,
    Counts,
    Ratio,
    Standing,
    plus,
    ratio,
    side_of,
    standing,
)


@cython.final
cdef class Task:
    """What to maximize, the counts of the text before, and the steps."""

    cdef int32_t ratio_metric(self) noexcept nogil:
        """I is no ratio of counts; of those that are, WAcc decides it."""
        return BY_WACC if self.rule.metric == BY_I else self.rule.metric

    cdef Ratio total_ratio(self, Counts counts) noexcept nogil:
        """The ratio to maximize, with the text before."""
        return ratio(
            &self.rule, self.ratio_metric(), side_of(&self.rule, plus(self.before, counts))
        )

    cdef Standing total_standing(self, Counts counts, Counts base) noexcept nogil:
        """How a reference stands, with the text before."""
        return standing(
            &self.rule, plus(self.before, counts), plus(self.base_before, base)
        )
