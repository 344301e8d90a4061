"""Word order with small changes: reordered words that also change a little."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel, Levenshtein
from rapidfuzz.process import cdist

MAX_WORDS = 5
"""Maximum number of reordered words that may change."""

MAX_COST = 0.25
"""Cost of letters below which two words are similar."""

_CASE, _MARK, _MARKS, _VOWEL = 0.1, 0.2, 0.3, 0.3
_VOWELS = frozenset("iíyý")


def are_reordered(before: Sequence[str], after: Sequence[str], similarity: float) -> bool:
    """Whether words can be paired so that neither the first two nor the last two are a pair.

    Parameters
    ----------
    before, after
        The words.
    similarity
        See `are_similar`.

    Examples
    --------
    >>> are_reordered(["mas", "se"], ["se", "máš"], 0.0)
    True
    """
    size = len(before)
    if size != len(after) or not 2 <= size <= MAX_WORDS:
        return False
    allowed = [
        [
            number
            for number, other in enumerate(after)
            if (place, number) not in ((0, 0), (size - 1, size - 1))
            and are_similar(word, other, similarity)
        ]
        for place, word in enumerate(before)
    ]
    return _can_pair(allowed, 0, frozenset())


def _can_pair(allowed: Sequence[Sequence[int]], place: int, used: frozenset[int]) -> bool:
    if place == len(allowed):
        return True
    return any(
        _can_pair(allowed, place + 1, used | {number})
        for number in allowed[place]
        if number not in used
    )


@lru_cache(200_000)
def are_similar(before: str, after: str, similarity: float) -> bool:
    """Whether two words are nearly the same.

    Parameters
    ----------
    before, after
        The words.
    similarity
        Indel similarity that they must exceed; 0 to compare the cost of letters with `MAX_COST`.
    """
    if before.lower() == after.lower():
        return True
    if similarity:
        return Indel.normalized_similarity(before.lower(), after.lower()) > similarity
    # The difference of the lengths is the least cost.
    if 2 * abs(len(before) - len(after)) >= MAX_COST * (len(before) + len(after)):
        return False
    return letter_cost(before, after) < MAX_COST


def similar_words(
    source: Sequence[str], target: Sequence[str], similarity: float
) -> NDArray[np.uint8]:
    """Return a table of all pairs of similar words of two sentences; see `are_similar`.

    Examples
    --------
    >>> similar_words(["mas", "se"], ["se", "máš"], 0.0).tolist()
    [[0, 1], [1, 0]]
    """
    if not source or not target:
        return np.zeros((len(source), len(target)), dtype=np.uint8)
    # Cheap substitutions cost nothing between these forms, so their distance is a lower bound.
    first, second = [*map(_coarse, source)], [*map(_coarse, target)]
    distances = cdist(first, second, scorer=Levenshtein.distance, dtype=np.int32)
    sizes = np.add.outer([*map(len, source)], [*map(len, target)])
    limit = (1 - similarity) if similarity else MAX_COST / 2
    table = np.zeros(distances.shape, dtype=np.uint8)
    for row, column in np.argwhere(distances <= limit * sizes).tolist():
        table[row, column] = are_similar(source[row], target[column], similarity)
    return table


@lru_cache(200_000)
def _coarse(word: str) -> str:
    """Return a word in lower case and without diacritics, with one letter for each."""
    return "".join([_base(char.lower())[0] for char in word]).replace("y", "i")


def _base(char: str) -> tuple[str, str]:
    """Split a letter into the bare letter and its marks."""
    first, rest = (decomposed := unicodedata.normalize("NFD", char))[:1], decomposed[1:]
    return (first, rest) if all(map(unicodedata.combining, rest)) else (char[:1], "")


def letter_cost(before: str, after: str) -> float:
    """Return the weighted Levenshtein distance, doubled, by the sum of the lengths.

    Examples
    --------
    >>> round(letter_cost("mas", "máš"), 4)
    0.1333
    """
    row = [float(number) for number in range(len(after) + 1)]
    for char in before:
        diagonal, row[0] = row[0], row[0] + 1
        for place, other in enumerate(after, 1):
            cost = min(diagonal + _substitution(char, other), row[place] + 1, row[place - 1] + 1)
            diagonal, row[place] = row[place], cost
    return 2 * row[-1] / (len(before) + len(after))


@lru_cache(20_000)
def _substitution(char: str, other: str) -> float:
    if char == other:
        return 0.0
    if char.lower() == other.lower():
        return _CASE
    (letter, marks), (other_letter, other_marks) = _base(char.lower()), _base(other.lower())
    if letter == other_letter:
        return _MARKS if marks and other_marks else _MARK
    return _VOWEL if {char.lower(), other.lower()} <= _VOWELS else 1.0
