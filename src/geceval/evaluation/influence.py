"""Influence of single sentences on scores, and on the difference between two systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.metrics.base import Metric
from geceval.metrics.options import Range, checked
from geceval.metrics.statistics import Rows, Statistics

Listed: TypeAlias = Annotated[int, Range(min=0)]
"""A number of sentences to list."""

DEFAULT_LISTED = 20
MAX_RESCORED = 2500
"""Maximum number of sentences of a corpus that is scored again without each of them."""

_CHUNK = 250
_ROUNDING = 1e-12


def influence(metric: Metric, statistics: Statistics) -> NDArray[np.float64] | None:
    """Compute how much each sentence raises the score of a system.

    The influence of a sentence is the score of all sentences minus that of all others
    (leave-one-out). References stay those chosen for the whole corpus, so the influence is that of
    the sentence alone; where references are sampled, their expected counts are used.

    Parameters
    ----------
    metric, statistics
        A metric and the statistics of a system.

    Returns
    -------
    influence
        One number for each sentence. A metric that cannot sum what sentences contribute is
        computed again without each of them, with references chosen anew; None if there are more
        than `MAX_RESCORED`, since it would take too long.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 11.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> from geceval.metrics import metric_class
    >>> gold = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes"), (gold,)),) * 3)
    >>> ours = Hypothesis("ours", (("I", "like"), ("I", "like"), ("I", "likes")))
    >>> metric = metric_class("m2")()
    >>> found = influence(metric, metric.statistics(corpus, ours))
    >>> [round(one, 4) for one in found.tolist()]
    [0.0758, 0.0758, -0.0909]
    """
    n_sents = len(statistics)
    if n_sents < 2:
        raise GecevalError("influence needs at least two sentences")
    sums = metric.fixed_sums(statistics)
    if sums is not None:
        totals = sums.table.sum(axis=0, keepdims=True)
        return np.asarray(sums.score(totals) - sums.score(totals - sums.table), dtype=np.float64)
    if n_sents > MAX_RESCORED:
        return None
    without = [metric.resample(statistics, rows) for rows in _without_each(n_sents)]
    return metric.aggregate(statistics).value - np.concatenate(without)


def _without_each(n_sents: int) -> Iterator[Rows]:
    """Yield samples of all sentences but one, in chunks."""
    for start in range(0, n_sents, _CHUNK):
        left_out = np.arange(start, min(start + _CHUNK, n_sents), dtype=np.int64)[:, None]
        rows = np.arange(n_sents - 1, dtype=np.int64)[None]
        yield rows + (rows >= left_out)


@checked
def most_influential(
    first: NDArray[np.float64], second: NDArray[np.float64], *, n: Listed = DEFAULT_LISTED
) -> list[tuple[int, float]]:
    """List the sentences that move the difference between two systems most.

    Parameters
    ----------
    first, second
        The `influence` of each sentence on the scores of two systems.
    n
        Number of sentences.

    Returns
    -------
    sentences
        Index of each sentence, and how much it adds to the difference (second minus first); the
        largest absolute value first, without sentences that move nothing.

    Examples
    --------
    >>> most_influential(np.array([0.2, 0.0, 0.1]), np.array([0.0, 0.0, 0.4]))
    [(2, 0.30000000000000004), (0, -0.2)]
    """
    moved = second - first
    sizes = np.where(np.isfinite(moved), np.abs(moved), 0.0)
    order = np.argsort(-sizes, kind="stable")[:n]
    return [(int(place), float(moved[place])) for place in order if sizes[place] > _ROUNDING]
