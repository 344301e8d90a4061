"""The network of a small spaCy pipeline: embedding, encoder, tagger and parser.

A window of tokens that comes more than once is computed once for all sentences of a call. Scores
only decide which tag or which move of the parser is best; by how much is returned as well, so
that the caller can tell where rounding might have decided.
"""

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.float cimport FLT_MAX
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

import numpy as np

from geceval.kernels.interrupt cimport check_stop
from geceval.kernels.en_fast.transitions cimport KINDS, LEFT, RIGHT, State, find_valid, look, move
from geceval.kernels.en_fast.triples cimport Table, clear, number_of, places_for

cdef extern from "network.h" nogil:
    enum:
        WIDTH
        PIECES
        HIDDEN
        FEATURES
        MOVES
        PANEL
        ROWS

    void multiply(
        const float* rows,
        int64_t n_rows,
        int64_t depth,
        const float* weights,
        int64_t n_columns,
        float* out,
    ) noexcept
    void multiply_row(
        const float* rows,
        int64_t n_rows,
        int64_t depth,
        const float* weights,
        int64_t n_columns,
        float* out,
    ) noexcept
    void apply_window(
        const float* left,
        const float* middle,
        const float* right,
        const float* bias,
        const float* gain,
        const float* shift,
        const float* residual,
        float* out,
    ) noexcept
    void sum_features(const float* const* features, const float* bias, float* hidden) noexcept
    void choose_processor() noexcept

choose_processor()

ctypedef const float* Values


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
    cdef Table table
    numbers = np.empty(n, dtype=np.int32)
    triples = np.empty((n, 3), dtype=np.int32)
    if n == 0:
        return numbers, triples
    cdef int32_t[::1] out = numbers
    cdef int32_t[:, ::1] found = triples
    table.triples = &found[0, 0]
    table.n_triples = 0
    table.n_places = places_for(n)
    table.places = <int32_t*> calloc(table.n_places, sizeof(int32_t))
    if table.places == NULL:
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


# So many tokens are worked on together: what they need stays in the cache of the processor.
cdef int64_t BATCH = 700

# For how many tokens and how much padding there is room that is used again and again.
cdef int64_t USUAL_PLACES = 3 * BATCH


cdef inline int64_t end_of_batch(const int64_t[::1] offsets, int64_t start) noexcept nogil:
    """The sentence at which a batch ends; it has one at least, and many empty ones at most."""
    cdef int64_t end = start + 1
    while (
        end < offsets.shape[0] - 1
        and offsets[end + 1] - offsets[start] <= BATCH
        and end - start < BATCH // 4
    ):
        end += 1
    return end


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
        cdef float[:, ::1] inputs = np.zeros(
            (rounded_up(n_words), self.n_inputs), dtype=np.float32
        )
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
                &inputs[0, 0],
                rounded_up(n_words),
                self.n_inputs,
                &self.weights[0],
                PIECES * WIDTH,
                &products[0, 0],
            )
            for word in range(n_words):
                apply_window(
                    &nothing[0],
                    &products[word, 0],
                    &nothing[0],
                    &self.bias[0],
                    &self.gain[0],
                    &self.shift[0],
                    &nothing[0],
                    &out[word, 0],
                )
        return vectors


cdef class Room:
    """Where one call works, with so many places for tokens and padding."""

    cdef readonly int64_t n_places
    cdef list kept
    cdef Table table
    # Rows of a layer and of the next one, and the products of the former.
    cdef float* rows
    cdef float* next_rows
    cdef float* products
    # By place, the number of its row in both layers.
    cdef int32_t* numbers
    cdef int32_t* next_numbers
    # By row, its tag, and by how much that was best.
    cdef int32_t* tags
    cdef float* margins
    # What the parser knows of each token.
    cdef State state

    def __init__(self, int64_t n_places):
        cdef int64_t n_rows = n_places + ROWS
        cdef int32_t[:, ::1] triples = np.empty((n_places, 3), dtype=np.int32)
        cdef int32_t[::1] table_places = np.empty(places_for(n_places), dtype=np.int32)
        # Products of rows that nobody needs must not be slow, as those of odd numbers are.
        cdef float[:, :, ::1] rows = np.zeros((2, n_rows, WIDTH), dtype=np.float32)
        cdef float[:, ::1] products = np.empty((n_rows, FEATURES * 2 * HIDDEN), dtype=np.float32)
        cdef int32_t[:, ::1] numbers = np.empty((2, n_places), dtype=np.int32)
        cdef int32_t[::1] tags = np.empty(n_rows, dtype=np.int32)
        cdef float[::1] margins = np.empty(n_rows, dtype=np.float32)
        cdef int32_t[:, ::1] by_token = np.empty((5, n_places), dtype=np.int32)
        cdef uint8_t[:, ::1] flags = np.empty((2, n_places), dtype=np.uint8)
        self.kept = [triples, table_places, rows, products, numbers, tags, margins]
        self.kept += [by_token, flags]
        self.n_places = n_places
        self.table.triples = &triples[0, 0]
        self.table.places = &table_places[0]
        self.table.n_places = table_places.shape[0]
        self.rows = &rows[0, 0, 0]
        self.next_rows = &rows[1, 0, 0]
        self.products = &products[0, 0]
        self.numbers = &numbers[0, 0]
        self.next_numbers = &numbers[1, 0]
        self.tags = &tags[0]
        self.margins = &margins[0]
        self.state.stack = &by_token[0, 0]
        self.state.returned = &by_token[1, 0]
        self.state.left_child = &by_token[2, 0]
        self.state.right_child = &by_token[3, 0]
        self.state.elder = &by_token[4, 0]
        self.state.was_returned = &flags[0, 0]
        self.state.is_start = &flags[1, 0]


cdef class Network:
    """Encoder, tagger and parser with their weights; any number of threads may use it.

    Parameters
    ----------
    layers
        ``(n_layers, 96, 3 * 3 * 96)``: from a row to what it adds as the left, the middle and
        the right of a window; for each of them, the three pieces of all outputs one after the
        other.
    bias, gain, shift
        ``(n_layers, 3 * 96)`` of the pieces; ``(n_layers, 96)`` of the normalization.
    tagger, tagger_bias
        ``(96, n_tags)`` and ``(n_tags,)``.
    reducer, reducer_bias
        ``(96, 64)`` and ``(64,)``: from the encoder to the parser.
    features
        ``(64, 8 * 2 * 64)``: what a token adds to the hidden layer in each of the eight places
        that a state shows; for each of them, both pieces one after the other.
    padding, hidden_bias
        ``(8 * 2 * 64,)``: what an empty place adds; ``(2 * 64,)``.
    moves, moves_bias
        ``(64, n_moves)`` and ``(n_moves,)``, for 112 moves at most.
    kinds
        By move: 0 shift, 1 reduce, 2 left arc, 3 right arc, 4 new sentence.
    """

    cdef const float[:, ::1] layers
    cdef const float[:, ::1] bias
    cdef const float[:, ::1] gain
    cdef const float[:, ::1] shift
    cdef const float[::1] tagger
    cdef const float[::1] tagger_bias
    cdef const float[::1] reducer
    cdef const float[::1] reducer_bias
    cdef const float[::1] features
    cdef const float[::1] padding
    cdef const float[::1] hidden_bias
    cdef const float[:, ::1] moves
    cdef const float[::1] moves_bias
    cdef const uint8_t[::1] kinds
    cdef int64_t depth
    cdef list spare

    def __init__(
        self,
        *,
        layers,
        bias,
        gain,
        shift,
        tagger,
        tagger_bias,
        reducer,
        reducer_bias,
        features,
        padding,
        hidden_bias,
        moves,
        moves_bias,
        kinds,
    ):
        depth, n_tags, n_moves = len(layers), len(tagger_bias), len(kinds)
        for values, shape in (
            (layers, (depth, WIDTH, 3 * PIECES * WIDTH)),
            (bias, (depth, PIECES * WIDTH)),
            (gain, (depth, WIDTH)),
            (shift, (depth, WIDTH)),
            (tagger, (WIDTH, n_tags)),
            (reducer, (WIDTH, HIDDEN)),
            (reducer_bias, (HIDDEN,)),
            (features, (HIDDEN, FEATURES * 2 * HIDDEN)),
            (padding, (FEATURES * 2 * HIDDEN,)),
            (hidden_bias, (2 * HIDDEN,)),
            (moves, (HIDDEN, n_moves)),
            (moves_bias, (n_moves,)),
        ):
            if values.shape != shape:
                raise ValueError(f"weights of the shape {shape} are needed, not {values.shape}")
        if depth == 0 or n_tags == 0 or not 0 < n_moves <= MOVES or kinds.max() >= KINDS:
            raise ValueError("there are no layers, no tags or no moves, or too many")
        self.depth = depth
        self.layers = np.stack([in_panels(weights) for weights in layers])
        self.bias = bias
        self.gain = gain
        self.shift = shift
        self.tagger = in_panels(tagger)
        self.tagger_bias = tagger_bias
        self.reducer = in_panels(reducer)
        self.reducer_bias = reducer_bias
        self.features = in_panels(features)
        self.padding = padding
        self.hidden_bias = hidden_bias
        self.moves = np.ascontiguousarray(np.pad(moves, ((0, 0), (0, MOVES - n_moves))))
        self.moves_bias = moves_bias
        self.kinds = kinds
        self.spare = []

    def decide(
        self,
        const float[:, ::1] vectors,
        const int32_t[::1] words,
        const int64_t[::1] offsets,
    ):
        """Tag and parse sentences.

        Parameters
        ----------
        vectors
            ``(n_words, 96)``: the embedding of each word. Word 0 is padding.
        words, offsets
            Sentence ``s`` has the words ``words[offsets[s]:offsets[s + 1]]``.

        Returns
        -------
        tags
            By token.
        heads
            By token, counted within its sentence; a root is its own head.
        moves
            By token the move that made its arc, -1 for a root.
        margins
            By sentence: how much better than the second best the best tag or move was, where
            it was closest.
        """
        cdef int64_t n_sentences = offsets.shape[0] - 1, start, end = 0, n_rows
        cdef Room room
        tags = np.empty(words.shape[0], dtype=np.int32)
        heads = np.empty(words.shape[0], dtype=np.int32)
        moves = np.empty(words.shape[0], dtype=np.int32)
        margins = np.full(n_sentences, FLT_MAX, dtype=np.float32)
        cdef int32_t[::1] out_tags = tags
        cdef int32_t[::1] out_heads = heads
        cdef int32_t[::1] out_moves = moves
        cdef float[::1] out_margins = margins
        room = self.take_room(self.largest_batch(offsets))
        with nogil:
            while end < n_sentences:
                start = end
                end = end_of_batch(offsets, start)
                check_stop(10000 * (offsets[end] - offsets[start]))
                n_rows = self.encode_in(room, vectors, words, offsets[start:end + 1])
                self.tag(room, n_rows)
                self.prepare_parser(room, n_rows)
                self.finish(
                    room,
                    offsets[start:end + 1],
                    out_tags,
                    out_heads,
                    out_moves,
                    out_margins[start:end],
                )
        self.give_back(room)
        return tags, heads, moves, margins

    def encode(
        self,
        const float[:, ::1] vectors,
        const int32_t[::1] words,
        const int64_t[::1] offsets,
    ):
        """Return the vector that the encoder gives each token (see `decide`)."""
        cdef int64_t number, token, start
        cdef float[:, ::1] out = np.empty((words.shape[0], WIDTH), dtype=np.float32)
        cdef Room room = self.take_room(self.n_places(offsets, 0, offsets.shape[0] - 1))
        self.encode_in(room, vectors, words, offsets)
        for number in range(offsets.shape[0] - 1):
            start = self.place(offsets, number) - offsets[number]
            for token in range(offsets[number], offsets[number + 1]):
                memcpy(
                    &out[token, 0],
                    room.rows + <int64_t> room.numbers[start + token] * WIDTH,
                    WIDTH * sizeof(float),
                )
        self.give_back(room)
        return np.asarray(out)

    cdef int64_t n_places(
        self, const int64_t[::1] offsets, int64_t start, int64_t end
    ) noexcept nogil:
        """How many places some sentences take, with their padding."""
        return offsets[end] - offsets[start] + self.depth * (end - start + 1)

    cdef int64_t largest_batch(self, const int64_t[::1] offsets) noexcept nogil:
        cdef int64_t start, end = 0, largest = 1
        while end < offsets.shape[0] - 1:
            start = end
            end = end_of_batch(offsets, start)
            largest = max(largest, self.n_places(offsets, start, end))
        return largest

    cdef Room take_room(self, int64_t n_places):
        """Find room that is large enough; what was used before is known to the processor."""
        while self.spare:
            room = self.spare.pop()
            if room.n_places >= n_places:
                return room
        return Room(max(n_places, USUAL_PLACES))

    cdef give_back(self, Room room):
        if room.n_places == USUAL_PLACES:
            self.spare.append(room)

    cdef inline int64_t place(self, const int64_t[::1] offsets, int64_t sentence) noexcept nogil:
        """Where a sentence begins: each has as much padding around it as there are layers."""
        return offsets[sentence] - offsets[0] + self.depth * (sentence + 1)

    cdef int64_t encode_in(
        self,
        Room room,
        const float[:, ::1] vectors,
        const int32_t[::1] words,
        const int64_t[::1] offsets,
    ) noexcept nogil:
        """Compute the last layer's rows, and which of them each token has; return their number."""
        cdef int64_t n_sentences = offsets.shape[0] - 1, sentence, token, start, number, n_rows
        clear(&room.table)
        number_of(&room.table, 0, 0, 0)
        memset(room.numbers, 0, self.n_places(offsets, 0, n_sentences) * sizeof(int32_t))
        for sentence in range(n_sentences):
            start = self.place(offsets, sentence) - offsets[sentence]
            for token in range(offsets[sentence], offsets[sentence + 1]):
                room.numbers[start + token] = number_of(&room.table, words[token], 0, 0)
        n_rows = room.table.n_triples
        for number in range(n_rows):
            memcpy(
                room.rows + number * WIDTH,
                &vectors[room.table.triples[3 * number], 0],
                WIDTH * sizeof(float),
            )
        for number in range(self.depth):
            n_rows = self.apply_layer(room, number, n_rows, offsets)
        return n_rows

    cdef int64_t apply_layer(
        self, Room room, int64_t layer, int64_t n_rows, const int64_t[::1] offsets
    ) noexcept nogil:
        """Compute the rows of the next layer and return their number.

        What a window gives is a sum of three products, one of each of its rows, so products
        are computed once for each row and not for each window.
        """
        cdef int64_t part = PIECES * WIDTH, sentence, place, end, known
        # How far beyond a sentence the layers after this one will look.
        cdef int64_t reach = self.depth - 1 - layer
        cdef const int32_t* window
        multiply(
            room.rows, rounded_up(n_rows), WIDTH, &self.layers[layer, 0], 3 * part, room.products
        )
        clear(&room.table)
        for sentence in range(offsets.shape[0] - 1):
            if offsets[sentence] == offsets[sentence + 1]:
                continue
            place = self.place(offsets, sentence) - reach
            end = place + offsets[sentence + 1] - offsets[sentence] + 2 * reach
            for place in range(place, end):
                window = room.numbers + place - 1
                known = room.table.n_triples
                room.next_numbers[place] = number_of(
                    &room.table, window[0], window[1], window[2]
                )
                if room.next_numbers[place] == known:
                    apply_window(
                        room.products + 3 * part * window[0],
                        room.products + 3 * part * window[1] + part,
                        room.products + 3 * part * window[2] + 2 * part,
                        &self.bias[layer, 0],
                        &self.gain[layer, 0],
                        &self.shift[layer, 0],
                        room.rows + <int64_t> window[1] * WIDTH,
                        room.next_rows + known * WIDTH,
                    )
        room.rows, room.next_rows = room.next_rows, room.rows
        room.numbers, room.next_numbers = room.next_numbers, room.numbers
        return room.table.n_triples

    cdef void tag(self, Room room, int64_t n_rows) noexcept nogil:
        """Find the best tag of each row."""
        cdef int64_t n_tags = self.tagger_bias.shape[0]
        cdef int64_t n_columns = self.tagger.shape[0] // WIDTH, row
        multiply(room.rows, rounded_up(n_rows), WIDTH, &self.tagger[0], n_columns, room.products)
        for row in range(n_rows):
            room.margins[row] = best_of(
                room.products + row * n_columns,
                &self.tagger_bias[0],
                <int32_t> n_tags,
                NULL,
                NULL,
                &room.tags[row],
            )

    cdef void prepare_parser(self, Room room, int64_t n_rows) noexcept nogil:
        """Compute what each row adds to the parser's hidden layer."""
        cdef int64_t row, number
        cdef float* reduced = room.next_rows
        multiply(room.rows, rounded_up(n_rows), WIDTH, &self.reducer[0], HIDDEN, reduced)
        for row in range(n_rows):
            for number in range(HIDDEN):
                reduced[row * HIDDEN + number] += self.reducer_bias[number]
        multiply(
            reduced,
            rounded_up(n_rows),
            HIDDEN,
            &self.features[0],
            FEATURES * 2 * HIDDEN,
            room.products,
        )

    cdef void finish(
        self,
        Room room,
        const int64_t[::1] offsets,
        int32_t[::1] tags,
        int32_t[::1] heads,
        int32_t[::1] moves,
        float[::1] margins,
    ) noexcept nogil:
        """Tag and parse each sentence."""
        cdef int64_t number, start
        for number in range(offsets.shape[0] - 1):
            start = offsets[number]
            if start < offsets[number + 1]:
                margins[number] = self.finish_sentence(
                    room,
                    room.numbers + self.place(offsets, number),
                    offsets[number + 1] - start,
                    &tags[start],
                    &heads[start],
                    &moves[start],
                )

    cdef float finish_sentence(
        self,
        Room room,
        const int32_t* rows,
        int64_t size,
        int32_t* tags,
        int32_t* heads,
        int32_t* moves,
    ) noexcept nogil:
        """Tag and parse greedily; return by how much the closest decision was won."""
        cdef State* state = &room.state
        cdef float margin = FLT_MAX
        cdef int32_t token
        state.n_stack = state.n_returned = state.next = 0
        state.size = <int32_t> size
        state.heads = heads
        memset(state.was_returned, False, size)
        memset(state.is_start, False, size)
        for token in range(state.size):
            tags[token] = room.tags[rows[token]]
            margin = min(margin, room.margins[rows[token]])
            heads[token] = moves[token] = -1
            state.left_child[token] = state.right_child[token] = -1
        while state.n_stack or state.n_returned or state.next < state.size:
            margin = min(margin, self.step(room.products, rows, state, moves))
        for token in range(state.size):
            if heads[token] < 0:
                heads[token] = token
        return margin

    cdef float step(
        self, const float* products, const int32_t* rows, State* state, int32_t* moves
    ) noexcept nogil:
        """Do the best move; return by how much it was best."""
        cdef Values[FEATURES] values
        cdef int32_t[FEATURES] tokens
        cdef uint8_t[KINDS] valid
        cdef float[HIDDEN] hidden
        cdef float[MOVES] scores
        cdef float margin
        cdef int64_t width = 2 * HIDDEN, number
        cdef int32_t best
        look(state, tokens)
        for number in range(FEATURES):
            if tokens[number] < 0:
                values[number] = &self.padding[number * width]
            else:
                values[number] = products + (rows[tokens[number]] * FEATURES + number) * width
        sum_features(values, &self.hidden_bias[0], hidden)
        multiply_row(hidden, 1, HIDDEN, &self.moves[0, 0], MOVES, scores)
        find_valid(state, valid)
        margin = best_of(
            scores,
            &self.moves_bias[0],
            <int32_t> self.kinds.shape[0],
            &self.kinds[0],
            valid,
            &best,
        )
        if self.kinds[best] == LEFT:
            moves[tokens[2]] = best
        elif self.kinds[best] == RIGHT:
            moves[tokens[0]] = best
        move(state, self.kinds[best])
        return margin
