"""``geceval stats``: what a file holds, as tables and small plots."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from geceval.cli._shared.options import (
    encoding_option,
    examples,
    format_option,
    json_option,
    max_cells_option,
)
from geceval.cli._shared.show import (
    bars,
    console,
    counted,
    finding_record,
    print_findings,
    print_json,
    progress,
    table,
    text,
)
from geceval.formats import Findings, read_sentences
from geceval.model import CorpusStatistics, annotator_order

TYPES_SHOWN = 25
EDITS_SHOWN = 10
LENGTH_STEP = 10


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
    """Count what a file holds: sentences, annotators, edits, types, lengths.

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
    """Turn statistics into JSON."""
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


def print_statistics(counts: CorpusStatistics, title: str, *, n_types: int = TYPES_SHOWN) -> None:
    """Print tables and plots."""
    out = console()
    out.print(f"[bold]{text(title)}[/bold]")
    out.print(
        f"{counted(counts.sentences, 'sentence')}, {counted(counts.tokens, 'token')}, "
        f"{counted(counts.edits, 'edit')}: "
        f"{counts.replacements:,} replace, {counts.insertions:,} insert, "
        f"{counts.deletions:,} delete, {counts.flags:,} only flag"
    )
    if counts.annotators:
        out.print(_annotator_table(counts))
    if counts.types:
        shown, rest = _most(counts.types, n_types)
        out.print(bars("Error types", shown, rest=rest))
    if counts.edits:
        out.print(bars("Edits per annotated sentence", _capped(counts.edits_per_reading)))
    if counts.sentences:
        out.print(bars("Tokens per sentence", _binned(counts.lengths)))


def _annotator_table(counts: CorpusStatistics) -> Any:
    numeric = ("sentences", "no change", "edits", "edits per 100 tokens")
    rows = table("Annotators", "annotator", *numeric, numeric=numeric)
    for name in sorted(counts.annotators, key=annotator_order):
        who = counts.annotators[name]
        rate = 100 * who.edits / counts.tokens if counts.tokens else 0.0
        rows.add_row(
            text(name), f"{who.sentences:,}", f"{who.unchanged:,}", f"{who.edits:,}", f"{rate:.2f}"
        )
    return rows


def _most(types: Counter[str], n_types: int) -> tuple[dict[str, int], tuple[str, int] | None]:
    """Keep the most frequent types and count the rest together."""
    shown = {name or "(none)": count for name, count in types.most_common(n_types)}
    n_more = len(types) - len(shown)
    rest = (f"{n_more} more types", types.total() - sum(shown.values())) if n_more > 0 else None
    return shown, rest


def _capped(counts: Counter[int]) -> dict[str, int]:
    """Count everything past the last bar together."""
    shown = {str(number): counts[number] for number in range(min(EDITS_SHOWN, max(counts)) + 1)}
    rest = sum(count for number, count in counts.items() if number > EDITS_SHOWN)
    if rest:
        shown[f"> {EDITS_SHOWN}"] = rest
    return shown


def _binned(lengths: Counter[int]) -> dict[str, int]:
    """Group lengths by tens, long ones together."""
    bins: Counter[int] = Counter()
    for length, count in lengths.items():
        bins[min(max(length - 1, 0) // LENGTH_STEP, EDITS_SHOWN)] += count
    labels = {
        number: f"> {number * LENGTH_STEP}"
        if number == EDITS_SHOWN
        else f"{number * LENGTH_STEP + 1}–{(number + 1) * LENGTH_STEP}"
        for number in range(max(bins) + 1)
    }
    return {label: bins[number] for number, label in labels.items()}
