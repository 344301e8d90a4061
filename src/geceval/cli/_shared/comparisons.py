"""The choice of a paired test, and tables of differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import click

from geceval.cli._shared.options import choice
from geceval.cli._shared.show import console, table, text
from geceval.evaluation.resampling import Comparison, Test

test_option = click.option(
    "--test",
    type=choice(get_args(Test)),
    default="randomization",
    show_default=True,
    help="Approximate randomization or paired bootstrap.",
)


def print_comparisons(title: str, rows: Sequence[Comparison]) -> None:
    """Print differences, the significant ones in bold."""
    level = rows[0].interval.level
    numeric = ("difference", f"{100 * level:g} % interval", "p", "adjusted p")
    shown = table(
        f"{title}: second − first", "first", "second", *numeric, "better", numeric=numeric
    )
    for row in rows:
        difference = f"{row.difference:+.4f}"
        is_sure = row.adjusted_p_value < 1 - level
        better = (row.second if row.difference > 0 else row.first) if is_sure else None
        shown.add_row(
            text(row.first),
            text(row.second),
            f"[bold]{difference}[/]" if is_sure else difference,
            f"{row.interval.low:+.4f} … {row.interval.high:+.4f}",
            f"{row.p_value:.4f}",
            f"{row.adjusted_p_value:.4f}",
            f"[green]{text(better)}[/]" if better else "[dim]not significant[/]",
        )
    console().print(shown)
