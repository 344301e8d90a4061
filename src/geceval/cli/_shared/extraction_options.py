"""What ``annotate`` and ``explain`` share: the options that say how edits are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from geceval.cli._shared.options import choice, max_cells_option

Command = TypeVar("Command", bound=Callable[..., Any])


def annotator_options(command: Command) -> Command:
    """Add the options that say how edits are found and named."""
    for option in reversed(
        (
            click.option(
                "--lang", default="en", show_default=True, metavar="NAME",
                help="Language: en, universal (any spaCy pipeline) or plain (no model).",
            ),
            click.option(
                "--align", type=choice(["linguistic", "levenshtein"]),
                default="linguistic", show_default=True, help="How tokens are aligned.",
            ),
            click.option(
                "--merge", type=choice(["rules", "all-split", "all-merge", "all-equal"]),
                default="rules", show_default=True, help="How aligned tokens become edits.",
            ),
            click.option(
                "--typer", metavar="NAME", help="How edits are named; that of the language."
            ),
            click.option(
                "--model", metavar="NAME", help="spaCy pipeline, by name or path; that of the "
                "language.",
            ),
            click.option(
                "--analyzer", type=choice(["fast", "spacy"]), default="fast",
                show_default=True, help="What runs the English model; both give the same.",
            ),
            click.option(
                "--tokenize", is_flag=True, help="The text is raw: split it into tokens first."
            ),
            max_cells_option,
        )
    ):  # fmt: skip
        command = option(command)
    return command
