# distutils: language = c++
"""The best ratio that any reference reaches, by Dinkelbach's method.

To maximize N(x) / D(x) over all references x, maximize F(lambda) = N(x) - lambda D(x), which is a
longest path of a DAG, as both are sums over the columns; then set lambda = N(x) / D(x) of the best
x, and repeat until F(lambda) = 0:

    completion[a] = max over arcs a -> b of  completion[b] + N(columns) - lambda D(columns)
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.column_counts cimport (
    N_CLASSES,
    ColumnCounts,
    Fraction,
    ratio,
    side_of,
    unpacked,
    value_of,
)
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.state_graph cimport MINUS_INFINITY, Arc, State, StateGraph


cdef int64_t common_divisor(int64_t a, int64_t b) noexcept nogil:
    while b:
        a, b = b, a % b
    return a


@cython.final
cdef class Dinkelbach:
    """The best ratio of one sentence after the other; keeps its memory."""

    def __init__(self, SearchProblem problem, StateGraph states):
        self.problem = problem
        self.states = states

    cdef bint find(self) except -1 nogil:
        """Iterate lambda until F(lambda) = 0; the completions are those of the last lambda.

        Returns whether it was done within the allowed steps; if not, there is a path that is good.
        """
        cdef Fraction best
        # From above: no ratio is higher than 1, and 0/0 counts as 1. A mere count has no such
        # limit, but there every lambda leads to the best at once.
        self.set_lambda(1, 1)
        while self.find_completions() != 0:
            if self.problem.is_over():
                return False
            best = self.problem.total_fraction(unpacked(self.counts))
            self.set_lambda(best.numerator, best.denominator)
        return True

    cdef void set_lambda(self, int64_t numerator, int64_t denominator) noexcept nogil:
        """Set the coefficients of the objective for lambda = numerator / denominator."""
        cdef int32_t metric = self.problem.ratio_metric(), number
        cdef int64_t[N_CLASSES] coefficients
        cdef ColumnCounts none = unpacked(0), single
        cdef Fraction zero = ratio(&self.problem.criterion, metric, none), one, start
        cdef int64_t divisor = max(1, common_divisor(numerator, denominator))
        numerator //= divisor
        denominator //= divisor
        for number in range(N_CLASSES):
            single = side_of(&self.problem.criterion, unpacked(<int64_t> 1 << (12 * number)))
            one = ratio(&self.problem.criterion, metric, single)
            coefficients[number] = denominator * one.numerator
            coefficients[number] -= numerator * (one.denominator - zero.denominator)
        self.objective.tp = coefficients[0]
        self.objective.tn = coefficients[1]
        self.objective.fp = coefficients[2]
        self.objective.fn = coefficients[3]
        self.objective.fpn = coefficients[4]
        start = self.problem.total_fraction(none)
        self.objective.constant = denominator * start.numerator - numerator * start.denominator

    cdef int64_t find_completions(self) except? -1 nogil:
        """Find the best completion from each cell of each state; return F(lambda)."""
        cdef int64_t number, start, before, after, delta, value, best = MINUS_INFINITY
        cdef int32_t cell
        cdef Arc arc
        cdef int64_t* completion
        cdef int64_t* counts
        self.completion.assign(self.states.profile_cell.size(), MINUS_INFINITY)
        self.completion_counts.assign(self.states.profile_cell.size(), 0)
        completion = self.completion.data()
        counts = self.completion_counts.data()
        completion[self.states.end_cell()] = self.objective.constant
        for number in range(<int64_t> self.states.arcs.size() - 1, -1, -1):
            arc = self.states.arcs[number]
            start = self.states.states[arc.start].offset
            after = self.states.states[arc.end].offset
            for cell in range(self.states.states[arc.end].size):
                if completion[after + cell] == MINUS_INFINITY:
                    continue
                delta = self.states.deltas[arc.offset + cell]
                value = completion[after + cell] + value_of(&self.objective, delta)
                before = start + self.states.origins[arc.offset + cell]
                if value > completion[before]:
                    completion[before] = value
                    counts[before] = counts[after + cell] + delta
        for cell in range(self.states.states[0].size):
            delta = self.states.first_deltas[cell]
            value = completion[cell] + value_of(&self.objective, delta)
            if completion[cell] != MINUS_INFINITY and value > best:
                best = value
                self.counts = delta + counts[cell]
        self.problem.count(2 * <int64_t> self.states.origins.size())
        return best

    cdef int any_path(self, vector[int32_t]& path) except -1 nogil:
        """Append the edges of a path with the best ratio."""
        cdef int32_t state = 0, cell = self._first_cell(), following
        cdef int64_t arc
        while self.states.states[state].node < self.states.lattice.n_nodes - 1:
            arc = self.states.states[state].first_arc
            following = self._best_cell_after(&self.states.states[state], cell, arc)
            while following < 0:
                arc += 1
                following = self._best_cell_after(&self.states.states[state], cell, arc)
            path.push_back(self.states.arcs[arc].edge)
            state = self.states.arcs[arc].end
            cell = following
        return 0

    cdef int32_t _first_cell(self) noexcept nogil:
        """A cell of the first state where a best path begins."""
        cdef int32_t number, cell = 0
        for number in range(self.states.states[0].size):
            if (
                self.completion[number] != MINUS_INFINITY
                and self.states.first_deltas[number] + self.completion_counts[number] == self.counts
            ):
                cell = number
        return cell

    cdef int32_t _best_cell_after(
        self, const State* state, int32_t cell, int64_t arc
    ) noexcept nogil:
        """Return the cell after an arc on the best completion, -1 if that does not take the arc."""
        cdef int64_t offset = self.states.arcs[arc].offset, delta, at
        cdef int64_t before = state.offset + cell
        cdef int32_t end = self.states.arcs[arc].end, number
        for number in range(self.states.states[end].size):
            at = self.states.states[end].offset + number
            delta = self.states.deltas[offset + number]
            if (
                self.states.origins[offset + number] == cell
                and self.completion[at] != MINUS_INFINITY
                and self.completion[at] + value_of(&self.objective, delta)
                == self.completion[before]
                and self.completion_counts[at] + delta == self.completion_counts[before]
            ):
                return number
        return -1
