"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def examples(text: str) -> str:
    r"""Make the epilog of a command: example lines that keep their form.

    Examples
    --------
    >>> examples("geceval demo")
    '\x08\nExamples:\n  geceval demo'
    """
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\b\nExamples:\n" + "\n".join(f"  {line}" if line else "" for line in lines)


def format_option(command: Command) -> Command:
    """Add ``--format``."""
    return click.option(
        "--format",
        "format_name",
        metavar="NAME",
        help="Format of the input; detected from its content when not given.",
    )(command)


def encoding_option(command: Command) -> Command:
    """Add ``--encoding``."""
    return click.option(
        "--encoding", default="utf-8", show_default=True, help="Text encoding of the input."
    )(command)


def json_option(command: Command) -> Command:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")(
        command
    )
