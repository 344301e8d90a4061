"""``geceval stats``: corpus statistics as tables and bar charts."""

from __future__ import annotations

from typing import Any

import click

from geceval.cli._shared.corpus_tables import print_statistics
from geceval.cli._shared.options import (
    encoding_option,
    examples,
    format_option,
    json_option,
    max_cells_option,
)
from geceval.cli._shared.show import finding_record, print_findings, print_json, progress
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
@format_option
@encoding_option
@max_cells_option
@json_option
def stats(files: tuple[str, ...], format_name: str | None, encoding: str, as_json: bool) -> None:
    """Show corpus statistics: sentences, annotators, edits, error types and lengths.

    Several files are read together, as source and references.
    """
    findings = Findings()
    with read_sentences(files, format=format_name, findings=findings, encoding=encoding) as (
        fmt,
        sentences,
    ):
        counts = CorpusStatistics.of(progress(sentences, "counting"))
    if as_json:
        record = statistics_record(counts)
        record["format"] = fmt.name
        record["findings"] = [finding_record(finding) for finding in findings]
        print_json(record)
        return
    print_findings(findings, stderr=True)
    print_statistics(counts, f"{', '.join(files)} ({fmt.title})")


def statistics_record(counts: CorpusStatistics) -> dict[str, Any]:
    """Return statistics as JSON."""
    return {
        "schema": 1,
        "sentences": counts.sentences,
        "tokens": counts.tokens,
        "empty": counts.empty,
        "unannotated": counts.unannotated,
        "edits": counts.edits,
        "insertions": counts.insertions,
        "deletions": counts.deletions,
        "replacements": counts.replacements,
        "flags": counts.flags,
        "optional": counts.optional,
        "with_alternatives": counts.with_alternatives,
        "annotators": {
            name: {"sentences": who.sentences, "noop": who.unchanged, "edits": who.edits}
            for name, who in counts.annotators.items()
        },
        "types": dict(counts.types.most_common()),
        "edits_per_reading": dict(sorted(counts.edits_per_reading.items())),
        "lengths": dict(sorted(counts.lengths.items())),
    }
