"""Compute everything that a report shows, once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from geceval import __version__
from geceval.errors import GecevalError
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import note_scores
from geceval.evaluation.ranking import clusters, ranks
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Comparison, Interval, Resampling
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.metrics.options import Jobs, checked
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.report.baselines import find_baselines
from geceval.report.error_types import count_types, note_foreign_types
from geceval.report.input_files import File, describe_inputs, warnings_of
from geceval.report.metric_agreement import agreement
from geceval.report.outcomes import frequent, tally
from geceval.report.results import (
    KIND,
    SCHEMA,
    Baseline,
    ComparisonRecord,
    MetricRecord,
    Pair,
    ResamplingSettings,
    Results,
    ScoreRecord,
    number,
)
from geceval.report.sentences import EditView, view_edits, write_sentences
from geceval.report.slices import slices
from geceval.report.system_scores import Scoring, parts_shown, score_all

PREFERRED = ("errant", "m2")
"""Metrics whose marked edits are shown before those of others."""


@checked
def collect(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    findings: Findings | None = None,
    files: Sequence[File] = (),
    resampling: Resampling = DEFAULT_RESAMPLING,
    title: str = "",
    missing: MissingPolicy = "absent",
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> Results:
    """Score systems and collect everything that a report shows.

    Parameters
    ----------
    corpus, hypotheses, metrics
        The gold standard, the systems, each with a name of its own, and the metrics.
    findings
        Findings about the inputs.
    files
        The input files.
    resampling
        Settings of intervals and paired tests. Tests of many pairs take more resamples, see
        `geceval.evaluation.resampling.enough_resamples`.
    title
        Heading of the report.
    missing
        How an annotator without a line is read where annotators are compared with each other.
    jobs
        With more than one, slow metrics count in background processes.
    progress
        Shows how many items of each stage are finished.

    Examples
    --------
    >>> from geceval import Annotation, Edit, Sentence
    >>> from geceval.metrics import get_metric
    >>> reading = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes"), (reading,)),))
    >>> ours = Hypothesis("ours", (("I", "like"),))
    >>> collect(corpus, [ours], [get_metric("m2")()])["outcomes"]
    {'ours': {'correct': 1, 'wrong fix': 0, 'wrong': 0, 'missed': 0}}
    """
    if not hypotheses or not metrics or not len(corpus):
        raise GecevalError("a report needs sentences, at least one system and one metric")
    baselines = list(find_baselines(corpus, missing=missing))
    faults: list[str] = []
    scorings = score_all(
        corpus,
        hypotheses,
        metrics,
        resampling,
        baselines=baselines,
        jobs=jobs,
        on_fault=faults.append,
        progress=progress,
    )
    sliced = slices(corpus, scorings, on_fault=faults.append, progress=progress)
    shown, views = _marked(corpus, hypotheses, scorings, progress)
    found_types = {one.metric.name: count_types(corpus, hypotheses, one) for one in scorings}
    types = {name: tables for name, tables in found_types.items() if tables is not None}
    findings = findings or Findings()
    note_foreign_types(types, findings)
    for fault in faults:
        findings.add("no-number", f"{fault}, so it is left blank")
    for scoring in scorings:
        note_scores(scoring.results.values(), findings)
    return Results(
        schema=SCHEMA,
        kind=KIND,
        version=__version__,
        title=title,
        inputs=describe_inputs(files, corpus, hypotheses),
        warnings=warnings_of(findings),
        settings=ResamplingSettings(
            level=resampling.level,
            resamples=resampling.n,
            test_resamples=resampling.for_tests(len(hypotheses)).n,
            seed=resampling.seed,
            test=resampling.test,
        ),
        metrics=[_metric(one, has_edits=one.metric.name in types) for one in scorings],
        edit_metric=None if shown is None else shown.metric.name,
        systems=[hypothesis.name for hypothesis in hypotheses],
        scores={scoring.metric.name: _scores(scoring, resampling.level) for scoring in scorings},
        comparisons={
            scoring.metric.name: [_comparison(row) for row in scoring.comparisons]
            for scoring in scorings
        },
        baselines=[_baseline(one, scorings) for one in baselines],
        types=types,
        outcomes={name: tally(view.judgments) for name, view in views.items()},
        slices=sliced,
        agreement=agreement(scorings),
        frequent={
            name: frequent(corpus.sources, view.views, view.judgments)
            for name, view in views.items()
        },
        sentences=write_sentences(corpus, hypotheses, scorings, shown, views),
    )


def _marked(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    scorings: Sequence[Scoring],
    progress: Progress,
) -> tuple[Scoring | None, dict[str, EditView]]:
    """Choose the metric whose marked edits are shown, and judge the edits of each system."""
    for scoring in sorted(
        scorings, key=lambda one: (*PREFERRED, one.metric.name).index(one.metric.name)
    ):
        views = {
            hypothesis.name: view_edits(corpus, hypothesis, scoring.results[hypothesis.name])
            for hypothesis in progress(hypotheses, "judging edits")
        }
        known = {name: view for name, view in views.items() if view is not None}
        if len(known) == len(views):
            return scoring, known
    return None, {}


def _metric(scoring: Scoring, *, has_edits: bool) -> MetricRecord:
    metric, first = scoring.metric, next(iter(scoring.results.values()))
    return MetricRecord(
        name=metric.name,
        title=metric.title,
        score_name=metric.score_name,
        signature=first.score.signature,
        parts=list(parts_shown(metric, first.score)),
        has_edits=has_edits,
        beta=metric.beta,
    )


def _scores(scoring: Scoring, level: float) -> dict[str, ScoreRecord]:
    values = {name: result.score.value for name, result in scoring.results.items()}
    places = ranks(values)
    groups = clusters(values, scoring.comparisons, level=level)
    records = {}
    for name, result in scoring.results.items():
        records[name] = ScoreRecord(
            score=number(result.score.value),
            interval=_ends(result.interval),
            parts={part: number(value) for part, value in result.score.parts.items()},
            rank=places[name],
            cluster=groups[name],
        )
        reach = {part: _ends(one) for part, one in scoring.part_intervals.get(name, {}).items()}
        known = {part: ends for part, ends in reach.items() if ends is not None}
        if known:
            records[name]["part_intervals"] = known
    return records


def _ends(interval: Interval | None) -> Pair | None:
    """Return the ends of an interval, if there is one and both are numbers."""
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return None
    return interval.low, interval.high


def _comparison(row: Comparison) -> ComparisonRecord:
    difference = number(row.difference)
    # A difference that is not known is no evidence of one.
    p_values = (row.p_value, row.adjusted_p_value) if difference is not None else (1.0, 1.0)
    return ComparisonRecord(
        first=row.first,
        second=row.second,
        difference=difference,
        interval=_ends(row.interval),
        p=p_values[0],
        p_adjusted=p_values[1],
    )


def _baseline(one: Entry, scorings: Sequence[Scoring]) -> Baseline:
    assert one.kind != "system"  # noqa: S101 - for the type checker
    name = one.hypothesis.name
    return Baseline(
        name=name,
        kind=one.kind,
        scores={
            scoring.metric.name: number(scoring.baselines.get(name, math.nan))
            for scoring in scorings
        },
    )
