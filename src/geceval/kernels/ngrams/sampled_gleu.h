/* The inner loops of sampled_gleu.pyx: vectors of 16-bit sums of several resamples. */

#ifndef GECEVAL_SAMPLED_GLEU_H
#define GECEVAL_SAMPLED_GLEU_H

#include <stdint.h>

#include "../processors.h"

/* A length and four numerators of each of three resamples, filled up to a vector register. */
#define COLUMNS 5
#define AT_ONCE 3
#define LANES 16

/* Tables that are added together, which saves reading and writing the sums. */
#define TABLES 4

/* Add the chosen entries of tables of some size, in each iteration. */
FOR_EACH_PROCESSOR
static void add_chosen(
    int16_t *restrict sums, const int16_t *restrict tables, int64_t size,
    const uint16_t *const *chosen, int64_t n_iterations)
{
    const uint16_t *restrict first = chosen[0], *restrict second = chosen[1];
    const uint16_t *restrict third = chosen[2], *restrict fourth = chosen[3];
    for (int64_t i = 0; i < n_iterations; i++) {
        const int16_t *a = tables + first[i] * LANES, *b = tables + (size + second[i]) * LANES;
        const int16_t *c = tables + (2 * size + third[i]) * LANES;
        const int16_t *d = tables + (3 * size + fourth[i]) * LANES;
        int16_t *target = sums + i * LANES;
        for (int lane = 0; lane < LANES; lane++)
            target[lane] += (a[lane] + b[lane]) + (c[lane] + d[lane]);
    }
}

/* Continue the sums of some sentences by each reference of the next ones. The first reference adds
   nothing. */
FOR_EACH_PROCESSOR
static void extend_sums(
    int16_t *restrict sums, int64_t n_sums, const int16_t *restrict differences, int64_t n_refs)
{
    for (int64_t ref = 1; ref < n_refs; ref++) {
        const int16_t *own = differences + ref * LANES;
        for (int64_t i = 0; i < n_sums; i++) {
            const int16_t *known = sums + i * LANES;
            int16_t *next = sums + (ref * n_sums + i) * LANES;
            for (int lane = 0; lane < LANES; lane++) next[lane] = known[lane] + own[lane];
        }
    }
}

#endif
