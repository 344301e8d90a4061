"""Short names of systems for tables and figures, where the names given would not fit."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence

LONGEST = 24
"""Number of characters up to which a name is shown as it is."""

_ROOM = 16
"""Number of characters within which words that all names have stand beside what differs: longer
names at the matrix would leave less of it on the first screen."""

_ELLIPSIS = "…"
_HEAD = 13
_PARTS = re.compile(r"[^\W_]+|[\W_]+")


def short_names(names: Sequence[str]) -> list[str]:
    """Shorten long names, all of them differently.

    What all names have in common says least, and is left out first, as far as there is no room for
    it beside the rest; then the middle is.
    A name that would be the same as another stays as it is.

    Parameters
    ----------
    names
        The names of all systems, which are different.

    Examples
    --------
    >>> short_names(["big-model-en-tuned-on-essays-1", "big-model-de-tuned-on-essays-12", "mine"])
    ['big-model-en-…n-essays-1', 'big-model-de-…-essays-12', 'mine']
    >>> short_names(["big-model-en-tuned-on-essays-1", "big-model-de-tuned-on-essays-12"])
    ['…en-tuned…1', '…de-tuned…12']
    """
    if all(len(name) <= LONGEST for name in names):
        return list(names)
    found = [_clipped(name) for name in _distinct_parts(names)]
    counts = Counter(found)
    return [
        name if counts[short] > 1 or short in names else short
        for name, short in zip(names, found, strict=True)
    ]


def _distinct_parts(names: Sequence[str]) -> list[str]:
    """Leave out words that all names have, unless that makes names equal."""
    if len(names) < 2:
        return list(names)
    split = [_PARTS.findall(name) for name in names]
    common = set.intersection(*map(set, split))
    if not any(part.isalnum() for part in common):
        return list(names)
    wanted = [_most_telling(parts, common) for parts in split]
    # The same number of common words for all, as many as fit.
    for number in range(_ROOM, -1, -1):
        found = [
            _with(parts, common, set(order[:number]))
            for parts, order in zip(split, wanted, strict=True)
        ]
        if all(len(name) <= _ROOM for name in found):
            break
    return found if len(set(found)) == len(found) else list(names)


def _most_telling(parts: Sequence[str], common: set[str]) -> list[int]:
    """Return the positions of common words, those next to and between other words first."""
    others = [place for place, part in enumerate(parts) if part not in common] or [len(parts)]

    def distance(place: int) -> tuple[int, bool]:
        after = bisect(others, place)
        nearest = min(abs(place - other) for other in others[max(0, after - 1) : after + 1])
        return nearest, not others[0] < place < others[-1]

    places = [place for place, part in enumerate(parts) if part in common]
    return sorted(places, key=distance)


def _with(parts: Sequence[str], common: set[str], shown: set[int]) -> str:
    """Join the words that are not common, and the common ones to be shown.

    An ellipsis needs no separators beside it.
    """
    joined: list[str] = []
    for place, part in enumerate(parts):
        is_separator = part in common and not part.isalnum()
        if part in common and place not in shown:
            while joined and joined[-1] in common and not joined[-1].isalnum():
                joined.pop()
            if joined[-1:] != [_ELLIPSIS]:
                joined.append(_ELLIPSIS)
        elif not is_separator or joined[-1:] != [_ELLIPSIS]:
            joined.append(part)
    return "".join(joined)


def _clipped(name: str) -> str:
    if len(name) <= LONGEST:
        return name
    return f"{name[:_HEAD]}{_ELLIPSIS}{name[_HEAD + 1 - LONGEST :]}"
