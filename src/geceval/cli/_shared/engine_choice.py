"""Options that choose where chunks are processed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from geceval.engines import Engine


def engine_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--engine`` and ``--scheduler``; the command gets `engine`, None for this machine."""

    @click.option(
        "--engine",
        "engine_name",
        type=click.Choice(["local", "dask"], case_sensitive=False),
        default="local",
        show_default=True,
        help="Where to work: on this machine, or on Dask workers; changes no result.",
    )
    @click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="With --engine dask: a scheduler such as tcp://10.0.0.5:8786.  [one is started here]",
    )
    @functools.wraps(command)
    def run(*, engine_name: str, scheduler: str | None, jobs: int, **given: Any) -> None:
        engine = _engine(engine_name, scheduler, jobs)
        command(engine=engine, jobs=jobs, **given)

    return run


def _engine(name: str, scheduler: str | None, jobs: int) -> Engine | None:
    if name != "dask":
        if scheduler is not None:
            raise click.UsageError("--scheduler is for --engine dask")
        return None
    if scheduler is not None and not scheduler.strip():
        raise click.UsageError("the address of --scheduler is empty")
    from geceval.engines.dask import DaskEngine

    return DaskEngine(scheduler, jobs=jobs)
