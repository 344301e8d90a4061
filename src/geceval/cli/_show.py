"""What commands print: tables, bars, findings, JSON and progress."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from geceval.formats import Finding, Findings

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Item = TypeVar("Item")

PROGRESS_AFTER = 2.0
"""Seconds after which something that still runs shows how far it is."""

_SHOWN = {"error": 5, "warning": 3, "note": 1}
_COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def console(*, stderr: bool = False) -> Console:
    """Return a console for standard output or standard error."""
    from rich.console import Console

    return Console(file=sys.stderr if stderr else sys.stdout, highlight=False, soft_wrap=False)


def table(title: str | None, *columns: str, numeric: Iterable[str] = ()) -> Table:
    """Make an empty table; numeric columns are set flush right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    result = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    numeric = set(numeric)
    for column in columns:
        result.add_column(column, justify="right" if column in numeric else "left")
    return result


def bars(
    title: str, counts: Mapping[str, int], *, width: int = 40, total: int | None = None
) -> Table:
    """Draw counts as a table with bars."""
    whole = sum(counts.values()) if total is None else total
    result = table(title, "", "count", "%", " ", numeric=("count", "%"))
    longest = max(counts.values(), default=1) or 1
    for label, count in counts.items():
        bar = "█" * max(1 if count else 0, round(width * count / longest))
        share = f"{100 * count / whole:.1f}" if whole else "–"
        result.add_row(text(label), f"{count:,}", share, f"[blue]{bar}[/blue]")
    return result


def text(value: object) -> str:
    """Escape what comes from a file, so that brackets in it are not taken for colours."""
    from rich.markup import escape

    return escape(str(value))


def print_json(data: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def finding_record(finding: Finding) -> dict[str, Any]:
    """Turn a finding into JSON."""
    return {
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "path": finding.path,
        "line": finding.line,
    }


def print_findings(findings: Findings, *, stderr: bool = False) -> None:
    """Print findings, the gravest first and of each kind the first few."""
    out = console(stderr=stderr)
    for code, group in findings.by_code():
        shown = group[: _SHOWN[group[0].severity]]
        for finding in shown:
            mark = f"[{_COLOURS[finding.severity]}]{finding.severity}[/]"
            out.print(f"{mark} {text(finding)} [dim]({code})[/dim]", soft_wrap=True)
        more = findings.counts[code] - len(shown)
        if more > 0:
            out.print(f"      [dim]… and {more:,} more of '{code}'[/dim]")


def progress(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterator[Item]:
    """Pass `items` on; after two seconds show how many have gone by, and how fast."""
    start = time.monotonic()
    iterator = iter(items)
    count = 0
    for item in iterator:
        yield item
        count += 1
        if count % 256 == 0 and time.monotonic() - start > PROGRESS_AFTER:
            break
    else:
        return
    yield from _shown(iterator, what, count, start, total)


def _shown(
    items: Iterator[Item], what: str, count: int, start: float, total: int | None
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
            if count % 256 == 0:
                rate = count / (time.monotonic() - start)
                shown.update(task, completed=count, rate=rate)
