"""GLEU of many samples of sentences, each with many samples of references.

Positions of the sample are taken in blocks. What the sentences of a block add is computed once for
each combination of their references, and an iteration adds that of its combination (Arlazarov,
Dinic, Kronrod and Faradzhev, 1970). Which combination that is depends on the position only, so
several samples of sentences are summed together.
"""

from libc.math cimport exp, log
from libc.stdint cimport INT16_MAX, int16_t, int32_t, int64_t, uint16_t
from libc.stdlib cimport llabs
from libc.string cimport memcpy, memset

import numpy as np

from geceval.kernels.interrupt cimport check_stop

cdef extern from "sampled_gleu.h":
    enum: COLUMNS
    enum: AT_ONCE
    enum: LANES
    enum: TABLES
    void add_chosen(
        int16_t* sums,
        const int16_t* tables,
        int64_t size,
        const uint16_t** chosen,
        int64_t n_iterations,
    ) noexcept nogil
    void extend_sums(
        int16_t* sums, int64_t n_sums, const int16_t* differences, int64_t n_refs
    ) noexcept nogil

ctypedef const uint16_t* Combinations

cdef enum:
    # The tables must fit into the first-level cache, beside the sums.
    MAX_COMBINATIONS = 128
    MAX_SIZE = 7  # 2 ** 7 combinations


cdef double gleu_of(
    const int64_t* sampled, const int64_t* always, int64_t n_orders, bint skips_empty
) noexcept nogil:
    """Compute a score.

    Parameters
    ----------
    sampled
        Reference length and numerators, which depend on the sampled references.
    always
        Hypothesis length and denominators, which do not.
    n_orders
        Number of numerators and denominators.
    skips_empty
        Whether an order without n-grams has a precision of 1, and the reference may be empty;
        otherwise the score is 0.
    """
    cdef double product = 1.0, length
    cdef int64_t order
    if always[1] == 0 or (sampled[0] == 0 and not skips_empty):
        return 0.0
    for order in range(1, n_orders + 1):
        if always[order] == 0 and skips_empty:
            continue
        if sampled[order] <= 0 or always[order] == 0:
            return 0.0
        product *= <double> sampled[order] / always[order]
    length = 1.0 - <double> sampled[0] / always[0]
    return exp(min(0.0, length) + log(product) / n_orders)


def _block_size(n_refs, n_iterations):
    """Return the number of positions per block that takes the fewest additions.

    A block costs an addition for each combination of its references, and one for each iteration.
    """
    sizes = [size for size in range(1, MAX_SIZE + 1) if n_refs**size <= MAX_COMBINATIONS]
    return min(sizes, default=1, key=lambda size: (n_refs**size + n_iterations) / size)


def _combinations(choices, n_refs, size):
    """Number the combination of references of each block of positions, in each iteration.

    The references are digits to the base `n_refs`, that of the first position is the lowest.
    """
    combinations = np.zeros((-(-len(choices) // size), choices.shape[1]), dtype=np.uint16)
    for place in range(size):
        own = choices[place::size]
        combinations[: len(own)] += own * np.uint16(n_refs**place)
    return combinations


cdef class SampledReferences:
    """Sampled references, for sentences that have so many of them.

    Parameters
    ----------
    choices
        ``(n_places, n_iterations)``: the sampled reference at each position; not kept.
    n_refs
        Number of references.
    """

    cdef const uint16_t[:, ::1] combinations
    cdef int64_t n_places
    cdef int64_t n_refs
    cdef int64_t block_size
    cdef int64_t n_combinations

    def __init__(self, choices, n_refs):
        if n_refs < 2:
            raise ValueError("there is nothing to sample from less than two references")
        self.n_places = len(choices)
        self.n_refs = n_refs
        self.block_size = _block_size(n_refs, choices.shape[1])
        self.n_combinations = n_refs**self.block_size
        self.combinations = _combinations(choices, n_refs, self.block_size)

    cdef inline int64_t chosen(
        self, int64_t block, int64_t member, int64_t iteration
    ) noexcept nogil:
        """Return the sampled reference of one position of a block: a digit of the combination."""
        cdef int64_t number = self.combinations[block, iteration]
        for _ in range(member):
            number //= self.n_refs
        return number % self.n_refs


cdef class ResampleSums:
    """Sums of some samples of sentences, in each iteration.

    Small sums are emptied into the large ones before they overflow. Tables wait until there are
    enough of them to be added together.
    """

    cdef int16_t[:, ::1] near
    cdef int64_t[:, ::1] far
    cdef int16_t[::1] tables
    cdef int16_t[:, ::1] differences
    # Largest possible absolute value of the small sums, with the tables that wait.
    cdef int64_t reach
    cdef int64_t n_iterations
    cdef int64_t n_waiting
    cdef Combinations[TABLES] chosen

    def __init__(self, int64_t n_iterations, int64_t largest_table, int64_t most_refs):
        self.n_iterations = n_iterations
        self.near = np.zeros((n_iterations, LANES), dtype=np.int16)
        self.far = np.zeros((n_iterations, LANES), dtype=np.int64)
        self.tables = np.zeros(TABLES * largest_table * LANES, dtype=np.int16)
        self.differences = np.zeros((most_refs, LANES), dtype=np.int16)

    cdef int16_t* new_table(self, int64_t size, int64_t reach, Combinations chosen) noexcept nogil:
        """Return the table of the next block, which is still empty."""
        if self.reach + reach > INT16_MAX:
            self.add_waiting(size)
            self.empty_near()
        elif self.n_waiting == TABLES:
            self.add_waiting(size)
        self.reach += reach
        self.chosen[self.n_waiting] = chosen
        self.n_waiting += 1
        return &self.tables[(self.n_waiting - 1) * size * LANES]

    cdef void add_waiting(self, int64_t size) noexcept nogil:
        """Add the tables that wait, all of one size."""
        cdef int64_t table
        if self.n_waiting == 0:
            return
        for table in range(self.n_waiting, TABLES):
            memset(&self.tables[table * size * LANES], 0, size * LANES * sizeof(int16_t))
            self.chosen[table] = self.chosen[0]
        add_chosen(&self.near[0, 0], &self.tables[0], size, self.chosen, self.n_iterations)
        self.n_waiting = 0

    cdef void empty_near(self) noexcept nogil:
        """Move the small sums to the large ones."""
        cdef int64_t iteration, lane
        for iteration in range(self.n_iterations):
            for lane in range(LANES):
                self.far[iteration, lane] += self.near[iteration, lane]
                self.near[iteration, lane] = 0
        self.reach = 0


cdef class SampledGleu:
    """GLEU of many samples of sentences, each with many samples of references.

    Only the reference length and the numerators depend on the sampled reference. They are summed
    as differences from the first reference, which are small: 16 bits suffice for the sums of many
    sentences.

    Parameters
    ----------
    counts
        ``(n_references, 2 + 2 * n_orders)`` as returned by `NgramCounter.gleu`, possibly without
        the columns of the highest orders.
    of_sentence
        References of sentence ``i`` are ``of_sentence[i]:of_sentence[i + 1]``. Sentences without
        any are skipped and have no sample.
    skips_empty
        Whether an order without n-grams has a precision of 1, and references may be empty;
        otherwise the score is 0.
    """

    cdef const int64_t[:, ::1] _counts
    cdef const int64_t[::1] _of_sentence
    cdef bint _skips_empty
    cdef int32_t[:, ::1] _firsts
    cdef int16_t[:, ::1] _differences
    cdef int64_t[::1] _reach
    cdef int64_t _n_orders
    cdef set _numbers

    def __init__(
        self,
        const int64_t[:, ::1] counts,
        const int64_t[::1] of_sentence,
        bint skips_empty = False,
    ):
        cdef int64_t sentence, first, option, column, difference, reach
        self._counts = counts
        self._skips_empty = skips_empty
        self._of_sentence = of_sentence
        self._n_orders = counts.shape[1] // 2 - 1
        if counts.shape[1] % 2 or not 1 <= self._n_orders < COLUMNS:
            raise ValueError("counts must have two columns for lengths and two for each order")
        # Numbers of references to choose from.
        self._numbers = {n for n in np.unique(np.diff(of_sentence)).tolist() if n > 1}
        # Counts of the first references, which are read most often, close together.
        empty = np.zeros((1, counts.shape[1]), dtype=np.int32)
        some = np.concatenate((counts, empty), dtype=np.int32, casting="same_kind")
        self._firsts = some[np.asarray(of_sentence)[: of_sentence.shape[0] - 1]]
        self._differences = np.zeros((counts.shape[0] + 1, COLUMNS), dtype=np.int16)
        # Largest difference; 0 if all references are equivalent.
        self._reach = np.zeros(of_sentence.shape[0], dtype=np.int64)
        with nogil:
            for sentence in range(of_sentence.shape[0] - 1):
                first = of_sentence[sentence]
                reach = 0
                for option in range(first + 1, of_sentence[sentence + 1]):
                    for column in range(self._n_orders + 1):
                        difference = counts[option, 1 + column] - counts[first, 1 + column]
                        reach = max(reach, llabs(difference))
                        self._differences[option, column] = <int16_t> difference
                self._reach[sentence] = reach

    def scores(
        self, list samples not None, int64_t n_iterations, const int64_t[:, ::1] rows
    ):
        """Score samples of sentences.

        Parameters
        ----------
        samples
            `SampledReferences` for each number of references, above 1, that sentences have.
        n_iterations
            Number of samples of references.
        rows
            ``(n_resamples, n_sents)``: sentences.

        Returns
        -------
        scores
            ``(n_resamples, n_iterations)``.
        """
        cdef int64_t first, size, largest_table = 0, most_refs = 0
        cdef ResampleSums sums
        cdef SampledReferences sampled
        result = np.zeros((rows.shape[0], n_iterations))
        cdef double[:, ::1] scores = result
        cdef int64_t[:, ::1] always = np.zeros((AT_ONCE, COLUMNS), dtype=np.int64)
        cdef int64_t[:, ::1] annotated = np.zeros((AT_ONCE, rows.shape[1]), dtype=np.int64)
        cdef int64_t[AT_ONCE] n_annotated
        if not rows.shape[0] or not rows.shape[1] or not n_iterations:
            return result
        if np.min(rows) < 0 or np.max(rows) >= self._of_sentence.shape[0] - 1:
            raise IndexError("rows must be sentences of the corpus")
        sampled_numbers = {(<SampledReferences> one).n_refs for one in samples}
        if not self._numbers <= sampled_numbers:
            raise ValueError("each number of references must have sampled references")
        for sampled in samples:
            if sampled.n_places < rows.shape[1] or sampled.combinations.shape[1] != n_iterations:
                raise ValueError("each position and iteration must have a sampled reference")
            largest_table = max(largest_table, sampled.n_combinations)
            most_refs = max(most_refs, sampled.n_refs)
        sums = ResampleSums(n_iterations, largest_table, most_refs)
        for first in range(0, rows.shape[0], AT_ONCE):
            size = min(<int64_t> AT_ONCE, rows.shape[0] - first)
            check_stop(n_iterations * rows.shape[1] * size)
            self._begin(rows[first : first + size], sums, always, annotated, n_annotated)
            for sampled in samples:
                with nogil:
                    self._add_sampled(sampled, annotated, n_annotated, size, sums)
            with nogil:
                self._finish(sums, always, scores[first : first + size])
        return result

    cdef void _begin(
        self,
        const int64_t[:, ::1] rows,
        ResampleSums sums,
        int64_t[:, ::1] always,
        int64_t[:, ::1] annotated,
        int64_t* n_annotated,
    ) noexcept nogil:
        """Sum what does not depend on samples of references, and find annotated sentences."""
        cdef int64_t resample, number, row, order, column, iteration
        cdef int64_t[2 * COLUMNS] totals
        cdef int64_t[LANES] base
        memset(base, 0, sizeof(base))
        for resample in range(rows.shape[0]):
            n_annotated[resample] = 0
            memset(totals, 0, sizeof(totals))
            for number in range(rows.shape[1]):
                row = rows[resample, number]
                if self._of_sentence[row] == self._of_sentence[row + 1]:
                    continue
                annotated[resample, n_annotated[resample]] = row
                n_annotated[resample] += 1
                for column in range(self._firsts.shape[1]):
                    totals[column] += self._firsts[row, column]
            always[resample, 0] = totals[0]
            base[resample * COLUMNS] = totals[1]
            for order in range(1, self._n_orders + 1):
                base[resample * COLUMNS + order] = totals[1 + order]
                always[resample, order] = totals[1 + self._n_orders + order]
        for iteration in range(sums.n_iterations):
            memcpy(&sums.far[iteration, 0], base, sizeof(base))

    cdef void _add_sampled(
        self,
        SampledReferences sampled,
        const int64_t[:, ::1] annotated,
        const int64_t* n_annotated,
        int64_t n_resamples,
        ResampleSums sums,
    ) noexcept nogil:
        """Add the differences of all sentences that have so many references."""
        cdef int64_t block, place, resample, row, own, reach, member, n_known
        cdef int64_t size = sampled.block_size
        cdef int64_t[AT_ONCE][MAX_SIZE] members
        cdef int16_t* table
        for block in range((annotated.shape[1] + size - 1) // size):
            reach = 0
            for resample in range(n_resamples):
                own = 0
                for member in range(size):
                    place = block * size + member
                    row = annotated[resample, place] if place < n_annotated[resample] else -1
                    if row >= 0 and not self._varies(row, sampled.n_refs):
                        row = -1
                    members[resample][member] = row
                    own += self._reach[row] if row >= 0 else 0
                if own > INT16_MAX:
                    self._add_far(sampled, members[resample], block, resample, sums)
                    own = 0
                reach = max(reach, own)
            if reach == 0:
                continue
            table = sums.new_table(sampled.n_combinations, reach, &sampled.combinations[block, 0])
            memset(table, 0, LANES * sizeof(int16_t))
            n_known = 1
            for member in range(size):
                self._look_up(sampled.n_refs, members, member, n_resamples, sums)
                extend_sums(table, n_known, &sums.differences[0, 0], sampled.n_refs)
                n_known *= sampled.n_refs
        sums.add_waiting(sampled.n_combinations)
        sums.empty_near()

    cdef inline bint _varies(self, int64_t row, int64_t n_refs) noexcept nogil:
        """Whether a sentence has so many references, and they are not equivalent."""
        cdef int64_t own = self._of_sentence[row + 1] - self._of_sentence[row]
        return own == n_refs and self._reach[row] > 0

    cdef inline void _look_up(
        self,
        int64_t n_refs,
        int64_t[AT_ONCE][MAX_SIZE] members,
        int64_t member,
        int64_t n_resamples,
        ResampleSums sums,
    ) noexcept nogil:
        """Put the differences of one sentence of each resample side by side."""
        cdef int64_t resample, ref, row
        for ref in range(1, n_refs):
            memset(&sums.differences[ref, 0], 0, LANES * sizeof(int16_t))
        for resample in range(n_resamples):
            row = members[resample][member]
            if row < 0:
                continue
            for ref in range(1, n_refs):
                memcpy(
                    &sums.differences[ref, resample * COLUMNS],
                    &self._differences[self._of_sentence[row] + ref, 0],
                    COLUMNS * sizeof(int16_t),
                )

    cdef void _add_far(
        self,
        SampledReferences sampled,
        int64_t* members,
        int64_t block,
        int64_t resample,
        ResampleSums sums,
    ) noexcept nogil:
        """Add differences that 16 bits cannot hold, and forget their sentences."""
        cdef int64_t member, first, iteration, column, chosen
        for member in range(sampled.block_size):
            if members[member] < 0:
                continue
            first = self._of_sentence[members[member]]
            members[member] = -1
            for iteration in range(sums.n_iterations):
                chosen = first + sampled.chosen(block, member, iteration)
                for column in range(self._n_orders + 1):
                    sums.far[iteration, resample * COLUMNS + column] += (
                        self._counts[chosen, 1 + column] - self._counts[first, 1 + column]
                    )

    cdef void _finish(
        self, ResampleSums sums, const int64_t[:, ::1] always, double[:, ::1] scores
    ) noexcept nogil:
        """Compute the scores of the sums."""
        cdef int64_t resample, iteration
        for resample in range(scores.shape[0]):
            for iteration in range(sums.n_iterations):
                scores[resample, iteration] = gleu_of(
                    &sums.far[iteration, resample * COLUMNS],
                    &always[resample, 0],
                    self._n_orders,
                    self._skips_empty,
                )
