"""All cheapest alignments of Chinese sentences, and what a substitution costs."""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Sized
from functools import lru_cache
from itertools import accumulate, chain, count, pairwise
from typing import NamedTuple, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from geceval.extraction.align import Kind, Operation
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.pack_options import Level
from geceval.extraction.lang.zh.resources import (
    ChineseResources,
    is_han,
    numbered,
    readings,
    word_readings,
)
from geceval.kernels import cheapest_alignments as kernel
from geceval.limits import TooLargeError, max_cells

MAX_ALIGNMENTS = 1000
"""Maximum number of alignments of a pair; nothing else bounds it."""

MAX_DIFFERENCE = 10
"""Difference of lengths above which only the first alignment is taken."""

STEPS_PER_CELL = 20
"""Maximum number of steps of the transposition search per allowed cell."""

ASCII_MARKS = string.punctuation
WIDE_MARKS = (
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "〰〾〿–—‘'‛“”„‟…‧﹏"
)
"""Punctuation marks for costs. The full stop and the first of the double angle brackets are not
among them, in ChERRANT and so here."""

_MARKS = frozenset(ASCII_MARKS + WIDE_MARKS)

# In the order of the kernel.
_KINDS: dict[int, Kind] = {1: "T", 2: "S", 4: "I", 8: "D"}

_Int32: TypeAlias = NDArray[np.int32]
_Int64: TypeAlias = NDArray[np.int64]


class ChineseCost(NamedTuple):
    """Components of the cost of a substitution; the total is always less than 2."""

    semantics: float
    characters: float
    word_class: float


def substitution_cost(
    before: str,
    after: str,
    resources: ChineseResources,
    *,
    tags: tuple[str, str] | None = None,
) -> ChineseCost:
    """Return what the substitution of a token costs.

    Parameters
    ----------
    before, after
        The tokens.
    resources
        Thesaurus and confusions.
    tags
        Tags of the tokens, if they are words.

    Examples
    --------
    >>> substitution_cost("在", "再", ChineseResources()).characters
    0.0
    """
    meaning, other = resources.thesaurus.get(before), resources.thesaurus.get(after)
    differing = 4
    if meaning is not None and other is not None:
        differing = 2 * sum(one != two for one, two in zip(meaning, other, strict=True))
    if tags is not None:
        word_class = 0.0 if tags[0] == tags[1] else 0.499
    else:
        n_marks = (before in _MARKS) + (after in _MARKS)
        word_class = (0.25, 0.499, 0.0)[n_marks]
    return ChineseCost(
        differing / 6, _character_cost(before, after, resources, tags is not None), word_class
    )


def total_cost(cost: ChineseCost, level: Level) -> float:
    """Return the total cost; the order of additions depends on the level."""
    if level == "word":
        return cost.semantics + cost.word_class + cost.characters
    return cost.semantics + cost.characters + cost.word_class


def _character_cost(before: str, after: str, resources: ChineseResources, are_words: bool) -> float:
    if not (is_han(before) and is_han(after)):
        return 0.5
    read = word_readings if are_words else readings
    if not read(before).isdisjoint(read(after)):
        return 0.0
    short, long = (after, before) if len(after) < len(before) else (before, after)
    lacking = sum(
        not any(one == two or resources.are_confused(one, two) for two in long) for one in short
    )
    return lacking / len(short) * 0.5


class Cheapest(NamedTuple):
    """The cheapest alignments of a pair, without matches, and whether there are more."""

    alignments: list[list[Operation]]
    is_limited: bool


def cheapest_alignments(
    pairs: Sequence[tuple[Analysis, Analysis]],
    resources: ChineseResources,
    *,
    level: Level = "char",
    limit: int = MAX_ALIGNMENTS,
) -> list[Cheapest]:
    """List the cheapest alignments of each pair.

    Parameters
    ----------
    pairs
        Sentences and their corrections.
    resources
        Thesaurus and confusions.
    level
        Whether tokens are characters or words.
    limit
        Maximum number of alignments of a pair.

    Examples
    --------
    >>> pair = (Analysis.plain("我在去"), Analysis.plain("我再去"))
    >>> (found,) = cheapest_alignments([pair], ChineseResources())
    >>> [operation[:3] for operation in found.alignments[0]]
    [('S', 1, 2)]
    """
    interned = _Interned(pairs, resources, level)
    try:
        operations, bounds, by_pair, limited = kernel.align(
            **interned.sentences(),
            **interned.attributes(),
            by_words=level == "word",
            max_difference=MAX_DIFFERENCE,
            limit=limit,
            max_steps=STEPS_PER_CELL * max_cells(),
        )
    except OverflowError as error:
        source, target = pairs[error.args[0]]
        shape = f"reordering {len(source):,} × {len(target):,} tokens takes too many cells"
        raise TooLargeError(shape, max_cells(), (source.tokens, target.tokens)) from None
    rows = [Operation(_KINDS[kind], *spans) for kind, *spans in operations.tolist()]
    found = [rows[start:end] for start, end in pairwise(bounds.tolist())]
    spans = pairwise(by_pair.tolist())
    return [
        Cheapest(found[start:end], bool(is_limited))
        for (start, end), is_limited in zip(spans, limited.tolist(), strict=True)
    ]


class _Sentences(TypedDict):
    """Sentences as numbers of tokens, for the kernel."""

    tokens: _Int32
    offsets: _Int64
    sources: _Int32
    targets: _Int32


class _TokenAttributes(TypedDict):
    """Attributes of each distinct token, for the kernel."""

    meanings: _Int32
    classes: _Int32
    is_han: NDArray[np.uint8]
    syllables: _Int32
    reading: _Int64
    characters: _Int32
    spelling: _Int64
    confusions: _Int32
    confused: _Int64
    random: NDArray[np.uint64]


class _Interned:
    """Pairs of sentences as arrays; the tag of a token depends on its form alone."""

    def __init__(
        self,
        pairs: Sequence[tuple[Analysis, Analysis]],
        resources: ChineseResources,
        level: Level,
    ) -> None:
        self._resources = resources
        self._level = level
        # A new token gets the next number.
        self._tokens: defaultdict[str, int] = defaultdict(count().__next__)
        self._tags: dict[str, str] = {}
        self._known: dict[int, int] = {}
        self._flat: list[int] = []
        self._offsets = [0]
        self._pairs = [(self._add(source), self._add(target)) for source, target in pairs]

    def _add(self, sentence: Analysis) -> int:
        """Return the number of a sentence; each object is stored once."""
        number = self._known.setdefault(id(sentence), len(self._known))
        if number == len(self._offsets) - 1:
            self._flat.extend(map(self._tokens.__getitem__, sentence.tokens))
            self._offsets.append(len(self._flat))
            if self._level == "word":
                self._tags.update(zip(sentence.tokens, sentence.tags, strict=True))
        return number

    def sentences(self) -> _Sentences:
        """Return the numbers of all tokens, and the sentences of each pair."""
        pairs = np.array(self._pairs, dtype=np.int32).reshape(-1, 2)
        return {
            "tokens": np.array(self._flat, dtype=np.int32),
            "offsets": np.array(self._offsets, dtype=np.int64),
            "sources": pairs[:, 0].copy(),
            "targets": pairs[:, 1].copy(),
        }

    def attributes(self) -> _TokenAttributes:
        """Return the attributes of each token."""
        tokens = list(self._tokens)
        han = [is_han(token) for token in tokens]
        read = readings if self._level == "char" else word_readings
        syllables, reading = _flattened(
            read(token) if is_chinese else () for token, is_chinese in zip(tokens, han, strict=True)
        )
        spelled, spelling = _flattened(tokens)
        characters = numbered(spelled)
        confusions, confused = self._confusions(characters)
        return {
            "meanings": self._meanings(tokens),
            "classes": self._classes(tokens),
            "is_han": np.array(han, dtype=np.uint8),
            "syllables": _numbers(syllables, numbered(syllables)),
            "reading": reading,
            "characters": _numbers(spelled, characters),
            "spelling": spelling,
            "confusions": confusions,
            "confused": confused,
            "random": _random(len(tokens)),
        }

    def _meanings(self, tokens: Sequence[str]) -> _Int32:
        """Return the classes of the thesaurus, by codes of their parts; -1 without one."""
        known = self._resources.thesaurus
        meanings = np.full((len(tokens), 3), -1, dtype=np.int32)
        for place, token in enumerate(tokens):
            if (meaning := known.get(token)) is not None:
                major, middle, minor = meaning
                meanings[place] = ord(major), ord(middle), int(minor)
        return meanings

    def _classes(self, tokens: Sequence[str]) -> _Int32:
        if self._level == "char":
            return np.array([token in _MARKS for token in tokens], dtype=np.int32)
        tags = [self._tags[token] for token in tokens]
        return _numbers(tags, numbered(tags))

    def _confusions(self, characters: Mapping[str, int]) -> tuple[_Int32, _Int64]:
        """Return the confusions of each character among those that occur, in both directions."""
        pairs: list[set[int]] = [set() for _ in characters]
        known = self._resources.confusions
        for character, number in characters.items() if known else ():
            for other in known.get(character, frozenset()) & characters.keys():
                pairs[number].add(characters[other])
                pairs[characters[other]].add(number)
        flat = [other for others in pairs for other in sorted(others)]
        return np.array(flat, dtype=np.int32), _offsets(pairs)


def _flattened(groups: Iterable[Iterable[str]]) -> tuple[list[str], _Int64]:
    """Return the items of all groups, and where each group begins."""
    listed = [list(group) for group in groups]
    return list(chain.from_iterable(listed)), _offsets(listed)


def _offsets(groups: Iterable[Sized]) -> _Int64:
    return np.array([*accumulate(map(len, groups), initial=0)], dtype=np.int64)


def _numbers(values: Iterable[str], known: Mapping[str, int]) -> _Int32:
    return np.fromiter(map(known.__getitem__, values), dtype=np.int32)


@lru_cache(maxsize=1)
def _random(size: int) -> NDArray[np.uint64]:
    """Return random numbers, always the same; a collision of their sums costs only time."""
    return np.random.default_rng(0).integers(2**64, size=size, dtype=np.uint64)
