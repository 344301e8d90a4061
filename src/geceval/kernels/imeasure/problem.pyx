# distutils: language = c++
"""The problem to solve: what to maximize, after which text, in how many steps.

All parts of the search share it, and count their steps in it.
"""

cimport cython


@cython.final
cdef class SearchProblem:
    """What to maximize, the counts of the text before, and the steps."""
