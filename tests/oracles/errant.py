"""How ``errant_compare`` chooses annotators, found by running it on made-up files."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def choose(
    counts: Sequence[Sequence[tuple[int, int, int]]], *, beta: float, rounded: bool
) -> list[int]:
    """Choose the annotator of each sentence that is best for the totals up to it.

    `counts` holds, for each sentence and annotator, what is right, wrong and missed. Better is
    a higher F of the totals (with four digits, when `rounded`), then more that is right, then
    less that is wrong, then less that is missed; then who comes first.
    """
    chosen = []
    totals = 0, 0, 0
    for annotators in counts:
        running = [(totals[0] + tp, totals[1] + fp, totals[2] + fn) for tp, fp, fn in annotators]
        standings = [
            (
                rounded_f(tp, fp, fn, beta) if rounded else exact_f(tp, fp, fn, beta),
                tp,
                -fp,
                -fn,
            )
            for tp, fp, fn in running
        ]
        best = standings.index(max(standings))
        chosen.append(best)
        totals = running[best]
    return chosen


def rounded_f(tp: int, fp: int, fn: int, beta: float) -> float:
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    if not beta:
        # errant_compare divides by a recall of 0; there, as anywhere, F is the precision.
        return round(precision, 4)
    below = beta**2 * precision + recall
    return round((1 + beta**2) * precision * recall / below, 4) if below else 0.0


def exact_f(tp: int, fp: int, fn: int, beta: float) -> Fraction:
    weight = Fraction(beta) ** 2
    below = (1 + weight) * tp + fp + weight * fn
    return (1 + weight) * tp / below if below else Fraction(1)
