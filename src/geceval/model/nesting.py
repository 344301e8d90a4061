"""Edits inside other edits, such as a spelling error inside of a word-order error.

Some annotators mark an error twice: by itself, and within a longer edit whose correction contains
its correction. Both cannot be applied, so that an annotation of this kind has several *readings*,
none of which has overlapping edits.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geceval.model.edit import Edit, Tokens

MAX_READINGS = 8
"""Maximum number of readings of an annotation; one with more is not divided."""


def without_inner(edits: Sequence[Edit]) -> Sequence[Edit]:
    """Remove the edits inside of an edit whose correction contains that of one of them.

    Returns
    -------
    edits
        The given sequence itself if no edits are nested.

    Examples
    --------
    >>> from geceval.model import Edit
    >>> inner, outer = Edit.replace(0, 1, "here"), Edit.replace(0, 3, "we are here")
    >>> without_inner([inner, outer]) == [outer]
    True
    >>> len(without_inner([inner, Edit.replace(0, 3, "we were")]))
    2
    """
    places = sorted(
        (n for n, edit in enumerate(edits) if edit.corrects), key=lambda n: _span(edits[n])
    )
    if not have_overlaps(edits[n] for n in places):
        return edits
    kept = outermost([edits[n] for n in places])
    inner = set(places).difference(places[place] for place in kept)
    return [edit for n, edit in enumerate(edits) if n not in inner] if inner else edits


def is_nested(edits: Sequence[Edit]) -> bool:
    """Whether the correction of an edit contains that of another edit inside it."""
    return without_inner(edits) is not edits


def _span(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def have_overlaps(edits: Iterable[Edit]) -> bool:
    """Whether any two of several edits, sorted by span, overlap."""
    reached = 0
    for edit in edits:
        if edit.start < reached:
            return True
        reached = edit.end
    return False


def outermost(edits: Sequence[Edit]) -> list[int]:
    """Return the indices of edits that are not inside of one that contains their corrections.

    An edit whose correction contains that of any edit inside it replaces all edits inside it. The
    edits have corrections and are sorted by span.

    Examples
    --------
    >>> from geceval.model import Edit
    >>> outermost([Edit.replace(0, 1, "here"), Edit.replace(0, 3, "we are here")])
    [1]
    """
    # An outer edit precedes those inside it.
    order = sorted(range(len(edits)), key=lambda n: (edits[n].start, -edits[n].end))
    holding = _holding(edits, order)
    inside: set[int] = set()
    current: Edit | None = None
    for number in order:
        if current is not None and _contains(current, edits[number]):
            inside.add(number)
        elif number in holding:
            current = edits[number]
    return [number for number in range(len(edits)) if number not in inside]


def _holding(edits: Sequence[Edit], order: Iterable[int]) -> set[int]:
    """Return the edits whose correction contains that of an edit directly inside them."""
    holding: set[int] = set()
    contents: dict[int, _Contents] = {}
    open_edits: list[int] = []
    for number in order:
        edit = edits[number]
        while open_edits and edits[open_edits[-1]].end < max(edit.start + 1, edit.end):
            contents.pop(open_edits.pop(), None)
        outer = open_edits[-1] if open_edits else number
        if outer not in holding and _contains(edits[outer], edit):
            if outer not in contents:
                contents[outer] = _Contents(edits[outer])
            if contents[outer].include(edit):
                holding.add(outer)
        open_edits.append(number)
    return holding


def _contains(outer: Edit, inner: Edit) -> bool:
    """Whether an edit overlaps a shorter one that does not extend beyond it."""
    return (
        outer.end - outer.start > inner.end - inner.start
        and outer.start <= inner.start
        and inner.end <= outer.end
        and outer.overlaps(inner)
    )


class _Contents:
    """Words and letters of the corrections of an edit, regardless of case."""

    def __init__(self, edit: Edit) -> None:
        self._options = [(_words(option), _letters(option)) for option in edit.corrections]

    def include(self, inner: Edit) -> bool:
        """Whether a correction contains the words or the letters of one of another edit."""
        return any(
            _words(option) <= words or _letters(option) in letters
            for option in inner.corrections
            for words, letters in self._options
        )


def _words(tokens: Tokens) -> Counter[str]:
    return Counter(token.lower() for token in tokens)


def _letters(tokens: Tokens) -> str:
    return "".join(tokens).lower()


def readings(edits: Sequence[Edit], n_tokens: int) -> list[tuple[Edit, ...]]:
    """Divide edits into readings without overlaps, so that each edit is in at least one.

    The first reading has the edits that are applied to the sentence, outer edits instead of those
    inside them. The next has as many of the others as possible, and so on. Detections and edits
    past the end of the sentence are in all of them.

    Returns
    -------
    readings
        Only the given edits if none overlap, or if there are more than `MAX_READINGS`.

    Examples
    --------
    >>> from geceval.model import Edit
    >>> inner, outer = Edit.replace(0, 1, "here"), Edit.replace(0, 3, "we are here")
    >>> other = Edit.delete(5, 6)
    >>> readings([outer, inner, other], 8) == [(outer, other), (inner, other)]
    True
    """
    found = list(islice(_each_reading(edits, n_tokens), MAX_READINGS + 1))
    return found if len(found) <= MAX_READINGS else [tuple(edits)]


def first_reading(edits: Sequence[Edit], n_tokens: int) -> tuple[Edit, ...]:
    """Return the edits that are applied to the sentence, and those that cannot be.

    Examples
    --------
    >>> from geceval.model import Edit
    >>> inner, outer = Edit.replace(0, 1, "here"), Edit.replace(0, 3, "we are here")
    >>> first_reading([inner, outer], 8) == (outer,)
    True
    """
    return next(_each_reading(edits, n_tokens))


def _each_reading(edits: Sequence[Edit], n_tokens: int) -> Iterator[tuple[Edit, ...]]:
    places = sorted(
        (n for n, edit in enumerate(edits) if edit.corrects and edit.fits(n_tokens)),
        key=lambda n: _span(edits[n]),
    )
    if not have_overlaps(edits[n] for n in places):
        yield tuple(edits)
        return
    always = set(range(len(edits))).difference(places)
    left = places
    while left:
        chosen = _filled(edits, places, _chosen(edits, left))
        yield tuple(edits[n] for n in range(len(edits)) if n in chosen or n in always)
        left = [n for n in left if n not in chosen]


def compatible(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits to apply: from left to right, outer edits instead of those inside them.

    The edits have corrections and are sorted by span.
    """
    if not have_overlaps(edits):
        return list(edits)
    places = range(len(edits))
    return [edits[n] for n in sorted(_filled(edits, places, _chosen(edits, places)))]


def _filled(edits: Sequence[Edit], numbers: Sequence[int], chosen: set[int]) -> set[int]:
    """Add the edits that can be applied beside those chosen, such as inside of one that is not."""
    others = [n for n in numbers if n not in chosen]
    return chosen | _chosen(edits, _free(edits, others, [n for n in numbers if n in chosen]))


def _chosen(edits: Sequence[Edit], numbers: Sequence[int]) -> set[int]:
    """Choose edits to apply together, from left to right, outer edits before those inside them."""
    chosen: set[int] = set()
    reached = 0
    for place in outermost([edits[n] for n in numbers]):
        if edits[numbers[place]].start >= reached:
            reached = edits[numbers[place]].end
            chosen.add(numbers[place])
    return chosen


def _free(edits: Sequence[Edit], numbers: Sequence[int], chosen: Sequence[int]) -> list[int]:
    """Return the edits that overlap none of the chosen ones; both are sorted by span."""
    ends = [edits[n].end for n in chosen]
    free = []
    for number in numbers:
        place = bisect.bisect_right(ends, edits[number].start)
        if place == len(ends) or edits[chosen[place]].start >= edits[number].end:
            free.append(number)
    return free
