"""Edits of TER: insertions, deletions, substitutions of words, and shifts of blocks of words.

Snover et al. (2006), with the limits of Tercom that sacreBLEU follows. Blocks are shifted one at a
time, greedily, while that lowers the edit distance:

- A block of at most 10 words of the hypothesis may be shifted to where the reference has it, if
  these places are at most 50 words apart, and the alignment of least edits has an error in both.
- The block is inserted after a word that is aligned with the word before that place, or with a
  word of the block there. Of shifts that lower the distance as much, the longest block, then the
  first one in the hypothesis, then the first target is preferred.
- Only cells of the edit distance around the diagonal are computed. Of steps that cost the same,
  a match or substitution is preferred to a deletion, and that to an insertion.
- After 1,000 distances, the search ends without a further shift.
"""

from libc.math cimport ceil, floor
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from geceval.kernels._memory cimport grow_int32, grow_int64, grow_uint8
from geceval.kernels.interrupt cimport raise_stopped, should_stop

cdef enum:
    MAX_BLOCK = 10
    MAX_DISTANCE = 50
    MAX_DISTANCES = 1000
    BEAM = 25
    UNREACHED = 1 << 30

cdef enum:
    KEEP = 0
    SUBSTITUTE = 1
    DELETE = 2
    INSERT = 3


cdef struct Workspace:
    # The hypothesis, after the shifts so far, after a tried shift, and after the best one.
    int32_t* words
    int32_t* tried
    int32_t* best
    size_t words_size
    # Two rows of the edit distance.
    int32_t* above
    int32_t* row
    size_t row_size
    # The step into each cell.
    uint8_t* steps
    size_t steps_size
    # For each word of the reference, the last word of the hypothesis aligned up to it, or -1.
    int64_t* aligned
    size_t aligned_size
    # How many words before each position are in error.
    int32_t* reference_errors
    int32_t* hypothesis_errors
    size_t errors_size
    bint failed
    bint is_stopped


cdef bint make_room(Workspace* work, size_t n_hyp, size_t n_ref) noexcept nogil:
    cdef size_t size = work.words_size, longest = max(n_hyp, n_ref) + 1
    grow_int32(&work.words, &size, longest, &work.failed)
    size = work.words_size
    grow_int32(&work.tried, &size, longest, &work.failed)
    grow_int32(&work.best, &work.words_size, longest, &work.failed)
    size = work.row_size
    grow_int32(&work.above, &size, n_ref + 1, &work.failed)
    grow_int32(&work.row, &work.row_size, n_ref + 1, &work.failed)
    grow_uint8(&work.steps, &work.steps_size, (n_hyp + 1) * (n_ref + 1), &work.failed)
    grow_int64(&work.aligned, &work.aligned_size, n_ref + 1, &work.failed)
    size = work.errors_size
    grow_int32(&work.reference_errors, &size, longest, &work.failed)
    grow_int32(&work.hypothesis_errors, &work.errors_size, longest, &work.failed)
    return not work.failed


cdef void release(Workspace* work) noexcept nogil:
    free(work.words)
    free(work.tried)
    free(work.best)
    free(work.above)
    free(work.row)
    free(work.steps)
    free(work.aligned)
    free(work.reference_errors)
    free(work.hypothesis_errors)


cdef int64_t edit_distance(
    Workspace* work,
    const int32_t* hyp,
    int64_t n_hyp,
    const int32_t* ref,
    int64_t n_ref,
    bint keeps_steps,
) noexcept nogil:
    """Return the edit distance within the beam; optionally keep the step into each cell."""
    cdef int64_t i, j, start, end, above_start = 0, above_end = n_ref + 1
    cdef int64_t diagonal, beam = BEAM
    cdef double slope = <double> n_ref / n_hyp if n_hyp else 1.0
    cdef int32_t cost, best
    cdef int32_t* swap
    cdef uint8_t step
    if beam < slope / 2:
        beam = <int64_t> ceil(slope / 2 + BEAM)
    for j in range(n_ref + 1):
        work.above[j] = <int32_t> j
    for i in range(1, n_hyp + 1):
        diagonal = <int64_t> floor(i * slope)
        start = max(0, diagonal - beam)
        end = n_ref + 1 if i == n_hyp else min(n_ref + 1, diagonal + beam)
        for j in range(start, end):
            best = UNREACHED
            step = KEEP
            if above_start < j <= above_end:
                best = work.above[j - 1]
                if hyp[i - 1] != ref[j - 1]:
                    best += 1
                    step = SUBSTITUTE
            if above_start <= j < above_end:
                cost = work.above[j] + 1
                if cost < best:
                    best = cost
                    step = DELETE
            if j > start:
                cost = work.row[j - 1] + 1
                if cost < best:
                    best = cost
                    step = INSERT
            work.row[j] = best
            if keeps_steps:
                work.steps[i * (n_ref + 1) + j] = step
        swap = work.above
        work.above = work.row
        work.row = swap
        above_start = start
        above_end = end
    work.is_stopped = work.is_stopped or should_stop(n_hyp * 2 * beam + n_ref)
    return work.above[n_ref]


cdef void align(Workspace* work, int64_t n_hyp, int64_t n_ref) noexcept nogil:
    """Follow the kept steps: which words are aligned, and which are in error."""
    cdef int64_t i = n_hyp, j = n_ref
    cdef uint8_t step
    # First, whether each word is in error; the sums of this follow.
    while i > 0 or j > 0:
        step = INSERT if i == 0 else work.steps[i * (n_ref + 1) + j]
        if step != DELETE:
            work.aligned[j - 1] = i - 1
            work.reference_errors[j] = step != KEEP
            j -= 1
        if step != INSERT:
            work.hypothesis_errors[i] = step != KEEP
            i -= 1
    work.reference_errors[0] = work.hypothesis_errors[0] = 0
    for i in range(n_hyp):
        work.hypothesis_errors[i + 1] += work.hypothesis_errors[i]
    for j in range(n_ref):
        work.reference_errors[j + 1] += work.reference_errors[j]


cdef void shift(
    const int32_t* words, int32_t* moved, int64_t n_words, int64_t start, int64_t size,
    int64_t target,
) noexcept nogil:
    """Move a block before a target; within the block, as many words after it as before."""
    cdef int64_t end = start + size, last
    memcpy(moved, words, n_words * sizeof(int32_t))
    if target < start:
        memcpy(moved + target, words + start, size * sizeof(int32_t))
        memcpy(moved + target + size, words + target, (start - target) * sizeof(int32_t))
        return
    last = min(n_words, target if target > end else target + size)
    memcpy(moved + start, words + end, (last - end) * sizeof(int32_t))
    memcpy(moved + start + last - end, words + start, size * sizeof(int32_t))


cdef int64_t count_edits(
    Workspace* work, const int32_t* hyp, int64_t n_hyp, const int32_t* ref, int64_t n_ref
) noexcept nogil:
    """Shift blocks while that lowers the edit distance; count shifts and the edits left."""
    cdef int64_t n_shifts = 0, n_tried = 0, before, gain
    cdef int64_t best_gain, best_size, best_start, best_target
    cdef int64_t at, there, size, offset, target, last_target
    cdef int32_t* swap
    if not n_ref:
        return n_hyp
    if n_hyp == n_ref and memcmp(hyp, ref, n_ref * sizeof(int32_t)) == 0:
        return 0
    if not make_room(work, n_hyp, n_ref):
        return 0
    if n_hyp:
        memcpy(work.words, hyp, n_hyp * sizeof(int32_t))
    while True:
        before = edit_distance(work, work.words, n_hyp, ref, n_ref, True)
        align(work, n_hyp, n_ref)
        best_gain = best_size = best_start = best_target = 0
        for at in range(n_hyp):
            for there in range(max(0, at - MAX_DISTANCE), min(n_ref, at + MAX_DISTANCE + 1)):
                for size in range(1, 1 + min(MAX_BLOCK, min(n_hyp - at, n_ref - there))):
                    if work.words[at + size - 1] != ref[there + size - 1]:
                        break
                    if (
                        work.hypothesis_errors[at + size] == work.hypothesis_errors[at]
                        or work.reference_errors[there + size] == work.reference_errors[there]
                        or at <= work.aligned[there] < at + size
                    ):
                        continue
                    last_target = -1
                    for offset in range(there - 1, there + size):
                        target = work.aligned[offset] + 1 if offset >= 0 else 0
                        if target == last_target:
                            continue
                        last_target = target
                        shift(work.words, work.tried, n_hyp, at, size, target)
                        gain = before - edit_distance(
                            work, work.tried, n_hyp, ref, n_ref, False
                        )
                        n_tried += 1
                        if work.is_stopped:
                            return 0
                        if gain > best_gain or (
                            gain == best_gain > 0
                            and (
                                size > best_size
                                or (
                                    size == best_size
                                    and at == best_start
                                    and target < best_target
                                )
                            )
                        ):
                            best_gain = gain
                            best_size = size
                            best_start = at
                            best_target = target
                            memcpy(work.best, work.tried, n_hyp * sizeof(int32_t))
                    if n_tried >= MAX_DISTANCES:
                        return n_shifts + before
        if not best_gain:
            return n_shifts + before
        n_shifts += 1
        swap = work.words
        work.words = work.best
        work.best = swap


def translation_edits(
    const int32_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const int32_t[::1] references,
    const int64_t[::1] reference_offsets,
    const int64_t[::1] sentences,
    int64_t first,
    int64_t last,
):
    """Count the edits between some references and the hypotheses of their sentences.

    Parameters
    ----------
    hypotheses, hypothesis_offsets, references, reference_offsets
        Interned texts.
    sentences
        The sentence of each reference.
    first, last
        Range of references.

    Returns
    -------
    counts
        ``(last - first,)``.
    """
    cdef Workspace work
    cdef int64_t number, sentence, hyp, ref
    result = np.zeros(last - first, dtype=np.int64)
    cdef int64_t[::1] counts = result
    memset(&work, 0, sizeof(Workspace))
    with nogil:
        for number in range(first, last):
            sentence = sentences[number]
            hyp = hypothesis_offsets[sentence]
            ref = reference_offsets[number]
            counts[number - first] = count_edits(
                &work,
                &hypotheses[hyp] if hyp < hypotheses.shape[0] else NULL,
                hypothesis_offsets[sentence + 1] - hyp,
                &references[ref] if ref < references.shape[0] else NULL,
                reference_offsets[number + 1] - ref,
            )
            if work.failed or work.is_stopped:
                break
    release(&work)
    if work.is_stopped:
        raise_stopped()
    if work.failed:
        raise MemoryError("not enough memory for a sentence")
    return result
