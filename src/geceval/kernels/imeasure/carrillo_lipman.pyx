# distutils: language = c++
"""Cells that an optimal alignment of source and hypothesis with any reference may pass.

Carrillo and Lipman's argument for any third sentence: an optimal alignment passes only cells
through which source and hypothesis can be aligned at twice their distance,

    forward[i, j] + backward[i, j] <= 2 forward[n, m]
"""

from libc.stdint cimport int32_t, int64_t

cimport cython

from geceval.kernels.imeasure.sum_of_pairs cimport (
    BOTH,
    FIRST,
    MISMATCH,
    PAIR_GAP,
    fill_costs,
    last_column,
)

# Tokens that equal no other, where a sentence is at its end.
cdef enum:
    AFTER_SOURCE = -2
    AFTER_HYPOTHESIS = -3


@cython.final
cdef class Region:
    """The cells of one sentence after the other; keeps its memory."""

    cdef int prepare(
        self, const int32_t* source, int32_t n, const int32_t* hypothesis, int32_t m
    ) except -1 nogil:
        """Find the cells of a sentence."""
        cdef int32_t i, j, most
        cdef int64_t at = 0, size = (<int64_t> n + 1) * (m + 1)
        self.source = source
        self.n = n
        self.hypothesis = hypothesis
        self.m = m
        self._forward.resize(size)
        self._backward.resize(size)
        self._at.resize(size)
        fill_costs(self._forward.data(), source, n, hypothesis, m)
        self._fill_backward()
        most = 2 * self._backward[0]
        self._row.clear()
        self._column.clear()
        for i in range(n + 1):
            for j in range(m + 1):
                self._at[at] = -1
                if self._forward[at] + self._backward[at] <= most:
                    self._at[at] = <int32_t> self._row.size()
                    self._row.push_back(i)
                    self._column.push_back(j)
                at += 1
        self._link()
        self._find_first_columns()
        return 0

    cdef void _fill_backward(self) noexcept nogil:
        """Costs of aligning all rests of source and hypothesis."""
        cdef int32_t i, j, value
        cdef int64_t width = self.m + 1, at
        cdef int32_t* costs = self._backward.data()
        for i in range(self.n, -1, -1):
            for j in range(self.m, -1, -1):
                at = i * width + j
                if i == self.n or j == self.m:
                    costs[at] = PAIR_GAP * (self.n - i + self.m - j)
                    continue
                value = costs[at + width + 1]
                value += 0 if self.source[i] == self.hypothesis[j] else MISMATCH
                value = min(value, costs[at + width] + PAIR_GAP)
                costs[at] = min(value, costs[at + 1] + PAIR_GAP)

    cdef int _link(self) except -1 nogil:
        """Find the cells that follow each one, and the tokens between."""
        cdef int32_t cell, i, j, n_cells = <int32_t> self._row.size()
        self.graph.n_cells = n_cells
        self._below.resize(n_cells)
        self._right.resize(n_cells)
        self._diagonal.resize(n_cells)
        self._source_token.resize(n_cells)
        self._hypothesis_token.resize(n_cells)
        for cell in range(n_cells):
            i = self._row[cell]
            j = self._column[cell]
            self._below[cell] = self.number(i + 1, j)
            self._right[cell] = self.number(i, j + 1)
            self._diagonal[cell] = self.number(i + 1, j + 1)
            self._source_token[cell] = self.source[i] if i < self.n else AFTER_SOURCE
            self._hypothesis_token[cell] = self.hypothesis[j] if j < self.m else AFTER_HYPOTHESIS
        self.graph.row = self._row.data()
        self.graph.column = self._column.data()
        self.graph.below = self._below.data()
        self.graph.right = self._right.data()
        self.graph.diagonal = self._diagonal.data()
        self.graph.source = self._source_token.data()
        self.graph.hypothesis = self._hypothesis_token.data()
        return 0

    cdef int _find_first_columns(self) except -1 nogil:
        """Follow one optimal alignment of source and hypothesis from its end."""
        cdef int32_t i = self.n, j = self.m, taken
        self.first_column.assign(self.n + 1, 0)
        self.first_column[i] = j
        while i or j:
            taken = last_column(
                self._forward.data(), self.source, i, self.hypothesis, j, self.m + 1
            )
            i -= taken == BOTH or taken == FIRST
            j -= taken != FIRST
            self.first_column[i] = j
        return 0
