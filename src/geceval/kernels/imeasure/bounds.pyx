# distutils: language = c++
"""Lower bounds of costs and upper bounds of the objective, for the rest of an alignment.

Both are shortest (longest) paths of a DAG, found backwards over the lattice for every node v and
cell c, whatever path follows; e = (v, w) are the edges of v, and c + d the cells that follow c:

    lower[v, c] = min over e, d of  lower[w, c + d] + cost(column of e and d) - cost(e)
    upper[v, c] = max over e, d of  upper[w, c + d] + value(column) - mu (cost(column) - cost(e))

Costs are differences from the pivot of the node. Only optimal alignments count; the upper bound
relaxes that (Lagrange): whatever an alignment costs more than the pivot is paid at a rate mu.
"""

from libc.stdint cimport int16_t, int32_t, int64_t

cimport cython

from geceval.kernels.imeasure.carrillo_lipman cimport CellGraph, distance
from geceval.kernels.imeasure.column_counts cimport Objective
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.sum_of_pairs cimport GAP, INFINITE, MISMATCH, NO_TOKEN
from geceval.kernels.imeasure.token_lattice cimport Edge, TokenLattice

cdef enum:
    # Nodes times cells: what the tables may hold, 8 bytes each.
    MOST_BOUNDS = 50_000_000
    UNREACHABLE = -(1 << 30)


cdef inline int64_t abs64(int64_t value) noexcept nogil:
    return -value if value < 0 else value


cdef inline int64_t rounded_up(int64_t value, int64_t shift) noexcept nogil:
    return -((-value) >> shift)


cdef inline int32_t full_column(
    const ColumnValues* values, int32_t s, int32_t h, int32_t r
) noexcept nogil:
    if s == h:
        return values.full_tn if h == r else values.full_fn
    if s == r:
        return values.full_fp
    return values.full_tp if h == r else values.full_fpn


@cython.final
cdef class Bounds:
    """The bounds of one sentence after the other; keeps its memory."""

    def __init__(self, SearchProblem problem, TokenLattice lattice):
        self.problem = problem
        self.cells = lattice.cells
        self.lattice = lattice

    cdef bint fit(self) noexcept nogil:
        """Whether there is room for the sentence."""
        return self.lattice.n_nodes * (<int64_t> self.cells.graph.n_cells + 1) <= MOST_BOUNDS

    cdef bint find(self) except -1 nogil:
        """Bound from below the cost of the rest of an alignment, relative to the pivot.

        Returns whether it was done within the allowed steps.
        """
        cdef int32_t node, number, cell, end = self.lattice.n_nodes - 1
        cdef int32_t none = self.cells.graph.n_cells
        cdef int64_t width = none + 1
        cdef int16_t* before_token
        self.before_token.resize(self.lattice.n_nodes * width)
        self.before_any.resize(self.lattice.n_nodes * width)
        for node in range(end, -1, -1):
            before_token = self.before_token.data() + node * width
            for cell in range(none + 1):
                before_token[cell] = INFINITE
            if node == end:
                before_token[none - 1] = 0
            for number in range(self.lattice.leaving[node], self.lattice.leaving[node + 1]):
                self.problem.count(width)
                if self.problem.is_over():
                    return False
                self._take_edge(&self.lattice.edges[number])
            self._lower_by_gaps(node)
        return True

    cdef void _take_edge(self, const Edge* edge) noexcept nogil:
        """Lower the bounds before a token by those after an edge."""
        cdef CellGraph graph = self.cells.graph
        cdef int32_t none = graph.n_cells, token = edge.token, cell, value, other
        cdef int32_t source_cost, hypothesis_cost, cost = edge.cost
        cdef int64_t width = none + 1
        cdef int16_t* before = self.before_token.data() + edge.start * width
        cdef const int16_t* following
        if token == NO_TOKEN:
            following = self.before_token.data() + edge.end * width
            for cell in range(none):
                value = following[cell] - cost
                if value < before[cell]:
                    before[cell] = <int16_t> value
            return
        following = self.before_any.data() + edge.end * width
        for cell in range(none):
            source_cost = 0 if graph.source[cell] == token else MISMATCH
            hypothesis_cost = 0 if graph.hypothesis[cell] == token else MISMATCH
            value = following[cell] + GAP
            other = following[graph.below[cell]] + GAP + source_cost
            value = min(value, other)
            other = following[graph.right[cell]] + GAP + hypothesis_cost
            value = min(value, other)
            other = following[graph.diagonal[cell]] + source_cost + hypothesis_cost
            other += 0 if graph.source[cell] == graph.hypothesis[cell] else MISMATCH
            value = min(value, other) - cost
            if value < before[cell]:
                before[cell] = <int16_t> value

    cdef void _lower_by_gaps(self, int32_t node) noexcept nogil:
        """Take the columns without a reference token, from the last cell back."""
        cdef CellGraph graph = self.cells.graph
        cdef int32_t none = graph.n_cells, cell, value, other, steepest
        cdef int32_t x = self.lattice.pivot_row[node], y = self.lattice.pivot_column[node]
        cdef int16_t* before_token = self.before_token.data() + node * <int64_t> (none + 1)
        cdef int16_t* before_any = self.before_any.data() + node * <int64_t> (none + 1)
        before_any[none] = INFINITE
        for cell in range(none - 1, -1, -1):
            # One token more or less costs at most this.
            steepest = -GAP * distance(graph, cell, x, y)
            value = max(before_token[cell], steepest)
            before_token[cell] = <int16_t> value
            value = min(value, before_any[graph.below[cell]] + GAP)
            value = min(value, before_any[graph.right[cell]] + GAP)
            other = before_any[graph.diagonal[cell]] + GAP
            other += 0 if graph.source[cell] == graph.hypothesis[cell] else MISMATCH
            value = min(value, other)
            before_any[cell] = <int16_t> max(min(value, INFINITE), steepest)

    cdef bint find_upper_bounds(
        self, const Objective* objective, int64_t n_columns
    ) except -1 nogil:
        """Bound the objective of the rest from above, less mu times its extra cost.

        Without that penalty, columns could be split for gain. Returns whether it was done within
        the allowed steps.
        """
        cdef int32_t node, number, cell, end = self.lattice.n_nodes - 1
        cdef int32_t none = self.cells.graph.n_cells
        cdef int64_t width = none + 1
        cdef int32_t* upper
        self._round_objective(objective, n_columns)
        self.upper.resize(self.lattice.n_nodes * width)
        for node in range(end, -1, -1):
            upper = self.upper.data() + node * width
            for cell in range(none + 1):
                upper[cell] = UNREACHABLE
            if node == end:
                upper[none - 1] = 0
            for number in range(self.lattice.leaving[node], self.lattice.leaving[node + 1]):
                self.problem.count(width)
                if self.problem.is_over():
                    return False
                self._raise_by_edge(&self.lattice.edges[number])
            self._raise_by_gaps(node)
        return True

    cdef void _round_objective(self, const Objective* objective, int64_t n_columns) noexcept nogil:
        """Round the coefficients up so far that every sum of them has 30 bits."""
        cdef int64_t highest = 1, shift = 0
        highest = max(highest, abs64(objective.tp), abs64(objective.tn), abs64(objective.fp))
        highest = max(highest, abs64(objective.fn), abs64(objective.fpn))
        # A column has this value at most and costs 9, each a quarter of it.
        while 4 * (highest >> shift) * n_columns >= 1 << 29:
            shift += 1
        self.rounded.tp = rounded_up(objective.tp, shift)
        self.rounded.tn = rounded_up(objective.tn, shift)
        self.rounded.fp = rounded_up(objective.fp, shift)
        self.rounded.fn = rounded_up(objective.fn, shift)
        self.rounded.fpn = rounded_up(objective.fpn, shift)
        self.rounded.constant = rounded_up(objective.constant, shift)
        highest = max(self.rounded.tp, self.rounded.fp, self.rounded.fn, self.rounded.fpn)
        self.multiplier = max(0, (2 * highest - self.rounded.tn) // 8 + 1)
        self._values.gap_tp = <int32_t> (self.rounded.tp - self.multiplier * GAP)
        self._values.gap_fp = <int32_t> (self.rounded.fp - self.multiplier * GAP)
        self._values.gap_fn = <int32_t> (self.rounded.fn - self.multiplier * GAP)
        self._values.pair_fpn = <int32_t> (self.rounded.fpn - self.multiplier * (GAP + MISMATCH))
        self._values.full_tp = <int32_t> (self.rounded.tp - self.multiplier * 2 * MISMATCH)
        self._values.full_tn = <int32_t> self.rounded.tn
        self._values.full_fp = <int32_t> (self.rounded.fp - self.multiplier * 2 * MISMATCH)
        self._values.full_fn = <int32_t> (self.rounded.fn - self.multiplier * 2 * MISMATCH)
        self._values.full_fpn = <int32_t> (self.rounded.fpn - self.multiplier * 3 * MISMATCH)

    cdef void _raise_by_edge(self, const Edge* edge) noexcept nogil:
        """Raise the upper bounds before an edge by those after it."""
        cdef CellGraph graph = self.cells.graph
        cdef int32_t none = graph.n_cells, token = edge.token, cell, value, other
        cdef int64_t width = none + 1
        cdef ColumnValues values = self._values
        cdef int32_t constant = <int32_t> self.multiplier * edge.cost
        cdef int32_t* upper = self.upper.data() + edge.start * width
        cdef const int32_t* following = self.upper.data() + edge.end * width
        if token == NO_TOKEN:
            for cell in range(none):
                upper[cell] = max(upper[cell], following[cell] + constant)
            return
        for cell in range(none):
            value = following[cell] + values.gap_fn
            other = following[graph.below[cell]]
            other += values.gap_fp if graph.source[cell] == token else values.pair_fpn
            value = max(value, other)
            other = following[graph.right[cell]]
            other += values.gap_tp if graph.hypothesis[cell] == token else values.pair_fpn
            value = max(value, other)
            other = following[graph.diagonal[cell]]
            other += full_column(&values, graph.source[cell], graph.hypothesis[cell], token)
            upper[cell] = max(upper[cell], max(value, other) + constant)

    cdef void _raise_by_gaps(self, int32_t node) noexcept nogil:
        """Take the columns without a reference token, from the last cell back."""
        cdef CellGraph graph = self.cells.graph
        cdef int32_t none = graph.n_cells, cell, value, other
        cdef ColumnValues values = self._values
        cdef int32_t* upper = self.upper.data() + node * <int64_t> (none + 1)
        for cell in range(none - 1, -1, -1):
            value = max(upper[cell], upper[graph.below[cell]] + values.gap_tp)
            value = max(value, upper[graph.right[cell]] + values.gap_fp)
            other = upper[graph.diagonal[cell]]
            if graph.source[cell] == graph.hypothesis[cell]:
                other += values.gap_fn
            else:
                other += values.pair_fpn
            upper[cell] = max(value, other)
