/* The inner loops of mixtures.pxd: totals of several mixtures side by side, in wide vectors. */

#ifndef GECEVAL_MIXTURES_H
#define GECEVAL_MIXTURES_H

#include <stdint.h>
#include <string.h>

#include "processors.h"

#define MAX_GAINS 4

/* Resamples that advance side by side, each with two mixtures. */
#define BLOCK 8
#define LANES (2 * BLOCK)

#if COMPILES_FOR_EACH_PROCESSOR
#define INLINE static inline __attribute__((always_inline))
#define WIDTH 4
#else
#define INLINE static inline
#define WIDTH 2
#endif

/* All functions with vectors are inlined, so it does not matter how vectors are passed. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* Returns the best of the candidates from `first` to `last` for the totals of a lane. */
typedef int64_t (*Decide)(
    void *kernel, const double *totals, int64_t first, int64_t last, int64_t lane);

typedef struct {
    /* The candidates of all sentences: those of sentence i begin at offsets[i]. */
    const int64_t *offsets;
    /* What a candidate adds to the totals, (n_candidates, MAX_GAINS). Where it depends on the lane,
       patterns[i] is the row of candidate i in lane_gains, (n_patterns, MAX_GAINS, LANES). */
    const double *gains;
    const int64_t *patterns;
    const double *lane_gains;
    /* F is the first total by a sum of totals with these factors. The combined score of tp, fp_ne,
       fp_un and fn is, but for a constant, a sum of their rates with these factors. */
    int is_combined;
    double factors[MAX_GAINS];
    /* Whether scores as fractions are as good as those of the kernel; otherwise it decides. */
    int is_safe;
    void *kernel;
    Decide decide;
} Candidates;

/* Numbers of WIDTH lanes, and masks of all or no bits. */
#define VECTORS (LANES / WIDTH)
typedef double Vector __attribute__((vector_size(8 * WIDTH)));
typedef int64_t Mask __attribute__((vector_size(8 * WIDTH)));
typedef Vector Stored __attribute__((aligned(8), may_alias));

/* Totals or gains: of the first mixture of each resample, and of the second. */
typedef struct {
    Vector at[MAX_GAINS][VECTORS];
} Lanes;

typedef struct {
    Vector upper[VECTORS];
    Vector lower[VECTORS];
} Fractions;

/* The lanes that have a sentence of the second system, by the byte of packed flags. */
typedef struct {
    Mask of[256][VECTORS];
} Flags;

INLINE Vector blend(Mask mask, Vector one, Vector other)
{
    return (Vector)((mask & (Mask)one) | (~mask & (Mask)other));
}

INLINE Vector all(double value)
{
    return value - (Vector){0};
}

/* Computes what candidates of both systems add to the lanes that have them; -1 adds nothing. */
INLINE void gain(const Candidates *candidates, int64_t own, int64_t other, const Mask *is_other,
                 Lanes *gains, int n_gains)
{
    static const double none[MAX_GAINS * LANES] = {0};
    if (candidates->gains) {
        const double *ours = own < 0 ? none : &candidates->gains[MAX_GAINS * own];
        const double *theirs = other < 0 ? none : &candidates->gains[MAX_GAINS * other];
        for (int part = 0; part < n_gains; part++)
            for (int i = 0; i < VECTORS; i++)
                gains->at[part][i] = blend(is_other[i], all(theirs[part]), all(ours[part]));
        return;
    }
    const double *rows = candidates->lane_gains;
    const int64_t size = MAX_GAINS * LANES, *patterns = candidates->patterns;
    const Stored *ours = (const Stored *)(own < 0 ? none : &rows[size * patterns[own]]);
    const Stored *theirs = (const Stored *)(other < 0 ? none : &rows[size * patterns[other]]);
    for (int part = 0; part < n_gains; part++, ours += VECTORS, theirs += VECTORS)
        for (int i = 0; i < VECTORS; i++)
            gains->at[part][i] = blend(is_other[i], theirs[i], ours[i]);
}

/* Computes the scores of totals + gains. */
INLINE void divide(const Candidates *candidates, const Lanes *totals, const Lanes *gains,
                   Fractions *score)
{
    const double *factors = candidates->factors;
    for (int i = 0; i < VECTORS; i++) {
        Vector first = totals->at[0][i] + gains->at[0][i];
        Vector second = totals->at[1][i] + gains->at[1][i];
        Vector third = totals->at[2][i] + gains->at[2][i];
        if (!candidates->is_combined) {
            score->upper[i] = first;
            score->lower[i] = factors[0] * first + factors[1] * second + factors[2] * third;
            continue;
        }
        Vector fourth = totals->at[3][i] + gains->at[3][i];
        Vector needed = first + second + fourth, proposed = first + second + third;
        Vector sum = factors[0] * first + factors[1] * second + factors[3] * fourth;
        score->upper[i] = sum * proposed + factors[2] * third * needed;
        score->lower[i] = needed * proposed;
    }
}

/* Chooses what the best candidate of a sentence adds in each lane. */
INLINE void choose(const Candidates *candidates, int64_t first, int64_t n, int64_t other_first,
                   int64_t other_n, const Mask *is_other, const Lanes *totals, Lanes *best,
                   int n_gains)
{
    Fractions best_score, score;
    Lanes gains;
    Mask in_doubt[VECTORS] = {{0}};
    gain(candidates, n ? first : -1, other_n ? other_first : -1, is_other, best, n_gains);
    divide(candidates, totals, best, &best_score);
    for (int64_t slot = 1; slot < n || slot < other_n; slot++) {
        Mask own = (Mask){0} - (slot < n), other = (Mask){0} - (slot < other_n);
        gain(candidates, slot < n ? first + slot : -1, slot < other_n ? other_first + slot : -1,
             is_other, &gains, n_gains);
        divide(candidates, totals, &gains, &score);
        for (int i = 0; i < VECTORS; i++) {
            Mask is_present = (is_other[i] & other) | (~is_other[i] & own);
            Vector upper = score.upper[i], lower = score.lower[i];
            Vector difference = upper * best_score.lower[i] - best_score.upper[i] * lower;
            Vector margin = 1e-12 * lower * best_score.lower[i];
            Mask is_better = is_present & (difference > 0);
            /* Values that are not numbers are too close, too. */
            in_doubt[i] |= is_present & ~((difference > margin) | (-difference > margin));
            best_score.upper[i] = blend(is_better, upper, best_score.upper[i]);
            best_score.lower[i] = blend(is_better, lower, best_score.lower[i]);
            for (int part = 0; part < n_gains; part++)
                best->at[part][i]
                    = blend(is_better, gains.at[part][i], best->at[part][i]);
        }
    }
    Mask doubts = {0};
    int64_t is_sure = candidates->is_safe;
    for (int i = 0; i < VECTORS; i++)
        doubts |= in_doubt[i];
    for (int place = 0; place < WIDTH; place++)
        is_sure &= ~doubts[place];
    if (is_sure)
        return;
    for (int lane = 0; lane < LANES; lane++) {
        int i = lane / WIDTH, place = lane % WIDTH;
        int64_t start = is_other[i][place] ? other_first : first;
        int64_t size = is_other[i][place] ? other_n : n;
        double own[MAX_GAINS] = {0};
        if (size < 2 || (candidates->is_safe && !in_doubt[i][place]))
            continue;
        for (int part = 0; part < n_gains; part++)
            own[part] = totals->at[part][i][place];
        int64_t chosen = candidates->decide(candidates->kernel, own, start, start + size, lane);
        gain(candidates, chosen, chosen, is_other, &gains, n_gains);
        for (int part = 0; part < n_gains; part++)
            best->at[part][i][place] = gains.at[part][i][place];
    }
}

/* Computes lane_gains: the sums of the weights of codes, (n_codes, LANES), from left to right. The
   codes of pattern i begin at spans[2 i] and end before spans[2 i + 1]; parts[code % 4] is the
   total that they add to. */
FOR_EACH_PROCESSOR __attribute__((unused))
static void weigh_patterns(int64_t n_patterns, const int64_t *spans, const int64_t *codes,
                           const int *parts, const double *weights, double *lane_gains)
{
    memset(lane_gains, 0, n_patterns * MAX_GAINS * LANES * sizeof *lane_gains);
    for (int64_t pattern = 0; pattern < n_patterns; pattern++)
        for (int64_t place = spans[2 * pattern]; place < spans[2 * pattern + 1]; place++) {
            int64_t code = codes[place], row = MAX_GAINS * pattern + parts[code & 3];
            const Stored *added = (const Stored *)&weights[LANES * code];
            Stored *target = (Stored *)&lane_gains[LANES * row];
            for (int i = 0; i < VECTORS; i++)
                target[i] += added[i];
        }
}

INLINE void add_rows(const Candidates *candidates, const uint8_t *bits, const Flags *flags,
                     int64_t n_rows, Lanes *result, int n_gains)
{
    const int64_t *offsets = candidates->offsets;
    Lanes totals, gains;
    memset(&totals, 0, sizeof totals);
    for (int64_t row = 0; row < n_rows; row++) {
        int64_t first = offsets[row], n = offsets[row + 1] - first;
        int64_t other_first = offsets[row + n_rows];
        int64_t other_n = offsets[row + n_rows + 1] - other_first;
        const Mask *is_other = flags->of[bits[row]];
        if (n > 1 || other_n > 1)
            choose(candidates, first, n, other_first, other_n, is_other, &totals, &gains,
                   n_gains);
        else if (n || other_n)
            gain(candidates, n ? first : -1, other_n ? other_first : -1, is_other, &gains,
                 n_gains);
        else
            continue;
        for (int part = 0; part < n_gains; part++)
            for (int i = 0; i < VECTORS; i++)
                totals.at[part][i] += gains.at[part][i];
    }
    *result = totals;
}

/* Adds up the totals of a block, with packed flags. The sentences of the second system follow
   those of the first. */
FOR_EACH_PROCESSOR
static void swap_block(const Candidates *candidates, const uint8_t *bits, const Flags *flags,
                       int64_t n_rows, Lanes *result)
{
    if (candidates->is_combined)
        add_rows(candidates, bits, flags, n_rows, result, 4);
    else
        add_rows(candidates, bits, flags, n_rows, result, 3);
}

#endif
