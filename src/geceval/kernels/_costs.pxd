"""What a path of edits costs, in one integer.

A path is worth, in this order: many edges that match a gold edit, small total length of all
others, few edits among these. One matching edge outweighs any length, and one unit of length
any number of edits.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #define GECEVAL_LENGTH ((int64_t) 1 << 20)
    #define GECEVAL_MATCHING ((int64_t) 1 << 41)
    #define GECEVAL_INFINITE ((int64_t) 1 << 62)
    """
    const int64_t LENGTH "GECEVAL_LENGTH"
    const int64_t MATCHING "GECEVAL_MATCHING"
    const int64_t INFINITE "GECEVAL_INFINITE"
