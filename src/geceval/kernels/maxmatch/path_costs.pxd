"""The cost of a path of edits: a lexicographic order in one integer.

Preferred are, in this order: many edges that match a gold edit, small total length of all
others, few edits among these, few edits that are not dropped, few matching edges that count for
nothing. A unit of each outweighs all that a path can have of what comes after it:

    cost = -matching * (edges that match) + length * (other atomic edges) + edit * (edits)
           + kept * (edits not dropped) + wasted * (matching edges that count for nothing)

The coefficients follow from the size of the sentence; what needs more than 62 bits is refused.
"""

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #define GECEVAL_INFINITE ((int64_t) 1 << 62)
    """
    const int64_t INFINITE "GECEVAL_INFINITE"


cdef struct EdgeCosts:
    int64_t matching
    int64_t length
    int64_t edit
    # Of an edit that is not dropped; 0 where none are.
    int64_t kept
    # Of a matching edge that changes nothing or is dropped.
    int64_t wasted


cdef inline int32_t n_bits(int64_t most) noexcept nogil:
    """How many bits hold the numbers from 0 to `most`."""
    cdef int32_t bits = 0
    while most >> bits:
        bits += 1
    return bits


cdef inline bint set_edge_costs(
    EdgeCosts* costs, int64_t n_steps, int64_t n_gold, bint drops
) noexcept nogil:
    """Set the costs for paths of so many atomic edges; return whether they fit."""
    cdef int32_t for_steps = n_bits(n_steps), for_gold = n_bits(n_gold)
    cdef int32_t edit = for_gold + for_steps * drops
    cdef int32_t matching = edit + 2 * for_steps
    # What cannot be reached costs INFINITE, less what it would match: still more than any path.
    if matching + for_gold > 61:
        return False
    costs.wasted = 1
    costs.kept = (<int64_t> 1 << for_gold) * drops
    costs.edit = <int64_t> 1 << edit
    costs.length = costs.edit << for_steps
    costs.matching = costs.length << for_steps
    return True
