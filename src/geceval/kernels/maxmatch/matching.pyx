"""The best path of edits that agrees most with the gold edits of one annotator.

The paper makes every path with few unchanged words an edge of its own and looks for the best
path through all of them. The same path is found without any of these edges by walking the
lattice once with a small state, outside an edit or inside one with so many unchanged words; only
edges that equal a gold edit are made. The time is linear in the cells of the lattice.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from geceval.kernels.maxmatch.costs cimport INFINITE, Prices
from geceval.kernels.maxmatch.lattice cimport (
    EDIT_COLUMNS,
    Cell,
    build_lattice,
    equal_tokens,
    grown,
    release_lattice,
    stops,
)


# What it takes to visit a cell in the search for edits that are dropped.
cdef int64_t STEPS_PER_VISIT = 5


cdef void release(Work* work) noexcept nogil:
    release_lattice(&work.lattice)
    free(work.edges)
    free(work.edges_to)
    free(work.insertions_at)
    free(work.repeated)
    free(work.spelt_source)
    free(work.spelt_hypothesis)
    free(work.source_ends)
    free(work.hypothesis_ends)
    free(work.best)
    free(work.by_used)
    free(work.used_offsets)
    free(work.fewest)
    free(work.path)


cdef void prepare(Work* work) noexcept nogil:
    """Build the lattice of the sentences at hand."""
    cdef int32_t number
    build_lattice(&work.lattice)
    if work.lattice.failed:
        work.failed = True
        return
    work.edges_to = <int32_t*> grown(
        work.edges_to, &work.edges_to_size, work.lattice.n_cells, sizeof(int32_t), &work.failed
    )
    work.insertions_at = <int32_t*> grown(
        work.insertions_at,
        &work.insertions_size,
        work.lattice.n_source + 1,
        sizeof(int32_t),
        &work.failed,
    )
    work.repeated = <uint8_t*> grown(
        work.repeated,
        &work.repeated_size,
        work.lattice.n_source + 1,
        sizeof(uint8_t),
        &work.failed,
    )
    if work.letters.offsets != NULL and not work.failed:
        spell(
            work,
            work.lattice.source,
            work.lattice.n_source,
            &work.spelt_source,
            &work.spelt_source_size,
            &work.source_ends,
            &work.source_ends_size,
        )
        spell(
            work,
            work.lattice.hypothesis,
            work.lattice.n_hypothesis,
            &work.spelt_hypothesis,
            &work.spelt_hypothesis_size,
            &work.hypothesis_ends,
            &work.hypothesis_ends_size,
        )
    if work.failed:
        return
    for number in range(work.lattice.n_cells):
        work.edges_to[number] = -1
    work.n_edges = 0


cdef void spell(
    Work* work,
    const int32_t* tokens,
    int32_t n_tokens,
    int32_t** spelt,
    size_t* spelt_size,
    int64_t** ends,
    size_t* ends_size,
) noexcept nogil:
    """Write the letters of a sentence without spaces and case, and where each token ends."""
    cdef const int64_t* offsets = work.letters.offsets
    cdef int64_t size = 0, letter
    cdef int32_t number
    ends[0] = <int64_t*> grown(
        ends[0], ends_size, n_tokens + 1, sizeof(int64_t), &work.failed
    )
    if work.failed:
        return
    ends[0][0] = 0
    for number in range(n_tokens):
        size += offsets[tokens[number] + 1] - offsets[tokens[number]]
        ends[0][number + 1] = size
    spelt[0] = <int32_t*> grown(
        spelt[0], spelt_size, size + 1, sizeof(int32_t), &work.failed
    )
    if work.failed:
        return
    size = 0
    for number in range(n_tokens):
        for letter in range(offsets[tokens[number]], offsets[tokens[number] + 1]):
            spelt[0][size] = work.letters.letters[letter]
            size += 1


# Edges that equal a gold edit.


cdef inline void lower(int32_t* value, int32_t other) noexcept nogil:
    if other < value[0]:
        value[0] = other


cdef bint is_phrase(Work* work, int32_t start, int32_t end) noexcept nogil:
    """Whether some path between two cells changes something and keeps few enough words."""
    cdef int32_t row, column, way, number, before, many = 1 << 30
    cdef int64_t at = 0
    cdef Cell first = work.lattice.cells[start]
    cdef Cell last = work.lattice.cells[end]
    cdef int64_t width = last.column - first.column + 1
    cdef int64_t size = (last.row - first.row + 1) * width
    cdef Cell* cell
    cdef int32_t* here
    cdef int32_t* there
    if stops(&work.lattice, 4 * size):
        work.failed = True
        return False
    # Fewest unchanged words on a way that changed nothing yet, and on one that did.
    work.steps_left -= size
    if work.steps_left < 0:
        work.is_too_large = True
        return False
    work.fewest = <int32_t*> grown(
        work.fewest, &work.fewest_size, 2 * size, sizeof(int32_t), &work.failed
    )
    if work.failed:
        return False
    for row in range(first.row, last.row + 1):
        for column in range(first.column, last.column + 1):
            here = work.fewest + 2 * at
            at += 1
            here[0] = here[1] = many
            number = work.lattice.numbers[
                <int64_t> row * (work.lattice.n_hypothesis + 1) + column
            ]
            if number < 0:
                continue
            if number == start:
                here[0] = 0
                continue
            cell = &work.lattice.cells[number]
            for way in range(3):
                before = (
                    cell.diagonal if way == 0 else cell.deletion if way == 1 else cell.insertion
                )
                if (
                    before < start
                    or (way != 1 and column == first.column)
                    or (way != 2 and row == first.row)
                ):
                    continue
                there = here - 2 * (width * (way != 2) + (way != 1))
                if way == 0 and cell.is_match:
                    lower(&here[0], there[0] + 1)
                    lower(&here[1], there[1] + 1)
                else:
                    lower(&here[1], there[0])
                    lower(&here[1], there[1])
    return work.fewest[2 * size - 1] <= work.max_unchanged


cdef void add_edge(
    Work* work, int32_t start, int32_t end, int32_t gold, int32_t rank, int64_t price
) noexcept nogil:
    cdef GoldEdge* edge
    work.edges = <GoldEdge*> grown(
        work.edges, &work.edges_size, work.n_edges + 1, sizeof(GoldEdge), &work.failed
    )
    if work.failed:
        return
    edge = &work.edges[work.n_edges]
    edge.start = start
    edge.end = end
    edge.gold = gold
    edge.rank = rank
    edge.price = price
    edge.next = work.edges_to[end]
    work.edges_to[end] = work.n_edges
    work.n_edges += 1


cdef void note_repeated(Work* work, Gold* gold) noexcept nogil:
    """Find the source tokens that a gold edit has as its correction.

    Their unchanged edges equal a gold edit, and draw the path as any matching edge does; as they
    change nothing they are neither proposed nor right. A longer edit that repeats the source
    equals no edge, for only edges of one token may be without a change.
    """
    cdef int32_t number, row
    cdef int64_t option
    cdef bint is_same
    memset(work.repeated, 0, work.lattice.n_source + 1)
    work.n_repeated = 0
    for number in range(gold.n_edits):
        row = gold.starts[number]
        if gold.ends[number] != row + 1 or row >= work.lattice.n_source or work.repeated[row]:
            continue
        # An edit without a correction marks its tokens as they are.
        is_same = gold.options[number] == gold.options[number + 1]
        for option in range(gold.options[number], gold.options[number + 1]):
            is_same |= gold.option_offsets[option + 1] - gold.option_offsets[option] == 1 and (
                gold.option_tokens[gold.option_offsets[option]] == work.lattice.source[row]
            )
        work.repeated[row] = is_same
        work.n_repeated += is_same


cdef void add_gold_edges(Work* work, Gold* gold) noexcept nogil:
    """Find where the lattice has an edge that equals a gold edit."""
    cdef int32_t number, row, end_row, start, end, rank, width = work.lattice.n_hypothesis + 1
    cdef int64_t option, size, column, price
    cdef const int32_t* tokens
    cdef bint found
    for number in range(work.n_edges):
        work.edges_to[work.edges[number].end] = -1
    work.n_edges = 0
    note_repeated(work, gold)
    memset(work.insertions_at, 0, (work.lattice.n_source + 1) * sizeof(int32_t))
    for number in range(gold.n_edits):
        row = gold.starts[number]
        end_row = gold.ends[number]
        if end_row > work.lattice.n_source:
            continue
        rank = work.insertions_at[row] if row == end_row else -1
        found = False
        for option in range(gold.options[number], gold.options[number + 1]):
            tokens = gold.option_tokens + gold.option_offsets[option]
            size = gold.option_offsets[option + 1] - gold.option_offsets[option]
            for start in range(work.lattice.row_starts[row], work.lattice.row_starts[row + 1]):
                column = work.lattice.cells[start].column
                if column + size > work.lattice.n_hypothesis:
                    break
                if not equal_tokens(work.lattice.hypothesis + column, tokens, size):
                    continue
                end = work.lattice.numbers[<int64_t> end_row * width + column + size]
                if end > start and is_phrase(work, start, end):
                    price = -work.prices.matching
                    price += (
                        work.prices.wasted
                        if has_same_letters(work, start, end)
                        else work.prices.kept
                    )
                    add_edge(work, start, end, number, rank, price)
                    found = True
                if work.failed or work.is_too_large:
                    return
        if found and rank >= 0:
            work.insertions_at[row] += 1
    if work.letters.offsets != NULL:
        add_dropped_edges(work)


# Edits that are dropped: they change only spaces or letter case.


cdef bint has_same_letters(Work* work, int32_t start, int32_t end) noexcept nogil:
    """Whether an edit changes only spaces or letter case; never where these count."""
    cdef int64_t size
    if work.letters.offsets == NULL:
        return False
    size = letters_between(work, start, end)
    return size >= 0 and equal_tokens(
        work.spelt_source + work.source_ends[work.lattice.cells[start].row],
        work.spelt_hypothesis + work.hypothesis_ends[work.lattice.cells[start].column],
        size,
    )


cdef inline int64_t letters_between(Work* work, int32_t start, int32_t end) noexcept nogil:
    """How many letters both sentences have between two cells; -1 where not as many."""
    cdef Cell* first = &work.lattice.cells[start]
    cdef Cell* last = &work.lattice.cells[end]
    cdef int64_t size = work.source_ends[last.row] - work.source_ends[first.row]
    if work.hypothesis_ends[last.column] - work.hypothesis_ends[first.column] != size:
        return -1
    return size


cdef void add_dropped_edges(Work* work) noexcept nogil:
    """Find the edits of the lattice that change only spaces or letter case."""
    cdef int32_t start
    for start in range(work.lattice.n_cells):
        add_dropped_from(work, start)
        if work.failed or work.is_too_large:
            return


cdef void add_dropped_from(Work* work, int32_t start) noexcept nogil:
    """Find those that begin in a cell, by the shortest way to each cell that they can reach."""
    cdef int32_t row, number, way, before, unchanged, width = 2 * (work.max_unchanged + 1)
    cdef int32_t left = work.lattice.cells[start].column, row_start = start, many = 1 << 30
    cdef int32_t first_row = work.lattice.cells[start].row, step, shortest
    cdef int64_t place = work.source_ends[first_row], at = work.hypothesis_ends[left]
    cdef int64_t common = 0
    cdef int64_t most = min(
        work.source_ends[work.lattice.n_source] - place,
        work.hypothesis_ends[work.lattice.n_hypothesis] - at,
    )
    cdef bint is_reached = True
    cdef Cell* cell
    cdef int32_t* here
    cdef int32_t* there
    while common < most and (
        work.spelt_source[place + common] == work.spelt_hypothesis[at + common]
    ):
        common += 1
    work.steps_left -= common + 1
    for row in range(first_row, work.lattice.n_source + 1):
        # As far as the letters agree, and as some way has come.
        if not is_reached or work.source_ends[row] - place > common or work.steps_left < 0:
            break
        is_reached = False
        for number in range(row_start, work.lattice.row_starts[row + 1]):
            work.steps_left -= STEPS_PER_VISIT
            # Shortest lengths, by unchanged words and by whether anything was changed yet.
            work.fewest = <int32_t*> grown(
                work.fewest,
                &work.fewest_size,
                <size_t> (number - start + 1) * width,
                sizeof(int32_t),
                &work.failed,
            )
            if work.failed:
                return
            here = work.fewest + <int64_t> (number - start) * width
            for step in range(width):
                here[step] = many
            if number == start:
                here[0] = 0
                is_reached = True
                continue
            cell = &work.lattice.cells[number]
            if cell.column < left or work.hypothesis_ends[cell.column] - at > common:
                continue
            for way in range(3):
                before = (
                    cell.diagonal if way == 0 else cell.deletion if way == 1 else cell.insertion
                )
                if before < start:
                    continue
                there = work.fewest + <int64_t> (before - start) * width
                for unchanged in range(work.max_unchanged + 1):
                    if way == 0 and cell.is_match:
                        if unchanged < work.max_unchanged:
                            lower(&here[2 * unchanged + 2], there[2 * unchanged] + 1)
                            lower(&here[2 * unchanged + 3], there[2 * unchanged + 1] + 1)
                    else:
                        lower(&here[2 * unchanged + 1], there[2 * unchanged] + 1)
                        lower(&here[2 * unchanged + 1], there[2 * unchanged + 1] + 1)
            shortest = many
            for unchanged in range(work.max_unchanged + 1):
                lower(&shortest, here[2 * unchanged + 1])
                is_reached |= here[2 * unchanged] < many
            is_reached |= shortest < many
            if shortest < many and letters_between(work, start, number) >= 0:
                add_edge(
                    work,
                    start,
                    number,
                    -1,
                    -1,
                    work.prices.length * shortest + work.prices.edit,
                )
                if work.failed:
                    return
        row_start = work.lattice.row_starts[row + 1]
    if work.steps_left < 0:
        work.is_too_large = True


# The best path.


cdef inline void offer(int64_t* value, int64_t other) noexcept nogil:
    if other < value[0]:
        value[0] = other


cdef inline int64_t unchanged_price(Work* work, int32_t row) noexcept nogil:
    """What it costs to leave the token before a row as it is, outside of an edit."""
    if work.repeated[row - 1]:
        return work.prices.wasted - work.prices.matching
    return work.prices.length


cdef void follow_diagonal(
    Work* work, Cell* cell, const int64_t* before, int64_t* here
) noexcept nogil:
    """Carry costs over a diagonal edge."""
    cdef int32_t state
    if not cell.is_match:
        follow_change(work, before, here)
        return
    offer(&here[0], before[0] + unchanged_price(work, cell.row))
    for state in range(1, work.n_states - 1):
        offer(&here[state + 1], before[state] + work.prices.length)


cdef void follow_change(Work* work, const int64_t* before, int64_t* here) noexcept nogil:
    """Carry costs over an atomic edge that changes; state 0 is outside of an edit."""
    cdef int32_t state
    cdef int64_t length = work.prices.length
    offer(&here[1], before[0] + opening_price(&work.prices))
    for state in range(1, work.n_states):
        offer(&here[state], before[state] + length)


cdef inline int64_t opening_price(const Prices* prices) noexcept nogil:
    """What the first change of an edit costs."""
    return prices.length + prices.edit + prices.kept


cdef void leave_edits(int64_t* here, int32_t n_states) noexcept nogil:
    """An edit may end in any cell."""
    cdef int32_t state
    for state in range(1, n_states):
        offer(&here[0], here[state])


cdef void visit_plain(Work* work, int32_t number) noexcept nogil:
    """Cost of a cell in a row without gold insertions."""
    cdef Cell* cell = &work.lattice.cells[number]
    cdef int32_t n_states = work.n_states
    cdef int64_t* here = work.best + <int64_t> number * n_states
    cdef int32_t state, edge
    for state in range(n_states):
        here[state] = INFINITE
    if number == 0:
        here[0] = 0
    if cell.diagonal >= 0:
        follow_diagonal(work, cell, work.best + <int64_t> cell.diagonal * n_states, here)
    if cell.deletion >= 0:
        follow_change(work, work.best + <int64_t> cell.deletion * n_states, here)
    if cell.insertion >= 0:
        follow_change(work, work.best + <int64_t> cell.insertion * n_states, here)
    edge = work.edges_to[number]
    while edge >= 0:
        offer(
            &here[0],
            work.best[<int64_t> work.edges[edge].start * n_states] + work.edges[edge].price,
        )
        edge = work.edges[edge].next
    leave_edits(here, n_states)


cdef void visit_insertions(Work* work, int32_t number) noexcept nogil:
    """Cost of a cell in a row with gold insertions, by how many of these are used up."""
    cdef Cell* cell = &work.lattice.cells[number]
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
        follow_diagonal(work, cell, work.best + <int64_t> cell.diagonal * n_states, here)
    if cell.deletion >= 0:
        follow_change(work, work.best + <int64_t> cell.deletion * n_states, here)
    if cell.insertion >= 0:
        before = work.by_used + work.used_offsets[cell.insertion]
        for used in range(n_used):
            follow_change(work, before + used * n_states, here + used * n_states)
    edge = work.edges_to[number]
    while edge >= 0:
        if work.edges[edge].rank < 0:
            before = work.best + <int64_t> work.edges[edge].start * n_states
            offer(&here[0], before[0] + work.edges[edge].price)
        else:
            before = work.by_used + work.used_offsets[work.edges[edge].start]
            for used in range(work.edges[edge].rank + 1):
                offer(
                    &here[(work.edges[edge].rank + 1) * n_states],
                    before[used * n_states] + work.edges[edge].price,
                )
        edge = work.edges[edge].next
    for state in range(n_states):
        merged[state] = INFINITE
    for used in range(n_used):
        leave_edits(here + used * n_states, n_states)
        for state in range(n_states):
            offer(&merged[state], here[used * n_states + state])


cdef int64_t find_path(Work* work) noexcept nogil:
    """Find the cost of the best path to every cell; return that of the last."""
    cdef int32_t number, used
    cdef int64_t size = 0
    work.best = <int64_t*> grown(
        work.best,
        &work.best_size,
        <size_t> work.lattice.n_cells * work.n_states,
        sizeof(int64_t),
        &work.failed,
    )
    work.used_offsets = <int64_t*> grown(
        work.used_offsets,
        &work.used_offsets_size,
        work.lattice.n_cells,
        sizeof(int64_t),
        &work.failed,
    )
    if work.failed:
        return 0
    for number in range(work.lattice.n_cells):
        used = work.insertions_at[work.lattice.cells[number].row]
        work.used_offsets[number] = size
        if used:
            size += <int64_t> (used + 1) * work.n_states
    work.by_used = <int64_t*> grown(
        work.by_used, &work.by_used_size, size, sizeof(int64_t), &work.failed
    )
    if work.failed:
        return 0
    for number in range(work.lattice.n_cells):
        if not number & 63 and stops(&work.lattice, 1024):
            work.failed = True
            return 0
        if work.insertions_at[work.lattice.cells[number].row]:
            visit_insertions(work, number)
        else:
            visit_plain(work, number)
    return work.best[<int64_t> (work.lattice.n_cells - 1) * work.n_states]


# The edits on the path.


cdef void note_edit(Work* work, int32_t start, int32_t end, int32_t gold) noexcept nogil:
    cdef int32_t* edit
    work.path = <int32_t*> grown(
        work.path,
        &work.path_size,
        <size_t> (work.n_path + 1) * EDIT_COLUMNS,
        sizeof(int32_t),
        &work.failed,
    )
    if work.failed:
        return
    edit = work.path + <int64_t> work.n_path * EDIT_COLUMNS
    edit[0] = work.lattice.cells[start].row
    edit[1] = work.lattice.cells[end].row
    edit[2] = work.lattice.cells[start].column
    edit[3] = work.lattice.cells[end].column
    edit[4] = gold
    work.n_path += 1


cdef int64_t cost(Work* work, int32_t number, int32_t used, int32_t state) noexcept nogil:
    if work.insertions_at[work.lattice.cells[number].row]:
        return work.by_used[work.used_offsets[number] + used * work.n_states + state]
    return work.best[<int64_t> number * work.n_states + state]


cdef int32_t used_at(Work* work, int32_t number, int32_t state) noexcept nogil:
    """Return with how many gold insertions of its row a cell is cheapest."""
    cdef int32_t used
    cdef int64_t least = work.best[<int64_t> number * work.n_states + state]
    for used in range(work.insertions_at[work.lattice.cells[number].row]):
        if cost(work, number, used, state) == least:
            return used
    return work.insertions_at[work.lattice.cells[number].row]


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
    if work.lattice.cells[before].row == work.lattice.cells[place.number].row:
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
    cdef int32_t number = work.edges_to[place.number]
    cdef int32_t used, end = place.number
    cdef GoldEdge* edge
    while number >= 0:
        edge = &work.edges[number]
        number = edge.next
        if edge.rank < 0:
            used = used_at(work, edge.start, 0)
            if place.used or cost(work, edge.start, used, 0) + edge.price != here:
                continue
        else:
            if place.used != edge.rank + 1:
                continue
            used = 0
            while used <= edge.rank and cost(work, edge.start, used, 0) + edge.price != here:
                used += 1
            if used > edge.rank:
                continue
        place.number = edge.start
        place.used = used
        note_edit(work, edge.start, end, edge.gold)
        return True
    return False


cdef bint came_by_change(Work* work, Place* place, int32_t state, int64_t price) noexcept nogil:
    cdef Cell* cell = &work.lattice.cells[place.number]
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
    place.number = work.lattice.n_cells - 1
    place.state = 0
    place.used = used_at(work, place.number, 0)
    while place.number or place.state:
        cell = &work.lattice.cells[place.number]
        if place.state == 0:
            if cell.is_match and came_from(
                work, &place, cell.diagonal, 0, unchanged_price(work, cell.row)
            ):
                continue
            if came_by_gold(work, &place):
                continue
            end = place.number
            for state in range(1, work.n_states):
                if cost(work, end, place.used, state) == cost(work, end, place.used, 0):
                    place.state = state
                    break
            else:
                work.is_lost = True
                return
        elif place.state == 1 and came_by_change(
            work, &place, 0, opening_price(&work.prices)
        ):
            note_edit(work, place.number, end, -1)
        elif came_by_change(work, &place, place.state, work.prices.length):
            pass
        elif not (
            place.state > 1
            and cell.is_match
            and came_from(work, &place, cell.diagonal, place.state - 1, work.prices.length)
        ):
            work.is_lost = True
            return
        if work.failed:
            return


cdef bint equals_gold(Work* work, const int32_t* edit, Gold* gold, int32_t number) noexcept nogil:
    cdef int64_t option, size = edit[3] - edit[2]
    cdef const int32_t* tokens
    if edit[0] != gold.starts[number] or edit[1] != gold.ends[number]:
        return False
    for option in range(gold.options[number], gold.options[number + 1]):
        tokens = gold.option_tokens + gold.option_offsets[option]
        if gold.option_offsets[option + 1] - gold.option_offsets[option] == size and equal_tokens(
            work.lattice.hypothesis + edit[2], tokens, size
        ):
            return True
    return False


cdef int32_t scan(Work* work, Gold* gold) noexcept nogil:
    """Count the edits found in the gold list, each once, never going back in its order.

    In a sorted list these are the edits that the path matched. Of several insertions at one place
    it may have passed over one that equals a later gold edit, for the sake of those in between.
    """
    cdef int32_t number, candidate, position = 0, correct = 0
    cdef bint follows_path = is_sorted(gold)
    cdef int32_t* edit
    for number in range(work.n_path - 1, -1, -1):
        edit = work.path + <int64_t> number * EDIT_COLUMNS
        if follows_path and edit[4] < 0:
            continue
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
