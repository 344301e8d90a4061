"""``geceval metaeval``: the metrics themselves, measured."""

from __future__ import annotations

import click

from geceval.cli import LateGroup

_COMMANDS = {
    "human": "Compare metrics with the rankings that people gave.",
    "maege": "Compare metrics with the known order of partly corrected sentences.",
    "seeda": "Compare metrics with SEEDA's rankings of recent systems.",
}


@click.group(cls=LateGroup, package="geceval.cli.metaeval", late=_COMMANDS)
def metaeval() -> None:
    """Measure the metrics themselves: whether they prefer what is better."""
