"""The I-measure written down as Felice and Briscoe (2015) tell it: slow, and easy to check.

The steps are those of the paper: every combination of one alternative per error is a reference
(section 2.1), source, hypothesis and reference are aligned by the dynamic program of listing 2,
columns are classified by table 6, metrics are computed from the counts (section 2.3).

What the paper leaves open is settled as in the authors' tool:

- *Combinations.* Two corrections with the identical span cannot be combined. Others are applied
  from the last token to the first, even where they overlap; a correction that would leave nothing
  of the sentence is not applied. Corrections with one span in one alternative are joined.
- *Ties of the alignment.* Read from the right: all three tokens, then source and hypothesis, source
  and reference, hypothesis and reference, then source, hypothesis, reference alone.
- *Ties of the references.* The metric, then I, WAcc and Acc of the aspect that is maximized, then
  the same four of the other aspect. What still ties has equal scores, not always equal counts.
- *0/0.* Precision and recall are 1; so are the accuracies of an empty sentence.

All arithmetic is exact.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Words: TypeAlias = tuple[str, ...]
Edit: TypeAlias = tuple[int, int, Words]
Alternative: TypeAlias = "Sequence[Edit]"
Column: TypeAlias = tuple[str, str, str]
"""Tokens of source, hypothesis and reference; a gap is the empty string."""

Cell: TypeAlias = tuple[int, int, int]
GAP = 2
MISMATCH = 3


class Counts(NamedTuple):
    """Counts of one aspect."""

    tp: int = 0
    tn: int = 0
    fp: int = 0
    fn: int = 0
    fpn: int = 0

    def __add__(self, other: object) -> Counts:
        assert isinstance(other, Counts)
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


# References.


def joined(alternative: Alternative) -> frozenset[Edit]:
    """Join the corrections of one alternative that have the same span."""
    texts: dict[tuple[int, int], Words] = {}
    for start, end, words in alternative:
        texts[start, end] = (*texts.get((start, end), ()), *words)
    return frozenset((*span, words) for span, words in texts.items())


def corrected(source: Sequence[str], edits: Iterable[Edit]) -> Words:
    """Apply edits from the last token to the first."""
    words = list(source)
    for start, end, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        before = words[:]
        words[start:end] = new
        if not words:
            words = before
    return tuple(words)


def references(source: Sequence[str], errors: Sequence[Sequence[Alternative]]) -> set[Words]:
    """Return every mixed reference; an error that may be left alone has an empty alternative."""
    found = set()
    for choice in product(*({joined(way) for way in error} for error in errors)):
        edits = [edit for way in choice for edit in way]
        spans = {edit[:2] for edit in edits}
        if len(spans) == len(edits):
            found.add(corrected(source, edits))
    return found


# Alignment.


def _columns_before(cell: Cell) -> Iterator[tuple[Cell, tuple[bool, bool, bool]]]:
    """Yield the cells one column before `cell` in the order of preference."""
    i, j, k = cell
    for takes in (
        (True, True, True),
        (True, True, False),
        (True, False, True),
        (False, True, True),
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ):
        before = i - takes[0], j - takes[1], k - takes[2]
        if min(before) >= 0:
            yield before, takes


def _pair_cost(a: str, b: str) -> int:
    if a == b:
        return 0
    return MISMATCH if a and b else GAP


def align(
    source: Sequence[str], hypothesis: Sequence[str], reference: Sequence[str]
) -> list[Column]:
    """Return the preferred one of the alignments with the smallest sum of pairs."""
    texts = source, hypothesis, reference

    def column(cell: Cell, takes: tuple[bool, bool, bool]) -> Column:
        a, b, c = (
            text[at - 1] if take else "" for text, at, take in zip(texts, cell, takes, strict=True)
        )
        return a, b, c

    def price(cell: Cell, takes: tuple[bool, bool, bool]) -> int:
        a, b, c = column(cell, takes)
        return _pair_cost(a, b) + _pair_cost(a, c) + _pair_cost(b, c)

    costs: dict[Cell, int] = {}
    for cell in product(*(range(len(text) + 1) for text in texts)):
        i, j, k = cell
        costs[i, j, k] = min(
            (
                costs[before] + price((i, j, k), takes)
                for before, takes in _columns_before((i, j, k))
            ),
            default=0,
        )
    columns = []
    at = len(source), len(hypothesis), len(reference)
    while any(at):
        at, taken = next(
            (before, column(at, takes))
            for before, takes in _columns_before(at)
            if costs[before] + price(at, takes) == costs[at]
        )
        columns.append(taken)
    return columns[::-1]


def count(columns: Iterable[Column]) -> tuple[Counts, Counts]:
    """Classify columns by table 6, for correction and for detection."""
    correction, detection = Counts(), Counts()
    for source, hypothesis, reference in columns:
        if source == hypothesis == reference:
            same = Counts(tn=1)
        elif source == hypothesis:
            same = Counts(fn=1)
        elif source == reference:
            same = Counts(fp=1)
        elif hypothesis == reference:
            same = Counts(tp=1)
        else:
            correction += Counts(fp=1, fn=1, fpn=1)
            detection += Counts(tp=1)
            continue
        correction += same
        detection += same
    return correction, detection


# Metrics.


def precision(counts: Counts) -> Fraction:
    return _ratio(counts.tp, counts.tp + counts.fp)


def recall(counts: Counts) -> Fraction:
    return _ratio(counts.tp, counts.tp + counts.fn)


def f_score(counts: Counts, beta: Fraction) -> Fraction:
    p, r = precision(counts), recall(counts)
    if not beta:
        return p
    below = beta**2 * p + r
    return (1 + beta**2) * p * r / below if below else Fraction(0)


def acc(counts: Counts) -> Fraction:
    tp, tn, fp, fn, fpn = counts
    return _ratio(tp + tn, tp + tn + fp + fn - fpn)


def wacc(counts: Counts, weight: Fraction = Fraction(2)) -> Fraction:
    tp, tn, fp, fn, fpn = counts
    below = weight * (tp + fp) + tn + fn - (weight + 1) * Fraction(fpn, 2)
    return _ratio(weight * tp + tn, below)


def improvement(system: Fraction, base: Fraction) -> Fraction:
    """Return I from the weighted accuracies of a system and of the source itself."""
    if system == base:
        return Fraction(int(system))
    if system > base:
        return (system - base) / (1 - base)
    return system / base - 1


def _ratio(above: Fraction | int, below: Fraction | int) -> Fraction:
    return Fraction(above) / below if below else Fraction(1)


class Reading(NamedTuple):
    """Counts of one reference: correction, detection, and the source as its own hypothesis."""

    correction: Counts
    detection: Counts
    base: Counts

    def __add__(self, other: object) -> Reading:
        assert isinstance(other, Reading)
        return Reading(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def row(self) -> tuple[int, ...]:
        """TP, TN, FP, FN, FPN of correction, then TN and FN of the baseline."""
        return (*self.correction, self.base.tn, self.base.fn)


NOTHING = Reading(Counts(), Counts(), Counts())


def read(source: Words, hypothesis: Words, reference: Words) -> Reading:
    """Count one reference."""
    base, _ = count(align(source, source, reference))
    return Reading(*count(align(source, hypothesis, reference)), base)


def readings(source: Words, hypothesis: Words, candidates: Iterable[Words]) -> set[Reading]:
    """Count all references."""
    return {read(source, hypothesis, candidate) for candidate in candidates}


def value(
    reading: Reading,
    metric: str,
    aspect: str = "correction",
    *,
    weight: Fraction = Fraction(2),
    beta: Fraction = Fraction(1),
) -> Fraction:
    """Return one of the paper's metrics."""
    counts = reading.correction if aspect == "correction" else reading.detection
    if metric in Counts._fields:
        return Fraction(getattr(counts, metric))
    if metric == "i":
        return improvement(wacc(counts, weight), wacc(reading.base, weight))
    if metric == "f":
        return f_score(counts, beta)
    if metric == "wacc":
        return wacc(counts, weight)
    return {"precision": precision, "recall": recall, "acc": acc}[metric](counts)


def standing(
    reading: Reading,
    metric: str = "wacc",
    aspect: str = "correction",
    *,
    weight: Fraction = Fraction(2),
    beta: Fraction = Fraction(1),
) -> tuple[Fraction, ...]:
    """Return what references are compared by."""
    other = "detection" if aspect == "correction" else "correction"
    return tuple(
        value(reading, name, side, weight=weight, beta=beta)
        for side in (aspect, other)
        for name in (metric, "i", "wacc", "acc")
    )


def best(
    readings: Iterable[Reading],
    *,
    metric: str = "wacc",
    aspect: str = "correction",
    weight: Fraction = Fraction(2),
    beta: Fraction = Fraction(1),
    totals: Reading = NOTHING,
) -> set[tuple[int, ...]]:
    """Return the counts of all references that are best; `totals` are those of the text before."""
    scores = {
        reading: standing(totals + reading, metric, aspect, weight=weight, beta=beta)
        for reading in readings
    }
    highest = max(scores.values())
    return {reading.row for reading, score in scores.items() if score == highest}
