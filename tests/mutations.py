"""Good files made bad: what the fuzz tests of the formats feed to the readers."""

from __future__ import annotations

import random
from collections.abc import Iterator


def mutations(text: str, *, letters: str, n: int = 2000, seed: int = 1) -> Iterator[str]:
    """Yield `n` spoiled versions of a text, the same ones for the same seed.

    Parts are deleted, doubled, swapped, cut off, or replaced by one of `letters`.
    """
    rng = random.Random(seed)
    for _ in range(n):
        spoiled = text
        for _ in range(rng.randint(1, 4)):
            spoiled = _mutated(spoiled, letters, rng)
        yield spoiled


def _mutated(text: str, letters: str, rng: random.Random) -> str:
    i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    match rng.randrange(9):
        case 0 | 1:
            return text[:i] + text[i + 1 :]
        case 2:
            return text[:i] + text[j:]
        case 3:
            return text[:j] + text[i:j] + text[j:]
        case 4 | 5:
            return text[:i] + text[j : j + 1] + text[i + 1 : j] + text[i : i + 1] + text[j + 1 :]
        case 6 | 7:
            return text[:i] + rng.choice(letters) + text[i + 1 :]
        case _:
            return text[:j]
