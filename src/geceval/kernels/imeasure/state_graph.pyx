# distutils: language = c++
"""The graph of states: prefixes of references that mean the same for everything after them.

After a prefix p of a reference, the costs of all cells (i, j) of source and hypothesis are a slice
of the table of sum-of-pairs alignment:

    D[p + r, i, j] = min over (a, b) in {0, 1}^2 of
                     D[p, i - a, j - b] + cost(s_i or -, h_j or -, r)
                     D[p + r, i - a, j - b] + cost(s_i or -, h_j or -, -), not a = b = 0

For the rest only differences within a slice matter: its *profile*. Prefixes with the same profile
at the same node are merged into one state (recombination). Cells that no optimal alignment can
pass, by the lower bounds, are pruned from the profile; ties are kept. An arc has a backpointer for
each cell of the state at its end: the cell it comes from, and the columns between.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from libcpp.algorithm cimport nth_element

cimport cython

from geceval.kernels.imeasure.bounds cimport Bounds
from geceval.kernels.imeasure.carrillo_lipman cimport CellGraph, distance
from geceval.kernels.imeasure.column_counts cimport FN, FP, FPN, TP, column_class, value_of
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.sum_of_pairs cimport GAP, INFINITE, MISMATCH, NO_TOKEN, pair_cost
from geceval.kernels.imeasure.token_lattice cimport Edge

cdef extern from *:
    """
    static inline int geceval_lowest_bit(unsigned long long word) {
        return __builtin_ctzll(word);
    }
    """
    int lowest_bit "geceval_lowest_bit"(unsigned long long word) noexcept nogil

cdef enum:
    # Cells of all arcs, those of states counted four times; 12 bytes each.
    MOST_ARC_CELLS = 8_000_000

# Which of two moves is preferred where both cost the same: the tokens that it takes.
cdef enum:
    TAKES_ALL
    TAKES_SOURCE_HYPOTHESIS
    TAKES_SOURCE_REFERENCE
    TAKES_HYPOTHESIS_REFERENCE
    TAKES_SOURCE
    TAKES_HYPOTHESIS
    TAKES_REFERENCE


cdef bint ranks_before(const BeamEntry& a, const BeamEntry& b) noexcept nogil:
    return a.bound > b.bound if a.bound != b.bound else a.state < b.state


cdef inline uint64_t mixed(uint64_t hash, uint64_t value) noexcept nogil:
    hash = (hash ^ value) * <uint64_t> 0x9E3779B97F4A7C15
    return hash ^ (hash >> 29)


@cython.final
cdef class StateGraph:
    """The states of one sentence after the other; keeps its memory."""

    def __init__(self, SearchProblem problem, Bounds bounds):
        self.problem = problem
        self.cells = bounds.cells
        self.lattice = bounds.lattice
        self.bounds = bounds

    cdef bint build(self, bint is_bounded, int32_t beam) except -1 nogil:
        """Find the states of every node and the arcs between them.

        If bounded, states whose upper bound is below 0 are pruned, or all but the `beam` best
        of a node. Returns whether it was done: if not bounded it gives up where a node has more
        states than a beam, and always when the steps are used up.
        """
        cdef int32_t node, state, end = self.lattice.n_nodes - 1
        self._start()
        for node in range(end):
            if not is_bounded and self._n_states[node] > self.problem.beam_width:
                return False
            if self.problem.is_over():
                return False
            if <int64_t> (self.origins.size() + 4 * self.profile_cell.size()) > MOST_ARC_CELLS:
                return False
            if is_bounded:
                self._prune_states(node, beam)
            state = self.first_state[node]
            while state >= 0:
                self.states[state].first_arc = self.arcs.size()
                if not is_bounded or not self._is_pruned[state]:
                    self._expand(state, is_bounded)
                    if self._exceeds_limits():
                        return False
                self.states[state].last_arc = self.arcs.size()
                state = self.states[state].next
        return self.first_state[end] >= 0

    cdef bint _exceeds_limits(self) noexcept nogil:
        """Whether to give up inside of a node: more steps than allowed, or far more memory."""
        cdef int64_t size = self.origins.size() + 4 * self.profile_cell.size()
        return self.problem.is_over() or size > 4 * MOST_ARC_CELLS

    cdef int _start(self) except -1 nogil:
        """Make the state of the first node: the slice before any reference token."""
        cdef int32_t number, n_nodes = self.lattice.n_nodes
        self.states.clear()
        self._table.assign(256, -1)
        self.profile_cell.clear()
        self.profile_cost.clear()
        self._prefix_value.clear()
        self.arcs.clear()
        self.origins.clear()
        self.deltas.clear()
        self.first_deltas.clear()
        self.first_state.assign(n_nodes, -1)
        self._last_state.assign(n_nodes, -1)
        self._n_states.assign(n_nodes, 0)
        self._slice.resize(self.cells.graph.n_cells + 1)
        self._queue.assign((self.cells.graph.n_cells >> 6) + 1, 0)
        self._relax(0, 0, TAKES_ALL, 0, 0)
        self._close_slice(0, 0, 0)
        self._merge_state(0, 0)
        for number in range(self.states[0].size):
            self.first_deltas.push_back(self._frontier[number].back.delta)
            self._prefix_value[number] = value_of(&self.bounds.rounded, self.first_deltas[number])
        return 0

    cdef int _expand(self, int32_t state, bint is_bounded) except -1 nogil:
        """Go over all edges from a state."""
        cdef State here = self.states[state]
        cdef int32_t low = self._cost_at_pivot(&here), number, most, target
        for number in range(self.lattice.leaving[here.node], self.lattice.leaving[here.node + 1]):
            most = low + self.lattice.edges[number].cost
            self._extend(&here, &self.lattice.edges[number], most)
            # Beside the cells, the words of their bit set are counted.
            self.problem.count(8 + 4 * self._frontier.size() + self._queue.size() // 8)
            if self._exceeds_limits():
                return 0
            target = self._merge_state(self.lattice.edges[number].end, most)
            self._add_arc(state, target, number, is_bounded)
        return 0

    cdef int _extend(self, const State* state, const Edge* edge, int32_t most) except -1 nogil:
        """Make the slice after an edge."""
        cdef int32_t number, first
        cdef FrontierCell entry
        if edge.token != NO_TOKEN:
            first = self._take_token(state, edge.token)
            self._close_slice(edge.end, first, most)
            return 0
        self._frontier.clear()
        for number in range(state.size):
            entry.cell = self.profile_cell[state.offset + number]
            entry.back.cost = self.profile_cost[state.offset + number]
            entry.back.rank = TAKES_ALL
            entry.back.origin = number
            entry.back.delta = 0
            self._frontier.push_back(entry)
        return 0

    cdef int _add_arc(
        self, int32_t start, int32_t end, int32_t edge, bint is_bounded
    ) except -1 nogil:
        """Add an arc between two states, with the backpointers of the frontier."""
        cdef int64_t before = self.states[start].offset, after = self.states[end].offset, value
        cdef int32_t number
        cdef Backpointer back
        cdef Arc arc
        arc.start = start
        arc.end = end
        arc.edge = edge
        arc.offset = self.origins.size()
        self.arcs.push_back(arc)
        for number in range(<int32_t> self._frontier.size()):
            back = self._frontier[number].back
            self.origins.push_back(back.origin)
            self.deltas.push_back(back.delta)
            if is_bounded:
                value = self._prefix_value[before + back.origin]
                value += value_of(&self.bounds.rounded, back.delta)
                self._prefix_value[after + number] = max(self._prefix_value[after + number], value)
        return 0

    cdef void _relax(
        self, int32_t cell, int32_t cost, int32_t rank, int32_t origin, int64_t delta
    ) noexcept nogil:
        """Relax the cost of a cell; of paths of equal cost the preferred one stays."""
        cdef Backpointer* back = self._slice.data() + cell
        cdef uint64_t* word = self._queue.data() + (cell >> 6)
        cdef uint64_t bit = <uint64_t> 1 << (cell & 63)
        if not word[0] & bit:
            word[0] |= bit
        elif back.cost < cost or (back.cost == cost and back.rank <= rank):
            return
        back.cost = cost
        back.rank = rank
        back.origin = origin
        back.delta = delta

    cdef int32_t _take_token(self, const State* state, int32_t token) noexcept nogil:
        """Take the moves with a reference token; return the first cell reached."""
        cdef CellGraph graph = self.cells.graph
        cdef int32_t number, cell, cost, s, h, step, target, first = graph.n_cells
        cdef int64_t delta
        for number in range(state.size):
            cell = self.profile_cell[state.offset + number]
            cost = self.profile_cost[state.offset + number]
            s = graph.source[cell]
            h = graph.hypothesis[cell]
            first = min(first, cell)
            target = graph.diagonal[cell]
            if target != graph.n_cells:
                step = MISMATCH * ((s != h) + (s != token) + (h != token))
                delta = column_class(s, h, token)
                self._relax(target, cost + step, TAKES_ALL, number, delta)
            target = graph.below[cell]
            if target != graph.n_cells:
                step = pair_cost(s == token)
                delta = FP if s == token else FPN
                self._relax(target, cost + step, TAKES_SOURCE_REFERENCE, number, delta)
            target = graph.right[cell]
            if target != graph.n_cells:
                step = pair_cost(h == token)
                delta = TP if h == token else FPN
                self._relax(target, cost + step, TAKES_HYPOTHESIS_REFERENCE, number, delta)
            self._relax(cell, cost + GAP, TAKES_REFERENCE, number, FN)
        return first

    cdef int _close_slice(self, int32_t node, int32_t first, int32_t most) except -1 nogil:
        """Take the moves without a reference token, row by row, from the cells that can matter."""
        cdef CellGraph graph = self.cells.graph
        cdef const int16_t* bound = (
            self.bounds.before_any.data() + node * <int64_t> (graph.n_cells + 1)
        )
        cdef uint64_t* waiting = self._queue.data()
        cdef int32_t n_words = <int32_t> self._queue.size(), word = first >> 6, cell, target
        cdef FrontierCell entry
        cdef Backpointer back
        cdef bint is_match
        self._frontier.clear()
        while word < n_words:
            if not waiting[word]:
                word += 1
                continue
            cell = 64 * word + lowest_bit(waiting[word])
            waiting[word] &= waiting[word] - 1
            back = self._slice[cell]
            if back.cost + bound[cell] > most:
                continue
            entry.cell = cell
            entry.back = back
            self._frontier.push_back(entry)
            target = graph.diagonal[cell]
            if target != graph.n_cells:
                is_match = graph.source[cell] == graph.hypothesis[cell]
                self._relax(
                    target,
                    back.cost + pair_cost(is_match),
                    TAKES_SOURCE_HYPOTHESIS,
                    back.origin,
                    back.delta + (FN if is_match else FPN),
                )
            target = graph.below[cell]
            if target != graph.n_cells:
                self._relax(target, back.cost + GAP, TAKES_SOURCE, back.origin, back.delta + TP)
            target = graph.right[cell]
            if target != graph.n_cells:
                self._relax(target, back.cost + GAP, TAKES_HYPOTHESIS, back.origin, back.delta + FP)
        return 0

    cdef int32_t _merge_state(self, int32_t node, int32_t most) except -1 nogil:
        """Merge the slice into the state with the same profile, or make a new one."""
        cdef int32_t number
        cdef int64_t slot, mask
        cdef uint64_t hash = mixed(0, node)
        cdef const State* other
        self._prune_cells(node, most)
        for number in range(<int32_t> self._frontier.size()):
            hash = mixed(hash, self._frontier[number].cell)
            hash = mixed(hash, self._frontier[number].back.cost)
        if 2 * self.states.size() >= self._table.size():
            self._grow_table()
        mask = <int64_t> self._table.size() - 1
        slot = <int64_t> (hash >> 7) & mask
        while self._table[slot] >= 0:
            other = &self.states[self._table[slot]]
            if other.hash == hash and other.node == node and self._is_same(other):
                return self._table[slot]
            slot = (slot + 1) & mask
        self._table[slot] = self._add_state(node, hash)
        return self._table[slot]

    cdef int _prune_cells(self, int32_t node, int32_t most) except -1 nogil:
        """Keep the cells of the slice that matter, and what they cost more than the cheapest."""
        cdef int32_t pivot = self.cells.number(
            self.lattice.pivot_row[node], self.lattice.pivot_column[node]
        )
        cdef const int16_t* bound = (
            self.bounds.before_token.data() + node * <int64_t> (self.cells.graph.n_cells + 1)
        )
        cdef int32_t number, kept = 0, lowest = INFINITE, size = <int32_t> self._frontier.size()
        for number in range(size):
            if self._frontier[number].cell == pivot:
                most = min(most, self._frontier[number].back.cost)
        for number in range(size):
            if self._frontier[number].back.cost + bound[self._frontier[number].cell] <= most:
                self._frontier[kept] = self._frontier[number]
                lowest = min(lowest, self._frontier[kept].back.cost)
                kept += 1
        self._frontier.resize(kept)
        for number in range(kept):
            self._frontier[number].back.cost -= lowest
        return 0

    cdef int32_t _add_state(self, int32_t node, uint64_t hash) except -1 nogil:
        """Make a state of the slice, the last one of its node."""
        cdef int32_t number = <int32_t> self.states.size(), place
        cdef State state
        state.node = node
        state.size = <int32_t> self._frontier.size()
        state.offset = self.profile_cell.size()
        state.hash = hash
        state.next = -1
        state.first_arc = state.last_arc = 0
        for place in range(state.size):
            self.profile_cell.push_back(self._frontier[place].cell)
            self.profile_cost.push_back(self._frontier[place].back.cost)
            self._prefix_value.push_back(MINUS_INFINITY)
        self.states.push_back(state)
        if self._last_state[node] < 0:
            self.first_state[node] = number
        else:
            self.states[self._last_state[node]].next = number
        self._last_state[node] = number
        self._n_states[node] += 1
        return number

    cdef bint _is_same(self, const State* state) noexcept nogil:
        """Whether a state has the profile of the slice."""
        cdef int32_t number
        if state.size != <int32_t> self._frontier.size():
            return False
        for number in range(state.size):
            if (
                self.profile_cell[state.offset + number] != self._frontier[number].cell
                or self.profile_cost[state.offset + number] != self._frontier[number].back.cost
            ):
                return False
        return True

    cdef int _grow_table(self) except -1 nogil:
        cdef int64_t size = max(256, 4 * <int64_t> self.states.size()), slot
        cdef int32_t number
        while size & (size - 1):
            size += size & -size
        self._table.assign(size, -1)
        for number in range(<int32_t> self.states.size()):
            slot = <int64_t> (self.states[number].hash >> 7) & (size - 1)
            while self._table[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            self._table[slot] = number
        return 0

    cdef int32_t _cost_at_pivot(self, const State* state) noexcept nogil:
        """What the alignment costs at most at the pivot."""
        cdef int32_t x = self.lattice.pivot_row[state.node]
        cdef int32_t y = self.lattice.pivot_column[state.node]
        cdef int32_t cost, low = INFINITE
        cdef int64_t at
        for at in range(state.offset, state.offset + state.size):
            cost = GAP * distance(self.cells.graph, self.profile_cell[at], x, y)
            low = min(low, self.profile_cost[at] + cost)
        return low

    cdef int _prune_states(self, int32_t node, int32_t beam) except -1 nogil:
        """Mark the states of a node that are outside of the beam or below the bound."""
        cdef int32_t number
        cdef BeamEntry entry
        self._is_pruned.resize(self.states.size())
        self._beam.clear()
        entry.state = self.first_state[node]
        while entry.state >= 0:
            entry.bound = self._upper_bound(&self.states[entry.state])
            self._is_pruned[entry.state] = not beam and entry.bound < 0
            self._beam.push_back(entry)
            entry.state = self.states[entry.state].next
        if beam and <int32_t> self._beam.size() > beam:
            nth_element(
                self._beam.begin(), self._beam.begin() + beam, self._beam.end(), &ranks_before
            )
            for number in range(beam, <int32_t> self._beam.size()):
                self._is_pruned[self._beam[number].state] = True
        return 0

    cdef int64_t _upper_bound(self, const State* state) noexcept nogil:
        """Bound the objective of all references through a state; below 0 is not enough."""
        cdef const int32_t* upper = (
            self.bounds.upper.data() + state.node * <int64_t> (self.cells.graph.n_cells + 1)
        )
        cdef int32_t low = self._cost_at_pivot(state), number
        cdef int64_t at, value, best = MINUS_INFINITY
        for number in range(state.size):
            at = state.offset + number
            value = self._prefix_value[at] + upper[self.profile_cell[at]]
            value += self.bounds.multiplier * (low - self.profile_cost[at])
            best = max(best, value)
        return best + self.bounds.rounded.constant
