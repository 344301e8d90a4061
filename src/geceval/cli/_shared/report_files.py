"""Files of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geceval.cli._shared.show import Stages, counted, say, text
from geceval.formats import open_output
from geceval.presentation.export import save_pictures, save_tables

if TYPE_CHECKING:
    from geceval.report.results import Results

SMALL = 200_000
"""Bytes of a page that other sites may embed without a second thought."""


def write_outputs(
    results: Results,
    stages: Stages,
    output: str,
    results_file: str | None = None,
    tables: str | None = None,
    figures: str | None = None,
    embed: str | None = None,
    summary: str | None = None,
    *,
    is_small: bool = False,
) -> list[str]:
    """Write the results and everything rendered from them; return a line about each file."""
    from geceval.report.figures import figures as make_figures
    from geceval.report.markdown_summary import summarize
    from geceval.report.rendering import render, render_embed
    from geceval.report.results import save
    from geceval.report.tables import tables as make_tables

    done = []
    # The results took longest to compute, so they are saved first.
    if results_file is not None:
        save(results, results_file)
        done.append(f"results  {text(results_file)}")
    stages.begin("rendering the page")
    page = render_embed(results) if is_small else render(results)
    with open_output(output) as out:
        out.write(page)
    if is_small:
        _warn_of_size(output, page)
    if output != "-":
        done.insert(0, f"report   {text(output)} ({len(page.encode()) / 1e6:.1f} MB)")
    if embed is not None:
        compact = render_embed(results)
        with open_output(embed) as out:
            out.write(compact)
        _warn_of_size(embed, compact)
        if embed != "-":
            done.append(f"embed    {text(embed)} ({len(compact.encode()) / 1e3:.0f} kB)")
    if summary is not None:
        with open_output(summary) as out:
            out.write(summarize(results))
        if summary != "-":
            done.append(f"summary  {text(summary)}")
    if tables is not None:
        stages.begin("writing tables")
        n_tables = save_tables(make_tables(results), tables)
        done.append(f"tables   {text(tables)}: {counted(n_tables, 'table')} in four formats")
    if figures is not None:
        stages.begin("drawing figures")
        n_figures = save_pictures(make_figures(results), figures)
        done.append(f"figures  {text(figures)}: {counted(n_figures, 'figure')} in three formats")
    return done


def _warn_of_size(path: str, page: str) -> None:
    """Say that a page to embed is large, which many systems and metrics make it."""
    size = len(page.encode())
    if size > SMALL:
        name = "the page to embed" if path == "-" else path
        say(
            f"warning: {name} takes {size / 1e3:.0f} kB, more than {SMALL / 1e3:.0f} kB; "
            "fewer systems or metrics (-m) make it smaller"
        )
