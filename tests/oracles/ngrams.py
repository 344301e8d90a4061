"""GLEU, BLEU's counts, chrF, SARI and their neighbors as the papers tell them, with dictionaries.

Napoles et al. (2015, 2016) for GLEU, Papineni et al. (2002) for BLEU, Popović (2015) for chrF,
Xu et al. (2016) for SARI and Choshen and Abend (2018) for MAX-SARI. Slow, and easy to check.

What the papers leave open, checked against published scores of CoNLL-2014:

- *GLEU's penalty.* A source n-gram is held against the output only where the reference does
  not have it at all, not where the reference has it less often.
- *GLEU of a sentence.* Counts of 0 are replaced by 1, lengths among them.
- *Drawing references.* One draw per sentence, also where there is only one reference.
- *SARI at 0/0.* A ratio that is not defined is 0: a right sentence that is left alone has 1/3.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import TypeAlias

ORDERS = (1, 2, 3, 4)

Words: TypeAlias = Sequence[str]
Ngrams: TypeAlias = Counter[tuple[str, ...]]

GleuCounts: TypeAlias = tuple[int, ...]
"""Length of the output and of the reference, then numerator and denominator of each order."""


def ngrams(words: Words, order: int) -> Ngrams:
    """Count the n-grams of one order."""
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def first_largest(keys: Sequence[Sequence[float]]) -> int:
    """Return where the largest key is; numbers that differ by rounding only are equal."""
    best = 0
    for number, key in enumerate(keys):
        for value, other in zip(key, keys[best], strict=True):
            if not math.isclose(value, other, abs_tol=1e-12):
                best = number if value > other else best
                break
    return best


# GLEU.


def gleu_counts(source: Words, hypothesis: Words, reference: Words) -> GleuCounts:
    """Count what corpus GLEU sums up."""
    counts = [len(hypothesis), len(reference)]
    for order in ORDERS:
        src, hyp, ref = (ngrams(words, order) for words in (source, hypothesis, reference))
        changed = Counter({gram: count for gram, count in src.items() if gram not in ref})
        rewarded, penalized = (hyp & ref).total(), (hyp & changed).total()
        counts += [max(0, rewarded - penalized), max(0, len(hypothesis) + 1 - order)]
    return tuple(counts)


def gleu(counts: Sequence[float]) -> float:
    """Make a score of summed counts."""
    if 0 in counts:
        return 0.0
    n_hypothesis, n_reference = counts[:2]
    ratios = [above / below for above, below in zip(counts[2::2], counts[3::2], strict=True)]
    logs = fmean(math.log(ratio) for ratio in ratios)
    return math.exp(min(0.0, 1 - n_reference / n_hypothesis) + logs)


def sentence_gleu(counts: Sequence[GleuCounts]) -> float:
    """Score one sentence, by its counts with each reference."""
    return fmean(gleu([count or 1 for count in one]) for one in counts)


def sampled_gleu(
    counts: Sequence[Sequence[GleuCounts]], iterations: int = 500
) -> tuple[float, float]:
    """Draw a reference for each sentence, again and again; return mean and standard deviation."""
    scores = []
    for number in range(iterations):
        generator = random.Random(number * 101)
        drawn = [by_ref[int(generator.random() * len(by_ref))] for by_ref in counts]
        scores.append(gleu([sum(column) for column in zip(*drawn, strict=True)]))
    return fmean(scores), pstdev(scores)


def expected_gleu(counts: Sequence[Sequence[GleuCounts]]) -> float:
    """Score the expectation of the summed counts."""
    means = [[fmean(column) for column in zip(*by_ref, strict=True)] for by_ref in counts]
    return gleu([math.fsum(column) for column in zip(*means, strict=True)])


# BLEU.


def bleu_counts(hypothesis: Words, references: Sequence[Words]) -> list[int]:
    """Count lengths, matches and n-grams of the output, in the order of sacreBLEU."""
    n_hypothesis = len(hypothesis)
    closest = min(
        (len(ref) for ref in references), key=lambda length: (abs(length - n_hypothesis), length)
    )
    matches, totals = [], []
    for order in ORDERS:
        hyp, most = ngrams(hypothesis, order), Counter[tuple[str, ...]]()
        for ref in references:
            most |= ngrams(ref, order)
        matches.append((hyp & most).total())
        totals.append(hyp.total())
    return [n_hypothesis, closest, *matches, *totals]


# chrF.


def chrf_counts(hypothesis: Words, reference: Words, order: int = 6) -> list[tuple[int, int, int]]:
    """Count n-grams of characters in output, reference and both, without spaces.

    Where the reference has none of an order, those of the output do not count.
    """
    texts = "".join(hypothesis), "".join(reference)
    found = []
    for n in range(1, order + 1):
        hyp, ref = (ngrams(text, n) for text in texts)
        found.append((hyp.total() if ref else 0, ref.total(), (hyp & ref).total()))
    return found


def chrf(counts: Sequence[tuple[int, int, int]], beta: float = 2.0) -> float:
    """Make a score of summed counts."""
    known = [one for one in counts if one[0] and one[1]]
    if not known:
        return 0.0
    precision = fmean(match / n_hyp for n_hyp, _, match in known)
    recall = fmean(match / n_ref for _, n_ref, match in known)
    below = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / below if below else 0.0


# SARI.


def sari_parts(
    source: Words, hypothesis: Words, references: Sequence[Words]
) -> tuple[float, float, float]:
    """Score what was kept, deleted and added, each as a mean over the orders."""
    source, hypothesis = _lowered(source), _lowered(hypothesis)
    lowered = [_lowered(ref) for ref in references]
    by_order = [_order_parts(order, source, hypothesis, lowered) for order in ORDERS]
    kept, deleted, added = (fmean(column) for column in zip(*by_order, strict=True))
    return kept, deleted, added


def _lowered(words: Words) -> Words:
    return [word.lower() for word in words]


def _order_parts(
    order: int, source: Words, hypothesis: Words, references: Sequence[Words]
) -> tuple[float, float, float]:
    ref = Counter[tuple[str, ...]]()
    for words in references:
        ref.update(ngrams(words, order))
    # As many copies as there are references, to be comparable with all of them together.
    src = ngrams([], order)
    hyp = ngrams([], order)
    for _ in references:
        src.update(ngrams(source, order))
        hyp.update(ngrams(hypothesis, order))

    kept, to_keep = src & hyp, src & ref
    rightly = kept & ref
    precision = _ratio(math.fsum(rightly[gram] / kept[gram] for gram in rightly), len(kept))
    recall = _ratio(math.fsum(rightly[gram] / to_keep[gram] for gram in rightly), len(to_keep))

    deleted = src - hyp
    good = deleted - ref
    delete_precision = _ratio(math.fsum(good[gram] / deleted[gram] for gram in good), len(deleted))

    added, to_add = hyp.keys() - src.keys(), ref.keys() - src.keys()
    found = len(added & to_add)
    return (
        _f1(precision, recall),
        delete_precision,
        _f1(_ratio(found, len(added)), _ratio(found, len(to_add))),
    )


def _ratio(above: float, below: int) -> float:
    return above / below if below else 0.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def sari(source: Words, hypothesis: Words, references: Sequence[Words]) -> float:
    """Score one sentence against all references together."""
    return fmean(sari_parts(source, hypothesis, references))


def max_sari(source: Words, hypothesis: Words, references: Sequence[Words]) -> float:
    """Score one sentence against the single reference that suits it best."""
    return max(sari(source, hypothesis, [ref]) for ref in references)


# Levenshtein distance.


def distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the characters or words to insert, delete or replace."""
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, start=1):
        above, row = row, [i]
        for j, other in enumerate(second, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other)))
    return row[-1]
