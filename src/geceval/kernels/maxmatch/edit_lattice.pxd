"""The lattice of all shortest paths of two sentences, shared by the kernels that walk it.

Two token Levenshtein matrices are filled, in which a substitution costs c = 1 and c = 2,

    D[i, j] = min(D[i-1, j-1] + (0 if s_i = h_j else c), D[i-1, j] + 1, D[i, j-1] + 1)

and the lattice holds the cells and the edges that lie on a shortest path of either.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from geceval.kernels._memory cimport grow_int32, grow_uint8, grown
from geceval.kernels.interrupt cimport should_stop

# What is known of a cell: in which of the two lattices it is, and how it is reached.
cdef enum:
    ON_FIRST = 1
    ON_SECOND = 2
    ON_EITHER = 3
    BY_DIAGONAL = 4
    BY_DELETION = 8
    BY_INSERTION = 16

# Source start and end, hypothesis start and end, gold edit that it equals or -1.
cdef enum:
    EDIT_COLUMNS = 5


cdef struct Cell:
    int32_t row
    int32_t column
    # Cells before this one, -1 where the lattice has no such edge.
    int32_t diagonal
    int32_t deletion
    int32_t insertion
    # Whether the diagonal edge leaves a word as it is.
    int32_t is_match


cdef struct EditLattice:
    const int32_t* source
    const int32_t* hypothesis
    int32_t n_source
    int32_t n_hypothesis
    # The cells, row by row, so that edges lead to later ones; row i starts at row_starts[i].
    Cell* cells
    int32_t n_cells
    int32_t* row_starts
    # Number of the cell at each place of the matrix, -1 for one that is not on the lattice; in
    # the memory of the matrix, which is not needed any more.
    int32_t* numbers
    # Memory, grown and never shrunk.
    int32_t* matrix
    uint8_t* marks
    size_t matrix_size
    size_t cells_size
    size_t rows_size
    bint failed
    # Whether it failed because it was asked to stop.
    bint is_stopped


cdef inline void release_lattice(EditLattice* lattice) noexcept nogil:
    free(lattice.cells)
    free(lattice.row_starts)
    free(lattice.matrix)
    free(lattice.marks)


cdef inline bint stops(EditLattice* lattice, int64_t steps) noexcept nogil:
    """Count steps; return whether it is time to give the sentence up."""
    if should_stop(steps):
        lattice.failed = lattice.is_stopped = True
    return lattice.failed


cdef inline bint equal_tokens(
    const int32_t* some, const int32_t* others, int64_t count
) noexcept nogil:
    cdef int64_t number
    for number in range(count):
        if some[number] != others[number]:
            return False
    return True


cdef inline void fill(EditLattice* lattice, int32_t substitution) noexcept nogil:
    """Levenshtein distances of all beginnings."""
    cdef int32_t row, column, token, cost, value
    cdef int32_t width = lattice.n_hypothesis + 1
    cdef int32_t* here = lattice.matrix
    cdef int32_t* above
    for column in range(width):
        here[column] = column
    for row in range(1, lattice.n_source + 1):
        above = here
        here = above + width
        here[0] = row
        token = lattice.source[row - 1]
        if not row & 15 and stops(lattice, 16 * width):
            return
        for column in range(1, width):
            cost = 0 if token == lattice.hypothesis[column - 1] else substitution
            value = above[column - 1] + cost
            if above[column] + 1 < value:
                value = above[column] + 1
            if here[column - 1] + 1 < value:
                value = here[column - 1] + 1
            here[column] = value


cdef inline void mark_shortest(
    EditLattice* lattice, int32_t substitution, uint8_t on
) noexcept nogil:
    """Mark the cells and edges of all shortest paths, walking back from the last cell."""
    cdef int32_t row, column, here, cost
    cdef int32_t width = lattice.n_hypothesis + 1
    cdef int32_t* matrix = lattice.matrix
    cdef uint8_t* marks = lattice.marks
    cdef int64_t at = <int64_t> (lattice.n_source + 1) * width - 1
    fill(lattice, substitution)
    marks[at] |= on
    for row in range(lattice.n_source, -1, -1):
        if not row & 15 and stops(lattice, 16 * width):
            return
        for column in range(lattice.n_hypothesis, -1, -1):
            at = <int64_t> row * width + column
            if not marks[at] & on:
                continue
            here = matrix[at]
            if row and matrix[at - width] + 1 == here:
                marks[at] |= BY_DELETION
                marks[at - width] |= on
            if column and matrix[at - 1] + 1 == here:
                marks[at] |= BY_INSERTION
                marks[at - 1] |= on
            if row and column:
                cost = substitution
                if lattice.source[row - 1] == lattice.hypothesis[column - 1]:
                    cost = 0
                if matrix[at - width - 1] + cost == here:
                    marks[at] |= BY_DIAGONAL
                    marks[at - width - 1] |= on


cdef inline void build_lattice(EditLattice* lattice) noexcept nogil:
    """List the cells of the joined lattices, row by row."""
    cdef int32_t row, column, count
    cdef int32_t width = lattice.n_hypothesis + 1
    cdef size_t n_matrix = <size_t> (lattice.n_source + 1) * width
    cdef size_t n_rows = lattice.n_source + 2
    cdef size_t size
    cdef int64_t at
    cdef uint8_t mark
    cdef Cell* cell
    if n_matrix > lattice.matrix_size:
        # Two matrices of one size: each starts from the old size.
        size = lattice.matrix_size
        grow_int32(&lattice.matrix, &size, n_matrix, &lattice.failed)
        size = lattice.matrix_size
        grow_uint8(&lattice.marks, &size, n_matrix, &lattice.failed)
        if not lattice.failed:
            lattice.matrix_size = size
    grow_int32(&lattice.row_starts, &lattice.rows_size, n_rows, &lattice.failed)
    if lattice.failed:
        return
    memset(lattice.marks, 0, n_matrix)
    mark_shortest(lattice, 1, ON_FIRST)
    mark_shortest(lattice, 2, ON_SECOND)
    if lattice.failed:
        return
    lattice.numbers = lattice.matrix
    count = 0
    for at in range(<int64_t> n_matrix):
        count += lattice.marks[at] & ON_EITHER != 0
    lattice.cells = <Cell*> grown(
        lattice.cells, &lattice.cells_size, count, sizeof(Cell), &lattice.failed
    )
    if lattice.failed:
        return
    count = 0
    for row in range(lattice.n_source + 1):
        lattice.row_starts[row] = count
        for column in range(width):
            at = <int64_t> row * width + column
            mark = lattice.marks[at]
            if not mark & ON_EITHER:
                lattice.numbers[at] = -1
                continue
            cell = &lattice.cells[count]
            cell.row = row
            cell.column = column
            cell.diagonal = lattice.numbers[at - width - 1] if mark & BY_DIAGONAL else -1
            cell.deletion = lattice.numbers[at - width] if mark & BY_DELETION else -1
            cell.insertion = lattice.numbers[at - 1] if mark & BY_INSERTION else -1
            cell.is_match = (
                cell.diagonal >= 0 and lattice.source[row - 1] == lattice.hypothesis[column - 1]
            )
            lattice.numbers[at] = count
            count += 1
    lattice.row_starts[lattice.n_source + 1] = count
    lattice.n_cells = count
