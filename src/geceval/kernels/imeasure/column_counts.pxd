"""Counts of alignment columns by class; metrics of counts as exact fractions.

    WAcc = (w TP + TN) / (w (TP + FP) + TN + FN - (w + 1) FPN / 2)
    I    = (WAcc - base) / (1 - base)  if WAcc > base
           WAcc / base - 1             if WAcc < base
           1 if WAcc = 1, else 0       if WAcc = base

Fractions are compared without rounding, so that equal scores are equal.
"""

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    /* A count has 12 bits; FP and FN are without those columns that are both. */
    #define GECEVAL_TP ((int64_t) 1)
    #define GECEVAL_TN ((int64_t) 1 << 12)
    #define GECEVAL_FP ((int64_t) 1 << 24)
    #define GECEVAL_FN ((int64_t) 1 << 36)
    #define GECEVAL_FPN ((int64_t) 1 << 48)

    /* The sign of a/b - c/d; b and d are positive, or d is 0 and c/d is beyond all others. */
    static inline int geceval_compare(long long a, long long b, long long c, long long d) {
        __extension__ typedef __int128 wide;
        wide left = (wide) a * d, right = (wide) c * b;
        return (left > right) - (left < right);
    }
    """
    # Classes of columns, as packed counts.
    const int64_t TP "GECEVAL_TP"
    const int64_t TN "GECEVAL_TN"
    const int64_t FP "GECEVAL_FP"
    const int64_t FN "GECEVAL_FN"
    const int64_t FPN "GECEVAL_FPN"
    int compare_fractions "geceval_compare"(
        long long a, long long b, long long c, long long d
    ) noexcept nogil

# What may be maximized.
cdef enum:
    BY_TP
    BY_TN
    BY_FP
    BY_FN
    BY_PRECISION
    BY_RECALL
    BY_F
    BY_ACC
    BY_WACC
    BY_I

cdef enum:
    MOST_COLUMNS = 4000  # Of an alignment, for a packed count to hold them.
    N_CLASSES = 5
    N_KEYS = 8


cdef struct Criterion:
    # What to maximize; the weight and beta are fractions.
    int32_t metric
    bint detection
    int64_t weight_numerator
    int64_t weight_denominator
    int64_t beta_numerator
    int64_t beta_denominator


cdef struct ColumnCounts:
    int64_t tp
    int64_t tn
    int64_t fp
    int64_t fn
    int64_t fpn


cdef struct Fraction:
    int64_t numerator
    int64_t denominator


cdef struct RankingKey:
    # What references are compared by, lexicographically.
    Fraction[N_KEYS] values


cdef struct Objective:
    # The linear objective N - lambda D of Dinkelbach: coefficients of the classes, and a constant.
    int64_t tp
    int64_t tn
    int64_t fp
    int64_t fn
    int64_t fpn
    int64_t constant


cdef inline int64_t column_class(int32_t s, int32_t h, int32_t r) noexcept nogil:
    if s == h:
        return TN if h == r else FN
    if s == r:
        return FP
    return TP if h == r else FPN


cdef inline int64_t part(int64_t packed, int32_t number) noexcept nogil:
    return (packed >> (12 * number)) & 0xFFF


cdef inline ColumnCounts unpacked(int64_t packed) noexcept nogil:
    cdef ColumnCounts counts
    counts.fpn = part(packed, 4)
    counts.tp = part(packed, 0)
    counts.tn = part(packed, 1)
    counts.fp = part(packed, 2) + counts.fpn
    counts.fn = part(packed, 3) + counts.fpn
    return counts


cdef inline ColumnCounts unchanged(int64_t tn, int64_t fn) noexcept nogil:
    """Counts of the source itself, which corrects nothing."""
    cdef ColumnCounts counts = unpacked(0)
    counts.tn = tn
    counts.fn = fn
    return counts


cdef inline ColumnCounts plus(ColumnCounts a, ColumnCounts b) noexcept nogil:
    a.tp += b.tp
    a.tn += b.tn
    a.fp += b.fp
    a.fn += b.fn
    a.fpn += b.fpn
    return a


cdef inline ColumnCounts detected(ColumnCounts counts) noexcept nogil:
    """Counts for detection: a wrong correction of an error detects it."""
    counts.tp += counts.fpn
    counts.fp -= counts.fpn
    counts.fn -= counts.fpn
    counts.fpn = 0
    return counts


cdef inline ColumnCounts side_of(const Criterion* criterion, ColumnCounts counts) noexcept nogil:
    """Counts for what is maximized, detection or correction."""
    return detected(counts) if criterion.detection else counts


cdef inline Fraction ratio(
    const Criterion* criterion, int32_t metric, ColumnCounts c
) noexcept nogil:
    """The metric of counts as a fraction of whole numbers; a mere count is over 1."""
    cdef Fraction result
    cdef int64_t p, q
    result.denominator = 1
    if metric == BY_TP:
        result.numerator = c.tp
    elif metric == BY_TN:
        result.numerator = c.tn
    elif metric == BY_FP:
        result.numerator = c.fp
    elif metric == BY_FN:
        result.numerator = c.fn
    elif metric == BY_PRECISION:
        result.numerator = c.tp
        result.denominator = c.tp + c.fp
    elif metric == BY_RECALL:
        result.numerator = c.tp
        result.denominator = c.tp + c.fn
    elif metric == BY_F:
        p = criterion.beta_numerator * criterion.beta_numerator
        q = criterion.beta_denominator * criterion.beta_denominator
        result.numerator = (p + q) * c.tp
        result.denominator = result.numerator + p * c.fn + q * c.fp
    elif metric == BY_ACC:
        result.numerator = c.tp + c.tn
        result.denominator = result.numerator + c.fp + c.fn - c.fpn
    else:
        p = criterion.weight_numerator
        q = criterion.weight_denominator
        result.numerator = 2 * (p * c.tp + q * c.tn)
        result.denominator = result.numerator + 2 * (p * c.fp + q * c.fn) - (p + q) * c.fpn
    return result


cdef inline Fraction defined(Fraction value) noexcept nogil:
    """Nothing of nothing is all of it."""
    if not value.denominator:
        value.numerator = value.denominator = 1
    return value


cdef inline Fraction improvement(Fraction system, Fraction base) noexcept nogil:
    """I, from the weighted accuracies of the system and of the source itself."""
    cdef int64_t gain = system.numerator * base.denominator - base.numerator * system.denominator
    cdef Fraction result
    result.numerator = gain
    if gain > 0:
        result.denominator = system.denominator * (base.denominator - base.numerator)
    elif gain < 0:
        result.denominator = system.denominator * base.numerator
    else:
        result.numerator = system.numerator == system.denominator
        result.denominator = 1
    return result


cdef inline RankingKey ranking_key(
    const Criterion* criterion, ColumnCounts counts, ColumnCounts base
) noexcept nogil:
    """Compute the key of a reference: metric, I, WAcc, Acc of one aspect, then of the other."""
    cdef RankingKey result
    cdef ColumnCounts side
    cdef Fraction wacc
    # Without corrections no weight enters, and the numbers stay small.
    cdef Fraction base_wacc = defined(ratio(criterion, BY_ACC, base))
    cdef int32_t number
    for number in range(2):
        side = detected(counts) if criterion.detection == (number == 0) else counts
        wacc = defined(ratio(criterion, BY_WACC, side))
        result.values[4 * number + 1] = improvement(wacc, base_wacc)
        result.values[4 * number + 2] = wacc
        result.values[4 * number + 3] = defined(ratio(criterion, BY_ACC, side))
        if criterion.metric == BY_I:
            result.values[4 * number] = result.values[4 * number + 1]
        else:
            result.values[4 * number] = defined(ratio(criterion, criterion.metric, side))
    return result


cdef inline RankingKey lowest_key() noexcept nogil:
    """Return a key that is lower than that of any reference."""
    cdef RankingKey result
    cdef int32_t place
    for place in range(N_KEYS):
        result.values[place].numerator = -1
        result.values[place].denominator = 0
    return result


cdef inline bint ranks_higher(const RankingKey* one, const RankingKey* other) noexcept nogil:
    cdef int32_t place, order
    for place in range(N_KEYS):
        order = compare_fractions(
            one.values[place].numerator,
            one.values[place].denominator,
            other.values[place].numerator,
            other.values[place].denominator,
        )
        if order:
            return order > 0
    return False


cdef inline int64_t value_of(const Objective* objective, int64_t packed) noexcept nogil:
    return (
        objective.tp * part(packed, 0)
        + objective.tn * part(packed, 1)
        + objective.fp * part(packed, 2)
        + objective.fn * part(packed, 3)
        + objective.fpn * part(packed, 4)
    )
