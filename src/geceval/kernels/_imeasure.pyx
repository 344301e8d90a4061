# distutils: language = c++
"""The reference that is best for a hypothesis, out of a lattice with any number of them.

Scoring every path of the lattice is out of the question. What a beginning of a path means for
everything after it is only how much cheaper the alignment is at one cell (source and hypothesis
position) than at another: its *profile*. Beginnings with the same profile at the same node share
one *state*, and there are few of these, because few cells can lie on an optimal alignment at all.

1. Cells. Carrillo and Lipman's argument for any third sentence: an optimal alignment passes only
   cells through which source and hypothesis can be aligned at twice their distance.
2. Lower bounds, backwards over the lattice: how much cheaper than at the node's pivot cell the
   rest of an alignment can be at a cell, whatever path follows. Cells that cannot make up for what
   they cost so far are dropped from the profile; ties are kept.
3. States, forwards; an arc between two states knows, for each cell of the second, from which cell
   of the first the preferred alignment comes and which columns lie between.
4. The best ratio by Dinkelbach's method: the best path for a fixed price of the denominator is
   found by dynamic programming over the arcs, and the price is raised until nothing is gained.
5. Ties. Along the paths that attain the best ratio, the different counts are carried, together
   with those of the source aligned with the same reference, in the same manner.
6. Where a node has very many states: a beam finds a good reference, and an upper bound for what
   states can still reach removes those that cannot be as good.

A sentence that would take more steps than allowed gets the best reference that was found; its
score is a lower bound.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport abs
from libc.string cimport memset
from libcpp.algorithm cimport nth_element, sort
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

import numpy as np

cdef extern from *:
    """
    static inline int geceval_lowest_bit(unsigned long long word) {
        return __builtin_ctzll(word);
    }
    /* The sign of a/b - c/d; b and d are positive. */
    static inline int geceval_compare(long long a, long long b, long long c, long long d) {
        __extension__ typedef __int128 wide;
        wide left = (wide) a * d, right = (wide) c * b;
        return (left > right) - (left < right);
    }
    """
    int lowest_bit "geceval_lowest_bit"(unsigned long long word) noexcept nogil
    int compare_fractions "geceval_compare"(
        long long a, long long b, long long c, long long d
    ) noexcept nogil

cdef enum:
    GAP = 4  # A token against two gaps.
    MISMATCH = 3
    NO_TOKEN = -1
    INFINITE = 30000  # Fits an int16; as a lower bound it only prunes less than it could.

cdef int64_t LOWEST = -(<int64_t> 1 << 60)
cdef int32_t HOPELESS = -(1 << 30)
# Nodes times cells: what the tables of bounds may hold, 8 bytes each.
cdef int64_t MOST_BOUNDS = 50_000_000
# Cells of all arcs, those of states counted four times; 12 bytes each.
cdef int64_t MOST_ARC_CELLS = 8_000_000
# Ways that are remembered, 8 bytes each.
cdef int64_t MOST_TRACES = 20_000_000
# Columns of an alignment; a count has 12 bits.
cdef int64_t MOST_COLUMNS = 4000
cdef int64_t MOST_BOX_CELLS = 2_000_000

# Classes of columns, as packed counts of 12 bits each; FP and FN without those that are both.
cdef int64_t TP = 1
cdef int64_t TN = <int64_t> 1 << 12
cdef int64_t FP = <int64_t> 1 << 24
cdef int64_t FN = <int64_t> 1 << 36
cdef int64_t FPN = <int64_t> 1 << 48

# What may be maximised.
cdef enum:
    BY_TP
    BY_TN
    BY_FP
    BY_FN
    BY_PRECISION
    BY_RECALL
    BY_F
    BY_ACC
    BY_WACC
    BY_I

# What is known about a sentence.
cdef enum:
    EXACT
    BOUND
    FAILED

cdef enum:
    N_STANDING = 8
    N_COUNTS = 7


cdef struct Rule:
    # What to maximise; the weight and beta are fractions.
    int32_t metric
    bint detection
    int64_t weight_above
    int64_t weight_below
    int64_t beta_above
    int64_t beta_below


cdef struct Counts:
    int64_t tp
    int64_t tn
    int64_t fp
    int64_t fn
    int64_t fpn


cdef struct Ratio:
    int64_t above
    int64_t below


cdef struct Price:
    # The ratio of each class of columns at a fixed price of the denominator, and what is paid
    # in advance.
    int64_t tp
    int64_t tn
    int64_t fp
    int64_t fn
    int64_t fpn
    int64_t advance


cdef struct Edge:
    int32_t start
    int32_t end
    int32_t token
    # Cost of the way from pivot to pivot.
    int32_t cost


cdef struct State:
    int32_t node
    int32_t size
    int64_t offset
    uint64_t hash
    int32_t next
    int64_t first_arc
    int64_t last_arc


cdef struct Arc:
    int32_t start
    int32_t end
    int32_t edge
    int64_t offset


cdef struct Cell:
    # A cell of a slice: its cost, the rank of the move to it, and where it comes from.
    int32_t cost
    int32_t rank
    int32_t origin
    int64_t delta


cdef struct Found:
    int32_t cell
    Cell cell_data


cdef struct Scored:
    int64_t score
    int32_t state


cdef struct BaseProfile:
    int32_t size
    int64_t offset
    int32_t node
    int32_t next


cdef struct BaseStep:
    int32_t profile
    int64_t offset


cdef struct BaseMove:
    int32_t origin
    int32_t tn
    int32_t fn


cdef struct Item:
    # A way to a cell of a state and to a cell of the source's own alignment.
    int64_t counts
    # What WAcc is made of.
    int64_t good
    int64_t wrong
    int32_t profile
    int32_t cell
    int32_t tn
    int32_t fn
    int32_t next
    # The way up to here: the arc and the trace before it, then its own trace.
    int32_t arc
    int32_t trace


cdef struct Trace:
    int32_t before
    int32_t arc


cdef bint is_before(const Item& a, const Item& b) noexcept nogil:
    if a.profile != b.profile:
        return a.profile < b.profile
    if a.cell != b.cell:
        return a.cell < b.cell
    if a.tn != b.tn:
        return a.tn < b.tn
    if a.fn != b.fn:
        return a.fn > b.fn
    return a.counts > b.counts


cdef bint scores_higher(const Scored& a, const Scored& b) noexcept nogil:
    return a.score > b.score if a.score != b.score else a.state < b.state


# Counts and ratios.


cdef inline int64_t part(int64_t packed, int32_t number) noexcept nogil:
    return (packed >> (12 * number)) & 0xFFF


cdef inline Counts unpacked(int64_t packed) noexcept nogil:
    cdef Counts counts
    counts.fpn = part(packed, 4)
    counts.tp = part(packed, 0)
    counts.tn = part(packed, 1)
    counts.fp = part(packed, 2) + counts.fpn
    counts.fn = part(packed, 3) + counts.fpn
    return counts


cdef inline Counts plus(Counts a, Counts b) noexcept nogil:
    a.tp += b.tp
    a.tn += b.tn
    a.fp += b.fp
    a.fn += b.fn
    a.fpn += b.fpn
    return a


cdef inline Counts detected(Counts counts) noexcept nogil:
    """Counts for detection: a wrong correction of an error detects it."""
    counts.tp += counts.fpn
    counts.fp -= counts.fpn
    counts.fn -= counts.fpn
    counts.fpn = 0
    return counts


cdef Ratio ratio(const Rule* rule, int32_t metric, Counts c) noexcept nogil:
    """The metric of counts as a fraction of whole numbers; what is counted has 1 below it."""
    cdef Ratio result
    cdef int64_t p, q
    result.below = 1
    if metric == BY_TP:
        result.above = c.tp
    elif metric == BY_TN:
        result.above = c.tn
    elif metric == BY_FP:
        result.above = c.fp
    elif metric == BY_FN:
        result.above = c.fn
    elif metric == BY_PRECISION:
        result.above = c.tp
        result.below = c.tp + c.fp
    elif metric == BY_RECALL:
        result.above = c.tp
        result.below = c.tp + c.fn
    elif metric == BY_F:
        p = rule.beta_above * rule.beta_above
        q = rule.beta_below * rule.beta_below
        result.above = (p + q) * c.tp
        result.below = result.above + p * c.fn + q * c.fp
    elif metric == BY_ACC:
        result.above = c.tp + c.tn
        result.below = result.above + c.fp + c.fn - c.fpn
    else:
        p = rule.weight_above
        q = rule.weight_below
        result.above = 2 * (p * c.tp + q * c.tn)
        result.below = result.above + 2 * (p * c.fp + q * c.fn) - (p + q) * c.fpn
    return result


cdef inline Ratio defined(Ratio value) noexcept nogil:
    """Nothing of nothing is all of it."""
    if not value.below:
        value.above = value.below = 1
    return value


cdef Ratio improvement(Ratio system, Ratio base) noexcept nogil:
    """I, from the weighted accuracies of the system and of the source itself."""
    cdef int64_t gain = system.above * base.below - base.above * system.below
    cdef Ratio result
    result.above = gain
    if gain > 0:
        result.below = system.below * (base.below - base.above)
    elif gain < 0:
        result.below = system.below * base.above
    else:
        result.above = system.above == system.below
        result.below = 1
    return result


cdef void standing(const Rule* rule, Counts counts, Counts base, Ratio* values) noexcept nogil:
    """What references are compared by, most important first."""
    cdef Counts side
    cdef Ratio wacc
    # Without corrections no weight enters, and the numbers stay small.
    cdef Ratio base_wacc = defined(ratio(rule, BY_ACC, base))
    cdef int32_t number
    for number in range(2):
        side = detected(counts) if rule.detection == (number == 0) else counts
        wacc = defined(ratio(rule, BY_WACC, side))
        values[4 * number + 1] = improvement(wacc, base_wacc)
        values[4 * number + 2] = wacc
        values[4 * number + 3] = defined(ratio(rule, BY_ACC, side))
        if rule.metric == BY_I:
            values[4 * number] = values[4 * number + 1]
        else:
            values[4 * number] = defined(ratio(rule, rule.metric, side))


cdef bint stands_higher(const Ratio* values, const Ratio* others) noexcept nogil:
    cdef int32_t place, order
    for place in range(N_STANDING):
        order = compare_fractions(
            values[place].above, values[place].below, others[place].above, others[place].below
        )
        if order:
            return order > 0
    return False


cdef int64_t common_divisor(int64_t a, int64_t b) noexcept nogil:
    while b:
        a, b = b, a % b
    return a


cdef inline int64_t worth(const Price* price, int64_t packed) noexcept nogil:
    return (
        price.tp * part(packed, 0)
        + price.tn * part(packed, 1)
        + price.fp * part(packed, 2)
        + price.fn * part(packed, 3)
        + price.fpn * part(packed, 4)
    )


cdef inline int64_t column_class(int32_t s, int32_t h, int32_t r) noexcept nogil:
    if s == h:
        return TN if h == r else FN
    if s == r:
        return FP
    return TP if h == r else FPN


cdef inline int64_t abs64(int64_t value) noexcept nogil:
    return -value if value < 0 else value


cdef inline int64_t rounded_up(int64_t value, int64_t shift) noexcept nogil:
    return -((-value) >> shift)


cdef inline uint64_t mixed(uint64_t hash, uint64_t value) noexcept nogil:
    hash = (hash ^ value) * <uint64_t> 0x9E3779B97F4A7C15
    return hash ^ (hash >> 29)


cdef class Solver:
    """Solves one sentence after the other; keeps its memory."""

    cdef Rule rule
    cdef int32_t crowd
    cdef int64_t limit
    cdef int64_t steps
    # Counts of the text before, where the whole text is optimised.
    cdef Counts before
    cdef Counts base_before

    # The sentence.
    cdef const int32_t* source
    cdef const int32_t* hypothesis
    cdef int32_t n
    cdef int32_t m
    # Columns of the longest alignment.
    cdef int64_t n_columns
    cdef vector[int32_t] forward_costs
    cdef vector[int32_t] backward_costs
    cdef vector[int32_t] first_column
    # Cells that may matter, row by row; the last number stands for all others.
    cdef int32_t n_cells
    cdef vector[int32_t] cell_at
    cdef vector[int32_t] row
    cdef vector[int32_t] column
    cdef vector[int32_t] below
    cdef vector[int32_t] right
    cdef vector[int32_t] diagonal
    cdef vector[int32_t] source_token
    cdef vector[int32_t] hypothesis_token

    # The lattice, at most one token on an edge.
    cdef int32_t n_nodes
    cdef vector[Edge] edges
    cdef vector[Edge] unsorted
    cdef vector[int32_t] leaving
    cdef vector[int32_t] pivot_row
    cdef vector[int32_t] pivot_column
    cdef vector[int32_t] numbers
    cdef vector[int32_t] box
    cdef vector[int32_t] box_rows
    cdef vector[int32_t] box_columns
    cdef vector[int32_t] box_costs

    # Bounds: of the cost where the next column has a reference token, of any cost, of the worth.
    cdef vector[int16_t] leaving_bound
    cdef vector[int16_t] bound
    cdef vector[int32_t] hope
    cdef Price rough
    cdef int64_t rate

    # States, arcs, and the slice that is being made.
    cdef vector[State] states
    cdef vector[int32_t] first_state
    cdef vector[int32_t] last_state
    cdef vector[int32_t] n_states
    cdef vector[int32_t] table
    cdef vector[int32_t] profile_cell
    cdef vector[int32_t] profile_cost
    cdef vector[int64_t] reached
    cdef vector[Arc] arcs
    cdef vector[int32_t] origins
    cdef vector[int64_t] deltas
    cdef vector[int64_t] first_deltas
    cdef vector[Cell] slice
    cdef vector[uint64_t] waiting
    cdef vector[Found] found
    cdef vector[Scored] scored
    cdef vector[uint8_t] is_dropped

    # The best ratio: worth and counts of the best rest of a path from each cell of each state.
    cdef Price price
    cdef vector[int64_t] rest
    cdef vector[int64_t] rest_counts
    cdef int64_t best_counts

    # The source's own alignment.
    cdef vector[int16_t] base_bound
    cdef vector[BaseProfile] base_profiles
    cdef vector[int32_t] base_rows
    cdef vector[int32_t] base_costs
    cdef vector[int32_t] base_first
    cdef vector[BaseStep] base_steps
    cdef vector[BaseMove] base_moves
    cdef unordered_map[int64_t, int32_t] base_known
    cdef vector[int32_t] line_cost
    cdef vector[int32_t] next_cost
    cdef vector[BaseMove] line_move
    cdef vector[BaseMove] next_move
    cdef int64_t base_detour

    # Ways that attain the best ratio.
    cdef vector[Item] pending
    cdef vector[int32_t] pending_first
    cdef int32_t unused
    cdef vector[Trace] traces
    cdef vector[Item] items
    cdef vector[int64_t] items_first
    cdef vector[int64_t] items_last
    cdef vector[Item] gathered

    # The result.
    cdef Counts counts
    cdef Counts base
    cdef vector[int32_t] reference

    # Cells.

    cdef int prepare_cells(self) except -1 nogil:
        """Find the cells that an optimal alignment with any reference may pass."""
        cdef int32_t n = self.n, m = self.m, i, j, value, most
        cdef int64_t width = m + 1, at, size = (<int64_t> n + 1) * width
        cdef int32_t* forward
        cdef int32_t* backward
        cdef const int32_t* s = self.source
        cdef const int32_t* h = self.hypothesis
        self.forward_costs.resize(size)
        self.backward_costs.resize(size)
        forward = self.forward_costs.data()
        backward = self.backward_costs.data()
        for i in range(n + 1):
            for j in range(m + 1):
                at = i * width + j
                if not i or not j:
                    forward[at] = 2 * (i + j)
                    continue
                value = forward[at - width - 1] + (0 if s[i - 1] == h[j - 1] else MISMATCH)
                value = min(value, forward[at - width] + 2)
                forward[at] = min(value, forward[at - 1] + 2)
        for i in range(n, -1, -1):
            for j in range(m, -1, -1):
                at = i * width + j
                if i == n or j == m:
                    backward[at] = 2 * (n - i + m - j)
                    continue
                value = backward[at + width + 1] + (0 if s[i] == h[j] else MISMATCH)
                value = min(value, backward[at + width] + 2)
                backward[at] = min(value, backward[at + 1] + 2)
        most = 2 * backward[0]
        self.row.clear()
        self.column.clear()
        self.cell_at.resize(size)
        for i in range(n + 1):
            for j in range(m + 1):
                at = i * width + j
                self.cell_at[at] = -1
                if forward[at] + backward[at] <= most:
                    self.cell_at[at] = <int32_t> self.row.size()
                    self.row.push_back(i)
                    self.column.push_back(j)
        self.n_cells = <int32_t> self.row.size()
        self._link_cells()
        self._find_first_columns()
        return 0

    cdef int _link_cells(self) except -1 nogil:
        cdef int32_t cell, i, j, none = self.n_cells
        self.below.resize(none)
        self.right.resize(none)
        self.diagonal.resize(none)
        self.source_token.resize(none)
        self.hypothesis_token.resize(none)
        for cell in range(none):
            i = self.row[cell]
            j = self.column[cell]
            self.below[cell] = self.cell_number(i + 1, j)
            self.right[cell] = self.cell_number(i, j + 1)
            self.diagonal[cell] = self.cell_number(i + 1, j + 1)
            # Tokens that equal no other where the sentence is at its end.
            self.source_token[cell] = self.source[i] if i < self.n else -2
            self.hypothesis_token[cell] = self.hypothesis[j] if j < self.m else -3
        return 0

    cdef inline int32_t cell_number(self, int32_t i, int32_t j) noexcept nogil:
        cdef int32_t cell
        if i > self.n or j > self.m:
            return self.n_cells
        cell = self.cell_at[<int64_t> i * (self.m + 1) + j]
        return self.n_cells if cell < 0 else cell

    cdef int _find_first_columns(self) except -1 nogil:
        """Follow one optimal alignment of source and hypothesis from its end."""
        cdef int32_t i = self.n, j = self.m
        cdef int64_t width = self.m + 1, at
        cdef const int32_t* costs = self.forward_costs.data()
        cdef bint is_match
        self.first_column.assign(self.n + 1, 0)
        while True:
            self.first_column[i] = j
            if not i and not j:
                return 0
            at = i * width + j
            if i and j:
                is_match = self.source[i - 1] == self.hypothesis[j - 1]
                if costs[at] == costs[at - width - 1] + (0 if is_match else MISMATCH):
                    i -= 1
                    j -= 1
                    continue
            if i and costs[at] == costs[at - width] + 2:
                i -= 1
            else:
                j -= 1

    # The lattice.

    cdef int prepare_lattice(
        self,
        const int32_t* positions,
        int32_t n_positions,
        const int32_t* starts,
        const int32_t* ends,
        const int64_t* word_offsets,
        const int32_t* words,
        int64_t n_edges,
    ) except -1 nogil:
        """Give every node a pivot cell and split edges so that each has one token at most."""
        cdef int32_t node, position, size, inner, start, end, _
        cdef int64_t edge
        self.numbers.resize(n_positions)
        self.pivot_row.clear()
        self.pivot_column.clear()
        self.unsorted.clear()
        edge = 0
        for node in range(n_positions):
            self.numbers[node] = <int32_t> self.pivot_row.size()
            position = min(positions[node], self.n)
            self.pivot_row.push_back(position)
            self.pivot_column.push_back(self.first_column[position])
            while edge < n_edges and starts[edge] == node:
                size = <int32_t> (word_offsets[edge + 1] - word_offsets[edge])
                for _ in range(size - 1):
                    self.pivot_row.push_back(0)
                    self.pivot_column.push_back(0)
                edge += 1
        self.n_nodes = <int32_t> self.pivot_row.size()
        self.pivot_row[0] = 0
        self.pivot_column[0] = 0
        self.pivot_row[self.n_nodes - 1] = self.n
        self.pivot_column[self.n_nodes - 1] = self.m
        inner = 0
        for edge in range(n_edges):
            start = self.numbers[starts[edge]]
            end = self.numbers[ends[edge]]
            if not edge or starts[edge] != starts[edge - 1]:
                inner = start + 1
            size = <int32_t> (word_offsets[edge + 1] - word_offsets[edge])
            self._split(start, end, inner, words + word_offsets[edge], size)
            inner += max(0, size - 1)
        self._sort_edges()
        return 0

    cdef int _split(
        self, int32_t start, int32_t end, int32_t inner, const int32_t* words, int32_t size
    ) except -1 nogil:
        cdef int32_t x = self.pivot_row[start], y = self.pivot_column[start]
        cdef int32_t x_end = self.pivot_row[end], y_end = self.pivot_column[end]
        cdef int32_t number, node = start, following
        self._find_pivots(x, y, x_end, y_end, words, size)
        if not size:
            self._add_edge(start, end, NO_TOKEN, self.box_costs[0])
            return 0
        for number in range(1, size + 1):
            following = end if number == size else inner + number - 1
            if number < size:
                self.pivot_row[following] = x + self.box_rows[number]
                self.pivot_column[following] = y + self.box_columns[number]
            self._add_edge(
                node,
                following,
                words[number - 1],
                self.box_costs[number] - self.box_costs[number - 1],
            )
            node = following
        return 0

    cdef int _add_edge(
        self, int32_t start, int32_t end, int32_t token, int32_t cost
    ) except -1 nogil:
        cdef Edge edge
        edge.start = start
        edge.end = end
        edge.token = token
        edge.cost = cost
        self.unsorted.push_back(edge)
        return 0

    cdef int _sort_edges(self) except -1 nogil:
        cdef int32_t number, size = <int32_t> self.unsorted.size()
        cdef Edge edge
        self.leaving.assign(self.n_nodes + 1, 0)
        self.edges.resize(size)
        for number in range(size):
            self.leaving[self.unsorted[number].start + 1] += 1
        for number in range(self.n_nodes):
            self.leaving[number + 1] += self.leaving[number]
        self.numbers.assign(self.leaving.begin(), self.leaving.end())
        for number in range(size):
            edge = self.unsorted[number]
            self.edges[self.numbers[edge.start]] = edge
            self.numbers[edge.start] += 1
        return 0

    cdef int _find_pivots(
        self, int32_t x, int32_t y, int32_t x_end, int32_t y_end, const int32_t* words, int32_t size
    ) except -1 nogil:
        """Choose cells for the nodes inside an edge; any would do, those of a good alignment
        prune best. Leaves rows, columns and costs since the start of the edge."""
        cdef int32_t rows = x_end - x, columns = y_end - y, number, column
        cdef bint is_source = size == rows and size > 1
        self.box_rows.assign(size + 1, 0)
        self.box_columns.assign(size + 1, 0)
        self.box_costs.assign(size + 1, 0)
        if is_source:
            for number in range(size):
                if words[number] != self.source[x + number]:
                    is_source = False
                    break
        if is_source:
            for number in range(1, size + 1):
                column = self.first_column[x + number] if number < size else y_end
                self.box_rows[number] = number
                self.box_columns[number] = column - y
                self.box_costs[number] = self.box_costs[number - 1] + self._kept_cost(
                    x + number - 1, y + self.box_columns[number - 1], column
                )
        elif (rows + 1) * <int64_t> (columns + 1) * (size + 1) > MOST_BOX_CELLS:
            for number in range(1, size):
                self.box_costs[number] = GAP * number
            self.box_costs[size] = GAP * (size + rows + columns)
        else:
            self._fill_box(x, y, rows, columns, words, size)
            self._trace_box(x, y, rows, columns, words, size)
        return 0

    cdef int32_t _kept_cost(self, int32_t x, int32_t y, int32_t y_end) noexcept nogil:
        """Cost of a source token that the reference keeps, with the hypothesis from y to y_end."""
        cdef int32_t column
        if y == y_end:
            return GAP
        for column in range(y, y_end):
            if self.hypothesis[column] == self.source[x]:
                return GAP * (y_end - y - 1)
        return GAP * (y_end - y - 1) + 2 * MISMATCH

    cdef inline int32_t box_before(
        self,
        int32_t x,
        int32_t y,
        const int32_t* words,
        int32_t columns,
        int32_t size,
        int32_t i,
        int32_t j,
        int32_t k,
        int32_t takes,
    ) noexcept nogil:
        """Cost of a cell of the box if the column `takes` is the last before it."""
        cdef int32_t a = (takes >> 2) & 1, b = (takes >> 1) & 1, c = takes & 1, price = 0
        if a > i or b > j or c > k:
            return INFINITE
        if a and b:
            price += MISMATCH * (self.source[x + i - 1] != self.hypothesis[y + j - 1])
        if a and c:
            price += MISMATCH * (self.source[x + i - 1] != words[k - 1])
        if b and c:
            price += MISMATCH * (self.hypothesis[y + j - 1] != words[k - 1])
        if a + b + c < 3:
            price += GAP
        return price + self.box[
            (<int64_t> (i - a) * (columns + 1) + j - b) * (size + 1) + k - c
        ]

    cdef int _fill_box(
        self,
        int32_t x,
        int32_t y,
        int32_t rows,
        int32_t columns,
        const int32_t* words,
        int32_t size,
    ) except -1 nogil:
        cdef int32_t i, j, k, takes, value
        cdef int64_t at = 0
        self.box.resize((rows + 1) * <int64_t> (columns + 1) * (size + 1))
        for i in range(rows + 1):
            for j in range(columns + 1):
                for k in range(size + 1):
                    value = 0 if not (i or j or k) else INFINITE
                    for takes in range(1, 8):
                        value = min(
                            value, self.box_before(x, y, words, columns, size, i, j, k, takes)
                        )
                    self.box[at] = value
                    at += 1
        return 0

    cdef int _trace_box(
        self,
        int32_t x,
        int32_t y,
        int32_t rows,
        int32_t columns,
        const int32_t* words,
        int32_t size,
    ) except -1 nogil:
        cdef int32_t i = rows, j = columns, k = size, takes, value
        cdef int64_t at
        self.box_rows[size] = rows
        self.box_columns[size] = columns
        self.box_costs[size] = self.box[self.box.size() - 1]
        while k:
            at = (<int64_t> i * (columns + 1) + j) * (size + 1) + k
            value = self.box[at]
            for takes in range(7, 0, -1):
                if self.box_before(x, y, words, columns, size, i, j, k, takes) == value:
                    break
            i -= (takes >> 2) & 1
            j -= (takes >> 1) & 1
            if takes & 1:
                k -= 1
                if k:
                    self.box_rows[k] = i
                    self.box_columns[k] = j
                    self.box_costs[k] = self.box[
                        (<int64_t> i * (columns + 1) + j) * (size + 1) + k
                    ]
        return 0

    cdef inline int32_t distance(self, int32_t cell, int32_t node) noexcept nogil:
        return abs(self.row[cell] - self.pivot_row[node]) + abs(
            self.column[cell] - self.pivot_column[node]
        )

    # Bounds.

    cdef int find_bounds(self) except -1 nogil:
        """How much cheaper than from the pivot the rest of an alignment is at least."""
        cdef int32_t node, number, cell, value, other, end = self.n_nodes - 1
        cdef int32_t none = self.n_cells, token, steepest, source_price, hypothesis_price
        cdef int64_t width = none + 1
        cdef Edge edge
        cdef int16_t* leaving
        cdef int16_t* bound
        cdef const int16_t* following
        cdef const int32_t* below = self.below.data()
        cdef const int32_t* right = self.right.data()
        cdef const int32_t* diagonal = self.diagonal.data()
        cdef const int32_t* source = self.source_token.data()
        cdef const int32_t* hypothesis = self.hypothesis_token.data()
        self.leaving_bound.resize(self.n_nodes * width)
        self.bound.resize(self.n_nodes * width)
        for node in range(end, -1, -1):
            leaving = self.leaving_bound.data() + node * width
            bound = self.bound.data() + node * width
            for cell in range(none + 1):
                leaving[cell] = INFINITE
            if node == end:
                leaving[none - 1] = 0
            for number in range(self.leaving[node], self.leaving[node + 1]):
                edge = self.edges[number]
                token = edge.token
                if token == NO_TOKEN:
                    following = self.leaving_bound.data() + edge.end * width
                    for cell in range(none):
                        value = following[cell] - edge.cost
                        if value < leaving[cell]:
                            leaving[cell] = <int16_t> value
                    continue
                following = self.bound.data() + edge.end * width
                for cell in range(none):
                    source_price = 0 if source[cell] == token else MISMATCH
                    hypothesis_price = 0 if hypothesis[cell] == token else MISMATCH
                    value = following[cell] + GAP
                    other = following[below[cell]] + GAP + source_price
                    value = min(value, other)
                    other = following[right[cell]] + GAP + hypothesis_price
                    value = min(value, other)
                    other = following[diagonal[cell]] + source_price + hypothesis_price
                    other += 0 if source[cell] == hypothesis[cell] else MISMATCH
                    value = min(value, other) - edge.cost
                    if value < leaving[cell]:
                        leaving[cell] = <int16_t> value
            bound[none] = INFINITE
            for cell in range(none - 1, -1, -1):
                # One token more or less costs at most this.
                steepest = -GAP * self.distance(cell, node)
                value = max(leaving[cell], steepest)
                leaving[cell] = <int16_t> value
                value = min(value, bound[below[cell]] + GAP)
                value = min(value, bound[right[cell]] + GAP)
                other = bound[diagonal[cell]] + GAP
                other += 0 if source[cell] == hypothesis[cell] else MISMATCH
                value = min(value, other)
                bound[cell] = <int16_t> max(min(value, INFINITE), steepest)
        self.steps += width * <int64_t> self.edges.size()
        return 0

    cdef int find_hopes(self) except -1 nogil:
        """What the rest of an alignment may be worth at most, less what it costs more than from
        the pivot: without this, columns could be split for gain."""
        cdef int32_t node, number, cell, end = self.n_nodes - 1, none = self.n_cells, token
        cdef int32_t value, other, advance, mu, gap_tp, gap_fp, gap_fn, pair_fpn
        cdef int64_t width = none + 1
        cdef Edge edge
        cdef int32_t* hope
        cdef const int32_t* following
        cdef const int32_t* below = self.below.data()
        cdef const int32_t* right = self.right.data()
        cdef const int32_t* diagonal = self.diagonal.data()
        cdef const int32_t* source = self.source_token.data()
        cdef const int32_t* hypothesis = self.hypothesis_token.data()
        self._set_rough_price()
        mu = <int32_t> self.rate
        gap_tp = <int32_t> self.rough.tp - mu * GAP
        gap_fp = <int32_t> self.rough.fp - mu * GAP
        gap_fn = <int32_t> self.rough.fn - mu * GAP
        pair_fpn = <int32_t> self.rough.fpn - mu * (GAP + MISMATCH)
        self.hope.resize(self.n_nodes * width)
        for node in range(end, -1, -1):
            hope = self.hope.data() + node * width
            for cell in range(none + 1):
                hope[cell] = HOPELESS
            if node == end:
                hope[none - 1] = 0
            for number in range(self.leaving[node], self.leaving[node + 1]):
                edge = self.edges[number]
                token = edge.token
                advance = mu * edge.cost
                following = self.hope.data() + edge.end * width
                if token == NO_TOKEN:
                    for cell in range(none):
                        hope[cell] = max(hope[cell], following[cell] + advance)
                    continue
                for cell in range(none):
                    value = following[cell] + gap_fn
                    other = following[below[cell]]
                    other += gap_fp if source[cell] == token else pair_fpn
                    value = max(value, other)
                    other = following[right[cell]]
                    other += gap_tp if hypothesis[cell] == token else pair_fpn
                    value = max(value, other)
                    other = following[diagonal[cell]]
                    other += self._full_column(source[cell], hypothesis[cell], token)
                    hope[cell] = max(hope[cell], max(value, other) + advance)
            for cell in range(none - 1, -1, -1):
                value = max(hope[cell], hope[below[cell]] + gap_tp)
                value = max(value, hope[right[cell]] + gap_fp)
                other = hope[diagonal[cell]]
                other += gap_fn if source[cell] == hypothesis[cell] else pair_fpn
                hope[cell] = max(value, other)
        self.steps += width * <int64_t> self.edges.size()
        return 0

    cdef void _set_rough_price(self) noexcept nogil:
        """Round the price up so far that every sum of worths has 30 bits."""
        cdef Price rough = self.price
        cdef int64_t highest = 1, shift = 0
        highest = max(highest, abs64(rough.tp), abs64(rough.tn), abs64(rough.fp))
        highest = max(highest, abs64(rough.fn), abs64(rough.fpn))
        # A column is worth this at most and costs 9 at the rate of a quarter of it.
        while 4 * (highest >> shift) * self.n_columns >= 1 << 29:
            shift += 1
        self.rough.tp = rounded_up(rough.tp, shift)
        self.rough.tn = rounded_up(rough.tn, shift)
        self.rough.fp = rounded_up(rough.fp, shift)
        self.rough.fn = rounded_up(rough.fn, shift)
        self.rough.fpn = rounded_up(rough.fpn, shift)
        self.rough.advance = rounded_up(rough.advance, shift)
        highest = max(self.rough.tp, self.rough.fp, self.rough.fn, self.rough.fpn)
        self.rate = max(0, (2 * highest - self.rough.tn) // 8 + 1)

    cdef inline int32_t _full_column(self, int32_t s, int32_t h, int32_t r) noexcept nogil:
        if s == h:
            if h == r:
                return <int32_t> self.rough.tn
            return <int32_t> (self.rough.fn - self.rate * 2 * MISMATCH)
        if s == r:
            return <int32_t> (self.rough.fp - self.rate * 2 * MISMATCH)
        if h == r:
            return <int32_t> (self.rough.tp - self.rate * 2 * MISMATCH)
        return <int32_t> (self.rough.fpn - self.rate * 3 * MISMATCH)

    # States.

    cdef inline void _push(
        self, int32_t cell, int32_t cost, int32_t rank, int32_t origin, int64_t delta
    ) noexcept nogil:
        """Offer a way to a cell; the cheapest stays, of equal ones the preferred."""
        cdef Cell* entry = self.slice.data() + cell
        cdef uint64_t* word = self.waiting.data() + (cell >> 6)
        cdef uint64_t bit = <uint64_t> 1 << (cell & 63)
        if not word[0] & bit:
            word[0] |= bit
        elif entry.cost < cost or (entry.cost == cost and entry.rank <= rank):
            return
        entry.cost = cost
        entry.rank = rank
        entry.origin = origin
        entry.delta = delta

    cdef int _close_slice(self, const int16_t* bound, int32_t first, int32_t most) except -1 nogil:
        """Take the moves without a reference token, row by row, from the cells that can matter."""
        cdef int32_t none = self.n_cells, cell, word = first >> 6, target
        cdef int32_t n_words = <int32_t> self.waiting.size()
        cdef uint64_t* waiting = self.waiting.data()
        cdef Found entry
        cdef bint is_match
        self.found.clear()
        while word < n_words:
            if not waiting[word]:
                word += 1
                continue
            cell = 64 * word + lowest_bit(waiting[word])
            waiting[word] &= waiting[word] - 1
            entry.cell = cell
            entry.cell_data = self.slice[cell]
            if entry.cell_data.cost + bound[cell] > most:
                continue
            self.found.push_back(entry)
            target = self.diagonal[cell]
            if target != none:
                is_match = self.source_token[cell] == self.hypothesis_token[cell]
                self._push(
                    target,
                    entry.cell_data.cost + (GAP if is_match else GAP + MISMATCH),
                    1,
                    entry.cell_data.origin,
                    entry.cell_data.delta + (FN if is_match else FPN),
                )
            target = self.below[cell]
            if target != none:
                self._push(
                    target,
                    entry.cell_data.cost + GAP,
                    4,
                    entry.cell_data.origin,
                    entry.cell_data.delta + TP,
                )
            target = self.right[cell]
            if target != none:
                self._push(
                    target,
                    entry.cell_data.cost + GAP,
                    5,
                    entry.cell_data.origin,
                    entry.cell_data.delta + FP,
                )
        return 0

    cdef int _take_token(self, const State* state, int32_t token) except -1 nogil:
        """Take the moves with a reference token; return the first cell reached."""
        cdef int32_t none = self.n_cells, number, cell, cost, s, h, target, first = none
        for number in range(state.size):
            cell = self.profile_cell[state.offset + number]
            cost = self.profile_cost[state.offset + number]
            s = self.source_token[cell]
            h = self.hypothesis_token[cell]
            first = min(first, cell)
            target = self.diagonal[cell]
            if target != none:
                self._push(
                    target,
                    cost + MISMATCH * ((s != h) + (s != token) + (h != token)),
                    0,
                    number,
                    column_class(s, h, token),
                )
            target = self.below[cell]
            if target != none:
                if s == token:
                    self._push(target, cost + GAP, 2, number, FP)
                else:
                    self._push(target, cost + GAP + MISMATCH, 2, number, FPN)
            target = self.right[cell]
            if target != none:
                if h == token:
                    self._push(target, cost + GAP, 3, number, TP)
                else:
                    self._push(target, cost + GAP + MISMATCH, 3, number, FPN)
            self._push(cell, cost + GAP, 6, number, FN)
        return first

    cdef int _keep_state(self, int32_t node, int32_t most) except -1 nogil:
        """Make a state of the slice, or find the one that has the same profile."""
        cdef int32_t pivot = self.cell_number(self.pivot_row[node], self.pivot_column[node])
        cdef const int16_t* leaving = (
            self.leaving_bound.data() + node * <int64_t> (self.n_cells + 1)
        )
        cdef int32_t number, kept = 0, lowest = INFINITE, size = <int32_t> self.found.size()
        cdef int64_t slot, mask
        cdef uint64_t hash = mixed(0, node)
        cdef State* other
        cdef State state
        for number in range(size):
            if self.found[number].cell == pivot:
                most = min(most, self.found[number].cell_data.cost)
        for number in range(size):
            if self.found[number].cell_data.cost + leaving[self.found[number].cell] <= most:
                self.found[kept] = self.found[number]
                lowest = min(lowest, self.found[kept].cell_data.cost)
                kept += 1
        self.found.resize(kept)
        for number in range(kept):
            self.found[number].cell_data.cost -= lowest
            hash = mixed(hash, self.found[number].cell)
            hash = mixed(hash, self.found[number].cell_data.cost)
        if 2 * self.states.size() >= self.table.size():
            self._grow_table()
        mask = <int64_t> self.table.size() - 1
        slot = <int64_t> (hash >> 7) & mask
        while self.table[slot] >= 0:
            other = &self.states[self.table[slot]]
            if other.hash == hash and other.node == node and self._is_same(other):
                return self.table[slot]
            slot = (slot + 1) & mask
        state.node = node
        state.size = kept
        state.offset = self.profile_cell.size()
        state.hash = hash
        state.next = -1
        state.first_arc = state.last_arc = 0
        for number in range(kept):
            self.profile_cell.push_back(self.found[number].cell)
            self.profile_cost.push_back(self.found[number].cell_data.cost)
            self.reached.push_back(LOWEST)
        number = <int32_t> self.states.size()
        self.table[slot] = number
        self.states.push_back(state)
        if self.last_state[node] < 0:
            self.first_state[node] = number
        else:
            self.states[self.last_state[node]].next = number
        self.last_state[node] = number
        self.n_states[node] += 1
        return number

    cdef bint _is_same(self, const State* state) noexcept nogil:
        cdef int32_t number
        if state.size != <int32_t> self.found.size():
            return False
        for number in range(state.size):
            if (
                self.profile_cell[state.offset + number] != self.found[number].cell
                or self.profile_cost[state.offset + number] != self.found[number].cell_data.cost
            ):
                return False
        return True

    cdef int _grow_table(self) except -1 nogil:
        cdef int64_t size = max(256, 4 * <int64_t> self.states.size()), slot
        cdef int32_t number
        while size & (size - 1):
            size += size & -size
        self.table.assign(size, -1)
        for number in range(<int32_t> self.states.size()):
            slot = <int64_t> (self.states[number].hash >> 7) & (size - 1)
            while self.table[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            self.table[slot] = number
        return 0

    cdef int walk(self, bint is_priced, int32_t beam) except -1 nogil:
        """Find the states of every node and the arcs between them.

        With a price, states that cannot reach it are left out, or all but the best of a node
        if there is a `beam`. Returns whether it was done: without a price it gives up where
        a node has very many states, and always when the steps are used up.
        """
        cdef int32_t node, state, number, size, target, low, most, first, end = self.n_nodes - 1
        cdef int64_t offset, width = self.n_cells + 1
        cdef Edge edge
        cdef Arc arc
        cdef Found entry
        cdef State here
        self._start_walk()
        for node in range(end):
            if not is_priced and self.n_states[node] > self.crowd:
                return 0
            if self.steps > self.limit:
                return 0
            if <int64_t> (self.origins.size() + 4 * self.profile_cell.size()) > MOST_ARC_CELLS:
                return 0
            if is_priced:
                self._drop_states(node, beam)
            state = self.first_state[node]
            while state >= 0:
                self.states[state].first_arc = self.states[state].last_arc = self.arcs.size()
                here = self.states[state]
                if is_priced and self.is_dropped[state]:
                    state = here.next
                    continue
                low = self._cost_at_pivot(&here)
                for number in range(self.leaving[node], self.leaving[node + 1]):
                    edge = self.edges[number]
                    most = low + edge.cost
                    if edge.token == NO_TOKEN:
                        self.found.clear()
                        for size in range(here.size):
                            entry.cell = self.profile_cell[here.offset + size]
                            entry.cell_data.cost = self.profile_cost[here.offset + size]
                            entry.cell_data.origin = size
                            entry.cell_data.delta = 0
                            self.found.push_back(entry)
                    else:
                        first = self._take_token(&here, edge.token)
                        self._close_slice(self.bound.data() + edge.end * width, first, most)
                    self.steps += 8 + 4 * self.found.size()
                    target = self._keep_state(edge.end, most)
                    arc.start = state
                    arc.end = target
                    arc.edge = number
                    arc.offset = self.origins.size()
                    self.arcs.push_back(arc)
                    offset = self.states[target].offset
                    for size in range(<int32_t> self.found.size()):
                        entry = self.found[size]
                        self.origins.push_back(entry.cell_data.origin)
                        self.deltas.push_back(entry.cell_data.delta)
                        if is_priced:
                            self.reached[offset + size] = max(
                                self.reached[offset + size],
                                self.reached[here.offset + entry.cell_data.origin]
                                + worth(&self.rough, entry.cell_data.delta),
                            )
                self.states[state].last_arc = self.arcs.size()
                state = here.next
        return self.first_state[end] >= 0

    cdef int _start_walk(self) except -1 nogil:
        """Make the state of the first node: the slice before any reference token."""
        cdef int32_t number, state
        self.states.clear()
        self.table.assign(256, -1)
        self.profile_cell.clear()
        self.profile_cost.clear()
        self.reached.clear()
        self.arcs.clear()
        self.origins.clear()
        self.deltas.clear()
        self.first_deltas.clear()
        self.first_state.assign(self.n_nodes, -1)
        self.last_state.assign(self.n_nodes, -1)
        self.n_states.assign(self.n_nodes, 0)
        self.slice.resize(self.n_cells + 1)
        self.waiting.assign((self.n_cells >> 6) + 1, 0)
        self._push(0, 0, 0, 0, 0)
        self._close_slice(self.bound.data(), 0, 0)
        state = self._keep_state(0, 0)
        for number in range(self.states[state].size):
            self.first_deltas.push_back(self.found[number].cell_data.delta)
            self.reached[number] = worth(&self.rough, self.first_deltas[number])
        return 0

    cdef int32_t _cost_at_pivot(self, const State* state) noexcept nogil:
        """What the alignment costs at most at the pivot."""
        cdef int32_t number, low = INFINITE
        for number in range(state.size):
            low = min(
                low,
                self.profile_cost[state.offset + number]
                + GAP * self.distance(self.profile_cell[state.offset + number], state.node),
            )
        return low

    cdef int _drop_states(self, int32_t node, int32_t beam) except -1 nogil:
        """Mark the states of a node that are not worth going on with."""
        cdef int32_t state = self.first_state[node], number, low
        cdef int64_t value
        cdef const int32_t* hope = self.hope.data() + node * <int64_t> (self.n_cells + 1)
        cdef State here
        cdef Scored entry
        self.is_dropped.resize(self.states.size())
        self.scored.clear()
        while state >= 0:
            here = self.states[state]
            low = self._cost_at_pivot(&here)
            entry.state = state
            entry.score = LOWEST
            for number in range(here.size):
                value = self.reached[here.offset + number]
                value += hope[self.profile_cell[here.offset + number]]
                value += self.rate * (low - self.profile_cost[here.offset + number])
                entry.score = max(entry.score, value)
            entry.score += self.rough.advance
            self.is_dropped[state] = not beam and entry.score < 0
            self.scored.push_back(entry)
            state = here.next
        if beam and <int32_t> self.scored.size() > beam:
            nth_element(
                self.scored.begin(),
                self.scored.begin() + beam,
                self.scored.end(),
                &scores_higher,
            )
            for number in range(beam, <int32_t> self.scored.size()):
                self.is_dropped[self.scored[number].state] = True
        return 0

    # The best ratio.

    cdef int32_t _ratio_metric(self) noexcept nogil:
        return BY_WACC if self.rule.metric == BY_I else self.rule.metric

    cdef inline Counts _side(self, Counts counts) noexcept nogil:
        return detected(counts) if self.rule.detection else counts

    cdef Ratio total_ratio(self, Counts counts) noexcept nogil:
        """The ratio to maximise, with the text before."""
        return ratio(
            &self.rule, self._ratio_metric(), self._side(plus(self.before, counts))
        )

    cdef void set_price(self, int64_t above, int64_t below) noexcept nogil:
        """Give each class of columns its worth if the ratio above/below is the price."""
        cdef int32_t metric = self._ratio_metric(), number
        cdef int64_t[5] worths
        cdef Counts none = unpacked(0)
        cdef Ratio zero = ratio(&self.rule, metric, none), one, start
        cdef int64_t divisor = max(1, common_divisor(above, below))
        above //= divisor
        below //= divisor
        for number in range(5):
            one = ratio(
                &self.rule, metric, self._side(unpacked(<int64_t> 1 << (12 * number)))
            )
            worths[number] = below * one.above - above * (one.below - zero.below)
        self.price.tp = worths[0]
        self.price.tn = worths[1]
        self.price.fp = worths[2]
        self.price.fn = worths[3]
        self.price.fpn = worths[4]
        start = self.total_ratio(none)
        self.price.advance = below * start.above - above * start.below

    cdef int64_t find_rest(self) except? -1 nogil:
        """Find the best rest of a path for each cell of each state; return the best worth."""
        cdef int64_t number, at, value, best = LOWEST
        cdef int32_t cell, size
        cdef Arc arc
        cdef int64_t* rest
        self.rest.assign(self.profile_cell.size(), LOWEST)
        self.rest_counts.assign(self.profile_cell.size(), 0)
        rest = self.rest.data()
        at = self.states[self.first_state[self.n_nodes - 1]].offset
        rest[at] = self.price.advance
        for number in range(<int64_t> self.arcs.size() - 1, -1, -1):
            arc = self.arcs[number]
            size = self.states[arc.end].size
            for cell in range(size):
                at = self.states[arc.end].offset + cell
                if rest[at] == LOWEST:
                    continue
                value = rest[at] + worth(&self.price, self.deltas[arc.offset + cell])
                if value > rest[self.states[arc.start].offset + self.origins[arc.offset + cell]]:
                    self.rest_counts[
                        self.states[arc.start].offset + self.origins[arc.offset + cell]
                    ] = self.rest_counts[at] + self.deltas[arc.offset + cell]
                    rest[self.states[arc.start].offset + self.origins[arc.offset + cell]] = value
        for cell in range(self.states[0].size):
            value = rest[cell] + worth(&self.price, self.first_deltas[cell])
            if rest[cell] != LOWEST and value > best:
                best = value
                self.best_counts = self.first_deltas[cell] + self.rest_counts[cell]
        self.steps += 2 * <int64_t> self.origins.size()
        return best

    cdef int find_best_ratio(self) except -1 nogil:
        """Raise the price until no reference gains anything; its worths are left as they are."""
        cdef Ratio best
        # From above: no ratio is higher than 1, and 0/0 counts as 1. What is only counted has
        # no such limit, but there every price leads to the best at once.
        self.set_price(1, 1)
        while self.find_rest() != 0:
            best = self.total_ratio(unpacked(self.best_counts))
            self.set_price(best.above, best.below)
        return 0

    # The source's own alignment.

    cdef int find_base_bounds(self) except -1 nogil:
        """Lower bounds in one dimension, and the longest detour from the source."""
        cdef int32_t node, number, i, value, cost, x, x_end, end = self.n_nodes - 1, token
        cdef int64_t width = self.n + 1
        cdef Edge edge
        cdef int16_t* bound
        cdef const int16_t* following
        cdef int32_t* line
        self.base_bound.resize(self.n_nodes * width)
        self.line_cost.assign(self.n_nodes, 0)
        self.next_cost.resize(width)
        line = self.next_cost.data()
        for node in range(end, -1, -1):
            bound = self.base_bound.data() + node * width
            x = self.pivot_row[node]
            for i in range(self.n + 1):
                bound[i] = <int16_t> min(GAP * (self.n - i), INFINITE) if node == end else INFINITE
            for number in range(self.leaving[node], self.leaving[node + 1]):
                edge = self.edges[number]
                token = edge.token
                x_end = self.pivot_row[edge.end]
                following = self.base_bound.data() + edge.end * width
                cost = self._base_cost(x, x_end, token)
                self.line_cost[node] = max(
                    self.line_cost[node], cost + self.line_cost[edge.end]
                )
                for i in range(self.n, -1, -1):
                    if token == NO_TOKEN:
                        value = following[i]
                    else:
                        value = following[i] + GAP
                        if i < self.n:
                            value = min(
                                value,
                                following[i + 1]
                                + (0 if self.source[i] == token else 2 * MISMATCH),
                            )
                            value = min(value, line[i + 1] + GAP)
                    line[i] = value
                    bound[i] = <int16_t> min(bound[i], value - cost)
            for i in range(self.n + 1):
                bound[i] = <int16_t> max(bound[i], -GAP * abs(i - x))
        self.base_detour = self.line_cost[0]
        self.steps += width * <int64_t> self.edges.size()
        return 0

    cdef int32_t _base_cost(self, int32_t x, int32_t x_end, int32_t token) noexcept nogil:
        cdef int32_t i
        if token == NO_TOKEN:
            return GAP * (x_end - x)
        if x == x_end:
            return GAP
        for i in range(x, x_end):
            if self.source[i] == token:
                return GAP * (x_end - x - 1)
        return GAP * (x_end - x - 1) + 2 * MISMATCH

    cdef int _start_base(self) except -1 nogil:
        cdef int32_t i
        self.base_profiles.clear()
        self.base_rows.clear()
        self.base_costs.clear()
        self.base_steps.clear()
        self.base_moves.clear()
        self.base_known.clear()
        self.base_first.assign(self.n_nodes, -1)
        self.line_cost.assign(self.n + 1, 0)
        self.next_cost.assign(self.n + 1, 0)
        self.line_move.resize(self.n + 1)
        self.next_move.resize(self.n + 1)
        for i in range(self.n + 1):
            self.line_cost[i] = GAP * i
            self.line_move[i].origin = 0
            self.line_move[i].tn = 0
            self.line_move[i].fn = i
        return 0

    cdef int _keep_base(self, int32_t node) except -1 nogil:
        """Make a profile of the line, or find it; append the moves to its cells."""
        cdef const int16_t* bound = self.base_bound.data() + node * <int64_t> (self.n + 1)
        cdef int32_t i, at_pivot = self.line_cost[self.pivot_row[node]], lowest = INFINITE
        cdef int32_t number, size = 0
        cdef int64_t offset = self.base_rows.size()
        cdef BaseProfile profile
        cdef bint is_same
        for i in range(self.n + 1):
            if self.line_cost[i] >= INFINITE:
                continue
            if node == self.n_nodes - 1:
                if i < self.n:
                    continue
            elif at_pivot < INFINITE and self.line_cost[i] + bound[i] > at_pivot:
                continue
            self.base_rows.push_back(i)
            self.base_costs.push_back(self.line_cost[i])
            self.base_moves.push_back(self.line_move[i])
            lowest = min(lowest, self.line_cost[i])
            size += 1
        for i in range(size):
            self.base_costs[offset + i] -= lowest
        number = self.base_first[node]
        while number >= 0:
            profile = self.base_profiles[number]
            is_same = profile.size == size
            for i in range(size):
                if not is_same:
                    break
                is_same = (
                    self.base_rows[profile.offset + i] == self.base_rows[offset + i]
                    and self.base_costs[profile.offset + i] == self.base_costs[offset + i]
                )
            if is_same:
                self.base_rows.resize(offset)
                self.base_costs.resize(offset)
                return number
            number = profile.next
        profile.node = node
        profile.size = size
        profile.offset = offset
        profile.next = self.base_first[node]
        self.base_profiles.push_back(profile)
        self.base_first[node] = <int32_t> self.base_profiles.size() - 1
        return self.base_first[node]

    cdef int _base_step(self, int32_t profile, int32_t edge_number) except -1 nogil:
        """Go over an edge with a profile of the source's own alignment."""
        cdef int64_t key = (<int64_t> profile << 32) | edge_number
        cdef BaseProfile before
        cdef Edge edge
        cdef BaseStep step
        cdef int32_t number, i, cost, rank
        cdef bint is_match
        if self.base_known.count(key):
            return self.base_known[key]
        before = self.base_profiles[profile]
        edge = self.edges[edge_number]
        for i in range(self.n + 1):
            self.line_cost[i] = INFINITE
        for number in range(before.size):
            i = self.base_rows[before.offset + number]
            self.line_cost[i] = self.base_costs[before.offset + number]
            self.line_move[i].origin = number
            self.line_move[i].tn = 0
            self.line_move[i].fn = 0
        if edge.token != NO_TOKEN:
            for i in range(self.n + 1):
                # Preferred are both tokens, then the source's, then the reference's.
                cost = INFINITE
                rank = -1
                is_match = False
                if i:
                    is_match = self.source[i - 1] == edge.token
                    if self.line_cost[i - 1] < INFINITE:
                        cost = self.line_cost[i - 1] + (0 if is_match else 2 * MISMATCH)
                        rank = 0
                    if self.next_cost[i - 1] + GAP < cost:
                        cost = self.next_cost[i - 1] + GAP
                        rank = 1
                if self.line_cost[i] + GAP < cost:
                    cost = self.line_cost[i] + GAP
                    rank = 2
                self.next_cost[i] = cost
                if rank == 0:
                    self.next_move[i] = self.line_move[i - 1]
                    self.next_move[i].tn += is_match
                    self.next_move[i].fn += not is_match
                elif rank > 0:
                    self.next_move[i] = (
                        self.next_move[i - 1] if rank == 1 else self.line_move[i]
                    )
                    self.next_move[i].fn += 1
            self.line_cost.swap(self.next_cost)
            self.line_move.swap(self.next_move)
        step.offset = self.base_moves.size()
        step.profile = self._keep_base(edge.end)
        self.base_steps.push_back(step)
        number = <int32_t> self.base_steps.size() - 1
        self.base_known[key] = number
        self.steps += 2 * self.n
        return number

    # Ties.

    cdef int refine(self) except -1 nogil:
        """Carry the different counts along the paths that are worth the price.

        Returns whether it was done within the allowed steps.
        """
        cdef int64_t number, at, size
        cdef int32_t state = -1, cell, profile
        cdef Arc arc
        cdef Item item
        self._start_base()
        self.pending.clear()
        self.unused = -1
        self.traces.clear()
        self.items.clear()
        size = self.profile_cell.size()
        self.pending_first.assign(size, -1)
        self.items_first.assign(size, 0)
        self.items_last.assign(size, 0)
        profile = self._keep_base(0)
        item.good = item.wrong = 0
        for cell in range(self.states[0].size):
            if self.rest[cell] == LOWEST:
                continue
            if self.rest[cell] + worth(&self.price, self.first_deltas[cell]) < 0:
                continue
            item.counts = self.first_deltas[cell]
            item.profile = profile
            item.trace = -1
            item.arc = -1
            item.tn = 0
            for number in range(self.base_profiles[profile].size):
                item.cell = <int32_t> number
                item.fn = self.base_rows[self.base_profiles[profile].offset + number]
                self._add_item(cell, item)
        for number in range(<int64_t> self.arcs.size()):
            arc = self.arcs[number]
            if arc.start != state:
                state = arc.start
                self.items.clear()
                for cell in range(self.states[state].size):
                    self._settle(self.states[state].offset + cell)
                if self.steps > self.limit or <int64_t> self.traces.size() > MOST_TRACES:
                    return 0
            for cell in range(self.states[arc.end].size):
                at = self.states[arc.end].offset + cell
                if self.rest[at] == LOWEST:
                    continue
                self._extend(
                    <int32_t> number,
                    self.states[arc.start].offset + self.origins[arc.offset + cell],
                    at,
                    self.deltas[arc.offset + cell],
                )
        self.items.clear()
        self._settle(self.states[self.first_state[self.n_nodes - 1]].offset)
        return self.steps <= self.limit

    cdef int _add_item(self, int64_t at, Item item) except -1 nogil:
        """Put a way on the list of a cell, in memory that another one no longer needs."""
        cdef int32_t number = self.unused
        item.next = self.pending_first[at]
        if number < 0:
            number = <int32_t> self.pending.size()
            self.pending.push_back(item)
        else:
            self.unused = self.pending[number].next
            self.pending[number] = item
        self.pending_first[at] = number
        self.steps += 4
        return 0

    cdef int _extend(
        self, int32_t arc, int64_t start, int64_t end, int64_t delta
    ) except -1 nogil:
        """Append an arc to all ways that reach one of its cells."""
        cdef int64_t first = self.items_first[start], last, number
        cdef int64_t added = worth(&self.price, delta) + self.rest[end]
        cdef int32_t step, cell, profile
        cdef BaseMove move
        cdef Item item
        while first < self.items_last[start]:
            profile = self.items[first].profile
            last = first
            while last < self.items_last[start] and self.items[last].profile == profile:
                last += 1
            step = self._base_step(profile, self.arcs[arc].edge)
            for cell in range(self.base_profiles[self.base_steps[step].profile].size):
                move = self.base_moves[self.base_steps[step].offset + cell]
                for number in range(first, last):
                    item = self.items[number]
                    if item.cell != move.origin:
                        continue
                    if worth(&self.price, item.counts) + added < 0:
                        continue
                    item.counts += delta
                    item.profile = self.base_steps[step].profile
                    item.cell = cell
                    item.tn += move.tn
                    item.fn += move.fn
                    item.arc = arc
                    self._add_item(end, item)
            first = last
        return 0

    cdef int _settle(self, int64_t at) except -1 nogil:
        """Sort the ways to a cell; leave out equal ones and those that are always worse."""
        cdef int32_t number = self.pending_first[at], last = -1
        cdef int64_t position, other, group
        cdef Item item, before
        cdef Trace trace
        cdef Ratio wacc
        cdef bint is_worse
        self.gathered.clear()
        while number >= 0:
            item = self.pending[number]
            last = number
            number = item.next
            if self.rule.metric == BY_WACC:
                # All have the same in the end; it is above 0 if wrong columns have a price.
                item.good = self.price.fp < 0
                item.wrong = 0
            else:
                wacc = ratio(&self.rule, BY_WACC, self._side(unpacked(item.counts)))
                item.good = wacc.above
                item.wrong = wacc.below - wacc.above
            self.gathered.push_back(item)
        self.items_first[at] = self.items.size()
        self.items_last[at] = self.items.size()
        if last < 0:
            return 0
        self.pending[last].next = self.unused
        self.unused = self.pending_first[at]
        sort(self.gathered.begin(), self.gathered.end(), &is_before)
        group = self.items.size()
        for position in range(<int64_t> self.gathered.size()):
            item = self.gathered[position]
            if position:
                before = self.gathered[position - 1]
                if before.profile != item.profile or before.cell != item.cell:
                    group = self.items.size()
            is_worse = False
            for other in range(group, <int64_t> self.items.size()):
                if self._is_worse(&item, &self.items[other]):
                    is_worse = True
                    break
            self.steps += 1 + <int64_t> self.items.size() - group
            if not is_worse:
                trace.before = item.trace
                trace.arc = item.arc
                item.trace = <int32_t> self.traces.size()
                self.traces.push_back(trace)
                self.items.push_back(item)
        self.items_last[at] = self.items.size()
        return 0

    cdef bint _is_worse(self, const Item* item, const Item* other) noexcept nogil:
        """Whether a way cannot end better than another, whatever follows both.

        Both reach the same ratio in the end; what is compared next is I. It rises with WAcc
        and falls with the WAcc of the source itself.
        """
        cdef Counts a, b
        cdef bint is_lower
        if other.tn > item.tn or other.fn < item.fn:
            return False
        if other.good < item.good or other.wrong > item.wrong:
            return False
        if item.counts == other.counts and item.tn == other.tn and item.fn == other.fn:
            return True
        is_lower = other.tn < item.tn or (other.fn > item.fn and other.tn > 0)
        if other.good > item.good:
            return True
        if other.good and (other.wrong < item.wrong or is_lower):
            return True
        if self.rule.metric == BY_WACC:
            return False
        a = unpacked(item.counts)
        b = unpacked(other.counts)
        # Equally good so far: nothing that is compared after I may be worse.
        if b.fpn != a.fpn or b.tp < a.tp or b.tn < a.tn:
            return False
        if self.rule.metric == BY_FP or self.rule.metric == BY_FN:
            return b.fp == a.fp and b.fn == a.fn
        return b.fp <= a.fp and b.fn <= a.fn

    # All together.

    cdef int choose(self) except -1 nogil:
        """Choose the best of the ways that reached the end, and spell its reference."""
        cdef int64_t number, best = -1
        cdef int64_t end = self.states[self.first_state[self.n_nodes - 1]].offset
        cdef Ratio[8] values
        cdef Ratio[8] highest
        cdef int32_t before
        cdef Counts base = unpacked(0)
        memset(&highest, 0, sizeof(highest))
        for number in range(self.items_first[end], self.items_last[end]):
            base.tn = self.items[number].tn
            base.fn = self.items[number].fn
            standing(
                &self.rule,
                plus(self.before, unpacked(self.items[number].counts)),
                plus(self.base_before, base),
                &values[0],
            )
            if best < 0 or stands_higher(&values[0], &highest[0]):
                best = number
                highest = values
        self.counts = unpacked(self.items[best].counts)
        base.tn = self.items[best].tn
        base.fn = self.items[best].fn
        self.base = base
        self.reference.clear()
        before = self.items[best].trace
        while before >= 0:
            if self.traces[before].arc >= 0:
                self._add_word(self.traces[before].arc)
            before = self.traces[before].before
        self._reverse_reference()
        return 0

    cdef int _add_word(self, int64_t arc) except -1 nogil:
        cdef int32_t token = self.edges[self.arcs[arc].edge].token
        if token != NO_TOKEN:
            self.reference.push_back(token)
        return 0

    cdef int _reverse_reference(self) except -1 nogil:
        cdef int64_t number, size = self.reference.size()
        cdef int32_t token
        for number in range(size // 2):
            token = self.reference[number]
            self.reference[number] = self.reference[size - 1 - number]
            self.reference[size - 1 - number] = token
        return 0

    cdef int choose_any(self) except -1 nogil:
        """Take some path with the best ratio, without asking for ties."""
        cdef int32_t state = 0, cell = 0, place, next_cell
        cdef int64_t number, at
        cdef State here
        for place in range(self.states[0].size):
            if (
                self.rest[place] != LOWEST
                and self.first_deltas[place] + self.rest_counts[place] == self.best_counts
            ):
                cell = place
        self.counts = unpacked(self.best_counts)
        self.reference.clear()
        while self.states[state].node < self.n_nodes - 1:
            here = self.states[state]
            number = here.first_arc
            next_cell = -1
            while next_cell < 0:
                at = self.states[self.arcs[number].end].offset
                for place in range(self.states[self.arcs[number].end].size):
                    if (
                        self.origins[self.arcs[number].offset + place] == cell
                        and self.rest[at + place] != LOWEST
                        and self.rest[at + place]
                        + worth(&self.price, self.deltas[self.arcs[number].offset + place])
                        == self.rest[here.offset + cell]
                        and self.rest_counts[at + place]
                        + self.deltas[self.arcs[number].offset + place]
                        == self.rest_counts[here.offset + cell]
                    ):
                        next_cell = place
                        break
                if next_cell < 0:
                    number += 1
            self._add_word(number)
            state = self.arcs[number].end
            cell = next_cell
        self._count_baseline()
        return 0

    cdef int _count_baseline(self) except -1 nogil:
        """Align the source with the reference by itself."""
        cdef int32_t i, k, size = <int32_t> self.reference.size(), value, price
        cdef int64_t width = size + 1, at
        cdef Counts base = unpacked(0)
        cdef bint is_match
        self.forward_costs.resize((self.n + 1) * width)
        for i in range(self.n + 1):
            for k in range(size + 1):
                at = i * width + k
                if not i or not k:
                    self.forward_costs[at] = 2 * (i + k)
                    continue
                price = 0 if self.source[i - 1] == self.reference[k - 1] else MISMATCH
                value = min(
                    self.forward_costs[at - width - 1] + price, self.forward_costs[at - width] + 2
                )
                self.forward_costs[at] = min(value, self.forward_costs[at - 1] + 2)
        i = self.n
        k = size
        while i or k:
            at = i * width + k
            value = self.forward_costs[at]
            is_match = i > 0 and k > 0 and self.source[i - 1] == self.reference[k - 1]
            price = 0 if is_match else MISMATCH
            if i and k and self.forward_costs[at - width - 1] + price == value:
                i -= 1
                k -= 1
                base.tn += is_match
                base.fn += not is_match
            else:
                base.fn += 1
                if i and self.forward_costs[at - width] + 2 == value:
                    i -= 1
                else:
                    k -= 1
        self.base = base
        return 0

    cdef int _settle_ties(self) except -1 nogil:
        """Choose among the references with the best ratio; return what is known then."""
        if self.refine():
            self.choose()
            return EXACT
        self.choose_any()
        return BOUND

    cdef int solve(self) except -1 nogil:
        """Find the best reference of the sentence that was prepared."""
        cdef int64_t n_bounds = self.n_nodes * (<int64_t> self.n_cells + 1)
        cdef bint is_hard
        cdef int32_t status
        self.steps = 0
        if n_bounds > MOST_BOUNDS:
            return FAILED
        self.find_bounds()
        self.find_base_bounds()
        is_hard = not self.walk(False, 0)
        if not is_hard:
            self.find_best_ratio()
            status = self._settle_ties()
            if self.rule.metric == BY_I and status == EXACT:
                self._set_price_of_i()
                self.find_rest()
                status = self._settle_ties()
            return status
        return self._solve_hard()

    cdef int _solve_hard(self) except -1 nogil:
        """Find a good reference by beams, then look for better ones where there may be any."""
        self.set_price(9, 10)
        if not self._walk_beam() or not self._walk_beam():
            return FAILED
        self.steps = 0
        if self.rule.metric == BY_I:
            self._settle_ties()
            self._set_price_of_i()
        self.find_hopes()
        self.steps = 0
        if not self.walk(True, 0):
            if not self._walk_beam():
                return FAILED
            self.steps = 0
            self._settle_ties()
            return BOUND
        if self.rule.metric == BY_I:
            self.find_rest()
        else:
            self.find_best_ratio()
        return self._settle_ties()

    cdef bint _walk_beam(self) except -1 nogil:
        """Look for a good reference, in a narrower beam as long as a wide one takes too much."""
        cdef int32_t beam = self.crowd
        self.find_hopes()
        while beam:
            self.steps = 0
            if self.walk(True, beam):
                self.find_best_ratio()
                return True
            beam //= 4
        return False

    cdef int _set_price_of_i(self) except -1 nogil:
        """Set the WAcc that a reference needs to have an I as high as the chosen one.

        No more columns of the source's own alignment can be wrong than the longest detour
        pays for, so its WAcc has a lower limit.
        """
        cdef Ratio[8] values
        cdef double base, needed, reached, wrong = <double> (self.base_detour // GAP)
        cdef double kept = self.base_before.tn + max(0, self.n - wrong)
        standing(
            &self.rule,
            plus(self.before, self.counts),
            plus(self.base_before, self.base),
            &values[0],
        )
        base = kept / (kept + self.base_before.fn + wrong) if kept > 0 else 0.0
        reached = <double> values[0].above / <double> values[0].below
        if reached >= 0:
            needed = 1 - (1 - reached) * (1 - base)
        else:
            needed = (1 + reached) * base
        needed = max(0.0, needed * (1 - 1e-9) - 1e-9)
        self.set_price(<int64_t> (needed * (1 << 20)), 1 << 20)
        return 0


def best_references(
    const int32_t[::1] sources,
    const int64_t[::1] source_offsets,
    const int32_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const int64_t[::1] nodes,
    const int32_t[::1] positions,
    const int64_t[::1] edges,
    const int32_t[::1] starts,
    const int32_t[::1] ends,
    const int32_t[::1] words,
    const int64_t[::1] word_offsets,
    int64_t first,
    int64_t last,
    int metric,
    bint detection,
    tuple weight,
    tuple beta,
    const int64_t[::1] totals,
    int64_t limit,
    int crowd=100,
):
    """Find the best reference of the sentences ``first`` to ``last``.

    Parameters
    ----------
    sources, source_offsets, hypotheses, hypothesis_offsets
        Interned sentences.
    nodes
        Nodes of the lattice of sentence ``i`` are ``nodes[i]:nodes[i + 1]``, counted from
        `first`; so are the edges.
    positions
        Source tokens before each node.
    edges, starts, ends
        Edges of each lattice, sorted by the node they start from, counted within the sentence.
    words, word_offsets
        Interned words of the edges.
    metric, detection
        What to maximise: the place in TP, TN, FP, FN, precision, recall, F, Acc, WAcc, I.
    weight, beta
        Fractions ``(above, below)``.
    totals
        Seven counts of the text before, all 0 where each sentence stands for itself.
    limit
        Steps for one sentence.
    crowd
        With more states than this at one node the sentence is hard, and beams are this wide.

    Returns
    -------
    counts
        ``(n_sents, 7)``: TP, TN, FP, FN, FPN, then TN and FN of the source itself.
    status
        0 where the result is exact, 1 where it is a lower bound, 2 where nothing was found.
    references, reference_offsets
        The chosen references.
    """
    cdef Solver solver = Solver()
    cdef int64_t sentence, size, node, edge, row, n_sents = last - first
    cdef vector[int32_t] chosen
    counts_array = np.zeros((n_sents, N_COUNTS), dtype=np.int64)
    status_array = np.zeros(n_sents, dtype=np.uint8)
    offsets_array = np.zeros(n_sents + 1, dtype=np.int64)
    cdef int64_t[:, ::1] counts = counts_array
    cdef uint8_t[::1] status = status_array
    cdef int64_t[::1] offsets = offsets_array
    solver.rule.metric = metric
    solver.rule.detection = detection
    solver.rule.weight_above, solver.rule.weight_below = weight
    solver.rule.beta_above, solver.rule.beta_below = beta
    solver.limit = limit
    solver.crowd = max(1, crowd)
    solver.before = counts_at(&totals[0])
    solver.base_before = base_at(&totals[0])
    with nogil:
        for sentence in range(first, last):
            row = sentence - first
            node = nodes[row]
            edge = edges[row]
            size = source_offsets[sentence + 1] - source_offsets[sentence]
            solver.n = <int32_t> size
            solver.source = &sources[source_offsets[sentence]] if size else NULL
            size = hypothesis_offsets[sentence + 1] - hypothesis_offsets[sentence]
            solver.m = <int32_t> size
            solver.hypothesis = &hypotheses[hypothesis_offsets[sentence]] if size else NULL
            solver.n_columns = solver.n + <int64_t> solver.m + longest_path(
                &starts[edge],
                &ends[edge],
                &word_offsets[edge],
                edges[row + 1] - edge,
                <int32_t> (nodes[row + 1] - node),
            )
            status[row] = FAILED
            if solver.n_columns <= MOST_COLUMNS:
                solver.prepare_cells()
                solver.prepare_lattice(
                    &positions[node],
                    <int32_t> (nodes[row + 1] - node),
                    &starts[edge],
                    &ends[edge],
                    &word_offsets[edge],
                    &words[0] if words.shape[0] else NULL,
                    edges[row + 1] - edge,
                )
                status[row] = solver.solve()
            if status[row] != FAILED:
                counts[row, 0] = solver.counts.tp
                counts[row, 1] = solver.counts.tn
                counts[row, 2] = solver.counts.fp
                counts[row, 3] = solver.counts.fn
                counts[row, 4] = solver.counts.fpn
                counts[row, 5] = solver.base.tn
                counts[row, 6] = solver.base.fn
                chosen.insert(chosen.end(), solver.reference.begin(), solver.reference.end())
            offsets[row + 1] = chosen.size()
    references_array = np.empty(chosen.size(), dtype=np.int32)
    fill_array(references_array, chosen)
    return counts_array, status_array, references_array, offsets_array


cdef int32_t longest_path(
    const int32_t* starts,
    const int32_t* ends,
    const int64_t* word_offsets,
    int64_t n_edges,
    int32_t n_nodes,
) except -1 nogil:
    """Words of the longest reference; edges are sorted by the node they start from."""
    cdef vector[int32_t] longest
    cdef int64_t edge
    cdef int32_t size
    longest.assign(n_nodes, 0)
    for edge in range(n_edges):
        size = longest[starts[edge]] + <int32_t> (word_offsets[edge + 1] - word_offsets[edge])
        longest[ends[edge]] = max(longest[ends[edge]], size)
    return longest[n_nodes - 1]


cdef void fill_array(int32_t[::1] array, const vector[int32_t]& values):
    cdef int64_t number
    for number in range(<int64_t> values.size()):
        array[number] = values[number]


def choose_references(
    const int64_t[:, :, ::1] counts,
    const uint8_t[:, ::1] mask,
    const int64_t[:, ::1] rows,
    int metric,
    bint detection,
    tuple weight,
    tuple beta,
    bint running,
):
    """Choose one of a few references for each sentence, in many choices of sentences.

    Parameters
    ----------
    counts
        ``(n_sents, n_refs, 7)``, as `best_references` returns them.
    mask
        ``(n_sents, n_refs)``: which references there are.
    rows
        ``(n_resamples, n_rows)``: sentences.
    metric, detection, weight, beta
        As for `best_references`.
    running
        Whether the totals up to and with the sentence are compared, not the sentence alone.

    Returns
    -------
    totals
        ``(n_resamples, 7)``.
    chosen
        ``(n_rows,)``: the references chosen in the last resample, -1 where there is none.
    """
    cdef Rule rule
    cdef int64_t sample, place, row, reference, best, n_refs = counts.shape[1]
    cdef Counts before, base_before, total, base
    cdef Ratio[8] values
    cdef Ratio[8] highest
    totals_array = np.zeros((rows.shape[0], N_COUNTS), dtype=np.int64)
    chosen_array = np.full(rows.shape[1], -1, dtype=np.int64)
    cdef int64_t[:, ::1] totals = totals_array
    cdef int64_t[::1] chosen = chosen_array
    if rows.size and (np.min(rows) < 0 or np.max(rows) >= counts.shape[0]):
        raise IndexError("rows must be sentences of the corpus")
    rule.metric = metric
    rule.detection = detection
    rule.weight_above, rule.weight_below = weight
    rule.beta_above, rule.beta_below = beta
    memset(&highest, 0, sizeof(highest))
    with nogil:
        for sample in range(rows.shape[0]):
            before = base_before = unpacked(0)
            for place in range(rows.shape[1]):
                row = rows[sample, place]
                best = -1
                for reference in range(n_refs):
                    if not mask[row, reference]:
                        continue
                    total = counts_at(&counts[row, reference, 0])
                    base = base_at(&counts[row, reference, 0])
                    if running:
                        total = plus(before, total)
                        base = plus(base_before, base)
                    standing(&rule, total, base, &values[0])
                    if best < 0 or stands_higher(&values[0], &highest[0]):
                        best = reference
                        highest = values
                chosen[place] = best
                if best >= 0:
                    before = plus(before, counts_at(&counts[row, best, 0]))
                    base_before = plus(base_before, base_at(&counts[row, best, 0]))
            totals[sample, 0] = before.tp
            totals[sample, 1] = before.tn
            totals[sample, 2] = before.fp
            totals[sample, 3] = before.fn
            totals[sample, 4] = before.fpn
            totals[sample, 5] = base_before.tn
            totals[sample, 6] = base_before.fn
    return totals_array, chosen_array


cdef Counts counts_at(const int64_t* row) noexcept nogil:
    cdef Counts counts
    counts.tp = row[0]
    counts.tn = row[1]
    counts.fp = row[2]
    counts.fn = row[3]
    counts.fpn = row[4]
    return counts


cdef Counts base_at(const int64_t* row) noexcept nogil:
    cdef Counts counts = unpacked(0)
    counts.tn = row[5]
    counts.fn = row[6]
    return counts
