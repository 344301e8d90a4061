"""``geceval convert``: conversion between file formats."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from geceval.cli._shared.options import (
    examples,
    json_option,
    output_format_option,
    reading_options,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.show import (
    counted,
    finding_records,
    print_findings,
    print_json,
    progress,
    say,
)
from geceval.formats import Findings
from geceval.formats.conversion import convert_files

_FIRST_CORRECTION = {
    "ixml": "the I-measure takes the first, the others are stored for geceval only",
    "parallel": "the first is written",
    "tsv": "the first is written",
}
"""How formats that cannot store alternative corrections handle them."""


@click.command(
    epilog=examples(
        """
        geceval convert official.sgml gold.m2
        geceval convert gold.m2 gold.xml
        geceval convert src.txt ref0.txt ref1.txt gold.m2
        geceval convert gold.m2 corrected.txt --apply --annotator 1
        geceval convert gold.m2 src.txt --source
        geceval convert essays.md corrected.md gold.m2 --lang sv
        zcat gold.m2.gz | geceval convert - gold.jsonl
        """
    )
)
@click.argument("files", metavar="IN... OUT", nargs=-1, required=True)
@output_format_option("by the extension of OUT")
@click.option(
    "--annotator", "annotators", multiple=True, help="Select this annotator (repeatable)."
)
@click.option("--apply", is_flag=True, help="Write the corrected sentences as plain text.")
@click.option(
    "--source", "source_only", is_flag=True, help="Write the source sentences as plain text."
)
@click.option(
    "--minimize", "minimal", is_flag=True, help="Trim unchanged tokens at both ends of edits."
)
@click.option(
    "--lang", default="", metavar="CODE", help="Language of raw text, such as de, to tokenize it."
)
@reading_options
@json_option
def convert(
    files: tuple[str, ...], apply: bool, source_only: bool, as_json: bool, **options: Any
) -> None:
    """Convert between file formats.

    Several input files are read as source and references, in this order. ``-`` is standard
    input or output; names that end in .gz or .zst are compressed.
    """
    if len(files) < 2:
        raise click.UsageError("give at least one file to read and the file to write")
    if apply and source_only:
        raise click.UsageError("--apply and --source exclude each other")
    *sources, target = files
    if as_json and target == "-":
        raise click.UsageError("--json and '-' would both write to standard output")
    protect(sources, [target])
    from geceval.validation.system_output import notice_other_text

    findings = Findings()
    result = convert_files(
        sources,
        target,
        findings=findings,
        apply=apply,
        source_only=source_only,
        progress=lambda sentences: notice_other_text(
            progress(sentences, "converting"), findings, path=", ".join(sources)
        ),
        **options,
    )
    if as_json:
        record = asdict(result)
        if not result.alignments:
            # Only Chinese has them.
            del record["alignments"]
        print_json({"schema": 1, **record, "findings": finding_records(findings)})
        return
    print_findings(findings, stderr=True)
    if result.not_applied:
        say(f"{counted(result.not_applied, 'edit')} not applied: past the end or over another")
    if result.with_alternatives and not source_only and result.written in _FIRST_CORRECTION:
        edits = f"{counted(result.with_alternatives, 'edit')} with several corrections"
        say(f"{edits}: {_FIRST_CORRECTION[result.written]}")
    if result.alignments:
        left_out = counted(result.alignments, "further alignment")
        say(f"{left_out} of the same corrections left out; --to m2-zh or jsonl keeps them")
    say(
        f"{counted(result.sentences, 'sentence')}, {counted(result.edits, 'edit')}: "
        f"{result.read} → {result.written} ({', '.join(result.files)})"
    )
