# distutils: language = c++
"""The alignment of the source itself with the references: the baseline of I.

It is extended along the paths of the lattice as that of source and hypothesis is, in one dimension:

    L[p + r, i] = min(L[p, i-1] + (0 if s_i = r else 6), L[p + r, i-1] + 4, L[p, i] + 4)

The costs at the rows that can matter are a profile, and arcs lead from one profile to another.
"""

from libc.stdint cimport int16_t, int32_t, int64_t
from libc.stdlib cimport abs
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.column_counts cimport ColumnCounts, unchanged
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.sum_of_pairs cimport (
    BOTH,
    FIRST,
    GAP,
    INFINITE,
    MISMATCH,
    NO_TOKEN,
    cost_beside,
    fill_costs,
    last_column,
)
from geceval.kernels.imeasure.token_lattice cimport Edge, TokenLattice


@cython.final
cdef class SourceAlignment:
    """The source's own alignment of one sentence after the other; keeps its memory."""

    def __init__(self, SearchProblem problem, TokenLattice lattice):
        self.problem = problem
        self.cells = lattice.cells
        self.lattice = lattice

    cdef int find_bounds(self) except -1 nogil:
        """Find how much cheaper than from the pivot the rest is at least, and the detour."""
        cdef int32_t n = self.cells.n, node, number, i, end = self.lattice.n_nodes - 1
        cdef int64_t width = n + 1
        cdef int16_t* bound
        self._bound.resize(self.lattice.n_nodes * width)
        self._detours.assign(self.lattice.n_nodes, 0)
        self._line.resize(width)
        for node in range(end, -1, -1):
            bound = self._bound.data() + node * width
            for i in range(n + 1):
                bound[i] = <int16_t> min(GAP * (n - i), INFINITE) if node == end else INFINITE
            for number in range(self.lattice.leaving[node], self.lattice.leaving[node + 1]):
                self.problem.count(width)
                self._take_edge(number)
            for i in range(n + 1):
                bound[i] = <int16_t> max(bound[i], -GAP * abs(i - self.lattice.pivot_row[node]))
        self.detour = self._detours[0]
        return 0

    cdef void _take_edge(self, int32_t number) noexcept nogil:
        """Lower the bounds before an edge by those after it."""
        cdef Edge edge = self.lattice.edges[number]
        cdef const int32_t* source = self.cells.source
        cdef int32_t n = self.cells.n, token = edge.token, i, value, cost
        cdef int32_t x = self.lattice.pivot_row[edge.start]
        cdef int32_t size = self.lattice.pivot_row[edge.end] - x
        cdef int16_t* bound = self._bound.data() + edge.start * <int64_t> (n + 1)
        cdef const int16_t* following = self._bound.data() + edge.end * <int64_t> (n + 1)
        cdef int32_t* line = self._line.data()
        cost = GAP * size if token == NO_TOKEN else cost_beside(token, source + x, size)
        self._detours[edge.start] = max(self._detours[edge.start], cost + self._detours[edge.end])
        for i in range(n, -1, -1):
            value = following[i]
            if token != NO_TOKEN:
                value += GAP
                if i < n:
                    value = min(
                        value, following[i + 1] + (0 if source[i] == token else 2 * MISMATCH)
                    )
                    value = min(value, line[i + 1] + GAP)
            line[i] = value
            bound[i] = <int16_t> min(bound[i], value - cost)

    cdef int32_t start(self) except -1 nogil:
        """Make the profile before any reference token; its place and rows are all the same."""
        cdef int32_t n = self.cells.n, i
        self.profiles.clear()
        self.rows.clear()
        self.steps.clear()
        self.moves.clear()
        self._costs.clear()
        self._known.clear()
        self._first_profile.assign(self.lattice.n_nodes, -1)
        self._line.assign(n + 1, 0)
        self._next_line.assign(n + 1, 0)
        self._line_move.resize(n + 1)
        self._next_move.resize(n + 1)
        for i in range(n + 1):
            self._line[i] = GAP * i
            self._line_move[i].origin = 0
            self._line_move[i].tn = 0
            self._line_move[i].fn = i
        return self._keep(0)

    cdef int32_t step(self, int32_t profile, int32_t edge) except -1 nogil:
        """Go over an edge with a profile; return the number of the step."""
        cdef int64_t key = (<int64_t> profile << 32) | edge
        cdef int32_t number = <int32_t> self.steps.size()
        cdef ProfileArc made
        if self._known.count(key):
            return self._known[key]
        self._unfold(&self.profiles[profile])
        if self.lattice.edges[edge].token != NO_TOKEN:
            self._take_token(self.lattice.edges[edge].token)
        made.offset = self.moves.size()
        made.profile = self._keep(self.lattice.edges[edge].end)
        self.steps.push_back(made)
        self._known[key] = number
        self.problem.count(2 * self.cells.n)
        return number

    cdef void _unfold(self, const Profile* profile) noexcept nogil:
        """Make a line of a profile."""
        cdef int32_t i, number
        for i in range(self.cells.n + 1):
            self._line[i] = INFINITE
        for number in range(profile.size):
            i = self.rows[profile.offset + number]
            self._line[i] = self._costs[profile.offset + number]
            self._line_move[i].origin = number
            self._line_move[i].tn = 0
            self._line_move[i].fn = 0

    cdef void _take_token(self, int32_t token) noexcept nogil:
        """Make the line after a reference token."""
        cdef int32_t i, cost
        cdef bint is_match
        cdef RowBackpointer move
        for i in range(self.cells.n + 1):
            # Preferred are both tokens, then the source's, then the reference's.
            cost = INFINITE
            move = self._line_move[i]
            if i:
                if self._line[i - 1] < INFINITE:
                    is_match = self.cells.source[i - 1] == token
                    cost = self._line[i - 1] + (0 if is_match else 2 * MISMATCH)
                    move = self._line_move[i - 1]
                    move.tn += is_match
                    move.fn += not is_match
                if self._next_line[i - 1] + GAP < cost:
                    cost = self._next_line[i - 1] + GAP
                    move = self._next_move[i - 1]
                    move.fn += 1
            if self._line[i] + GAP < cost:
                cost = self._line[i] + GAP
                move = self._line_move[i]
                move.fn += 1
            self._next_line[i] = cost
            self._next_move[i] = move
        self._line.swap(self._next_line)
        self._line_move.swap(self._next_move)

    cdef int32_t _keep(self, int32_t node) except -1 nogil:
        """Make a profile of the line, or find it; append the moves to its rows."""
        cdef const int16_t* bound = self._bound.data() + node * <int64_t> (self.cells.n + 1)
        cdef int32_t at_pivot = self._line[self.lattice.pivot_row[node]], lowest = INFINITE
        cdef int32_t i, number, first = 0
        cdef Profile profile
        if node == self.lattice.n_nodes - 1:
            first = self.cells.n
            at_pivot = INFINITE
        profile.size = 0
        profile.offset = self.rows.size()
        for i in range(first, self.cells.n + 1):
            if self._line[i] >= INFINITE:
                continue
            if at_pivot < INFINITE and self._line[i] + bound[i] > at_pivot:
                continue
            self.rows.push_back(i)
            self._costs.push_back(self._line[i])
            self.moves.push_back(self._line_move[i])
            lowest = min(lowest, self._line[i])
            profile.size += 1
        for i in range(profile.size):
            self._costs[profile.offset + i] -= lowest
        number = self._first_profile[node]
        while number >= 0:
            self.problem.count(1)
            if self._is_same(&profile, &self.profiles[number]):
                self.rows.resize(profile.offset)
                self._costs.resize(profile.offset)
                return number
            number = self.profiles[number].next
        profile.next = self._first_profile[node]
        self._first_profile[node] = <int32_t> self.profiles.size()
        self.profiles.push_back(profile)
        return self._first_profile[node]

    cdef bint _is_same(self, const Profile* one, const Profile* other) noexcept nogil:
        cdef int32_t number
        if one.size != other.size:
            return False
        for number in range(one.size):
            if (
                self.rows[one.offset + number] != self.rows[other.offset + number]
                or self._costs[one.offset + number] != self._costs[other.offset + number]
            ):
                return False
        return True

    cdef int count(self, const vector[int32_t]& reference, ColumnCounts* counts) except -1 nogil:
        """Align the source with a single reference and count the columns."""
        cdef const int32_t* source = self.cells.source
        cdef int32_t i = self.cells.n, k = <int32_t> reference.size(), taken
        cdef int64_t width = k + 1
        cdef bint is_match
        counts[0] = unchanged(0, 0)
        self._pair_costs.resize((i + 1) * width)
        fill_costs(self._pair_costs.data(), source, i, reference.data(), k)
        while i or k:
            taken = last_column(self._pair_costs.data(), source, i, reference.data(), k, width)
            i -= taken == BOTH or taken == FIRST
            k -= taken != FIRST
            is_match = taken == BOTH and source[i] == reference[k]
            counts.tn += is_match
            counts.fn += not is_match
        return 0
