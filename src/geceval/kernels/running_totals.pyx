"""Choosing references by running totals, for one corpus and for thousands of resampled ones."""

from libc.math cimport floor, fma
from libc.stdint cimport int64_t, uint8_t

from geceval.kernels.interrupt cimport check_stop

import numpy as np


cdef struct Option:
    # Counts of one reference of one sentence; `size` is proposed + β² gold. Of two references
    # with one F and as many correct edits, that with less of the first burden is better, then
    # that with less of the second.
    int64_t correct
    int64_t proposed
    int64_t gold
    double size
    double first_burden
    double second_burden
    int64_t reference


cdef inline bint is_better(
    double f, const Option* option, double best_f, const Option* best
) noexcept nogil:
    """Compare options by F of the running totals, then by what they add to them."""
    if f != best_f:
        return f > best_f
    if option.correct != best.correct:
        return option.correct > best.correct
    if option.first_burden != best.first_burden:
        return option.first_burden < best.first_burden
    return option.second_burden < best.second_burden


cdef inline bint is_beaten(const Option* option, const Option* earlier) noexcept nogil:
    """Whether an option is never chosen: no more correct and no lighter than one before it."""
    return (
        earlier.correct >= option.correct
        and earlier.first_burden <= option.first_burden
        and earlier.second_burden <= option.second_burden
    )


cdef inline double in_ten_thousandths(double f) noexcept nogil:
    """Round to four digits as Python's ``round`` does: by the exact value, ties to even."""
    cdef double upper = floor(f * 10000 + 0.5)
    # The sign of a fused multiply-add is exact, that of the sum above is not.
    cdef double above_half = fma(f, 20000, 1 - 2 * upper)
    if above_half < 0 or (above_half == 0 and upper != 2 * floor(upper / 2)):
        return upper - 1
    return upper


cdef inline double rounded_f(
    int64_t correct, int64_t proposed, int64_t gold, double weight
) noexcept nogil:
    """Compute F in the steps in which ERRANT does, and round it."""
    cdef double precision = <double> correct / proposed if proposed > correct else 1.0
    cdef double recall = <double> correct / gold if gold > correct else 1.0
    if weight == 0:
        # F is the precision, also where the recall is 0 and ERRANT would divide by it.
        return in_ten_thousandths(precision)
    if precision + recall == 0:
        return 0.0
    return in_ten_thousandths((1 + weight) * precision * recall / (weight * precision + recall))


cdef void run(
    const int64_t* options_of,
    const Option* options,
    const int64_t* rows,
    int64_t n_rows,
    double weight,
    bint is_rounded,
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
                if is_rounded:
                    f = rounded_f(
                        correct + options[option].correct,
                        proposed + options[option].proposed,
                        gold + options[option].gold,
                        weight,
                    )
                if best_f < 0 or is_better(f, &options[option], best_f, &options[best]):
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
    by_errors
        Of references with one F and as many correct edits, take that with fewer false
        positives, then that with fewer false negatives; otherwise that with the smaller
        proposed + β² gold.
    rounded
        Round F to four digits before it is compared.
    """

    cdef object _options_array
    cdef object _offsets_array
    cdef double _weight
    cdef bint _is_rounded
    cdef int64_t _n_sents

    def __init__(
        self,
        const int64_t[:, :, ::1] counts,
        const uint8_t[:, ::1] mask,
        double beta,
        *,
        bint by_errors=False,
        bint rounded=False,
    ):
        cdef int64_t n_sents = counts.shape[0], n_refs = counts.shape[1]
        cdef int64_t sentence, ref, other, n_options = 0, start
        cdef int64_t[::1] offsets
        cdef uint8_t[::1] memory
        cdef Option* options
        cdef Option option
        cdef bint is_useless
        self._weight = beta * beta
        self._is_rounded = rounded
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
                    option.first_burden = option.size
                    option.second_burden = 0
                    if by_errors:
                        option.first_burden = option.proposed - option.correct
                        option.second_burden = option.gold - option.correct
                    option.reference = ref
                    is_useless = False
                    for other in range(start, n_options):
                        if is_beaten(&option, &options[other]):
                            is_useless = True
                            break
                    if not is_useless:
                        options[n_options] = option
                        n_options += 1
                if n_options == start:
                    # Nobody looked at the sentence: it counts for nothing.
                    options[n_options].reference = -1
                    n_options += 1
            offsets[n_sents] = n_options

    def choose(self, rows=None):
        """Return the totals and the chosen reference of each sentence, -1 where there is none.

        The sentences are those of `rows`, in that order, or all of them.
        """
        order = np.arange(self._n_sents) if rows is None else np.asarray(rows)
        totals = np.zeros((1, 3), dtype=np.int64)
        chosen = np.zeros(len(order), dtype=np.int64)
        self._run(np.ascontiguousarray(order.reshape(1, -1), dtype=np.int64), totals, chosen)
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
                check_stop(16 * n_rows)
                run(
                    &offsets[0],
                    <const Option*> &memory[0],
                    &rows[number, 0],
                    n_rows,
                    self._weight,
                    self._is_rounded,
                    &totals[number, 0],
                    target,
                )
