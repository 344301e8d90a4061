"""What commands print: tables, bars, findings, JSON and progress."""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from geceval.formats import Finding, Findings

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as ShownTable

    from geceval.tables import Table

Item = TypeVar("Item")

PROGRESS_AFTER = 2.0
"""Seconds after which something that still runs shows how far it is."""

WIDTH_OF_FILES = 160

_SHOWN = {"error": 5, "warning": 3, "note": 1}
_COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def console(*, stderr: bool = False) -> Console:
    """Return a console for standard output or standard error."""
    from rich.console import Console

    out = Console(file=sys.stderr if stderr else sys.stdout, highlight=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        # A file or a pipe has no width; eighty columns would cut tables for nothing.
        out.width = WIDTH_OF_FILES
    return out


def table(title: str | None, *columns: str, numeric: Iterable[str] = ()) -> ShownTable:
    """Make an empty table; numeric columns are set flush right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    result = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    numeric = set(numeric)
    for column in columns:
        is_number = column in numeric
        result.add_column(
            column,
            justify="right" if is_number else "left",
            no_wrap=is_number,
            min_width=None if is_number else 7,
            overflow="fold",
        )
    return result


def bars(
    title: str,
    counts: Mapping[str, int],
    *,
    rest: tuple[str, int] | None = None,
    width: int = 40,
) -> ShownTable:
    """Draw counts as a table with bars; the `rest`, counted together, gets none."""
    whole = sum(counts.values()) + (rest[1] if rest else 0)
    result = table(title, "", "count", "%", " ", numeric=("count", "%"))
    longest = max(counts.values(), default=1) or 1
    for label, count in counts.items():
        bar = "█" * max(1 if count else 0, round(width * count / longest))
        result.add_row(text(label), f"{count:,}", _share(count, whole), f"[blue]{bar}[/blue]")
    if rest:
        result.add_row(f"[dim]{text(rest[0])}[/dim]", f"{rest[1]:,}", _share(rest[1], whole), "")
    return result


def _share(count: int, whole: int) -> str:
    return f"{100 * count / whole:.1f}" if whole else "–"


def text(value: object) -> str:
    """Escape what comes from a file, so that brackets in it are not taken for colours."""
    from rich.markup import escape

    return escape(str(value))


def counted(count: int, noun: str) -> str:
    """Say how many there are of something.

    Examples
    --------
    >>> counted(1, "edit"), counted(1312, "edit")
    ('1 edit', '1,312 edits')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def print_json(data: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def print_tables(tables: Iterable[Table], *, as_tsv: bool) -> None:
    """Print tables with tabs between the cells, or for LaTeX."""
    for one in tables:
        click.echo(one.as_tsv() if as_tsv else one.as_latex(), nl=False)


def finding_record(finding: Finding) -> dict[str, Any]:
    """Turn a finding into JSON."""
    return {
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "path": finding.path,
        "line": finding.line,
    }


def print_findings(findings: Findings, *, stderr: bool = False, notes: bool = True) -> None:
    """Print findings, the gravest first and of each kind the first few."""
    out = console(stderr=stderr)
    for code, group in findings.by_code(notes=notes):
        shown = _first(group, _SHOWN[group[0].severity])
        for finding in shown:
            mark = f"[{_COLOURS[finding.severity]}]{finding.severity}[/]"
            out.print(f"{mark} {text(finding)} [dim]({code})[/dim]", soft_wrap=True)
        more = findings.counts[code] - len(shown)
        if more > 0:
            out.print(f"      [dim]… and {more:,} more of '{code}'[/dim]")


def _first(group: Sequence[Finding], limit: int) -> list[Finding]:
    """Choose the first findings to show, at least one of every file."""
    firsts = {finding.path: number for number, finding in reversed([*enumerate(group)])}
    chosen = sorted(firsts.values())
    others = (number for number in range(len(group)) if number not in set(chosen))
    chosen += itertools.islice(others, max(0, limit - len(chosen)))
    return [group[number] for number in sorted(chosen)]


def progress(
    items: Iterable[Item], what: str, *, total: int | None = None, every: int = 256
) -> Iterator[Item]:
    """Pass `items` on; after two seconds show how many have gone by, and how fast.

    The clock is looked at after `every` so many items.
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
    yield from _shown(iterator, what, count, start, total, every)


def _shown(
    items: Iterator[Item], what: str, count: int, start: float, total: int | None, every: int
) -> Iterator[Item]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,}"),
        TextColumn("{task.fields[rate]:,.0f}/s"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total, completed=count, rate=0.0)
        for item in items:
            yield item
            count += 1
            if count % every == 0:
                rate = count / (time.monotonic() - start)
                shown.update(task, completed=count, rate=rate)


class Stages:
    """Shows which stage of a long piece of work is under way, and how far it is.

    Nothing is shown for the first two seconds. Call it with the items of each stage.
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

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self._shown = Progress(*columns, console=console(stderr=True), transient=True)
        self._task = self._shown.add_task("starting", total=None)
        self._timer = threading.Timer(PROGRESS_AFTER, self._shown.start)
        self._timer.daemon = True

    def begin(self, stage: str, total: int | None = None) -> None:
        """Name the stage that comes now."""
        self._shown.reset(self._task, description=stage, total=total)

    def __call__(self, items: Sequence[Item], stage: str) -> Iterator[Item]:
        """Pass the items of a stage on."""
        self.begin(stage, len(items))
        for item in items:
            yield item
            self._shown.advance(self._task)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        self._shown.stop()
