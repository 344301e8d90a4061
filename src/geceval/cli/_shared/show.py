"""Printing of tables, bar charts, findings, JSON and progress."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from geceval.cli._shared.encoding import can_encode, escaped_for, output_encoding
from geceval.formats import Finding, Findings
from geceval.formats.findings import Severity
from geceval.storage import strict_json
from geceval.visible import isolated, visible

if TYPE_CHECKING:
    from geceval.cli._shared.options import OutputForm
    from geceval.cli._shared.terminal import FittingTable as ShownTable
    from geceval.cli._shared.terminal import Terminal
    from geceval.presentation.table import Table

Item = TypeVar("Item")

PROGRESS_AFTER = 2.0
"""Seconds after which progress is shown."""

_BAR_WIDTH = 40
_SHOWN = {"error": 5, "warning": 3, "note": 1}
_COLORS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def console(*, stderr: bool = False) -> Terminal:
    """Return a console for standard output or standard error."""
    from geceval.cli._shared.terminal import Terminal

    return Terminal(stderr=stderr)


def table(title: str | None, *columns: str, numeric: Iterable[str] = ()) -> ShownTable:
    """Return an empty table; numeric columns are right-aligned and never wrapped."""
    from geceval.cli._shared.terminal import FittingTable

    result = FittingTable(None if title is None else text(title))
    numeric = set(numeric)
    for column in columns:
        result.add(text(column), "number" if column in numeric else "text")
    return result


def bars(
    title: str, counts: Mapping[str, int], *, rest: tuple[str, int] | None = None
) -> ShownTable:
    """Return counts as a table with bars; the `rest`, counted together, has none."""
    whole = sum(counts.values()) + (rest[1] if rest else 0)
    result = table(title, "", "count", "%", numeric=("count", "%"))
    result.add(" ", "bar")
    longest = max(counts.values(), default=1) or 1
    for label, count in counts.items():
        bar = "█" * max(1 if count else 0, round(_BAR_WIDTH * count / longest))
        result.add_row(text(label), f"{count:,}", _share(count, whole), f"[blue]{bar}[/blue]")
    if rest:
        result.add_row(f"[dim]{text(rest[0])}[/dim]", f"{rest[1]:,}", _share(rest[1], whole), "")
    return result


def _share(count: int, whole: int) -> str:
    return f"{100 * count / whole:.1f}" if whole else "–"


def text(value: object) -> str:
    """Escape markup and control characters in user data."""
    from rich.markup import escape

    return escape(visible(str(value)))


def exact(tokens: Iterable[str]) -> str:
    """Join and escape tokens, including characters that standard output lacks.

    On a terminal, text that is written from right to left is isolated from what is around it.
    """
    shown = text(escaped_for(" ".join(tokens), output_encoding()))
    return shown if shown.isascii() or not console().is_terminal else isolated(shown)


def say(message: str) -> None:
    """Print a message on standard error."""
    click.echo(visible(message, keep="\n"), err=True)


def counted(count: int, noun: str) -> str:
    """Format a count with its noun.

    Examples
    --------
    >>> counted(1, "edit"), counted(1312, "edit")
    ('1 edit', '1,312 edits')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def print_json(data: Any) -> None:
    """Print one JSON document; what standard output cannot encode is escaped."""
    document = strict_json.dumps(data, indent=2)
    if not can_encode(document, output_encoding()):
        document = strict_json.dumps(data, indent=2, ascii_only=True)
    click.echo(document)


def print_tables(tables: Iterable[Table], form: OutputForm) -> None:
    """Print tables for the terminal, as TSV or for LaTeX."""
    for item in tables:
        if form != "terminal":
            click.echo(item.as_tsv() if form == "tsv" else item.as_latex(), nl=False)
            continue
        numeric = (
            name for name, is_number in zip(item.header, item.numeric, strict=True) if is_number
        )
        rows = table(item.title, *item.header, numeric=numeric)
        for row in item.rows:
            rows.add_row(*(text(item.shown(cell)) for cell in row))
        console().print(rows)


def print_signatures(signatures: Iterable[str]) -> None:
    """Print signatures, one per line."""
    for signature in signatures:
        console().print(f"[dim]{text(signature)}[/dim]", soft_wrap=True)


def _shown_severity(finding: Finding, *, fails: bool) -> Severity:
    """Return the severity of a finding for a command; an error that it survives is a warning."""
    return "warning" if finding.severity == "error" and not fails else finding.severity


def finding_records(findings: Findings, *, fails: bool = False) -> list[dict[str, Any]]:
    """Return findings as JSON; `fails` if errors make the command fail."""
    return [
        {
            "severity": _shown_severity(finding, fails=fails),
            "code": finding.code,
            "message": finding.message,
            "path": finding.path,
            "line": finding.line,
        }
        for finding in findings
    ]


def print_findings(
    findings: Findings, *, stderr: bool = False, notes: bool = True, fails: bool = False
) -> None:
    """Print findings, the most severe first and the first few of each kind.

    With `fails`, errors are called so, since they make the command fail.
    """
    out = console(stderr=stderr)
    for code, group in findings.by_code(notes=notes):
        shown = _first(group, _SHOWN[group[0].severity])
        for finding in shown:
            severity = _shown_severity(finding, fails=fails)
            mark = f"[{_COLORS[severity]}]{severity}[/]"
            out.print(f"{mark} {text(finding)} [dim]({code})[/dim]", soft_wrap=True)
        more = findings.counts[code] - len(shown)
        if more > 0:
            out.print(f"      [dim]… and {more:,} more of '{code}'[/dim]")


def _first(group: Sequence[Finding], limit: int) -> list[Finding]:
    """Return the first findings, at least one of every file."""
    firsts = {finding.path: number for number, finding in reversed([*enumerate(group)])}
    chosen = sorted(firsts.values())
    others = (number for number in range(len(group)) if number not in set(chosen))
    chosen += itertools.islice(others, max(0, limit - len(chosen)))
    return [group[number] for number in sorted(chosen)]


def progress(
    items: Iterable[Item],
    what: str,
    *,
    total: int | Callable[[], int | None] | None = None,
    done: int = 0,
    every: int = 256,
) -> Iterator[Item]:
    """Iterate over `items`; after two seconds show the progress and speed.

    The clock is read once for `every` so many items. If the `total` is known, or estimated by a
    function, the remaining time is estimated from the speed of these items, excluding those that
    were `done` before.
    """
    start = time.monotonic()
    iterator = iter(items)
    count = 0
    for item in iterator:
        yield item
        count += 1
        if count % every == 0 and time.monotonic() - start > PROGRESS_AFTER:
            break
    else:
        return
    yield from _shown(iterator, what, count, start, total, done, every)


def _shown(
    items: Iterator[Item],
    what: str,
    count: int,
    start: float,
    total: int | Callable[[], int | None] | None,
    done: int,
    every: int,
) -> Iterator[Item]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    out = console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:,}{task.fields[of]}"),
        TextColumn("{task.fields[rate]}/s"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )

    def state() -> dict[str, Any]:
        rate = count / (time.monotonic() - start)
        known = total() if callable(total) else total
        of = "" if known is None else f" of {known:,}"
        seconds = 0 if known is None else math.ceil(max(0, known - done - count) / rate)
        left = "" if known is None else f"{timedelta(seconds=seconds)} left"
        shown_rate = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        return {
            "completed": done + count,
            "total": known,
            "rate": shown_rate,
            "of": of,
            "left": left,
        }

    # In a file, each bar would leave an empty line.
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as shown:
        task = shown.add_task(text(what), **state())
        for item in items:
            yield item
            count += 1
            if count % every == 0:
                shown.update(task, **state())


class Stages:
    """Progress bar of a computation in several stages, shown after two seconds.

    Call it with the items of each stage.
    """

    def __init__(self) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        out = console(stderr=True)
        columns = (
            SpinnerColumn(out.spinner),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self._shown = Progress(*columns, console=out, transient=True)
        self._task = self._shown.add_task("starting", total=None)
        self._timer = threading.Timer(PROGRESS_AFTER, self._shown.start)
        self._timer.daemon = True

    def begin(self, stage: str, total: int | None = None) -> None:
        """Start a stage."""
        self._shown.reset(self._task, description=visible(stage), total=total)

    def __call__(self, items: Sequence[Item], stage: str) -> Iterator[Item]:
        """Iterate over the items of a stage."""
        self.begin(stage, len(items))
        for item in items:
            yield item
            self._shown.advance(self._task)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        self._shown.stop()
