"""Short names of systems for tables and figures, where the names given would not fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

LONGEST = 24
"""Number of characters up to which a name is shown as it is."""

_ELLIPSIS = "…"
_HEAD = 13
_PARTS = re.compile(r"[^\W_]+|[\W_]+")


def short_names(names: Sequence[str]) -> list[str]:
    """Shorten long names, all of them differently.

    What all names have in common says nothing, and is left out first; then the middle is.
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
    ['…en…1', '…de…12']
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
    found = [_without(parts, common) for parts in split]
    return found if len(set(found)) == len(found) else list(names)


def _without(parts: Sequence[str], common: set[str]) -> str:
    shown: list[str] = []
    for part in parts:
        if part not in common:
            shown.append(part)
        elif shown[-1:] != [_ELLIPSIS]:
            shown.append(_ELLIPSIS)
    return "".join(shown)


def _clipped(name: str) -> str:
    if len(name) <= LONGEST:
        return name
    return f"{name[:_HEAD]}{_ELLIPSIS}{name[_HEAD + 1 - LONGEST :]}"
