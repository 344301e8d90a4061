"""C arrays that kernels keep from one sentence to the next: grown, never shrunk."""

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
