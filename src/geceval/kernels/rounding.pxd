"""Rounding to four digits as Python does it."""

from libc.math cimport floor, fma


cdef inline double in_ten_thousandths(double value) noexcept nogil:
    """Round to four digits as Python's ``round`` does: by the exact value, ties to even."""
    cdef double upper = floor(value * 10000 + 0.5)
    # The sign of a fused multiply-add is exact, that of the sum above is not.
    cdef double above_half = fma(value, 20000, 1 - 2 * upper)
    if above_half < 0 or (above_half == 0 and upper != 2 * floor(upper / 2)):
        return upper - 1
    return upper
