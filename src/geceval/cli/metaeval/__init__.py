"""``geceval metaeval``: evaluation of metrics."""

from __future__ import annotations

import click

from geceval.cli import LazyGroup

_COMMANDS = {
    "card": "Show all results of one metric.",
    "gmeg": "Correlate metrics with the ratings of GMEG-Data.",
    "human": "Correlate metrics with human rankings.",
    "maege": "Evaluate metrics on corrections of known quality (MAEGE).",
    "seeda": "Correlate metrics with the human scores of SEEDA.",
}


@click.group(cls=LazyGroup, package="geceval.cli.metaeval", commands_help=_COMMANDS)
def metaeval() -> None:
    """Evaluate metrics by known quality or human rankings."""
