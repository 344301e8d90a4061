"""What studies print and write: tables, figures and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from geceval.cli._options import json_option
from geceval.cli._show import console, table, text
from geceval.errors import GecevalError
from geceval.formats import open_output
from geceval.sections import Picture, Section
from geceval.tables import FORMS, Table

Command = TypeVar("Command", bound=Callable[..., Any])


def output_options(command: Command) -> Command:
    """Add the options that say what is printed and written."""
    for option in reversed(
        (
            click.option("--tables", "tables_folder", metavar="DIR", help="Write tables to files."),
            click.option(
                "--figures", "figures_folder", metavar="DIR", help="Draw figures to files."
            ),
            click.option("-o", "--output", metavar="FILE", help="Write a page (HTML)."),
            json_option,
            click.option("--tsv", "as_tsv", is_flag=True, help="Print tab-separated values."),
            click.option(
                "--latex", "as_latex", is_flag=True, help="Print LaTeX tables (booktabs)."
            ),
        )
    ):
        command = option(command)
    return command


def save_tables(tables: Iterable[Table], folder: Path) -> None:
    """Write tables to files, in every form."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise GecevalError(f"{folder}: cannot be made: {reason}") from error
    for item in tables:
        for form, write in FORMS.items():
            with open_output(folder / f"{item.name}.{form}") as out:
                out.write(write(item))


def save_pictures(pictures: Iterable[Picture], folder: Path) -> None:
    """Write figures to files, in every form."""
    from geceval.pictures import save_figure

    for picture in pictures:
        save_figure(picture.figure, folder, picture.name)


def save_page(path: str, title: str, introduction: str, sections: Sequence[Section]) -> None:
    """Write a page."""
    from geceval.report.rendering import render_study

    with open_output(path) as out:
        out.write(render_study(title, introduction, sections))


def show_tables(tables: Iterable[Table]) -> None:
    """Print tables for people."""
    for item in tables:
        numeric = (
            name for name, is_number in zip(item.header, item.numeric, strict=True) if is_number
        )
        rows = table(item.title, *item.header, numeric=numeric)
        for row in item.rows:
            rows.add_row(*(text(item.shown(cell)) for cell in row))
        console().print(rows)


def print_signatures(signatures: Iterable[str]) -> None:
    """Print what gave the numbers, a line for each."""
    for signature in signatures:
        console().print(f"[dim]{text(signature)}[/dim]", soft_wrap=True)
