"""Scores of chunks, by which references are compared: F or the combined score, and tie breakers."""

from geceval.kernels.reference_chunks cimport Sums
from geceval.kernels.rounding cimport in_ten_thousandths

cdef enum:
    N_VALUES = 5

cdef struct Weight:
    double alpha
    double low
    double high

cdef struct ChoiceRule:
    bint is_weighted
    bint is_running
    bint is_combined
    bint is_rounded
    double beta
    Weight[3] weights
    double[4] factors

cdef struct Values:
    # What is maximized; all but the first break ties.
    double[N_VALUES] at


cdef inline Sums together(const Sums* one, const Sums* other) noexcept nogil:
    cdef Sums sums
    sums.tp = one.tp + other.tp
    sums.fp = one.fp + other.fp
    sums.fn = one.fn + other.fn
    sums.tn = one.tn + other.tn
    sums.fp_ne = one.fp_ne + other.fp_ne
    sums.fp_un = one.fp_un + other.fp_un
    return sums


cdef inline double share(double part, double rest, double otherwise) noexcept nogil:
    """Return part / (part + rest)."""
    return part / (part + rest) if part + rest > 0 else otherwise


cdef inline double f_score(double precision, double recall, double beta) noexcept nogil:
    cdef double weight = beta * beta
    cdef double below = weight * precision + recall
    if weight == 0:
        # F is the precision, also where the recall is 0.
        return precision
    return (1 + weight) * precision * recall / below if below > 0 else 0.0


cdef inline Values combined_values(const Sums* sums, const ChoiceRule* rule) noexcept nogil:
    """Return the combined score and the four rates, signed so that more is better."""
    cdef Values values
    cdef double needed = sums.tp + sums.fp_ne + sums.fn
    cdef double proposed = sums.tp + sums.fp_ne + sums.fp_un
    cdef double hit = sums.tp / needed if needed > 0 else 0.0
    cdef double wrong = sums.fp_ne / needed if needed > 0 else 0.0
    cdef double under = sums.fn / needed if needed > 0 else 0.0
    cdef double over = sums.fp_un / proposed if proposed > 0 else 0.0
    values.at[0] = (
        rule.factors[0] * hit
        + rule.factors[1] * (1 - wrong)
        + rule.factors[2] * (1 - under)
        + rule.factors[3] * (1 - over)
    )
    values.at[1] = hit
    values.at[2] = -wrong
    values.at[3] = -under
    values.at[4] = -over
    return values


cdef inline Values f_values(const Sums* sums, double beta, bint is_rounded) noexcept nogil:
    """Return F, precision, recall and accuracy."""
    cdef Values values
    cdef int place
    values.at[1] = share(sums.tp, sums.fp, 1.0)
    values.at[2] = share(sums.tp, sums.fn, 1.0)
    values.at[0] = f_score(values.at[1], values.at[2], beta)
    values.at[3] = share(sums.tp + sums.tn, sums.fp + sums.fn, 1.0)
    values.at[4] = 0
    if is_rounded:
        for place in range(4):
            values.at[place] = in_ten_thousandths(values.at[place]) / 10000
    return values


cdef inline Values sentence_values(const Sums* sums, const ChoiceRule* rule) noexcept nogil:
    """Return the values of a sentence by itself."""
    if rule.is_combined:
        return combined_values(sums, rule)
    return f_values(sums, rule.beta, rule.is_rounded and not rule.is_running)


cdef inline double total_score(const Sums* sums, const ChoiceRule* rule) noexcept nogil:
    """Return the score of totals, by which references are compared."""
    cdef double weight = rule.beta * rule.beta
    if rule.is_combined:
        return combined_values(sums, rule).at[0]
    if rule.is_rounded:
        return f_values(sums, rule.beta, True).at[0]
    # In one division, so that scores of integers are equal if they should be.
    return share((1 + weight) * sums.tp, sums.fp + weight * sums.fn, 1.0)


cdef inline Values running_values(
    const Sums* totals, const Sums* sums, const ChoiceRule* rule
) noexcept nogil:
    """Return the score of the totals with a sentence, and what the sentence adds to them."""
    cdef Values values
    cdef Sums after = together(totals, sums)
    values.at[0] = total_score(&after, rule)
    values.at[1] = sums.tp
    values.at[2] = -sums.fp
    values.at[3] = -sums.fn
    values.at[4] = sums.tn
    return values


cdef inline bint is_better(const Values* own, const Values* best) noexcept nogil:
    cdef int place
    for place in range(N_VALUES):
        if own.at[place] != best.at[place]:
            return own.at[place] > best.at[place]
    return False
