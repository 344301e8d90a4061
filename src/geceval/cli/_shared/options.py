"""Options shared by several commands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from geceval.engines.threads import MAX_JOBS, cores
from geceval.errors import GecevalError

Command = TypeVar("Command", bound=Callable[..., Any])


def examples(text: str) -> str:
    r"""Return the epilog of a command: example lines that are not wrapped.

    Examples
    --------
    >>> examples("geceval demo")
    '\x08\nExamples:\n  geceval demo'
    """
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\b\nExamples:\n" + "\n".join(f"  {line}" if line else "" for line in lines)


def choice(names: Iterable[str]) -> click.Choice[str]:
    """Return a type for an option that takes one of a few names, in any case."""
    return click.Choice([*names], case_sensitive=False)


def no_nan(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse NaN, which click accepts in every range."""
    if math.isnan(value):
        raise click.BadParameter(f"{value} is not a number", ctx, param)
    return value


def known_format(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """Validate the name of a format: a wrong one is bad usage, not bad data."""
    from geceval.formats import get_format

    if name is not None:
        with _bad_usage(ctx, param):
            return get_format(name).name
    return None


def _known_encoding(ctx: click.Context, param: click.Parameter, name: str) -> str:
    from geceval.formats.inputs import known_encoding

    with _bad_usage(ctx, param):
        return known_encoding(name)


@contextmanager
def _bad_usage(ctx: click.Context, param: click.Parameter) -> Iterator[None]:
    try:
        yield
    except GecevalError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def format_option(command: Command) -> Command:
    """Add ``--format``."""
    return click.option(
        "--format",
        "format_name",
        metavar="NAME",
        callback=known_format,
        help="Input format.  [detected]",
    )(command)


def encoding_option(command: Command) -> Command:
    """Add ``--encoding``."""
    return click.option(
        "--encoding",
        default="utf-8",
        show_default=True,
        callback=_known_encoding,
        help="Input encoding.",
    )(command)


def jobs_option(command: Command) -> Command:
    """Add ``--jobs``."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, MAX_JOBS),
        default=cores,
        metavar="N",
        help="Cores to use at most; changes no result.  [all]",
    )(command)


def _set_max_cells(ctx: click.Context, param: click.Parameter, cells: int | None) -> None:  # noqa: ARG001
    from geceval.limits import allow

    if cells is not None:
        ctx.with_resource(allow(cells=cells))


def max_cells_option(command: Command) -> Command:
    """Add ``--max-cells``, which holds for all that the command does."""
    return click.option(
        "--max-cells",
        type=click.IntRange(min=1),
        metavar="N",
        expose_value=False,
        callback=_set_max_cells,
        help="Maximum table size of one sentence (tokens × tokens).  [10000000]",
    )(command)


def json_option(command: Command) -> Command:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")(
        command
    )
