"""Computing everything that a report shows, once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from geceval import __version__
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import note_scores
from geceval.evaluation.ranking import clusters, ranks
from geceval.evaluation.resampling import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Comparison,
    Interval,
    Level,
    OptionalResamples,
    Test,
)
from geceval.formats import Findings
from geceval.metrics.base import Metric, ShowsEdits
from geceval.metrics.options import Jobs, Seed, checked
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.report.baselines import Contestant
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
    Results,
    ScoreRecord,
    Settings,
    number,
)
from geceval.report.sentences import EditView, view_edits, write_sentences
from geceval.report.slices import slices
from geceval.report.system_scores import Chance, Progress, Scoring, parts_shown, score_all, silent

PREFERRED = ("errant", "m2")
"""Whose view of edits is shown, if they are scored."""


@checked
def collect(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    findings: Findings | None = None,
    files: Sequence[File] = (),
    n_resamples: OptionalResamples = DEFAULT_RESAMPLES,
    level: Level = DEFAULT_LEVEL,
    seed: Seed = DEFAULT_SEED,
    test: Test = "randomization",
    title: str = "",
    missing: MissingPolicy = "absent",
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> Results:
    """Score systems and gather all that a report shows.

    Parameters
    ----------
    corpus
        The gold standard.
    hypotheses
        The systems, each with a name of its own.
    metrics
        The metrics.
    findings
        What was noticed about the inputs.
    files
        The files that they come from.
    n_resamples, level, seed, test
        How intervals and paired tests are made; without resamples there are none. Tests of many
        pairs take more resamples, see `geceval.evaluation.resampling.enough_resamples`.
    title
        Heading of the report.
    missing
        How an annotator without a line is read where annotators are held against each other.
    jobs
        With more than one, slow metrics count in so many processes of their own.
    progress
        Shows how far it is.

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
    chance = Chance(n_resamples, level, seed, test)
    scorings, contestants = score_all(
        corpus, hypotheses, metrics, chance, missing=missing, jobs=jobs, progress=progress
    )
    shown = _shown(scorings)
    views = _views(corpus, hypotheses, shown, progress)
    types = {
        scoring.metric.name: count_types(corpus, hypotheses, scoring)
        for scoring in scorings
        if isinstance(scoring.metric, ShowsEdits)
    }
    findings = findings or Findings()
    note_foreign_types(types, findings)
    _note_faults(scorings, findings)
    for scoring in scorings:
        note_scores(scoring.results.values(), findings)
    return Results(
        schema=SCHEMA,
        kind=KIND,
        version=__version__,
        title=title,
        inputs=describe_inputs(files, corpus, hypotheses),
        warnings=warnings_of(findings),
        settings=Settings(
            level=level,
            resamples=n_resamples,
            test_resamples=chance.test_resamples(len(hypotheses)),
            seed=seed,
            test=test,
        ),
        metrics=[_metric(scoring) for scoring in scorings],
        edit_metric=None if shown is None else shown.metric.name,
        systems=[hypothesis.name for hypothesis in hypotheses],
        scores={scoring.metric.name: _scores(scoring, level) for scoring in scorings},
        comparisons={
            scoring.metric.name: [_comparison(row) for row in scoring.comparisons]
            for scoring in scorings
        },
        baselines=[_baseline(one, scorings, place) for place, one in enumerate(contestants)],
        types=types,
        outcomes={name: tally(view.judgments) for name, view in views.items()},
        slices=slices(corpus, scorings, progress),
        agreement=agreement(scorings),
        frequent={
            name: frequent(corpus.sources, view.views, view.judgments)
            for name, view in views.items()
        },
        sentences=write_sentences(corpus, hypotheses, scorings, shown, views),
    )


def _note_faults(scorings: Sequence[Scoring], findings: Findings) -> None:
    """Warn of scores that are no numbers, which are left blank."""
    for scoring in scorings:
        for result in scoring.results.values():
            if (fault := result.fault()) is not None:
                findings.add("no-number", f"{fault}, so it is left blank")


def _shown(scorings: Sequence[Scoring]) -> Scoring | None:
    """Choose the metric whose view of edits is shown."""
    showing = {one.metric.name: one for one in scorings if isinstance(one.metric, ShowsEdits)}
    return next((showing[name] for name in (*PREFERRED, *showing) if name in showing), None)


def _views(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], shown: Scoring | None, progress: Progress
) -> dict[str, EditView]:
    if shown is None:
        return {}
    return {
        hypothesis.name: view_edits(corpus, hypothesis, shown.results[hypothesis.name])
        for hypothesis in progress(hypotheses, "judging edits")
    }


def _metric(scoring: Scoring) -> MetricRecord:
    metric, first = scoring.metric, next(iter(scoring.results.values()))
    return MetricRecord(
        name=metric.name,
        title=metric.title,
        score_name=metric.score_name,
        signature=first.score.signature,
        parts=list(parts_shown(metric, first.score)),
        has_edits=isinstance(metric, ShowsEdits),
        beta=getattr(metric, "beta", None),
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


def _baseline(one: Contestant, scorings: Sequence[Scoring], place: int) -> Baseline:
    return Baseline(
        name=one.output.name,
        kind=one.kind,
        scores={scoring.metric.name: number(scoring.baselines[place]) for scoring in scorings},
    )
