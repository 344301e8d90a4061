"""GLEU of many samples of sentences, each with many samples of references."""

from libc.math cimport exp, log
from libc.stdint cimport INT16_MAX, int16_t, int64_t, uint16_t
from libc.stdlib cimport llabs
from libc.string cimport memset

import numpy as np

from geceval.kernels.interrupt cimport check_stop

cdef extern from *:
    """
    /* A length and four numerators, filled up to a vector register of 16-bit numbers. */
    #define WIDTH 8
    typedef int16_t packed __attribute__((vector_size(2 * WIDTH), aligned(2), may_alias));

    static void add_chosen(
        int16_t *sums, const int16_t *options, const uint16_t *chosen, int64_t n_iterations)
    {
        packed *target = (packed *) sums;
        const packed *source = (const packed *) options;
        for (int64_t i = 0; i < n_iterations; i++) target[i] += source[chosen[i]];
    }

    /* Continue the sums of some sentences by each reference of the next one. The first reference
       adds nothing, without differences neither do the others. */
    static void extend_sums(
        int16_t *sums, int64_t n_sums, const int16_t *differences, int64_t n_refs)
    {
        packed *known = (packed *) sums;
        for (int64_t ref = 1; ref < n_refs; ref++) {
            packed own = {0};
            if (differences) own = ((const packed *) differences)[ref];
            for (int64_t i = 0; i < n_sums; i++) known[ref * n_sums + i] = known[i] + own;
        }
    }
    """
    enum: WIDTH
    void add_chosen(
        int16_t* sums, const int16_t* options, const uint16_t* chosen, int64_t n_iterations
    ) noexcept nogil
    void extend_sums(
        int16_t* sums, int64_t n_sums, const int16_t* differences, int64_t n_refs
    ) noexcept nogil

cdef enum:
    ORDERS = 4
    # The sums of a block of sentences must fit into the first-level cache.
    MAX_COMBINATIONS = 512
    MAX_SIZE = 9  # 2 ** 9 combinations


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


cdef struct Samples:
    # Sampled references (n_tables, n_places, n_iterations), and the table for each number of them.
    const uint16_t* choices
    const int64_t* table_of
    int64_t n_places
    int64_t n_iterations
    # Blocks of positions, and the combination of references in each (n_blocks, n_iterations): the
    # references of its positions are digits to the base n_refs, the first one is the lowest.
    const uint16_t* combinations
    int64_t block_size
    int64_t n_refs


cdef inline const uint16_t* chosen_at(
    const Samples* samples, int64_t n_refs, int64_t place
) noexcept nogil:
    """Return the sampled references at a position, for a sentence with `n_refs` of them."""
    cdef int64_t table = samples.table_of[n_refs]
    return samples.choices + (table * samples.n_places + place) * samples.n_iterations


def _block_size(n_refs, n_iterations):
    """Return the number of positions per block that takes the fewest additions.

    A block costs an addition for each combination of its references, and one for each iteration.
    """
    sizes = [size for size in range(1, MAX_SIZE + 1) if n_refs**size <= MAX_COMBINATIONS]
    return min(sizes, default=1, key=lambda size: (n_refs**size + n_iterations) / size)


def _combinations(choices, n_refs, size):
    """Number the combination of references of each block of positions, in each iteration."""
    combinations = np.zeros((-(-len(choices) // size), choices.shape[1]), dtype=np.uint16)
    for place in range(size):
        own = choices[place::size]
        combinations[: len(own)] += own * np.uint16(n_refs**place)
    return combinations


cdef struct IterationSums:
    # Of each iteration: small sums, which are emptied into the large ones before they overflow.
    int16_t* near
    int64_t* far
    int64_t n_iterations
    # Largest possible absolute value of the small sums.
    int64_t reach


cdef void empty_near(IterationSums* sums) noexcept nogil:
    """Move the small sums to the large ones."""
    cdef int64_t number
    for number in range(sums.n_iterations * WIDTH):
        sums.far[number] += sums.near[number]
        sums.near[number] = 0
    sums.reach = 0


cdef void add_near(
    IterationSums* sums, int64_t reach, const int16_t* options, const uint16_t* chosen
) noexcept nogil:
    """Add the chosen option in each iteration."""
    if sums.reach + reach > INT16_MAX:
        empty_near(sums)
    sums.reach += reach
    add_chosen(sums.near, options, chosen, sums.n_iterations)


cdef class SampledGleu:
    """GLEU of many samples of sentences, each with many samples of references.

    Only the reference length and the numerators depend on the sampled reference. They are summed
    as differences from the first reference, which are small: 16 bits suffice for the sums of many
    sentences, and an iteration is one vector addition. If all sentences with a choice have the same
    number of references, the sums of some consecutive sentences are computed once for each
    combination of references, and an iteration adds that of its combination.

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
    cdef int16_t[:, ::1] _differences
    cdef int64_t[::1] _reach
    cdef int64_t _n_orders

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
        if counts.shape[1] % 2 or not 1 <= self._n_orders <= ORDERS:
            raise ValueError("counts must have two columns for lengths and two for each order")
        self._differences = np.zeros((counts.shape[0] + 1, WIDTH), dtype=np.int16)
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
        self,
        const uint16_t[:, :, ::1] choices,
        const int64_t[::1] table_of,
        const int64_t[:, ::1] rows,
    ):
        """Score samples of sentences.

        Parameters
        ----------
        choices
            ``(n_tables, n_places, n_iterations)``: the sampled reference at each position, one
            table for each number of references that occurs.
        table_of
            Table for each number of references.
        rows
            ``(n_resamples, n_sents)``: sentences.

        Returns
        -------
        scores
            ``(n_resamples, n_iterations)``.
        """
        cdef int64_t n_iterations = choices.shape[2], resample
        cdef int64_t n_refs = table_of.shape[0] - 1, block_size = 1
        result = np.zeros((rows.shape[0], n_iterations))
        cdef double[:, ::1] scores = result
        cdef int16_t[::1] near = np.zeros(n_iterations * WIDTH, dtype=np.int16)
        cdef int64_t[::1] far = np.zeros(n_iterations * WIDTH, dtype=np.int64)
        cdef const uint16_t[:, ::1] combinations
        cdef Samples samples
        cdef IterationSums sums
        if not rows.shape[0] or not rows.shape[1] or not n_iterations:
            return result
        if np.min(rows) < 0 or np.max(rows) >= self._of_sentence.shape[0] - 1:
            raise IndexError("rows must be sentences of the corpus")
        if choices.shape[0] == 1:
            block_size = _block_size(n_refs, n_iterations)
        numbers = np.asarray(choices[0] if block_size > 1 else choices[:0, 0])
        combinations = _combinations(numbers, n_refs, block_size)
        memset(&samples, 0, sizeof(samples))
        if choices.shape[0]:
            samples.choices = &choices[0, 0, 0]
        if combinations.shape[0]:
            samples.combinations = &combinations[0, 0]
        samples.table_of = &table_of[0]
        samples.n_places = choices.shape[1]
        samples.n_iterations = n_iterations
        samples.block_size = block_size
        samples.n_refs = n_refs
        sums = IterationSums(&near[0], &far[0], n_iterations, 0)
        with nogil:
            for resample in range(rows.shape[0]):
                check_stop(n_iterations * rows.shape[1])
                self._score(&samples, rows[resample], &sums, &scores[resample, 0])
        return result

    cdef void _score(
        self, const Samples* samples, const int64_t[::1] rows, IterationSums* sums, double* scores
    ) noexcept nogil:
        """Score one choice of sentences with all samples of references."""
        cdef int64_t number, row, first, n_refs, order, i, place = 0, n_open = 0
        cdef int64_t always[ORDERS + 1]
        cdef int64_t base[ORDERS + 1]
        cdef int64_t block[MAX_SIZE]
        memset(always, 0, sizeof(always))
        memset(base, 0, sizeof(base))
        memset(sums.far, 0, sums.n_iterations * WIDTH * sizeof(int64_t))
        for number in range(rows.shape[0]):
            row = rows[number]
            first = self._of_sentence[row]
            n_refs = self._of_sentence[row + 1] - first
            if not n_refs:
                continue
            always[0] += self._counts[first, 0]
            base[0] += self._counts[first, 1]
            for order in range(1, self._n_orders + 1):
                base[order] += self._counts[first, 1 + order]
                always[order] += self._counts[first, 1 + self._n_orders + order]
            block[n_open] = row
            n_open += 1
            if n_open == samples.block_size:
                self._add_block(samples, block, n_open, place, sums)
                place += n_open
                n_open = 0
        self._add_block(samples, block, n_open, place, sums)
        empty_near(sums)
        for i in range(sums.n_iterations):
            for order in range(self._n_orders + 1):
                sums.far[i * WIDTH + order] += base[order]
            scores[i] = gleu_of(
                &sums.far[i * WIDTH], always, self._n_orders, self._skips_empty
            )

    cdef void _add_block(
        self,
        const Samples* samples,
        const int64_t* block,
        int64_t size,
        int64_t place,
        IterationSums* sums,
    ) noexcept nogil:
        """Add the differences of consecutive sentences, the first of which is at `place`."""
        cdef int16_t[MAX_COMBINATIONS * WIDTH] known
        cdef int64_t member, number, n_known = 1, reach = 0
        cdef const int16_t* differences
        for member in range(size):
            reach += self._reach[block[member]]
        if reach == 0:
            return
        if samples.block_size == 1 or reach > INT16_MAX:
            for member in range(size):
                self._add(samples, block[member], place + member, sums)
            return
        memset(known, 0, WIDTH * sizeof(int16_t))
        for member in range(samples.block_size):
            # The last block may have fewer sentences than positions.
            differences = NULL
            if member < size and self._reach[block[member]]:
                differences = &self._differences[self._of_sentence[block[member]], 0]
            extend_sums(known, n_known, differences, samples.n_refs)
            n_known *= samples.n_refs
        number = place // samples.block_size
        add_near(sums, reach, known, samples.combinations + number * samples.n_iterations)

    cdef void _add(
        self, const Samples* samples, int64_t row, int64_t place, IterationSums* sums
    ) noexcept nogil:
        """Add the differences of one sentence."""
        cdef int64_t i, column, first = self._of_sentence[row]
        cdef int64_t n_refs = self._of_sentence[row + 1] - first
        cdef const uint16_t* chosen
        if not self._reach[row]:
            return
        chosen = chosen_at(samples, n_refs, place)
        if self._reach[row] <= INT16_MAX:
            add_near(sums, self._reach[row], &self._differences[first, 0], chosen)
            return
        # Differences that 16 bits cannot hold.
        for i in range(sums.n_iterations):
            for column in range(self._n_orders + 1):
                sums.far[i * WIDTH + column] += (
                    self._counts[first + chosen[i], 1 + column] - self._counts[first, 1 + column]
                )
