"""Arguments of tools that were parsed by argparse, and the annotator of ERRANT's tools."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from geceval.compat import ToolResult
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator

_MISSING = "the following arguments are required: "
MERGING = ("rules", "all-split", "all-merge", "all-equal")


class _UsageError(Exception):
    """Wrong arguments, and how the tool says so."""


class ToolParser(argparse.ArgumentParser):
    """A parser that returns its message instead of printing it.

    Parameters
    ----------
    is_python2
        Whether the original ran on Python 2, which named one missing argument at a time.
    options
        Options of `argparse.ArgumentParser`.
    """

    def __init__(self, *, is_python2: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self._is_python2 = is_python2

    def error(self, message: str) -> NoReturn:
        """Raise an error with the usage and the message."""
        missing = message.removeprefix(_MISSING)
        if self._is_python2 and missing != message:
            message = f"argument {missing.split(', ')[0]} is required"
        raise _UsageError(f"{self.format_usage()}{self.prog}: error: {message}\n")


def parse(
    parser: ToolParser, arguments: Sequence[str]
) -> tuple[argparse.Namespace | None, ToolResult]:
    """Parse arguments; without a result, the tool has said why."""
    if {"-h", "--help"} & set(arguments):
        return None, ToolResult(out=[parser.format_help()])
    try:
        return parser.parse_args(arguments), ToolResult()
    except _UsageError as error:
        return None, ToolResult(err=[str(error)], code=2)


def at_least(minimum: int) -> Callable[[str], int]:
    """Return a type of argument: whole numbers that are not too small to mean anything."""

    def number(text: str) -> int:
        value = int(text)
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{text} is below {minimum}")
        return value

    number.__name__ = "int"  # for the message of argparse
    return number


def add_extraction(parser: ToolParser) -> None:
    """Add the options of alignment and merging."""
    parser.add_argument("-lev", action="store_true", help="Align by Levenshtein distance.")
    parser.add_argument("-merge", choices=MERGING, default="rules", help="How to merge edits.")


def annotator_of(options: argparse.Namespace) -> Annotator:
    """Load the annotator that the options ask for."""
    method: Method = "levenshtein" if options.lev else "linguistic"
    return Annotator("en", align=method, merge=options.merge)
