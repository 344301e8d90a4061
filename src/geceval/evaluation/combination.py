"""Combine the outputs of several systems: votes on edits, and the best output of each sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, OptionError
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import Result, evaluate
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling, bootstrap
from geceval.metrics.base import Metric, check_counts, check_output
from geceval.metrics.statistics import Rows, Statistics
from geceval.model import Corpus, Edit, Hypothesis, Tokens, applicable, apply_edits, in_order

ORACLE = "oracle"
"""Name of the combination of the best outputs."""

_SLACK = 1e-12
"""SentenceSums in a different order may differ in the last bits."""


@dataclass(frozen=True, slots=True)
class Vote:
    """The edits that enough systems agree on.

    Parameters
    ----------
    sentences
        The source with these edits applied.
    edits
        The edits of each sentence.
    proposed, accepted
        Number of edits of each system, and of those that were accepted.
    outvoted, conflicting
        Number of different edits with too few votes, and of those with enough votes that exclude
        an edit with more of them.
    """

    sentences: tuple[Tokens, ...]
    edits: tuple[tuple[Edit, ...], ...]
    proposed: tuple[int, ...]
    accepted: tuple[int, ...]
    outvoted: int
    conflicting: int


def vote(
    sources: Sequence[Tokens], systems: Sequence[Sequence[Iterable[Edit]]], *, n_votes: int
) -> Vote:
    """Accept the edits that at least `n_votes` systems propose.

    Edits are the same if span and correction are. Of edits that overlap or replace the same span,
    the one with more votes is accepted, then the one of the system that comes first, then the
    first in the sentence.

    Parameters
    ----------
    sources
        Source sentences.
    systems
        For each system, the edits of each sentence; edits that cannot be applied do not count.
    n_votes
        Required number of votes.

    Examples
    --------
    >>> source = ("I", "likes", "cat")
    >>> like, cats = Edit.replace(1, 2, "like"), Edit.replace(2, 3, "cats")
    >>> vote([source], [[[like, cats]], [[like]], [[Edit.insert(2, "a")]]], n_votes=2).sentences
    (('I', 'like', 'cat'),)
    """
    if not 1 <= n_votes <= len(systems):
        raise OptionError(f"votes of {len(systems)} systems are from 1 to {len(systems)}")
    sentences: list[Tokens] = []
    edits: list[tuple[Edit, ...]] = []
    proposed, accepted = Counter[int](), Counter[int]()
    outvoted = conflicting = 0
    for number, tokens in enumerate(sources):
        ballots: dict[_Key, list[int]] = {}
        first: dict[_Key, Edit] = {}
        for system, own in enumerate(systems):
            for edit in _joined(own[number], len(tokens)):
                first.setdefault(_key(edit), edit)
                ballots.setdefault(_key(edit), []).append(system)
                proposed[system] += 1
        elected = [key for key, voters in ballots.items() if len(voters) >= n_votes]
        outvoted += len(ballots) - len(elected)
        kept: list[Edit] = []
        for key in sorted(elected, key=lambda key: (-len(ballots[key]), ballots[key][0], key[:2])):
            if any(_conflict(first[key], other) for other in kept):
                conflicting += 1
            else:
                kept.append(first[key])
                accepted.update(ballots[key])
        edits.append(tuple(in_order(kept)))
        sentences.append(apply_edits(tokens, edits[-1]))
    order = range(len(systems))
    return Vote(
        tuple(sentences),
        tuple(edits),
        tuple(proposed[system] for system in order),
        tuple(accepted[system] for system in order),
        outvoted,
        conflicting,
    )


_Key = tuple[int, int, Tokens]


def _key(edit: Edit) -> _Key:
    return edit.start, edit.end, edit.correction


def _joined(edits: Iterable[Edit], n_tokens: int) -> list[Edit]:
    """Return the edits that can be applied; insertions at one position become one."""
    joined: list[Edit] = []
    for edit in applicable(edits, n_tokens):
        if joined and edit.is_insertion and _key(joined[-1])[:2] == (edit.start, edit.end):
            correction = joined.pop().correction + edit.correction
            joined.append(Edit(edit.start, edit.end, (correction,), edit.type))
        else:
            joined.append(edit)
    return joined


def _conflict(one: Edit, other: Edit) -> bool:
    return one.overlaps(other) or (one.start, one.end) == (other.start, other.end)


@dataclass(frozen=True, slots=True)
class Oracle:
    """The best combination of outputs that was found.

    Parameters
    ----------
    systems
        Results of the single systems.
    best
        Result of the combination.
    chosen
        Index of the system whose output is used, for each sentence.
    hypothesis
        The combined output.
    is_exact
        Whether no combination is better; otherwise, none that differs in one sentence is.
    """

    systems: list[Result]
    best: Result
    chosen: NDArray[np.int64]
    hypothesis: Hypothesis
    is_exact: bool


def find_oracle(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metric: Metric,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    progress: Progress = silent,
) -> Oracle:
    """Choose the output of each sentence that gives the best score: the upper bound of systems.

    The better one of two combinations is improved, the output with the best score of each
    sentence and the best single system: sentence by sentence, the output that gives the best
    score of the corpus is chosen, until no sentence changes. If the score is a mean or a ratio of
    sums over sentences (see `Metric.is_separable`), there is no better combination. Otherwise it
    is a local maximum, which is never below the best single system.

    Parameters
    ----------
    corpus, hypotheses, metric
        The gold standard, the systems and the metric.
    resampling
        Settings of confidence intervals; that of the combination is for fixed choices.
    progress
        Shows how many systems and sentences are finished.

    Examples
    --------
    >>> from geceval.metrics import metric_class
    >>> corpus = Corpus.from_texts(["a b", "c d"], ["x b", "c y"])
    >>> first = Hypothesis.from_texts(["x b", "c d"], name="first")
    >>> second = Hypothesis.from_texts(["a b", "c y"], name="second")
    >>> found = find_oracle(corpus, [first, second], metric_class("m2")())
    >>> found.chosen.tolist(), found.best.score.value, found.is_exact
    ([0, 1], 1.0, True)
    """
    if not hypotheses or not len(corpus):
        raise GecevalError("an oracle needs sentences and systems")
    for hypothesis in hypotheses:
        check_counts(corpus, hypothesis)
        check_output(hypothesis)
    results = evaluate(corpus, hypotheses, [metric], resampling=resampling, progress=progress)
    metric = results[0].metric
    together = reduce(Statistics.followed_by, (result.statistics for result in results))
    chosen = _improved(metric, together, _start(metric, results, together), progress)
    statistics = together.take(_rows(chosen))
    ends = bootstrap(metric, statistics, resampling=resampling) if resampling.n else None
    score = metric.aggregate(statistics)
    score = replace(score, system=ORACLE, score_name=metric.score_name, interval=ends)
    best = Result(metric, score, statistics)
    sentences = tuple(
        hypotheses[system].sentences[number] for number, system in enumerate(chosen.tolist())
    )
    is_exact = metric.is_separable(together)
    return Oracle(results, best, chosen, Hypothesis(ORACLE, sentences), is_exact)


def _rows(chosen: NDArray[np.int64]) -> Rows:
    """Return the rows of chosen systems, in statistics where systems follow one another."""
    return chosen * len(chosen) + np.arange(len(chosen))


def _start(metric: Metric, results: Sequence[Result], together: Statistics) -> NDArray[np.int64]:
    """Return the best outputs of single sentences, or the best system if that is better."""
    scores = np.array([metric.independent_sentence_scores(one.statistics) for one in results])
    by_sentence = np.where(np.isnan(scores), -np.inf, scores).argmax(axis=0)
    values = [result.score.value for result in results]
    best = int(np.argmax(values))
    value = float(metric.resample(together, _rows(by_sentence)[None])[0])
    return by_sentence if value >= values[best] else np.full_like(by_sentence, best)


def _improved(
    metric: Metric, together: Statistics, chosen: NDArray[np.int64], progress: Progress
) -> NDArray[np.int64]:
    """Change the choice of single sentences until none improves the score."""
    chosen = chosen.copy()
    n_sents = len(chosen)
    others = [_different(together, number, n_sents) for number in range(n_sents)]
    open_sentences = [number for number in range(n_sents) if len(others[number]) > 1]
    value = float(metric.resample(together, _rows(chosen)[None])[0])
    is_improving = True
    while is_improving:
        is_improving = False
        for number in progress(open_sentences, f"choosing outputs by {metric.title}"):
            rows = np.repeat(_rows(chosen)[None], len(others[number]), axis=0)
            rows[:, number] = np.array(others[number]) * n_sents + number
            values = metric.resample(together, rows)
            best = int(np.argmax(values))
            if values[best] > value + _SLACK:
                chosen[number], value = others[number][best], float(values[best])
                is_improving = True
    return chosen


def _different(together: Statistics, number: int, n_sents: int) -> list[int]:
    """Return the systems whose statistics of a sentence differ, the first of equal ones."""
    first: dict[bytes, int] = {}
    for system, row in enumerate(range(number, len(together), n_sents)):
        key = together.counts[row].tobytes() + together.mask[row].tobytes()
        first.setdefault(key, system)
    return list(first.values())
