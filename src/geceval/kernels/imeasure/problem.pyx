# distutils: language = c++
"""The problem to solve, which all parts of the search share and count their steps in."""

cimport cython


@cython.final
cdef class SearchProblem:
    """What to maximize, the counts of the text before, and the steps."""
