"""CLEME and CLEME2.0 in plain Python, written from the papers: chunks, counts, scores.

Ye et al. (2023), CLEME: Debiasing Multi-reference Evaluation for Grammatical Error Correction;
Ye et al. (2025), CLEME2.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

Words: TypeAlias = tuple[str, ...]
Change: TypeAlias = tuple[int, int, Words | None]
"""Start, end and the words that replace the span; None if it is only marked as an error."""

TABLE = {
    # (level, assumption): alpha, lowest and highest weight of TP, FP and FN.
    ("corpus", "dependent"): ((2, 0.75, 1.25), (2, 0.75, 1.25), (2, 0.75, 1.25)),
    ("corpus", "independent"): ((2, 0.75, 1.25), (2, 0.75, 1.25), (2, 0.75, 1.25)),
    ("sentence", "dependent"): ((10, 1.0, 10), (10, 0.25, 1.0), (10, 1.0, 1.0)),
    ("sentence", "independent"): ((10, 2.5, 10), (10, 0.25, 1.0), (10, 1.0, 1.0)),
}


class Piece(NamedTuple):
    """What one text has between two borders, and whether it was edited there."""

    words: Words
    changed: bool


class Counts(NamedTuple):
    """Chunks by class, or sums of their weights; false positives also by kind."""

    tp: float = 0
    fp: float = 0
    fn: float = 0
    tn: float = 0
    fp_ne: float = 0
    fp_un: float = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))


class Event(NamedTuple):
    """The class of a chunk, and the longer of its source and its hypothesis, or its weight."""

    kind: str
    length: float


class Case(NamedTuple):
    """A sentence: events against each reference (one list if independent), gold lengths."""

    events: list[list[Event]]
    gold_lengths: list[int]


def partition(
    n_tokens: int, texts: Sequence[Sequence[Change]], distance: int = 0
) -> list[tuple[int, int, bool]]:
    """Cut the source at the edits of all texts: intervals with edits, and the gaps between."""
    spans = sorted(((start, end) for text in texts for start, end, _ in text), key=lambda s: s[0])
    intervals: list[list[int]] = []
    for start, end in spans:
        if intervals and start <= intervals[-1][1] + distance:
            intervals[-1][1] = max(intervals[-1][1], end)
        else:
            intervals.append([start, end])
    found = []
    reached = 0
    for start, end in intervals:
        if start > reached:
            found.append((reached, start, False))
        found.append((start, end, True))
        reached = end
    if reached < n_tokens or not found:
        found.append((reached, n_tokens, False))
    return found


def pieces(
    source: Words, edits: Sequence[Change], chunks: Sequence[tuple[int, int, bool]]
) -> list[Piece]:
    """Cut one text at the borders; of edits that overlap, the first is applied."""
    result = []
    for start, end, is_interval in chunks:
        own = [one for one in edits if is_interval and start <= one[0] <= end]
        words: list[str] = []
        at = start
        for first, last, new in sorted(own, key=lambda edit: edit[:2]):
            if new is not None and first >= at:
                words += [*source[at:first], *new]
                at = last
        words += source[at:end]
        result.append(Piece(tuple(words), bool(own)))
    return result


def case(
    source: Words,
    hypothesis: Sequence[Change],
    references: Sequence[Sequence[Change]],
    assumption: str,
    distance: int = 0,
) -> Case:
    """Classify the chunks of a sentence."""
    chunks = partition(len(source), [hypothesis, *references], distance)
    hyp = pieces(source, hypothesis, chunks)
    refs = [pieces(source, edits, chunks) for edits in references]
    lengths = [end - start for start, end, _ in chunks]
    longer = [max(size, len(own.words)) for size, own in zip(lengths, hyp, strict=True)]
    if assumption == "dependent":
        kinds = [[dependent(own, at) for own, at in zip(hyp, ref, strict=True)] for ref in refs]
    else:
        kinds = [[independent(own, list(at)) for own, *at in zip(hyp, *refs, strict=True)]]
    gold = [
        max(size, len(at.words))
        for ref in refs
        for size, at in zip(lengths, ref, strict=True)
        if at.changed
    ]
    return Case([[*map(Event, one, longer)] for one in kinds], gold)


def scored_case(
    source: Words,
    hypothesis: Sequence[Change],
    references: Sequence[tuple[Words, Sequence[Change]]],
    assumption: str,
    score: Callable[[Words, Words], float],
) -> Case:
    """Classify the chunks of a sentence, each with its weight: how much it changes a score.

    The score is that of a text against a reference, whose words are given; weights are computed
    anew for each reference, even if classes are those of all.
    """
    chunks = partition(len(source), [hypothesis, *(edits for _, edits in references)])
    hyp = pieces(source, hypothesis, chunks)
    refs = [pieces(source, edits, chunks) for _, edits in references]
    found = []
    for (reference, _), ref in zip(references, refs, strict=True):
        events = []
        for (start, end, _), own, at, *every in zip(chunks, hyp, ref, *refs, strict=True):
            kind = dependent(own, at) if assumption == "dependent" else independent(own, every)
            new = at.words if kind == "fn" else own.words
            changed = (*source[:start], *new, *source[end:]) or source
            weight = abs(score(changed, reference) - score(source, reference))
            events.append(Event(kind, 1 if kind == "tn" else weight))
        found.append(events)
    return Case(found, [])


def by_score(event: Event) -> float:
    """Return the weight of a chunk of a `scored_case`."""
    return event.length


def dependent(hyp: Piece, ref: Piece) -> str:
    if hyp.changed:
        if hyp.words == ref.words:
            return "tp"
        return "fp_ne" if ref.changed else "fp_un"
    return "tn" if hyp.words == ref.words else "fn"


def independent(hyp: Piece, refs: Sequence[Piece]) -> str:
    if hyp.changed:
        if any(hyp.words == ref.words for ref in refs):
            return "tp"
        return "fp_ne" if any(ref.changed for ref in refs) else "fp_un"
    return "fn" if all(ref.changed for ref in refs) else "tn"


Weigh: TypeAlias = Callable[[Event], float]


def mean_length(cases: Sequence[Case]) -> float:
    """The mean length of all changed chunks of all references; 0 without any."""
    lengths = [length for one in cases for length in one.gold_lengths]
    return sum(lengths) / len(lengths) if lengths else 0.0


def unweighted(_: Event) -> float:
    return 1


def by_length(cases: Sequence[Case], level: str, assumption: str) -> Weigh:
    mean = mean_length(cases)
    tp, fp, fn = TABLE[level, assumption]

    def weigh(event: Event) -> float:
        if event.kind == "tn":
            return 1
        alpha, low, high = {"tp": tp, "fn": fn}.get(event.kind, fp)
        over = event.length - mean if event.kind.startswith("fp") else mean - event.length
        # Far from the mean, exp would overflow where the weight is clipped anyway.
        weight = alpha / (1 + (alpha - 1) * math.exp(min(over, 700)))
        return min(max(weight, low), high)

    return weigh


def count(events: Sequence[Event], weigh: Weigh) -> Counts:
    """Sum the weights of chunks by class, from left to right."""
    return Counts(
        *(
            sum(weigh(event) for event in events if event.kind.startswith(kind))
            for kind in Counts._fields
        )
    )


def precision(counts: Counts) -> float:
    return counts.tp / (counts.tp + counts.fp) if counts.tp + counts.fp else 1.0


def recall(counts: Counts) -> float:
    return counts.tp / (counts.tp + counts.fn) if counts.tp + counts.fn else 1.0


def f_score(counts: Counts, beta: float = 0.5) -> float:
    p, r = precision(counts), recall(counts)
    if not beta:
        return p
    below = beta**2 * p + r
    return (1 + beta**2) * p * r / below if below else 0.0


def total_f(counts: Counts, beta: float = 0.5) -> float:
    """F of totals in one division, so that equal F of whole numbers are equal floats."""
    part = (1 + beta**2) * counts.tp
    whole = part + (counts.fp + beta**2 * counts.fn)
    return part / whole if whole else 1.0


def accuracy(counts: Counts) -> float:
    n_chunks = counts.tp + counts.fp + counts.fn + counts.tn
    return (counts.tp + counts.tn) / n_chunks if n_chunks else 1.0


def rates(counts: Counts) -> tuple[float, float, float, float]:
    """Hit, wrong, under- and over-correction."""
    n = counts.tp + counts.fp_ne + counts.fn
    proposed = counts.tp + counts.fp
    hit, wrong, under = (part / n if n else 0.0 for part in (counts.tp, counts.fp_ne, counts.fn))
    return hit, wrong, under, counts.fp_un / proposed if proposed else 0.0


def combined(counts: Counts, factors: Sequence[float]) -> float:
    hit, wrong, under, over = rates(counts)
    terms = hit, 1 - wrong, 1 - under, 1 - over
    return sum(factor * term for factor, term in zip(factors, terms, strict=True))


def choose_running(
    cases: Sequence[Case], weigh: Weigh, key: Callable[[Counts], float]
) -> tuple[Counts, list[int]]:
    """Choose the reference of each sentence that is best for the totals so far."""
    totals = Counts()
    chosen = []
    for one in cases:
        options = [count(events, weigh) for events in one.events]
        keys = [(key(totals.plus(own)), own.tp, -own.fp, -own.fn, own.tn) for own in options]
        best = keys.index(max(keys))
        totals = totals.plus(options[best])
        chosen.append(best)
    return totals, chosen


def choose_each(
    cases: Sequence[Case], weigh: Weigh, key: Callable[[Counts], tuple[float, ...]]
) -> tuple[list[tuple[float, ...]], list[int]]:
    """Choose the best reference of each sentence by itself; return its key."""
    found = []
    chosen = []
    for one in cases:
        keys = [key(count(events, weigh)) for events in one.events]
        best = keys.index(max(keys))
        found.append(keys[best])
        chosen.append(best)
    return found, chosen


def sentence_key(*, rounded: bool, beta: float = 0.5) -> Callable[[Counts], tuple[float, ...]]:
    """F, precision, recall and accuracy of one sentence."""

    def key(counts: Counts) -> tuple[float, ...]:
        values = f_score(counts, beta), precision(counts), recall(counts), accuracy(counts)
        return tuple(round(value, 4) for value in values) if rounded else values

    return key


def combined_key(factors: Sequence[float]) -> Callable[[Counts], tuple[float, ...]]:
    """The combined score of one sentence, the hit rate and the other rates, negated."""

    def key(counts: Counts) -> tuple[float, ...]:
        hit, *others = rates(counts)
        return (combined(counts, factors), hit, *(-rate for rate in others))

    return key
