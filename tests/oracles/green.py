"""GREEN as the paper tells it, with dictionaries: slow, and easy to check.

Koyama et al. (2024). What the paper leaves open, checked against the authors' tool:

- *0/0.* A precision that is not defined is 1, a recall that is not defined is 0, so that a
  sentence too short for the longest n-grams scores 0. In gec-metrics such a recall is 1.
- *Best reference.* Where F is equal, that of fewer orders decides, then the first one wins. In
  gec-metrics the first one wins at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from oracles.ngrams import Words, first_largest, ngrams

REGIONS = ("tk", "td", "ti", "od", "oi", "ud", "ui")

Counts = list[dict[str, int]]
"""How many n-grams are in each region, by order."""


def counts(source: Words, hypothesis: Words, reference: Words, order: int = 4) -> Counts:
    """Count n-grams by the texts that have them."""
    return [_regions(source, hypothesis, reference, n) for n in range(1, order + 1)]


def _regions(source: Words, hypothesis: Words, reference: Words, n: int) -> dict[str, int]:
    src, hyp, ref = (ngrams(words, n) for words in (source, hypothesis, reference))
    found = dict.fromkeys(REGIONS, 0)
    for gram in src.keys() | hyp.keys() | ref.keys():
        s, h, r = src[gram], hyp[gram], ref[gram]
        found["tk"] += min(s, r, h)
        found["td"] += max(0, s - max(r, h))
        found["ti"] += max(0, min(r, h) - s)
        found["od"] += max(0, min(s, r) - h)
        found["oi"] += max(0, h - max(s, r))
        found["ud"] += max(0, min(s, h) - r)
        found["ui"] += max(0, r - max(s, h))
    return found


def measures(summed: Counts, beta: float, *, compat: bool = False) -> tuple[float, float, float]:
    """Compute precision, recall and F of counts."""
    precisions, recalls = [], []
    for one in summed:
        tp, fp, fn = one["tk"] + one["td"] + one["ti"], one["od"] + one["oi"], one["ud"] + one["ui"]
        precisions.append(tp / (tp + fp) if tp + fp else 1.0)
        recalls.append(tp / (tp + fn) if tp + fn else float(compat))
    precision, recall = _geometric_mean(precisions), _geometric_mean(recalls)
    if not precision or not recall:
        return precision, recall, 0.0
    alpha = 1 / (1 + beta**2)
    return precision, recall, 1 / (alpha / precision + (1 - alpha) / recall)


def _geometric_mean(values: Sequence[float]) -> float:
    if 0 in values:
        return 0.0
    return math.exp(fmean(map(math.log, values)))


def choose(by_reference: Sequence[Counts], beta: float, *, compat: bool = False) -> int:
    """Return the number of the best reference."""
    keys = []
    for one in by_reference:
        orders = [len(one)] if compat else range(len(one), 0, -1)
        keys.append([measures(one[:n], beta, compat=compat)[2] for n in orders])
    return first_largest(keys)


def total(chosen: Sequence[Counts]) -> Counts:
    """Sum the counts of sentences."""
    return [
        {region: sum(one[region] for one in same) for region in REGIONS}
        for same in zip(*chosen, strict=True)
    ]
