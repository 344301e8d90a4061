# distutils: language = c++
"""States: what beginnings of references mean for everything after them; arcs between states.

What counts of a beginning is only how much cheaper the alignment is at one cell than at another:
its *profile*. Beginnings with the same profile at the same node share one state. Cells that
cannot make up for what they cost so far are dropped from the profile; ties are kept. An arc knows,
for each cell of the state at its end, from which cell of the other the preferred alignment comes
and which columns lie between.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from libcpp.algorithm cimport nth_element

cimport cython

from geceval.kernels.imeasure.bounds cimport Bounds
from geceval.kernels.imeasure.cells cimport Grid, distance
from geceval.kernels.imeasure.costs cimport GAP, INFINITE, MISMATCH, NO_TOKEN, pair_cost
from geceval.kernels.imeasure.counts cimport FN, FP, FPN, TP, column_class, worth
from geceval.kernels.imeasure.lattice cimport Edge
from geceval.kernels.imeasure.task cimport Task

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


cdef bint scores_higher(const Scored& a, const Scored& b) noexcept nogil:
    return a.score > b.score if a.score != b.score else a.state < b.state


cdef inline uint64_t mixed(uint64_t hash, uint64_t value) noexcept nogil:
    hash = (hash ^ value) * <uint64_t> 0x9E3779B97F4A7C15
    return hash ^ (hash >> 29)


@cython.final
cdef class States:
    """The states of one sentence after the other; keeps its memory."""

    def __init__(self, Task task, Bounds bounds):
        self.task = task
        self.cells = bounds.cells
        self.lattice = bounds.lattice
        self.bounds = bounds

    cdef bint walk(self, bint is_priced, int32_t beam) except -1 nogil:
        """Find the states of every node and the arcs between them.

        With a price, states that cannot reach it are left out, or all but the best of a node
        if there is a `beam`. Returns whether it was done: without a price it gives up where
        a node has very many states, and always when the steps are used up.
        """
        cdef int32_t node, state, end = self.lattice.n_nodes - 1
        self._start()
        for node in range(end):
            if not is_priced and self._n_states[node] > self.task.crowd:
                return False
            if self.task.is_over():
                return False
            if <int64_t> (self.origins.size() + 4 * self.profile_cell.size()) > MOST_ARC_CELLS:
                return False
            if is_priced:
                self._drop_states(node, beam)
            state = self.first_state[node]
            while state >= 0:
                self.states[state].first_arc = self.arcs.size()
                if not is_priced or not self._is_dropped[state]:
                    self._leave(state, is_priced)
                    if self._is_too_much():
                        return False
                self.states[state].last_arc = self.arcs.size()
                state = self.states[state].next
        return self.first_state[end] >= 0

    cdef bint _is_too_much(self) noexcept nogil:
        """Whether to give up inside of a node: more steps than allowed, or far more memory."""
        cdef int64_t size = self.origins.size() + 4 * self.profile_cell.size()
        return self.task.is_over() or size > 4 * MOST_ARC_CELLS

    cdef int _start(self) except -1 nogil:
        """Make the state of the first node: the slice before any reference token."""
        cdef int32_t number, n_nodes = self.lattice.n_nodes
        self.states.clear()
        self._table.assign(256, -1)
        self.profile_cell.clear()
        self.profile_cost.clear()
        self._reached.clear()
        self.arcs.clear()
        self.origins.clear()
        self.deltas.clear()
        self.first_deltas.clear()
        self.first_state.assign(n_nodes, -1)
        self._last_state.assign(n_nodes, -1)
        self._n_states.assign(n_nodes, 0)
        self._slice.resize(self.cells.grid.n_cells + 1)
        self._waiting.assign((self.cells.grid.n_cells >> 6) + 1, 0)
        self._push(0, 0, TAKES_ALL, 0, 0)
        self._close_slice(0, 0, 0)
        self._keep_state(0, 0)
        for number in range(self.states[0].size):
            self.first_deltas.push_back(self._found[number].way.delta)
            self._reached[number] = worth(&self.bounds.rough, self.first_deltas[number])
        return 0

    cdef int _leave(self, int32_t state, bint is_priced) except -1 nogil:
        """Go over all edges from a state."""
        cdef State here = self.states[state]
        cdef int32_t low = self._cost_at_pivot(&here), number, most, target
        for number in range(self.lattice.leaving[here.node], self.lattice.leaving[here.node + 1]):
            most = low + self.lattice.edges[number].cost
            self._follow(&here, &self.lattice.edges[number], most)
            # Beside the cells, the words are counted that tell which of them wait.
            self.task.count(8 + 4 * self._found.size() + self._waiting.size() // 8)
            if self._is_too_much():
                return 0
            target = self._keep_state(self.lattice.edges[number].end, most)
            self._add_arc(state, target, number, is_priced)
        return 0

    cdef int _follow(self, const State* state, const Edge* edge, int32_t most) except -1 nogil:
        """Make the slice after an edge."""
        cdef int32_t number, first
        cdef Found entry
        if edge.token != NO_TOKEN:
            first = self._take_token(state, edge.token)
            self._close_slice(edge.end, first, most)
            return 0
        self._found.clear()
        for number in range(state.size):
            entry.cell = self.profile_cell[state.offset + number]
            entry.way.cost = self.profile_cost[state.offset + number]
            entry.way.rank = TAKES_ALL
            entry.way.origin = number
            entry.way.delta = 0
            self._found.push_back(entry)
        return 0

    cdef int _add_arc(
        self, int32_t start, int32_t end, int32_t edge, bint is_priced
    ) except -1 nogil:
        """Put an arc between two states, with the ways of the slice."""
        cdef int64_t before = self.states[start].offset, after = self.states[end].offset, value
        cdef int32_t number
        cdef Way way
        cdef Arc arc
        arc.start = start
        arc.end = end
        arc.edge = edge
        arc.offset = self.origins.size()
        self.arcs.push_back(arc)
        for number in range(<int32_t> self._found.size()):
            way = self._found[number].way
            self.origins.push_back(way.origin)
            self.deltas.push_back(way.delta)
            if is_priced:
                value = self._reached[before + way.origin] + worth(&self.bounds.rough, way.delta)
                self._reached[after + number] = max(self._reached[after + number], value)
        return 0

    # Slices.

    cdef void _push(
        self, int32_t cell, int32_t cost, int32_t rank, int32_t origin, int64_t delta
    ) noexcept nogil:
        """Offer a way to a cell; the cheapest stays, of equal ones the preferred."""
        cdef Way* way = self._slice.data() + cell
        cdef uint64_t* word = self._waiting.data() + (cell >> 6)
        cdef uint64_t bit = <uint64_t> 1 << (cell & 63)
        if not word[0] & bit:
            word[0] |= bit
        elif way.cost < cost or (way.cost == cost and way.rank <= rank):
            return
        way.cost = cost
        way.rank = rank
        way.origin = origin
        way.delta = delta

    cdef int32_t _take_token(self, const State* state, int32_t token) noexcept nogil:
        """Take the moves with a reference token; return the first cell reached."""
        cdef Grid grid = self.cells.grid
        cdef int32_t number, cell, cost, s, h, price, target, first = grid.n_cells
        cdef int64_t delta
        for number in range(state.size):
            cell = self.profile_cell[state.offset + number]
            cost = self.profile_cost[state.offset + number]
            s = grid.source[cell]
            h = grid.hypothesis[cell]
            first = min(first, cell)
            target = grid.diagonal[cell]
            if target != grid.n_cells:
                price = MISMATCH * ((s != h) + (s != token) + (h != token))
                delta = column_class(s, h, token)
                self._push(target, cost + price, TAKES_ALL, number, delta)
            target = grid.below[cell]
            if target != grid.n_cells:
                price = pair_cost(s == token)
                delta = FP if s == token else FPN
                self._push(target, cost + price, TAKES_SOURCE_REFERENCE, number, delta)
            target = grid.right[cell]
            if target != grid.n_cells:
                price = pair_cost(h == token)
                delta = TP if h == token else FPN
                self._push(target, cost + price, TAKES_HYPOTHESIS_REFERENCE, number, delta)
            self._push(cell, cost + GAP, TAKES_REFERENCE, number, FN)
        return first

    cdef int _close_slice(self, int32_t node, int32_t first, int32_t most) except -1 nogil:
        """Take the moves without a reference token, row by row, from the cells that can matter."""
        cdef Grid grid = self.cells.grid
        cdef const int16_t* bound = (
            self.bounds.before_any.data() + node * <int64_t> (grid.n_cells + 1)
        )
        cdef uint64_t* waiting = self._waiting.data()
        cdef int32_t n_words = <int32_t> self._waiting.size(), word = first >> 6, cell, target
        cdef Found entry
        cdef Way way
        cdef bint is_match
        self._found.clear()
        while word < n_words:
            if not waiting[word]:
                word += 1
                continue
            cell = 64 * word + lowest_bit(waiting[word])
            waiting[word] &= waiting[word] - 1
            way = self._slice[cell]
            if way.cost + bound[cell] > most:
                continue
            entry.cell = cell
            entry.way = way
            self._found.push_back(entry)
            target = grid.diagonal[cell]
            if target != grid.n_cells:
                is_match = grid.source[cell] == grid.hypothesis[cell]
                self._push(
                    target,
                    way.cost + pair_cost(is_match),
                    TAKES_SOURCE_HYPOTHESIS,
                    way.origin,
                    way.delta + (FN if is_match else FPN),
                )
            target = grid.below[cell]
            if target != grid.n_cells:
                self._push(target, way.cost + GAP, TAKES_SOURCE, way.origin, way.delta + TP)
            target = grid.right[cell]
            if target != grid.n_cells:
                self._push(target, way.cost + GAP, TAKES_HYPOTHESIS, way.origin, way.delta + FP)
        return 0

    # Profiles.

    cdef int32_t _keep_state(self, int32_t node, int32_t most) except -1 nogil:
        """Make a state of the slice, or find the one that has the same profile."""
        cdef int32_t number
        cdef int64_t slot, mask
        cdef uint64_t hash = mixed(0, node)
        cdef const State* other
        self._drop_cells(node, most)
        for number in range(<int32_t> self._found.size()):
            hash = mixed(hash, self._found[number].cell)
            hash = mixed(hash, self._found[number].way.cost)
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

    cdef int _drop_cells(self, int32_t node, int32_t most) except -1 nogil:
        """Keep the cells of the slice that matter, and what they cost more than the cheapest."""
        cdef int32_t pivot = self.cells.number(
            self.lattice.pivot_row[node], self.lattice.pivot_column[node]
        )
        cdef const int16_t* bound = (
            self.bounds.before_token.data() + node * <int64_t> (self.cells.grid.n_cells + 1)
        )
        cdef int32_t number, kept = 0, lowest = INFINITE, size = <int32_t> self._found.size()
        for number in range(size):
            if self._found[number].cell == pivot:
                most = min(most, self._found[number].way.cost)
        for number in range(size):
            if self._found[number].way.cost + bound[self._found[number].cell] <= most:
                self._found[kept] = self._found[number]
                lowest = min(lowest, self._found[kept].way.cost)
                kept += 1
        self._found.resize(kept)
        for number in range(kept):
            self._found[number].way.cost -= lowest
        return 0

    cdef int32_t _add_state(self, int32_t node, uint64_t hash) except -1 nogil:
        """Make a state of the slice, the last one of its node."""
        cdef int32_t number = <int32_t> self.states.size(), place
        cdef State state
        state.node = node
        state.size = <int32_t> self._found.size()
        state.offset = self.profile_cell.size()
        state.hash = hash
        state.next = -1
        state.first_arc = state.last_arc = 0
        for place in range(state.size):
            self.profile_cell.push_back(self._found[place].cell)
            self.profile_cost.push_back(self._found[place].way.cost)
            self._reached.push_back(LOWEST)
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
        if state.size != <int32_t> self._found.size():
            return False
        for number in range(state.size):
            if (
                self.profile_cell[state.offset + number] != self._found[number].cell
                or self.profile_cost[state.offset + number] != self._found[number].way.cost
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
            cost = GAP * distance(self.cells.grid, self.profile_cell[at], x, y)
            low = min(low, self.profile_cost[at] + cost)
        return low

    # Which states to go on with.

    cdef int _drop_states(self, int32_t node, int32_t beam) except -1 nogil:
        """Mark the states of a node that are not worth going on with."""
        cdef int32_t number
        cdef Scored entry
        self._is_dropped.resize(self.states.size())
        self._scored.clear()
        entry.state = self.first_state[node]
        while entry.state >= 0:
            entry.score = self._score(&self.states[entry.state])
            self._is_dropped[entry.state] = not beam and entry.score < 0
            self._scored.push_back(entry)
            entry.state = self.states[entry.state].next
        if beam and <int32_t> self._scored.size() > beam:
            nth_element(
                self._scored.begin(),
                self._scored.begin() + beam,
                self._scored.end(),
                &scores_higher,
            )
            for number in range(beam, <int32_t> self._scored.size()):
                self._is_dropped[self._scored[number].state] = True
        return 0

    cdef int64_t _score(self, const State* state) noexcept nogil:
        """What the best reference with a state may be worth at most; below 0 is not enough."""
        cdef const int32_t* hope = (
            self.bounds.hope.data() + state.node * <int64_t> (self.cells.grid.n_cells + 1)
        )
        cdef int32_t low = self._cost_at_pivot(state), number
        cdef int64_t at, value, best = LOWEST
        for number in range(state.size):
            at = state.offset + number
            value = self._reached[at] + hope[self.profile_cell[at]]
            value += self.bounds.rate * (low - self.profile_cost[at])
            best = max(best, value)
        return best + self.bounds.rough.advance
