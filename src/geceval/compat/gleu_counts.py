"""Counts of n-grams for the old GLEU tools, of any order and of words or characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, MismatchError
from geceval.formats.inputs import Input

_ASCII_SPACES = re.compile(r"[ \t\n\r\x0b\x0c]+")

Units: TypeAlias = Sequence[str]
"""The words of a sentence, or its characters."""

Z95 = 1.959963984540054
"""Deviations from the mean within which 95 % of a normal distribution lie."""


class GleuCounts(NamedTuple):
    """Counts by sentence, reference and order; lengths by sentence and reference."""

    match: NDArray[np.int64]
    penalty: NDArray[np.int64]
    below: NDArray[np.int64]
    hypothesis: NDArray[np.int64]
    reference: NDArray[np.int64]

    @property
    def above(self) -> NDArray[np.int64]:
        """Matches less the penalty, at least 0 in each sentence."""
        left: NDArray[np.int64] = np.maximum(self.match - self.penalty, 0)
        return left


def read_lines(path: str) -> list[str]:
    """Return the lines of a file, or of standard input for ``-``."""
    with Input.open(path) as source:
        return list(source.lines())


def check_lengths(source: str, n: int, others: dict[str, int]) -> None:
    """Refuse empty files, and files of different lengths; the originals score what there is."""
    if not n:
        raise GecevalError(f"{source} has no sentences")
    for name, count in others.items():
        if count != n:
            raise MismatchError(source, n, name, count)


def words(line: str) -> list[str]:
    """Split a line at ASCII white space only, as Python 2 did."""
    return [word for word in _ASCII_SPACES.split(line) if word]


def ngrams(units: Units, order: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of one length."""
    return Counter(zip(*(units[start:] for start in range(order)), strict=False))


def count(
    sources: Sequence[Units],
    hypotheses: Sequence[Units],
    references: Sequence[Sequence[Units]],
    order: int,
) -> GleuCounts:
    """Count n-grams up to a length, for each sentence and reference."""
    shape = (len(sources), len(references), order)
    match, penalty, below = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    hypothesis, reference = (np.zeros(shape[:2], dtype=np.int64) for _ in range(2))
    for place, (source, output) in enumerate(zip(sources, hypotheses, strict=True)):
        ours = [ngrams(output, n) for n in range(1, order + 1)]
        before = [ngrams(source, n) for n in range(1, order + 1)]
        for number, texts in enumerate(references):
            target = texts[place]
            hypothesis[place, number] = len(output)
            reference[place, number] = len(target)
            for n in range(order):
                gold = ngrams(target, n + 1)
                wrong = Counter({g: k for g, k in before[n].items() if g not in gold})
                match[place, number, n] = (ours[n] & gold).total()
                penalty[place, number, n] = (ours[n] & wrong).total()
                below[place, number, n] = max(0, len(output) - n)
    return GleuCounts(match, penalty, below, hypothesis, reference)


def score(
    above: NDArray[np.int64],
    below: NDArray[np.int64],
    lengths: tuple[NDArray[np.int64], NDArray[np.int64]],
    *,
    used: int,
    root: int = 4,
) -> NDArray[np.float64]:
    """Score summed counts, ``(…, order)``; 0 where one of them is 0.

    Parameters
    ----------
    above, below
        Numerators and denominators by order.
    lengths
        Lengths of hypothesis and reference.
    used
        Number of orders that are multiplied.
    root
        The root that is taken, which the originals forgot to make `used`.
    """
    hypothesis, reference = (length.astype(float) for length in lengths)
    above, below = above[..., :used], below[..., :used]
    is_zero = (above == 0).any(-1) | (below == 0).any(-1) | (hypothesis == 0) | (reference == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(above / below).sum(-1) / root
        penalty = np.minimum(0, 1 - reference / hypothesis)
        values = np.exp(penalty + logs)
    return np.where(is_zero, 0.0, values)


def smoothed_scores(counts: GleuCounts, *, used: int) -> NDArray[np.float64]:
    """Score each sentence against each reference, with counts of 0 replaced by 1."""
    above, below = np.maximum(counts.above, 1), np.maximum(counts.below, 1)
    lengths = np.maximum(counts.hypothesis, 1), np.maximum(counts.reference, 1)
    return score(above, below, lengths, used=used)


def drawn_scores(
    counts: GleuCounts, choices: NDArray[np.integer], *, used: int
) -> NDArray[np.float64]:
    """Score the corpus with references, chosen by ``(sentences, iterations)``."""
    rows = np.arange(len(choices))[:, None]
    return score(
        counts.above[rows, choices].sum(axis=0),
        counts.below[rows, choices].sum(axis=0),
        (
            counts.hypothesis[rows, choices].sum(axis=0),
            counts.reference[rows, choices].sum(axis=0),
        ),
        used=used,
    )


def spread(values: NDArray[np.float64]) -> tuple[str, str, str]:
    """Return mean, deviation and interval as the tools print them."""
    mean, deviation = float(values.mean()), float(values.std())
    ends = (
        f"({mean - Z95 * deviation:.3f},{mean + Z95 * deviation:.3f})" if deviation else "(nan,nan)"
    )
    return f"{mean:.6f}", f"{deviation:.6f}", ends
