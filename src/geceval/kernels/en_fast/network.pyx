"""The network of a small spaCy pipeline: encoder, tagger and parser.

    encoder  x'_i = x_i + norm(max over p of (W_p [x_(i-1); x_i; x_(i+1)] + b_p)), layer by layer
    tagger   tag_i = argmax of (W x_i + b)
    parser   transition = argmax over valid ones of (U h), h = max over p of (sum of V_pf x_c(f))

where c(f) are the eight tokens that describe the configuration of an arc-eager parser.

A window of tokens that comes more than once is computed once for all sentences of a call. Scores
only decide which tag or which transition of the parser is best; by how much is returned as well, so
that the caller can tell where rounding might have decided.
"""

from libc.float cimport FLT_MAX
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

import numpy as np

from geceval.kernels.en_fast.arc_eager cimport (
    KINDS,
    LEFT_ARC,
    RIGHT_ARC,
    Configuration,
    apply_transition,
    find_valid_transitions,
    look_at_context,
)
from geceval.kernels.en_fast.layers cimport (
    FEATURES,
    HIDDEN,
    MAX_TRANSITIONS,
    PIECES,
    ROWS,
    WIDTH,
    apply_window,
    best_of,
    choose_processor,
    multiply,
    multiply_row,
    rounded_up,
    sum_features,
)
from geceval.kernels.en_fast.triples cimport TripleTable, clear, number_of, places_for
from geceval.kernels.interrupt cimport check_stop

from geceval.kernels.en_fast.embedding import in_panels

choose_processor()

ctypedef const float* Values


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


cdef class NetworkWorkspace:
    """Where one call works, with so many places for tokens and padding."""

    cdef readonly int64_t n_places
    cdef list kept
    cdef TripleTable table
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
    cdef Configuration parser

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
        self.parser.stack = &by_token[0, 0]
        self.parser.returned = &by_token[1, 0]
        self.parser.left_child = &by_token[2, 0]
        self.parser.right_child = &by_token[3, 0]
        self.parser.elder = &by_token[4, 0]
        self.parser.was_returned = &flags[0, 0]
        self.parser.is_start = &flags[1, 0]


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
        that a configuration shows; for each of them, both pieces one after the other.
    padding, hidden_bias
        ``(8 * 2 * 64,)``: what an empty place adds; ``(2 * 64,)``.
    transitions, transition_bias
        ``(64, n_transitions)`` and ``(n_transitions,)``, for 112 transitions at most.
    kinds
        By transition: 0 shift, 1 reduce, 2 left arc, 3 right arc, 4 new sentence.
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
    cdef const float[:, ::1] transitions
    cdef const float[::1] transition_bias
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
        transitions,
        transition_bias,
        kinds,
    ):
        depth, n_tags, n_transitions = len(layers), len(tagger_bias), len(kinds)
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
            (transitions, (HIDDEN, n_transitions)),
            (transition_bias, (n_transitions,)),
        ):
            if values.shape != shape:
                raise ValueError(f"weights of the shape {shape} are needed, not {values.shape}")
        if (
            depth == 0
            or n_tags == 0
            or not 0 < n_transitions <= MAX_TRANSITIONS
            or kinds.max() >= KINDS
        ):
            raise ValueError("there are no layers, no tags or no transitions, or too many")
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
        n_missing = MAX_TRANSITIONS - n_transitions
        self.transitions = np.ascontiguousarray(np.pad(transitions, ((0, 0), (0, n_missing))))
        self.transition_bias = transition_bias
        self.kinds = kinds
        self.spare = []

    def decide(
        self, const float[:, ::1] vectors, const int32_t[::1] words, const int64_t[::1] offsets
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
        transitions
            By token the transition that made its arc, -1 for a root.
        margins
            By sentence: how much better than the second best the best tag or transition was, where
            it was closest.
        """
        cdef int64_t n_sentences = offsets.shape[0] - 1, start, end = 0, n_rows
        cdef NetworkWorkspace work
        tags = np.empty(words.shape[0], dtype=np.int32)
        heads = np.empty(words.shape[0], dtype=np.int32)
        transitions = np.empty(words.shape[0], dtype=np.int32)
        margins = np.full(n_sentences, FLT_MAX, dtype=np.float32)
        cdef int32_t[::1] out_tags = tags
        cdef int32_t[::1] out_heads = heads
        cdef int32_t[::1] out_transitions = transitions
        cdef float[::1] out_margins = margins
        work = self.take_workspace(self.largest_batch(offsets))
        with nogil:
            while end < n_sentences:
                start = end
                end = end_of_batch(offsets, start)
                check_stop(10000 * (offsets[end] - offsets[start]))
                n_rows = self.encode_in(work, vectors, words, offsets[start:end + 1])
                self.tag(work, n_rows)
                self.prepare_parser(work, n_rows)
                self.finish(
                    work,
                    offsets[start:end + 1],
                    out_tags,
                    out_heads,
                    out_transitions,
                    out_margins[start:end],
                )
        self.give_back(work)
        return tags, heads, transitions, margins

    def encode(
        self, const float[:, ::1] vectors, const int32_t[::1] words, const int64_t[::1] offsets
    ):
        """Return the vector that the encoder gives each token (see `decide`)."""
        cdef int64_t number, token, start
        cdef float[:, ::1] out = np.empty((words.shape[0], WIDTH), dtype=np.float32)
        cdef NetworkWorkspace work = self.take_workspace(
            self.n_places(offsets, 0, offsets.shape[0] - 1)
        )
        self.encode_in(work, vectors, words, offsets)
        for number in range(offsets.shape[0] - 1):
            start = self.place(offsets, number) - offsets[number]
            for token in range(offsets[number], offsets[number + 1]):
                memcpy(
                    &out[token, 0],
                    work.rows + <int64_t> work.numbers[start + token] * WIDTH,
                    WIDTH * sizeof(float),
                )
        self.give_back(work)
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

    cdef NetworkWorkspace take_workspace(self, int64_t n_places):
        """Find room that is large enough; what was used before is known to the processor."""
        while self.spare:
            work = self.spare.pop()
            if work.n_places >= n_places:
                return work
        return NetworkWorkspace(max(n_places, USUAL_PLACES))

    cdef give_back(self, NetworkWorkspace work):
        if work.n_places == USUAL_PLACES:
            self.spare.append(work)

    cdef inline int64_t place(self, const int64_t[::1] offsets, int64_t sentence) noexcept nogil:
        """Where a sentence begins: each has as much padding around it as there are layers."""
        return offsets[sentence] - offsets[0] + self.depth * (sentence + 1)

    cdef int64_t encode_in(
        self,
        NetworkWorkspace work,
        const float[:, ::1] vectors,
        const int32_t[::1] words,
        const int64_t[::1] offsets,
    ) noexcept nogil:
        """Compute the last layer's rows, and which of them each token has; return their number."""
        cdef int64_t n_sentences = offsets.shape[0] - 1, sentence, token, start, number, n_rows
        clear(&work.table)
        number_of(&work.table, 0, 0, 0)
        memset(work.numbers, 0, self.n_places(offsets, 0, n_sentences) * sizeof(int32_t))
        for sentence in range(n_sentences):
            start = self.place(offsets, sentence) - offsets[sentence]
            for token in range(offsets[sentence], offsets[sentence + 1]):
                work.numbers[start + token] = number_of(&work.table, words[token], 0, 0)
        n_rows = work.table.n_triples
        for number in range(n_rows):
            memcpy(
                work.rows + number * WIDTH,
                &vectors[work.table.triples[3 * number], 0],
                WIDTH * sizeof(float),
            )
        for number in range(self.depth):
            n_rows = self.apply_layer(work, number, n_rows, offsets)
        return n_rows

    cdef int64_t apply_layer(
        self, NetworkWorkspace work, int64_t layer, int64_t n_rows, const int64_t[::1] offsets
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
            work.rows, rounded_up(n_rows), WIDTH, &self.layers[layer, 0], 3 * part, work.products
        )
        clear(&work.table)
        for sentence in range(offsets.shape[0] - 1):
            if offsets[sentence] == offsets[sentence + 1]:
                continue
            place = self.place(offsets, sentence) - reach
            end = place + offsets[sentence + 1] - offsets[sentence] + 2 * reach
            for place in range(place, end):
                window = work.numbers + place - 1
                known = work.table.n_triples
                work.next_numbers[place] = number_of(&work.table, window[0], window[1], window[2])
                if work.next_numbers[place] == known:
                    apply_window(
                        work.products + 3 * part * window[0],
                        work.products + 3 * part * window[1] + part,
                        work.products + 3 * part * window[2] + 2 * part,
                        &self.bias[layer, 0],
                        &self.gain[layer, 0],
                        &self.shift[layer, 0],
                        work.rows + <int64_t> window[1] * WIDTH,
                        work.next_rows + known * WIDTH,
                    )
        work.rows, work.next_rows = work.next_rows, work.rows
        work.numbers, work.next_numbers = work.next_numbers, work.numbers
        return work.table.n_triples

    cdef void tag(self, NetworkWorkspace work, int64_t n_rows) noexcept nogil:
        """Find the best tag of each row."""
        cdef int64_t n_tags = self.tagger_bias.shape[0]
        cdef int64_t n_columns = self.tagger.shape[0] // WIDTH, row
        multiply(work.rows, rounded_up(n_rows), WIDTH, &self.tagger[0], n_columns, work.products)
        for row in range(n_rows):
            work.margins[row] = best_of(
                work.products + row * n_columns,
                &self.tagger_bias[0],
                <int32_t> n_tags,
                NULL,
                NULL,
                &work.tags[row],
            )

    cdef void prepare_parser(self, NetworkWorkspace work, int64_t n_rows) noexcept nogil:
        """Compute what each row adds to the parser's hidden layer."""
        cdef int64_t row, number
        cdef float* reduced = work.next_rows
        multiply(work.rows, rounded_up(n_rows), WIDTH, &self.reducer[0], HIDDEN, reduced)
        for row in range(n_rows):
            for number in range(HIDDEN):
                reduced[row * HIDDEN + number] += self.reducer_bias[number]
        multiply(
            reduced,
            rounded_up(n_rows),
            HIDDEN,
            &self.features[0],
            FEATURES * 2 * HIDDEN,
            work.products,
        )

    cdef void finish(
        self,
        NetworkWorkspace work,
        const int64_t[::1] offsets,
        int32_t[::1] tags,
        int32_t[::1] heads,
        int32_t[::1] transitions,
        float[::1] margins,
    ) noexcept nogil:
        """Tag and parse each sentence."""
        cdef int64_t number, start
        for number in range(offsets.shape[0] - 1):
            start = offsets[number]
            if start < offsets[number + 1]:
                margins[number] = self.finish_sentence(
                    work,
                    work.numbers + self.place(offsets, number),
                    offsets[number + 1] - start,
                    &tags[start],
                    &heads[start],
                    &transitions[start],
                )

    cdef float finish_sentence(
        self,
        NetworkWorkspace work,
        const int32_t* rows,
        int64_t size,
        int32_t* tags,
        int32_t* heads,
        int32_t* transitions,
    ) noexcept nogil:
        """Tag and parse greedily; return by how much the closest decision was won."""
        cdef Configuration* parser = &work.parser
        cdef float margin = FLT_MAX
        cdef int32_t token
        parser.n_stack = parser.n_returned = parser.next = 0
        parser.size = <int32_t> size
        parser.heads = heads
        memset(parser.was_returned, False, size)
        memset(parser.is_start, False, size)
        for token in range(parser.size):
            tags[token] = work.tags[rows[token]]
            margin = min(margin, work.margins[rows[token]])
            heads[token] = transitions[token] = -1
            parser.left_child[token] = parser.right_child[token] = -1
        while parser.n_stack or parser.n_returned or parser.next < parser.size:
            margin = min(margin, self.step(work.products, rows, parser, transitions))
        for token in range(parser.size):
            if heads[token] < 0:
                heads[token] = token
        return margin

    cdef float step(
        self,
        const float* products,
        const int32_t* rows,
        Configuration* parser,
        int32_t* transitions,
    ) noexcept nogil:
        """Apply the best transition; return by how much it was best."""
        cdef Values[FEATURES] values
        cdef int32_t[FEATURES] tokens
        cdef uint8_t[KINDS] valid
        cdef float[HIDDEN] hidden
        cdef float[MAX_TRANSITIONS] scores
        cdef float margin
        cdef int64_t width = 2 * HIDDEN, number
        cdef int32_t best
        look_at_context(parser, tokens)
        for number in range(FEATURES):
            if tokens[number] < 0:
                values[number] = &self.padding[number * width]
            else:
                values[number] = products + (rows[tokens[number]] * FEATURES + number) * width
        sum_features(values, &self.hidden_bias[0], hidden)
        multiply_row(hidden, 1, HIDDEN, &self.transitions[0, 0], MAX_TRANSITIONS, scores)
        find_valid_transitions(parser, valid)
        margin = best_of(
            scores,
            &self.transition_bias[0],
            <int32_t> self.kinds.shape[0],
            &self.kinds[0],
            valid,
            &best,
        )
        if self.kinds[best] == LEFT_ARC:
            transitions[tokens[2]] = best
        elif self.kinds[best] == RIGHT_ARC:
            transitions[tokens[0]] = best
        apply_transition(parser, self.kinds[best])
        return margin
