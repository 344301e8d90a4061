"""MaxMatch: the best path of edits through the lattice of two sentences, for all annotators.

The lattice joins all shortest paths of two token Levenshtein matrices, in which a substitution
costs 1 and 2. The paper makes every path with few unchanged words an edge of its own and looks
for the best path through all of them. The same path is found without any of these edges by
walking the atomic lattice once with a small state, outside an edit or inside one with so many
unchanged words; only edges that equal a gold edit are made. The time is linear in the cells.

A path is worth, in this order: many edges that equal a gold edit, small total length of all
others, few edits among these. The three are kept in one integer.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

import numpy as np

# One matching edge outweighs any length, one unit of length any number of edits.
cdef int64_t LENGTH = 1 << 20
cdef int64_t MATCHING = LENGTH << 21
cdef int64_t INFINITE = 1 << 62

# How a cell is reached: what the lattice holds of it.
cdef enum:
    ON_LATTICE = 1
    BY_DIAGONAL = 2
    BY_DELETION = 4
    BY_INSERTION = 8

# Columns of an extracted edit.
cdef enum:
    EDIT_COLUMNS = 5


cdef struct Cell:
    int32_t row
    int32_t column
    # Cells before this one, -1 where the lattice has no such edge.
    int32_t diagonal
    int32_t deletion
    int32_t insertion
    int32_t is_match
    # First gold edge that ends here, -1 where there is none.
    int32_t gold_edge


cdef struct GoldEdge:
    int32_t start
    int32_t end
    int32_t gold
    # Among the gold insertions of this row; -1 for any other edit.
    int32_t rank
    int32_t next


cdef struct Gold:
    # The edits of one annotator for one sentence.
    int32_t n_edits
    const int32_t* starts
    const int32_t* ends
    const int64_t* options
    const int64_t* option_offsets
    const int32_t* option_tokens


cdef struct Work:
    # Everything that one thread needs; grown, never shrunk.
    const int32_t* source
    const int32_t* hypothesis
    int32_t n_source
    int32_t n_hypothesis
    int32_t max_unchanged
    int32_t n_states
    # Levenshtein matrices, forwards and backwards, and the lattice as a matrix.
    int32_t* forward
    int32_t* backward
    uint8_t* marks
    int32_t* numbers
    size_t matrix_size
    # The lattice as a list of cells, row by row.
    Cell* cells
    int32_t n_cells
    size_t cells_size
    int32_t* row_starts
    size_t rows_size
    # Gold edges of the annotator at hand, and gold insertions by row.
    GoldEdge* edges
    int32_t n_edges
    size_t edges_size
    int32_t* insertions_at
    # Costs: the best of each cell and state, and for rows with gold insertions
    # also by how many of these are used up.
    int64_t* best
    size_t best_size
    int64_t* by_used
    size_t by_used_size
    int64_t* used_offsets
    # Scratch for the paths between two cells.
    int32_t* fewest
    size_t fewest_size
    # Extracted edits of the path at hand, last first.
    int32_t* path
    int32_t n_path
    size_t path_size
    int32_t failed


cdef void* grown(void* memory, size_t* size, size_t needed, size_t item, Work* work) noexcept nogil:
    """Make room for `needed` items; on failure set the flag and keep the old memory."""
    cdef void* larger
    if needed <= size[0]:
        return memory
    needed += needed // 2
    larger = realloc(memory, needed * item)
    if larger == NULL:
        work.failed = 1
        return memory
    size[0] = needed
    return larger


cdef void release(Work* work) noexcept nogil:
    free(work.forward)
    free(work.backward)
    free(work.marks)
    free(work.numbers)
    free(work.cells)
    free(work.row_starts)
    free(work.edges)
    free(work.insertions_at)
    free(work.best)
    free(work.by_used)
    free(work.used_offsets)
    free(work.fewest)
    free(work.path)


# The lattice.


cdef void fill(
    int32_t* matrix,
    const int32_t* source,
    const int32_t* hypothesis,
    int32_t n_source,
    int32_t n_hypothesis,
    int32_t substitution,
) noexcept nogil:
    """Levenshtein distances of all beginnings."""
    cdef int32_t row, column, token, price, value
    cdef int32_t width = n_hypothesis + 1
    cdef int32_t* here
    cdef int32_t* above
    for column in range(width):
        matrix[column] = column
    for row in range(1, n_source + 1):
        here = matrix + <int64_t> row * width
        above = here - width
        here[0] = row
        token = source[row - 1]
        for column in range(1, width):
            price = 0 if token == hypothesis[column - 1] else substitution
            value = above[column - 1] + price
            if above[column] + 1 < value:
                value = above[column] + 1
            if here[column - 1] + 1 < value:
                value = here[column - 1] + 1
            here[column] = value


cdef void fill_backward(
    int32_t* matrix,
    const int32_t* source,
    const int32_t* hypothesis,
    int32_t n_source,
    int32_t n_hypothesis,
    int32_t substitution,
) noexcept nogil:
    """Levenshtein distances of all endings."""
    cdef int32_t row, column, token, price, value
    cdef int32_t width = n_hypothesis + 1
    cdef int32_t* here
    cdef int32_t* below
    here = matrix + <int64_t> n_source * width
    for column in range(width):
        here[column] = n_hypothesis - column
    for row in range(n_source - 1, -1, -1):
        here = matrix + <int64_t> row * width
        below = here + width
        here[n_hypothesis] = n_source - row
        token = source[row]
        for column in range(n_hypothesis - 1, -1, -1):
            price = 0 if token == hypothesis[column] else substitution
            value = below[column + 1] + price
            if below[column] + 1 < value:
                value = below[column] + 1
            if here[column + 1] + 1 < value:
                value = here[column + 1] + 1
            here[column] = value


cdef void mark_shortest(Work* work, int32_t substitution) noexcept nogil:
    """Mark the cells and edges of all shortest paths."""
    cdef int32_t row, column, total, rest, price
    cdef int32_t width = work.n_hypothesis + 1
    cdef int32_t* forward = work.forward
    cdef int32_t* backward = work.backward
    cdef int64_t at
    fill(forward, work.source, work.hypothesis, work.n_source, work.n_hypothesis, substitution)
    fill_backward(
        backward, work.source, work.hypothesis, work.n_source, work.n_hypothesis, substitution
    )
    total = backward[0]
    for row in range(work.n_source + 1):
        for column in range(width):
            at = <int64_t> row * width + column
            if forward[at] + backward[at] != total:
                continue
            work.marks[at] |= ON_LATTICE
            rest = total - backward[at]
            if row and forward[at - width] + 1 == rest:
                work.marks[at] |= BY_DELETION
            if column and forward[at - 1] + 1 == rest:
                work.marks[at] |= BY_INSERTION
            if row and column:
                price = (
                    0 if work.source[row - 1] == work.hypothesis[column - 1] else substitution
                )
                if forward[at - width - 1] + price == rest:
                    work.marks[at] |= BY_DIAGONAL


cdef void build_lattice(Work* work) noexcept nogil:
    """List the cells of the joined lattices, row by row."""
    cdef int32_t row, column, count
    cdef int32_t width = work.n_hypothesis + 1
    cdef size_t n_matrix = <size_t> (work.n_source + 1) * width
    cdef size_t n_rows = work.n_source + 2
    cdef size_t size
    cdef int64_t at
    cdef uint8_t mark
    cdef Cell* cell
    if n_matrix > work.matrix_size:
        size = work.matrix_size
        work.forward = <int32_t*> grown(work.forward, &size, n_matrix, sizeof(int32_t), work)
        size = work.matrix_size
        work.backward = <int32_t*> grown(work.backward, &size, n_matrix, sizeof(int32_t), work)
        size = work.matrix_size
        work.marks = <uint8_t*> grown(work.marks, &size, n_matrix, sizeof(uint8_t), work)
        size = work.matrix_size
        work.numbers = <int32_t*> grown(work.numbers, &size, n_matrix, sizeof(int32_t), work)
        if work.failed:
            return
        work.matrix_size = size
    if n_rows > work.rows_size:
        size = work.rows_size
        work.row_starts = <int32_t*> grown(work.row_starts, &size, n_rows, sizeof(int32_t), work)
        size = work.rows_size
        work.insertions_at = <int32_t*> grown(
            work.insertions_at, &size, n_rows, sizeof(int32_t), work
        )
        if work.failed:
            return
        work.rows_size = size
    memset(work.marks, 0, n_matrix)
    mark_shortest(work, 1)
    mark_shortest(work, 2)
    count = 0
    for at in range(<int64_t> n_matrix):
        count += work.marks[at] & ON_LATTICE
    work.cells = <Cell*> grown(work.cells, &work.cells_size, count, sizeof(Cell), work)
    if work.failed:
        return
    count = 0
    for row in range(work.n_source + 1):
        work.row_starts[row] = count
        for column in range(width):
            at = <int64_t> row * width + column
            mark = work.marks[at]
            if not mark & ON_LATTICE:
                work.numbers[at] = -1
                continue
            cell = &work.cells[count]
            cell.row = row
            cell.column = column
            cell.diagonal = work.numbers[at - width - 1] if mark & BY_DIAGONAL else -1
            cell.deletion = work.numbers[at - width] if mark & BY_DELETION else -1
            cell.insertion = work.numbers[at - 1] if mark & BY_INSERTION else -1
            cell.is_match = (
                cell.diagonal >= 0 and work.source[row - 1] == work.hypothesis[column - 1]
            )
            cell.gold_edge = -1
            work.numbers[at] = count
            count += 1
    work.row_starts[work.n_source + 1] = count
    work.n_cells = count


# Edges that equal a gold edit.


cdef inline void lower(int32_t* value, int32_t other) noexcept nogil:
    if other < value[0]:
        value[0] = other


cdef bint is_phrase(Work* work, int32_t start, int32_t end) noexcept nogil:
    """Whether some path between two cells changes something and keeps few enough words."""
    cdef int32_t number, way, before, size = end - start + 1
    cdef int32_t many = work.n_source + 1
    cdef int32_t left = work.cells[start].column
    cdef int32_t right = work.cells[end].column
    cdef Cell* cell
    cdef int32_t* here
    # Fewest unchanged words on a way that changed nothing yet, and on one that did.
    work.fewest = <int32_t*> grown(
        work.fewest, &work.fewest_size, 2 * size, sizeof(int32_t), work
    )
    if work.failed:
        return False
    for number in range(2 * size):
        work.fewest[number] = many
    work.fewest[0] = 0
    for number in range(start + 1, end + 1):
        cell = &work.cells[number]
        if cell.column < left or cell.column > right:
            continue
        here = work.fewest + 2 * (number - start)
        for way in range(3):
            before = (
                cell.diagonal if way == 0 else cell.deletion if way == 1 else cell.insertion
            )
            if before < start or work.cells[before].column < left:
                continue
            before = 2 * (before - start)
            if way == 0 and cell.is_match:
                lower(&here[0], work.fewest[before] + 1)
                lower(&here[1], work.fewest[before + 1] + 1)
            else:
                lower(&here[1], work.fewest[before])
                lower(&here[1], work.fewest[before + 1])
    return work.fewest[2 * size - 1] <= work.max_unchanged


cdef void add_edge(Work* work, int32_t start, int32_t end, int32_t gold, int32_t rank) noexcept nogil:
    cdef GoldEdge* edge
    work.edges = <GoldEdge*> grown(
        work.edges, &work.edges_size, work.n_edges + 1, sizeof(GoldEdge), work
    )
    if work.failed:
        return
    edge = &work.edges[work.n_edges]
    edge.start = start
    edge.end = end
    edge.gold = gold
    edge.rank = rank
    edge.next = work.cells[end].gold_edge
    work.cells[end].gold_edge = work.n_edges
    work.n_edges += 1


cdef bint equal_tokens(const int32_t* some, const int32_t* others, int64_t count) noexcept nogil:
    cdef int64_t number
    for number in range(count):
        if some[number] != others[number]:
            return False
    return True


cdef void add_gold_edges(Work* work, Gold* gold) noexcept nogil:
    """Find where the lattice has an edge that equals a gold edit."""
    cdef int32_t number, row, end_row, start, end, rank, width = work.n_hypothesis + 1
    cdef int64_t option, size, column
    cdef const int32_t* tokens
    cdef bint found
    for number in range(work.n_edges):
        work.cells[work.edges[number].end].gold_edge = -1
    work.n_edges = 0
    memset(work.insertions_at, 0, (work.n_source + 2) * sizeof(int32_t))
    for number in range(gold.n_edits):
        row = gold.starts[number]
        end_row = gold.ends[number]
        if end_row > work.n_source:
            continue
        rank = work.insertions_at[row] if row == end_row else -1
        found = False
        for option in range(gold.options[number], gold.options[number + 1]):
            tokens = gold.option_tokens + gold.option_offsets[option]
            size = gold.option_offsets[option + 1] - gold.option_offsets[option]
            for start in range(work.row_starts[row], work.row_starts[row + 1]):
                column = work.cells[start].column
                if column + size > work.n_hypothesis:
                    break
                if not equal_tokens(work.hypothesis + column, tokens, size):
                    continue
                end = work.numbers[<int64_t> end_row * width + column + size]
                if end > start and is_phrase(work, start, end):
                    add_edge(work, start, end, number, rank)
                    found = True
        if found and rank >= 0:
            work.insertions_at[row] += 1


# The best path.


cdef inline void offer(int64_t* value, int64_t other) noexcept nogil:
    if other < value[0]:
        value[0] = other


cdef void follow_edge(
    const int64_t* before, int64_t* here, bint is_match, int32_t n_states
) noexcept nogil:
    """Carry costs over an atomic edge; state 0 is outside of an edit."""
    cdef int32_t state
    if is_match:
        offer(&here[0], before[0] + LENGTH)
        for state in range(1, n_states - 1):
            offer(&here[state + 1], before[state] + LENGTH)
    else:
        offer(&here[1], before[0] + LENGTH + 1)
        for state in range(1, n_states):
            offer(&here[state], before[state] + LENGTH)


cdef void leave_edits(int64_t* here, int32_t n_states) noexcept nogil:
    """An edit may end in any cell."""
    cdef int32_t state
    for state in range(1, n_states):
        offer(&here[0], here[state])


cdef void visit_plain(Work* work, int32_t number) noexcept nogil:
    """Cost of a cell in a row without gold insertions."""
    cdef Cell* cell = &work.cells[number]
    cdef int32_t n_states = work.n_states
    cdef int64_t* here = work.best + <int64_t> number * n_states
    cdef int32_t state, edge
    for state in range(n_states):
        here[state] = INFINITE
    if number == 0:
        here[0] = 0
    if cell.diagonal >= 0:
        follow_edge(work.best + <int64_t> cell.diagonal * n_states, here, cell.is_match, n_states)
    if cell.deletion >= 0:
        follow_edge(work.best + <int64_t> cell.deletion * n_states, here, False, n_states)
    if cell.insertion >= 0:
        follow_edge(work.best + <int64_t> cell.insertion * n_states, here, False, n_states)
    edge = cell.gold_edge
    while edge >= 0:
        offer(&here[0], work.best[<int64_t> work.edges[edge].start * n_states] - MATCHING)
        edge = work.edges[edge].next
    leave_edits(here, n_states)


cdef void visit_insertions(Work* work, int32_t number) noexcept nogil:
    """Cost of a cell in a row with gold insertions, by how many of these are used up."""
    cdef Cell* cell = &work.cells[number]
    cdef int32_t n_states = work.n_states
    cdef int32_t n_used = work.insertions_at[cell.row] + 1
    cdef int64_t* here = work.by_used + work.used_offsets[number]
    cdef int64_t* merged = work.best + <int64_t> number * n_states
    cdef int64_t* before
    cdef int32_t state, used, edge
    for state in range(n_used * n_states):
        here[state] = INFINITE
    if number == 0:
        here[0] = 0
    # A path comes into a row with all of its insertions still to be had.
    if cell.diagonal >= 0:
        follow_edge(work.best + <int64_t> cell.diagonal * n_states, here, cell.is_match, n_states)
    if cell.deletion >= 0:
        follow_edge(work.best + <int64_t> cell.deletion * n_states, here, False, n_states)
    if cell.insertion >= 0:
        before = work.by_used + work.used_offsets[cell.insertion]
        for used in range(n_used):
            follow_edge(before + used * n_states, here + used * n_states, False, n_states)
    edge = cell.gold_edge
    while edge >= 0:
        if work.edges[edge].rank < 0:
            before = work.best + <int64_t> work.edges[edge].start * n_states
            offer(&here[0], before[0] - MATCHING)
        else:
            before = work.by_used + work.used_offsets[work.edges[edge].start]
            for used in range(work.edges[edge].rank + 1):
                offer(
                    &here[(work.edges[edge].rank + 1) * n_states],
                    before[used * n_states] - MATCHING,
                )
        edge = work.edges[edge].next
    for state in range(n_states):
        merged[state] = INFINITE
    for used in range(n_used):
        leave_edits(here + used * n_states, n_states)
        for state in range(n_states):
            offer(&merged[state], here[used * n_states + state])


cdef void find_path(Work* work) noexcept nogil:
    """Cost of the best path to every cell."""
    cdef int32_t number, used
    cdef int64_t size = 0
    work.best = <int64_t*> grown(
        work.best, &work.best_size, <size_t> work.n_cells * work.n_states, sizeof(int64_t), work
    )
    work.used_offsets = <int64_t*> realloc(
        work.used_offsets, (<size_t> work.n_cells + 1) * sizeof(int64_t)
    )
    if work.failed or work.used_offsets == NULL:
        work.failed = 1
        return
    for number in range(work.n_cells):
        used = work.insertions_at[work.cells[number].row]
        work.used_offsets[number] = size
        if used:
            size += <int64_t> (used + 1) * work.n_states
    work.by_used = <int64_t*> grown(
        work.by_used, &work.by_used_size, size, sizeof(int64_t), work
    )
    if work.failed:
        return
    for number in range(work.n_cells):
        if work.insertions_at[work.cells[number].row]:
            visit_insertions(work, number)
        else:
            visit_plain(work, number)


# The edits on the path.


cdef void note_edit(Work* work, int32_t start, int32_t end, int32_t gold) noexcept nogil:
    cdef int32_t* edit
    work.path = <int32_t*> grown(
        work.path,
        &work.path_size,
        <size_t> (work.n_path + 1) * EDIT_COLUMNS,
        sizeof(int32_t),
        work,
    )
    if work.failed:
        return
    edit = work.path + <int64_t> work.n_path * EDIT_COLUMNS
    edit[0] = work.cells[start].row
    edit[1] = work.cells[end].row
    edit[2] = work.cells[start].column
    edit[3] = work.cells[end].column
    edit[4] = gold
    work.n_path += 1


cdef int64_t cost(Work* work, int32_t number, int32_t used, int32_t state) noexcept nogil:
    if work.insertions_at[work.cells[number].row]:
        return work.by_used[work.used_offsets[number] + used * work.n_states + state]
    return work.best[<int64_t> number * work.n_states + state]


cdef int32_t used_at(Work* work, int32_t number, int32_t state) noexcept nogil:
    """Return with how many gold insertions of its row a cell is cheapest."""
    cdef int32_t used
    cdef int64_t least = work.best[<int64_t> number * work.n_states + state]
    for used in range(work.insertions_at[work.cells[number].row]):
        if cost(work, number, used, state) == least:
            return used
    return work.insertions_at[work.cells[number].row]


cdef struct Place:
    # Where the walk back along the best path stands.
    int32_t number
    int32_t used
    int32_t state


cdef bint came_from(
    Work* work, Place* place, int32_t before, int32_t state, int64_t price
) noexcept nogil:
    """Step back over an atomic edge if the best path came that way."""
    cdef int32_t used
    if before < 0:
        return False
    if work.cells[before].row == work.cells[place.number].row:
        used = place.used
    elif place.used == 0:
        used = used_at(work, before, state)
    else:
        # Gold insertions were used since the path came into the row.
        return False
    if cost(work, before, used, state) + price != cost(
        work, place.number, place.used, place.state
    ):
        return False
    place.number = before
    place.used = used
    place.state = state
    return True


cdef bint came_by_gold(Work* work, Place* place) noexcept nogil:
    """Step back over an edge that equals a gold edit if the best path came that way."""
    cdef int64_t here = cost(work, place.number, place.used, 0)
    cdef int32_t number = work.cells[place.number].gold_edge
    cdef int32_t used, end = place.number
    cdef GoldEdge* edge
    while number >= 0:
        edge = &work.edges[number]
        number = edge.next
        if edge.rank < 0:
            used = used_at(work, edge.start, 0)
            if place.used or cost(work, edge.start, used, 0) - MATCHING != here:
                continue
        else:
            if place.used != edge.rank + 1:
                continue
            used = 0
            while used <= edge.rank and cost(work, edge.start, used, 0) - MATCHING != here:
                used += 1
            if used > edge.rank:
                continue
        place.number = edge.start
        place.used = used
        note_edit(work, edge.start, end, edge.gold)
        return True
    return False


cdef bint came_by_change(Work* work, Place* place, int32_t state, int64_t price) noexcept nogil:
    cdef Cell* cell = &work.cells[place.number]
    return (
        (not cell.is_match and came_from(work, place, cell.diagonal, state, price))
        or came_from(work, place, cell.deletion, state, price)
        or came_from(work, place, cell.insertion, state, price)
    )


cdef void walk_back(Work* work) noexcept nogil:
    """List the edits of the best path, the last one first.

    Of paths equally good the one is taken whose edits hold the fewest unchanged words.
    """
    cdef Place place
    cdef Cell* cell
    cdef int32_t end = 0, state
    work.n_path = 0
    place.number = work.n_cells - 1
    place.state = 0
    place.used = used_at(work, place.number, 0)
    while place.number or place.state:
        cell = &work.cells[place.number]
        if place.state == 0:
            if cell.is_match and came_from(work, &place, cell.diagonal, 0, LENGTH):
                continue
            if came_by_gold(work, &place):
                continue
            end = place.number
            for state in range(1, work.n_states):
                if cost(work, end, place.used, state) == cost(work, end, place.used, 0):
                    place.state = state
                    break
            else:
                work.failed = 2
                return
        elif place.state == 1 and came_by_change(work, &place, 0, LENGTH + 1):
            note_edit(work, place.number, end, -1)
        elif came_by_change(work, &place, place.state, LENGTH):
            pass
        elif not (
            place.state > 1
            and cell.is_match
            and came_from(work, &place, cell.diagonal, place.state - 1, LENGTH)
        ):
            work.failed = 2
            return
        if work.failed:
            return


cdef bint equals_gold(Work* work, const int32_t* edit, Gold* gold, int32_t number) noexcept nogil:
    cdef int64_t option, size = edit[3] - edit[2]
    if edit[0] != gold.starts[number] or edit[1] != gold.ends[number]:
        return False
    for option in range(gold.options[number], gold.options[number + 1]):
        if gold.option_offsets[option + 1] - gold.option_offsets[option] == size and equal_tokens(
            work.hypothesis + edit[2], gold.option_tokens + gold.option_offsets[option], size
        ):
            return True
    return False


cdef int32_t scan(Work* work, Gold* gold) noexcept nogil:
    """Count the edits found in the gold list, each once, never going back in its order."""
    cdef int32_t number, candidate, position = 0, correct = 0
    cdef int32_t* edit
    for number in range(work.n_path - 1, -1, -1):
        edit = work.path + <int64_t> number * EDIT_COLUMNS
        edit[4] = -1
        for candidate in range(position, gold.n_edits):
            if equals_gold(work, edit, gold, candidate):
                edit[4] = candidate
                position = candidate + 1
                correct += 1
                break
    return correct


cdef bint is_sorted(Gold* gold) noexcept nogil:
    cdef int32_t number
    for number in range(1, gold.n_edits):
        if gold.starts[number] < gold.starts[number - 1] or (
            gold.starts[number] == gold.starts[number - 1]
            and gold.ends[number] < gold.ends[number - 1]
        ):
            return False
    return True


cdef void count(Work* work, Gold* gold, int64_t* counts, bint want_edits) noexcept nogil:
    """Count correct, proposed and gold edits of one annotator."""
    cdef int32_t number
    cdef int64_t total, rest, matching
    counts[2] = 0
    for number in range(gold.n_edits):
        counts[2] += gold.ends[number] <= work.n_source
    find_path(work)
    if work.failed:
        return
    total = work.best[<int64_t> (work.n_cells - 1) * work.n_states]
    rest = total % MATCHING
    if rest < 0:
        rest += MATCHING
    matching = (rest - total) // MATCHING
    counts[0] = matching
    counts[1] = matching + rest % LENGTH
    if want_edits or (matching and not is_sorted(gold)):
        walk_back(work)
        if not work.failed:
            counts[0] = scan(work, gold)


def max_match(
    const int32_t[::1] sources,
    const int64_t[::1] source_offsets,
    const int32_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const int64_t[::1] annotations,
    const int64_t[::1] edits,
    const int32_t[::1] starts,
    const int32_t[::1] ends,
    const int64_t[::1] options,
    const int32_t[::1] option_tokens,
    const int64_t[::1] option_offsets,
    int max_unchanged,
    int64_t first,
    int64_t last,
    bint want_edits,
):
    """Count the edits of sentences ``first`` to ``last`` for each of their annotators.

    Parameters
    ----------
    sources, source_offsets, hypotheses, hypothesis_offsets
        Interned sentences.
    annotations
        Annotations of sentence ``i`` are ``annotations[i]:annotations[i + 1]``.
    edits
        Gold edits of annotation ``a`` are ``edits[a]:edits[a + 1]``.
    starts, ends
        Spans of the gold edits.
    options
        Corrections of gold edit ``e`` are ``options[e]:options[e + 1]``.
    option_tokens, option_offsets
        Interned corrections.
    max_unchanged
        Unchanged words allowed inside an edit.
    want_edits
        Whether to return the edits, too.

    Returns
    -------
    counts
        ``(n_annotations, 3)``: correct, proposed, gold, of the annotations in the range.
    extracted
        ``(n_edits, 6)``: annotation, source start and end, hypothesis start and end, and
        the gold edit that it equals or -1, counted within the annotation.
    """
    cdef Work work
    cdef Gold gold
    cdef int64_t sentence, annotation, offset, size, n_extracted = 0, number, column
    cdef int64_t first_annotation = annotations[first], last_annotation = annotations[last]
    cdef bint is_same, has_lattice, has_plain
    cdef int64_t plain = 0
    counts_array = np.zeros((last_annotation - first_annotation, 3), dtype=np.int64)
    cdef int64_t[:, ::1] counts = counts_array
    cdef int64_t* row
    cdef int32_t* extracted = NULL
    cdef size_t extracted_size = 0
    cdef int32_t* target
    cdef int32_t* edit
    memset(&work, 0, sizeof(Work))
    work.max_unchanged = max_unchanged
    work.n_states = max_unchanged + 2
    with nogil:
        for sentence in range(first, last):
            offset = source_offsets[sentence]
            work.n_source = <int32_t> (source_offsets[sentence + 1] - offset)
            work.source = &sources[offset] if work.n_source else NULL
            offset = hypothesis_offsets[sentence]
            work.n_hypothesis = <int32_t> (hypothesis_offsets[sentence + 1] - offset)
            work.hypothesis = &hypotheses[offset] if work.n_hypothesis else NULL
            is_same = work.n_source == work.n_hypothesis and equal_tokens(
                work.source, work.hypothesis, work.n_source
            )
            has_lattice = False
            has_plain = False
            for annotation in range(annotations[sentence], annotations[sentence + 1]):
                row = &counts[annotation - first_annotation, 0]
                offset = edits[annotation]
                gold.n_edits = <int32_t> (edits[annotation + 1] - offset)
                gold.starts = &starts[offset] if gold.n_edits else NULL
                gold.ends = &ends[offset] if gold.n_edits else NULL
                gold.options = &options[offset]
                gold.option_offsets = &option_offsets[0]
                gold.option_tokens = &option_tokens[0] if option_tokens.shape[0] else NULL
                if is_same:
                    for number in range(gold.n_edits):
                        row[2] += gold.ends[number] <= work.n_source
                    continue
                if not has_lattice:
                    build_lattice(&work)
                    work.n_edges = 0
                    has_lattice = True
                if work.failed:
                    break
                add_gold_edges(&work, &gold)
                if not work.n_edges and has_plain and not want_edits:
                    # Nothing to match: the path is that of the annotator before.
                    for number in range(gold.n_edits):
                        row[2] += gold.ends[number] <= work.n_source
                    row[1] = plain
                    continue
                count(&work, &gold, row, want_edits)
                if not work.n_edges:
                    has_plain = True
                    plain = row[1]
                if work.failed:
                    break
                if want_edits:
                    extracted = <int32_t*> grown(
                        extracted,
                        &extracted_size,
                        (n_extracted + work.n_path) * (EDIT_COLUMNS + 1),
                        sizeof(int32_t),
                        &work,
                    )
                    if work.failed:
                        break
                    for number in range(work.n_path - 1, -1, -1):
                        edit = work.path + number * EDIT_COLUMNS
                        target = extracted + n_extracted * (EDIT_COLUMNS + 1)
                        target[0] = <int32_t> (annotation - first_annotation)
                        for column in range(EDIT_COLUMNS):
                            target[column + 1] = edit[column]
                        n_extracted += 1
            if work.failed:
                break
    release(&work)
    try:
        if work.failed:
            raise MemoryError if work.failed == 1 else RuntimeError("the best path was lost")
        extracted_array = np.empty((n_extracted, EDIT_COLUMNS + 1), dtype=np.int32)
        fill_array(extracted_array, extracted, n_extracted * (EDIT_COLUMNS + 1))
    finally:
        free(extracted)
    return counts_array, extracted_array


cdef void fill_array(int32_t[:, ::1] array, const int32_t* values, int64_t size):
    cdef int64_t number
    cdef int32_t* target
    if size:
        target = &array[0, 0]
        for number in range(size):
            target[number] = values[number]
