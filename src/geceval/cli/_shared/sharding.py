"""The option for shards, and progress while files are read as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from geceval.cli._shared.show import progress
from geceval.errors import GecevalError

if TYPE_CHECKING:
    from geceval.formats.shards import Shard


def _parsed_shard(ctx: click.Context, param: click.Parameter, given: str | None) -> Shard | None:
    from geceval.formats.shards import Shard

    try:
        return None if given is None else Shard.parse(given)
    except GecevalError as error:
        raise click.BadParameter(str(error), ctx, param) from error


shard_option = click.option(
    "--shard",
    metavar="I/N",
    callback=_parsed_shard,
    help="Process only the part I of N of the input, from 1; 'geceval merge' joins the parts.",
)


def show_blocks(blocks: Iterable[bytes], what: str, total: int | None) -> Iterator[bytes]:
    """Show how many MB of a file are read."""
    return progress(blocks, f"{what} (MB)", total=total, every=16)
