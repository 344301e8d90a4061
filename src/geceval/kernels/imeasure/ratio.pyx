# distutils: language = c++
"""The best ratio that any reference reaches, by Dinkelbach's method.

The best path for a fixed price of the denominator is found by dynamic programming over the arcs,
and the price is changed until nothing is gained.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.counts cimport (
    N_CLASSES,
    Counts,
    Ratio,
    ratio,
    side_of,
    unpacked,
    worth,
)
from geceval.kernels.imeasure.states cimport LOWEST, Arc, State, States
from geceval.kernels.imeasure.task cimport Task


cdef int64_t common_divisor(int64_t a, int64_t b) noexcept nogil:
    while b:
        a, b = b, a % b
    return a


@cython.final
cdef class BestRatio:
    """The best ratio of one sentence after the other; keeps its memory."""

    def __init__(self, Task task, States states):
        self.task = task
        self.states = states

    cdef bint find(self) except -1 nogil:
        """Change the price until no reference gains anything; its worths are left as they are.

        Returns whether it was done within the allowed steps; if not, there is a path that is good.
        """
        cdef Ratio best
        # From above: no ratio is higher than 1, and 0/0 counts as 1. What is only counted has
        # no such limit, but there every price leads to the best at once.
        self.set_price(1, 1)
        while self.find_rest() != 0:
            if self.task.is_over():
                return False
            best = self.task.total_ratio(unpacked(self.counts))
            self.set_price(best.above, best.below)
        return True

    cdef void set_price(self, int64_t above, int64_t below) noexcept nogil:
        """Give each class of columns its worth if the ratio above/below is the price."""
        cdef int32_t metric = self.task.ratio_metric(), number
        cdef int64_t[N_CLASSES] worths
        cdef Counts none = unpacked(0), single
        cdef Ratio zero = ratio(&self.task.rule, metric, none), one, start
        cdef int64_t divisor = max(1, common_divisor(above, below))
        above //= divisor
        below //= divisor
        for number in range(N_CLASSES):
            single = side_of(&self.task.rule, unpacked(<int64_t> 1 << (12 * number)))
            one = ratio(&self.task.rule, metric, single)
            worths[number] = below * one.above - above * (one.below - zero.below)
        self.price.tp = worths[0]
        self.price.tn = worths[1]
        self.price.fp = worths[2]
        self.price.fn = worths[3]
        self.price.fpn = worths[4]
        start = self.task.total_ratio(none)
        self.price.advance = below * start.above - above * start.below

    cdef int64_t find_rest(self) except? -1 nogil:
        """Find the best rest of a path for each cell of each state; return the best worth."""
        cdef int64_t number, start, before, after, delta, value, best = LOWEST
        cdef int32_t cell
        cdef Arc arc
        cdef int64_t* rest
        cdef int64_t* counts
        self.rest.assign(self.states.profile_cell.size(), LOWEST)
        self.rest_counts.assign(self.states.profile_cell.size(), 0)
        rest = self.rest.data()
        counts = self.rest_counts.data()
        rest[self.states.end_cell()] = self.price.advance
        for number in range(<int64_t> self.states.arcs.size() - 1, -1, -1):
            arc = self.states.arcs[number]
            start = self.states.states[arc.start].offset
            after = self.states.states[arc.end].offset
            for cell in range(self.states.states[arc.end].size):
                if rest[after + cell] == LOWEST:
                    continue
                delta = self.states.deltas[arc.offset + cell]
                value = rest[after + cell] + worth(&self.price, delta)
                before = start + self.states.origins[arc.offset + cell]
                if value > rest[before]:
                    rest[before] = value
                    counts[before] = counts[after + cell] + delta
        for cell in range(self.states.states[0].size):
            delta = self.states.first_deltas[cell]
            value = rest[cell] + worth(&self.price, delta)
            if rest[cell] != LOWEST and value > best:
                best = value
                self.counts = delta + counts[cell]
        self.task.count(2 * <int64_t> self.states.origins.size())
        return best

    # Some path with the best ratio.

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
                self.rest[number] != LOWEST
                and self.states.first_deltas[number] + self.rest_counts[number] == self.counts
            ):
                cell = number
        return cell

    cdef int32_t _best_cell_after(
        self, const State* state, int32_t cell, int64_t arc
    ) noexcept nogil:
        """Where the best rest of a path goes on after an arc, -1 if it does not take it."""
        cdef int64_t offset = self.states.arcs[arc].offset, delta, at
        cdef int64_t before = state.offset + cell
        cdef int32_t end = self.states.arcs[arc].end, number
        for number in range(self.states.states[end].size):
            at = self.states.states[end].offset + number
            delta = self.states.deltas[offset + number]
            if (
                self.states.origins[offset + number] == cell
                and self.rest[at] != LOWEST
                and self.rest[at] + worth(&self.price, delta) == self.rest[before]
                and self.rest_counts[at] + delta == self.rest_counts[before]
            ):
                return number
        return -1
