"""The embedding of words: features are looked up in tables, and one maxout layer joins them.

    vector(w) = norm(max over p of (W_p [E_1(w); ...; E_n(w)] + b_p)),  E_f(w) = a sum of table rows
"""

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free

import numpy as np

from geceval.kernels._memory cimport zeroed
from geceval.kernels.en_fast.layers cimport (
    PANEL,
    PIECES,
    WIDTH,
    apply_window,
    choose_processor,
    multiply,
    rounded_up,
)
from geceval.kernels.en_fast.triples cimport TripleTable, number_of, places_for

choose_processor()


def distinct(const int32_t[::1] first, const int32_t[::1] second, const int32_t[::1] third):
    """Number triples in the order in which they first come.

    Returns
    -------
    numbers
        The number of each triple.
    triples
        ``(n_distinct, 3)``: the triple of each number.
    """
    cdef int64_t n = first.shape[0], number
    cdef TripleTable table
    cdef bint failed = False
    numbers = np.empty(n, dtype=np.int32)
    triples = np.empty((n, 3), dtype=np.int32)
    if n == 0:
        return numbers, triples
    cdef int32_t[::1] out = numbers
    cdef int32_t[:, ::1] found = triples
    table.triples = &found[0, 0]
    table.n_triples = 0
    table.n_places = places_for(n)
    table.places = <int32_t*> zeroed(table.n_places, sizeof(int32_t), &failed)
    if failed:
        raise MemoryError
    with nogil:
        for number in range(n):
            out[number] = number_of(&table, first[number], second[number], third[number])
    free(table.places)
    return numbers, triples[:table.n_triples]


def named(list names, const int32_t[::1] numbers, const int64_t[::1] offsets):
    """Turn the numbers of all tokens into names, a tuple for each sentence."""
    cdef int64_t sentence, token
    cdef list sentences = []
    cdef tuple part
    for sentence in range(offsets.shape[0] - 1):
        part = PyTuple_New(offsets[sentence + 1] - offsets[sentence])
        for token in range(offsets[sentence], offsets[sentence + 1]):
            name = names[numbers[token]]
            Py_INCREF(name)
            PyTuple_SET_ITEM(part, token - offsets[sentence], name)
        sentences.append(part)
    return sentences


def in_panels(weights):
    """Lay ``(depth, n)`` weights out for `multiply`, with columns of zeros up to a full panel."""
    depth, n = weights.shape
    padded = np.zeros((depth, -(-n // PANEL) * PANEL), dtype=np.float32)
    padded[:, :n] = weights
    return np.ascontiguousarray(padded.reshape(depth, -1, PANEL).transpose(1, 0, 2)).reshape(-1)


cdef class Embedding:
    """Tables of features of words, and the layer that makes one vector of them.

    Parameters
    ----------
    tables
        ``(n_rows, 96)``: all tables one after the other.
    weights
        ``(n_features * 96, 3 * 96)``: the three pieces of all outputs one after the other.
    bias, gain, shift
        ``(3 * 96,)`` of the pieces; ``(96,)`` of the normalization.
    """

    cdef const float[:, ::1] tables
    cdef const float[::1] weights
    cdef const float[::1] bias
    cdef const float[::1] gain
    cdef const float[::1] shift
    cdef int64_t n_inputs

    def __init__(self, *, tables, weights, bias, gain, shift):
        for values, shape in (
            (tables, (len(tables), WIDTH)),
            (weights, (len(weights) // WIDTH * WIDTH, PIECES * WIDTH)),
            (bias, (PIECES * WIDTH,)),
            (gain, (WIDTH,)),
            (shift, (WIDTH,)),
        ):
            if values.shape != shape:
                raise ValueError(f"weights of the shape {shape} are needed, not {values.shape}")
        self.tables = tables
        self.weights = in_panels(weights)
        self.bias = bias
        self.gain = gain
        self.shift = shift
        self.n_inputs = len(weights)

    def embed(self, const int32_t[:, :, ::1] rows):
        """Compute the vectors of words.

        Parameters
        ----------
        rows
            ``(n_words, n_features, n)``: the rows of the tables that are added for a feature.
        """
        cdef int64_t n_words = rows.shape[0], n_features = rows.shape[1]
        cdef int64_t word, feature, number, column
        if n_features * WIDTH != self.n_inputs:
            raise ValueError(f"{self.n_inputs // WIDTH} features are needed, not {n_features}")
        vectors = np.empty((n_words, WIDTH), dtype=np.float32)
        cdef float[:, ::1] out = vectors
        cdef float[:, ::1] inputs = np.zeros((rounded_up(n_words), self.n_inputs), dtype=np.float32)
        cdef float[:, ::1] products = np.empty(
            (rounded_up(n_words), PIECES * WIDTH), dtype=np.float32
        )
        cdef float[::1] nothing = np.zeros(PIECES * WIDTH, dtype=np.float32)
        cdef float* sums
        cdef const float* row
        if n_words == 0:
            return vectors
        with nogil:
            for word in range(n_words):
                for feature in range(n_features):
                    sums = &inputs[word, feature * WIDTH]
                    for number in range(rows.shape[2]):
                        row = &self.tables[rows[word, feature, number], 0]
                        for column in range(WIDTH):
                            sums[column] += row[column]
            multiply(
                &inputs[0, 0], rounded_up(n_words), self.n_inputs,
                &self.weights[0], PIECES * WIDTH, &products[0, 0],
            )
            for word in range(n_words):
                apply_window(
                    &nothing[0], &products[word, 0], &nothing[0], &self.bias[0],
                    &self.gain[0], &self.shift[0], &nothing[0], &out[word, 0],
                )
        return vectors
