"""Whether a kernel that runs long should stop: a signal arrived, or nobody waits for it."""

from libc.stdint cimport int64_t

# Count steps, each of some nanoseconds, and look once in a while whether to stop. A kernel that
# is asked to stop clears up, returns, and calls `raise_stopped`.
cdef bint should_stop(int64_t steps) noexcept nogil
cdef int raise_stopped() except -1

# Both at once, for functions that may raise.
cdef int check_stop(int64_t steps) except -1 nogil
