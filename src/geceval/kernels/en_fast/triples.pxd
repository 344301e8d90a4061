"""A table of triples of numbers, which gives each a number of its own."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset


cdef struct TripleTable:
    # Triples in the order in which they first came, and where to find them.
    int32_t* triples
    int32_t n_triples
    # One more than a number, so that 0 is a free place; their number is a power of 2.
    int32_t* places
    uint64_t n_places


cdef inline uint64_t spread(int32_t first, int32_t second, int32_t third) noexcept nogil:
    """A hash of three numbers."""
    cdef uint64_t value = <uint64_t> first * <uint64_t> 0x9E3779B97F4A7C15
    value = (value ^ (value >> 29)) + <uint64_t> second
    value *= <uint64_t> 0xBF58476D1CE4E5B9
    value = (value ^ (value >> 32)) + <uint64_t> third
    value *= <uint64_t> 0x94D049BB133111EB
    return value ^ (value >> 31)


cdef inline int32_t number_of(
    TripleTable* table, int32_t first, int32_t second, int32_t third
) noexcept nogil:
    """The number of a triple; a new one gets the next."""
    cdef uint64_t place = spread(first, second, third) & (table.n_places - 1)
    cdef const int32_t* triple
    cdef int32_t* new
    while table.places[place]:
        triple = table.triples + 3 * (table.places[place] - 1)
        if triple[0] == first and triple[1] == second and triple[2] == third:
            return table.places[place] - 1
        place = (place + 1) & (table.n_places - 1)
    new = table.triples + 3 * table.n_triples
    new[0] = first
    new[1] = second
    new[2] = third
    table.n_triples += 1
    table.places[place] = table.n_triples
    return table.n_triples - 1


cdef inline void clear(TripleTable* table) noexcept nogil:
    table.n_triples = 0
    memset(table.places, 0, table.n_places * sizeof(int32_t))


cdef inline uint64_t places_for(int64_t n) noexcept nogil:
    """Twice as many places as triples, or more."""
    cdef uint64_t n_places = 16
    while n_places < <uint64_t> (2 * n):
        n_places *= 2
    return n_places
