"""The best path of edits when a right span, or any overlap with a gold edit, is enough."""

from libc.stdint cimport int32_t, int64_t

from geceval.kernels.maxmatch.edit_lattice cimport EditLattice
from geceval.kernels.maxmatch.path_costs cimport EdgeCosts

cdef enum:
    CORRECTION = 0
    RECOGNITION = 1
    DETECTION = 2


cdef struct LevelWorkspace:
    # Costs and where they came from, by cell, gold edits passed, and state.
    int64_t* costs
    size_t costs_size
    int32_t* backpointers
    size_t backpointers_size
    # Gold edits inside the sentence, sorted by span.
    int32_t* order
    size_t order_size
    int32_t n_gold
    bint failed
    # How many entries the tables may have, and whether they would have more.
    int64_t max_entries
    bint is_too_large


cdef void release_levels(LevelWorkspace* work) noexcept nogil
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
) noexcept nogil
cdef int32_t trace_level_path(
    LevelWorkspace* work, EditLattice* lattice, int32_t level, int32_t max_unchanged, int32_t* path
) noexcept nogil
