"""JSON documents altered value by value: what readers of our own files must survive."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, 1e308, -0.5, "", "x/../../../out/m2", "<script>alert(1)</script>",
    "\ud800", [], [0], [[]], {}, {"__proto__": 1},
)  # fmt: skip
"""What stands in the place of a value, of its own type and of any other."""


def alterations(document: Any, *, n: int, seed: int = 1) -> Iterator[Any]:
    """Yield copies of a document, each with one value replaced, removed or doubled.

    Places are chosen at random among all, the same ones for the same seed.
    """
    chance = random.Random(seed)
    places = [place for place in _places(document) if place]
    for _ in range(n):
        altered = copy.deepcopy(document)
        *way, last = chance.choice(places)
        holder = altered
        for step in way:
            holder = holder[step]
        match chance.randrange(6):
            case 0:
                del holder[last]
            case 1 if isinstance(holder, dict):
                holder[f"{last}x"] = holder.pop(last)
            case 1:
                holder.append(copy.deepcopy(holder[last]))
            case _:
                holder[last] = copy.deepcopy(chance.choice(ODD_VALUES))
        yield altered


def _places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value of a document; long lists by their first and last entries."""
    yield ()
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = [(number, one) for number, one in enumerate(value) if number in (0, len(value) - 1)]
    else:
        return
    for key, one in inner:
        for rest in _places(one):
            yield (key, *rest)
