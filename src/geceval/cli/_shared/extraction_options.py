"""Options of edit extraction, shared by ``annotate`` and ``explain``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from geceval.cli._shared.options import choice, max_cells_option

Command = TypeVar("Command", bound=Callable[..., Any])


def annotator_options(command: Command) -> Command:
    """Add the options of edit extraction."""
    for option in reversed(
        (
            click.option(
                "--lang", default="en", show_default=True, metavar="NAME",
                help="Language: en, universal (any spaCy pipeline) or plain (no model).",
            ),
            click.option(
                "--align", type=choice(["linguistic", "levenshtein"]),
                default="linguistic", show_default=True, help="Alignment costs.",
            ),
            click.option(
                "--merge", type=choice(["rules", "all-split", "all-merge", "all-equal"]),
                default="rules", show_default=True, help="How operations are merged into edits.",
            ),
            click.option(
                "--typer", metavar="NAME", help="Error-type classifier.  [that of the language]"
            ),
            click.option(
                "--model", metavar="NAME", help="spaCy pipeline, by name or path.  [that of the "
                "language]",
            ),
            click.option(
                "--analyzer", type=choice(["fast", "spacy"]), default="fast",
                show_default=True, help="Implementation of the English model; same results.",
            ),
            click.option(
                "--tokenize", is_flag=True, help="Tokenize the text, which is raw."
            ),
            max_cells_option,
        )
    ):  # fmt: skip
        command = option(command)
    return command
