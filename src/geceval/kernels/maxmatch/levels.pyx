"""The best path of edits when a right span, or any overlap with a gold edit, is enough.

The recurrence is that of ``matching``; besides the edits that match nothing, a path may be inside
an edit that is meant for a certain gold edit. Gold edits are taken in the order of their spans,
each by one edit at most, so that the number g of those passed is part of the state:

    cost[v, g, q'] = min over edges u -> v of  cost[u, g, q] + (length of edges that match nothing)
    cost[v, g + 1, 0] = min(cost[v, g, 0], cost[v, g, q] - matching  if q completes gold edit g)

A state is a number: 0 outside of an edit; 1 + k inside an edit that matches nothing, with k
unchanged words; after these come the edits meant for the next gold edit. For recognition they are
distinguished by k and by whether anything was changed yet; they begin and end where the gold edit
does, and if long gold edits can be matched, the greatest k stands for all greater ones. For
detection they are distinguished by k, by whether they end in an unchanged word, whether they only
insert, and whether they overlap the gold edit yet; they begin and end with a change, for otherwise
an edit could be stretched over unchanged words to reach a gold edit.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free

from geceval.kernels._memory cimport grow_int32, grow_int64
from geceval.kernels.maxmatch.edit_lattice cimport EDIT_COLUMNS, Cell, EditLattice, stops
from geceval.kernels.maxmatch.path_costs cimport INFINITE, EdgeCosts

# How a state was reached: from the same cell, or over an edge from the cell before.
cdef enum:
    FROM_HERE = 0
    FROM_DIAGONAL = 1
    FROM_DELETION = 2
    FROM_INSERTION = 3
    N_WAYS = 4

# Bits of a state of recognition and of detection.
cdef enum:
    CHANGED = 1
    TOUCHES = 1
    INSERTS_ONLY = 2
    ENDS_UNCHANGED = 4


cdef void release_levels(LevelWorkspace* work) noexcept nogil:
    free(work.costs)
    free(work.backpointers)
    free(work.order)


cdef inline int32_t bits_of(int32_t level) noexcept nogil:
    return 2 if level == RECOGNITION else 8


cdef inline int32_t n_states(int32_t level, int32_t max_unchanged) noexcept nogil:
    return 1 + (max_unchanged + 1) * (1 + bits_of(level))


cdef inline bint touches_token(int32_t start, int32_t end, int32_t token) noexcept nogil:
    """Whether an edit over a token overlaps a gold edit."""
    if start == end:
        return token == start or token + 1 == start
    return start <= token < end


cdef int32_t next_state(
    int32_t level,
    int32_t max_unchanged,
    bint match_long,
    int32_t state,
    int32_t way,
    bint is_match,
    int32_t row,
    int32_t start,
    int32_t end,
) noexcept nogil:
    """Follow an atomic edge that leaves `row` inside an edit meant for the gold edit given.

    `state` is 0 when the edit begins with this edge; -1 means that there is no such edit.
    """
    cdef int32_t first = 2 + max_unchanged
    cdef int32_t n_bits = bits_of(level)
    cdef int32_t unchanged = 0, bits = 0
    if state:
        unchanged = (state - first) // n_bits
        bits = (state - first) % n_bits
    elif level == DETECTION:
        if is_match:
            return -1
        bits = INSERTS_ONLY
    elif row != start:
        return -1
    if is_match:
        unchanged += 1
        if unchanged > max_unchanged:
            if level == DETECTION or not match_long:
                return -1
            unchanged = max_unchanged
    if level == RECOGNITION:
        if way != FROM_INSERTION and row >= end:
            return -1
        if not is_match:
            bits |= CHANGED
        return first + unchanged * n_bits + bits
    if way == FROM_INSERTION:
        if bits & INSERTS_ONLY:
            if start <= row <= end:
                bits |= TOUCHES
        elif start == end and row == start:
            bits |= TOUCHES
    else:
        # Lying at the edge of a gold span is enough for a mere insertion only.
        if bits & INSERTS_ONLY and start != end:
            bits &= ~TOUCHES
        bits &= ~INSERTS_ONLY
        if touches_token(start, end, row):
            bits |= TOUCHES
    bits &= ~ENDS_UNCHANGED
    if is_match:
        bits |= ENDS_UNCHANGED
    return first + unchanged * n_bits + bits


cdef inline bint is_complete(
    int32_t level, int32_t max_unchanged, int32_t state, int32_t row, int32_t end
) noexcept nogil:
    """Whether an edit meant for a gold edit may end in this state."""
    cdef int32_t bits = (state - 2 - max_unchanged) % bits_of(level)
    if level == RECOGNITION:
        return row == end and bits & CHANGED
    return bits & TOUCHES and not bits & ENDS_UNCHANGED


cdef inline void relax(
    int64_t* costs, int32_t* backpointers, int32_t target, int64_t cost, int32_t origin, int32_t way
) noexcept nogil:
    if cost < costs[target]:
        costs[target] = cost
        backpointers[target] = origin * N_WAYS + way


cdef void sort_gold(
    LevelWorkspace* work,
    const int32_t* starts,
    const int32_t* ends,
    int32_t n_edits,
    int32_t n_source,
) noexcept nogil:
    """Order the gold edits inside the sentence by span."""
    cdef int32_t number, place, other
    grow_int32(&work.order, &work.order_size, n_edits, &work.failed)
    work.n_gold = 0
    if work.failed:
        return
    for number in range(n_edits):
        if ends[number] > n_source:
            continue
        place = work.n_gold
        while place:
            other = work.order[place - 1]
            if starts[other] < starts[number] or (
                starts[other] == starts[number] and ends[other] <= ends[number]
            ):
                break
            work.order[place] = other
            place -= 1
        work.order[place] = number
        work.n_gold += 1


cdef int64_t shortest_level_path(
    LevelWorkspace* work,
    EditLattice* lattice,
    const EdgeCosts* costs,
    const int32_t* starts,
    const int32_t* ends,
    int32_t n_edits,
    int32_t level,
    int32_t max_unchanged,
    bint match_long,
) noexcept nogil:
    """Return the cost of the best path."""
    cdef int32_t states = n_states(level, max_unchanged)
    cdef int32_t number, way, before, passed, state, gold, width, target
    cdef int64_t cost
    cdef size_t size
    cdef bint is_match
    cdef Cell* cell
    cdef int64_t* here
    cdef int64_t* there
    cdef int32_t* backpointers
    sort_gold(work, starts, ends, n_edits, lattice.n_source)
    # A state and how it was reached are one number of 31 bits.
    if (<int64_t> work.n_gold + 1) * states > min(
        work.max_entries // lattice.n_cells, <int64_t> 1 << 29
    ):
        work.is_too_large = True
        return 0
    width = (work.n_gold + 1) * states
    size = <size_t> lattice.n_cells * width
    grow_int64(&work.costs, &work.costs_size, size, &work.failed)
    grow_int32(&work.backpointers, &work.backpointers_size, size, &work.failed)
    if work.failed:
        return 0
    for number in range(lattice.n_cells):
        if stops(lattice, 16 * width):
            work.failed = True
            return 0
        cell = &lattice.cells[number]
        here = work.costs + <int64_t> number * width
        backpointers = work.backpointers + <int64_t> number * width
        for state in range(width):
            here[state] = INFINITE
        if number == 0:
            here[0] = 0
        for way in range(FROM_DIAGONAL, N_WAYS):
            before = (
                cell.diagonal
                if way == FROM_DIAGONAL
                else cell.deletion if way == FROM_DELETION else cell.insertion
            )
            if before < 0:
                continue
            is_match = way == FROM_DIAGONAL and cell.is_match
            there = work.costs + <int64_t> before * width
            for passed in range(work.n_gold + 1):
                gold = work.order[passed] if passed < work.n_gold else -1
                for state in range(states):
                    cost = there[passed * states + state]
                    if cost >= INFINITE:
                        continue
                    target = passed * states
                    # Outside, or inside an edit that matches nothing.
                    if state == 0:
                        relax(
                            here,
                            backpointers,
                            target if is_match else target + 1,
                            cost + costs.length + (costs.edit if not is_match else 0),
                            passed * states,
                            way,
                        )
                    elif state < 2 + max_unchanged:
                        if not is_match or state <= max_unchanged:
                            relax(
                                here,
                                backpointers,
                                target + state + is_match,
                                cost + costs.length,
                                passed * states + state,
                                way,
                            )
                        continue
                    if gold < 0:
                        continue
                    # Inside an edit meant for the next gold edit, or beginning one.
                    target = next_state(
                        level,
                        max_unchanged,
                        match_long,
                        state,
                        way,
                        is_match,
                        lattice.cells[before].row,
                        starts[gold],
                        ends[gold],
                    )
                    if target >= 0:
                        relax(
                            here,
                            backpointers,
                            passed * states + target,
                            cost,
                            passed * states + state,
                            way,
                        )
        # Edits end, and gold edits are passed over, without leaving the cell.
        for passed in range(work.n_gold + 1):
            for state in range(1, 2 + max_unchanged):
                cost = here[passed * states + state]
                relax(here, backpointers, passed * states, cost, passed * states + state, FROM_HERE)
            if passed == work.n_gold:
                break
            target = (passed + 1) * states
            relax(here, backpointers, target, here[passed * states], passed * states, FROM_HERE)
            gold = work.order[passed]
            for state in range(2 + max_unchanged, states):
                cost = here[passed * states + state]
                if cost < INFINITE and is_complete(
                    level, max_unchanged, state, cell.row, ends[gold]
                ):
                    cost -= costs.matching
                    relax(here, backpointers, target, cost, passed * states + state, FROM_HERE)
    here = work.costs + <int64_t> (lattice.n_cells - 1) * width
    return here[work.n_gold * states]


cdef int32_t trace_level_path(
    LevelWorkspace* work, EditLattice* lattice, int32_t level, int32_t max_unchanged, int32_t* path
) noexcept nogil:
    """Write the edits of the best path into `path`, the last one first; return their number."""
    cdef int32_t states = n_states(level, max_unchanged)
    cdef int32_t width = (work.n_gold + 1) * states
    cdef int32_t number = lattice.n_cells - 1, place = work.n_gold * states
    cdef int32_t parent, way, before, n_path = 0
    cdef Cell* cell
    cdef int32_t* edit
    while number or place:
        parent = work.backpointers[<int64_t> number * width + place]
        way = parent % N_WAYS
        parent //= N_WAYS
        cell = &lattice.cells[number]
        before = number
        if way == FROM_DIAGONAL:
            before = cell.diagonal
        elif way == FROM_DELETION:
            before = cell.deletion
        elif way == FROM_INSERTION:
            before = cell.insertion
        elif place % states == 0 and parent % states:
            # An edit ends here.
            edit = path + <int64_t> n_path * EDIT_COLUMNS
            edit[1] = cell.row
            edit[3] = cell.column
            edit[4] = -1
            if parent % states >= 2 + max_unchanged:
                edit[4] = work.order[parent // states]
            n_path += 1
        if way != FROM_HERE and place % states and parent % states == 0:
            # It began in the cell before.
            edit = path + <int64_t> (n_path - 1) * EDIT_COLUMNS
            edit[0] = lattice.cells[before].row
            edit[2] = lattice.cells[before].column
        number = before
        place = parent
    return n_path
