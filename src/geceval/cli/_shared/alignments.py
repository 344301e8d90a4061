"""Printing of three-way alignments: source, output and chosen reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from geceval.cli._shared.encoding import escaped_for, output_encoding
from geceval.cli._shared.show import console, text
from geceval.metrics.views import Aligned, Column
from geceval.visible import visible

_COLORS = {"TP": "green", "TN": "dim", "FP": "red", "FN": "yellow", "FPN": "magenta"}
_GAP = "–"
_WIDTH = 100


def print_alignments(system: str, aligned: Iterable[Aligned]) -> None:
    """Print three rows for each sentence in which anything changes, the columns colored."""
    out = console()
    out.print("  ".join(f"[{color}]{kind}[/]" for kind, color in _COLORS.items()))
    for number, sentence in enumerate(aligned):
        if all(column.kind == "TN" for column in sentence.columns):
            continue
        note = " (the best that was found)" if sentence.is_limited else ""
        out.print(f"[bold]{text(system)}[/] sentence {number}{note}")
        for rows in alignment_rows(sentence.columns):
            for row in rows:
                out.print(f"  {row}", soft_wrap=True)


def alignment_rows(columns: Sequence[Column]) -> Iterator[list[str]]:
    """Yield source, hypothesis, reference and class of the columns, broken into short rows."""
    encoding = output_encoding()
    cells = [
        (
            *(
                escaped_for(visible(word), encoding) if word else _GAP
                for word in (column.source, column.hypothesis, column.reference)
            ),
            column.kind,
        )
        for column in columns
    ]
    widths = [max(map(len, cell)) for cell in cells]
    start = 0
    while start < len(cells):
        end, width = start + 1, widths[start]
        while end < len(cells) and width + 1 + widths[end] <= _WIDTH:
            width += 1 + widths[end]
            end += 1
        yield [
            " ".join(
                f"[{_COLORS[cells[place][3]]}]{text(cells[place][row].ljust(widths[place]))}[/]"
                for place in range(start, end)
            )
            for row in range(4)
        ]
        start = end
