"""The edits that a report shows: those of one metric, and the chunks of another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import Result
from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis
from geceval.report.outcomes import count_outcomes, frequent_edits
from geceval.report.results import FrequentEdit, Sentences
from geceval.report.score_records import SystemResults, first_of
from geceval.report.sentences import SentenceRecords, SystemChunks, system_edits

_View = TypeVar("_View")

PREFERRED = ("errant", "m2")
"""Metrics whose edits are preferably shown."""


@dataclass(frozen=True, slots=True)
class ShownEdits:
    """Records of all sentences, and what follows from their edits by system.

    `metric` and `chunk_metric` are those whose edits and chunks are shown; None without one.
    """

    metric: str | None
    chunk_metric: str | None
    outcomes: dict[str, dict[str, int]]
    frequent: dict[str, dict[str, list[FrequentEdit]]]
    sentences: Sentences


def show_edits(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    by_metric: Mapping[str, SystemResults],
    progress: Progress = silent,
) -> ShownEdits:
    """Choose the metrics to show, and record the sentences of each system.

    Parameters
    ----------
    corpus, hypotheses
        The gold standard and the systems.
    by_metric
        Results by metric and system.
    progress
        Shows how many systems are finished.
    """
    by_preference = sorted(by_metric, key=lambda name: (*PREFERRED, name).index(name))
    first = hypotheses[0]
    shown, edits = _first_known(by_preference, by_metric, partial(system_edits, corpus, first))
    chunked, chunks = _first_known(by_metric, by_metric, partial(_chunks, corpus, first))
    records = SentenceRecords(corpus, first, None if shown is None else first_of(by_metric[shown]))
    outcomes: dict[str, dict[str, int]] = {}
    frequent: dict[str, dict[str, list[FrequentEdit]]] = {}
    for hypothesis in progress(hypotheses, "classifying edits"):
        name = hypothesis.name
        if shown is not None and hypothesis is not first:
            edits = system_edits(corpus, hypothesis, by_metric[shown][name])
        if chunked is not None and hypothesis is not first:
            chunks = _chunks(corpus, hypothesis, by_metric[chunked][name])
        if edits is not None:
            outcomes[name] = count_outcomes(edits.outcomes)
            frequent[name] = frequent_edits(corpus.sources, edits.outcomes)
        results = [systems[name] for systems in by_metric.values()]
        records.add(hypothesis, results, edits, chunks)
    return ShownEdits(shown, chunked, outcomes, frequent, records.sentences())


def _first_known(
    names: Iterable[str],
    by_metric: Mapping[str, SystemResults],
    view: Callable[[Result], _View | None],
) -> tuple[str, _View] | tuple[None, None]:
    """Return the first metric that has a view of the first system, and this view."""
    for name in names:
        found = view(first_of(by_metric[name]))
        if found is not None:
            return name, found
    return None, None


def marks_edits(metric: Metric) -> bool:
    """Whether a metric says which edits are correct."""
    return type(metric).marked_edits is not Metric.marked_edits


def _chunks(corpus: Corpus, hypothesis: Hypothesis, result: Result) -> SystemChunks | None:
    return result.metric.chunk_view(corpus, hypothesis, result.score)
