"""What jobs do, in a worker process that knows nothing of the database.

Files lie in the current folder under names that the server gave them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from geceval.errors import GecevalError, GecevalWarning
from geceval.serve.configuration import ServerLimits

if TYPE_CHECKING:
    from geceval.evaluation.scorer import Scorer
    from geceval.formats import Findings
    from geceval.model import Hypothesis

Item = TypeVar("Item")

PAGE = "page.html"
"""Name of the file with the page of a report."""

SOURCE = "source.txt"
"""Name of the file with the source sentences of a task."""

HIDDEN_ERROR = (
    "the output could not be scored against the hidden gold standard; the organizers see why"
)


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """What a worker process is asked to do.

    Parameters
    ----------
    kind, payload
        Kind of the job, and its arguments.
    gold
        File names of a gold standard, or of a source and its references.
    outputs
        File names of outputs, by the names of the systems.
    limits
        Limits on the files.
    """

    kind: str
    payload: dict[str, Any]
    gold: list[str]
    outputs: dict[str, str]
    limits: ServerLimits


@dataclass(frozen=True, slots=True)
class WorkResult:
    """What a worker process has found: a JSON document, and the samples of each metric."""

    document: dict[str, Any]
    samples: dict[str, bytes] = field(default_factory=dict)


class WorkError(GecevalError):
    """A job that failed: what its owner may know, and the whole reason."""

    def __init__(self, message: str, detail: str) -> None:
        self.detail = detail
        super().__init__(message)


class WorkProgress:
    """Passes the progress of the stages of a job on.

    Parameters
    ----------
    tell
        Called with the stage, the number of finished items and that of all items.
    """

    def __init__(self, tell: Callable[[str, int, int], None]) -> None:
        self._tell = tell

    def __call__(self, items: Sequence[Item], stage: str) -> Iterable[Item]:
        """Return an iterable over the items of a stage."""
        for number, item in enumerate(items):
            self._tell(stage, number, len(items))
            yield item


def do(order: WorkOrder, progress: WorkProgress) -> WorkResult:
    """Do a job.

    Raises
    ------
    GecevalError
        If the files are wrong; the message is for the person who sent them.
    """
    with warnings.catch_warnings():
        # What is worth telling is among the findings.
        warnings.simplefilter("ignore", GecevalWarning)
        return _KINDS[order.kind](order, progress)


def _check(order: WorkOrder, progress: WorkProgress) -> WorkResult:
    """Validate a gold standard and outputs, before they are scored."""
    from geceval.report.input_files import warnings_of
    from geceval.validation.check import validate_files

    names = {file: system for system, file in order.outputs.items()}
    files = [*order.gold, *order.outputs.values()]
    list(progress(files, "validating"))
    report = validate_files(files)
    for loaded in report.loaded:
        _check_size(loaded.path, (sent.tokens for sent in loaded.sentences), order.limits)
    return WorkResult(
        {
            "is_valid": report.is_valid,
            "files": [
                {
                    "file": one.path,
                    "system": names.get(one.path),
                    "format": one.title,
                    "sentences": one.statistics.sentences,
                    "tokens": one.statistics.tokens,
                    "edits": one.statistics.edits,
                }
                for one in report.files
            ],
            "findings": warnings_of(report.findings),
        }
    )


def _report(order: WorkOrder, progress: WorkProgress) -> WorkResult:
    """Score outputs and render a report."""
    from geceval.api import write_report

    write_report(
        PAGE,
        {name: Path(file) for name, file in order.outputs.items()},
        *_gold_arguments(order.gold),
        metrics=_metrics(order.payload["metrics"]),
        lang=order.payload["lang"],
        tokenize=order.payload.get("tokenize", False),
        title=order.payload["title"],
        progress=progress,
    )
    return WorkResult({"title": order.payload["title"]})


def _task(order: WorkOrder, progress: WorkProgress) -> WorkResult:
    """Validate the gold standard of a task, and score its source, to see that it can be done."""
    from geceval.evaluation.evaluate import evaluate
    from geceval.evaluation.resampling import Resampling
    from geceval.model import Hypothesis

    scorer = _scorer(order)
    sources = scorer.corpus.sources
    _check_size("the gold standard", sources, order.limits)
    if pooling := [metric.name for metric in scorer.metrics if metric.pools_systems]:
        raise GecevalError(
            f"{', '.join(pooling)} scores several systems together, so that a new submission "
            "would change the scores of others: choose other metrics for a task"
        )
    unchanged = Hypothesis("unchanged", tuple(sources))
    evaluate(
        scorer.corpus, [unchanged], scorer.metrics, resampling=Resampling(0), progress=progress
    )
    Path(SOURCE).write_text("".join(f"{' '.join(tokens)}\n" for tokens in sources), "utf-8")
    return WorkResult({"sentences": len(sources), "findings": scorer.findings.summary(notes=False)})


def _submission(order: WorkOrder, progress: WorkProgress) -> WorkResult:
    """Score a submission."""
    is_hidden = order.payload["is_hidden"]
    with _concealed(is_hidden):
        scorer = _scorer(order)
    hypothesis, findings = _output(order, scorer)
    with _concealed(is_hidden):
        return _scored(scorer, hypothesis, findings.summary(notes=False), progress)


def _output(order: WorkOrder, scorer: Scorer) -> tuple[Hypothesis, Findings]:
    """Read an output and compare it with the source, never with the gold standard."""
    from geceval.evaluation.preparation import prepare_outputs
    from geceval.formats import Findings, load_hypothesis

    findings = Findings()
    ((name, file),) = order.outputs.items()
    hypothesis = load_hypothesis(file, name=name, findings=findings)
    _check_size(file, hypothesis.sentences, order.limits)
    (hypothesis,) = prepare_outputs(scorer.gold, [hypothesis], findings=findings, paths=[file])
    return hypothesis, findings


def _scored(
    scorer: Scorer, hypothesis: Hypothesis, findings: list[str], progress: WorkProgress
) -> WorkResult:
    from geceval.evaluation.evaluate import evaluate

    results = evaluate(
        scorer.corpus,
        [hypothesis],
        scorer.metrics,
        resampling=scorer.resampling,
        progress=progress,
    )
    scores, samples = [], {}
    for result in results:
        score = result.score
        if score.interval is None or result.samples is None:
            raise GecevalError(f"the metric {score.metric} has no confidence interval")
        scores.append(
            {
                "metric": result.metric.name,
                "title": result.metric.title,
                "score_name": result.metric.score_name,
                "value": float(score.value),
                "low": float(score.interval.low),
                "high": float(score.interval.high),
                "parts": {name: _plain(part) for name, part in score.parts.items()},
                "signature": score.signature,
            }
        )
        samples[result.metric.name] = result.samples.astype("<f8").tobytes()
    return WorkResult({"scores": scores, "findings": findings}, samples)


_KINDS: dict[str, Callable[[WorkOrder, WorkProgress], WorkResult]] = {
    "check": _check,
    "report": _report,
    "task": _task,
    "submission": _submission,
}


def _scorer(order: WorkOrder) -> Scorer:
    from geceval.evaluation.resampling import DEFAULT_RESAMPLES
    from geceval.evaluation.scorer import Scorer

    sources, references = _gold_arguments(order.gold)
    return Scorer(
        sources,
        references,
        _metrics(order.payload["metrics"]),
        lang=order.payload["lang"],
        resamples=DEFAULT_RESAMPLES,
    )


def _gold_arguments(files: Sequence[str]) -> tuple[Path, list[Path] | None]:
    first, *references = map(Path, files)
    return first, references or None


def _metrics(specs: Sequence[str]) -> list[str]:
    """Check that metrics cannot open files or start servers, and return them."""
    from geceval.serve.jobs.allowed_metrics import check_allowed

    for spec in specs:
        check_allowed(spec)
    return list(specs)


@contextmanager
def _concealed(is_hidden: bool) -> Iterator[None]:
    """Conceal errors that may tell of a hidden gold standard."""
    try:
        yield
    except Exception as error:
        if not is_hidden:
            raise
        raise WorkError(HIDDEN_ERROR, f"{type(error).__name__}: {error}") from error


def _check_size(name: str, sentences: Iterable[Sequence[str]], limits: ServerLimits) -> None:
    count = 0
    for count, tokens in enumerate(sentences, 1):
        if len(tokens) > limits.tokens:
            raise GecevalError(
                f"{name}, sentence {count}: {len(tokens):,} tokens, more than the "
                f"{limits.tokens:,} that this server takes"
            )
    if count > limits.sentences:
        raise GecevalError(
            f"{name}: {count:,} sentences, more than the {limits.sentences:,} that this server "
            "takes"
        )


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if hasattr(value, "item") else value
