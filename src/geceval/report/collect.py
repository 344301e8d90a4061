"""Compute everything that a report shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain

from geceval import __version__
from geceval.engines.blas import one_blas_thread
from geceval.engines.process import release_memory
from geceval.errors import GecevalError
from geceval.evaluation.attribution import check_attributable
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import Result, evaluate, note_scores
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling, resampled_rows
from geceval.formats import Findings
from geceval.formats.labels import Labeling
from geceval.metrics.base import Metric, check_counts, check_readings
from geceval.metrics.options import Jobs, checked
from geceval.model import Corpus, Edit, Hypothesis, MissingPolicy, Tokens
from geceval.report.additions import (
    StoredResults,
    stored_warnings,
    with_stored_inputs,
)
from geceval.report.background_tests import BackgroundTests
from geceval.report.baselines import equal_references, find_baselines
from geceval.report.edit_shares import attribution_record, no_edits, share_scores
from geceval.report.error_types import count_types
from geceval.report.input_files import File, describe_inputs, warnings_of
from geceval.report.metric_agreement import agreement
from geceval.report.results import (
    KIND,
    SCHEMA,
    Baseline,
    MetricRecord,
    Partition,
    ResamplingSettings,
    Results,
    number,
)
from geceval.report.retyping import add_retyped, has_foreign_types
from geceval.report.score_records import (
    SystemResults,
    comparison_record,
    first_of,
    group_by_metric,
    influence_records,
    parts_shown,
    power_records,
)
from geceval.report.shown_edits import marks_edits, show_edits
from geceval.report.subsets import score_labelings, score_subsets


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
    labelings: Sequence[Labeling] = (),
    attribution: Metric | None = None,
    has_equal_references: bool = False,
    known: StoredResults | None = None,
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> Results:
    """Score systems and collect everything that a report shows.

    Parameters
    ----------
    corpus, hypotheses, metrics
        The gold standard, the systems, whose names must be unique, and the metrics.
    findings
        Findings about the inputs.
    files
        The input files.
    resampling
        Settings of intervals and paired tests. Tests of many pairs use more resamples; see
        `geceval.evaluation.resampling.enough_resamples`.
    title
        Heading of the report.
    missing
        Treatment of absent annotators where annotators are compared with each other.
    labelings
        Labels of the sentences; their slices are scored, too.
    attribution
        A metric whose sentence scores are attributed to the edits of systems.
    has_equal_references
        Whether systems are also scored against one annotator less, as annotators are.
    known
        Results of the first of these systems, on the same data and with the same settings. What
        they have is not computed again; see `geceval.report.additions`.
    jobs
        Number of cores; with more than one, slow metrics count in background processes.
    progress
        Shows how many items of each stage are finished.

    Examples
    --------
    >>> from geceval import Annotation, Edit, Sentence
    >>> from geceval.metrics import metric_class
    >>> gold = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes"), (gold,)),))
    >>> ours = Hypothesis("ours", (("I", "like"),))
    >>> collect(corpus, [ours], [metric_class("m2")()])["outcomes"]
    {'ours': {'correct': 1, 'wrong fix': 0, 'wrong': 0, 'missed': 0}}
    """
    if not hypotheses or not metrics or not len(corpus):
        raise GecevalError("a report needs sentences, at least one system and one metric")
    for hypothesis in hypotheses:
        check_counts(corpus, hypothesis)
        check_readings(hypothesis)
    if attribution is not None:
        _check_attribution(attribution, metrics)
    findings = Findings() if findings is None else findings
    baselines = list(find_baselines(corpus, missing=missing))
    tests = resampling.for_comparisons(math.comb(len(hypotheses), 2))
    problems: list[str] = []
    problems_of_subsets: list[str] = []
    # All metrics use the same samples of sentences, as long as someone has them.
    rows = resampled_rows(len(corpus), resampling) if resampling.n else None
    beside = BackgroundTests(tests, resampling, known, jobs=jobs)
    with one_blas_thread(), beside:
        results = evaluate(
            corpus,
            hypotheses,
            metrics,
            # A paired bootstrap tests the differences of the samples behind the intervals.
            resampling=tests if tests.n and tests.test == "bootstrap" else resampling,
            baselines=baselines,
            jobs=jobs,
            on_invalid=problems.append,
            on_metric=beside.add,
            later=beside.later,
            progress=progress,
        )
        by_metric = group_by_metric(results)
        baseline_records = [_baseline(one, results, by_metric) for one in baselines]
        # What follows is about systems.
        del results
        release_memory()
        subsets = beside.later(
            partial(
                _subsets,
                corpus,
                by_metric,
                labelings,
                resampling=resampling,
                on_invalid=problems_of_subsets.append,
                progress=beside.shown(progress),
            )
        )
        shown = show_edits(corpus, hypotheses, by_metric, progress)
        types = {
            name: tables
            for name, systems in by_metric.items()
            if (tables := count_types(corpus, hypotheses, systems, findings)) is not None
        }
        influence = {
            name: influence_records(systems, progress) for name, systems in by_metric.items()
        }
        slices = subsets()
        tested = beside.finish(list(by_metric), progress)
    del rows
    release_memory()
    shares = (
        None
        if attribution is None
        else share_scores(corpus, hypotheses, shown.sentences, attribution, findings, progress)
    )
    for problem in (*problems, *problems_of_subsets):
        findings.add("no-number", f"{problem}, so it is left blank")
    note_scores(chain.from_iterable(one.values() for one in by_metric.values()), findings)
    records = {
        name: [
            comparison_record(row, len(corpus), tests, own.known.detectable)
            for row in own.comparisons
        ]
        for name, own in tested.items()
    }
    document = Results(
        schema=SCHEMA,
        kind=KIND,
        version=__version__,
        title=title,
        inputs=with_stored_inputs(describe_inputs(files, corpus, hypotheses), known),
        warnings=warnings_of(findings) + stored_warnings(known),
        settings=ResamplingSettings(
            level=resampling.level,
            resamples=resampling.n,
            test_resamples=tests.n,
            seed=resampling.seed,
            test=resampling.test,
        ),
        metrics=[
            _metric(first_of(systems), has_edits=name in types)
            for name, systems in by_metric.items()
        ],
        edit_metric=shown.metric,
        systems=[hypothesis.name for hypothesis in hypotheses],
        scores={name: own.scores for name, own in tested.items()},
        comparisons=records,
        power=power_records(records, resampling.level),
        influence=influence,
        baselines=baseline_records,
        types=types,
        outcomes=shown.outcomes,
        slices=slices,
        agreement=agreement(by_metric),
        frequent=shown.frequent,
        sentences=shown.sentences,
    )
    if attribution is not None and shares is not None:
        document["attribution"] = attribution_record(attribution)
        for name, own in shares.items():
            document["sentences"]["systems"][name]["shares"] = own
    if shown.chunk_metric is not None:
        document["chunk_metric"] = shown.chunk_metric
    if shown.metric is not None:
        _add_retyped(document, first_of(by_metric[shown.metric]).metric, baselines)
    if has_equal_references:
        document["equal_references"] = equal_references(
            corpus, hypotheses, metrics, missing=missing, jobs=jobs, progress=progress
        )
    return document


def _check_attribution(metric: Metric, metrics: Iterable[Metric]) -> None:
    """Raise an error if a score cannot be shared among edits, or if no metric has edits."""
    check_attributable(metric)
    if not any(map(marks_edits, metrics)):
        raise no_edits()


def _subsets(
    corpus: Corpus,
    by_metric: Mapping[str, SystemResults],
    labelings: Sequence[Labeling],
    *,
    resampling: Resampling,
    on_invalid: Callable[[str], object],
    progress: Progress,
) -> list[Partition]:
    """Score subsets by properties of sentences, and by labels."""
    return [
        *score_subsets(corpus, by_metric, on_invalid=on_invalid, progress=progress),
        *score_labelings(
            labelings, by_metric, resampling=resampling, on_invalid=on_invalid, progress=progress
        ),
    ]


def _add_retyped(document: Results, metric: Metric, baselines: Iterable[Entry]) -> None:
    """Type the gold edits as the metric types those of systems, if they have other types."""
    annotator = metric.type_annotator
    if annotator is None or not has_foreign_types(document):
        return
    known: dict[tuple[Tokens, Tokens], tuple[Edit, ...]] = {}
    for entry in baselines:
        if entry.kind == "ceiling" and entry.suits(metric):
            edits = metric.typed_edits(entry.corpus, entry.hypothesis)
            if edits is not None:
                pairs = zip(entry.corpus.sources, entry.hypothesis, strict=True)
                known |= zip(pairs, edits, strict=True)
    add_retyped(document, annotator, metric.beta or 0.5, known)


def _metric(result: Result, *, has_edits: bool) -> MetricRecord:
    metric = result.metric
    return MetricRecord(
        name=metric.name,
        title=metric.title,
        score_name=metric.score_name,
        signature=result.score.signature,
        parts=parts_shown(result),
        has_edits=has_edits,
        beta=metric.beta,
    )


def _baseline(entry: Entry, results: Sequence[Result], metrics: Iterable[str]) -> Baseline:
    name = entry.hypothesis.name
    scores = {
        one.metric.name: one.score.value
        for one in results
        if one.kind == entry.kind and one.system == name
    }
    return Baseline(
        name=name,
        kind=entry.kind,
        scores={metric: number(scores.get(metric, math.nan)) for metric in metrics},
    )
