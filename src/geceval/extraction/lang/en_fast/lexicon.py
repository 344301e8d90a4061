"""Cache of words and tokens, shared by all sentences and threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.extraction.lang.en_fast.rules import Case, RuledToken, Rules, Token
from geceval.extraction.lang.en_fast.weights import WIDTH, Floats, Weights
from geceval.kernels.en_fast.embedding import Embedding, distinct

if TYPE_CHECKING:
    from spacy.language import Language

MAX_WORDS = 30_000
"""Cached words after which the cache is replaced."""

MAX_CASES = 100_000
"""Cached results of ruler and lemmatizer after which the cache is replaced."""

_Numbers: TypeAlias = NDArray[np.int32]
_Code: TypeAlias = int
_Key: TypeAlias = _Code | tuple[_Code, _Code, _Code]

_NO_TOKEN = -1

Word: TypeAlias = str | tuple[str, bool, str | None]
"""A word followed by a space; or a word, whether a space follows it, and the norm assigned by the
tokenizer, if any."""


def form_of(word: Word) -> str:
    """Return the form of a word."""
    return word if isinstance(word, str) else word[0]


class WordVectors:
    """Vectors of words, from the tables of the pipeline.

    The rows depend on the word, whether a space follows it, and the norm if assigned by the
    tokenizer.

    Parameters
    ----------
    nlp
        The pipeline.
    weights
        Its weights.
    """

    def __init__(self, nlp: Language, weights: Weights) -> None:
        from spacy.strings import get_string_id
        from spacy.symbols import IDS
        from thinc.api import NumpyOps

        vocab: Any = nlp.vocab
        getters: dict[int, Any] = vocab.lex_attr_getters
        own = {"ORTH": lambda word: word, "SPACY": lambda _: True}
        self._columns = weights.columns
        self._readers = [own.get(name) or getters[IDS[name]] for name in weights.columns]
        self._hashes = weights.hashes
        self._embedding = Embedding(**weights.embedding)
        self._number: Callable[[str], int] = get_string_id
        self._hash: Any = NumpyOps().hash

    def __call__(self, words: Sequence[Word]) -> Floats:
        """Compute the vector of each word, without adding it to spaCy's vocabulary."""
        if not all(map(form_of, words)):
            raise GecevalError("a token is empty; every token has at least one character")
        features = np.array([self._features(word) for word in words], dtype=np.uint64)
        rows = [
            start + self._hash(np.ascontiguousarray(column), seed) % size
            for column, (size, start, seed) in zip(features.T, self._hashes, strict=True)
        ]
        return self._embedding.embed(np.stack(rows, axis=1).astype(np.int32))

    def _features(self, word: Word) -> list[int]:
        """Return the features of a word; strings are represented by spaCy's hashes."""
        form = form_of(word)
        values = [read(form) for read in self._readers]
        if not isinstance(word, str):
            seen = {"SPACY": word[1], "NORM": word[2]}
            values = [
                value if seen.get(name) is None else seen[name]
                for name, value in zip(self._columns, values, strict=True)
            ]
        return [self._number(value) if isinstance(value, str) else value for value in values]


class LexiconCache:
    """Cache of the vectors of words and the results of rules; thread-safe.

    Parameters
    ----------
    embed
        Computes vectors of words.
    rules
        Ruler and lemmatizer.
    tags, labels
        Names of all tags and labels.
    lock
        Held while entries are added, as the rules are shared.
    """

    def __init__(
        self,
        embed: WordVectors,
        rules: Rules,
        tags: Sequence[str],
        labels: Sequence[str],
        lock: RLock,
    ) -> None:
        self._embed = embed
        self._rules = rules
        self._tags = tags
        self._labels = labels
        # Labels that no rule reads have the same number.
        other = next((n for n, name in enumerate(labels) if not rules.reads_label(name)), 0)
        self._read_labels = np.array(
            [n if rules.reads_label(name) else other for n, name in enumerate(labels)],
            dtype=np.int32,
        )
        self._lock = lock
        self._words = [""]
        self._numbers: dict[Word, int] = {}
        self._vectors = np.zeros((1 + MAX_WORDS // 8, WIDTH), dtype=np.float32)
        self._reads_neighbors = np.zeros(len(self._vectors), dtype=bool)
        self._results: dict[_Key, RuledToken] = {}

    @property
    def is_full(self) -> bool:
        """Whether to replace the cache by an empty one."""
        return len(self._words) > MAX_WORDS or len(self._results) > MAX_CASES

    # Words.

    def numbers(self, words: Sequence[Word]) -> _Numbers:
        """Return the numbers of words, from 1."""
        known = self._numbers
        numbers = list(map(known.get, words))
        if None in numbers:
            self._add_words(words)
            numbers = list(map(known.get, words))
        return np.array(numbers, dtype=np.int32)

    @property
    def vectors(self) -> Floats:
        """The vectors of words by number; row 0 is zero."""
        return self._vectors

    def _add_words(self, words: Sequence[Word]) -> None:
        with self._lock:
            new = [word for word in dict.fromkeys(words) if word not in self._numbers]
            if not new:
                return
            start, end = len(self._words), len(self._words) + len(new)
            if end > len(self._vectors):
                self._vectors = _grown(self._vectors, 2 * end)
                self._reads_neighbors = _grown(self._reads_neighbors, 2 * end)
            self._vectors[start:end] = self._embed(new)
            forms = list(map(form_of, new))
            self._reads_neighbors[start:end] = [self._rules.reads_neighbors(w) for w in forms]
            self._words += forms
            # Published last, as other threads read without the lock.
            self._numbers.update(zip(new, range(start, end), strict=True))

    # Tokens.

    def results(
        self, words: _Numbers, tags: _Numbers, labels: _Numbers, offsets: NDArray[np.int64]
    ) -> tuple[_Numbers, list[RuledToken]]:
        """Return the results of ruler and lemmatizer for tokens.

        Parameters
        ----------
        words, tags, labels
            Of all tokens of some sentences.
        offsets
            Start of each sentence, and end of the last one.

        Returns
        -------
        numbers
            Index of each token's result.
        results
            The results.
        """
        numbers, triples = distinct(words, tags, self._read_labels[labels])
        word, tag, label = triples.astype(np.int64).T
        codes = (word * len(self._tags) + tag) * len(self._labels) + label
        keys: list[_Key] = codes.tolist()
        places = np.flatnonzero(self._reads_neighbors[words])
        if len(places):
            is_border = np.zeros(len(words) + 1, dtype=bool)
            is_border[offsets] = True
            found, cases = distinct(
                np.where(is_border[places], _NO_TOKEN, numbers[places - 1]),
                numbers[places],
                np.where(is_border[places + 1], _NO_TOKEN, numbers[(places + 1) % len(words)]),
            )
            numbers[places] = len(keys) + found
            # The index -1, for no neighbor, selects the appended code.
            keys += map(tuple, np.append(codes, _NO_TOKEN)[cases].tolist())
        results = list(map(self._results.get, keys))
        if None in results:
            self._add_results(keys)
            results = list(map(self._results.get, keys))
        return numbers, results  # type: ignore[return-value]

    def _add_results(self, keys: Sequence[_Key]) -> None:
        with self._lock:
            new = [key for key in dict.fromkeys(keys) if key not in self._results]
            results = self._rules.results([self._case(key) for key in new])
            self._results.update(zip(new, results, strict=True))

    def _case(self, key: _Key) -> Case:
        if isinstance(key, tuple):
            before, token, after = key
            return self._token_or_none(before), self._token(token), self._token_or_none(after)
        return None, self._token(key), None

    def _token_or_none(self, code: _Code) -> Token | None:
        return None if code == _NO_TOKEN else self._token(code)

    def _token(self, code: _Code) -> Token:
        rest, label = divmod(code, len(self._labels))
        word, tag = divmod(rest, len(self._tags))
        return self._words[word], self._tags[tag], self._labels[label]


def _grown(values: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.zeros((size, *values.shape[1:]), dtype=values.dtype)
    larger[: len(values)] = values
    return larger
