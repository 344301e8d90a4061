"""``geceval merge``: join the parts of a sharded run."""

from __future__ import annotations

from collections.abc import Sequence

import click

from geceval.cli._shared.options import examples, json_option
from geceval.cli._shared.protect import protect
from geceval.cli._shared.scoring import resampling_options
from geceval.cli._shared.sharding import show_blocks
from geceval.cli._shared.show import counted, print_json, say
from geceval.storage.urls import shown_name

_STATISTICS = ".npz"


@click.command(
    epilog=examples(
        """
        geceval merge parts/part-*.m2 -o all.m2
        geceval merge parts/*.m2.gz -o all.m2.gz --json
        geceval merge parts/*.npz -o all.npz
        """
    )
)
@click.argument("parts", metavar="PART...", nargs=-1, required=True)
@click.option("-o", "--out", "output", required=True, metavar="OUT", help="Output file.")
@resampling_options()
@json_option
def merge(
    parts: tuple[str, ...],
    output: str,
    resamples: int,
    confidence: float,
    seed: int,
    as_json: bool,
) -> None:
    """Join the parts that were made with --shard.

    The parts may be given in any order. Each has a manifest beside it, PART.manifest.json, by which
    parts that are missing, doubled, damaged or made from other inputs or settings are refused. The
    result is the file that a single run would have written.

    Statistics (.npz) are joined and scored, with the scores and intervals of a single run; the
    options of resampling are for them.
    """
    named = [part for part in parts if part.endswith(_STATISTICS)]
    if len(named) not in (0, len(parts)):
        raise click.UsageError("give parts of one kind: some are statistics (.npz), some are not")
    if bool(named) != output.endswith(_STATISTICS):
        raise click.UsageError(f"statistics are written as .npz, and nothing else, not {output}")
    if as_json and output == "-":
        raise click.UsageError("--json and '-' would both write to standard output")
    protect([*parts, *(f"{part}.manifest.json" for part in parts)], [output])
    if named:
        _merge_statistics(parts, output, (resamples, confidence, seed), as_json=as_json)
    else:
        _merge_annotations(parts, output, as_json=as_json)


def _merge_annotations(parts: Sequence[str], output: str, *, as_json: bool) -> None:
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


def _merge_statistics(
    parts: Sequence[str], output: str, resampling: tuple[int, float, int], *, as_json: bool
) -> None:
    from geceval.cli._shared.score_printing import print_scores
    from geceval.evaluation.evaluate import score_counted
    from geceval.evaluation.resampling import Resampling
    from geceval.evaluation.shard_files import join_statistics_files
    from geceval.evaluation.stored_statistics import save_statistics

    joined = join_statistics_files(parts)
    results = score_counted(
        ((one.metric, one.system, one.statistics) for one in joined),
        resampling=Resampling(*resampling),
    )
    save_statistics(joined, output)
    if as_json:
        print_json({"schema": 1, "results": [one.score.to_dict() for one in results]})
    else:
        print_scores(results)
