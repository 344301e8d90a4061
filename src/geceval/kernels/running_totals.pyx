"""Choosing references by running totals, for one corpus and for thousands of resampled ones.

Greedily, in sentence order: with totals (tp, proposed, gold) so far, sentence i takes the reference

    r_i = argmax over r of  F(totals + counts[i, r]),  F = (1 + b^2) tp / (proposed + b^2 gold)

and its counts are added to the totals. Dominated references are removed beforehand.
"""

from libc.stdint cimport int64_t, uint8_t

from geceval.kernels.interrupt cimport check_stop
from geceval.kernels.mixtures cimport MAX_GAINS, Candidates, swap_all
from geceval.kernels.rounding cimport in_ten_thousandths
from geceval.kernels.sampled_rows cimport are_rows

import numpy as np


cdef struct Candidate:
    # Counts of one reference of one sentence; `size` is proposed + β² gold. Of two references
    # with one F and as many correct edits, that with the smaller first penalty is better, then
    # that with the smaller second.
    int64_t correct
    int64_t proposed
    int64_t gold
    double size
    double first_penalty
    double second_penalty
    int64_t reference
    bint is_kept


cdef inline bint is_better(
    double f, const Candidate* candidate, double best_f, const Candidate* best
) noexcept nogil:
    """Compare candidates by F of the running totals, then by what they add to them."""
    if f != best_f:
        return f > best_f
    if candidate.correct != best.correct:
        return candidate.correct > best.correct
    if candidate.first_penalty != best.first_penalty:
        return candidate.first_penalty < best.first_penalty
    return candidate.second_penalty < best.second_penalty


cdef inline bint is_dominated(const Candidate* candidate, const Candidate* earlier) noexcept nogil:
    """Whether a candidate is never chosen: an earlier one is as good in every respect."""
    return (
        earlier.correct >= candidate.correct
        and earlier.first_penalty <= candidate.first_penalty
        and earlier.second_penalty <= candidate.second_penalty
    )


cdef inline bint always_beats(
    const Candidate* one, const Candidate* other, double weight
) noexcept nogil:
    """Whether a candidate is better for all totals.

    With U = correct and V = size / (1 + b^2), F is U / V of the totals. With d = U1 - U2 > 0 and
    e = (V2 - U2) - (V1 - U1) > 0, U1 V2 - U2 V1 = d (V2 - U2) + e U2 >= min(d, e) V2. So F differs
    by min(d, e) / V1 at least, which no rounding can hide: V is below 1e11 if sizes are below 1e4.

    If both add as many correct edits, rounded values of F are in the order of the sizes, or equal.
    """
    cdef double gap = (other.size - one.size) / (1 + weight) - (other.correct - one.correct)
    if one.correct > other.correct:
        return gap > 1e-3 and one.size < 1e4 and other.size < 1e4
    if one.correct < other.correct or one.size > other.size:
        return False
    if one.first_penalty != other.first_penalty:
        return one.first_penalty < other.first_penalty
    return one.second_penalty < other.second_penalty


cdef bint are_proper(const Candidate* candidates, int64_t n_candidates) noexcept nogil:
    """Whether no candidate has more correct edits than others, so that F is at most 1."""
    cdef int64_t candidate
    for candidate in range(n_candidates):
        if not 0 <= candidates[candidate].correct <= min(
            candidates[candidate].proposed, candidates[candidate].gold
        ):
            return False
    return True


cdef int remove_beaten(
    Candidate* candidates, int64_t[::1] offsets, double weight
) except -1 nogil:
    """Remove candidates that are never chosen, if F is not rounded and at most 1."""
    cdef int64_t sentence, first, last, candidate, other, n_kept = 0
    cdef bint is_beaten
    last = 0
    for sentence in range(offsets.shape[0] - 1):
        first, last = last, offsets[sentence + 1]
        check_stop(1 + (last - first) * (last - first))
        # All are compared before any is removed.
        for candidate in range(first, last):
            is_beaten = False
            for other in range(first, last):
                if other != candidate and always_beats(
                    &candidates[other], &candidates[candidate], weight
                ):
                    is_beaten = True
                    break
            candidates[candidate].is_kept = not is_beaten
        offsets[sentence] = n_kept
        for candidate in range(first, last):
            if candidates[candidate].is_kept:
                candidates[n_kept] = candidates[candidate]
                n_kept += 1
    offsets[offsets.shape[0] - 1] = n_kept
    return 0


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


cdef struct RunningRule:
    const Candidate* candidates
    double weight
    bint is_rounded


cdef inline int64_t best_of(
    const RunningRule* rule,
    int64_t first,
    int64_t last,
    int64_t correct,
    int64_t proposed,
    int64_t gold,
) noexcept nogil:
    """Return the candidate that is best for totals."""
    cdef const Candidate* candidates = rule.candidates
    cdef int64_t candidate, best = first
    cdef double f, best_f = -1.0, size, numerator, weight = rule.weight
    for candidate in range(first, last):
        size = proposed + weight * gold + candidates[candidate].size
        numerator = (1 + weight) * (correct + candidates[candidate].correct)
        f = numerator / size if size > 0 else 1.0
        if rule.is_rounded:
            f = rounded_f(
                correct + candidates[candidate].correct,
                proposed + candidates[candidate].proposed,
                gold + candidates[candidate].gold,
                weight,
            )
        if best_f < 0 or is_better(f, &candidates[candidate], best_f, &candidates[best]):
            best_f = f
            best = candidate
    return best


cdef int64_t decide(
    void* kernel, const double* totals, int64_t first, int64_t last, int64_t lane
) noexcept nogil:
    """Return the best candidate where scores are close; totals are whole numbers."""
    return best_of(
        <RunningRule*> kernel,
        first,
        last,
        <int64_t> totals[0],
        <int64_t> totals[1],
        <int64_t> totals[2],
    )


cdef void choose_running(
    const int64_t* candidates_of,
    const RunningRule* rule,
    const int64_t* rows,
    int64_t n_rows,
    int64_t* totals,
    int64_t* chosen,
) noexcept nogil:
    """Take sentences in order; in each, the reference that is best for the totals so far."""
    cdef int64_t number, row, best, correct = 0, proposed = 0, gold = 0
    cdef const Candidate* candidates = rule.candidates
    for number in range(n_rows):
        row = rows[number]
        best = candidates_of[row]
        if candidates_of[row + 1] - best > 1:
            best = best_of(rule, best, candidates_of[row + 1], correct, proposed, gold)
        correct += candidates[best].correct
        proposed += candidates[best].proposed
        gold += candidates[best].gold
        if chosen != NULL:
            chosen[number] = candidates[best].reference
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

    Attributes
    ----------
    is_proper
        Whether no count of correct edits is negative or exceeds the others.
    """

    cdef object _candidates_array
    cdef object _offsets_array
    cdef double _weight
    cdef bint _is_rounded
    cdef int64_t _n_sents
    cdef readonly bint is_proper

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
        cdef int64_t sentence, ref, other, n_candidates = 0, start
        cdef int64_t[::1] offsets
        cdef uint8_t[::1] memory
        cdef Candidate* candidates
        cdef Candidate candidate
        cdef bint is_never_chosen
        self._weight = beta * beta
        self._is_rounded = rounded
        self._n_sents = n_sents
        self._offsets_array = np.zeros(n_sents + 1, dtype=np.int64)
        self._candidates_array = np.zeros(
            max(1, (n_sents * n_refs + n_sents) * <int64_t> sizeof(Candidate)), dtype=np.uint8
        )
        offsets = self._offsets_array
        memory = self._candidates_array
        candidates = <Candidate*> &memory[0]
        with nogil:
            for sentence in range(n_sents):
                start = n_candidates
                offsets[sentence] = start
                for ref in range(n_refs):
                    if not mask[sentence, ref]:
                        continue
                    candidate.correct = counts[sentence, ref, 0]
                    candidate.proposed = counts[sentence, ref, 1]
                    candidate.gold = counts[sentence, ref, 2]
                    candidate.size = candidate.proposed + self._weight * candidate.gold
                    candidate.first_penalty = candidate.size
                    candidate.second_penalty = 0
                    if by_errors:
                        candidate.first_penalty = candidate.proposed - candidate.correct
                        candidate.second_penalty = candidate.gold - candidate.correct
                    candidate.reference = ref
                    is_never_chosen = False
                    for other in range(start, n_candidates):
                        if is_dominated(&candidate, &candidates[other]):
                            is_never_chosen = True
                            break
                    if not is_never_chosen:
                        candidates[n_candidates] = candidate
                        n_candidates += 1
                if n_candidates == start:
                    # Nobody looked at the sentence: it counts for nothing.
                    candidates[n_candidates].reference = -1
                    n_candidates += 1
            offsets[n_sents] = n_candidates
            self.is_proper = are_proper(candidates, n_candidates)
            if self.is_proper and not rounded:
                remove_beaten(candidates, offsets, self._weight)

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

    def followed_by(self, RunningChoice other not None):
        """Return the choice for the sentences of this system and then of another, for `swap`.

        The counts of both must be proper.
        """
        cdef RunningChoice both = RunningChoice.__new__(RunningChoice)
        cdef int64_t n_candidates = self._offsets_array[self._n_sents]
        if (self._weight, self._is_rounded) != (other._weight, other._is_rounded):
            raise ValueError("both systems must have the same rule")
        if not (self.is_proper and other.is_proper):
            raise ValueError("the counts of both systems must be proper")
        both._weight = self._weight
        both._is_rounded = self._is_rounded
        both._n_sents = self._n_sents + other._n_sents
        both.is_proper = True
        both._offsets_array = np.concatenate(
            (self._offsets_array[: self._n_sents], other._offsets_array + n_candidates)
        )
        own = self._candidates_array[: n_candidates * <int64_t> sizeof(Candidate)]
        both._candidates_array = np.concatenate((own, other._candidates_array))
        return both

    def swap(self, const uint8_t[:, ::1] flags):
        """Return the totals ``(2, n_resamples, 3)`` of two systems that swap sentences.

        The sentences of the second system follow those of the first, and `flags`
        ``(n_resamples, n_sents)`` tell which of them are swapped.
        """
        cdef const int64_t[::1] offsets = self._offsets_array
        cdef const uint8_t[::1] memory = self._candidates_array
        cdef int64_t candidate, n_candidates = offsets[self._n_sents]
        cdef const Candidate* own = <const Candidate*> &memory[0]
        cdef RunningRule rule = RunningRule(own, self._weight, self._is_rounded)
        cdef Candidates candidates
        cdef double[:, ::1] gains = np.zeros((max(1, n_candidates), MAX_GAINS))
        cdef uint8_t[::1] bits = np.zeros(flags.shape[1], dtype=np.uint8)
        result = np.zeros((2, flags.shape[0], 3))
        cdef double[:, :, ::1] totals = result
        if 2 * flags.shape[1] != self._n_sents:
            raise ValueError("flags must fit the sentences of two systems")
        candidates.offsets = &offsets[0]
        candidates.gains = &gains[0, 0]
        candidates.is_combined = False
        candidates.factors[0] = 0
        candidates.factors[1] = 1 / (1 + self._weight)
        candidates.factors[2] = self._weight / (1 + self._weight)
        candidates.factors[3] = 0
        candidates.is_safe = not self._is_rounded
        candidates.kernel = &rule
        candidates.decide = &decide
        for candidate in range(n_candidates):
            gains[candidate, 0] = own[candidate].correct
            gains[candidate, 1] = own[candidate].proposed
            gains[candidate, 2] = own[candidate].gold
            if not 0 <= own[candidate].correct <= min(
                own[candidate].proposed, own[candidate].gold
            ):
                candidates.is_safe = False
        with nogil:
            swap_all(&candidates, flags, bits, totals)
        return result.astype(np.int64)

    cdef _run(self, const int64_t[:, ::1] rows, int64_t[:, ::1] totals, int64_t[::1] chosen):
        cdef const int64_t[::1] offsets = self._offsets_array
        cdef const uint8_t[::1] memory = self._candidates_array
        cdef int64_t number, n_rows = rows.shape[1]
        cdef int64_t* target = &chosen[0] if chosen.shape[0] else NULL
        cdef RunningRule rule = RunningRule(
            <const Candidate*> &memory[0], self._weight, self._is_rounded
        )
        if not n_rows or not rows.shape[0]:
            return
        if not are_rows(rows, self._n_sents):
            raise IndexError("rows must be sentences of the corpus")
        with nogil:
            for number in range(rows.shape[0]):
                check_stop(16 * n_rows)
                choose_running(
                    &offsets[0], &rule, &rows[number, 0], n_rows, &totals[number, 0], target
                )
