"""Options and output of studies: tables, figures and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

from geceval.cli._shared.options import (
    encoding_option,
    format_option,
    jobs_option,
    json_option,
    max_cells_option,
)
from geceval.cli._shared.show import console, table, text
from geceval.evaluation.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED
from geceval.formats import open_output
from geceval.presentation.export import save_pictures, save_tables
from geceval.presentation.page import Picture, Section
from geceval.presentation.table import Table

Command = TypeVar("Command", bound=Callable[..., Any])


def output_options(command: Command) -> Command:
    """Add the options of output."""
    for option in reversed(
        (
            click.option(
                "--tables", "tables_folder", metavar="DIR", help="Export tables to files."
            ),
            click.option(
                "--figures", "figures_folder", metavar="DIR", help="Export figures to files."
            ),
            click.option("-o", "--out", "output", metavar="FILE", help="Write an HTML page."),
            json_option,
            click.option("--tsv", "as_tsv", is_flag=True, help="Print tab-separated values."),
            click.option(
                "--latex", "as_latex", is_flag=True, help="Print LaTeX tables (booktabs)."
            ),
        )
    ):
        command = option(command)
    return command


def study_options(command: Command) -> Command:
    """Add the options of studies of human rankings."""
    for option in reversed(
        (
            click.option(
                "--resamples", type=click.IntRange(min=1), default=DEFAULT_RESAMPLES,
                show_default=True, metavar="N", help="Bootstrap resamples.",
            ),
            click.option(
                "--seed", type=click.IntRange(min=0), default=DEFAULT_SEED, show_default=True,
                help="Random seed.",
            ),
            jobs_option,
            click.option(
                "--resume", metavar="FILE",
                help="Save finished scores to a file, and resume from it.",
            ),
            format_option,
            encoding_option,
            max_cells_option,
        )
    ):  # fmt: skip
        command = option(command)
    return command


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


def show_tables(tables: Iterable[Table]) -> None:
    """Print tables."""
    for item in tables:
        numeric = (
            name for name, is_number in zip(item.header, item.numeric, strict=True) if is_number
        )
        rows = table(item.title, *item.header, numeric=numeric)
        for row in item.rows:
            rows.add_row(*(text(item.shown(cell)) for cell in row))
        console().print(rows)


def print_signatures(signatures: Iterable[str]) -> None:
    """Print signatures, one in each line."""
    for signature in signatures:
        console().print(f"[dim]{text(signature)}[/dim]", soft_wrap=True)
