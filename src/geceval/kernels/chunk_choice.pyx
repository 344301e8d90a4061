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
from libc.stdint cimport int64_t, uint8_t

from geceval.kernels.chunk_scores cimport (
    N_VALUES,
    ChoiceRule,
    Values,
    Weight,
    f_values,
    is_better,
    running_values,
    sentence_values,
    together,
)
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
from geceval.kernels.reference_chunks cimport (
    FIRST_CHUNK,
    FN,
    FP_NE,
    FP_UN,
    GOLD,
    GOLD_LENGTH,
    TN,
    TP,
    ReferenceChunks,
    Sums,
    are_equal,
    find_patterns,
    remove_dominated,
)
from geceval.kernels.sampled_rows cimport are_rows

import numpy as np

_LEAST_WEIGHT = 1e-3

# Columns of the result: the sums of the chosen references, as in `Sums`, the sums of the values of
# the sentences, the number of sentences with references, and the mean length.
cdef enum:
    N_SUMS = 6
    N_OWN = N_SUMS + N_VALUES
    N_SENTS = N_OWN
    MEAN_LENGTH
    N_COLUMNS

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
