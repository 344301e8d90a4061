/* What gains from wide vectors in network.pyx and embedding.pyx, compiled for several kinds of processors. */

#ifndef GECEVAL_NETWORK_H
#define GECEVAL_NETWORK_H

#include <stdint.h>

#define WIDTH 96
#define PIECES 3
#define HIDDEN 64
#define FEATURES 8
#define MAX_TRANSITIONS 112

/* Weights of products lie in panels of so many columns, one panel after the other. */
#define PANEL 32

/* The number of rows of a product is a multiple of this. */
#define ROWS 24

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_WIDE_VECTORS
#endif

/* Plain loops are compiled for each processor by the compiler itself, which the sanitizer of
   gcc cannot bear, and which clang does otherwise. */
#if defined(HAS_WIDE_VECTORS) && defined(__linux__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* Matrix products: as many sums as there are registers for, of AT_ONCE rows and VECTORS vectors
   of BYTES each. A chunk of rows stays in the nearest cache while all panels pass by. */

#define DEFINE_PRODUCT(NAME, TARGET, BYTES, AT_ONCE, VECTORS, COLUMNS)                          \
    TARGET static void NAME(const float *restrict rows, int64_t n_rows, int64_t depth,          \
                            const float *restrict weights, int64_t n_columns,                   \
                            float *restrict out)                                                \
    {                                                                                           \
        typedef float vector __attribute__((vector_size(BYTES), aligned(4), may_alias));        \
        enum { LANES = BYTES / 4, CHUNK = 4 * ROWS };                                           \
        for (int64_t chunk = 0; chunk < n_rows; chunk += CHUNK) {                               \
            int64_t end = chunk + CHUNK < n_rows ? chunk + CHUNK : n_rows;                      \
            for (int64_t column = 0; column < n_columns; column += VECTORS * LANES) {           \
                const float *panel                                                              \
                    = weights + column / COLUMNS * COLUMNS * depth + column % COLUMNS;          \
                for (int64_t row = chunk; row < end; row += AT_ONCE) {                          \
                    const float *values = rows + row * depth;                                   \
                    vector sums[AT_ONCE][VECTORS] = {{{0}}};                                    \
                    for (int64_t k = 0; k < depth; k++)                                         \
                        for (int i = 0; i < AT_ONCE; i++)                                       \
                            for (int j = 0; j < VECTORS; j++)                                   \
                                sums[i][j] += values[i * depth + k]                             \
                                    * *(const vector *)(panel + k * COLUMNS + j * LANES);       \
                    for (int i = 0; i < AT_ONCE; i++)                                           \
                        for (int j = 0; j < VECTORS; j++)                                       \
                            *(vector *)(out + (row + i) * n_columns + column + j * LANES)       \
                                = sums[i][j];                                                   \
                }                                                                               \
            }                                                                                   \
        }                                                                                       \
    }

#ifdef HAS_WIDE_VECTORS
#define AVX512 __attribute__((target("avx512f")))
#define FMA __attribute__((target("fma")))
DEFINE_PRODUCT(rows_by_avx512, AVX512, 64, 8, 2, PANEL)
DEFINE_PRODUCT(row_by_avx512, AVX512, 64, 1, 7, MAX_TRANSITIONS)
DEFINE_PRODUCT(rows_by_fma, FMA, 32, 6, 2, PANEL)
DEFINE_PRODUCT(row_by_fma, FMA, 32, 1, 14, MAX_TRANSITIONS)
#endif
DEFINE_PRODUCT(rows_by_any, , 16, 4, 2, PANEL)
DEFINE_PRODUCT(row_by_any, , 16, 1, 7, MAX_TRANSITIONS)

typedef void (*product)(const float *, int64_t, int64_t, const float *, int64_t, float *);

/* Rows by weights in panels; the columns are a multiple of a panel. */
static product multiply = rows_by_any;

/* One row by weights as they are; the columns are all transitions. */
static product multiply_row = row_by_any;

static void choose_processor(void)
{
#ifdef HAS_WIDE_VECTORS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) {
        multiply = rows_by_avx512;
        multiply_row = row_by_avx512;
    } else if (__builtin_cpu_supports("fma")) {
        multiply = rows_by_fma;
        multiply_row = row_by_fma;
    }
#endif
}

/* Other steps. */

static inline float sum_of(const float *values, int n)
{
    enum { LANES = 16 };
    float partial[LANES] = {0}, sum = 0;
    for (int i = 0; i < n; i += LANES)
        for (int lane = 0; lane < LANES; lane++) partial[lane] += values[i + lane];
    for (int lane = 0; lane < LANES; lane++) sum += partial[lane];
    return sum;
}

/* A layer of the encoder: the products of a window's three rows, to a row of the next layer. */
FOR_EACH_PROCESSOR
static void apply_window(const float *restrict left, const float *restrict middle,
                         const float *restrict right, const float *restrict bias,
                         const float *restrict gain, const float *restrict shift,
                         const float *restrict residual, float *restrict out)
{
    float pieces[PIECES * WIDTH], largest[WIDTH], squares[WIDTH];
    for (int i = 0; i < PIECES * WIDTH; i++)
        pieces[i] = left[i] + middle[i] + right[i] + bias[i];
    for (int i = 0; i < WIDTH; i++) {
        float first = pieces[i], second = pieces[WIDTH + i], third = pieces[2 * WIDTH + i];
        float larger = first > second ? first : second;
        largest[i] = larger > third ? larger : third;
    }
    float mean = sum_of(largest, WIDTH) / WIDTH;
    for (int i = 0; i < WIDTH; i++) {
        largest[i] -= mean;
        squares[i] = largest[i] * largest[i];
    }
    float scale = 1.0f / __builtin_sqrtf(sum_of(squares, WIDTH) / WIDTH + 1e-8f);
    for (int i = 0; i < WIDTH; i++)
        out[i] = largest[i] * scale * gain[i] + shift[i] + residual[i];
}

/* The hidden layer of the parser, from what eight tokens add to it. */
__attribute__((unused)) FOR_EACH_PROCESSOR
static void sum_features(const float *const *features, const float *restrict bias,
                         float *restrict hidden)
{
    const float *a = features[0], *b = features[1], *c = features[2], *d = features[3];
    const float *e = features[4], *f = features[5], *g = features[6], *h = features[7];
    float sums[2 * HIDDEN];
    for (int i = 0; i < 2 * HIDDEN; i++)
        sums[i] = bias[i] + a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i];
    for (int i = 0; i < HIDDEN; i++)
        hidden[i] = sums[i] > sums[HIDDEN + i] ? sums[i] : sums[HIDDEN + i];
}

#endif
