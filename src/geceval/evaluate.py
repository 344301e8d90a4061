"""Scoring systems: any number of them, with any number of metrics, in one call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from geceval.errors import GecevalError
from geceval.formats.findings import Findings
from geceval.metrics import get_metric
from geceval.metrics.base import Metric, Score, Statistics
from geceval.model import Corpus, Hypothesis
from geceval.stats import DEFAULT_LEVEL, DEFAULT_RESAMPLES, DEFAULT_SEED, Interval, bootstrap

Job: TypeAlias = tuple[Metric, Hypothesis]


@dataclass(frozen=True, slots=True)
class Result:
    """The score of one system by one metric, with all that it comes from."""

    system: str
    metric: Metric
    score: Score
    interval: Interval | None
    statistics: Statistics

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
    names: Iterable[str], options: Mapping[str, Any], hints: Mapping[str, Any] | None = None
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
    """
    offered = {**(hints or {}), **options}
    unused = set(options)
    metrics = []
    for name in names:
        kind = get_metric(name)
        known = inspect.signature(kind).parameters.keys() & offered.keys()
        unused -= known
        metrics.append(kind(**{option: offered[option] for option in known}))
    if unused:
        listing = ", ".join(sorted(unused))
        raise GecevalError(f"none of these metrics has the option {listing}")
    return metrics


def evaluate(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    n_resamples: int = DEFAULT_RESAMPLES,
    level: float = DEFAULT_LEVEL,
    seed: int = DEFAULT_SEED,
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
        statistics = metric.statistics(corpus, hypothesis)
        interval = (
            bootstrap(metric, statistics, n_resamples=n_resamples, level=level, seed=seed)
            if n_resamples and len(statistics)
            else None
        )
        score = metric.aggregate(statistics)
        results.append(Result(hypothesis.name, metric, score, interval, statistics))
    return results
