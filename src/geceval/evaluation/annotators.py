"""Agreement between the annotators of a gold standard, and their scores against each other.

Annotators agree on an edit if spans and corrections are equal. For detection, each token is marked
or not by each annotator: tokens within the span of an edit are marked, an insertion marks the token
that it precedes, at the end of the sentence the last one. An annotator who is absent has no part in
a sentence, unless the corpus says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.evaluation.chance_agreement import alpha_of_coincidences, kappa_of_tables
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import count_all
from geceval.evaluation.resampling import (
    DEFAULT_RESAMPLING,
    Resampling,
    interval,
    occurrences,
    resample,
    resampled_rows,
)
from geceval.metrics.base import Metric
from geceval.metrics.options import Jobs
from geceval.metrics.statistics import Interval, Score
from geceval.model import Corpus, Edit, Hypothesis, MissingPolicy, Sentence

Floats: TypeAlias = NDArray[np.float64]

_Measure: TypeAlias = Callable[[Floats], Floats]
"""Computes a measure of each row of total counts."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure of agreement with its confidence interval; NaN if it is undefined."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two annotators on the sentences that both annotated.

    Parameters
    ----------
    first, second
        Names of the annotators.
    n_sents
        Number of sentences that both annotated.
    n_first, n_second, n_common
        Edits of each annotator in these sentences, and those that both have.
    edits
        F1 between their edits, which is the same in both directions.
    spans
        F1 between the spans of their edits, whatever the corrections.
    kappa
        Cohen's κ of marked tokens.
    """

    first: str
    second: str
    n_sents: int
    n_first: int
    n_second: int
    n_common: int
    edits: Measured
    spans: Measured
    kappa: Measured


@dataclass(frozen=True, slots=True)
class TypeAgreement:
    """Agreement on edits of one error type, over all pairs of annotators.

    Parameters
    ----------
    n_edits
        Number of edits of this type by all annotators.
    edits
        F1 between the edits of this type: span, correction and type are equal.
    alpha
        Krippendorff's α of tokens marked by edits of this type.
    """

    n_edits: int
    edits: float
    alpha: float


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """Agreement between all annotators of a gold standard.

    Parameters
    ----------
    annotators
        Names of the annotators.
    n_sents
        Number of sentences with at least two annotators.
    pairs
        Each pair of annotators.
    edits
        F1 between edits, over all pairs.
    spans
        F1 between spans, over all pairs.
    alpha
        Krippendorff's α of marked tokens.
    types
        Agreement by error type, the most frequent first.
    """

    annotators: tuple[str, ...]
    n_sents: int
    pairs: tuple[PairAgreement, ...]
    edits: Measured
    spans: Measured
    alpha: Measured
    types: dict[str, TypeAgreement]


def measure_agreement(
    corpus: Corpus,
    *,
    missing: MissingPolicy = "absent",
    resampling: Resampling = DEFAULT_RESAMPLING,
    progress: Progress = silent,
) -> AnnotatorAgreement:
    """Measure the agreement between the annotators of a corpus.

    Parameters
    ----------
    corpus
        The gold standard, with at least two annotators.
    missing
        Interpretation of absent annotators.
    resampling
        Settings of the intervals, for which sentences are resampled.
    progress
        Shows how many pairs are finished.

    Raises
    ------
    GecevalError
        If no two annotators annotated the same sentence, or there are no edits.

    References
    ----------
    Cohen (1960), A Coefficient of Agreement for Nominal Scales. Krippendorff (2011), Computing
    Krippendorff's Alpha-Reliability. Bryant and Ng (2015), How Far are We from Fully Automatic
    High Quality Grammatical Error Correction?
    """
    corpus = corpus.first_alignments().fill_missing(missing)
    shared = [sent for sent in corpus if len(sent.annotations) > 1]
    if not shared:
        raise GecevalError(
            f"{corpus.name or 'the gold standard'} has no sentence with two annotators, who could "
            "agree"
        )
    if not any(ann.edits for sent in shared for ann in sent.annotations):
        raise GecevalError(
            f"{corpus.name or 'the gold standard'} has no edits that annotators could agree on"
        )
    found = []
    totals = np.zeros((len(shared), 6))
    for first, second in progress(list(combinations(corpus.annotators, 2)), "comparing annotators"):
        rows = [
            row
            for row, sent in enumerate(shared)
            if sent.annotation(first) is not None and sent.annotation(second) is not None
        ]
        if rows:
            counts = np.array([_pair_counts(shared[row], first, second) for row in rows])
            totals[rows] += counts[:, :6]
            found.append(_pair(first, second, counts, resampling))
    coincidences = np.array([_coincidences(sent, _edits_of(sent)) for sent in shared])
    edits, spans = estimates(totals, (_edits_f1, _spans_f1), resampling)
    [alpha] = estimates(coincidences, (_alpha,), resampling)
    return AnnotatorAgreement(
        corpus.annotators,
        len(shared),
        tuple(found),
        edits,
        spans,
        alpha,
        _types(shared),
    )


def _edits_of(sent: Sentence) -> list[Sequence[Edit]]:
    return [ann.edits for ann in sent.annotations]


def _key(edit: Edit) -> tuple[object, ...]:
    return edit.start, edit.end, edit.corrections


def _marks(edits: Sequence[Edit], n_tokens: int) -> NDArray[np.bool_]:
    """Return whether each token is marked by an edit."""
    marks = np.zeros(n_tokens, dtype=bool)
    for edit in edits:
        if not edit.fits(n_tokens):
            continue
        start = min(edit.start, n_tokens - 1) if edit.is_insertion else edit.start
        marks[start : max(edit.end, start + 1)] = True
    return marks


def _pair_counts(sent: Sentence, first: str, second: str) -> list[int]:
    """Count edits and spans of each annotator and of both, and tokens by who marked them."""
    own, other = (sent.annotation(name) for name in (first, second))
    edits = (own.edits if own else (), other.edits if other else ())
    sets = [{_key(edit) for edit in some} for some in edits]
    spans = [{(edit.start, edit.end) for edit in some} for some in edits]
    one, two = (_marks(some, len(sent.tokens)) for some in edits)
    counts = [len(sets[0]), len(sets[1]), len(sets[0] & sets[1])]
    counts += [len(spans[0]), len(spans[1]), len(spans[0] & spans[1])]
    return [*counts, *np.bincount(2 * one + two, minlength=4).tolist()]


def _edits_f1(totals: Floats) -> Floats:
    return _f1(totals[..., 0] + totals[..., 1], totals[..., 2])


def _spans_f1(totals: Floats) -> Floats:
    return _f1(totals[..., 3] + totals[..., 4], totals[..., 5])


def _f1(size: Floats, common: Floats) -> Floats:
    """Return F1; annotators without edits agree."""
    return np.divide(2 * common, size, out=np.ones_like(size), where=size > 0)


def _kappa(totals: Floats) -> Floats:
    return kappa_of_tables(totals[..., 6:].reshape(*totals.shape[:-1], 2, 2))


def _alpha(totals: Floats) -> Floats:
    return alpha_of_coincidences(totals.reshape(*totals.shape[:-1], 2, 2))


def _pair(first: str, second: str, counts: NDArray[np.int64], how: Resampling) -> PairAgreement:
    n_first, n_second, n_common = counts.sum(axis=0)[:3].tolist()
    edits, spans, kappa = estimates(counts, (_edits_f1, _spans_f1, _kappa), how)
    return PairAgreement(
        first, second, len(counts), n_first, n_second, n_common, edits, spans, kappa
    )


def estimates(
    counts: NDArray[np.int64] | Floats, measures: Sequence[_Measure], how: Resampling
) -> list[Measured]:
    """Compute measures of the summed counts of all sentences, with bootstrap intervals."""
    sums = counts.sum(axis=0, dtype=np.float64)
    values = [float(measure(sums)) for measure in measures]
    if not how.n or len(counts) < 2:
        return [Measured(value, None) for value in values]
    totals = np.concatenate(
        [occurrences(rows).astype(np.float64) @ counts for rows in resampled_rows(len(counts), how)]
    )
    return [
        _estimate(value, measure(totals), how)
        for value, measure in zip(values, measures, strict=True)
    ]


def _estimate(value: float, samples: Floats, how: Resampling) -> Measured:
    # A resample may lack what a measure needs.
    known = samples[~np.isnan(samples)]
    if math.isnan(value) or not len(known):
        return Measured(value, None)
    return Measured(value, interval(known, how.level, around=value))


def _coincidences(sent: Sentence, edits: Sequence[Sequence[Edit]]) -> list[float]:
    """Return the table of coincidences of marked tokens: neither, one, one and both of a pair."""
    n_raters, n_tokens = len(edits), len(sent.tokens)
    marked = np.zeros(n_tokens)
    for some in edits:
        if some:
            marked += _marks(some, n_tokens)
    unmarked = n_raters - marked
    both = float((marked * (marked - 1)).sum()) / (n_raters - 1)
    neither = float((unmarked * (unmarked - 1)).sum()) / (n_raters - 1)
    one = float((marked * unmarked).sum()) / (n_raters - 1)
    return [neither, one, one, both]


def _types(sentences: Sequence[Sentence]) -> dict[str, TypeAgreement]:
    """Measure the agreement on each error type."""
    # Most sentences have no edits of a type; their tokens are marked by nobody.
    unmarked = sum(len(sent.tokens) * len(sent.annotations) for sent in sentences)
    by_type: dict[str, list[Sentence]] = {}
    for sent in sentences:
        for name in {edit.type for ann in sent.annotations for edit in ann.edits}:
            by_type.setdefault(name, []).append(sent)
    found = {}
    for name, own in by_type.items():
        table = np.array([unmarked, 0.0, 0.0, 0.0])
        n_edits = size = common = 0
        for sent in own:
            edits = [[edit for edit in ann.edits if edit.type == name] for ann in sent.annotations]
            table += _coincidences(sent, edits)
            table[0] -= len(sent.tokens) * len(edits)
            sets = [{_key(edit) for edit in some} for some in edits]
            n_edits += sum(map(len, sets))
            size += (len(sets) - 1) * sum(map(len, sets))
            common += sum(len(one & other) for one, other in combinations(sets, 2))
        f1 = float(_f1(np.array(float(size)), np.array(float(common))))
        found[name] = TypeAgreement(n_edits, f1, float(_alpha(table)))
    return dict(sorted(found.items(), key=lambda item: (-item[1].n_edits, item[0])))


@dataclass(frozen=True, slots=True)
class HumanScore:
    """The score of one annotator against all others.

    Parameters
    ----------
    annotator
        Name of the annotator.
    metric, score, interval
        The metric and its score, with a confidence interval.
    n_sents
        Number of sentences that this annotator and another one annotated.
    """

    annotator: str
    metric: Metric
    score: Score
    interval: Interval | None
    n_sents: int


def leave_one_out(corpus: Corpus, *, missing: MissingPolicy = "absent") -> Iterator[Entry]:
    """Yield the corrections of each annotator, with all others as references.

    An annotator is scored on the sentences that at least one other annotator annotated too. With
    a single annotator there are none.

    Parameters
    ----------
    corpus
        The gold standard.
    missing
        Interpretation of absent annotators. If they agree with the previous one (``"same"``),
        skipping the sentence would hide the agreement.
    """
    corpus = corpus.first_alignments().fill_missing(missing)
    annotators = corpus.annotators
    if len(annotators) < 2:
        return
    for annotator in annotators:
        shared = [
            (sent, output)
            for sent in corpus
            if len(sent.annotations) > 1 and (output := sent.corrected(annotator)) is not None
        ]
        if shared:
            others = [name for name in annotators if name != annotator]
            gold = replace(corpus, sentences=tuple(sent for sent, _ in shared))
            texts = tuple(text for _, text in shared)
            yield Entry(gold.keep_annotators(others), Hypothesis(annotator, texts), "ceiling")


def human_scores(
    corpus: Corpus,
    metrics: Sequence[Metric],
    *,
    missing: MissingPolicy = "absent",
    resampling: Resampling = DEFAULT_RESAMPLING,
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> list[HumanScore]:
    """Score each annotator against all others, by metrics that compare with references.

    An annotator has one reference less than a system that is scored against all annotators.

    Parameters
    ----------
    corpus, metrics
        The gold standard and the metrics.
    missing
        Interpretation of absent annotators.
    resampling
        Settings of the intervals.
    jobs
        Number of cores; with more than one, slow metrics count in background processes.
    progress
        Shows how many annotators are finished.
    """
    found = []
    entries = list(leave_one_out(corpus, missing=missing))
    with closing(count_all(metrics, entries, jobs=jobs, progress=progress)) as counted:
        for metric, entry, counts in counted:
            score = metric.aggregate(counts)
            ends = None
            if resampling.n and len(counts) > 1:
                samples = resample(metric, counts, resampled_rows(len(counts), resampling))
                ends = interval(samples, resampling.level, around=score.value)
            found.append(HumanScore(entry.hypothesis.name, metric, score, ends, len(counts)))
    return sorted(found, key=lambda one: metrics.index(one.metric))
