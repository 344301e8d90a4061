"""``geceval annotate``: typed edits from parallel text or from other edits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geceval.cli._shared.engine_choice import engine_options
from geceval.cli._shared.options import (
    encoding_option,
    examples,
    extraction_options,
    format_option,
    jobs_option,
    json_option,
    normalize_option,
    output_format_option,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.sharding import shard_option, show_blocks
from geceval.cli._shared.show import (
    counted,
    finding_records,
    print_findings,
    print_json,
    progress,
    say,
)
from geceval.errors import GecevalError
from geceval.formats import Findings
from geceval.storage.urls import local_name, shown_name

if TYPE_CHECKING:
    from geceval.engines import Engine
    from geceval.extraction.files import Inspect
    from geceval.extraction.journal import Gap
    from geceval.formats.columns import PairColumns
    from geceval.formats.shards import Shard

_BESIDE = ("part", "part.json", "part.ordered", "failed", "manifest.json")
"""What a run may leave beside its output."""

_MAX_SHOWN = 10


def _parsed_columns(
    ctx: click.Context, param: click.Parameter, given: str | None
) -> PairColumns | None:
    if given is None:
        return None
    from geceval.formats.columns import PairColumns

    try:
        return PairColumns.parse(given)
    except GecevalError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@click.command(
    epilog=examples(
        """
        geceval annotate --src src.txt --cor ref0.txt --cor ref1.txt -o gold.m2
        geceval annotate --src src.txt.gz --cor out.txt.gz -o out.m2.gz --jobs 8 --resume
        geceval annotate --columns source=input,correction=output pairs.parquet -o out.m2
        geceval annotate --src src.txt --cor out.txt --shard 3/8 -o part-3.m2
        geceval annotate --src raw.txt --cor corrected.txt --tokenize -o out.m2
        geceval annotate --src src.txt --cor out.txt -o out.m2 --engine dask
        geceval annotate --src src.txt --cor out.txt --parts out --to parquet --resume
        geceval annotate gold.m2 -o standard.m2
        geceval annotate gold.m2 -o retyped.m2 --keep-spans
        geceval annotate --lang plain --src src.txt --cor out.txt
        geceval annotate --lang zh --src src.txt --cor out.txt -o out.m2
        """
    )
)
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--src", "source", metavar="FILE", help="Source text, one sentence per line.")
@click.option(
    "--cor", "corrections", metavar="FILE...", multiple=True, help="Corrected text (repeatable)."
)
@click.option("-o", "--out", "output", default="-", metavar="OUT", help="Output file.")
@output_format_option("by the extension of OUT, or M2")
@extraction_options
@normalize_option
@click.option(
    "--keep-spans", is_flag=True, help="Reuse the edits of a corpus: only minimize and type them."
)
@click.option("--no-minimize", is_flag=True, help="With --keep-spans: do not minimize.")
@jobs_option
@engine_options
@shard_option
@click.option(
    "--parts",
    metavar="DIR",
    help="Instead of -o: write part files to this folder; with --resume, only those missing.",
)
@click.option(
    "--part-size",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --parts: sentences per part, approximately.  [500000]",
)
@click.option(
    "--columns",
    metavar="ROLE=NAME,…",
    callback=_parsed_columns,
    help="Columns of a table (JSON Lines, Parquet, CSV, TSV) that FILE is: source, correction "
    "(repeatable).",
)
@click.option("--cache", metavar="DIR", help="Cache analyses of sentences in this folder.")
@click.option("--resume", is_flag=True, help="Resume an interrupted run.")
@click.option("--restart", is_flag=True, help="Discard an interrupted run and start again.")
@format_option
@encoding_option
@json_option
def annotate(
    files: tuple[str, ...],
    source: str | None,
    corrections: tuple[str, ...],
    output: str,
    to_name: str | None,
    keep_spans: bool,
    no_minimize: bool,
    jobs: int,
    engine: Engine | None,
    resume: bool,
    restart: bool,
    shard: Shard | None,
    parts: str | None,
    part_size: int | None,
    columns: PairColumns | None,
    format_name: str | None,
    encoding: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Extract typed edits from parallel text, or standardize those of a corpus.

    With --src and --cor, edits are extracted from parallel text; several corrections become the
    annotators 0, 1, …. Otherwise FILE is a corpus in any format: its edits are extracted again
    from the corrected sentences or, with --keep-spans, only minimized and typed again.

    With --shard, only one of N parts of the input is annotated; with --parts, all of them are,
    each to its own file. 'geceval merge' joins the parts.
    """
    inputs = _inputs(files, source, corrections)
    format_name = _checked_format(
        files, source, columns, format_name, keep_spans=keep_spans, tokenize=given["tokenize"]
    )
    if no_minimize and not keep_spans:
        raise click.UsageError("--no-minimize needs --keep-spans")
    output = _output(output, parts, part_size, inputs, shard)
    _check_output(output, needs_file=as_json or resume or restart or shard is not None)
    if resume and restart:
        raise click.UsageError("--resume and --restart exclude each other")
    # An interrupted run leaves files beside the output.
    beside = () if parts is not None else (f"{local_name(output)}.{end}" for end in _BESIDE)
    read = [*inputs, *given["options"].files]
    protect(read, () if output == "-" or parts is not None else (output, *beside))
    from geceval.extraction.files import ExtractionSettings, annotate_files
    from geceval.storage.resumable import PartError

    findings = Findings()
    start = time.monotonic()
    try:
        options: dict[str, Any] = {
            "settings": ExtractionSettings(
                keep_spans=keep_spans, minimize=not no_minimize, **given
            ),
            "format": format_name,
            "engine": engine,
            "jobs": jobs,
            "resume": resume,
            "restart": restart,
            "encoding": encoding,
            "findings": findings,
            "inspect": _inspection(given, findings),
            "progress": _show_progress,
            "columns": columns,
            "watch": show_blocks,
        }
        if parts is None:
            result = annotate_files(inputs, output, to=to_name, shard=shard, **options)
        else:
            from geceval.extraction.part_folders import PART_SENTENCES, annotate_parts

            size = part_size or PART_SENTENCES
            result = annotate_parts(inputs, parts, part_size=size, to=to_name, **options)
    except PartError:
        # The message suggests a remedy.
        raise
    except BaseException:
        if parts is None:
            _suggest_resuming(output)
        elif os.path.isdir(parts):
            say(f"finished parts are saved in {parts}; use --resume to continue")
        raise
    seconds = time.monotonic() - start
    counts = result.counts
    rate = (counts.sentences - result.resumed_at) / seconds
    if as_json:
        print_json(
            {
                "schema": 1,
                "read": result.read_format,
                "written": result.written_format,
                "file": shown_name(output),
                "sentences": counts.sentences,
                "annotations": counts.annotations,
                "changed": counts.changed,
                "edits": counts.edits,
                "types": dict(sorted(counts.types.items())),
                "resumed_at": result.resumed_at,
                "seconds": round(seconds, 3),
                "sentences_per_second": round(rate, 1),
                "signature": result.signature,
                "findings": finding_records(findings),
                "failed": [
                    {
                        "first": gap.start + 1,
                        "last": gap.start + gap.sentences,
                        "reason": gap.reason,
                    }
                    for gap in result.failed
                ],
            }
        )
        _end_failed(result.failed, output, parts)
        return
    print_findings(findings, stderr=True)
    done = _done_before(counts.sentences, result.resumed_at, "" if parts else "the first ")
    say(
        f"{counted(counts.sentences, 'sentence')}{done}, {counted(counts.edits, 'edit')} in "
        f"{counts.changed:,} of {counted(counts.annotations, 'annotation')}, "
        f"{rate:,.0f} sentences/s: {result.read_format} → {result.written_format} "
        f"({shown_name(output)})"
    )
    say(result.signature)
    _end_failed(result.failed, output, parts)


def _inspection(given: Mapping[str, Any], findings: Findings) -> Inspect:
    """Return what to do with the first sentences."""
    if given["lang"].casefold() == "zh":
        from geceval.validation.chinese_text import check_chinese_head

        # Chinese has no spaces between its tokens.
        by_words = given["options"].level == "word"
        return partial(check_chinese_head, findings=findings, by_words=by_words)
    from geceval.validation.check import check_head

    names = ("lang", "normalize", "tokenize")
    return partial(check_head, findings=findings, **{name: given[name] for name in names})


def _done_before(n_sents: int, n_before: int, which: str) -> str:
    if not n_before:
        return ""
    return f", {'all' if n_before == n_sents else f'{which}{n_before:,}'} by an earlier run"


def _output(
    output: str,
    folder: str | None,
    part_size: int | None,
    inputs: Sequence[str],
    shard: Shard | None,
) -> str:
    """Return the file or the folder to write; refuse a folder that cannot be one of parts."""
    if folder is None:
        if part_size is not None:
            raise click.UsageError("--part-size is for --parts")
        return output
    if output != "-" or shard is not None:
        raise click.UsageError("--parts takes the place of -o and --shard: do not give them")
    if not folder:
        raise click.UsageError("the name of the folder of --parts is empty")
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise click.UsageError(f"--parts {folder} is a file; name a folder")
    for path in inputs:
        if os.path.realpath(os.path.dirname(path)) == os.path.realpath(folder) and path != "-":
            raise click.UsageError(
                f"--parts {folder} has the input {path}, which parts could overwrite; name another"
            )
    return folder


def _end_failed(failed: Sequence[Gap], output: str, parts: str | None) -> None:
    """Name the chunks that failed, if any, and exit."""
    if not failed:
        return
    beside = local_name(output)
    n_sents = sum(gap.sentences for gap in failed)
    say(
        f"error: {counted(len(failed), 'chunk')} ({counted(n_sents, 'sentence')}) failed, so "
        f"{shown_name(output)} is not complete{'' if parts else ' and was not written'}:"
    )
    for gap in failed[:_MAX_SHOWN]:
        say(f"  {gap}")
    if len(failed) > _MAX_SHOWN:
        say(f"  and {len(failed) - _MAX_SHOWN:,} more")
    where = f"{beside}.failed has their sentences, {beside}.part has all others"
    if parts is not None:
        where = "the files .failed in it have their sentences"
    say(f"{where}; use --resume to try them again")
    raise click.exceptions.Exit(1)


def _check_output(output: str, *, needs_file: bool) -> None:
    if output == "-" and needs_file:
        raise click.UsageError(
            "--json, --resume, --restart and --shard need a file to write: name it with -o, or "
            "a folder with --parts"
        )


def _inputs(
    files: tuple[str, ...], source: str | None, corrections: tuple[str, ...]
) -> tuple[str, ...]:
    """Return all input files, the source first."""
    if source is None:
        if corrections:
            raise click.UsageError("--cor needs a source: name it with --src")
        if not files:
            raise click.UsageError("give --src and --cor, or a file with edits")
        return files
    if not corrections:
        raise click.UsageError("--src needs at least one correction: name it with --cor")
    if files and len(corrections) > 1:
        raise click.UsageError("give each correction a --cor of its own, or all of them one")
    return source, *corrections, *files


def _checked_format(
    files: Sequence[str],
    source: str | None,
    columns: PairColumns | None,
    format_name: str | None,
    *,
    keep_spans: bool,
    tokenize: bool,
) -> str | None:
    """Return the format of the input; refuse options that it cannot have."""
    if source is None and columns is None:
        if tokenize:
            raise click.UsageError("--tokenize is for --src and --cor; a corpus has its tokens")
        return format_name
    if source is not None and columns is not None:
        raise click.UsageError("--columns is for a table; --src and --cor are plain text")
    if columns is not None and len(files) != 1:
        raise click.UsageError(f"--columns takes one table, not {len(files)} files")
    if keep_spans:
        raise click.UsageError("--keep-spans is for a corpus that has edits already")
    if format_name not in (None, "parallel"):
        raise click.UsageError("--format is for a corpus; --src and --cor are plain text")
    return "parallel"


def _show_progress(
    finished: Iterator[int], total: Callable[[], int | None], done: int
) -> Iterable[int]:
    return progress(finished, "annotating sentences", total=total, done=done)


def _suggest_resuming(output: str) -> None:
    """Suggest --resume after an interruption."""
    beside = local_name(output)
    part = Path(f"{beside}.part.json")
    if output != "-" and part.exists():
        say(f"finished sentences are saved in {beside}.part; use --resume to continue")
