"""Options, inputs and output of studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import get_args

import click

from geceval.cli._shared.metric_selection import select_metrics
from geceval.cli._shared.options import (
    add_options,
    choice_option,
    form_options,
    jobs_option,
    reading_options,
)
from geceval.evaluation.preparation import read_missing
from geceval.evaluation.resampling import DEFAULT_RESAMPLES
from geceval.formats import Findings, load, open_output
from geceval.metaeval.human.aggregation import Aggregation
from geceval.metaeval.human.trueskill import Procedure
from geceval.metrics.base import Metric
from geceval.metrics.specs import MetricSpec
from geceval.model import Corpus, MissingPolicy
from geceval.presentation.export import save_pictures, save_tables
from geceval.presentation.page import Picture, Section
from geceval.presentation.table import Table

resamples_option = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=DEFAULT_RESAMPLES,
    show_default=True,
    metavar="N",
    help="Bootstrap resamples.",
)
aggregation_option = choice_option(
    "--aggregation",
    get_args(Aggregation),
    default="own",
    help="How metrics score systems: by their own score of a corpus, or by the mean, TrueSkill or "
    "Expected Wins of their sentence scores.",
)
procedure_option = choice_option(
    "--procedure",
    get_args(Procedure),
    default="limit",
    help="TrueSkill of human rankings: its limit, without chance, or as published, by 1000 "
    "simulated runs, with ranges of ranks.",
)
study_options = add_options(
    jobs_option,
    click.option(
        "--resume", metavar="FILE", help="Save finished results to a file, and resume from it."
    ),
    reading_options,
    click.option("--tables", "tables_folder", metavar="DIR", help="Export tables to files."),
    click.option("--figures", "figures_folder", metavar="DIR", help="Export figures to files."),
    click.option("-o", "--out", "output", metavar="FILE", help="Write an HTML page."),
    form_options,
)


def load_gold(
    gold: str,
    specs: Sequence[MetricSpec],
    findings: Findings,
    *,
    jobs: int,
    format_name: str | None,
    encoding: str,
    n_systems: int | None = 2,
    missing: MissingPolicy | None = None,
) -> tuple[Corpus, list[Metric]]:
    """Load the gold standard, and create the metrics that score against it."""
    options = {} if missing is None else {"missing": missing}
    metrics = select_metrics(specs, findings, jobs=jobs, options=options, n_systems=n_systems)
    corpus = load(gold, format=format_name, findings=findings, encoding=encoding, name=gold)
    return corpus, read_missing(corpus, metrics, findings, given=missing)[0]


def write_study(
    title: str,
    introduction: str,
    *,
    tables: Callable[[], Iterable[Table]],
    pictures: Callable[[], Iterable[Picture]],
    sections: Callable[[], Sequence[Section]],
    tables_folder: str | None,
    figures_folder: str | None,
    output: str | None,
) -> None:
    """Write the requested tables, figures and page."""
    if tables_folder is not None:
        save_tables(tables(), tables_folder)
    if figures_folder is not None:
        save_pictures(pictures(), figures_folder)
    if output is not None:
        from geceval.report.rendering import render_study

        with open_output(output) as out:
            out.write(render_study(title, introduction, sections()))
