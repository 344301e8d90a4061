"""Edges of the lattice that equal a gold edit, or that are dropped."""

from geceval.kernels.maxmatch.workspace cimport Gold, MatchWorkspace


cdef void prepare(MatchWorkspace* work) noexcept nogil
cdef void add_gold_edges(MatchWorkspace* work, Gold* gold) noexcept nogil
