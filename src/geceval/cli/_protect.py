"""No command writes over what it reads."""

from __future__ import annotations

from collections.abc import Iterable

import click

from geceval.formats import PathLike
from geceval.formats.outputs import check_target, is_same_file, protecting


def protect(inputs: Iterable[PathLike | None], outputs: Iterable[PathLike | None]) -> None:
    """Refuse outputs that are inputs, by whatever name, and two outputs in one file.

    The inputs are protected for as long as the command runs, so that files whose names are made
    later do not replace them either.
    """
    click.get_current_context().with_resource(
        protecting([path for path in inputs if path is not None])
    )
    taken: list[str] = []
    for target in (str(path) for path in outputs if path is not None):
        check_target(target)
        if any(is_same_file(target, other) for other in taken):
            raise click.UsageError(f"{target} would be written over; choose another name")
        taken.append(target)
