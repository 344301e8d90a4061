"""Scoring systems: any number of them, with any number of metrics, in one call."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from geceval.metrics import get_metric
from geceval.metrics.base import Metric, Score, Statistics
from geceval.metrics.options import Seed, checked, options_of
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
    names: Iterable[str],
    options: Mapping[str, Any] | None = None,
    hints: Mapping[str, Any] | None = None,
    *,
    texts: Mapping[str, str] | None = None,
    skip: Callable[[str, GecevalError], bool] | None = None,
) -> list[Metric]:
    """Make metrics by name, giving each the options that it knows.

    Parameters
    ----------
    names
        Names of metrics.
    options
        What the user asked for; an option that none of the metrics knows is an error.
    hints
        What changes no number, such as the number of threads; ignored where not known.
    texts
        More options, as they are written on a command line; what they mean follows from how
        each metric declares them.
    skip
        Is told of a metric that cannot be loaded or made, and why; returns whether to go on
        without it. Wrong options are never skipped.

    Raises
    ------
    OptionError
        For an option that is unknown or has a wrong value.

    Examples
    --------
    >>> metrics = make_metrics(["M2", "gleu"], {"beta": 1}, texts={"exact": "yes"})
    >>> metrics[0].settings()["beta"], metrics[1].settings()["references"]
    (1, 'expected')
    """
    options, hints, texts = options or {}, hints or {}, texts or {}
    offered = {**hints, **options}
    unused = {**options, **texts}.keys()
    metrics = []
    known: set[str] = set()
    for name in names:
        try:
            kind = get_metric(name)
            declared = options_of(kind)
            known |= declared.keys()
            given = {option: offered[option] for option in declared if option in offered}
            given |= {
                option: declared[option].parse(texts[option]) for option in texts.keys() & declared
            }
            metrics.append(_made(name, kind, given))
        except OptionError:
            raise
        except GecevalError as error:
            if skip is None or not skip(name, error):
                raise
    _check_used(unused - known, known)
    return metrics


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
