# distutils: language = c++
"""What the rest of an alignment costs at least, and what it may be worth at most.

Both are found backwards over the lattice, for every node and cell, whatever path follows. They
are told as differences from the pivot of the node.
"""

from libc.stdint cimport int16_t, int32_t, int64_t

cimport cython

from geceval.kernels.imeasure.cells cimport Grid, distance
from geceval.kernels.imeasure.costs cimport GAP, INFINITE, MISMATCH, NO_TOKEN
from geceval.kernels.imeasure.counts cimport Price
from geceval.kernels.imeasure.lattice cimport Edge, Lattice
from geceval.kernels.imeasure.task cimport Task

cdef enum:
    # Nodes times cells: what the tables may hold, 8 bytes each.
    MOST_BOUNDS = 50_000_000
    HOPELESS = -(1 << 30)


cdef inline int64_t abs64(int64_t value) noexcept nogil:
    return -value if value < 0 else value


cdef inline int64_t rounded_up(int64_t value, int64_t shift) noexcept nogil:
    return -((-value) >> shift)


cdef inline int32_t full_column(
    const Worths* worth, int32_t s, int32_t h, int32_t r
) noexcept nogil:
    if s == h:
        return worth.full_tn if h == r else worth.full_fn
    if s == r:
        return worth.full_fp
    return worth.full_tp if h == r else worth.full_fpn


@cython.final
cdef class Bounds:
    """The bounds of one sentence after the other; keeps its memory."""

    def __init__(self, Task task, Lattice lattice):
        self.task = task
        self.cells = lattice.cells
        self.lattice = lattice

    cdef bint fit(self) noexcept nogil:
        """Whether there is room for the sentence."""
        return self.lattice.n_nodes * (<int64_t> self.cells.grid.n_cells + 1) <= MOST_BOUNDS

    # Costs.

    cdef bint find(self) except -1 nogil:
        """How much cheaper than from the pivot the rest of an alignment is at least.

        Returns whether it was done within the allowed steps.
        """
        cdef int32_t node, number, cell, end = self.lattice.n_nodes - 1
        cdef int32_t none = self.cells.grid.n_cells
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
                self.task.count(width)
                if self.task.is_over():
                    return False
                self._take_edge(&self.lattice.edges[number])
            self._take_rest(node)
        return True

    cdef void _take_edge(self, const Edge* edge) noexcept nogil:
        """Lower the bounds before a token by those after an edge."""
        cdef Grid grid = self.cells.grid
        cdef int32_t none = grid.n_cells, token = edge.token, cell, value, other
        cdef int32_t source_price, hypothesis_price, cost = edge.cost
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
            source_price = 0 if grid.source[cell] == token else MISMATCH
            hypothesis_price = 0 if grid.hypothesis[cell] == token else MISMATCH
            value = following[cell] + GAP
            other = following[grid.below[cell]] + GAP + source_price
            value = min(value, other)
            other = following[grid.right[cell]] + GAP + hypothesis_price
            value = min(value, other)
            other = following[grid.diagonal[cell]] + source_price + hypothesis_price
            other += 0 if grid.source[cell] == grid.hypothesis[cell] else MISMATCH
            value = min(value, other) - cost
            if value < before[cell]:
                before[cell] = <int16_t> value

    cdef void _take_rest(self, int32_t node) noexcept nogil:
        """Take the columns without a reference token, from the last cell back."""
        cdef Grid grid = self.cells.grid
        cdef int32_t none = grid.n_cells, cell, value, other, steepest
        cdef int32_t x = self.lattice.pivot_row[node], y = self.lattice.pivot_column[node]
        cdef int16_t* before_token = self.before_token.data() + node * <int64_t> (none + 1)
        cdef int16_t* before_any = self.before_any.data() + node * <int64_t> (none + 1)
        before_any[none] = INFINITE
        for cell in range(none - 1, -1, -1):
            # One token more or less costs at most this.
            steepest = -GAP * distance(grid, cell, x, y)
            value = max(before_token[cell], steepest)
            before_token[cell] = <int16_t> value
            value = min(value, before_any[grid.below[cell]] + GAP)
            value = min(value, before_any[grid.right[cell]] + GAP)
            other = before_any[grid.diagonal[cell]] + GAP
            other += 0 if grid.source[cell] == grid.hypothesis[cell] else MISMATCH
            value = min(value, other)
            before_any[cell] = <int16_t> max(min(value, INFINITE), steepest)

    # Worths.

    cdef bint find_hopes(self, const Price* price, int64_t n_columns) except -1 nogil:
        """What the rest of an alignment may be worth at most, less what it costs more than from
        the pivot: without this, columns could be split for gain.

        Returns whether it was done within the allowed steps.
        """
        cdef int32_t node, number, cell, end = self.lattice.n_nodes - 1
        cdef int32_t none = self.cells.grid.n_cells
        cdef int64_t width = none + 1
        cdef int32_t* hope
        self._set_rough_price(price, n_columns)
        self.hope.resize(self.lattice.n_nodes * width)
        for node in range(end, -1, -1):
            hope = self.hope.data() + node * width
            for cell in range(none + 1):
                hope[cell] = HOPELESS
            if node == end:
                hope[none - 1] = 0
            for number in range(self.lattice.leaving[node], self.lattice.leaving[node + 1]):
                self.task.count(width)
                if self.task.is_over():
                    return False
                self._hope_for_edge(&self.lattice.edges[number])
            self._hope_for_rest(node)
        return True

    cdef void _set_rough_price(self, const Price* price, int64_t n_columns) noexcept nogil:
        """Round the price up so far that every sum of worths has 30 bits."""
        cdef int64_t highest = 1, shift = 0
        highest = max(highest, abs64(price.tp), abs64(price.tn), abs64(price.fp))
        highest = max(highest, abs64(price.fn), abs64(price.fpn))
        # A column is worth this at most and costs 9 at the rate of a quarter of it.
        while 4 * (highest >> shift) * n_columns >= 1 << 29:
            shift += 1
        self.rough.tp = rounded_up(price.tp, shift)
        self.rough.tn = rounded_up(price.tn, shift)
        self.rough.fp = rounded_up(price.fp, shift)
        self.rough.fn = rounded_up(price.fn, shift)
        self.rough.fpn = rounded_up(price.fpn, shift)
        self.rough.advance = rounded_up(price.advance, shift)
        highest = max(self.rough.tp, self.rough.fp, self.rough.fn, self.rough.fpn)
        self.rate = max(0, (2 * highest - self.rough.tn) // 8 + 1)
        self._worths.gap_tp = <int32_t> (self.rough.tp - self.rate * GAP)
        self._worths.gap_fp = <int32_t> (self.rough.fp - self.rate * GAP)
        self._worths.gap_fn = <int32_t> (self.rough.fn - self.rate * GAP)
        self._worths.pair_fpn = <int32_t> (self.rough.fpn - self.rate * (GAP + MISMATCH))
        self._worths.full_tp = <int32_t> (self.rough.tp - self.rate * 2 * MISMATCH)
        self._worths.full_tn = <int32_t> self.rough.tn
        self._worths.full_fp = <int32_t> (self.rough.fp - self.rate * 2 * MISMATCH)
        self._worths.full_fn = <int32_t> (self.rough.fn - self.rate * 2 * MISMATCH)
        self._worths.full_fpn = <int32_t> (self.rough.fpn - self.rate * 3 * MISMATCH)

    cdef void _hope_for_edge(self, const Edge* edge) noexcept nogil:
        """Raise the hopes before an edge by those after it."""
        cdef Grid grid = self.cells.grid
        cdef int32_t none = grid.n_cells, token = edge.token, cell, value, other
        cdef int64_t width = none + 1
        cdef Worths worth = self._worths
        cdef int32_t advance = <int32_t> self.rate * edge.cost
        cdef int32_t* hope = self.hope.data() + edge.start * width
        cdef const int32_t* following = self.hope.data() + edge.end * width
        if token == NO_TOKEN:
            for cell in range(none):
                hope[cell] = max(hope[cell], following[cell] + advance)
            return
        for cell in range(none):
            value = following[cell] + worth.gap_fn
            other = following[grid.below[cell]]
            other += worth.gap_fp if grid.source[cell] == token else worth.pair_fpn
            value = max(value, other)
            other = following[grid.right[cell]]
            other += worth.gap_tp if grid.hypothesis[cell] == token else worth.pair_fpn
            value = max(value, other)
            other = following[grid.diagonal[cell]]
            other += full_column(&worth, grid.source[cell], grid.hypothesis[cell], token)
            hope[cell] = max(hope[cell], max(value, other) + advance)

    cdef void _hope_for_rest(self, int32_t node) noexcept nogil:
        """Take the columns without a reference token, from the last cell back."""
        cdef Grid grid = self.cells.grid
        cdef int32_t none = grid.n_cells, cell, value, other
        cdef Worths worth = self._worths
        cdef int32_t* hope = self.hope.data() + node * <int64_t> (none + 1)
        for cell in range(none - 1, -1, -1):
            value = max(hope[cell], hope[grid.below[cell]] + worth.gap_tp)
            value = max(value, hope[grid.right[cell]] + worth.gap_fp)
            other = hope[grid.diagonal[cell]]
            other += worth.gap_fn if grid.source[cell] == grid.hypothesis[cell] else worth.pair_fpn
            hope[cell] = max(value, other)
