"""The configuration of an arc-eager parser (stack, buffer, arcs), and its transitions.

With s on top of the stack and b first in the buffer (Nivre 2008; spaCy may also replace an arc):

    SHIFT      (S, b|B, A)     ->  (S|b, B, A)
    REDUCE     (S|s, B, A)     ->  (S, B, A)  if s has a head, otherwise (S, s|B, A)
    LEFT_ARC   (S|s, b|B, A)   ->  (S, b|B, A + (b -> s))
    RIGHT_ARC  (S|s, b|B, A)   ->  (S|s|b, B, A + (s -> b))
    BREAK      (S, b|c|B, A)   ->  the same, with c at the start of a sentence
"""

from libc.stdint cimport int32_t, uint8_t

cdef enum:
    SHIFT = 0
    REDUCE = 1
    LEFT_ARC = 2
    RIGHT_ARC = 3
    BREAK = 4
    KINDS = 5


cdef struct Configuration:
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


cdef inline int32_t buffered(const Configuration* parser, int32_t number) noexcept nogil:
    """A token of the buffer, or -1."""
    cdef int32_t token
    if number < parser.n_returned:
        return parser.returned[parser.n_returned - 1 - number]
    token = parser.next + number - parser.n_returned
    return token if token < parser.size else -1


cdef inline int32_t stacked(const Configuration* parser, int32_t number) noexcept nogil:
    """A token of the stack from the top, or -1."""
    return parser.stack[parser.n_stack - 1 - number] if number < parser.n_stack else -1


cdef inline void look_at_context(const Configuration* parser, int32_t* tokens) noexcept nogil:
    """Note the tokens that decide the next transition; -1 is none."""
    cdef int32_t first = buffered(parser, 0), top = stacked(parser, 0)
    tokens[0] = first
    tokens[1] = buffered(parser, 1)
    tokens[2] = top
    tokens[3] = stacked(parser, 1)
    tokens[4] = stacked(parser, 2)
    tokens[5] = parser.left_child[first] if first >= 0 else -1
    tokens[6] = parser.left_child[top] if top >= 0 else -1
    tokens[7] = parser.right_child[top] if top >= 0 else -1


cdef inline void find_valid_transitions(const Configuration* parser, uint8_t* valid) noexcept nogil:
    """Find which kinds of transitions are possible."""
    cdef int32_t first = buffered(parser, 0), second = buffered(parser, 1)
    cdef bint is_start = first >= 0 and parser.is_start[first]
    cdef bint has_stack = parser.n_stack > 0
    valid[SHIFT] = not has_stack or (
        second >= 0 and not is_start and not parser.was_returned[first]
    )
    valid[REDUCE] = has_stack
    valid[LEFT_ARC] = valid[RIGHT_ARC] = has_stack and first >= 0 and not is_start
    valid[BREAK] = second >= 0 and second == first + 1 and not parser.is_start[second]


cdef inline void push(Configuration* parser) noexcept nogil:
    """Move the first token of the buffer onto the stack."""
    if parser.n_returned:
        parser.n_returned -= 1
        parser.stack[parser.n_stack] = parser.returned[parser.n_returned]
    else:
        parser.stack[parser.n_stack] = parser.next
        parser.next += 1
    parser.n_stack += 1


cdef inline void apply_transition(Configuration* parser, uint8_t kind) noexcept nogil:
    """Apply a transition."""
    cdef int32_t first = buffered(parser, 0), top = stacked(parser, 0), head
    if kind == SHIFT:
        push(parser)
    elif kind == REDUCE:
        parser.n_stack -= 1
        if parser.heads[top] < 0 and parser.n_stack:
            parser.was_returned[top] = True
            parser.returned[parser.n_returned] = top
            parser.n_returned += 1
    elif kind == LEFT_ARC:
        head = parser.heads[top]
        if head >= 0 and parser.right_child[head] == top:
            parser.right_child[head] = parser.elder[top]
        parser.heads[top] = first
        parser.left_child[first] = top
        parser.was_returned[first] = False
        parser.n_stack -= 1
    elif kind == RIGHT_ARC:
        parser.heads[first] = top
        parser.elder[first] = parser.right_child[top]
        parser.right_child[top] = first
        push(parser)
    else:
        parser.is_start[buffered(parser, 1)] = True
