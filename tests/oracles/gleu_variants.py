"""GLEU as other implementations compute it, with dictionaries: slow, and easy to check.

The arithmetic of Koyama's ``gleu`` and of gec-metrics, next to the official one in
``oracles.ngrams``: nothing is smoothed, and an order without n-grams has a precision of 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from statistics import fmean

from oracles.ngrams import ORDERS, GleuCounts, Words, first_largest, gleu_counts, ngrams


def counts(
    source: Words, hypothesis: Words, reference: Words, *, formula: bool, empty_length: int
) -> GleuCounts:
    """Count as the formula of the paper says, or as the official script does."""
    n_hypothesis, n_reference, *rest = gleu_counts(source, hypothesis, reference)
    lengths = [max(empty_length, n_hypothesis), max(empty_length, n_reference)]
    if not formula:
        return (*lengths, *rest)
    found = lengths
    for order in ORDERS:
        src, hyp, ref = (ngrams(words, order) for words in (source, hypothesis, reference))
        in_both, left = hyp & ref, (src & hyp) - ref
        found += [in_both.total() - left.total(), hyp.total()]
    return tuple(found)


def corpus_score(summed: Sequence[float]) -> float:
    """Score summed counts; an output without any words scores 0."""
    n_hypothesis, n_reference, *rest = summed
    above, below = rest[::2], rest[1::2]
    if not below[0] or any(one <= 0 < other for one, other in zip(above, below, strict=True)):
        return 0.0
    ratios = [one / other if other else 1.0 for one, other in zip(above, below, strict=True)]
    return math.exp(min(0.0, 1 - n_reference / n_hypothesis) + fmean(map(math.log, ratios)))


def score(one: GleuCounts) -> float:
    """Score a sentence against one reference; nothing is rightly left of nothing."""
    n_words, n_reference = one[3], one[1]
    return 1.0 if not n_words and not n_reference else corpus_score(one)


def sampled(by_sentence: Sequence[Sequence[GleuCounts]], iterations: int) -> float:
    """Sample references as Python 3 does, where all sentences have equally many."""
    scores = []
    for number in range(iterations):
        generator = Random(number * 101)
        drawn = [by_ref[generator.randint(0, len(by_ref) - 1)] for by_ref in by_sentence]
        scores.append(corpus_score([sum(column) for column in zip(*drawn, strict=True)]))
    return fmean(scores)


def choose(by_ref: Sequence[GleuCounts]) -> int:
    """Return the number of the reference with the highest score."""
    return first_largest([_key(one) for one in by_ref])


def _key(one: GleuCounts) -> list[float]:
    n_hypothesis, n_reference, *rest = one
    penalty = math.exp(min(0.0, 1 - n_reference / n_hypothesis)) if rest[1] else 0.0
    ratios = [
        above / below if below else 1.0 for above, below in zip(rest[::2], rest[1::2], strict=True)
    ]
    return [score(one), *(penalty * ratio for ratio in reversed(ratios))]
