"""Protection of input files from being overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterable

import click

from geceval.formats import PathLike
from geceval.storage.atomic import check_target, is_same_file, protecting


def protect(inputs: Iterable[PathLike | None], outputs: Iterable[PathLike | None]) -> None:
    """Refuse outputs that are inputs, under any name or link, and equal outputs.

    The inputs are protected until the command ends, also from files that are named later.
    """
    read = [path for path in inputs if path is not None]
    if "" in read:
        raise click.UsageError("the name of a file to read is empty")
    click.get_current_context().with_resource(protecting(read))
    taken: list[str] = []
    for target in (str(path) for path in outputs if path is not None):
        check_named(target)
        check_target(target)
        if any(is_same_file(target, other) for other in taken):
            raise click.UsageError(f"{target} would be written over; choose another name")
        taken.append(target)


def check_named(target: str) -> None:
    """Refuse an output file with an empty name, or a folder."""
    if not target:
        raise click.UsageError("the name of a file to write is empty")
    if os.path.isdir(target):
        raise click.UsageError(f"{target} is a folder; name a file to write")
