"""Weights and shares of edits, as the papers tell them: slow, and easy to check.

Gong et al. (2022) weigh an edit by how much it alone changes the score of the source. Goto et al.
(2024) share the difference between the scores of output and source among the edits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations
from math import factorial
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]
PlainEdit: TypeAlias = tuple[int, int, Words]
Score: TypeAlias = Callable[[Words], float]
Sums: TypeAlias = tuple[float, float, float]


def distance(first: str, second: str) -> int:
    """Levenshtein distance of characters, all costs 1."""
    row = list(range(len(second) + 1))
    for number, char in enumerate(first, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(second, 1):
            before, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, before + (char != other)),
            )
    return row[-1]


def lev(output: Words, reference: Words) -> float:
    text = " ".join(reference)
    return 1 - distance(" ".join(output), text) / max(1, len(text))


def applied(source: Words, edits: Iterable[PlainEdit]) -> Words:
    """Replace from left to right; edits of one span in the given order."""
    words: list[str] = []
    reached = 0
    for start, end, correction in sorted(edits, key=lambda edit: edit[:2]):
        words += [*source[reached:start], *correction]
        reached = end
    return (*words, *source[reached:])


# Weighted edits.


def weight(edit: PlainEdit, source: Words, score: Score) -> float:
    return abs(score(applied(source, [edit])) - score(source))


def errant_sums(
    source: Words, system: Sequence[PlainEdit], gold: Sequence[PlainEdit], score: Score
) -> Sums:
    """True positives, false positives and false negatives of gec-metrics."""
    return (
        sum(weight(edit, source, score) for edit in system if edit in gold),
        sum(weight(edit, source, score) for edit in system if edit not in gold),
        sum(weight(edit, source, score) for edit in gold if edit not in system),
    )


def m2_sums(
    source: Words,
    system: Sequence[PlainEdit],
    correct: Sequence[PlainEdit],
    gold: Sequence[PlainEdit],
    score: Score,
    *,
    alone: bool,
) -> Sums:
    """Correct, proposed and gold edits of PT-M2; `alone` where a sentence is scored by itself."""
    distinct = {*system, *gold}
    weights = {edit: weight(edit, source, score) for edit in distinct}
    if alone and not any(weights.values()):
        weights = {edit: 1 / len(distinct) for edit in distinct}
    found, proposed, wanted = (
        sum(weights[edit] for edit in set(edits)) for edits in (correct, system, gold)
    )
    return found, proposed, wanted


def f_score(correct: float, proposed: float, gold: float, beta: float) -> float:
    precision = correct / proposed if proposed else 1.0
    recall = correct / gold if gold else 1.0
    below = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / below if below else 0.0


def errant_order(sums: Sums, beta: float) -> tuple[float, ...]:
    tp, fp, fn = sums
    return f_score(tp, tp + fp, tp + fn, beta), tp, -fp, -fn


def m2_order(sums: Sums, beta: float) -> tuple[float, ...]:
    correct, proposed, gold = sums
    return f_score(*sums, beta), correct, -(proposed + beta**2 * gold)


def choose(
    sums: Sequence[Sequence[Sums]], order: Callable[[Sums, float], tuple[float, ...]], beta: float
) -> tuple[Sums, list[int]]:
    """Take in each sentence the reference that is best for the totals so far, the first of ties."""
    totals: Sums = 0.0, 0.0, 0.0
    chosen = []
    for references in sums:
        running = [
            (totals[0] + first, totals[1] + second, totals[2] + third)
            for first, second, third in references
        ]
        best = max(range(len(running)), key=lambda index: order(running[index], beta))
        chosen.append(best)
        totals = running[best]
    return totals, chosen


# Attribution. Edits of one span stay in the order of the output, whichever of them are applied.


def change(
    source: Words, edits: Sequence[PlainEdit], numbers: Iterable[int], score: Score
) -> float:
    """Return by how much some of the edits change the score of the source."""
    return score(applied(source, [edits[number] for number in sorted(numbers)])) - score(source)


def normalized(parts: Sequence[float], delta: float) -> list[float]:
    total = sum(parts)
    return [0.0 if abs(total) < 1e-12 else part * delta / total for part in parts]


def add(source: Words, edits: Sequence[PlainEdit], score: Score) -> list[float]:
    everything = range(len(edits))
    alone = [change(source, edits, [number], score) for number in everything]
    return normalized(alone, change(source, edits, everything, score))


def subtract(source: Words, edits: Sequence[PlainEdit], score: Score) -> list[float]:
    everything = set(range(len(edits)))
    delta = change(source, edits, everything, score)
    lost = [
        delta - change(source, edits, everything - {number}, score) for number in range(len(edits))
    ]
    return normalized(lost, delta)


def shapley(source: Words, edits: Sequence[PlainEdit], score: Score) -> list[float]:
    """The mean over all subsets of the others, by size, of what an edit adds to them."""
    shares = []
    for number in range(len(edits)):
        others = [other for other in range(len(edits)) if other != number]
        share = 0.0
        for size in range(len(edits)):
            factor = factorial(size) * factorial(len(edits) - size - 1) / factorial(len(edits))
            for subset in combinations(others, size):
                after = change(source, edits, [*subset, number], score)
                share += factor * (after - change(source, edits, subset, score))
        shares.append(share)
    return shares


def shapley_by_orders(source: Words, edits: Sequence[PlainEdit], score: Score) -> list[float]:
    """The mean over all orders of what an edit adds to those before it."""
    orders = list(permutations(range(len(edits))))
    shares = [0.0] * len(edits)
    for order in orders:
        for place, number in enumerate(order):
            after = change(source, edits, order[: place + 1], score)
            shares[number] += (after - change(source, edits, order[:place], score)) / len(orders)
    return shares
