"""Scoring systems: any number of them, with any number of metrics, in one call."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from geceval.errors import GecevalError, OptionError, did_you_mean
from geceval.evaluation.resampling import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Interval,
    Level,
    OptionalResamples,
    bootstrap,
)
from geceval.formats.findings import Findings
from geceval.metrics.base import Metric, Score, Statistics
from geceval.metrics.options import Option, Seed, checked, options_of
from geceval.metrics.registry import get_metric
from geceval.metrics.specs import MetricSpec, parse_specs
from geceval.model import Corpus, Hypothesis

Job: TypeAlias = tuple[Metric, Hypothesis]


@dataclass(frozen=True, slots=True)
class Result:
    """The score of one system by one metric, with all that it comes from."""

    system: str
    metric: Metric
    score: Score
    interval: Interval | None
    statistics: Statistics

    def fault(self) -> str | None:
        """Say what is no number, if anything is: it can be neither ranked nor written down."""
        numbers = {"score": self.score.value}
        numbers |= {f"part {name!r} of the score": part for name, part in self.score.parts.items()}
        if self.interval is not None:
            numbers["lower end of the interval"] = self.interval.low
            numbers["upper end of the interval"] = self.interval.high
        for what, value in numbers.items():
            if not math.isfinite(value):
                return (
                    f"the metric {self.metric.name!r} gives {value} as the {what} of the system "
                    f"{self.system!r}; a score must be a finite number"
                )
        return None

    def record(self) -> dict[str, Any]:
        """Return what machines read; the form is kept stable."""
        interval = None if self.interval is None else [self.interval.low, self.interval.high]
        record = {
            "system": self.system,
            "metric": self.score.metric,
            "score": self.score.value,
            "parts": dict(self.score.parts),
            "interval": interval,
            "signature": self.score.signature,
        }
        return {**record, "notes": list(self.score.notes)} if self.score.notes else record


def note_scores(results: Iterable[Result], findings: Findings) -> None:
    """Add what people have to know about scores to what was noticed about the inputs."""
    for result in results:
        for note in result.score.notes:
            # A kind of its own for each, so that none is told as one more like another.
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
    """Make metrics, giving each the options that it knows.

    Parameters
    ----------
    specs
        Metrics, with options of their own where wanted; see `geceval.metrics.specs`. A metric
        that occurs more than once is named by its specification.
    options
        Options of all metrics that know them and do not have their own value. One that none of
        the metrics knows is an error.
    hints
        Defaults, such as the number of threads; ignored where not known.
    texts
        More options of all metrics, as they are written on a command line.
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
    for spec in _parsed(specs):
        try:
            kind = get_metric(spec.name)
            declared = options_of(kind)
            known |= declared.keys()
            given = _known(offered, declared)
            given |= {
                option: declared[option].parse(text) if option in declared else text
                for option, text in {**_known(texts, declared), **spec.options}.items()
            }
            effective = {name: option.default for name, option in declared.items()} | given
            _check_new(spec, effective, made)
            made.append((spec, effective, _made(spec.name, kind, given)))
        except OptionError:
            raise
        except GecevalError as error:
            if skip is None or not skip(spec.name, error):
                raise
    _check_used({*options, *texts} - known, known)
    n_same = Counter(spec.name for spec, *_ in made)
    return [_named(metric, spec) if n_same[spec.name] > 1 else metric for spec, _, metric in made]


_Made: TypeAlias = tuple[MetricSpec, Mapping[str, object], Metric]
"""What was asked for, the values of all options, and the metric."""


def _known(options: Mapping[str, Any], declared: Mapping[str, Option]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in declared}


def _check_new(spec: MetricSpec, values: Mapping[str, object], made: Iterable[_Made]) -> None:
    if any((spec.name, values) == (other.name, others) for other, others, _ in made):
        raise OptionError(f"the metric {spec} is chosen twice with the same options")


def _parsed(specs: Iterable[str | MetricSpec]) -> Iterator[MetricSpec]:
    for spec in specs:
        yield from [spec] if isinstance(spec, MetricSpec) else parse_specs(spec)


def _named(metric: Metric, spec: MetricSpec) -> Metric:
    """Name a metric by its own options, which set it apart from others of its kind."""
    if spec.options:
        metric.name = str(spec)
        metric.title = f"{metric.title}, {metric.name.partition('(')[2][:-1]}"
    return metric


def _made(name: str, kind: type[Metric], given: Mapping[str, Any]) -> Metric:
    try:
        return kind(**given)
    except GecevalError:
        raise
    # What goes wrong in a metric of another package is told like all that goes wrong with it.
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise GecevalError(f"the metric {name!r} cannot be set up: {what}") from error


def _check_used(unused: AbstractSet[str], known: AbstractSet[str]) -> None:
    """Refuse options that reached no metric."""
    if unused:
        listing = ", ".join(sorted(unused))
        hint = did_you_mean(min(unused), known)
        raise OptionError(f"none of these metrics has the option {listing}{hint}")


def statistics_of(metric: Metric, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
    """Count for a score whose signature says how the output came by its tokens."""
    return replace(metric.statistics(corpus, hypothesis), tokenized=hypothesis.tokenized)


@checked
def evaluate(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    n_resamples: OptionalResamples = DEFAULT_RESAMPLES,
    level: Level = DEFAULT_LEVEL,
    seed: Seed = DEFAULT_SEED,
    progress: Callable[[Sequence[Job]], Iterable[Job]] = iter,
) -> list[Result]:
    """Score systems, metric by metric.

    Parameters
    ----------
    corpus
        The gold standard.
    hypotheses
        The systems.
    metrics
        The metrics.
    n_resamples
        Bootstrap resamples for the confidence intervals; 0 for none.
    level, seed
        Confidence level and seed of the intervals.
    progress
        Wraps the list of jobs to show how many are done.

    Raises
    ------
    GecevalError
        Where a metric gives a score, a part of one or an interval that is not finite.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis, Sentence, Annotation, Edit
    >>> from geceval.metrics import get_metric
    >>> reading = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes"), (reading,)),))
    >>> ours = Hypothesis("ours", (("I", "like"),))
    >>> evaluate(corpus, [ours], [get_metric("m2")()])[0].record()["score"]
    1.0
    """
    results = []
    for metric, hypothesis in progress([(m, h) for m in metrics for h in hypotheses]):
        statistics = statistics_of(metric, corpus, hypothesis)
        interval = (
            bootstrap(metric, statistics, n_resamples=n_resamples, level=level, seed=seed)
            if n_resamples and len(statistics)
            else None
        )
        score = metric.aggregate(statistics)
        result = Result(hypothesis.name, metric, score, interval, statistics)
        if (fault := result.fault()) is not None:
            raise GecevalError(fault)
        results.append(result)
    return results
