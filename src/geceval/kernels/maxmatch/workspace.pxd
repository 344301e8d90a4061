"""The gold edits of one annotator, and the memory of one thread that matches them."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free

from geceval.kernels.maxmatch.edit_lattice cimport EditLattice, release_lattice
from geceval.kernels.maxmatch.path_costs cimport EdgeCosts


cdef struct GoldEdge:
    int32_t start
    int32_t end
    # The gold edit that it equals; -1 for an edit that is dropped.
    int32_t gold
    int64_t cost
    # Among the gold insertions of this row; -1 for any other edit.
    int32_t rank
    int32_t next


cdef struct Gold:
    # The edits of one annotator for one sentence.
    int32_t n_edits
    const int32_t* starts
    const int32_t* ends
    const int64_t* options
    const int64_t* option_offsets
    const int32_t* option_tokens


cdef struct Letters:
    # The letters of token `t`, without case, are letters[offsets[t]:offsets[t + 1]]; NULL where
    # case counts.
    const int32_t* letters
    const int64_t* offsets


cdef struct Spelling:
    # The letters of a sentence, where case is ignored, and how many end with each token.
    int32_t* letters
    size_t size
    int64_t* ends
    size_t ends_size


cdef struct MatchWorkspace:
    # Everything that one thread needs; memory is grown, never shrunk.
    EditLattice lattice
    EdgeCosts costs
    Letters letters
    Spelling source_text
    Spelling hypothesis_text
    # Steps that the search for edges may still take for this sentence.
    int64_t steps_left
    bint is_too_large
    int32_t max_unchanged
    # Whether an edit that equals a gold edit may keep any number of words.
    bint match_long
    # Outside of an edit, or inside with 0, 1, … unchanged words.
    int32_t n_states
    # Gold edges of the annotator at hand, first one ending in each cell or -1, and the
    # number of gold insertions of each row.
    GoldEdge* edges
    int32_t n_edges
    size_t edges_size
    int32_t* edges_to
    size_t edges_to_size
    int32_t* insertions_at
    size_t insertions_size
    # Which source tokens a gold edit repeats, and how many of them.
    uint8_t* repeated
    size_t repeated_size
    int32_t n_repeated
    # Costs: the best of each cell and state, and for rows with gold insertions
    # also by how many of these are used up.
    int64_t* best
    size_t best_size
    int64_t* by_used
    size_t by_used_size
    int64_t* used_offsets
    size_t used_offsets_size
    # Scratch for the paths between two cells.
    int32_t* fewest
    size_t fewest_size
    # Extracted edits of the path at hand, last first.
    int32_t* path
    int32_t n_path
    size_t path_size
    bint failed
    bint is_lost


cdef inline void release(MatchWorkspace* work) noexcept nogil:
    release_lattice(&work.lattice)
    free(work.edges)
    free(work.edges_to)
    free(work.insertions_at)
    free(work.repeated)
    free(work.source_text.letters)
    free(work.source_text.ends)
    free(work.hypothesis_text.letters)
    free(work.hypothesis_text.ends)
    free(work.best)
    free(work.by_used)
    free(work.used_offsets)
    free(work.fewest)
    free(work.path)
