"""N-gram counts of GLEU, GREEN, BLEU and SARI, and GLEU with sampled references.

The n-grams of all texts of a sentence (source, hypothesis, references) are counted together; the
metrics need only the count of each n-gram in each text.
"""

from libc.math cimport exp, log
from libc.stdint cimport INT16_MAX, int16_t, int32_t, int64_t, uint16_t
from libc.stdlib cimport llabs
from libc.string cimport memset

import numpy as np

from geceval.kernels.interrupt cimport check_stop, raise_stopped, should_stop
from geceval.kernels.ngrams.group cimport (
    FIRST_REFERENCE,
    HYPOTHESIS,
    SOURCE,
    Group,
    add_text,
    count_order,
    empty_group,
    release_group,
)

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
    """
    enum: WIDTH
    void add_chosen(
        int16_t* sums, const int16_t* options, const uint16_t* chosen, int64_t n_iterations
    ) noexcept nogil

cdef enum:
    ORDERS = 4
    COLUMNS = 2 + 2 * ORDERS
    # The regions of three overlapping sets.
    REGIONS = 7


cdef void count_hypothesis(Group* group, int64_t* row, int64_t n_reference) noexcept nogil:
    """Set the lengths and the number of n-grams of the hypothesis of each order."""
    cdef int64_t order, n_hypothesis = group.lengths[HYPOTHESIS]
    row[0] = n_hypothesis
    row[1] = n_reference
    for order in range(ORDERS):
        row[2 + ORDERS + order] = max(0, n_hypothesis - order)


cdef int64_t gleu_numerator(Group* group, int64_t text) noexcept nogil:
    """Count n-grams shared with a reference, minus those shared only with the source."""
    cdef int64_t number, above = 0
    cdef int64_t source = group.columns[SOURCE], hypothesis = group.columns[HYPOTHESIS]
    cdef int64_t reference = group.columns[text]
    cdef const int32_t* counts
    for number in range(group.n_types):
        counts = group.counts + number * group.n_columns
        if counts[reference]:
            above += min(counts[hypothesis], counts[reference])
        else:
            above -= min(counts[hypothesis], counts[source])
    return max(0, above)


cdef int64_t formula_numerator(Group* group, int64_t text) noexcept nogil:
    """Count n-grams shared with a reference, minus those of the source that it has less often."""
    cdef int64_t number, above = 0
    cdef int64_t source = group.columns[SOURCE], hypothesis = group.columns[HYPOTHESIS]
    cdef int64_t reference = group.columns[text]
    cdef const int32_t* counts
    for number in range(group.n_types):
        counts = group.counts + number * group.n_columns
        above += min(counts[hypothesis], counts[reference])
        above -= max(0, min(counts[hypothesis], counts[source]) - counts[reference])
    return above


cdef void count_regions(Group* group, int64_t text, int64_t* row) noexcept nogil:
    """Count n-grams by the texts that have them: source, hypothesis and one reference."""
    cdef int64_t number
    cdef int32_t source, hypothesis, reference
    cdef const int32_t* counts
    for number in range(group.n_types):
        counts = group.counts + number * group.n_columns
        source = counts[group.columns[SOURCE]]
        hypothesis = counts[group.columns[HYPOTHESIS]]
        reference = counts[group.columns[text]]
        row[0] += min(source, min(reference, hypothesis))
        row[1] += max(0, source - max(reference, hypothesis))
        row[2] += max(0, min(reference, hypothesis) - source)
        row[3] += max(0, min(source, reference) - hypothesis)
        row[4] += max(0, hypothesis - max(source, reference))
        row[5] += max(0, min(source, hypothesis) - reference)
        row[6] += max(0, reference - max(source, hypothesis))


cdef int64_t bleu_matches(Group* group, int64_t first, int64_t last) noexcept nogil:
    """Count n-grams of the hypothesis, clipped by the maximum count of some texts."""
    cdef int64_t number, text, matches = 0, hypothesis = group.columns[HYPOTHESIS]
    cdef int32_t most
    cdef const int32_t* counts
    for number in range(group.n_types):
        counts = group.counts + number * group.n_columns
        if counts[hypothesis]:
            most = 0
            for text in range(first, last):
                most = max(most, counts[group.columns[text]])
            matches += min(counts[hypothesis], most)
    return matches


cdef int64_t closest_length(Group* group) noexcept nogil:
    """Return the closest reference length, the smaller of ties."""
    cdef int64_t text, length, apart, best = 0, best_apart = -1
    for text in range(FIRST_REFERENCE, group.n_texts):
        length = group.lengths[text]
        apart = llabs(length - group.lengths[HYPOTHESIS])
        if best_apart < 0 or apart < best_apart or (apart == best_apart and length < best):
            best = length
            best_apart = apart
    return best


cdef inline double ratio(double above, int64_t below) noexcept nogil:
    return above / below if below else 0.0


cdef inline double f1(double precision, double recall) noexcept nogil:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


cdef void add_sari(Group* group, int64_t first, int64_t last, double* parts) noexcept nogil:
    """Add the scores of kept, deleted and added n-grams of one order, for some references."""
    cdef int64_t number, text, source, hypothesis, reference, kept, to_keep, good, deleted
    cdef int64_t n_kept = 0, n_to_keep = 0, n_deleted = 0, n_added = 0, n_to_add = 0, n_found = 0
    cdef double precision = 0, recall = 0, deletion = 0
    cdef const int32_t* counts
    for number in range(group.n_types):
        counts = group.counts + number * group.n_columns
        # Multiplied by the number of references, whose counts are summed.
        source = counts[group.columns[SOURCE]] * (last - first)
        hypothesis = counts[group.columns[HYPOTHESIS]] * (last - first)
        reference = 0
        for text in range(first, last):
            reference += counts[group.columns[text]]
        if source:
            kept = min(source, hypothesis)
            to_keep = min(source, reference)
            good = min(kept, reference)
            n_kept += kept > 0
            n_to_keep += to_keep > 0
            if good:
                precision += <double> good / kept
                recall += <double> good / to_keep
            deleted = source - hypothesis
            if deleted > 0:
                n_deleted += 1
                if deleted > reference:
                    deletion += <double> (deleted - reference) / deleted
        else:
            n_added += hypothesis > 0
            n_to_add += reference > 0
            n_found += hypothesis > 0 and reference > 0
    parts[0] += f1(ratio(precision, n_kept), ratio(recall, n_to_keep)) / ORDERS
    parts[1] += ratio(deletion, n_deleted) / ORDERS
    parts[2] += f1(ratio(n_found, n_added), ratio(n_found, n_to_add)) / ORDERS


cdef void add_interned(
    Group* group, const int32_t[::1] tokens, const int64_t[::1] offsets, int64_t number
) noexcept nogil:
    cdef int64_t start = offsets[number], size = offsets[number + 1] - start
    add_text(group, &tokens[start] if size else NULL, size)


cdef class NgramCounter:
    """Sources, hypotheses and references of a corpus, to be counted range by range.

    Parameters
    ----------
    sources, source_offsets, hypotheses, hypothesis_offsets, references, reference_offsets
        Interned texts.
    of_sentence
        References of sentence ``i`` are ``of_sentence[i]:of_sentence[i + 1]``.
    """

    cdef const int32_t[::1] _sources
    cdef const int64_t[::1] _source_offsets
    cdef const int32_t[::1] _hypotheses
    cdef const int64_t[::1] _hypothesis_offsets
    cdef const int32_t[::1] _references
    cdef const int64_t[::1] _reference_offsets
    cdef const int64_t[::1] _of_sentence

    def __init__(
        self,
        const int32_t[::1] sources,
        const int64_t[::1] source_offsets,
        const int32_t[::1] hypotheses,
        const int64_t[::1] hypothesis_offsets,
        const int32_t[::1] references,
        const int64_t[::1] reference_offsets,
        const int64_t[::1] of_sentence,
    ):
        self._sources = sources
        self._source_offsets = source_offsets
        self._hypotheses = hypotheses
        self._hypothesis_offsets = hypothesis_offsets
        self._references = references
        self._reference_offsets = reference_offsets
        self._of_sentence = of_sentence

    cdef bint _load(self, Group* group, int64_t sentence) noexcept nogil:
        """Collect the texts of one sentence; False where there is no memory for them."""
        cdef int64_t first = self._of_sentence[sentence], last = self._of_sentence[sentence + 1]
        cdef int64_t number, n_tokens
        n_tokens = (
            self._source_offsets[sentence + 1]
            - self._source_offsets[sentence]
            + self._hypothesis_offsets[sentence + 1]
            - self._hypothesis_offsets[sentence]
            + self._reference_offsets[last]
            - self._reference_offsets[first]
        )
        if not empty_group(group, n_tokens, FIRST_REFERENCE + last - first):
            return False
        add_interned(group, self._sources, self._source_offsets, sentence)
        add_interned(group, self._hypotheses, self._hypothesis_offsets, sentence)
        for number in range(first, last):
            add_interned(group, self._references, self._reference_offsets, number)
        return True

    def gleu(self, int64_t first, int64_t last):
        """Count for GLEU, by reference of the sentences ``first`` to ``last``.

        Returns
        -------
        counts
            ``(n_references, 10)``: lengths of hypothesis and reference, the numerators of the
            four orders, their denominators.
        """
        return self._gleu(first, last, False)

    def formula_gleu(self, int64_t first, int64_t last):
        """Count for GLEU as `gleu` does, with the numerators of the paper's formula.

        These are not clipped, so they may be negative.
        """
        return self._gleu(first, last, True)

    cdef object _gleu(self, int64_t first, int64_t last, bint by_formula):
        cdef Group group
        cdef int64_t sentence, text, order, start = self._of_sentence[first]
        result = np.zeros((self._of_sentence[last] - start, COLUMNS), dtype=np.int64)
        cdef int64_t[:, ::1] rows = result
        memset(&group, 0, sizeof(Group))
        with nogil:
            for sentence in range(first, last):
                if self._of_sentence[sentence] == self._of_sentence[sentence + 1]:
                    continue
                if not self._load(&group, sentence) or stops(&group):
                    break
                start = self._of_sentence[sentence] - self._of_sentence[first] - FIRST_REFERENCE
                for text in range(FIRST_REFERENCE, group.n_texts):
                    count_hypothesis(&group, &rows[start + text, 0], group.lengths[text])
                for order in range(ORDERS):
                    count_order(&group, order + 1)
                    for text in range(FIRST_REFERENCE, group.n_texts):
                        rows[start + text, 2 + order] = (
                            formula_numerator(&group, text)
                            if by_formula
                            else gleu_numerator(&group, text)
                        )
        release_group(&group)
        check_failure(&group)
        return result

    def regions(self, int64_t first, int64_t last, int64_t n_orders):
        """Count n-grams by the texts that have them, by reference.

        Returns
        -------
        counts
            ``(n_references, 7 * n_orders)``. For each order, n-grams of all three texts, of the
            source only, of reference and hypothesis, of source and reference, of the hypothesis
            only, of source and hypothesis, of the reference only.
        """
        cdef Group group
        cdef int64_t sentence, text, order, start = self._of_sentence[first]
        result = np.zeros(
            (self._of_sentence[last] - start, REGIONS * n_orders), dtype=np.int64
        )
        cdef int64_t[:, ::1] rows = result
        memset(&group, 0, sizeof(Group))
        with nogil:
            for sentence in range(first, last):
                if self._of_sentence[sentence] == self._of_sentence[sentence + 1]:
                    continue
                if not self._load(&group, sentence) or stops(&group):
                    break
                start = self._of_sentence[sentence] - self._of_sentence[first] - FIRST_REFERENCE
                for order in range(n_orders):
                    count_order(&group, order + 1)
                    if not group.n_types:
                        break
                    for text in range(FIRST_REFERENCE, group.n_texts):
                        count_regions(&group, text, &rows[start + text, REGIONS * order])
        release_group(&group)
        check_failure(&group)
        return result

    def bleu(self, int64_t first, int64_t last):
        """Count for BLEU, by sentence.

        Returns
        -------
        counts
            ``(n_sents, 2, 10)``: lengths of hypothesis and closest reference, matches of the
            four orders, n-grams of the hypothesis; against all references, and against the
            source.
        """
        cdef Group group
        cdef int64_t sentence, order
        result = np.zeros((last - first, 2, COLUMNS), dtype=np.int64)
        cdef int64_t[:, :, ::1] rows = result
        cdef int64_t* row
        cdef int64_t* source_row
        memset(&group, 0, sizeof(Group))
        with nogil:
            for sentence in range(first, last):
                if not self._load(&group, sentence) or stops(&group):
                    break
                row = &rows[sentence - first, 0, 0]
                source_row = &rows[sentence - first, 1, 0]
                count_hypothesis(&group, row, closest_length(&group))
                count_hypothesis(&group, source_row, group.lengths[SOURCE])
                for order in range(ORDERS):
                    count_order(&group, order + 1)
                    row[2 + order] = bleu_matches(&group, FIRST_REFERENCE, group.n_texts)
                    source_row[2 + order] = bleu_matches(&group, SOURCE, SOURCE + 1)
        release_group(&group)
        check_failure(&group)
        return result

    def sari(self, int64_t first, int64_t last):
        """Score kept, deleted and added n-grams, with all references of a sentence together.

        Returns
        -------
        scores
            ``(n_sents, 3)``.
        """
        return self._sari(first, last, False)

    def single_sari(self, int64_t first, int64_t last):
        """Score kept, deleted and added n-grams, with each reference separately.

        Returns
        -------
        scores
            ``(n_references, 3)``.
        """
        return self._sari(first, last, True)

    cdef object _sari(self, int64_t first, int64_t last, bint single):
        cdef Group group
        cdef int64_t sentence, text, order, place, start = self._of_sentence[first]
        cdef int64_t n_rows = self._of_sentence[last] - start if single else last - first
        result = np.zeros((n_rows, 3), dtype=np.float64)
        cdef double[:, ::1] rows = result
        memset(&group, 0, sizeof(Group))
        with nogil:
            for sentence in range(first, last):
                if not self._load(&group, sentence) or stops(&group):
                    break
                place = self._of_sentence[sentence] - start - FIRST_REFERENCE
                for order in range(ORDERS):
                    count_order(&group, order + 1)
                    if not single:
                        add_sari(&group, FIRST_REFERENCE, group.n_texts, &rows[sentence - first, 0])
                        continue
                    for text in range(FIRST_REFERENCE, group.n_texts):
                        add_sari(&group, text, text + 1, &rows[place + text, 0])
        release_group(&group)
        check_failure(&group)
        return result


cdef bint stops(Group* group) noexcept nogil:
    """Count the steps of a sentence; return whether to stop."""
    cdef int64_t text, n_tokens = 0
    for text in range(group.n_texts):
        n_tokens += group.lengths[text]
    group.is_stopped = should_stop(1000 * (n_tokens + group.n_texts))
    return group.is_stopped


cdef int check_failure(const Group* group) except -1:
    """Raise the error of a failed or interrupted sentence."""
    if group.is_stopped:
        raise_stopped()
    if group.failed:
        raise MemoryError("not enough memory for a sentence")
    return 0


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


cdef class SampledGleu:
    """GLEU of many samples of sentences, each with many samples of references.

    Only the reference length and the numerators depend on the sampled reference. They are summed
    as differences from the first reference, which are small: 16 bits suffice for the sums of many
    sentences, and an iteration is one vector addition.

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
        result = np.zeros((rows.shape[0], n_iterations))
        cdef double[:, ::1] scores = result
        cdef int16_t[::1] near = np.zeros(n_iterations * WIDTH, dtype=np.int16)
        cdef int64_t[::1] sums = np.zeros(n_iterations * WIDTH, dtype=np.int64)
        if not rows.shape[0] or not rows.shape[1] or not n_iterations:
            return result
        if np.min(rows) < 0 or np.max(rows) >= self._of_sentence.shape[0] - 1:
            raise IndexError("rows must be sentences of the corpus")
        with nogil:
            for resample in range(rows.shape[0]):
                check_stop(n_iterations * rows.shape[1])
                self._score(choices, table_of, rows[resample], near, sums, &scores[resample, 0])
        return result

    cdef void _score(
        self,
        const uint16_t[:, :, ::1] choices,
        const int64_t[::1] table_of,
        const int64_t[::1] rows,
        int16_t[::1] near,
        int64_t[::1] sums,
        double* scores,
    ) noexcept nogil:
        """Score one choice of sentences with all samples of references."""
        cdef int64_t n_iterations = choices.shape[2], number, row, first, n_refs, order, i
        cdef int64_t place = 0, reach = 0
        cdef int64_t always[ORDERS + 1]
        cdef int64_t base[ORDERS + 1]
        memset(always, 0, sizeof(always))
        memset(base, 0, sizeof(base))
        sums[:] = 0
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
            if self._reach[row] > INT16_MAX:
                self._add_far(first, &choices[table_of[n_refs], place, 0], sums)
            elif self._reach[row]:
                if reach + self._reach[row] > INT16_MAX:
                    move(near, sums)
                    reach = 0
                reach += self._reach[row]
                add_chosen(
                    &near[0],
                    &self._differences[first, 0],
                    &choices[table_of[n_refs], place, 0],
                    n_iterations,
                )
            place += 1
        move(near, sums)
        for i in range(n_iterations):
            for order in range(self._n_orders + 1):
                sums[i * WIDTH + order] += base[order]
            scores[i] = gleu_of(
                &sums[i * WIDTH], always, self._n_orders, self._skips_empty
            )

    cdef void _add_far(
        self, int64_t first, const uint16_t* chosen, int64_t[::1] sums
    ) noexcept nogil:
        """Add differences that 16 bits cannot hold."""
        cdef int64_t i, column
        for i in range(sums.shape[0] // WIDTH):
            for column in range(self._n_orders + 1):
                sums[i * WIDTH + column] += (
                    self._counts[first + chosen[i], 1 + column] - self._counts[first, 1 + column]
                )


cdef void move(int16_t[::1] near, int64_t[::1] sums) noexcept nogil:
    """Empty the small sums into the large ones."""
    cdef int64_t number
    for number in range(near.shape[0]):
        sums[number] += near[number]
        near[number] = 0
