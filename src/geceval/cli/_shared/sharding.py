"""The option for shards, and progress while files are read as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from geceval.cli._shared.show import progress
from geceval.errors import GecevalError

if TYPE_CHECKING:
    from geceval.formats import Findings, Input
    from geceval.formats.shards import Portion, ScannedFile, Shard


def _parsed_shard(ctx: click.Context, param: click.Parameter, given: str | None) -> Shard | None:
    if given is None:
        return None
    from geceval.formats.shards import Shard

    try:
        return Shard.parse(given)
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


class ShardOpener:
    """Opens files, or a shard of each, cut at the same sentences.

    Parameters
    ----------
    findings
        Collection for findings about the files.
    encoding
        Their text encoding.
    """

    def __init__(self, findings: Findings, encoding: str) -> None:
        self._findings = findings
        self._encoding = encoding
        self._files: dict[str, ScannedFile] = {}
        self.portion: Portion | None = None

    def cut(
        self,
        gold: Sequence[tuple[str, str | None]],
        systems: Sequence[str],
        hyp_format: str | None,
        shard: Shard,
    ) -> None:
        """Cut the files of a gold standard, with their formats, and the outputs of systems."""
        from geceval.formats.shards import Portion, scan

        for path, name in (*gold, *((path, hyp_format) for path in systems)):
            if path not in self._files:
                layout = name or self._layout(path)
                self._files[path] = scan(
                    path,
                    layout,
                    encoding=self._encoding,
                    findings=self._findings,
                    watch=show_blocks,
                )
        listed = [self._files[path] for path, _ in gold]
        portion = Portion.of([*listed, *(self._files[path] for path in systems)], shard)
        if not len(portion):
            raise GecevalError(
                f"the shard {shard} has no sentences: {gold[0][0]} has only {portion.total:,}; "
                "use fewer shards"
            )
        self.portion = portion

    def _layout(self, path: str) -> str:
        from geceval.formats import Input, detect

        with Input.open(path, encoding=self._encoding) as source:
            return detect(source).name

    def open(self, path: str) -> str | Input:
        """Return the shard of a file; without shards, its name."""
        if self.portion is None:
            return path
        first, last = self.portion.first, self.portion.last
        file = self._files[path]
        return file.open(first, last, findings=self._findings, encoding=self._encoding)
