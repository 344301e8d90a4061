"""Token alignment of two sentences.

Felice, Bryant and Briscoe (2016), Automatic Extraction of Learner Errors in ESL Sentences Using
Linguistically Enhanced Alignments, section 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, pairwise
from typing import Literal, NamedTuple, TypeAlias, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from geceval.errors import UnknownNameError
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.casing import Lower
from geceval.kernels import damerau_levenshtein as kernel
from geceval.limits import ANALYSIS, TooLargeError, check_pair, max_cells

Kind: TypeAlias = Literal["M", "S", "I", "D", "T"]
"""Match, substitution, insertion, deletion, transposition."""

Method: TypeAlias = Literal["linguistic", "levenshtein"]
"""Damerau-Levenshtein with linguistic costs, or plain Levenshtein."""

OPEN_CLASSES = frozenset({"ADJ", "ADV", "NOUN", "VERB"})
"""Parts of speech of content words."""

STEPS_PER_CELL = 20
"""Maximum number of steps of the transposition search per allowed cell."""

# In the order of the kernel.
_KINDS: tuple[Kind, ...] = ("M", "S", "I", "D", "T")

OPERATION_NAMES: dict[Kind, str] = {
    "M": "match",
    "S": "substitution",
    "I": "insertion",
    "D": "deletion",
    "T": "transposition",
}


_Int32: TypeAlias = NDArray[np.int32]


class Operation(NamedTuple):
    """An edit operation, with half-open spans of source and target."""

    kind: Kind
    start: int
    end: int
    target_start: int
    target_end: int


class SubstitutionCost(NamedTuple):
    """Components of the cost of a substitution; the total is always less than 2."""

    lemma: float
    pos: float
    characters: float

    @property
    def total(self) -> float:
        """The total cost."""
        return self.lemma + self.pos + self.characters


def align(
    source: Analysis,
    target: Analysis,
    *,
    method: Method = "linguistic",
    similarity: float | None = None,
) -> tuple[Operation, ...]:
    """Align two sentences.

    Parameters
    ----------
    source, target
        The sentences.
    method
        ``"linguistic"`` has substitution costs by lemma, part of speech and characters, and
        transpositions; ``"levenshtein"`` has neither.
    similarity
        Similarity of words that may be transposed though they change a little (see
        `geceval.extraction.similar_order.are_similar`); None if they must not change.

    Returns
    -------
    operations
        All operations in order, including matches.

    Examples
    --------
    >>> source, target = (Analysis.plain(text.split()) for text in ("so it good", "it is good"))
    >>> [operation.kind for operation in align(source, target)]
    ['D', 'M', 'I', 'M']
    """
    (changes,) = align_pairs([(source, target)], method=method, similarity=similarity)
    return tuple(with_matches(changes, len(source)))


def align_pairs(
    pairs: Sequence[tuple[Analysis, Analysis]],
    *,
    method: Method = "linguistic",
    similarity: float | None = None,
) -> list[list[Operation]]:
    """Align many pairs of sentences, without returning matches (see `with_matches`)."""
    check_method(method)
    for source, target in pairs:
        check_pair(source.tokens, target.tokens, per_token=ANALYSIS)
    table = _Table()
    sources = np.array([table.add(source) for source, _ in pairs], dtype=np.int32)
    targets = np.array([table.add(target) for _, target in pairs], dtype=np.int32)
    tokens, sentences = table.sentences()
    try:
        operations, offsets = kernel.align(
            tokens,
            sentences,
            sources,
            targets,
            **table.words(),
            linguistic=method == "linguistic",
            max_steps=STEPS_PER_CELL * max_cells(),
            similar=None if similarity is None else _similar(pairs, similarity),
        )
    except OverflowError as error:
        source, target = pairs[error.args[0]]
        pair = source.tokens, target.tokens
        shape = f"reordering {len(source):,} × {len(target):,} tokens takes too many cells"
        raise TooLargeError(shape, max_cells(), pair) from None
    rows = [
        Operation(_KINDS[kind], start, end, target_start, target_end)
        for kind, start, end, target_start, target_end in operations.tolist()
    ]
    return [rows[start:end] for start, end in pairwise(offsets.tolist())]


def check_method(method: str) -> None:
    """Raise an error for an unknown alignment method."""
    if method not in get_args(Method):
        raise UnknownNameError("alignment", method, get_args(Method))


def with_matches(changes: Iterable[Operation], n_source: int) -> Iterator[Operation]:
    """Restore the matches between the changes of an alignment.

    Parameters
    ----------
    changes
        All operations except matches, in order.
    n_source
        Length of the source sentence.
    """
    row = column = 0
    for change in changes:
        for step in range(change.start - row):
            yield Operation("M", row + step, row + step + 1, column + step, column + step + 1)
        yield change
        row, column = change.end, change.target_end
    for step in range(n_source - row):
        yield Operation("M", row + step, row + step + 1, column + step, column + step + 1)


def substitution_cost(source: Analysis, i: int, target: Analysis, j: int) -> SubstitutionCost:
    """Return the cost of substituting token `j` of `target` for token `i` of `source`.

    Examples
    --------
    >>> source, target = Analysis.plain(("The",)), Analysis.plain(("the",))
    >>> substitution_cost(source, 0, target, 0)
    SubstitutionCost(lemma=0.0, pos=0.0, characters=0.0)
    """
    if source.lower(source.tokens[i]) == target.lower(target.tokens[j]):
        return SubstitutionCost(0.0, 0.0, 0.0)
    pos = 0.0
    if source.pos[i] != target.pos[j]:
        pos = 0.25 if {source.pos[i], target.pos[j]} <= OPEN_CLASSES else 0.5
    return SubstitutionCost(
        0.0 if source.lemmas[i] == target.lemmas[j] else 0.499,
        pos,
        Indel.normalized_distance(source.tokens[i], target.tokens[j]),
    )


def _similar(pairs: Sequence[tuple[Analysis, Analysis]], similarity: float) -> NDArray[np.uint8]:
    """Return which words of each pair of sentences are similar, one table after the other."""
    from geceval.extraction.similar_order import similar_words

    tables = [similar_words(first.tokens, second.tokens, similarity) for first, second in pairs]
    return np.concatenate([table.ravel() for table in tables] or [np.zeros(0, dtype=np.uint8)])


class _WordArrays(TypedDict):
    """Attributes of each distinct word, for the kernel."""

    forms: _Int32
    lowers: _Int32
    lemmas: _Int32
    pos: _Int32
    is_open: NDArray[np.uint8]
    characters: _Int32
    spelling: NDArray[np.int64]


class _Table:
    """Interned sentences; a word is a form with its lemma and part of speech."""

    def __init__(self) -> None:
        # A new word gets the next number.
        self._words: defaultdict[tuple[str, str, str], int] = defaultdict(count().__next__)
        self._numbers: dict[int, int] = {}
        self._flat: list[int] = []
        self._offsets = [0]
        self._lower: Lower = str.lower

    def add(self, sentence: Analysis) -> int:
        """Return the number of a sentence; each object is stored once."""
        number = self._numbers.setdefault(id(sentence), len(self._numbers))
        if number == len(self._offsets) - 1:
            self._lower = sentence.lower
            words = zip(sentence.tokens, sentence.lemmas, sentence.pos, strict=True)
            self._flat.extend(map(self._words.__getitem__, words))
            self._offsets.append(len(self._flat))
        return number

    def sentences(self) -> tuple[_Int32, NDArray[np.int64]]:
        """Return the numbers of all tokens, and the offsets of sentences."""
        return np.array(self._flat, dtype=np.int32), np.array(self._offsets, dtype=np.int64)

    def words(self) -> _WordArrays:
        """Return the attributes of each word."""
        forms = [form for form, _, _ in self._words]
        pos = [pos for _, _, pos in self._words]
        # Surrogates cannot be encoded otherwise, and count as ordinary characters.
        text = "".join(forms).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(text, dtype=np.uint32)
        ordered = np.sort(codes)
        distinct = ordered[np.diff(ordered, prepend=-1) > 0]
        return {
            "forms": _numbered(forms),
            "lowers": _numbered(map(self._lower, forms)),
            "lemmas": _numbered(lemma for _, lemma, _ in self._words),
            "pos": _numbered(pos),
            "is_open": np.array([name in OPEN_CLASSES for name in pos], dtype=np.uint8),
            "characters": np.searchsorted(distinct, codes).astype(np.int32),
            "spelling": np.cumsum([0, *map(len, forms)], dtype=np.int64),
        }


def _numbered(values: Iterable[str]) -> _Int32:
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    return np.fromiter(map(numbers.__getitem__, values), dtype=np.int32)
