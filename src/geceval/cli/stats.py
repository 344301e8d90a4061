"""``geceval stats``: corpus statistics as tables and bar charts."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from geceval.cli._shared.corpus_printing import print_statistics
from geceval.cli._shared.options import examples, json_option, reading_options
from geceval.cli._shared.show import finding_records, print_findings, print_json, progress
from geceval.formats import Findings, read_sentences
from geceval.model import CorpusStatistics


@click.command(
    epilog=examples(
        """
        geceval stats gold.m2
        geceval stats src.txt ref0.txt ref1.txt
        geceval stats gold.m2 --json | jq .types
        """
    )
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@reading_options
@json_option
def stats(files: tuple[str, ...], format_name: str | None, encoding: str, as_json: bool) -> None:
    """Show corpus statistics: sentences, annotators, edits, error types and lengths.

    Several files are read together, as source and references.
    """
    from geceval.validation.system_output import notice_other_text

    findings = Findings()
    with read_sentences(files, format=format_name, findings=findings, encoding=encoding) as (
        fmt,
        sentences,
    ):
        noticed = notice_other_text(sentences, findings, path=", ".join(files))
        counts = CorpusStatistics.of(progress(noticed, "counting"))
    if as_json:
        record = _record(counts)
        print_json({**record, "format": fmt.name, "findings": finding_records(findings)})
        return
    print_findings(findings, stderr=True)
    print_statistics(counts, f"{', '.join(files)} ({fmt.title})")


def _record(counts: CorpusStatistics) -> dict[str, Any]:
    return {
        "schema": 1,
        **{field.name: getattr(counts, field.name) for field in fields(counts)},
        "annotators": {
            name: {"sentences": one.sentences, "noop": one.unchanged, "edits": one.edits}
            for name, one in counts.annotators.items()
        },
        "types": dict(counts.types.most_common()),
        "edits_per_reading": dict(sorted(counts.edits_per_reading.items())),
        "lengths": dict(sorted(counts.lengths.items())),
    }
