"""The best path of edits: the one that agrees most with the gold edits of one annotator.

The paper makes every path with few unchanged words an edge of its own and looks for the best
path through all of them. The same path is found without any of these edges, as a shortest path
over pairs of a cell v and a small state: 0 outside of an edit, 1 + k inside one with k unchanged
words. Only edges that equal a gold edit are made. With the costs of ``path_costs``,

    best[v, 0]     = min over edges u -> v of
                     best[u, 0] + length                if u -> v keeps a word
                     best[u, 0] - matching              if u -> v equals a gold edit
                     best[v, 1 + k]                     where an edit ends
    best[v, 1]     = best[u, 0] + length + edit + kept  if u -> v changes a word
    best[v, 1 + k] = best[u, 1 + k] + length            if u -> v changes a word
                     best[u, k] + length                if u -> v keeps one

Gold insertions at one place are used in their order, so there the number of those used is part of
the state. The time is linear in the cells of the lattice.
"""

from libc.stdint cimport int32_t, int64_t

from geceval.kernels._memory cimport grow_int32, grow_int64
from geceval.kernels.maxmatch.edit_lattice cimport EDIT_COLUMNS, Cell, equal_tokens, stops
from geceval.kernels.maxmatch.path_costs cimport INFINITE, EdgeCosts
from geceval.kernels.maxmatch.workspace cimport Gold, GoldEdge, MatchWorkspace


cdef inline void relax(int64_t* value, int64_t other) noexcept nogil:
    if other < value[0]:
        value[0] = other


cdef inline int64_t unchanged_cost(MatchWorkspace* work, int32_t row) noexcept nogil:
    """What it costs to leave the token before a row as it is, outside of an edit."""
    if work.repeated[row - 1]:
        return work.costs.wasted - work.costs.matching
    return work.costs.length


cdef void relax_diagonal(
    MatchWorkspace* work, Cell* cell, const int64_t* before, int64_t* here
) noexcept nogil:
    """Carry costs over a diagonal edge."""
    cdef int32_t state
    if not cell.is_match:
        relax_change(work, before, here)
        return
    relax(&here[0], before[0] + unchanged_cost(work, cell.row))
    for state in range(1, work.n_states - 1):
        relax(&here[state + 1], before[state] + work.costs.length)


cdef void relax_change(MatchWorkspace* work, const int64_t* before, int64_t* here) noexcept nogil:
    """Carry costs over an atomic edge that changes; state 0 is outside of an edit."""
    cdef int32_t state
    cdef int64_t length = work.costs.length
    relax(&here[1], before[0] + opening_cost(&work.costs))
    for state in range(1, work.n_states):
        relax(&here[state], before[state] + length)


cdef inline int64_t opening_cost(const EdgeCosts* costs) noexcept nogil:
    """What the first change of an edit costs."""
    return costs.length + costs.edit + costs.kept


cdef void close_edits(int64_t* here, int32_t n_states) noexcept nogil:
    """An edit may end in any cell."""
    cdef int32_t state
    for state in range(1, n_states):
        relax(&here[0], here[state])


cdef void relax_cell(MatchWorkspace* work, int32_t number) noexcept nogil:
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
        relax_diagonal(work, cell, work.best + <int64_t> cell.diagonal * n_states, here)
    if cell.deletion >= 0:
        relax_change(work, work.best + <int64_t> cell.deletion * n_states, here)
    if cell.insertion >= 0:
        relax_change(work, work.best + <int64_t> cell.insertion * n_states, here)
    edge = work.edges_to[number]
    while edge >= 0:
        relax(
            &here[0], work.best[<int64_t> work.edges[edge].start * n_states] + work.edges[edge].cost
        )
        edge = work.edges[edge].next
    close_edits(here, n_states)


cdef void relax_cell_with_insertions(MatchWorkspace* work, int32_t number) noexcept nogil:
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
        relax_diagonal(work, cell, work.best + <int64_t> cell.diagonal * n_states, here)
    if cell.deletion >= 0:
        relax_change(work, work.best + <int64_t> cell.deletion * n_states, here)
    if cell.insertion >= 0:
        before = work.by_used + work.used_offsets[cell.insertion]
        for used in range(n_used):
            relax_change(work, before + used * n_states, here + used * n_states)
    edge = work.edges_to[number]
    while edge >= 0:
        if work.edges[edge].rank < 0:
            before = work.best + <int64_t> work.edges[edge].start * n_states
            relax(&here[0], before[0] + work.edges[edge].cost)
        else:
            before = work.by_used + work.used_offsets[work.edges[edge].start]
            for used in range(work.edges[edge].rank + 1):
                relax(
                    &here[(work.edges[edge].rank + 1) * n_states],
                    before[used * n_states] + work.edges[edge].cost,
                )
        edge = work.edges[edge].next
    for state in range(n_states):
        merged[state] = INFINITE
    for used in range(n_used):
        close_edits(here + used * n_states, n_states)
        for state in range(n_states):
            relax(&merged[state], here[used * n_states + state])


cdef int64_t shortest_path(MatchWorkspace* work) noexcept nogil:
    """Find the cost of the best path to every cell; return that of the last."""
    cdef int32_t number, used
    cdef int64_t size = 0
    grow_int64(
        &work.best, &work.best_size, <size_t> work.lattice.n_cells * work.n_states, &work.failed
    )
    grow_int64(&work.used_offsets, &work.used_offsets_size, work.lattice.n_cells, &work.failed)
    if work.failed:
        return 0
    for number in range(work.lattice.n_cells):
        used = work.insertions_at[work.lattice.cells[number].row]
        work.used_offsets[number] = size
        if used:
            size += <int64_t> (used + 1) * work.n_states
    grow_int64(&work.by_used, &work.by_used_size, size, &work.failed)
    if work.failed:
        return 0
    for number in range(work.lattice.n_cells):
        if not number & 63 and stops(&work.lattice, 1024):
            work.failed = True
            return 0
        if work.insertions_at[work.lattice.cells[number].row]:
            relax_cell_with_insertions(work, number)
        else:
            relax_cell(work, number)
    return work.best[<int64_t> (work.lattice.n_cells - 1) * work.n_states]


# The edits on the path.


cdef void note_edit(MatchWorkspace* work, int32_t start, int32_t end, int32_t gold) noexcept nogil:
    cdef int32_t* edit
    grow_int32(&work.path, &work.path_size, <size_t> (work.n_path + 1) * EDIT_COLUMNS, &work.failed)
    if work.failed:
        return
    edit = work.path + <int64_t> work.n_path * EDIT_COLUMNS
    edit[0] = work.lattice.cells[start].row
    edit[1] = work.lattice.cells[end].row
    edit[2] = work.lattice.cells[start].column
    edit[3] = work.lattice.cells[end].column
    edit[4] = gold
    work.n_path += 1


cdef int64_t cost_at(
    MatchWorkspace* work, int32_t number, int32_t used, int32_t state
) noexcept nogil:
    if work.insertions_at[work.lattice.cells[number].row]:
        return work.by_used[work.used_offsets[number] + used * work.n_states + state]
    return work.best[<int64_t> number * work.n_states + state]


cdef int32_t used_at(MatchWorkspace* work, int32_t number, int32_t state) noexcept nogil:
    """Return with how many gold insertions of its row a cell is cheapest."""
    cdef int32_t used
    cdef int64_t least = work.best[<int64_t> number * work.n_states + state]
    for used in range(work.insertions_at[work.lattice.cells[number].row]):
        if cost_at(work, number, used, state) == least:
            return used
    return work.insertions_at[work.lattice.cells[number].row]


cdef struct PathPosition:
    # Where the walk back along the best path stands.
    int32_t number
    int32_t used
    int32_t state


cdef bint came_from(
    MatchWorkspace* work, PathPosition* place, int32_t before, int32_t state, int64_t cost
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
    if cost_at(work, before, used, state) + cost != cost_at(
        work, place.number, place.used, place.state
    ):
        return False
    place.number = before
    place.used = used
    place.state = state
    return True


cdef bint came_by_gold(MatchWorkspace* work, PathPosition* place) noexcept nogil:
    """Step back over an edge that equals a gold edit if the best path came that way."""
    cdef int64_t here = cost_at(work, place.number, place.used, 0)
    cdef int32_t number = work.edges_to[place.number]
    cdef int32_t used, end = place.number
    cdef GoldEdge* edge
    while number >= 0:
        edge = &work.edges[number]
        number = edge.next
        if edge.rank < 0:
            used = used_at(work, edge.start, 0)
            if place.used or cost_at(work, edge.start, used, 0) + edge.cost != here:
                continue
        else:
            if place.used != edge.rank + 1:
                continue
            used = 0
            while used <= edge.rank and cost_at(work, edge.start, used, 0) + edge.cost != here:
                used += 1
            if used > edge.rank:
                continue
        place.number = edge.start
        place.used = used
        note_edit(work, edge.start, end, edge.gold)
        return True
    return False


cdef bint came_by_change(
    MatchWorkspace* work, PathPosition* place, int32_t state, int64_t cost
) noexcept nogil:
    cdef Cell* cell = &work.lattice.cells[place.number]
    return (
        (not cell.is_match and came_from(work, place, cell.diagonal, state, cost))
        or came_from(work, place, cell.deletion, state, cost)
        or came_from(work, place, cell.insertion, state, cost)
    )


cdef void trace_back(MatchWorkspace* work) noexcept nogil:
    """List the edits of the best path, the last one first.

    Of paths equally good the one is taken whose edits hold the fewest unchanged words.
    """
    cdef PathPosition place
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
                work, &place, cell.diagonal, 0, unchanged_cost(work, cell.row)
            ):
                continue
            if came_by_gold(work, &place):
                continue
            end = place.number
            for state in range(1, work.n_states):
                if cost_at(work, end, place.used, state) == cost_at(work, end, place.used, 0):
                    place.state = state
                    break
            else:
                work.is_lost = True
                return
        elif place.state == 1 and came_by_change(work, &place, 0, opening_cost(&work.costs)):
            note_edit(work, place.number, end, -1)
        elif came_by_change(work, &place, place.state, work.costs.length):
            pass
        elif not (
            place.state > 1
            and cell.is_match
            and came_from(work, &place, cell.diagonal, place.state - 1, work.costs.length)
        ):
            work.is_lost = True
            return
        if work.failed:
            return


cdef bint equals_gold(
    MatchWorkspace* work, const int32_t* edit, Gold* gold, int32_t number
) noexcept nogil:
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


cdef int32_t scan(MatchWorkspace* work, Gold* gold) noexcept nogil:
    """Count the edits found in the gold list, each once, never going back in its order.

    A greedy scan may match an insertion with a later gold edit and miss those in between, of
    several insertions at one place; then the matches of the path are taken.
    """
    cdef int32_t number, n_matched = 0
    for number in range(work.n_path):
        n_matched += work.path[<int64_t> number * EDIT_COLUMNS + 4] >= 0
    cdef bint follows_path = is_sorted(gold) and match(work, gold, False, False) < n_matched
    return match(work, gold, follows_path, True)


cdef int32_t match(
    MatchWorkspace* work, Gold* gold, bint follows_path, bint is_final
) noexcept nogil:
    """Match edits with the gold list in order; with `is_final`, store the matches."""
    cdef int32_t number, candidate, position = 0, correct = 0
    cdef int32_t* edit
    for number in range(work.n_path - 1, -1, -1):
        edit = work.path + <int64_t> number * EDIT_COLUMNS
        if follows_path and edit[4] < 0:
            continue
        for candidate in range(position, gold.n_edits):
            if equals_gold(work, edit, gold, candidate):
                position = candidate + 1
                correct += 1
                break
        else:
            candidate = -1
        if is_final:
            edit[4] = candidate
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
