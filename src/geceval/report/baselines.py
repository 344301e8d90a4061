"""What to compare systems with: doing nothing, and people against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from statistics import fmean

from geceval.evaluation.annotators import leave_one_out
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import count_all
from geceval.metrics.base import Metric
from geceval.metrics.options import Jobs
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.report.results import Number, number

UNCHANGED = "doing nothing"
AGAINST_OTHERS = " (against the others)"


def find_baselines(corpus: Corpus, *, missing: MissingPolicy = "absent") -> Iterator[Entry]:
    """Yield the unchanged source, and each annotator against all others.

    Parameters
    ----------
    corpus
        The gold standard.
    missing
        Treatment of absent annotators; see `geceval.evaluation.annotators.leave_one_out`.
    """
    yield Entry(corpus, Hypothesis(UNCHANGED, corpus.sources), "floor")
    for entry in leave_one_out(corpus, missing=missing):
        name = f"annotator {entry.hypothesis.name}{AGAINST_OTHERS}"
        yield replace(entry, hypothesis=replace(entry.hypothesis, name=name))


def equal_references(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    missing: MissingPolicy = "absent",
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> dict[str, dict[str, Number]]:
    """Score systems against as many references as annotators have when they are scored.

    Each annotator in turn is left out, and the scores of a system on the sentences where that
    annotator is scored are averaged. Metrics without references are absent.

    Parameters
    ----------
    corpus, hypotheses, metrics
        The gold standard, the systems and the metrics.
    missing
        Treatment of absent annotators; see `geceval.evaluation.annotators.leave_one_out`.
    jobs
        Number of cores; with more than one, slow metrics count in background processes.
    progress
        Shows how many scores are finished.
    """
    filled = corpus.first_alignments().fill_missing(missing)
    entries = []
    for annotator in filled.annotators if len(filled.annotators) > 1 else ():
        rows = [
            row
            for row, sent in enumerate(filled)
            if len(sent.annotations) > 1 and sent.corrected(annotator) is not None
        ]
        if rows:
            others = [name for name in filled.annotators if name != annotator]
            gold = replace(filled, sentences=tuple(filled.sentences[row] for row in rows))
            gold = gold.keep_annotators(others)
            entries += [Entry(gold, _rows_of(one, rows), "ceiling") for one in hypotheses]
    found: dict[str, dict[str, list[float]]] = {}
    with closing(count_all(metrics, entries, jobs=jobs, progress=progress)) as counted:
        for metric, entry, counts in counted:
            by_system = found.setdefault(metric.name, {})
            value = metric.aggregate(counts).value
            by_system.setdefault(entry.hypothesis.name, []).append(value)
    return {
        metric: {system: number(fmean(values)) for system, values in by_system.items()}
        for metric, by_system in found.items()
    }


def _rows_of(hypothesis: Hypothesis, rows: Sequence[int]) -> Hypothesis:
    """Return some sentences of an output."""
    return replace(
        hypothesis,
        sentences=tuple(hypothesis.sentences[row] for row in rows),
        edits=None if hypothesis.edits is None else tuple(hypothesis.edits[row] for row in rows),
        readings=tuple(
            replace(
                one,
                sentences=tuple(one.sentences[row] for row in rows),
                edits=tuple(one.edits[row] for row in rows),
            )
            for one in hypothesis.readings
        ),
    )
