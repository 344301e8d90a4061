"""Edges of the lattice that equal a gold edit, or that are dropped.

A path between two cells is an edit if it changes something and keeps at most `max_unchanged` words,
or any number of words if long gold edits can be matched.
The fewest unchanged words of all paths from a cell, 0 before and 1 after the first change, are

    F[1, v] = min over edges u -> v of  F[1, u] + [u -> v keeps a word]
                                        F[0, u]              if u -> v changes one
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from geceval.kernels._memory cimport grow_int32, grow_int64, grow_uint8, grown
from geceval.kernels.maxmatch.edit_lattice cimport Cell, build_lattice, equal_tokens, stops
from geceval.kernels.maxmatch.workspace cimport Gold, GoldEdge, MatchWorkspace, Spelling

# Steps per cell visited in the search for edits that are dropped.
cdef int64_t STEPS_PER_VISIT = 5


cdef void prepare(MatchWorkspace* work) noexcept nogil:
    """Build the lattice of the sentences at hand."""
    cdef int32_t number
    build_lattice(&work.lattice)
    if work.lattice.failed:
        work.failed = True
        return
    grow_int32(&work.edges_to, &work.edges_to_size, work.lattice.n_cells, &work.failed)
    grow_int32(&work.insertions_at, &work.insertions_size, work.lattice.n_source + 1, &work.failed)
    grow_uint8(&work.repeated, &work.repeated_size, work.lattice.n_source + 1, &work.failed)
    if work.letters.offsets != NULL and not work.failed:
        spell(work, work.lattice.source, work.lattice.n_source, &work.source_text)
        spell(work, work.lattice.hypothesis, work.lattice.n_hypothesis, &work.hypothesis_text)
    if work.failed:
        return
    for number in range(work.lattice.n_cells):
        work.edges_to[number] = -1
    work.n_edges = 0


cdef void spell(
    MatchWorkspace* work, const int32_t* tokens, int32_t n_tokens, Spelling* spelling
) noexcept nogil:
    """Write the letters of a sentence without spaces and case, and where each token ends."""
    cdef const int64_t* offsets = work.letters.offsets
    cdef int64_t size = 0, letter
    cdef int32_t number
    grow_int64(&spelling.ends, &spelling.ends_size, n_tokens + 1, &work.failed)
    if work.failed:
        return
    spelling.ends[0] = 0
    for number in range(n_tokens):
        size += offsets[tokens[number] + 1] - offsets[tokens[number]]
        spelling.ends[number + 1] = size
    grow_int32(&spelling.letters, &spelling.size, size + 1, &work.failed)
    if work.failed:
        return
    size = 0
    for number in range(n_tokens):
        for letter in range(offsets[tokens[number]], offsets[tokens[number] + 1]):
            spelling.letters[size] = work.letters.letters[letter]
            size += 1


# Edges that equal a gold edit.


cdef inline void relax_count(int32_t* value, int32_t other) noexcept nogil:
    if other < value[0]:
        value[0] = other


cdef bint is_phrase(MatchWorkspace* work, int32_t start, int32_t end) noexcept nogil:
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
    grow_int32(&work.fewest, &work.fewest_size, 2 * size, &work.failed)
    if work.failed:
        return False
    for row in range(first.row, last.row + 1):
        for column in range(first.column, last.column + 1):
            here = work.fewest + 2 * at
            at += 1
            here[0] = here[1] = many
            number = work.lattice.numbers[<int64_t> row * (work.lattice.n_hypothesis + 1) + column]
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
                    relax_count(&here[0], there[0] + 1)
                    relax_count(&here[1], there[1] + 1)
                else:
                    relax_count(&here[1], there[0])
                    relax_count(&here[1], there[1])
    return work.fewest[2 * size - 1] <= (many - 1 if work.match_long else work.max_unchanged)


cdef void add_edge(
    MatchWorkspace* work, int32_t start, int32_t end, int32_t gold, int32_t rank, int64_t cost
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
    edge.cost = cost
    edge.next = work.edges_to[end]
    work.edges_to[end] = work.n_edges
    work.n_edges += 1


cdef void note_repeated(MatchWorkspace* work, Gold* gold) noexcept nogil:
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


cdef void add_gold_edges(MatchWorkspace* work, Gold* gold) noexcept nogil:
    """Find where the lattice has an edge that equals a gold edit."""
    cdef int32_t number, row, end_row, start, end, rank, width = work.lattice.n_hypothesis + 1
    cdef int64_t option, size, column, cost
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
                    cost = -work.costs.matching
                    cost += (
                        work.costs.wasted if has_same_letters(work, start, end) else work.costs.kept
                    )
                    add_edge(work, start, end, number, rank, cost)
                    found = True
                if work.failed or work.is_too_large:
                    return
        if found and rank >= 0:
            work.insertions_at[row] += 1
    if work.letters.offsets != NULL:
        add_dropped_edges(work)


# Edits that are dropped: they change only spaces or letter case.


cdef bint has_same_letters(MatchWorkspace* work, int32_t start, int32_t end) noexcept nogil:
    """Whether an edit changes only spaces or letter case; never where these count."""
    cdef int64_t size
    if work.letters.offsets == NULL:
        return False
    size = letters_between(work, start, end)
    return size >= 0 and equal_tokens(
        work.source_text.letters + work.source_text.ends[work.lattice.cells[start].row],
        work.hypothesis_text.letters + work.hypothesis_text.ends[work.lattice.cells[start].column],
        size,
    )


cdef inline int64_t letters_between(
    MatchWorkspace* work, int32_t start, int32_t end
) noexcept nogil:
    """How many letters both sentences have between two cells; -1 where not as many."""
    cdef Cell* first = &work.lattice.cells[start]
    cdef Cell* last = &work.lattice.cells[end]
    cdef int64_t size = work.source_text.ends[last.row] - work.source_text.ends[first.row]
    if work.hypothesis_text.ends[last.column] - work.hypothesis_text.ends[first.column] != size:
        return -1
    return size


cdef void add_dropped_edges(MatchWorkspace* work) noexcept nogil:
    """Find the edits of the lattice that change only spaces or letter case."""
    cdef int32_t start
    for start in range(work.lattice.n_cells):
        add_dropped_from(work, start)
        if work.failed or work.is_too_large:
            return


cdef void add_dropped_from(MatchWorkspace* work, int32_t start) noexcept nogil:
    """Find those that begin in a cell, by the shortest way to each cell that they can reach."""
    cdef int32_t row, number, way, before, unchanged, width = 2 * (work.max_unchanged + 1)
    cdef int32_t left = work.lattice.cells[start].column, row_start = start, many = 1 << 30
    cdef int32_t first_row = work.lattice.cells[start].row, step, shortest
    cdef int64_t place = work.source_text.ends[first_row], at = work.hypothesis_text.ends[left]
    cdef int64_t common = 0
    cdef int64_t most = min(
        work.source_text.ends[work.lattice.n_source] - place,
        work.hypothesis_text.ends[work.lattice.n_hypothesis] - at,
    )
    cdef bint is_reached = True
    cdef Cell* cell
    cdef int32_t* here
    cdef int32_t* there
    while common < most and (
        work.source_text.letters[place + common] == work.hypothesis_text.letters[at + common]
    ):
        common += 1
    work.steps_left -= common + 1
    for row in range(first_row, work.lattice.n_source + 1):
        # As far as the letters agree, and as some way has come.
        if not is_reached or work.source_text.ends[row] - place > common or work.steps_left < 0:
            break
        is_reached = False
        for number in range(row_start, work.lattice.row_starts[row + 1]):
            work.steps_left -= STEPS_PER_VISIT
            # Shortest lengths, by unchanged words and by whether anything was changed yet.
            grow_int32(
                &work.fewest, &work.fewest_size, <size_t> (number - start + 1) * width, &work.failed
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
            if cell.column < left or work.hypothesis_text.ends[cell.column] - at > common:
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
                            relax_count(&here[2 * unchanged + 2], there[2 * unchanged] + 1)
                            relax_count(&here[2 * unchanged + 3], there[2 * unchanged + 1] + 1)
                    else:
                        relax_count(&here[2 * unchanged + 1], there[2 * unchanged] + 1)
                        relax_count(&here[2 * unchanged + 1], there[2 * unchanged + 1] + 1)
            shortest = many
            for unchanged in range(work.max_unchanged + 1):
                relax_count(&shortest, here[2 * unchanged + 1])
                is_reached |= here[2 * unchanged] < many
            is_reached |= shortest < many
            if shortest < many and letters_between(work, start, number) >= 0:
                add_edge(
                    work, start, number, -1, -1, work.costs.length * shortest + work.costs.edit
                )
                if work.failed:
                    return
        row_start = work.lattice.row_starts[row + 1]
    if work.steps_left < 0:
        work.is_too_large = True
