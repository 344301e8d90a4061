"""Make metrics and score systems: the scoring loop of the package."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines import Engine
from geceval.engines.threads import Later, at_once
from geceval.errors import GecevalError, OptionError, did_you_mean
from geceval.evaluation.entries import Entry, Kind, Progress, silent
from geceval.evaluation.resampling import (
    DEFAULT_RESAMPLING,
    Resampling,
    interval,
    resample_all,
    resampled_rows,
)
from geceval.formats.findings import Findings
from geceval.metrics.base import Metric
from geceval.metrics.options import Jobs, Option, checked, options_of
from geceval.metrics.registry import metric_class
from geceval.metrics.specs import MetricSpec, parse_specs
from geceval.metrics.statistics import Interval, Rows, Score, Statistics
from geceval.model import Corpus, Hypothesis


@dataclass(frozen=True, slots=True)
class Result:
    """The score of one system by one metric, with its statistics.

    Parameters
    ----------
    metric, score, statistics
        The metric, its score with a confidence interval, and the statistics.
    samples
        Scores of the resamples.
    kind
        Whether it is a system, a baseline or an upper bound.
    """

    metric: Metric
    score: Score
    statistics: Statistics
    samples: NDArray[np.float64] | None = None
    kind: Kind = "system"

    @property
    def system(self) -> str:
        """Name of the system, or of a baseline."""
        return self.score.system

    @property
    def interval(self) -> Interval | None:
        """Confidence interval of the score."""
        return self.score.interval


def note_scores(results: Iterable[Result], findings: Findings) -> None:
    """Add the notes of scores to the findings about the inputs."""
    for result in results:
        for note in result.score.notes:
            # A unique code, so that findings are not merged.
            code = f"{result.score.metric}-{result.system}"
            findings.add(code, f"{result.metric.title}: {note}", path=result.system)


def make_metrics(
    specs: Iterable[str | MetricSpec],
    options: Mapping[str, Any] | None = None,
    hints: Mapping[str, Any] | None = None,
    *,
    texts: Mapping[str, str] | None = None,
    skip: Callable[[str, GecevalError], bool] | None = None,
) -> list[Metric]:
    """Make metrics with the options that each of them has.

    Parameters
    ----------
    specs
        Names of metrics, optionally with options; see `geceval.metrics.specs`. A metric that
        occurs more than once is named by its specification.
    options
        Options of all metrics that have them and do not set their own value. An option that none
        of the metrics has is an error.
    hints
        Defaults, such as the number of threads; ignored by metrics without the option.
    texts
        Options of all metrics as text, as on a command line. A choice that some metric does not
        know is for the others; it is an error if none knows it.
    skip
        Called with a metric that cannot be loaded or made, and the reason; returns whether to
        continue without it. Wrong options are never skipped.

    Raises
    ------
    OptionError
        For an option that is unknown or has a wrong value, and for a metric that occurs twice
        with the same options.

    Examples
    --------
    >>> metrics = make_metrics(["M2", "m2(beta=2), gleu"], {"beta": 1})
    >>> [(metric.name, metric.settings().get("beta")) for metric in metrics]
    [('m2', 1), ('m2(beta=2)', 2.0), ('gleu', None)]
    """
    options, texts = options or {}, texts or {}
    offered = {**(hints or {}), **options}
    made: list[_Made] = []
    known: set[str] = set()
    refused: dict[str, OptionError] = {}
    taken: set[str] = set()
    for spec in _parsed(specs):
        try:
            kind = metric_class(spec.name)
            declared = options_of(kind)
            known |= declared.keys()
            given = _known(offered, declared)
            for option, text in _known(texts, declared).items():
                if option not in spec.options:
                    try:
                        given[option] = declared[option].parse(text)
                        taken.add(option)
                    except OptionError as error:
                        if not declared[option].is_choice:
                            raise
                        refused.setdefault(option, error)
            given |= {
                option: declared[option].parse(text) if option in declared else text
                for option, text in spec.options.items()
            }
            effective = {name: option.default for name, option in declared.items()} | given
            _check_given(spec, effective)
            _check_new(spec, effective, made)
            made.append((spec, effective, _made(spec.name, kind, given)))
        except OptionError:
            raise
        except GecevalError as error:
            if skip is None or not skip(spec.name, error):
                raise
    _check_used({*options, *texts} - known, known)
    for option in refused.keys() - taken:
        raise refused[option]
    n_same = Counter(spec.name for spec, *_ in made)
    return [_named(metric, spec) if n_same[spec.name] > 1 else metric for spec, _, metric in made]


_Made: TypeAlias = tuple[MetricSpec, Mapping[str, object], Metric]
"""A specification, the values of all options, and the metric."""


def _known(options: Mapping[str, Any], declared: Mapping[str, Option]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in declared}


def _check_new(spec: MetricSpec, values: Mapping[str, object], made: Iterable[_Made]) -> None:
    if any((spec.name, values) == (other.name, others) for other, others, _ in made):
        raise OptionError(f"the metric {spec} is chosen twice with the same options")


def _check_given(spec: MetricSpec, values: Mapping[str, object]) -> None:
    """Raise an error if an option without a default is missing."""
    missing = [name for name, value in values.items() if value is inspect.Parameter.empty]
    if missing:
        named = ", ".join(f"{name}=…" for name in missing)
        raise OptionError(f"{spec.name} needs {', '.join(missing)}: write {spec.name}({named})")


def _parsed(specs: Iterable[str | MetricSpec]) -> Iterator[MetricSpec]:
    for spec in specs:
        yield from [spec] if isinstance(spec, MetricSpec) else parse_specs(spec)


def _named(metric: Metric, spec: MetricSpec) -> Metric:
    """Name a metric by its options, to distinguish it from others of the same class."""
    if not spec.options:
        return metric
    name = str(spec)
    return metric.with_name(name, f"{metric.title}, {name.partition('(')[2][:-1]}")


def _made(name: str, kind: type[Metric], given: Mapping[str, Any]) -> Metric:
    try:
        return kind(**given)
    except GecevalError:
        raise
    # Errors of third-party metrics are reported like others.
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise GecevalError(f"the metric {name!r} cannot be set up: {what}") from error


def _check_used(unused: AbstractSet[str], known: AbstractSet[str]) -> None:
    """Raise an error for options that no metric has."""
    if unused:
        listing = ", ".join(sorted(unused))
        hint = did_you_mean(min(unused), known)
        raise OptionError(f"none of these metrics has the option {listing}{hint}")


def refuse(problem: str) -> NoReturn:
    """Raise an error for a score that is not finite."""
    raise GecevalError(problem)


def check_finite(
    metric: Metric,
    system: str,
    score: Score,
    interval: Interval | None = None,
    *,
    on_invalid: Callable[[str], object] = refuse,
) -> None:
    """Check that a score, its parts and its interval are finite."""
    numbers = {"score": score.value}
    numbers |= {f"part {name!r} of the score": part for name, part in score.parts.items()}
    if interval is not None:
        numbers["lower end of the interval"] = interval.low
        numbers["upper end of the interval"] = interval.high
    for what, value in numbers.items():
        if not math.isfinite(value):
            on_invalid(
                f"the metric {metric.name!r} gives {value} as the {what} of the system "
                f"{system!r}; a score must be a finite number"
            )
            return


def count(metric: Metric, entry: Entry) -> Statistics:
    """Count one entry, and record what geceval did to its texts."""
    return _recorded(metric, entry, metric.statistics(entry.corpus, entry.hypothesis))


def _recorded(metric: Metric, entry: Entry, statistics: Statistics) -> Statistics:
    """Record how geceval prepared the output, and whether it extracted the gold edits."""
    extraction = entry.corpus.extraction if metric.needs_edits else ""
    return replace(
        statistics,
        tokenized=entry.hypothesis.tokenized,
        preparation=entry.hypothesis.preparation,
        gold_extraction=extraction,
        unit=entry.hypothesis.unit,
    )


def count_all(
    metrics: Sequence[Metric],
    entries: Sequence[Entry],
    *,
    jobs: int = 1,
    engine: Engine | None = None,
    skip: Callable[[Metric, Entry], bool] = lambda *_: False,
    progress: Progress = silent,
) -> Generator[tuple[Metric, Entry, Statistics], None, None]:
    """Count all entries with all metrics that apply to them, metric by metric.

    With background processes, close the generator: as long as it is suspended they run, and the
    main process is limited to one thread.

    Parameters
    ----------
    metrics, entries
        The metrics and the entries; the metrics are prepared for all systems among the entries.
    jobs
        Number of cores; with more than one, slow metrics count in background processes and come
        last.
    engine
        Counts in chunks by the metrics that can, see `geceval.evaluation.chunked`.
    skip
        Returns whether to skip a pair, such as one that an earlier run finished.
    progress
        Shows how many entries are finished.
    """
    from geceval.evaluation.background import Background
    from geceval.evaluation.chunked import can_chunk, count_in_chunks

    tasks = [
        (
            _prepared(metric, entries, progress) if metric.runs_in_background else metric,
            [one for one in entries if one.suits(metric) and not skip(metric, one)],
        )
        for metric in metrics
    ]
    with Background(tasks, jobs=jobs) as background:
        for metric, own in sorted(tasks, key=lambda task: task[0] in background):
            if metric in background:
                for one in progress([background], f"waiting for {metric.title}"):
                    for entry, statistics in zip(own, one.take(metric), strict=True):
                        yield metric, entry, _recorded(metric, entry, statistics)
                continue
            is_chunked = engine is not None and can_chunk(metric, own)
            if not is_chunked:
                _work_together(metric, own, progress)
            prepared = _prepared(metric, entries, progress)
            if engine is not None and is_chunked:
                counted = count_in_chunks(prepared, own, engine, progress=progress)
                for entry, statistics in zip(own, counted, strict=True):
                    yield prepared, entry, _recorded(prepared, entry, statistics)
            else:
                for entry in progress(own, f"scoring by {prepared.title}"):
                    yield prepared, entry, count(prepared, entry)


def _work_together(metric: Metric, entries: Sequence[Entry], progress: Progress) -> None:
    """Do what takes less time for all outputs together."""
    steps = metric.steps_for([(entry.corpus, entry.hypothesis) for entry in entries])
    if steps:
        for step in progress(steps, f"extracting edits for {metric.title}"):
            step()


def _prepared(metric: Metric, entries: Sequence[Entry], progress: Progress) -> Metric:
    """Prepare a metric for the systems that are scored together."""
    systems = [entry for entry in entries if entry.kind == "system"]
    if not systems:
        return metric
    hypotheses = [entry.hypothesis for entry in systems]
    return metric.prepared_for(systems[0].corpus, progress(hypotheses, f"preparing {metric.title}"))


def score_subset(
    metric: Metric,
    system: str,
    statistics: Statistics,
    rows: Rows,
    on_invalid: Callable[[str], object] = refuse,
) -> Score:
    """Score a subset of the sentences of a system, from the statistics of all."""
    score = metric.aggregate(statistics.take(rows))
    check_finite(metric, system, score, on_invalid=on_invalid)
    return score


@checked
def evaluate(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    baselines: Sequence[Entry] = (),
    jobs: Jobs = 1,
    engine: Engine | None = None,
    on_invalid: Callable[[str], object] = refuse,
    on_metric: Callable[[Sequence[Result]], object] = lambda _: None,
    later: Later = at_once,
    progress: Progress = silent,
) -> list[Result]:
    """Score systems and baselines, metric by metric.

    Parameters
    ----------
    corpus, hypotheses, metrics
        The gold standard, the systems and the metrics.
    resampling
        Settings of the confidence intervals of systems; baselines have none.
    baselines
        Other outputs, each with its own gold standard.
    jobs
        Number of cores; with more than one, slow metrics count in background processes.
    engine
        Counts in chunks by the metrics that can; the scores are the same.
    on_invalid
        Called with a message for each result that is not finite; by default it raises an error.
    on_metric
        Called with all results of a metric when they are there.
    later
        Scores a metric while the next ones count, such as `geceval.engines.threads.Pool.later`.
    progress
        Shows how many systems are finished.

    Raises
    ------
    GecevalError
        If a score, a part of one or an interval is not finite.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis, Sentence, Annotation, Edit
    >>> from geceval.metrics import metric_class
    >>> gold = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes"), (gold,)),))
    >>> ours = Hypothesis("ours", (("I", "like"),))
    >>> evaluate(corpus, [ours], [metric_class("m2")()])[0].score.value
    1.0
    """
    entries = [*(Entry(corpus, hypothesis) for hypothesis in hypotheses), *baselines]
    scoring = _Scoring(resampling, on_invalid)

    def scored(counted: Sequence[tuple[Metric, Entry, Statistics]]) -> list[Result]:
        metric = counted[0][0]
        results = scoring.results(
            metric,
            [(entry.hypothesis.name, entry.kind, statistics) for _, entry, statistics in counted],
        )
        on_metric(results)
        return results

    with closing(
        count_all(metrics, entries, jobs=jobs, engine=engine, progress=progress)
    ) as counted:
        tasks = [
            later(partial(scored, list(group)))
            for _, group in groupby(counted, key=lambda one: one[0].name)
        ]
    names = [metric.name for metric in metrics]
    results = [result for task in tasks for result in task()]
    return sorted(results, key=lambda result: names.index(result.metric.name))


def score_counted(
    counted: Iterable[tuple[Metric, str, Statistics]],
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    on_invalid: Callable[[str], object] = refuse,
) -> list[Result]:
    """Score systems whose statistics are known.

    Parameters
    ----------
    counted
        Metrics, names of systems, and their statistics.
    resampling, on_invalid
        As for `evaluate`.
    """
    scoring = _Scoring(resampling, on_invalid)
    return [
        result
        for metric, system, statistics in counted
        for result in scoring.results(metric, [(system, "system", statistics)])
    ]


class _Scoring:
    """Computes scores and their intervals; all systems have the same resamples."""

    def __init__(self, resampling: Resampling, on_invalid: Callable[[str], object]) -> None:
        self._resampling = resampling
        self._on_invalid = on_invalid
        self._rows: Sequence[Rows] = ()

    def results(
        self, metric: Metric, counted: Sequence[tuple[str, Kind, Statistics]]
    ) -> list[Result]:
        """Return the scores by one metric, given names and statistics."""
        scores = [
            replace(metric.aggregate(statistics), system=name, score_name=metric.score_name)
            for name, _, statistics in counted
        ]
        samples = iter(
            self._samples(metric, [one for _, kind, one in counted if self._resamples(kind, one)])
        )
        return [
            self._checked(
                Result(
                    metric,
                    score,
                    statistics,
                    next(samples) if self._resamples(kind, statistics) else None,
                    kind,
                )
            )
            for score, (_, kind, statistics) in zip(scores, counted, strict=True)
        ]

    def _resamples(self, kind: Kind, statistics: Statistics) -> bool:
        """Whether a score has an interval."""
        return kind == "system" and bool(self._resampling.n and len(statistics))

    def _samples(
        self, metric: Metric, systems: Sequence[Statistics]
    ) -> Sequence[NDArray[np.float64]]:
        """Score the resamples of systems."""
        if not systems:
            return ()
        self._rows = self._rows or resampled_rows(len(systems[0]), self._resampling)
        return resample_all(metric, systems, self._rows)

    def _checked(self, result: Result) -> Result:
        """Return a result with its interval, after checking that all numbers are finite."""
        score, ends = result.score, None
        if result.samples is not None:
            ends = interval(result.samples, self._resampling.level, around=score.value)
        check_finite(result.metric, result.system, score, ends, on_invalid=self._on_invalid)
        return replace(result, score=replace(score, interval=ends))
