"""Choosing references by the weighted chunks of CLEME, for one corpus and for resampled ones.

A chunk of length l that is a true positive or a false negative weighs a / (1 + (a - 1) exp(m - l)),
a false positive a / (1 + (a - 1) exp(l - m)), both clipped; m is the mean length of the changed
chunks of all references in the sample, so every sample has weights of its own.

In each sentence, the first reference with the highest values is chosen. They are compared in order:

    for the totals so far: F or the combined score of totals + sums; sums of tp, -fp, -fn and tn
    for each sentence, by F: F, precision, recall, accuracy
    for each sentence, by the combined score: score, hit, -wrong, -under, -over
"""

from libc.math cimport exp
from libc.stdint cimport int64_t, uint8_t, uint64_t

from geceval.kernels.interrupt cimport check_stop
from geceval.kernels.mixtures cimport (
    BLOCK,
    LANES,
    MAX_GAINS,
    Candidates,
    Flags,
    Lanes,
    pack,
    store_block,
    swap_block,
    unpack_bytes,
    weigh_patterns,
)
from geceval.kernels.rounding cimport in_ten_thousandths
from geceval.kernels.sampled_rows cimport are_rows

import numpy as np

_LEAST_WEIGHT = 1e-3

# Columns of the counts: chunks by class, number and total length of changed reference chunks,
# and then the chunks of a sentence from left to right, as 1 + class + 4 length; 0 for none.
cdef enum:
    TP
    FP_NE
    FP_UN
    FN
    TN
    GOLD
    GOLD_LENGTH
    FIRST_CHUNK

# Columns of the result: the sums of the chosen references, as in `Sums`, the sums of the values of
# the sentences, the number of sentences with references, and the mean length.
cdef enum:
    N_SUMS = 6
    N_VALUES = 5
    N_OWN = N_SUMS + N_VALUES
    N_SENTS = N_OWN
    MEAN_LENGTH
    N_COLUMNS

cdef struct Sums:
    double tp
    double fp
    double fn
    double tn
    double fp_ne
    double fp_un

cdef struct ReferenceChunks:
    # A reference of a sentence: its chunks, and its sums unless these depend on weights.
    int64_t reference
    int64_t first
    int64_t last
    Sums sums

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
    double[5] at


cdef inline double weight_of(const Weight* weight, double distance) noexcept nogil:
    """Weigh a chunk by the distance of its length from the mean."""
    cdef double value = weight.alpha / (1 + (weight.alpha - 1) * exp(distance))
    if value < weight.low:
        return weight.low
    return weight.high if value > weight.high else value


cdef void weigh_lengths(
    const double[::1] lengths, double mean, const ChoiceRule* rule, double[:, ::1] table
) noexcept nogil:
    """Compute the weight of each class and length."""
    cdef int64_t place
    for place in range(lengths.shape[0]):
        table[place, TP] = weight_of(&rule.weights[0], mean - lengths[place])
        table[place, FP_NE] = weight_of(&rule.weights[1], lengths[place] - mean)
        table[place, FP_UN] = table[place, FP_NE]
        table[place, FN] = weight_of(&rule.weights[2], mean - lengths[place])


cdef double mean_length(
    const int64_t* rows, int64_t n_rows, const int64_t[:, ::1] gold
) noexcept nogil:
    """Return the mean length of the changed reference chunks of some sentences; 0 without any."""
    cdef int64_t number, n_chunks = 0, length = 0
    for number in range(n_rows):
        n_chunks += gold[rows[number], 0]
        length += gold[rows[number], 1]
    return <double> length / n_chunks if n_chunks else 0.0


cdef double mixed_length(
    const uint8_t* bits, int64_t lane, const int64_t[:, ::1] moves, const int64_t[:] total
) noexcept nogil:
    """Return the mean length of the changed reference chunks of a mixture of two systems.

    `moves` has the sentences in which the systems differ, and by how many chunks and tokens.
    """
    cdef int64_t place, n_chunks = total[0], length = total[1], is_other
    for place in range(moves.shape[0]):
        is_other = ((bits[moves[place, 0]] >> (lane % BLOCK)) & 1) ^ (lane >= BLOCK)
        n_chunks += is_other * moves[place, 1]
        length += is_other * moves[place, 2]
    return <double> length / n_chunks if n_chunks else 0.0


cdef inline Sums weighted(
    int64_t first, int64_t last, const int64_t* codes, const double* table, int step=1
) noexcept nogil:
    """Add the weights of chunks from left to right; those of codes are `step` apart."""
    cdef Sums sums = Sums(0, 0, 0, 0, 0, 0)
    cdef int64_t place, kind
    cdef double weight
    for place in range(first, last):
        kind = codes[place] & 3
        weight = table[step * codes[place]]
        if kind == TP:
            sums.tp += weight
        elif kind == FN:
            sums.fn += weight
        else:
            sums.fp += weight
            if kind == FP_NE:
                sums.fp_ne += weight
            else:
                sums.fp_un += weight
    return sums


cdef inline Sums sums_of(
    const ReferenceChunks* candidate, const Sums* pattern, bint is_weighted
) noexcept nogil:
    """Return the sums of a reference, with weights those of its pattern of chunks."""
    cdef Sums sums
    if not is_weighted:
        return candidate.sums
    sums = pattern[0]
    sums.tn = candidate.sums.tn
    return sums


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


cdef Values f_values(const Sums* sums, double beta, bint is_rounded) noexcept nogil:
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


cdef struct MixtureRule:
    # What decides between close scores; weights by code and lane.
    const ChoiceRule* choice
    const ReferenceChunks* candidates
    const int64_t* codes
    const double* weights


cdef int64_t decide(
    void* kernel, const double* totals, int64_t first, int64_t last, int64_t lane
) noexcept nogil:
    """Return the best candidate of a sentence for the totals of a lane."""
    cdef MixtureRule* rule = <MixtureRule*> kernel
    cdef Sums before = Sums(totals[0], 0, 0, 0, 0, 0), sums
    cdef Values values, best_values = running_values(&before, &before, rule.choice)
    cdef int64_t candidate, best = first
    cdef const ReferenceChunks* own
    if rule.choice.is_combined:
        before.fp_ne, before.fp_un, before.fn = totals[1], totals[2], totals[3]
    else:
        before.fp, before.fn = totals[1], totals[2]
    for candidate in range(first, last):
        own = &rule.candidates[candidate]
        sums = own.sums
        if rule.choice.is_weighted:
            sums = weighted(own.first, own.last, rule.codes, &rule.weights[lane], LANES)
            sums.tn = own.sums.tn
        values = running_values(&before, &sums, rule.choice)
        if candidate == first or is_better(&values, &best_values):
            best, best_values = candidate, values
    return best


cdef inline void copy_sums(const Sums* sums, double* gains, bint is_combined) noexcept nogil:
    """Copy the sums that enter the score: tp, fp and fn, or tp, fp_ne, fp_un and fn."""
    gains[0] = sums.tp
    gains[1] = sums.fp_ne if is_combined else sums.fp
    gains[2] = sums.fp_un if is_combined else sums.fn
    gains[3] = sums.fn if is_combined else 0


cdef bint are_equal_codes(
    const int64_t* codes, int64_t first, int64_t last, int64_t other_first, int64_t other_last
) noexcept nogil:
    """Whether two references have the same chunks."""
    cdef int64_t place
    if last - first != other_last - other_first:
        return False
    for place in range(last - first):
        if codes[first + place] != codes[other_first + place]:
            return False
    return True


cdef int64_t find_patterns(
    const ReferenceChunks* candidates,
    int64_t n_candidates,
    const int64_t* codes,
    int64_t[::1] slots,
    int64_t[::1] patterns,
    int64_t[:, ::1] spans,
) noexcept nogil:
    """Number the different sequences of chunks, and find where each is; return how many.

    `slots` is memory for a hash table with open addressing: a power of 2, of -1.
    """
    cdef int64_t candidate, place, first, last, n_patterns = 0
    cdef uint64_t key
    for candidate in range(n_candidates):
        first, last = candidates[candidate].first, candidates[candidate].last
        key = 14695981039346656037U
        for place in range(first, last):
            key = (key ^ <uint64_t> codes[place]) * 1099511628211U
        key ^= key >> 32
        while True:
            key &= <uint64_t> (slots.shape[0] - 1)
            if slots[key] < 0:
                slots[key] = n_patterns
                spans[n_patterns, 0], spans[n_patterns, 1] = first, last
                n_patterns += 1
                break
            if are_equal_codes(
                codes, first, last, spans[slots[key], 0], spans[slots[key], 1]
            ):
                break
            key += 1
        patterns[candidate] = slots[key]
    return n_patterns


cdef inline void add(const Sums* sums, double* target) noexcept nogil:
    """Add sums to a row of the result."""
    target[0] += sums.tp
    target[1] += sums.fp
    target[2] += sums.fn
    target[3] += sums.tn
    target[4] += sums.fp_ne
    target[5] += sums.fp_un


cdef inline void add_values(const Values* values, double* target) noexcept nogil:
    """Add values to a row of the result."""
    cdef int place
    for place in range(N_VALUES):
        target[N_SUMS + place] += values.at[place]


cdef bint are_equal(
    const ReferenceChunks* one, const ReferenceChunks* other, const int64_t* codes
) noexcept nogil:
    """Whether two references have the same chunks, so that the later one is never chosen."""
    return (
        are_equal_codes(codes, one.first, one.last, other.first, other.last)
        and one.sums.tp == other.sums.tp
        and one.sums.fn == other.sums.fn
        and one.sums.tn == other.sums.tn
        and one.sums.fp_ne == other.sums.fp_ne
        and one.sums.fp_un == other.sums.fp_un
    )


cdef inline int class_of(int64_t code) noexcept nogil:
    """Return the sum that a chunk adds to: both kinds of false positives weigh the same."""
    return FP_NE if code & 3 == FP_UN else code & 3


cdef int64_t surplus(
    const ReferenceChunks* one, const ReferenceChunks* other, const int64_t* codes, int kind
) noexcept nogil:
    """Return how many more chunks of a class `other` has, if it has those of `one` in order.

    Otherwise return -1. More chunks add to a sum also after rounding, and the same ones add the
    same.
    """
    cdef int64_t place = other.first, found = 0, code
    for code in codes[one.first : one.last]:
        if class_of(code) != kind:
            continue
        while place < other.last and (
            class_of(codes[place]) != kind or codes[place] >> 2 != code >> 2
        ):
            found += class_of(codes[place]) == kind
            place += 1
        if place == other.last:
            return -1
        place += 1
    for code in codes[place : other.last]:
        found += class_of(code) == kind
    return found


cdef bint is_dominated(
    const ReferenceChunks* one, const ReferenceChunks* other, const int64_t* codes, bint is_weighted
) noexcept nogil:
    """Whether `other` has all that is right in `one`, and nothing wrong that `one` has not.

    Then it has the higher F for all totals, or as high a one and is preferred for its sums.
    """
    cdef int64_t right, wrong, missing
    if is_weighted:
        right = surplus(one, other, codes, TP)
        wrong = surplus(other, one, codes, FP_NE)
        missing = surplus(other, one, codes, FN)
    else:
        right = <int64_t> (other.sums.tp - one.sums.tp)
        wrong = <int64_t> (one.sums.fp - other.sums.fp)
        missing = <int64_t> (one.sums.fn - other.sums.fn)
    return min(right, wrong, missing) >= 0 and max(right, wrong, missing) > 0


cdef int64_t remove_dominated(
    ReferenceChunks* candidates, int64_t n, const int64_t* codes, bint is_weighted
) noexcept nogil:
    """Remove references of a sentence that are never chosen; return how many are left."""
    cdef int64_t candidate, other, n_kept = 0
    cdef bint is_kept
    for candidate in range(n):
        is_kept = True
        for other in range(n):
            # Those that are removed already have been overwritten.
            if other < n_kept or other > candidate:
                is_kept = is_kept and not is_dominated(
                    &candidates[candidate], &candidates[other], codes, is_weighted
                )
        if is_kept:
            candidates[n_kept] = candidates[candidate]
            n_kept += 1
    return n_kept


cdef class ChunkChoice:
    """The references of a corpus, ready to be chosen from again and again.

    Parameters
    ----------
    counts
        ``(n_sents, n_refs, k)``: see the columns above; without weights, the chunks are ignored.
    mask
        ``(n_sents, n_refs)``: which references there are.
    weights
        Alpha, lowest and highest weight of true positives, false positives and false negatives;
        empty for none.
    running
        Whether to choose for the totals so far, otherwise for each sentence by itself.
    beta, rounded
        Weight of recall in F, and whether to round to four digits before values are compared.
    factors
        Factors of the combined score; empty for F.
    """

    cdef object _candidates_array
    cdef object _offsets_array
    cdef object _codes_array
    cdef object _lengths_array
    cdef object _gold_array
    cdef object _patterns_array
    cdef object _spans_array
    cdef int64_t _n_patterns
    cdef int64_t _n_sents
    cdef ChoiceRule _rule

    def __init__(
        self,
        counts,
        const uint8_t[:, ::1] mask,
        *,
        weights=(),
        bint running=True,
        double beta=0.5,
        bint rounded=False,
        factors=(),
    ):
        cdef const int64_t[:, :, ::1] table = np.ascontiguousarray(counts, dtype=np.int64)
        cdef int64_t n_sents = table.shape[0], n_refs = table.shape[1], n_columns = table.shape[2]
        cdef int64_t sentence, ref, column, other, n_candidates = 0, n_codes = 0
        cdef bint is_new, is_monotonic
        cdef int64_t[::1] offsets
        cdef int64_t[:, ::1] gold
        cdef uint8_t[::1] memory
        cdef const int64_t[::1] codes
        cdef const int64_t* first_code
        cdef ReferenceChunks* candidates
        cdef ReferenceChunks* own
        if n_columns < FIRST_CHUNK or mask.shape[0] != n_sents or mask.shape[1] != n_refs:
            raise ValueError("the counts and the mask do not fit")
        self._rule.is_weighted = len(weights) > 0
        self._rule.is_running = running
        self._rule.is_combined = len(factors) > 0
        self._rule.is_rounded = rounded
        self._rule.beta = beta
        for place, (alpha, low, high) in enumerate(weights):
            self._rule.weights[place] = Weight(alpha, low, high)
        for place, factor in enumerate(factors):
            self._rule.factors[place] = factor
        # Whether F never sinks if chunks are right instead of wrong, nor stays by rounding.
        is_monotonic = running and not rounded and not len(factors) and all(
            low >= _LEAST_WEIGHT for _, low, _ in weights
        )
        self._n_sents = n_sents
        chunks = np.asarray(table)[:, :, FIRST_CHUNK:][np.asarray(mask) != 0]
        chunks = chunks[chunks > 0] - 1 if self._rule.is_weighted else chunks[:0, :0].reshape(-1)
        lengths, places = np.unique(chunks >> 2, return_inverse=True)
        # Chunks refer to their length by its place, so that few weights have to be computed.
        self._lengths_array = lengths.astype(np.float64)
        self._codes_array = np.ascontiguousarray(4 * places.reshape(-1) + (chunks & 3))
        self._gold_array = np.zeros((n_sents, 2), dtype=np.int64)
        self._offsets_array = np.zeros(n_sents + 1, dtype=np.int64)
        self._candidates_array = np.zeros(
            max(1, n_sents * n_refs * <int64_t> sizeof(ReferenceChunks)), dtype=np.uint8
        )
        offsets = self._offsets_array
        codes = self._codes_array
        first_code = &codes[0] if codes.shape[0] else NULL
        gold = self._gold_array
        memory = self._candidates_array
        candidates = <ReferenceChunks*> &memory[0]
        with nogil:
            for sentence in range(n_sents):
                offsets[sentence] = n_candidates
                for ref in range(n_refs):
                    if not mask[sentence, ref]:
                        continue
                    own = &candidates[n_candidates]
                    own.reference = ref
                    own.first = n_codes
                    if self._rule.is_weighted:
                        for column in range(FIRST_CHUNK, n_columns):
                            n_codes += table[sentence, ref, column] > 0
                    else:
                        own.sums.tp = table[sentence, ref, TP]
                        own.sums.fn = table[sentence, ref, FN]
                        own.sums.fp_ne = table[sentence, ref, FP_NE]
                        own.sums.fp_un = table[sentence, ref, FP_UN]
                        own.sums.fp = own.sums.fp_ne + own.sums.fp_un
                    own.sums.tn = table[sentence, ref, TN]
                    own.last = n_codes
                    gold[sentence, 0] += table[sentence, ref, GOLD]
                    gold[sentence, 1] += table[sentence, ref, GOLD_LENGTH]
                    is_new = True
                    for other in range(offsets[sentence], n_candidates):
                        if are_equal(own, &candidates[other], first_code):
                            is_new = False
                            break
                    n_candidates += is_new
                if is_monotonic:
                    n_candidates = offsets[sentence] + remove_dominated(
                        &candidates[offsets[sentence]],
                        n_candidates - offsets[sentence],
                        first_code,
                        self._rule.is_weighted,
                    )
            offsets[n_sents] = n_candidates
        self._patterns_array = np.zeros(max(1, n_candidates), dtype=np.int64)
        self._spans_array = np.zeros((max(1, n_candidates), 2), dtype=np.int64)
        if self._rule.is_weighted:
            slots = np.full(2 << int(n_candidates).bit_length(), -1, dtype=np.int64)
            self._n_patterns = find_patterns(
                candidates,
                n_candidates,
                first_code,
                slots,
                self._patterns_array,
                self._spans_array,
            )

    def choose(self, rows=None):
        """Return the result, and for each sentence the chosen reference and its own result.

        The sentences are those of `rows`, in that order, or all of them; a sentence without
        references has -1.
        """
        order = np.arange(self._n_sents) if rows is None else np.asarray(rows)
        result = np.zeros((1, N_COLUMNS))
        chosen = np.full(len(order), -1, dtype=np.int64)
        own = np.zeros((len(order), N_OWN))
        self._run(np.ascontiguousarray(order.reshape(1, -1), dtype=np.int64), result, chosen, own)
        return result[0], chosen, own

    def resample(self, rows):
        """Return the results ``(n_resamples, 13)`` of many choices of sentences.

        The sums of the values of sentences are 0 if references are chosen for totals.
        """
        result = np.zeros((len(rows), N_COLUMNS))
        chosen, own = np.zeros(0, dtype=np.int64), np.zeros((0, N_OWN))
        self._run(np.ascontiguousarray(rows, dtype=np.int64), result, chosen, own)
        return result

    def swap(self, const uint8_t[:, ::1] flags):
        """Return the results ``(2, n_resamples, 13)`` of two systems that swap sentences.

        References must be chosen for totals. The sentences of the second system follow those of
        the first, and `flags` ``(n_resamples, n_sents)`` tell which of them are swapped. Only the
        sums that the score needs and the mean lengths are computed.
        """
        cdef const int64_t[::1] offsets = self._offsets_array
        cdef const uint8_t[::1] memory = self._candidates_array
        cdef const int64_t[::1] codes = self._codes_array
        cdef const double[::1] lengths = self._lengths_array
        cdef const int64_t[:, ::1] moves
        cdef const int64_t[:] gold_total
        cdef double[:, ::1] table = np.zeros((len(self._lengths_array), 4))
        cdef const ReferenceChunks* own = <const ReferenceChunks*> &memory[0]
        cdef const int64_t* first_code = &codes[0] if codes.shape[0] else NULL
        cdef double[:, ::1] weights = np.zeros((max(1, 4 * len(self._lengths_array)), LANES))
        cdef int64_t n_samples = flags.shape[0], n_rows = flags.shape[1]
        cdef int64_t n_candidates = offsets[self._n_sents], n_patterns = self._n_patterns
        cdef int64_t candidate, code, block, first, size, lane
        cdef bint is_combined = self._rule.is_combined
        cdef double weight = self._rule.beta * self._rule.beta, mean
        cdef double[:, ::1] gains = np.zeros((max(1, n_candidates), MAX_GAINS))
        cdef const int64_t[::1] patterns = self._patterns_array
        cdef const int64_t[:, ::1] spans = self._spans_array
        cdef double[:, :, ::1] lane_gains
        cdef uint8_t[::1] bits = np.zeros(n_rows, dtype=np.uint8)
        cdef Flags unpacked
        cdef Lanes found
        cdef Candidates candidates
        cdef MixtureRule rule
        cdef int[4] columns, parts
        result = np.zeros((2, n_samples, N_COLUMNS))
        cdef double[:, :, ::1] totals = result
        if 2 * n_rows != self._n_sents or not self._rule.is_running:
            raise ValueError("flags must fit the sentences of two systems, chosen for totals")
        lane_gains = np.zeros((max(1, n_patterns), MAX_GAINS, LANES))
        ours, theirs = np.split(self._gold_array, 2)
        differ = np.flatnonzero(np.any(ours != theirs, axis=1))
        moves = np.column_stack((differ, (theirs - ours)[differ]))
        gold_total = ours.sum(axis=0)
        rule = MixtureRule(&self._rule, own, first_code, &weights[0, 0])
        candidates.offsets = &offsets[0]
        candidates.gains = NULL if self._rule.is_weighted else &gains[0, 0]
        candidates.patterns = &patterns[0]
        candidates.lane_gains = &lane_gains[0, 0, 0]
        candidates.is_combined = is_combined
        candidates.is_safe = not self._rule.is_rounded
        candidates.kernel = &rule
        candidates.decide = &decide
        if is_combined:
            candidates.factors[0] = self._rule.factors[0]
            candidates.factors[1] = -self._rule.factors[1]
            candidates.factors[2] = -self._rule.factors[3]
            candidates.factors[3] = -self._rule.factors[2]
            columns, parts = [0, 4, 5, 2], [0, 1, 2, 3]
        else:
            candidates.factors = [1, 1 / (1 + weight), weight / (1 + weight), 0]
            columns, parts = [0, 1, 2, -1], [0, 1, 1, 2]
        with nogil:
            for candidate in range(n_candidates):
                copy_sums(&own[candidate].sums, &gains[candidate, 0], is_combined)
            unpack_bytes(&unpacked)
            for block in range((n_samples + BLOCK - 1) // BLOCK if n_rows else 0):
                first = BLOCK * block
                size = min(<int64_t> BLOCK, n_samples - first)
                check_stop(16 * size * n_rows + LANES * n_patterns)
                pack(&flags[first, 0], n_rows, size, &bits[0])
                for lane in range(LANES if self._rule.is_weighted else 0):
                    mean = mixed_length(&bits[0], lane, moves, gold_total)
                    weigh_lengths(lengths, mean, &self._rule, table)
                    for code in range(4 * lengths.shape[0]):
                        weights[code, lane] = table[code // 4, code % 4]
                    if lane % BLOCK < size:
                        totals[lane // BLOCK, first + lane % BLOCK, MEAN_LENGTH] = mean
                weigh_patterns(
                    n_patterns,
                    &spans[0, 0],
                    first_code,
                    parts,
                    &weights[0, 0],
                    &lane_gains[0, 0, 0],
                )
                swap_block(&candidates, &bits[0], &unpacked, n_rows, &found)
                store_block(&found, first, size, columns, totals)
        return result

    cdef _run(
        self,
        const int64_t[:, ::1] rows,
        double[:, ::1] result,
        int64_t[::1] chosen,
        double[:, ::1] own,
    ):
        cdef const int64_t[::1] offsets = self._offsets_array
        cdef const uint8_t[::1] memory = self._candidates_array
        cdef const int64_t[::1] codes = self._codes_array
        cdef const double[::1] lengths = self._lengths_array
        cdef const int64_t[:, ::1] gold = self._gold_array
        cdef double[:, ::1] table = np.zeros((len(self._lengths_array), 4))
        cdef const ReferenceChunks* candidates = <const ReferenceChunks*> &memory[0]
        cdef int64_t sample, number, row, candidate, best, n_rows = rows.shape[1]
        cdef Sums sums, totals, best_sums = Sums(0, 0, 0, 0, 0, 0)
        cdef int64_t n_sents
        cdef const int64_t* first_code = &codes[0] if codes.shape[0] else NULL
        cdef const double* weights = &table[0, 0] if table.shape[0] else NULL
        cdef const int64_t[::1] patterns = self._patterns_array
        cdef const int64_t[:, ::1] spans = self._spans_array
        cdef int64_t pattern
        cdef uint8_t[::1] pattern_memory = np.zeros(
            max(1, self._n_patterns) * <int64_t> sizeof(Sums), dtype=np.uint8
        )
        cdef Sums* by_pattern = <Sums*> &pattern_memory[0]
        cdef bint is_weighted = self._rule.is_weighted
        cdef Values values, best_values = f_values(&best_sums, 1, False)
        cdef bint has_values = not self._rule.is_running or own.shape[0] > 0
        if not n_rows or not rows.shape[0]:
            return
        if not are_rows(rows, self._n_sents):
            raise IndexError("rows must be sentences of the corpus")
        with nogil:
            for sample in range(rows.shape[0]):
                check_stop(64 * n_rows + codes.shape[0])
                totals = Sums(0, 0, 0, 0, 0, 0)
                n_sents = 0
                result[sample, MEAN_LENGTH] = mean_length(&rows[sample, 0], n_rows, gold)
                weigh_lengths(lengths, result[sample, MEAN_LENGTH], &self._rule, table)
                for pattern in range(self._n_patterns):
                    by_pattern[pattern] = weighted(
                        spans[pattern, 0], spans[pattern, 1], first_code, weights
                    )
                for number in range(n_rows):
                    row = rows[sample, number]
                    best = -1
                    if offsets[row + 1] - offsets[row] == 1:
                        best = offsets[row]
                        best_sums = sums_of(
                            &candidates[best], &by_pattern[patterns[best]], is_weighted
                        )
                    for candidate in range(
                        offsets[row] if best < 0 else offsets[row + 1], offsets[row + 1]
                    ):
                        sums = sums_of(
                            &candidates[candidate], &by_pattern[patterns[candidate]], is_weighted
                        )
                        values = (
                            running_values(&totals, &sums, &self._rule)
                            if self._rule.is_running
                            else sentence_values(&sums, &self._rule)
                        )
                        if best < 0 or is_better(&values, &best_values):
                            best, best_values, best_sums = candidate, values, sums
                    if best < 0:
                        continue
                    totals = together(&totals, &best_sums)
                    if has_values:
                        best_values = sentence_values(&best_sums, &self._rule)
                        add_values(&best_values, &result[sample, 0])
                    n_sents += 1
                    if chosen.shape[0]:
                        chosen[number] = candidates[best].reference
                        add(&best_sums, &own[number, 0])
                        add_values(&best_values, &own[number, 0])
                add(&totals, &result[sample, 0])
                result[sample, N_SENTS] = n_sents
