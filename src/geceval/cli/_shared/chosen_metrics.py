"""Selection of metrics and of their options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from geceval.cli._shared.show import say
from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.evaluation.evaluate import make_metrics
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.metrics.registry import get_metric, metric_names
from geceval.metrics.specs import ALL, MetricSpec, parse_specs
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy, Sentence

Command = TypeVar("Command", bound=Callable[..., Any])

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
    """Read the metrics, in the order in which they were given."""
    try:
        specs = [spec for text in given for spec in parse_specs(text)]
    except (OptionError, UnknownNameError) as error:
        raise click.BadParameter(str(error), ctx, param) from error
    if given and not specs:
        raise click.BadParameter("name at least one metric", ctx, param)
    return specs


class MetricOptions(NamedTuple):
    """Options of metrics, as `make_metrics` takes them."""

    texts: dict[str, str]
    options: dict[str, Any]
    hints: dict[str, Any]

    @property
    def missing(self) -> MissingPolicy | None:
        """How the user reads an annotator without a line; None where it is not given."""
        return self.texts.get("missing")  # type: ignore[return-value]


def metric_options(*, jobs: int, **given: str | bool | None) -> MetricOptions:
    """Collect the options for all metrics, and the defaults of those that know them."""
    texts = {name: value for name, value in given.items() if isinstance(value, str)}
    options = {name: value for name, value in given.items() if isinstance(value, bool)}
    return MetricOptions(texts, options, {"jobs": jobs, "notify": say})


def wanted_metrics(
    specs: Sequence[MetricSpec], given: MetricOptions, findings: Findings, *, has_edits: bool = True
) -> list[Metric]:
    """Create the selected metrics.

    Those that are named must work. Of ``all``, those that do not work here, because the inputs do
    not allow them or something is not installed, are skipped, and `findings` says why.
    """
    named = [spec for spec in specs if spec.name != ALL]
    names = {spec.name for spec in named}

    def skip(name: str, error: GecevalError) -> bool:
        if name not in names:
            _note(findings, name, error)
        return name not in names

    if not has_edits and (wrong := [name for name in names if get_metric(name).needs_edits]):
        raise click.UsageError(
            f"{', '.join(sorted(wrong))} compares annotators' edits, which --src and --ref do not "
            "have: give --gold, or choose another metric, such as -m gleu"
        )
    others = metric_names() if len(named) < len(specs) else []
    candidates = [*named, *(MetricSpec(name) for name in others if name not in names)]
    try:
        metrics = make_metrics(
            candidates if has_edits else _without_edits(candidates, skip),
            given.options,
            given.hints,
            texts=given.texts,
            skip=skip,
        )
    except (OptionError, UnknownNameError) as error:
        raise click.UsageError(str(error)) from error
    # Those that are named come first, and all of them were made.
    metrics = [*metrics[: len(named)], *usable(metrics[len(named) :], findings)]
    if not metrics:
        raise GecevalError("; ".join(["none of the metrics can be used here", *findings.summary()]))
    return metrics


def _without_edits(
    specs: Sequence[MetricSpec], skip: Callable[[str, GecevalError], bool]
) -> list[MetricSpec]:
    """Return the metrics for which corrected text is enough."""
    found = []
    for spec in specs:
        try:
            if not get_metric(spec.name).needs_edits:
                found.append(spec)
        except GecevalError as error:
            if not skip(spec.name, error):
                raise
    return found


def usable(metrics: Sequence[Metric], findings: Findings) -> list[Metric]:
    """Return the metrics that work here; add findings for the others."""
    found = []
    for metric in metrics:
        try:
            metric.settings()
            # Setting up a slow metric takes long, and may happen in another process.
            if not metric.runs_in_background:
                metric.score(_PROBE, Hypothesis("probe", (("He", "goes", "."),)))
        # Whatever fails in one, the others can be used.
        except Exception as error:  # noqa: BLE001
            _note(findings, metric.name, error)
        else:
            found.append(metric)
    return found


def _note(findings: Findings, name: str, error: Exception) -> None:
    what = str(error) if isinstance(error, GecevalError) else f"{type(error).__name__}: {error}"
    findings.add(f"{name}-skipped", f"{name} is skipped: {what}")
