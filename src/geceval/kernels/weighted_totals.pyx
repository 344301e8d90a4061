"""Choosing references by running totals of weights, for thousands of resampled corpora.

As `running_totals`, but for sums of weights: with totals so far, sentence i takes the reference
that is best for totals + sums[i, r], by F and then by the totals themselves. Nothing is rounded, so
references that are equal in exact arithmetic may differ here; the first of equal ones is taken.
"""

from libc.stdint cimport int64_t, uint8_t

from geceval.kernels.interrupt cimport check_stop
from geceval.kernels.mixtures cimport MAX_GAINS, Candidates, best_candidate, swap_all
from geceval.kernels.sampled_rows cimport are_rows

import numpy as np


cdef struct Standing:
    # What references are compared by, the most important first: more is better.
    double f
    double correct
    double third
    double fourth


cdef inline double f_score(
    double correct, double proposed, double gold, double weight
) noexcept nogil:
    cdef double precision = correct / proposed if proposed > 0 else 1.0
    cdef double recall = correct / gold if gold > 0 else 1.0
    cdef double below = weight * precision + recall
    if weight == 0:
        return precision
    return (1 + weight) * precision * recall / below if below > 0 else 0.0


cdef inline Standing stand(const double* totals, double weight, bint by_errors) noexcept nogil:
    """Compare by F and correct edits; then by errors, or by proposed + b^2 gold."""
    cdef Standing found
    found.correct = totals[0]
    if by_errors:
        found.f = f_score(totals[0], totals[0] + totals[1], totals[0] + totals[2], weight)
        found.third = -totals[1]
        found.fourth = -totals[2]
    else:
        found.f = f_score(totals[0], totals[1], totals[2], weight)
        found.third = -(totals[1] + weight * totals[2])
        found.fourth = 0
    return found


cdef inline bint is_better(const Standing* one, const Standing* best) noexcept nogil:
    if one.f != best.f:
        return one.f > best.f
    if one.correct != best.correct:
        return one.correct > best.correct
    if one.third != best.third:
        return one.third > best.third
    return one.fourth > best.fourth


cdef struct WeightedRule:
    const double* gains
    double weight
    bint by_errors


cdef int64_t decide(
    void* kernel, const double* totals, int64_t first, int64_t last, int64_t lane
) noexcept nogil:
    """Return the best candidate where scores are close."""
    cdef WeightedRule* rule = <WeightedRule*> kernel
    cdef double[3] added
    cdef Standing standing, best_standing = stand(totals, rule.weight, rule.by_errors)
    cdef int64_t candidate, best = first
    cdef int part
    for candidate in range(first, last):
        for part in range(3):
            added[part] = totals[part] + rule.gains[MAX_GAINS * candidate + part]
        standing = stand(added, rule.weight, rule.by_errors)
        if candidate == first or is_better(&standing, &best_standing):
            best = candidate
            best_standing = standing
    return best


cdef inline double size_of(const double* gains, const WeightedRule* rule) noexcept nogil:
    """Return proposed + b^2 gold."""
    cdef double correct = gains[0] if rule.by_errors else 0
    return gains[1] + correct + rule.weight * (gains[2] + correct)


cdef inline bint always_beats(
    const double* one, const double* other, const WeightedRule* rule, double margin
) noexcept nogil:
    """Whether a candidate is better for all totals, as in `running_totals`.

    With U = correct and V = size / (1 + b^2), F is U / V of the totals. If one adds more to U and
    less to V - U, F differs by the smaller of both / V at least. If both add as much to U, F
    differs by the share of V in which they differ, or is 0 for both. What differs by more than the
    margin, which is 1e-9 of the largest V, is not equal after rounding.
    """
    cdef double smaller = size_of(other, rule) - size_of(one, rule)
    cdef double more = one[0] - other[0]
    if more > margin:
        return smaller / (1 + rule.weight) + more > margin
    if more != 0 or smaller <= (1 + rule.weight) * margin:
        return False
    # Without correct edits, errors decide: wrong ones first, then missing ones.
    return not rule.by_errors or one[1] < other[1] - margin or (
        one[1] == other[1] and one[2] < other[2] - margin
    )


cdef int remove_beaten(
    int64_t[::1] offsets,
    int64_t[::1] references,
    double[:, ::1] gains,
    const WeightedRule* rule,
    int64_t n_rows,
) except -1 nogil:
    """Remove candidates that are never chosen in samples of `n_rows` sentences."""
    cdef int64_t sentence, first, last = 0, candidate, other, n_kept = 0
    cdef double largest = 0
    cdef bint is_beaten
    for candidate in range(offsets[offsets.shape[0] - 1]):
        largest = max(largest, size_of(&gains[candidate, 0], rule))
    for sentence in range(offsets.shape[0] - 1):
        first, last = last, offsets[sentence + 1]
        check_stop(1 + (last - first) * (last - first))
        offsets[sentence] = n_kept
        # A candidate that is beaten by a removed one is beaten by the one that beats both.
        for candidate in range(first, last):
            is_beaten = False
            for other in range(offsets[sentence], n_kept):
                is_beaten = is_beaten or always_beats(
                    &gains[other, 0], &gains[candidate, 0], rule, 1e-9 * largest * n_rows
                )
            for other in range(candidate + 1, last):
                is_beaten = is_beaten or always_beats(
                    &gains[other, 0], &gains[candidate, 0], rule, 1e-9 * largest * n_rows
                )
            if not is_beaten:
                references[n_kept] = references[candidate]
                gains[n_kept] = gains[candidate]
                n_kept += 1
    offsets[offsets.shape[0] - 1] = n_kept
    return 0


cdef int prepare(
    const double[:, :, ::1] sums,
    const uint8_t[:, ::1] mask,
    double weight,
    bint by_errors,
    int64_t[::1] offsets,
    int64_t[::1] references,
    double[:, ::1] gains,
    WeightedRule* rule,
    Candidates* candidates,
    int64_t n_rows,
) except -1 nogil:
    """List the references of each sentence that may be chosen in samples of `n_rows` sentences.

    The first of equal references is preferred.
    """
    cdef int64_t row, ref, other, n_candidates = 0
    cdef double correct, proposed, gold
    cdef int part
    cdef bint is_new
    rule.gains = &gains[0, 0]
    rule.weight = weight
    rule.by_errors = by_errors
    candidates.offsets = &offsets[0]
    candidates.gains = rule.gains
    candidates.is_combined = False
    candidates.factors[0] = 1 if by_errors else 0
    candidates.factors[1] = 1 / (1 + weight)
    candidates.factors[2] = weight / (1 + weight)
    candidates.factors[3] = 0
    candidates.is_safe = True
    candidates.kernel = rule
    candidates.decide = &decide
    for row in range(sums.shape[0]):
        check_stop(1 + sums.shape[1] * sums.shape[1])
        offsets[row] = n_candidates
        for ref in range(sums.shape[1]):
            is_new = mask[row, ref]
            for other in range(offsets[row], n_candidates):
                if (
                    gains[other, 0] == sums[row, ref, 0]
                    and gains[other, 1] == sums[row, ref, 1]
                    and gains[other, 2] == sums[row, ref, 2]
                ):
                    is_new = False
                    break
            if not is_new:
                continue
            references[n_candidates] = ref
            for part in range(3):
                gains[n_candidates, part] = sums[row, ref, part]
            correct = sums[row, ref, 0]
            proposed = sums[row, ref, 1] + (correct if by_errors else 0)
            gold = sums[row, ref, 2] + (correct if by_errors else 0)
            # The same weights, added in another order, may differ in the last bits.
            if not (
                0 <= correct <= proposed * (1 + 1e-9)
                and correct <= gold * (1 + 1e-9)
                and sums[row, ref, 1] >= 0
                and sums[row, ref, 2] >= 0
            ):
                candidates.is_safe = False
            n_candidates += 1
    offsets[sums.shape[0]] = n_candidates
    if candidates.is_safe:
        remove_beaten(offsets, references, gains, rule, n_rows)
    return 0


cdef class WeightedReferences:
    """The references of all sentences that may be chosen in samples of `n_rows` sentences."""

    cdef int64_t[::1] offsets
    cdef int64_t[::1] references
    cdef double[:, ::1] gains
    cdef WeightedRule rule
    cdef Candidates candidates

    def __init__(
        self,
        const double[:, :, ::1] sums,
        const uint8_t[:, ::1] mask,
        double beta,
        bint by_errors,
        int64_t n_rows,
    ):
        cdef int64_t n_sents = sums.shape[0], n_pairs = max(1, sums.shape[0] * sums.shape[1])
        self.offsets = np.zeros(n_sents + 1, dtype=np.int64)
        self.references = np.zeros(n_pairs, dtype=np.int64)
        self.gains = np.zeros((n_pairs, MAX_GAINS))
        with nogil:
            prepare(
                sums,
                mask,
                beta * beta,
                by_errors,
                self.offsets,
                self.references,
                self.gains,
                &self.rule,
                &self.candidates,
                n_rows,
            )


def choose_weighted(
    const double[:, :, ::1] sums,
    const uint8_t[:, ::1] mask,
    const int64_t[:, ::1] rows,
    double beta,
    *,
    bint by_errors,
    bint with_choice=True,
):
    """Choose the references of sentences in many samples.

    Parameters
    ----------
    sums
        ``(n_sents, n_refs, 3)``: weights of true positives, false positives and false negatives
        with `by_errors`, otherwise of correct, proposed and gold edits.
    mask
        ``(n_sents, n_refs)``: which references there are.
    rows
        ``(n_samples, n_rows)``: the sentences of each sample, in order.
    beta
        Weight of recall in F.
    with_choice
        Whether to return the chosen references; otherwise `chosen` has no rows.

    Returns
    -------
    totals
        ``(n_samples, 3)``.
    chosen
        ``(n_samples, n_rows)``, -1 without a reference.
    """
    cdef int64_t n_sents = sums.shape[0], n_refs = sums.shape[1]
    cdef int64_t n_samples = rows.shape[0], n_rows = rows.shape[1]
    cdef int64_t sample, number, row, best, part
    cdef double[3] running
    totals_array = np.zeros((n_samples, 3))
    chosen_array = np.full((n_samples if with_choice else 0, n_rows), -1, dtype=np.int64)
    cdef double[:, ::1] totals = totals_array
    cdef int64_t[:, ::1] chosen = chosen_array
    if not are_rows(rows, n_sents):
        raise IndexError("rows must be sentences of the corpus")
    cdef WeightedReferences known = WeightedReferences(sums, mask, beta, by_errors, n_rows)
    cdef const int64_t[::1] offsets = known.offsets
    with nogil:
        for sample in range(n_samples):
            for part in range(3):
                running[part] = 0
            check_stop(1 + 4 * n_refs * n_rows)
            for number in range(n_rows):
                row = rows[sample, number]
                if offsets[row] == offsets[row + 1]:
                    continue
                best = best_candidate(&known.candidates, running, row)
                for part in range(3):
                    running[part] += known.gains[best, part]
                if with_choice:
                    chosen[sample, number] = known.references[best]
            for part in range(3):
                totals[sample, part] = running[part]
    return totals_array, chosen_array


def swap_weighted(
    const double[:, :, ::1] sums,
    const uint8_t[:, ::1] mask,
    const uint8_t[:, ::1] flags,
    double beta,
    *,
    bint by_errors,
):
    """Return the totals ``(2, n_samples, 3)`` of two systems that swap sentences.

    The sentences of the second system follow those of the first in `sums` and `mask`, and `flags`
    ``(n_samples, n_sents)`` tell which of them are swapped. See `choose_weighted`.
    """
    cdef int64_t n_sents = sums.shape[0], n_refs = sums.shape[1]
    cdef uint8_t[::1] bits = np.zeros(flags.shape[1], dtype=np.uint8)
    result = np.zeros((2, flags.shape[0], 3))
    cdef double[:, :, ::1] totals = result
    if 2 * flags.shape[1] != n_sents or mask.shape[0] != n_sents or mask.shape[1] != n_refs:
        raise ValueError("flags and mask must fit the sentences of two systems")
    cdef WeightedReferences known = WeightedReferences(sums, mask, beta, by_errors, flags.shape[1])
    with nogil:
        swap_all(&known.candidates, flags, bits, totals)
    return result
