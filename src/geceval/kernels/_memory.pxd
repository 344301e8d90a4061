"""C arrays that kernels keep from one sentence to the next: grown, never shrunk."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, realloc


cdef inline void* grown(
    void* memory, size_t* size, size_t needed, size_t item, bint* failed
) noexcept nogil:
    """Make room for `needed` items; on failure set the flag and keep the old memory."""
    cdef void* larger
    if needed <= size[0]:
        return memory
    needed += needed // 2
    larger = realloc(memory, needed * item)
    if larger == NULL:
        failed[0] = True
        return memory
    size[0] = needed
    return larger


cdef inline void* zeroed(size_t needed, size_t item, bint* failed) noexcept nogil:
    """Return room for `needed` items, all 0; on failure set the flag."""
    cdef void* memory = calloc(needed + 1, item)
    if memory == NULL:
        failed[0] = True
    return memory


cdef inline void grow_int32(
    int32_t** memory, size_t* size, size_t needed, bint* failed
) noexcept nogil:
    memory[0] = <int32_t*> grown(memory[0], size, needed, sizeof(int32_t), failed)


cdef inline void grow_int64(
    int64_t** memory, size_t* size, size_t needed, bint* failed
) noexcept nogil:
    memory[0] = <int64_t*> grown(memory[0], size, needed, sizeof(int64_t), failed)


cdef inline void grow_uint8(
    uint8_t** memory, size_t* size, size_t needed, bint* failed
) noexcept nogil:
    memory[0] = <uint8_t*> grown(memory[0], size, needed, sizeof(uint8_t), failed)
