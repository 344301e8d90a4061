/* The inner loops of swapped_sums.pyx: vectors of 16-bit sums, one for each iteration of a tile. */

#ifndef GECEVAL_SWAPPED_SUMS_H
#define GECEVAL_SWAPPED_SUMS_H

#include <stdint.h>
#include <string.h>

#include "../processors.h"

/* The sums of all subsets of a group must fit into the first-level cache. */
#define TILE 32
#define MAX_GROUP 8

/* The differences of the sampled references; those after the last iteration are 0. */
FOR_EACH_PROCESSOR
static void pick(
    int16_t *values, const int32_t *differences, int64_t n_refs, const uint8_t *chosen,
    int64_t n_iterations)
{
    memset(values, 0, TILE * sizeof(int16_t));
    if (n_refs == 2) {
        const int16_t first = (int16_t) differences[0], second = (int16_t) differences[1];
        for (int64_t i = 0; i < n_iterations; i++) values[i] = chosen[i] ? second : first;
    } else {
        for (int64_t i = 0; i < n_iterations; i++) values[i] = (int16_t) differences[chosen[i]];
    }
}

/* Add the sums of the subset of each resample. Bit i of a subset is member i. */
FOR_EACH_PROCESSOR
static void add_subsets(
    int16_t *sums, const uint8_t *subsets, int64_t n_resamples, const int16_t *values,
    int64_t n_members)
{
    int16_t known[(1 << MAX_GROUP) * TILE];
    memset(known, 0, TILE * sizeof(int16_t));
    for (int64_t member = 0; member < n_members; member++) {
        const int16_t *restrict own = values + member * TILE;
        const int64_t size = TILE << member;
        for (int64_t first = 0; first < size; first += TILE) {
            const int16_t *restrict without = known + first;
            int16_t *restrict with = known + size + first;
            for (int i = 0; i < TILE; i++) with[i] = without[i] + own[i];
        }
    }
    for (int64_t resample = 0; resample < n_resamples; resample++) {
        const int16_t *restrict added = known + subsets[resample] * TILE;
        int16_t *restrict target = sums + resample * TILE;
        for (int i = 0; i < TILE; i++) target[i] += added[i];
    }
}

#endif
