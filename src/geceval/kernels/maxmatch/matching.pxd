"""The best path of edits: the one that agrees most with the gold edits of one annotator."""

from libc.stdint cimport int32_t, int64_t

from geceval.kernels.maxmatch.workspace cimport Gold, MatchWorkspace


cdef int64_t shortest_path(MatchWorkspace* work) noexcept nogil
cdef void trace_back(MatchWorkspace* work) noexcept nogil
cdef int32_t scan(MatchWorkspace* work, Gold* gold) noexcept nogil
cdef bint is_sorted(Gold* gold) noexcept nogil
