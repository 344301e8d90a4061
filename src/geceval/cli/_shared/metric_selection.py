"""Selection of metrics, with their options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from geceval.cli._shared.options import Command
from geceval.cli._shared.show import say
from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.evaluation.evaluate import make_metrics
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.metrics.registry import get_metric, metric_names
from geceval.metrics.specs import ALL, MetricSpec, parse_specs
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence

if TYPE_CHECKING:
    from geceval.extraction.annotator import Annotator

_PROBE = Corpus(
    (Sentence(("He", "go", "."), (Annotation("0", (Edit(1, 2, (("goes",),), "R:VERB:SVA"),)),)),)
)


def metric_option(*, default: str | None, help: str) -> Callable[[Command], Command]:
    """Add ``-m``, which may be repeated and takes several metrics with their options at a time."""
    return click.option(
        "-m",
        "--metric",
        "specs",
        multiple=True,
        default=None if default is None else [default],
        show_default=default is not None,
        metavar="NAME[(OPTION=VALUE,…)],…",
        callback=_parsed,
        help=help,
    )


def _parsed(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> list[MetricSpec]:
    """Parse the metrics, in the given order."""
    try:
        specs = [spec for text in given for spec in parse_specs(text)]
    except (OptionError, UnknownNameError) as error:
        raise click.BadParameter(str(error), ctx, param) from error
    if given and not specs:
        raise click.BadParameter("name at least one metric", ctx, param)
    return specs


def select_metrics(
    specs: Sequence[MetricSpec],
    findings: Findings,
    *,
    jobs: int,
    options: Mapping[str, str] | None = None,
    annotator: Annotator | None = None,
    has_edits: bool = True,
) -> list[Metric]:
    """Create the selected metrics.

    Metrics that are named must work. Of ``all``, those that do not work with these inputs or lack
    a dependency are skipped, and `findings` says why.

    Parameters
    ----------
    options
        Options for all metrics that know them, as text.
    annotator
        Default annotator of the metrics that extract edits.
    has_edits
        Whether the gold standard has edits, not only corrected sentences.
    """
    named = [spec for spec in specs if spec.name != ALL]
    names = {spec.name for spec in named}

    def skip(name: str, error: GecevalError) -> bool:
        if name not in names:
            _note(findings, name, error)
        return name not in names

    if not has_edits:
        _refuse_edits([name for name in names if get_metric(name).needs_edits])
    others = (
        [name for name in metric_names() if name not in names] if len(named) < len(specs) else []
    )
    if not has_edits:
        others = [name for name in others if not _needs_edits(name)]
    hints = {"jobs": jobs, "notify": say, "annotator": annotator}
    try:
        metrics = make_metrics(
            [*named, *map(MetricSpec, others)],
            hints={name: value for name, value in hints.items() if value is not None},
            texts=options,
            skip=skip,
        )
    except (OptionError, UnknownNameError) as error:
        raise click.UsageError(str(error)) from error
    if not has_edits:
        # Whether a metric needs edits may depend on its options.
        _refuse_edits([metric.name for metric in metrics if metric.needs_edits])
    # The named metrics come first, and none of them was skipped.
    metrics = [*metrics[: len(named)], *usable(metrics[len(named) :], findings)]
    if not metrics:
        raise GecevalError("; ".join(["none of the metrics can be used here", *findings.summary()]))
    return metrics


def _refuse_edits(names: Sequence[str]) -> None:
    """Raise an error for metrics that need a gold standard with edits."""
    if names:
        raise click.UsageError(
            f"{', '.join(sorted(names))} compares annotators' edits, which --src and --ref do not "
            "have: give --gold, or choose another metric, such as -m gleu"
        )


def _needs_edits(name: str) -> bool:
    try:
        return get_metric(name).needs_edits
    except GecevalError:
        # It is reported when the metric is created.
        return False


def usable(metrics: Sequence[Metric], findings: Findings) -> list[Metric]:
    """Return the metrics that work here; add findings for the others."""
    found = []
    for metric in metrics:
        try:
            metric.settings()
            # A slow metric takes long to set up, possibly in another process.
            if not metric.runs_in_background:
                metric.score(_PROBE, Hypothesis("probe", (("He", "goes", "."),)))
        # A metric may fail in any way without affecting the others.
        except Exception as error:  # noqa: BLE001
            _note(findings, metric.name, error)
        else:
            found.append(metric)
    return found


def _note(findings: Findings, name: str, error: Exception) -> None:
    what = str(error) if isinstance(error, GecevalError) else f"{type(error).__name__}: {error}"
    findings.add(f"{name}-skipped", f"{name} is skipped: {what}")
