# distutils: language = c++
"""The reference that is best for a hypothesis, out of a lattice with any number of them.

Scoring every path of the lattice is out of the question. What a prefix of a path means for
everything after it is only how much cheaper the alignment is at one cell (source and hypothesis
position) than at another: its *profile*. Prefixes with the same profile at the same node share
one *state*, and there are few of these, because few cells can lie on an optimal alignment at all.
Each step has a module of its own, with its recurrence at the top:

1. ``carrillo_lipman``: the cells that an optimal alignment may pass at all.
2. ``token_lattice``: the lattice with one token on each edge, and a pivot cell at each node.
3. ``bounds``: lower bounds, backwards over the lattice, of what the rest of an alignment costs;
   and, for 7, upper bounds of its objective.
4. ``state_graph``: states and the arcs between them, forwards.
5. ``dinkelbach``: the best ratio of counts over all paths.
6. ``pareto``: the best of the references that reach it; ``source_alignment`` extends the
   alignment of the source itself along the same paths.
7. Where a node has more states than a beam, here: beam search finds a good reference, whose ratio
   is a lower bound; branch and bound then prunes the states whose upper bound is below it.

Every loop counts its steps, and none goes on when more were taken than allowed. The limit is one
for all stages of a sentence: each may take a share of the steps that are left, so that some remain
for the next. A sentence that would take more gets the best reference that was found; its score is
a lower bound.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy as np

from geceval.kernels.imeasure.bounds cimport Bounds
from geceval.kernels.imeasure.carrillo_lipman cimport Region
from geceval.kernels.imeasure.column_counts cimport (
    BY_I,
    MOST_COLUMNS,
    ColumnCounts,
    Fraction,
    Criterion,
    RankingKey,
    lowest_key,
    plus,
    ranking_key,
    ranks_higher,
    unchanged,
)
from geceval.kernels.imeasure.dinkelbach cimport Dinkelbach
from geceval.kernels.imeasure.pareto cimport ParetoFront
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.source_alignment cimport SourceAlignment
from geceval.kernels.imeasure.state_graph cimport StateGraph
from geceval.kernels.imeasure.sum_of_pairs cimport GAP
from geceval.kernels.imeasure.token_lattice cimport WordLattice, TokenLattice, longest_path
from geceval.kernels.interrupt cimport check_stop

# What is known about a sentence.
cdef enum:
    EXACT
    BOUND
    FAILED

# TP, TN, FP, FN, FPN, then TN and FN of the source itself.
cdef enum:
    N_COUNTS = 7


cdef class Solver:
    """Solves one sentence after the other; keeps its memory."""

    cdef SearchProblem problem
    cdef Region cells
    cdef TokenLattice lattice
    cdef Bounds bounds
    cdef StateGraph states
    cdef Dinkelbach best
    cdef SourceAlignment baseline
    cdef ParetoFront front
    # Columns of the longest alignment.
    cdef int64_t n_columns

    def __init__(self, SearchProblem problem):
        self.problem = problem
        self.cells = Region()
        self.lattice = TokenLattice(problem, self.cells)
        self.bounds = Bounds(problem, self.lattice)
        self.states = StateGraph(problem, self.bounds)
        self.best = Dinkelbach(problem, self.states)
        self.baseline = SourceAlignment(problem, self.lattice)
        self.front = ParetoFront(problem, self.best, self.baseline)

    cdef int solve(
        self,
        const int32_t* source,
        int32_t n,
        const int32_t* hypothesis,
        int32_t m,
        const WordLattice* word_lattice,
    ) except -1 nogil:
        """Find the best reference of a sentence; return what is known then."""
        cdef int32_t status
        self.n_columns = n + <int64_t> m + longest_path(word_lattice)
        if self.n_columns > MOST_COLUMNS:
            return FAILED
        self.problem.count((n + 1) * <int64_t> (m + 1))
        self.cells.prepare(source, n, hypothesis, m)
        self.lattice.place_nodes(word_lattice)
        if not self.bounds.fit():
            return FAILED
        self.problem.allow(1)
        if not self.lattice.prepare(word_lattice) or not self.bounds.find():
            return FAILED
        self.baseline.find_bounds()
        self.problem.allow(4)
        if not self.states.build(False, 0):
            return self._branch_and_bound()
        status = self._find_best()
        if self.problem.criterion.metric == BY_I and status == EXACT:
            self._set_lambda_of_i()
            self.best.find_completions()
            status = self._choose()
        return status

    cdef int _find_best(self) except -1 nogil:
        """Find the best ratio and settle its ties. Without steps for the one, none are left for the
        other, which then takes any path."""
        self.problem.allow(1)
        self.best.find()
        return self._choose()

    cdef int _choose(self) except -1 nogil:
        self.problem.allow(1)
        return EXACT if self.front.choose() else BOUND

    cdef int _branch_and_bound(self) except -1 nogil:
        """Find a good reference by beams, then look for better ones where there may be any."""
        self.best.set_lambda(9, 10)
        if not self._beam_search() or not self._beam_search():
            return FAILED
        if self.problem.criterion.metric == BY_I:
            self.problem.allow(4)
            self.front.choose()
            self._set_lambda_of_i()
        self.problem.allow(2)
        if not self._find_upper_bounds() or not self.states.build(True, 0):
            if not self._beam_search():
                return FAILED
            self._choose()
            return BOUND
        if self.problem.criterion.metric == BY_I:
            self.best.find_completions()
            return self._choose()
        return self._find_best()

    cdef bint _beam_search(self) except -1 nogil:
        """Look for a good reference, in a narrower beam as long as a wide one takes too much."""
        cdef int32_t beam = self.problem.beam_width
        self.problem.allow(2)
        if not self._find_upper_bounds():
            return False
        while beam:
            self.problem.allow(8)
            if self.states.build(True, beam):
                self.problem.allow(1)
                return self.best.find()
            beam //= 4
        return False

    cdef bint _find_upper_bounds(self) except -1 nogil:
        return self.bounds.find_upper_bounds(&self.best.objective, self.n_columns)

    cdef void _set_lambda_of_i(self) noexcept nogil:
        """Set the WAcc that a reference needs to have an I as high as the chosen one.

        No more columns of the source's own alignment can be wrong than the longest detour
        pays for, so its WAcc has a lower limit.
        """
        cdef Fraction i = self.problem.total_key(self.front.counts, self.front.base).values[0]
        cdef double base, needed, reached, wrong = <double> (self.baseline.detour // GAP)
        cdef double kept = self.problem.base_before.tn + max(0, self.cells.n - wrong)
        base = kept / (kept + self.problem.base_before.fn + wrong) if kept > 0 else 0.0
        reached = <double> i.numerator / <double> i.denominator
        if reached >= 0:
            needed = 1 - (1 - reached) * (1 - base)
        else:
            needed = (1 + reached) * base
        needed = max(0.0, needed * (1 - 1e-9) - 1e-9)
        self.best.set_lambda(<int64_t> (needed * (1 << 20)), 1 << 20)


def best_references(
    const int32_t[::1] sources,
    const int64_t[::1] source_offsets,
    const int32_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const int64_t[::1] nodes,
    const int32_t[::1] positions,
    const int64_t[::1] edges,
    const int32_t[::1] starts,
    const int32_t[::1] ends,
    const int32_t[::1] words,
    const int64_t[::1] word_offsets,
    int64_t first,
    int64_t last,
    int metric,
    bint detection,
    tuple weight,
    tuple beta,
    const int64_t[::1] totals,
    const int64_t[::1] taken,
    int64_t limit,
    int beam_width=100,
):
    """Find the best reference of the sentences ``first`` to ``last``.

    Parameters
    ----------
    sources, source_offsets, hypotheses, hypothesis_offsets
        Interned sentences.
    nodes
        Nodes of the lattice of sentence ``i`` are ``nodes[i]:nodes[i + 1]``, counted from
        `first`; so are the edges.
    positions
        Source tokens before each node.
    edges, starts, ends
        Edges of each lattice, sorted by the node they start from, counted within the sentence.
    words, word_offsets
        Interned words of the edges.
    metric, detection
        What to maximize: the place in TP, TN, FP, FN, precision, recall, F, Acc, WAcc, I.
    weight, beta
        Fractions ``(numerator, denominator)``.
    totals
        Seven counts of the text before, all 0 where each sentence stands for itself.
    taken
        Steps that making the lattice of each sentence took.
    limit
        Steps for one sentence, with those that were taken.
    beam_width
        With more states than this at one node the sentence is hard, and beams are this wide.

    Returns
    -------
    counts
        ``(n_sents, 7)``: TP, TN, FP, FN, FPN, then TN and FN of the source itself.
    status
        0 where the result is exact, 1 where it is a lower bound, 2 where nothing was found.
    references, reference_offsets
        The chosen references.
    steps
        Steps that were taken for each sentence.
    """
    cdef SearchProblem problem = SearchProblem()
    cdef Solver solver = Solver(problem)
    cdef WordLattice word_lattice
    cdef int64_t sentence, row, source, hypothesis, n_sents = last - first
    cdef vector[int32_t] chosen
    counts_array = np.zeros((n_sents, N_COUNTS), dtype=np.int64)
    status_array = np.zeros(n_sents, dtype=np.uint8)
    offsets_array = np.zeros(n_sents + 1, dtype=np.int64)
    steps_array = np.zeros(n_sents, dtype=np.int64)
    cdef int64_t[:, ::1] counts = counts_array
    cdef uint8_t[::1] status = status_array
    cdef int64_t[::1] steps = steps_array
    cdef int64_t[::1] offsets = offsets_array
    problem.criterion = criterion_of(metric, detection, weight, beta)
    problem.limit = limit
    problem.beam_width = max(1, beam_width)
    problem.before = counts_at(&totals[0])
    problem.base_before = base_at(&totals[0])
    word_lattice.words = &words[0] if words.shape[0] else NULL
    with nogil:
        for sentence in range(first, last):
            row = sentence - first
            source = source_offsets[sentence]
            hypothesis = hypothesis_offsets[sentence]
            word_lattice.positions = &positions[nodes[row]]
            word_lattice.n_positions = <int32_t> (nodes[row + 1] - nodes[row])
            word_lattice.starts = &starts[edges[row]]
            word_lattice.ends = &ends[edges[row]]
            word_lattice.word_offsets = &word_offsets[edges[row]]
            word_lattice.n_edges = edges[row + 1] - edges[row]
            problem.steps = taken[row]
            status[row] = solver.solve(
                &sources[0] + source if sources.shape[0] else NULL,
                <int32_t> (source_offsets[sentence + 1] - source),
                &hypotheses[0] + hypothesis if hypotheses.shape[0] else NULL,
                <int32_t> (hypothesis_offsets[sentence + 1] - hypothesis),
                &word_lattice,
            )
            steps[row] = problem.steps
            if status[row] != FAILED:
                write_counts(&counts[row, 0], solver.front.counts, solver.front.base)
                chosen.insert(
                    chosen.end(), solver.front.reference.begin(), solver.front.reference.end()
                )
            offsets[row + 1] = chosen.size()
    references_array = np.empty(chosen.size(), dtype=np.int32)
    cdef int32_t[::1] references = references_array
    if chosen.size():
        memcpy(&references[0], chosen.data(), chosen.size() * sizeof(int32_t))
    return counts_array, status_array, references_array, offsets_array, steps_array


def choose_references(
    const int64_t[:, :, ::1] counts,
    const uint8_t[:, ::1] mask,
    const int64_t[:, ::1] rows,
    int metric,
    bint detection,
    tuple weight,
    tuple beta,
    bint running,
):
    """Choose one of a few references for each sentence, in many choices of sentences.

    Parameters
    ----------
    counts
        ``(n_sents, n_refs, 7)``, as `best_references` returns them.
    mask
        ``(n_sents, n_refs)``: which references there are.
    rows
        ``(n_resamples, n_rows)``: sentences.
    metric, detection, weight, beta
        As for `best_references`.
    running
        Whether the totals up to and with the sentence are compared, not the sentence alone.

    Returns
    -------
    totals
        ``(n_resamples, 7)``.
    chosen
        ``(n_rows,)``: the references chosen in the last resample, -1 where there is none.
    """
    cdef Criterion criterion = criterion_of(metric, detection, weight, beta)
    cdef int64_t sample, place, row, reference, best, n_refs = counts.shape[1]
    cdef ColumnCounts before, base_before, total, base
    cdef RankingKey here, highest
    totals_array = np.zeros((rows.shape[0], N_COUNTS), dtype=np.int64)
    chosen_array = np.full(rows.shape[1], -1, dtype=np.int64)
    cdef int64_t[:, ::1] totals = totals_array
    cdef int64_t[::1] chosen = chosen_array
    if rows.size and (np.min(rows) < 0 or np.max(rows) >= counts.shape[0]):
        raise IndexError("rows must be sentences of the corpus")
    with nogil:
        for sample in range(rows.shape[0]):
            before = base_before = unchanged(0, 0)
            for place in range(rows.shape[1]):
                row = rows[sample, place]
                check_stop(16 * n_refs)
                best = -1
                highest = lowest_key()
                for reference in range(n_refs):
                    if not mask[row, reference]:
                        continue
                    total = counts_at(&counts[row, reference, 0])
                    base = base_at(&counts[row, reference, 0])
                    if running:
                        total = plus(before, total)
                        base = plus(base_before, base)
                    here = ranking_key(&criterion, total, base)
                    if ranks_higher(&here, &highest):
                        best = reference
                        highest = here
                chosen[place] = best
                if best >= 0:
                    before = plus(before, counts_at(&counts[row, best, 0]))
                    base_before = plus(base_before, base_at(&counts[row, best, 0]))
            write_counts(&totals[sample, 0], before, base_before)
    return totals_array, chosen_array


cdef Criterion criterion_of(int metric, bint detection, tuple weight, tuple beta):
    cdef Criterion criterion
    criterion.metric = metric
    criterion.detection = detection
    criterion.weight_numerator, criterion.weight_denominator = weight
    criterion.beta_numerator, criterion.beta_denominator = beta
    return criterion


cdef ColumnCounts counts_at(const int64_t* row) noexcept nogil:
    cdef ColumnCounts counts
    counts.tp = row[0]
    counts.tn = row[1]
    counts.fp = row[2]
    counts.fn = row[3]
    counts.fpn = row[4]
    return counts


cdef ColumnCounts base_at(const int64_t* row) noexcept nogil:
    return unchanged(row[5], row[6])


cdef void write_counts(int64_t* row, ColumnCounts counts, ColumnCounts base) noexcept nogil:
    row[0] = counts.tp
    row[1] = counts.tn
    row[2] = counts.fp
    row[3] = counts.fn
    row[4] = counts.fpn
    row[5] = base.tn
    row[6] = base.fn
