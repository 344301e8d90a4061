"""Selection of metrics, with their options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from geceval.cli._shared.options import Command
from geceval.cli._shared.show import say
from geceval.errors import OptionError, UnknownNameError
from geceval.evaluation.metric_choice import choose_metrics
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.metrics.specs import MetricSpec, parse_specs

if TYPE_CHECKING:
    from geceval.extraction.annotator import Annotator
    from geceval.extraction.lang.pack_options import PackOptions


def metric_option(
    *, default: str | None, help: str, names: Sequence[str] = ("-m", "--metric", "specs")
) -> Callable[[Command], Command]:
    """Add ``-m``, which may be repeated and takes several metrics with their options at a time.

    Other `names` are those of another option and of its parameter.
    """
    return click.option(
        *names,
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
    pack_options: PackOptions | None = None,
    has_edits: bool = True,
    extracts: bool = False,
    n_systems: int | None = 2,
    lang: str | None = None,
    with_checkers: bool = True,
) -> list[Metric]:
    """Make the selected metrics; see `choose_metrics`.

    Parameters
    ----------
    options
        Options for all metrics that know them, as text.
    annotator
        Default annotator of the metrics that extract edits.
    pack_options
        Options of the language pack of these metrics.
    n_systems
        Number of systems that are scored together; None if single sentences are scored.
    lang
        Language of the text, for metrics that analyze it.
    with_checkers
        Whether ``all`` includes metrics that run a grammar checker.
    """
    hints = {
        "jobs": jobs,
        "notify": say,
        "annotator": annotator,
        "lang": lang,
        "pack_options": pack_options,
    }
    try:
        return choose_metrics(
            specs,
            findings,
            texts=options,
            hints={name: value for name, value in hints.items() if value is not None},
            has_edits=has_edits,
            extracts=extracts,
            n_systems=n_systems,
            with_checkers=with_checkers,
        )
    except (OptionError, UnknownNameError) as error:
        raise click.UsageError(str(error)) from error


def files_of(specs: Iterable[MetricSpec]) -> list[str]:
    """Return the files that metrics read."""
    typers = [spec.options.get("typer", "") for spec in specs]
    names = ("file", "weights")
    files = [spec.options[name] for spec in specs for name in names if name in spec.options]
    return [*(typer.removeprefix("learned:") for typer in typers if typer), *files]
