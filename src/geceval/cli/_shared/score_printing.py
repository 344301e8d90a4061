"""Printing of scores, comparisons, marked edits and alignments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import get_args

from geceval.cli._shared.encoding import escaped_for, output_encoding
from geceval.cli._shared.show import console, exact, print_signatures, table, text
from geceval.evaluation.evaluate import Result
from geceval.evaluation.resampling import Comparison
from geceval.metrics.views import (
    Aligned,
    ChunkClass,
    ChunkedSentence,
    Column,
    ColumnClass,
    SentenceEdits,
)
from geceval.model import Tokens
from geceval.visible import lay_out, visible

LEGEND = "[green]{correct ✓}[/]  [red]{wrong ✗}[/]  [yellow]{missed ○}[/]"
"""Legend of marked edits."""

_COLORS = {
    "TP": "green",
    "TN": "dim",
    "FP": "red",
    "FN": "yellow",
    "FPN": "magenta",
    "FPne": "magenta",
    "FPun": "red",
}
_GAP = "–"
_NOTHING = "∅"
_WIDTH = 100


def _shown(value: float) -> str:
    """Format counts as integers, and everything else with four digits."""
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def print_scores(results: Sequence[Result]) -> None:
    """Print one table for each metric, with the best score in bold."""
    out = console()
    for _, group in groupby(results, key=lambda result: result.score.metric):
        same = list(group)
        first = same[0]
        level = first.interval.level if first.interval else 0.95
        parts = first.metric.table_parts or tuple(first.score.parts)
        numeric = (first.metric.score_name, f"{100 * level:g} % interval", *parts)
        rows = table(first.metric.title, "system", *numeric, numeric=numeric)
        best = max(result.score.value for result in same)
        for result in same:
            value = f"{result.score.value:.4f}"
            interval = result.interval
            rows.add_row(
                text(result.system),
                f"[bold green]{value}[/]" if result.score.value == best else value,
                f"{interval.low:.4f}–{interval.high:.4f}" if interval else "",
                *(_shown(result.score.parts[part]) for part in parts),
            )
        out.print(rows)
        print_signatures(dict.fromkeys(result.score.signature for result in same))


def print_comparisons(title: str, rows: Sequence[Comparison]) -> None:
    """Print differences, with significant ones in bold."""
    level = rows[0].interval.level
    numeric = ("difference", f"{100 * level:g} % interval", "p", "adjusted p")
    lines = table(
        f"{title}: second − first", "first", "second", *numeric, "better", numeric=numeric
    )
    for row in rows:
        difference = f"{row.difference:+.4f}"
        is_significant = row.is_significant(level)
        better = (row.second if row.difference > 0 else row.first) if is_significant else None
        lines.add_row(
            text(row.first),
            text(row.second),
            f"[bold]{difference}[/]" if is_significant else difference,
            f"{row.interval.low:+.4f} … {row.interval.high:+.4f}",
            f"{row.p_value:.4f}",
            f"{row.adjusted_p_value:.4f}",
            f"[green]{text(better)}[/]" if better else "[dim]not significant[/]",
        )
    console().print(lines)


def marked(tokens: Tokens, view: SentenceEdits) -> str:
    """Format a sentence with the edits of the system and the missed ones."""
    marks = [
        (edit.start, edit.end, edit.correction, "green" if edit.is_correct else "red")
        for edit in view.edits
    ]
    marks += [
        (edit.start, edit.end, edit.correction, "yellow") for edit in view.missed(len(tokens))
    ]
    signs = {"green": "✓", "red": "✗", "yellow": "○"}
    pieces: list[tuple[str, bool]] = []
    position = 0
    for start, end, correction, color in sorted(marks, key=lambda mark: mark[:2]):
        pieces.append((exact(tokens[position:start]), False))
        old, new = exact(tokens[start:end]) or "∅", exact(correction) or "∅"
        pieces.append((f"[{color}]{{{old} → {new} {signs[color]}}}[/]", True))
        position = max(position, end)
    pieces.append((exact(tokens[position:]), False))
    shown = [piece for piece in pieces if piece[0]]
    sentence = " ".join(tokens)
    if not sentence.isascii() and console().is_terminal:
        return lay_out(sentence, shown)
    return " ".join(piece for piece, _ in shown)


def print_alignments(system: str, aligned: Iterable[Aligned]) -> None:
    """Print each changed sentence in rows of source, output, reference and class of columns."""
    out = console()
    out.print(_class_legend(get_args(ColumnClass)))
    for number, sentence in enumerate(aligned):
        if all(column.kind == "TN" for column in sentence.columns):
            continue
        note = " (the best that was found)" if sentence.is_limited else ""
        out.print(f"[bold]{text(system)}[/] sentence {number}{note}")
        for rows in _alignment_rows(sentence.columns):
            for row in rows:
                out.print(f"  {row}", soft_wrap=True)


def _alignment_rows(columns: Sequence[Column]) -> Iterator[list[str]]:
    """Yield source, hypothesis, reference and class of the columns, wrapped."""
    cells = [
        (
            *(
                _cell(word) if word else _GAP
                for word in (column.source, column.hypothesis, column.reference)
            ),
            column.kind,
        )
        for column in columns
    ]
    return _wrapped(cells, " ")


def _cell(words: str) -> str:
    return escaped_for(visible(words), output_encoding())


def _class_legend(classes: Iterable[str]) -> str:
    return "  ".join(f"[{_COLORS[kind]}]{kind}[/]" for kind in classes)


def _wrapped(cells: Sequence[Sequence[str]], between: str) -> Iterator[list[str]]:
    """Yield the rows of a table given by columns, as many columns at a time as fit.

    The last cell of a column is its class, which determines its color.
    """
    widths = [max(map(len, cell)) for cell in cells]
    start = 0
    while start < len(cells):
        end, width = start + 1, widths[start]
        while end < len(cells) and width + len(between) + widths[end] <= _WIDTH:
            width += len(between) + widths[end]
            end += 1
        yield [
            between.join(
                f"[{_COLORS[cells[place][-1]]}]{text(cells[place][row].ljust(widths[place]))}[/]"
                for place in range(start, end)
            )
            for row in range(len(cells[start]))
        ]
        start = end


def print_chunks(system: str, sentences: Iterable[ChunkedSentence | None]) -> None:
    """Print the chunks of each changed sentence: source, output, references and class."""
    out = console()
    out.print(_class_legend(get_args(ChunkClass)))
    for number, sentence in enumerate(sentences):
        if sentence is None or sentence.is_unchanged:
            continue
        reading = f", reading {text(sentence.reading)}" if sentence.reading else ""
        chosen = "all annotators" if sentence.chosen is None else f"annotator {sentence.chosen}"
        out.print(f"[bold]{text(system)}[/] sentence {number}{reading}, {text(chosen)}")
        names = ["source", "output", *(visible(name) for name in sentence.annotators), "class"]
        width = max(map(len, names))
        cells = [
            (
                *(
                    _cell(" ".join(tokens)) or _NOTHING
                    for tokens in (chunk.source, chunk.hypothesis, *chunk.references)
                ),
                chunk.kind,
            )
            for chunk in sentence.chunks
        ]
        for rows in _wrapped(cells, " │ "):
            for name, row in zip(names, rows, strict=True):
                out.print(f"  [dim]{text(name.ljust(width))}[/]  {row}", soft_wrap=True)
