"""Counts of columns by class, and what is made of them: ratios of whole numbers, and prices.

Everything is compared as fractions, so that equal scores are equal.
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
    N_STANDING = 8


cdef struct Rule:
    # What to maximize; the weight and beta are fractions.
    int32_t metric
    bint detection
    int64_t weight_above
    int64_t weight_below
    int64_t beta_above
    int64_t beta_below


cdef struct Counts:
    int64_t tp
    int64_t tn
    int64_t fp
    int64_t fn
    int64_t fpn


cdef struct Ratio:
    int64_t above
    int64_t below


cdef struct Standing:
    # What references are compared by, most important first.
    Ratio[N_STANDING] values


cdef struct Price:
    # What each class of columns is worth at a fixed price of the denominator, and what is paid
    # in advance.
    int64_t tp
    int64_t tn
    int64_t fp
    int64_t fn
    int64_t fpn
    int64_t advance


cdef inline int64_t column_class(int32_t s, int32_t h, int32_t r) noexcept nogil:
    if s == h:
        return TN if h == r else FN
    if s == r:
        return FP
    return TP if h == r else FPN


cdef inline int64_t part(int64_t packed, int32_t number) noexcept nogil:
    return (packed >> (12 * number)) & 0xFFF


cdef inline Counts unpacked(int64_t packed) noexcept nogil:
    cdef Counts counts
    counts.fpn = part(packed, 4)
    counts.tp = part(packed, 0)
    counts.tn = part(packed, 1)
    counts.fp = part(packed, 2) + counts.fpn
    counts.fn = part(packed, 3) + counts.fpn
    return counts


cdef inline Counts unchanged(int64_t tn, int64_t fn) noexcept nogil:
    """Counts of the source itself, which corrects nothing."""
    cdef Counts counts = unpacked(0)
    counts.tn = tn
    counts.fn = fn
    return counts


cdef inline Counts plus(Counts a, Counts b) noexcept nogil:
    a.tp += b.tp
    a.tn += b.tn
    a.fp += b.fp
    a.fn += b.fn
    a.fpn += b.fpn
    return a


cdef inline Counts detected(Counts counts) noexcept nogil:
    """Counts for detection: a wrong correction of an error detects it."""
    counts.tp += counts.fpn
    counts.fp -= counts.fpn
    counts.fn -= counts.fpn
    counts.fpn = 0
    return counts


cdef inline Counts side_of(const Rule* rule, Counts counts) noexcept nogil:
    """Counts for what is maximized, detection or correction."""
    return detected(counts) if rule.detection else counts


cdef inline Ratio ratio(const Rule* rule, int32_t metric, Counts c) noexcept nogil:
    """The metric of counts as a fraction of whole numbers; what is counted has 1 below it."""
    cdef Ratio result
    cdef int64_t p, q
    result.below = 1
    if metric == BY_TP:
        result.above = c.tp
    elif metric == BY_TN:
        result.above = c.tn
    elif metric == BY_FP:
        result.above = c.fp
    elif metric == BY_FN:
        result.above = c.fn
    elif metric == BY_PRECISION:
        result.above = c.tp
        result.below = c.tp + c.fp
    elif metric == BY_RECALL:
        result.above = c.tp
        result.below = c.tp + c.fn
    elif metric == BY_F:
        p = rule.beta_above * rule.beta_above
        q = rule.beta_below * rule.beta_below
        result.above = (p + q) * c.tp
        result.below = result.above + p * c.fn + q * c.fp
    elif metric == BY_ACC:
        result.above = c.tp + c.tn
        result.below = result.above + c.fp + c.fn - c.fpn
    else:
        p = rule.weight_above
        q = rule.weight_below
        result.above = 2 * (p * c.tp + q * c.tn)
        result.below = result.above + 2 * (p * c.fp + q * c.fn) - (p + q) * c.fpn
    return result


cdef inline Ratio defined(Ratio value) noexcept nogil:
    """Nothing of nothing is all of it."""
    if not value.below:
        value.above = value.below = 1
    return value


cdef inline Ratio improvement(Ratio system, Ratio base) noexcept nogil:
    """I, from the weighted accuracies of the system and of the source itself."""
    cdef int64_t gain = system.above * base.below - base.above * system.below
    cdef Ratio result
    result.above = gain
    if gain > 0:
        result.below = system.below * (base.below - base.above)
    elif gain < 0:
        result.below = system.below * base.above
    else:
        result.above = system.above == system.below
        result.below = 1
    return result


cdef inline Standing standing(const Rule* rule, Counts counts, Counts base) noexcept nogil:
    """How a reference stands: the metric, I, WAcc and Acc of one aspect, then of the other."""
    cdef Standing result
    cdef Counts side
    cdef Ratio wacc
    # Without corrections no weight enters, and the numbers stay small.
    cdef Ratio base_wacc = defined(ratio(rule, BY_ACC, base))
    cdef int32_t number
    for number in range(2):
        side = detected(counts) if rule.detection == (number == 0) else counts
        wacc = defined(ratio(rule, BY_WACC, side))
        result.values[4 * number + 1] = improvement(wacc, base_wacc)
        result.values[4 * number + 2] = wacc
        result.values[4 * number + 3] = defined(ratio(rule, BY_ACC, side))
        if rule.metric == BY_I:
            result.values[4 * number] = result.values[4 * number + 1]
        else:
            result.values[4 * number] = defined(ratio(rule, rule.metric, side))
    return result


cdef inline Standing lowest_standing() noexcept nogil:
    """How nothing stands: lower than any reference."""
    cdef Standing result
    cdef int32_t place
    for place in range(N_STANDING):
        result.values[place].above = -1
        result.values[place].below = 0
    return result


cdef inline bint stands_higher(const Standing* one, const Standing* other) noexcept nogil:
    cdef int32_t place, order
    for place in range(N_STANDING):
        order = compare_fractions(
            one.values[place].above,
            one.values[place].below,
            other.values[place].above,
            other.values[place].below,
        )
        if order:
            return order > 0
    return False


cdef inline int64_t worth(const Price* price, int64_t packed) noexcept nogil:
    return (
        price.tp * part(packed, 0)
        + price.tn * part(packed, 1)
        + price.fp * part(packed, 2)
        + price.fn * part(packed, 3)
        + price.fpn * part(packed, 4)
    )
