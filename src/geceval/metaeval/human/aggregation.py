"""System scores from a metric's sentence scores: means, or rankings as people's are made.

Goto, Sakai and Watanabe (2025), Rethinking Evaluation Metrics for Grammatical Error Correction: Why
Use a Different Evaluation Process than Human?, ACL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Matrix
from geceval.metaeval.human.trueskill import PRIOR_SIGMA, draw_margin
from geceval.metrics.options import checked
from geceval.metrics.statistics import Rows

Aggregation: TypeAlias = Literal["own", "mean", "trueskill", "expected-wins"]
"""The metric's own score of a corpus, or one made from its sentence scores."""

BETA = 0.25
"""Noise of a game; unlike in human rankings, each is played once and in order."""

DIGITS = 12
"""Digits of sentence scores that are compared, as equal scores may come from different sums."""

_NO_GAME = 2


def pairwise_outcomes(scores: NDArray[np.float64]) -> NDArray[np.int8]:
    """Compare all pairs of systems in all sentences.

    Parameters
    ----------
    scores
        ``(n_systems, n_sents)``; NaN if undefined.

    Returns
    -------
    outcomes
        ``(n_sents, n_pairs)``, pairs in lexicographic order: 1 if the first system is better, -1
        if the second is, 0 for a tie, 2 if a score is undefined.

    Examples
    --------
    >>> pairwise_outcomes(np.array([[0.5, 1.0], [0.5, 0.0], [1.0, np.nan]])).tolist()
    [[0, -1, -1], [1, 2, 2]]
    """
    rounded = np.round(scores, DIGITS)
    first, second = np.triu_indices(len(scores), 1)
    signs = np.sign(rounded[first] - rounded[second])
    return np.ascontiguousarray(np.nan_to_num(signs, nan=_NO_GAME).T.astype(np.int8))


@checked
def aggregated(
    scores: NDArray[np.float64],
    aggregation: Aggregation,
    *,
    rows: Rows | None = None,
) -> NDArray[np.float64]:
    """Compute system scores from sentence scores.

    Parameters
    ----------
    scores
        ``(n_systems, n_sents)``; NaN if undefined. TrueSkill depends on the order of systems.
    aggregation
        ``"mean"``; ``"trueskill"``, where each pair of systems plays once in each sentence, in
        order; or ``"expected-wins"``, where two systems that never differ each win a half.
    rows
        Samples of sentences ``(n_resamples, n_rows)``; by default all sentences, once.

    Returns
    -------
    scores
        ``(n_resamples, n_systems)``.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.2], [0.5, 0.6], [0.1, 0.3]])
    >>> aggregated(scores, "expected-wins").tolist()
    [[0.5, 0.75, 0.25]]
    """
    if rows is None:
        rows = np.arange(scores.shape[1])[None]
    if aggregation == "mean":
        return np.array([_mean(scores[:, row]) for row in rows])
    if aggregation == "trueskill":
        from geceval.kernels.skill_games import rate_in_order

        return rate_in_order(
            pairwise_outcomes(scores),
            np.ascontiguousarray(rows, dtype=np.int64),
            len(scores),
            PRIOR_SIGMA**2,
            BETA,
            draw_margin(BETA),
        )
    if aggregation == "expected-wins":
        return _expected_wins(scores, rows)
    msg = "the metric's own scores are not aggregated"
    raise ValueError(msg)


def _mean(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(scores)
    count = known.sum(axis=1)
    total = np.where(known, scores, 0.0).sum(axis=1)
    found: NDArray[np.float64] = np.full(len(scores), np.nan)
    np.divide(total, count, out=found, where=count > 0)
    return found


def _expected_wins(scores: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    n = len(scores)
    if n < 2:
        raise GecevalError("Expected Wins needs at least two systems")
    outcomes = pairwise_outcomes(scores)
    n_sents = scores.shape[1]
    times = np.array([np.bincount(row, minlength=n_sents) for row in rows])
    wins: Matrix = np.zeros((len(rows), n, n), dtype=np.int64)
    first, second = np.triu_indices(n, 1)
    wins[:, first, second] = times @ (outcomes == 1).astype(np.int64)
    wins[:, second, first] = times @ (outcomes == -1).astype(np.int64)
    decided = wins + wins.transpose(0, 2, 1)
    share = np.divide(wins, decided, out=np.full(wins.shape, 0.5), where=decided > 0)
    systems = np.arange(n)
    share[:, systems, systems] = 0
    found: NDArray[np.float64] = share.sum(axis=2) / (n - 1)
    return found


def aggregate_scores(
    metric: MetricScores,
    systems: Sequence[str],
    aggregation: Aggregation,
    *,
    rows: Sequence[Rows] = (),
) -> MetricScores:
    """Return a metric whose system scores are made from its sentence scores.

    Parameters
    ----------
    metric
        Scores of systems and sentences.
    systems
        The systems that are compared with each other, in the order of comparison; others are
        excluded.
    aggregation
        The method; with ``"own"``, the metric is returned as it is.
    rows
        Samples of sentences, in chunks, to aggregate as well; see `MetricScores.samples`.
    """
    if aggregation == "own":
        return metric
    if not metric.sentences:
        raise GecevalError(
            f"{metric.title} has no sentence scores, which the aggregation {aggregation} needs"
        )
    table = np.array([metric.sentences[name] for name in systems])
    scores = aggregated(table, aggregation)[0]
    samples: Mapping[str, NDArray[np.float64]] = {}
    if len(rows):
        sampled = np.concatenate([aggregated(table, aggregation, rows=chunk) for chunk in rows])
        samples = dict(zip(systems, sampled.T, strict=True))
    return replace(
        metric,
        scores=dict(zip(systems, scores.tolist(), strict=True)),
        samples=samples,
        signature=f"{metric.signature}|aggregation:{aggregation}",
    )
