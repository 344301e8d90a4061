"""``geceval check``: validation of input files."""

from __future__ import annotations

from typing import Any

import click

from geceval.cli._shared.options import examples, json_option, reading_options
from geceval.cli._shared.protect import protect
from geceval.cli._shared.show import (
    console,
    counted,
    finding_records,
    print_findings,
    print_json,
    table,
    text,
)
from geceval.formats import write_sentences
from geceval.model import annotator_order
from geceval.validation.check import (
    FileReport,
    FixedFile,
    ValidationReport,
    fix_loaded,
    validate_files,
)


@click.command(
    epilog=examples(
        """
        geceval check gold.m2
        geceval check gold.m2 system1.txt system2.txt
        geceval check src.txt ref0.txt ref1.txt
        geceval check gold.m2 --lang de
        geceval check gold.m2 --fix fixed.m2
        geceval check gold.m2 system1.txt --fix fixed.txt
        """
    )
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--fix", metavar="OUT", help="Write the last FILE, fixed, to OUT and list each fix.")
@click.option("--lang", default="", metavar="CODE", help="Language of the text, such as de.")
@reading_options
@json_option
def check(
    files: tuple[str, ...],
    fix: str | None,
    lang: str,
    format_name: str | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Validate input files and optionally fix them.

    The first FILE is a gold standard or a source text; the others are compared with it line by
    line. The exit code is 1 if something was found that would make a score wrong.
    """
    if fix == "-":
        raise click.UsageError("--fix and the report would both write to standard output")
    protect(files, [fix])
    result = validate_files(files, format=format_name, encoding=encoding, lang=lang)
    if not as_json:
        _print(result)
    fixed = None
    if fix is not None and len(result.files) == len(files):
        fixed = _fix(result, fix)
    if as_json:
        print_json(_record(result, fixed))
    elif fixed is not None and fix is not None:
        _print_fixes(fixed, fix)
    elif fix is not None:
        console().print(f"{text(fix)} was not written: not every file could be read")
    if not result.is_valid:
        raise SystemExit(1)


def _fix(result: ValidationReport, target: str) -> FixedFile:
    """Write the last file, fixed, in its own format if possible."""
    first, *others = result.loaded
    fixed = fix_loaded(others[-1], against=first) if others else fix_loaded(first)
    name = None if fixed.format.write is None else fixed.format.name
    write_sentences(fixed.sentences, target, format=name)
    return fixed


def _record(result: ValidationReport, fixed: FixedFile | None) -> dict[str, Any]:
    record: dict[str, Any] = {
        "schema": 1,
        "ok": result.is_valid,
        "files": [_file_record(report) for report in result.files],
        "counts": dict(result.findings.counts),
        "findings": finding_records(result.findings, fails=True),
    }
    if fixed is not None:
        record["repairs"] = fixed.changes
    return record


def _file_record(report: FileReport) -> dict[str, Any]:
    stats = report.statistics
    return {
        "path": report.path,
        "format": report.format,
        "sentences": stats.sentences,
        "tokens": stats.tokens,
        "empty": stats.empty,
        "unannotated": stats.unannotated,
        "edits": stats.edits,
        "annotators": {
            name: {
                "sentences": person.sentences,
                "absent": stats.sentences - person.sentences,
                "noop": person.unchanged,
                "edits": person.edits,
            }
            for name, person in stats.annotators.items()
        },
        "types": dict(stats.types.most_common()),
    }


def _print(result: ValidationReport) -> None:
    out = console()
    for report in result.files:
        stats = report.statistics
        out.print(
            f"[bold]{text(report.path)}[/bold]  {report.title}, "
            f"{counted(stats.sentences, 'sentence')}, {counted(stats.tokens, 'token')}, "
            f"{counted(stats.edits, 'edit')} of {counted(len(stats.types), 'type')}"
        )
        if stats.annotators:
            rows = table(
                None, "annotator", "sentences", "absent", "no change", "edits",
                numeric=("sentences", "absent", "no change", "edits"),
            )  # fmt: skip
            for name in sorted(stats.annotators, key=annotator_order):
                person = stats.annotators[name]
                absent = stats.sentences - person.sentences
                rows.add_row(
                    text(name),
                    f"{person.sentences:,}",
                    f"{absent:,}",
                    f"{person.unchanged:,}",
                    f"{person.edits:,}",
                )
            out.print(rows)
    print_findings(result.findings, fails=True)
    if not result.findings:
        out.print("[green]No problems found.[/green]")
    elif result.is_valid:
        out.print("[green]No errors found: scores are not affected.[/green]")
    else:
        out.print("[bold red]Errors found: scores would be wrong.[/bold red]")


def _print_fixes(fixed: FixedFile, target: str) -> None:
    out = console()
    out.print(f"[bold]{counted(len(fixed.changes), 'repair')}[/bold], written to {text(target)}")
    for line in fixed.changes:
        out.print(f"  {text(line)}", soft_wrap=True)
