"""The state of an arc-eager parser, and the moves that change it."""

from libc.stdint cimport int32_t, uint8_t

# Kinds of moves: shift, reduce, an arc to the left or to the right, a new sentence.
cdef enum:
    SHIFT = 0
    REDUCE = 1
    LEFT = 2
    RIGHT = 3
    BREAK = 4
    KINDS = 5


cdef struct State:
    # The buffer is what was put back, the last first, and then the tokens from `next` on.
    int32_t* stack
    int32_t* returned
    int32_t n_stack
    int32_t n_returned
    int32_t next
    int32_t size
    # By token; -1 is none. A token whose arc is replaced gives its place among the right
    # children of its old head back to the child before it.
    int32_t* heads
    int32_t* left_child
    int32_t* right_child
    int32_t* elder
    uint8_t* was_returned
    uint8_t* is_start


cdef inline int32_t buffered(const State* state, int32_t number) noexcept nogil:
    """A token of the buffer, or -1."""
    cdef int32_t token
    if number < state.n_returned:
        return state.returned[state.n_returned - 1 - number]
    token = state.next + number - state.n_returned
    return token if token < state.size else -1


cdef inline int32_t stacked(const State* state, int32_t number) noexcept nogil:
    """A token of the stack from the top, or -1."""
    return state.stack[state.n_stack - 1 - number] if number < state.n_stack else -1


cdef inline void look(const State* state, int32_t* tokens) noexcept nogil:
    """Note the tokens that decide the next move; -1 is none."""
    cdef int32_t first = buffered(state, 0), top = stacked(state, 0)
    tokens[0] = first
    tokens[1] = buffered(state, 1)
    tokens[2] = top
    tokens[3] = stacked(state, 1)
    tokens[4] = stacked(state, 2)
    tokens[5] = state.left_child[first] if first >= 0 else -1
    tokens[6] = state.left_child[top] if top >= 0 else -1
    tokens[7] = state.right_child[top] if top >= 0 else -1


cdef inline void find_valid(const State* state, uint8_t* valid) noexcept nogil:
    """Tell which kinds of moves are possible."""
    cdef int32_t first = buffered(state, 0), second = buffered(state, 1)
    cdef bint is_start = first >= 0 and state.is_start[first]
    cdef bint has_stack = state.n_stack > 0
    valid[SHIFT] = not has_stack or (
        second >= 0 and not is_start and not state.was_returned[first]
    )
    valid[REDUCE] = has_stack
    valid[LEFT] = valid[RIGHT] = has_stack and first >= 0 and not is_start
    valid[BREAK] = second >= 0 and second == first + 1 and not state.is_start[second]


cdef inline void push(State* state) noexcept nogil:
    """Move the first token of the buffer onto the stack."""
    if state.n_returned:
        state.n_returned -= 1
        state.stack[state.n_stack] = state.returned[state.n_returned]
    else:
        state.stack[state.n_stack] = state.next
        state.next += 1
    state.n_stack += 1


cdef inline void move(State* state, uint8_t kind) noexcept nogil:
    """Do a move."""
    cdef int32_t first = buffered(state, 0), top = stacked(state, 0), head
    if kind == SHIFT:
        push(state)
    elif kind == REDUCE:
        state.n_stack -= 1
        if state.heads[top] < 0 and state.n_stack:
            state.was_returned[top] = True
            state.returned[state.n_returned] = top
            state.n_returned += 1
    elif kind == LEFT:
        head = state.heads[top]
        if head >= 0 and state.right_child[head] == top:
            state.right_child[head] = state.elder[top]
        state.heads[top] = first
        state.left_child[first] = top
        state.was_returned[first] = False
        state.n_stack -= 1
    elif kind == RIGHT:
        state.heads[first] = top
        state.elder[first] = state.right_child[top]
        state.right_child[top] = first
        push(state)
    else:
        state.is_start[buffered(state, 1)] = True
