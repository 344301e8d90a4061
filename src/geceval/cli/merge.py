"""``geceval merge``: join the parts of a sharded run."""

from __future__ import annotations

import click

from geceval.cli._shared.options import examples, json_option
from geceval.cli._shared.protect import protect
from geceval.cli._shared.sharding import show_blocks
from geceval.cli._shared.show import counted, print_json, say
from geceval.storage.urls import shown_name


@click.command(
    epilog=examples(
        """
        geceval merge parts/part-*.m2 -o all.m2
        geceval merge parts/*.m2.gz -o all.m2.gz --json
        """
    )
)
@click.argument("parts", metavar="PART...", nargs=-1, required=True)
@click.option("-o", "--out", "output", required=True, metavar="OUT", help="Output file.")
@json_option
def merge(parts: tuple[str, ...], output: str, as_json: bool) -> None:
    """Join the parts that were made with --shard.

    The parts may be given in any order. Each has a manifest beside it, PART.manifest.json, by which
    parts that are missing, doubled, damaged or made from other inputs or settings are refused. The
    result is the file that a single run would have written.
    """
    if as_json and output == "-":
        raise click.UsageError("--json and '-' would both write to standard output")
    protect([*parts, *(f"{part}.manifest.json" for part in parts)], [output])
    from geceval.extraction.parts import join_parts

    joined = join_parts(parts, output, watch=show_blocks)
    counts = joined.counts
    if as_json:
        print_json(
            {
                "schema": 1,
                "file": shown_name(output),
                "written": joined.format,
                "parts": joined.n_parts,
                "sentences": counts.sentences,
                "annotations": counts.annotations,
                "changed": counts.changed,
                "edits": counts.edits,
                "types": dict(sorted(counts.types.items())),
            }
        )
        return
    say(
        f"{counted(joined.n_parts, 'part')}, {counted(counts.sentences, 'sentence')}, "
        f"{counted(counts.edits, 'edit')} → {joined.format} ({shown_name(output)})"
    )
