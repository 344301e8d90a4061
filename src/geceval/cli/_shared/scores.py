"""Tables of scores, and sentences with their edits marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from geceval.cli._shared.show import console, exact, print_signatures, table, text
from geceval.evaluation.evaluate import Result
from geceval.metrics.views import SentenceEdits
from geceval.model import Tokens

LEGEND = "[green]{correct ✓}[/]  [red]{wrong ✗}[/]  [yellow]{missed ○}[/]"
"""What the marks of edits mean."""


def shown(value: float) -> str:
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
                *(shown(result.score.parts[part]) for part in parts),
            )
        out.print(rows)
        print_signatures(dict.fromkeys(result.score.signature for result in same))


def marked(tokens: Tokens, view: SentenceEdits) -> str:
    """Write a sentence with the system's edits and the missed ones in it."""
    marks = [
        (edit.start, edit.end, edit.correction, "green" if edit.is_correct else "red")
        for edit in view.edits
    ]
    marks += [
        (edit.start, edit.end, edit.correction, "yellow") for edit in view.missed(len(tokens))
    ]
    signs = {"green": "✓", "red": "✗", "yellow": "○"}
    pieces: list[str] = []
    position = 0
    for start, end, correction, color in sorted(marks, key=lambda mark: mark[:2]):
        pieces.append(exact(tokens[position:start]))
        old, new = exact(tokens[start:end]) or "∅", exact(correction) or "∅"
        pieces.append(f"[{color}]{{{old} → {new} {signs[color]}}}[/]")
        position = max(position, end)
    pieces.append(exact(tokens[position:]))
    return " ".join(piece for piece in pieces if piece)
