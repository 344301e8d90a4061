"""The metrics that commands are asked for: their names, their options, and which can be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from geceval.cli._shared.show import say
from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.evaluation.evaluate import make_metrics
from geceval.formats import Findings
from geceval.metrics import canonical_name, get_metric
from geceval.metrics import metric_names as all_metrics
from geceval.metrics.base import Metric
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy, Sentence

Command = TypeVar("Command", bound=Callable[..., Any])

ALL = "all"

_PROBE = Corpus(
    (Sentence(("He", "go", "."), (Annotation("0", (Edit(1, 2, (("goes",),), "R:VERB:SVA"),)),)),)
)


def metric_option(*, default: str | None, help: str) -> Callable[[Command], Command]:
    """Make ``-m``, which may be repeated and takes several names at a time."""
    return click.option(
        "-m",
        "--metric",
        "metric_names",
        multiple=True,
        default=None if default is None else [default],
        show_default=default is not None,
        metavar="NAME,…",
        callback=_split,
        help=help,
    )


def _split(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> list[str]:
    """Return the names of metrics, each once, in the order in which they were given."""
    texts = [name.strip() for text in given for name in text.split(",")]
    names = [text for text in texts if text]
    if given and not names:
        raise click.BadParameter("name at least one metric", ctx, param)
    try:
        return list(
            dict.fromkeys(ALL if name.casefold() == ALL else canonical_name(name) for name in names)
        )
    except UnknownNameError as error:
        raise click.BadParameter(str(error), ctx, param) from error


class MetricOptions(NamedTuple):
    """Options of metrics, as `make_metrics` takes them."""

    options: dict[str, Any]
    texts: dict[str, str]
    hints: dict[str, Any]

    @property
    def missing(self) -> MissingPolicy | None:
        """How the user reads an annotator without a line; None where nothing was said."""
        return self.options.get("missing") or self.texts.get("missing")  # type: ignore[return-value]


def metric_options(
    *, jobs: int, settings: Sequence[str], **given: float | str | bool | None
) -> MetricOptions:
    """Divide options: those with a flag of their own, those of ``--set``, and mere hints."""
    options = {name: value for name, value in given.items() if value is not None}
    texts = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        name = name.strip().replace("-", "_")
        if not sign or not name:
            raise click.UsageError(f"--set takes NAME=VALUE, not {setting!r}")
        if name in texts or name in options:
            raise click.UsageError(f"the option {name} is given twice")
        texts[name] = value
    hints = {"workers": jobs, "notify": say}
    return MetricOptions(options, texts, hints)


def wanted_metrics(
    names: Sequence[str], given: MetricOptions, findings: Findings, *, has_edits: bool = True
) -> list[Metric]:
    """Make the metrics that are asked for.

    Those that are named must work. Of ``all``, those that do not work here, because the inputs do
    not allow them or something is not installed, are skipped, and `findings` says why.
    """
    named = [name for name in names if name != ALL]

    def skip(name: str, error: GecevalError) -> bool:
        if name not in named:
            _note(findings, name, error)
        return name not in named

    if not has_edits and (wrong := [name for name in named if get_metric(name).needs_edits]):
        raise click.UsageError(
            f"{', '.join(wrong)} compares annotators' edits, which --src and --ref do not have: "
            "give --gold, or choose another metric, such as -m gleu"
        )
    candidates = [*named, *(name for name in all_metrics() if ALL in names and name not in named)]
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


def _without_edits(names: Sequence[str], skip: Callable[[str, GecevalError], bool]) -> list[str]:
    """Name the metrics that corrected text is enough for."""
    found = []
    for name in names:
        try:
            if not get_metric(name).needs_edits:
                found.append(name)
        except GecevalError as error:
            if not skip(name, error):
                raise
    return found


def usable(metrics: Sequence[Metric], findings: Findings) -> list[Metric]:
    """Return the metrics that work here; say what is missing for the others."""
    found = []
    for metric in metrics:
        try:
            metric.settings()
            # Setting up what holds up all else takes long, and may happen in another process.
            if not metric.runs_in_background:
                metric.score(_PROBE, Hypothesis("probe", (("He", "goes", "."),)))
        # Whatever one of them does, the others can be used.
        except Exception as error:  # noqa: BLE001
            _note(findings, metric.name, error)
        else:
            found.append(metric)
    return found


def _note(findings: Findings, name: str, error: Exception) -> None:
    what = str(error) if isinstance(error, GecevalError) else f"{type(error).__name__}: {error}"
    findings.add(f"{name}-skipped", f"{name} is skipped: {what}")
