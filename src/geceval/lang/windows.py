"""Token vectors of a small spaCy pipeline, equal windows computed once.

The vector that layer ``l`` of the encoder gives a token depends on the ``l`` tokens on each side
of it and on nothing else. A source sentence and its many corrections share most of these windows,
so each distinct one is computed once for a whole batch, by the model's own layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.model import Tokens

if TYPE_CHECKING:
    from spacy.language import Language
    from thinc.api import Model

_Vectors: TypeAlias = NDArray[np.float32]
_Numbers: TypeAlias = NDArray[np.int64]

MAX_WORDS = 30_000
"""How many words keep their embedding."""

# Of what the embedding reads, everything that a word alone decides; every token is followed by
# a space here.
_WORD_FEATURES = frozenset({"NORM", "ORTH", "LOWER", "PREFIX", "SUFFIX", "SHAPE"})
_FEATURES = _WORD_FEATURES | {"SPACY", "IS_SPACE"}
_PADDING = 0


class SharedWindows:
    """The ``tok2vec`` of a pipeline: hash embeddings and layers that look one token around.

    Parameters
    ----------
    nlp
        A pipeline for which `suits` holds.
    """

    def __init__(self, nlp: Language) -> None:
        tok2vec: Any = nlp.get_pipe("tok2vec")
        embed, encode = tok2vec.model.layers
        self._vocab = nlp.vocab
        self._embed: Model[Any, Any] = embed
        # Each layer is residual(expand_window >> rest): windows are made here, the rest is used.
        self._layers: list[Model[Any, Any]] = [
            residual.layers[0].layers[1] for residual in encode.layers[0].layers
        ]
        self._width: int = embed.get_dim("nO")
        self._numbers: dict[str, int] = {}
        self._embeddings = self._only_padding()

    @staticmethod
    def suits(nlp: Language) -> bool:
        """Whether a pipeline has the vectors that this class can compute."""
        if "tok2vec" not in nlp.pipe_names:
            return False
        config = nlp.config["components"]["tok2vec"]["model"]
        embed, encode = config.get("embed", {}), config.get("encode", {})
        return (
            config["@architectures"] == "spacy.Tok2Vec.v2"
            and embed["@architectures"] == "spacy.MultiHashEmbed.v2"
            and not embed["include_static_vectors"]
            and _FEATURES.issuperset(embed["attrs"])
            and encode["@architectures"] == "spacy.MaxoutWindowEncoder.v2"
            and encode["window_size"] == 1
        )

    def __call__(self, sentences: Sequence[Tokens]) -> list[_Vectors]:
        """Return the vectors of each sentence."""
        # As many empty places around a sentence as there are layers keep it from the next.
        margin = [_PADDING] * len(self._layers)
        flat = list(margin)
        starts = []
        for sentence in self._numbered(sentences):
            starts.append(len(flat))
            flat += sentence
            flat += margin
        numbers, vectors = np.array(flat, dtype=np.int64), self._embeddings
        for layer in self._layers:
            numbers, vectors = _next_layer(layer, numbers, vectors)
        return [
            vectors[numbers[start : start + len(sentence)]]
            for start, sentence in zip(starts, sentences, strict=True)
        ]

    def _numbered(self, sentences: Sequence[Tokens]) -> list[list[int]]:
        """Number the words and make sure that each has an embedding."""
        if len(self._numbers) > MAX_WORDS:
            self._numbers = {}
            self._embeddings = self._only_padding()
        known = self._numbers
        new = {word for sentence in sentences for word in sentence} - known.keys()
        if new:
            self._learn(sorted(new))
        return [[known[word] for word in sentence] for sentence in sentences]

    def _learn(self, words: list[str]) -> None:
        from spacy.tokens import Doc

        start = len(self._numbers) + 1
        end = start + len(words)
        if end > len(self._embeddings):
            larger = np.zeros((2 * end, self._width), dtype=np.float32)
            larger[:start] = self._embeddings[:start]
            self._embeddings = larger
        (self._embeddings[start:end],) = self._embed.predict([Doc(self._vocab, words)])
        self._numbers.update(zip(words, range(start, end), strict=True))

    def _only_padding(self) -> _Vectors:
        return np.zeros((1, self._width), dtype=np.float32)


def _next_layer(
    layer: Model[Any, Any], numbers: _Numbers, vectors: _Vectors
) -> tuple[_Numbers, _Vectors]:
    """Apply one layer; tokens and vectors are numbered anew by their windows."""
    # Three numbers as one; there are far fewer than 2 ** 21 vectors.
    base = len(vectors)
    left = np.roll(numbers, 1)
    right = np.roll(numbers, -1)
    windows, renumbered = np.unique((left * base + numbers) * base + right, return_inverse=True)
    rest, right = np.divmod(windows, base)
    left, middle = np.divmod(rest, base)
    neighbours = np.stack((left, middle, right), axis=1)
    gathered = vectors[neighbours].reshape(len(windows), -1)
    return renumbered, layer.predict(gathered) + vectors[middle]
