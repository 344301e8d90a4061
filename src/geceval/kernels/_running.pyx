"""Choosing references by running totals, for one corpus and for thousands of resampled ones."""

from libc.stdint cimport int64_t, uint8_t

import numpy as np


cdef struct Option:
    # Counts of one reference of one sentence; `size` is proposed + β² gold.
    int64_t correct
    int64_t proposed
    int64_t gold
    double size
    int64_t reference


cdef inline bint is_better(
    double f, int64_t correct, double size, double best_f, int64_t best_correct, double best_size
) noexcept nogil:
    """Compare running totals: larger F, then more correct, then smaller size."""
    if f != best_f:
        return f > best_f
    if correct != best_correct:
        return correct > best_correct
    return size < best_size


cdef void run(
    const int64_t* options_of,
    const Option* options,
    const int64_t* rows,
    int64_t n_rows,
    double weight,
    int64_t* totals,
    int64_t* chosen,
) noexcept nogil:
    """Take sentences in order; in each, the reference that is best for the totals so far."""
    cdef int64_t number, row, option, best, correct = 0, proposed = 0, gold = 0
    cdef double f, best_f, size, above
    for number in range(n_rows):
        row = rows[number]
        best = options_of[row]
        if options_of[row + 1] - best > 1:
            best_f = -1.0
            for option in range(options_of[row], options_of[row + 1]):
                size = proposed + weight * gold + options[option].size
                above = (1 + weight) * (correct + options[option].correct)
                f = above / size if size > 0 else 1.0
                if best_f < 0 or is_better(
                    f,
                    options[option].correct,
                    options[option].size,
                    best_f,
                    options[best].correct,
                    options[best].size,
                ):
                    best_f = f
                    best = option
        correct += options[best].correct
        proposed += options[best].proposed
        gold += options[best].gold
        if chosen != NULL:
            chosen[number] = options[best].reference
    totals[0] = correct
    totals[1] = proposed
    totals[2] = gold


cdef class RunningChoice:
    """The references of a corpus, ready to be chosen from again and again.

    Parameters
    ----------
    counts
        ``(n_sents, n_refs, 3)``: correct, proposed, gold.
    mask
        ``(n_sents, n_refs)``: which references there are.
    beta
        Weight of recall in F.
    """

    cdef object _options_array
    cdef object _offsets_array
    cdef double _weight
    cdef int64_t _n_sents

    def __init__(self, const int64_t[:, :, ::1] counts, const uint8_t[:, ::1] mask, double beta):
        cdef int64_t n_sents = counts.shape[0], n_refs = counts.shape[1]
        cdef int64_t sentence, ref, other, n_options = 0, start
        cdef int64_t[::1] offsets
        cdef uint8_t[::1] memory
        cdef Option* options
        cdef Option option
        cdef bint is_beaten
        self._weight = beta * beta
        self._n_sents = n_sents
        self._offsets_array = np.zeros(n_sents + 1, dtype=np.int64)
        self._options_array = np.zeros(
            max(1, (n_sents * n_refs + n_sents) * <int64_t> sizeof(Option)), dtype=np.uint8
        )
        offsets = self._offsets_array
        memory = self._options_array
        options = <Option*> &memory[0]
        with nogil:
            for sentence in range(n_sents):
                start = n_options
                offsets[sentence] = start
                for ref in range(n_refs):
                    if not mask[sentence, ref]:
                        continue
                    option.correct = counts[sentence, ref, 0]
                    option.proposed = counts[sentence, ref, 1]
                    option.gold = counts[sentence, ref, 2]
                    option.size = option.proposed + self._weight * option.gold
                    option.reference = ref
                    # Never chosen: no more correct and no smaller than one before it.
                    is_beaten = False
                    for other in range(start, n_options):
                        if (
                            options[other].correct >= option.correct
                            and options[other].size <= option.size
                        ):
                            is_beaten = True
                            break
                    if not is_beaten:
                        options[n_options] = option
                        n_options += 1
                if n_options == start:
                    # Nobody looked at the sentence: it counts for nothing.
                    options[n_options].reference = -1
                    n_options += 1
            offsets[n_sents] = n_options

    def choose(self):
        """Return the totals and the chosen reference of each sentence, -1 where there is none."""
        totals = np.zeros((1, 3), dtype=np.int64)
        chosen = np.zeros(self._n_sents, dtype=np.int64)
        rows = np.arange(self._n_sents, dtype=np.int64).reshape(1, -1)
        self._run(rows, totals, chosen)
        return totals[0], chosen

    def resample(self, rows):
        """Return the totals ``(n_resamples, 3)`` of many choices of sentences."""
        totals = np.zeros((len(rows), 3), dtype=np.int64)
        self._run(np.ascontiguousarray(rows, dtype=np.int64), totals, np.zeros(0, dtype=np.int64))
        return totals

    cdef _run(self, const int64_t[:, ::1] rows, int64_t[:, ::1] totals, int64_t[::1] chosen):
        cdef const int64_t[::1] offsets = self._offsets_array
        cdef const uint8_t[::1] memory = self._options_array
        cdef int64_t number, n_rows = rows.shape[1]
        cdef int64_t* target = &chosen[0] if chosen.shape[0] else NULL
        if not n_rows or not rows.shape[0]:
            return
        if np.min(rows) < 0 or np.max(rows) >= self._n_sents:
            raise IndexError("rows must be sentences of the corpus")
        with nogil:
            for number in range(rows.shape[0]):
                run(
                    &offsets[0],
                    <const Option*> &memory[0],
                    &rows[number, 0],
                    n_rows,
                    self._weight,
                    &totals[number, 0],
                    target,
                )
