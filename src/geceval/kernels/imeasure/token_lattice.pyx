# distutils: language = c++
"""The lattice of references with at most one token on an edge, every node at a pivot cell.

Costs up to a node are kept as differences from those at its pivot. Any cell would do; those of a
good alignment prune best. Inside an edge they come from the three-way alignment of the words, the
source and the hypothesis between the pivots of its ends:

    D[i, j, k] = min over (a, b, c) in {0, 1}^3 of  D[i-a, j-b, k-c] + cost(column of a, b, c)
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

cimport cython

from geceval.kernels.imeasure.carrillo_lipman cimport Region
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.sum_of_pairs cimport GAP, INFINITE, MISMATCH, NO_TOKEN, cost_beside

cdef enum:
    MOST_BOX_CELLS = 2_000_000

# What a column of a box takes, as bits.
cdef enum:
    REFERENCE = 1
    HYPOTHESIS = 2
    SOURCE = 4
    ALL_THREE = 7


cdef struct BestColumn:
    # The cost of a cell of a box, and what the last column of its best alignment takes.
    int32_t cost
    uint8_t takes


cdef int32_t longest_path(const WordLattice* word_lattice) except -1 nogil:
    """Words of the longest reference."""
    cdef vector[int32_t] longest
    cdef int64_t edge
    cdef int32_t end
    longest.assign(word_lattice.n_positions, 0)
    for edge in range(word_lattice.n_edges):
        end = word_lattice.ends[edge]
        longest[end] = max(
            longest[end], longest[word_lattice.starts[edge]] + n_words(word_lattice, edge)
        )
    return longest[word_lattice.n_positions - 1]


cdef inline int32_t n_words(const WordLattice* word_lattice, int64_t edge) noexcept nogil:
    return <int32_t> (word_lattice.word_offsets[edge + 1] - word_lattice.word_offsets[edge])


cdef inline int64_t box_place(Box box, int32_t i, int32_t j, int32_t k) noexcept nogil:
    return (<int64_t> i * (box.columns + 1) + j) * (box.size + 1) + k


cdef inline int64_t n_box_cells(Box box) noexcept nogil:
    return box_place(box, box.rows, box.columns, box.size) + 1


cdef inline bint is_source(Box box) noexcept nogil:
    """Whether an edge keeps more than one word as they are."""
    cdef int32_t number
    if box.size != box.rows or box.size < 2:
        return False
    for number in range(box.size):
        if box.words[number] != box.source[number]:
            return False
    return True


cdef inline void relax(BestColumn* best, int32_t cost, uint8_t takes) noexcept nogil:
    if cost < best.cost:
        best.cost = cost
        best.takes = takes


@cython.final
cdef class TokenLattice:
    """The lattice of one sentence after the other; keeps its memory."""

    def __init__(self, SearchProblem problem, Region cells):
        self.problem = problem
        self.cells = cells

    cdef bint prepare(self, const WordLattice* word_lattice) except -1 nogil:
        """Give every node a pivot and split edges so that each has one token at most.

        Nodes have to be placed before. Returns whether it was done within the allowed steps.
        """
        cdef int32_t start, size, inner = 0
        cdef int64_t edge
        self._unsorted.clear()
        for edge in range(word_lattice.n_edges):
            start = self._numbers[word_lattice.starts[edge]]
            if not edge or word_lattice.starts[edge] != word_lattice.starts[edge - 1]:
                inner = start + 1
            size = n_words(word_lattice, edge)
            self._split(
                start,
                self._numbers[word_lattice.ends[edge]],
                inner,
                word_lattice.words + word_lattice.word_offsets[edge],
                size,
            )
            inner += max(0, size - 1)
            if self.problem.is_over():
                return False
        self._sort_edges()
        return True

    cdef int place_nodes(self, const WordLattice* word_lattice) except -1 nogil:
        """Number all nodes, those inside of edges after the one where these start."""
        cdef int32_t node, position, _
        cdef int64_t edge = 0
        self._numbers.resize(word_lattice.n_positions)
        self.pivot_row.clear()
        self.pivot_column.clear()
        for node in range(word_lattice.n_positions):
            self._numbers[node] = <int32_t> self.pivot_row.size()
            position = min(word_lattice.positions[node], self.cells.n)
            self.pivot_row.push_back(position)
            self.pivot_column.push_back(self.cells.first_column[position])
            while edge < word_lattice.n_edges and word_lattice.starts[edge] == node:
                for _ in range(n_words(word_lattice, edge) - 1):
                    self.pivot_row.push_back(0)
                    self.pivot_column.push_back(0)
                edge += 1
        self.n_nodes = <int32_t> self.pivot_row.size()
        self.pivot_row[0] = 0
        self.pivot_column[0] = 0
        self.pivot_row[self.n_nodes - 1] = self.cells.n
        self.pivot_column[self.n_nodes - 1] = self.cells.m
        return 0

    cdef int _split(
        self, int32_t start, int32_t end, int32_t inner, const int32_t* words, int32_t size
    ) except -1 nogil:
        cdef int32_t x = self.pivot_row[start], y = self.pivot_column[start]
        cdef int32_t number, node = start, following
        cdef Box box
        box.source = self.cells.source + x
        box.rows = self.pivot_row[end] - x
        box.hypothesis = self.cells.hypothesis + y
        box.columns = self.pivot_column[end] - y
        box.words = words
        box.size = size
        self._find_pivots(box, x, y)
        if not size:
            self._add_edge(start, end, NO_TOKEN, self._cost_after[0])
            return 0
        for number in range(1, size + 1):
            following = end if number == size else inner + number - 1
            if number < size:
                self.pivot_row[following] = x + self._row_after[number]
                self.pivot_column[following] = y + self._column_after[number]
            self._add_edge(
                node,
                following,
                words[number - 1],
                self._cost_after[number] - self._cost_after[number - 1],
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
        self._unsorted.push_back(edge)
        return 0

    cdef int _sort_edges(self) except -1 nogil:
        cdef int32_t number, size = <int32_t> self._unsorted.size()
        cdef Edge edge
        self.leaving.assign(self.n_nodes + 1, 0)
        self.edges.resize(size)
        for number in range(size):
            self.leaving[self._unsorted[number].start + 1] += 1
        for number in range(self.n_nodes):
            self.leaving[number + 1] += self.leaving[number]
        self._numbers.assign(self.leaving.begin(), self.leaving.end())
        for number in range(size):
            edge = self._unsorted[number]
            self.edges[self._numbers[edge.start]] = edge
            self._numbers[edge.start] += 1
        return 0

    cdef int _find_pivots(self, Box box, int32_t x, int32_t y) except -1 nogil:
        """Choose cells for the nodes inside an edge that starts at a cell.

        Leaves rows, columns and costs since the start of the edge.
        """
        cdef int32_t number
        self.problem.count(8 + 2 * box.size)
        self._row_after.assign(box.size + 1, 0)
        self._column_after.assign(box.size + 1, 0)
        self._cost_after.assign(box.size + 1, 0)
        if is_source(box):
            self._keep_source(box, x, y)
        elif n_box_cells(box) > MOST_BOX_CELLS:
            for number in range(1, box.size):
                self._cost_after[number] = GAP * number
            self._cost_after[box.size] = GAP * (box.size + box.rows + box.columns)
        else:
            self.problem.count(4 * n_box_cells(box))
            if not self.problem.is_over():
                self._fill(box)
                self._trace(box)
        return 0

    cdef int _keep_source(self, Box box, int32_t x, int32_t y) except -1 nogil:
        """Follow the alignment of source and hypothesis."""
        cdef int32_t number, before = 0, column
        for number in range(1, box.size + 1):
            column = box.columns
            if number < box.size:
                column = self.cells.first_column[x + number] - y
            self._row_after[number] = number
            self._column_after[number] = column
            self._cost_after[number] = self._cost_after[number - 1] + cost_beside(
                box.source[number - 1], box.hypothesis + before, column - before
            )
            before = column
        return 0

    cdef int _fill(self, Box box) except -1 nogil:
        """Align the three sides of a box; of equal columns that with the most tokens wins."""
        # How far before a cell those without the last token of source and hypothesis are.
        cdef int64_t above = box_place(box, 1, 0, 0), left = box_place(box, 0, 1, 0), at = 0
        cdef int32_t i, j, k, sh, sr, hr
        cdef int32_t* costs
        cdef BestColumn best
        self._costs.resize(n_box_cells(box))
        self._backpointers.resize(n_box_cells(box))
        costs = self._costs.data()
        for i in range(box.rows + 1):
            for j in range(box.columns + 1):
                sh = MISMATCH if i and j and box.source[i - 1] != box.hypothesis[j - 1] else 0
                for k in range(box.size + 1):
                    sr = MISMATCH if i and k and box.source[i - 1] != box.words[k - 1] else 0
                    hr = MISMATCH if j and k and box.hypothesis[j - 1] != box.words[k - 1] else 0
                    best.cost = INFINITE if at else 0
                    best.takes = 0
                    if i and j and k:
                        relax(&best, costs[at - above - left - 1] + sh + sr + hr, ALL_THREE)
                    if i and j:
                        relax(&best, costs[at - above - left] + GAP + sh, SOURCE | HYPOTHESIS)
                    if i and k:
                        relax(&best, costs[at - above - 1] + GAP + sr, SOURCE | REFERENCE)
                    if i:
                        relax(&best, costs[at - above] + GAP, SOURCE)
                    if j and k:
                        relax(&best, costs[at - left - 1] + GAP + hr, HYPOTHESIS | REFERENCE)
                    if j:
                        relax(&best, costs[at - left] + GAP, HYPOTHESIS)
                    if k:
                        relax(&best, costs[at - 1] + GAP, REFERENCE)
                    costs[at] = best.cost
                    self._backpointers[at] = best.takes
                    at += 1
        return 0

    cdef int _trace(self, Box box) except -1 nogil:
        """Follow an optimal alignment of the box from its end, and note where words end."""
        cdef int32_t i = box.rows, j = box.columns, k = box.size, takes
        self._note(box, i, j, k)
        while k:
            takes = self._backpointers[box_place(box, i, j, k)]
            i -= takes & SOURCE != 0
            j -= takes & HYPOTHESIS != 0
            if takes & REFERENCE:
                k -= 1
                if k:
                    self._note(box, i, j, k)
        return 0

    cdef void _note(self, Box box, int32_t i, int32_t j, int32_t k) noexcept nogil:
        self._row_after[k] = i
        self._column_after[k] = j
        self._cost_after[k] = self._costs[box_place(box, i, j, k)]
