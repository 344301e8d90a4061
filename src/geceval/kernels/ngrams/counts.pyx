"""N-gram counts of GLEU, GREEN, BLEU and SARI.

The n-grams of all texts of a sentence (source, hypothesis, references) are counted together; the
metrics need only the count of each n-gram in each text.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport llabs
from libc.string cimport memset

import numpy as np

from geceval.kernels.interrupt cimport raise_stopped, should_stop
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
