"""Layers of the network in C; who uses them must call `choose_processor` first."""

from libc.float cimport FLT_MAX
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef extern from "network.h" nogil:
    enum:
        WIDTH
        PIECES
        HIDDEN
        FEATURES
        MAX_TRANSITIONS
        PANEL
        ROWS

    void multiply(
        const float* rows, int64_t n_rows, int64_t depth,
        const float* weights, int64_t n_columns, float* out
    ) noexcept
    void multiply_row(
        const float* rows, int64_t n_rows, int64_t depth,
        const float* weights, int64_t n_columns, float* out
    ) noexcept
    void apply_window(
        const float* left, const float* middle, const float* right, const float* bias,
        const float* gain, const float* shift, const float* residual, float* out
    ) noexcept
    void sum_features(const float* const* features, const float* bias, float* hidden) noexcept
    void choose_processor() noexcept


cdef inline int64_t rounded_up(int64_t n_rows) noexcept nogil:
    return (n_rows + ROWS - 1) // ROWS * ROWS


cdef inline float best_of(
    const float* scores,
    const float* bias,
    int32_t n,
    const uint8_t* kinds,
    const uint8_t* valid,
    int32_t* best,
) noexcept nogil:
    """Find the best score, of valid kinds only where there are kinds; return its margin."""
    cdef float highest = -FLT_MAX, second = -FLT_MAX, score
    cdef int32_t number
    best[0] = 0
    for number in range(n):
        if kinds != NULL and not valid[kinds[number]]:
            continue
        score = scores[number] + bias[number]
        if score > highest:
            second = highest
            highest = score
            best[0] = number
        elif score > second:
            second = score
    return highest - second
