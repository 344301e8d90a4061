"""Tables and bar charts of corpus statistics."""

from __future__ import annotations

from collections import Counter
from typing import Any

from geceval.cli._shared.show import bars, console, counted, table, text
from geceval.extraction.categories import CHINESE_LEGEND, CHINESE_OPERATIONS
from geceval.model import CorpusStatistics, annotator_order

TYPES_SHOWN = 25
EDITS_SHOWN = 10
LENGTH_STEP = 10


def print_statistics(counts: CorpusStatistics, title: str, *, n_types: int = TYPES_SHOWN) -> None:
    """Print tables and bar charts."""
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
        operations = {name.partition(":")[0] for name in counts.types}
        # Other languages have no S and no W.
        if operations <= CHINESE_OPERATIONS.keys() and operations & {"S", "W"}:
            out.print(f"[dim]{CHINESE_LEGEND}[/dim]")
    if counts.edits:
        out.print(bars("Edits per annotated sentence", _capped(counts.edits_per_reading)))
    if counts.sentences:
        out.print(bars("Tokens per sentence", _binned(counts.lengths)))


def _annotator_table(counts: CorpusStatistics) -> Any:
    numeric = ("sentences", "no change", "edits", "edits per 100 tokens")
    rows = table("Annotators", "annotator", *numeric, numeric=numeric)
    for name in sorted(counts.annotators, key=annotator_order):
        one = counts.annotators[name]
        rate = 100 * one.edits / counts.tokens if counts.tokens else 0.0
        rows.add_row(
            text(name), f"{one.sentences:,}", f"{one.unchanged:,}", f"{one.edits:,}", f"{rate:.2f}"
        )
    return rows


def _most(types: Counter[str], n_types: int) -> tuple[dict[str, int], tuple[str, int] | None]:
    """Return the most frequent types, and the others counted together."""
    shown = {name or "(none)": count for name, count in types.most_common(n_types)}
    n_more = len(types) - len(shown)
    rest = (f"{n_more} more types", types.total() - sum(shown.values())) if n_more > 0 else None
    return shown, rest


def _capped(counts: Counter[int]) -> dict[str, int]:
    """Count everything beyond the last bar together."""
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
