"""``geceval metrics``: the metrics, their options and what they need."""

from __future__ import annotations

import inspect
from typing import Any

import click

from geceval.cli._shared.options import examples, json_option
from geceval.cli._shared.show import console, print_json, say, table, text
from geceval.errors import GecevalError, UnknownNameError
from geceval.metrics.base import Metric
from geceval.metrics.options import Option, descriptions_of, options_of
from geceval.metrics.registry import canonical_name, extra_of, metric_class, metric_names
from geceval.metrics.specs import MetricSpec

_FOR_PYTHON = ("annotator", "notify", "pack_options")
"""Options that take a Python object, which has no text form."""


@click.command(
    epilog=examples(
        """
        geceval metrics
        geceval metrics m2
        geceval metrics --json
        """
    )
)
@click.argument("name", metavar="[NAME]", required=False)
@json_option
def metrics(name: str | None, as_json: bool) -> None:
    """List the metrics with their options, or describe one of them.

    Options are given to a metric in parentheses after its name: -m "m2(beta=1),gleu".
    """
    found: dict[str, type[Metric]] = {}
    failed: list[str] = []
    if name is not None:
        try:
            name = canonical_name(name)
        except UnknownNameError as error:
            raise click.UsageError(str(error)) from error
        found[name] = metric_class(name)
    else:
        for one in metric_names():
            try:
                found[one] = metric_class(one)
            except GecevalError as error:
                failed.append(str(error))
    if as_json:
        records = [_record(one, kind) for one, kind in found.items()]
        print_json({"schema": 1, "metrics": records, "warnings": failed})
        return
    for line in failed:
        say(f"warning: {line}")
    if name is not None:
        _print_one(name, found[name])
    else:
        _print_all(found)


def _options(kind: type[Metric]) -> dict[str, Option]:
    return {name: one for name, one in options_of(kind).items() if name not in _FOR_PYTHON}


def _needs(name: str, kind: type[Metric]) -> list[str]:
    extra = extra_of(name)
    return [
        *(["edits"] if kind.needs_edits else ["references"] if kind.needs_references else []),
        *([f"geceval[{extra}]"] if extra else []),
    ]


def _written(value: object) -> str:
    if value is inspect.Parameter.empty:
        return "…"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _record(name: str, kind: type[Metric]) -> dict[str, Any]:
    meanings = descriptions_of(kind)
    return {
        "name": name,
        "title": kind.title,
        "description": _summary(kind),
        "needs": _needs(name, kind),
        "options": [
            {
                "name": one.name,
                "default": None if one.default is inspect.Parameter.empty else one.default,
                "takes": one.allowed,
                "choices": list(one.choices),
                "range": one.range.record(),
                "description": meanings.get(one.name),
            }
            for one in _options(kind).values()
        ],
    }


def _summary(kind: type[Metric]) -> str:
    """Return the first sentence of the documentation."""
    return inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0].replace("\n", " ")


def _print_all(found: dict[str, type[Metric]]) -> None:
    rows = table(None, "metric", "title", "needs", "options")
    for name, kind in found.items():
        options = ", ".join(f"{o.name}={_written(o.default)}" for o in _options(kind).values())
        rows.add_row(*map(text, (name, kind.title, ", ".join(_needs(name, kind)), options)))
    console().print(rows)
    console().print("[dim]'geceval metrics NAME' describes the options of a metric.[/]")


def _print_one(name: str, kind: type[Metric]) -> None:
    out = console()
    out.print(f"[bold]{text(name)}[/]  {text(kind.title)}. {text(_summary(kind))}")
    out.print(f"needs: {text(', '.join(_needs(name, kind)) or 'nothing but the output')}")
    options, meanings = _options(kind), descriptions_of(kind)
    if options:
        rows = table("Options", "option", "default", "takes", "meaning")
        for one in options.values():
            cells = (one.name, _written(one.default), one.allowed, meanings.get(one.name, ""))
            rows.add_row(*map(text, cells))
        out.print(rows)
    example = f"geceval score -m {_example(name, options)} --gold gold.m2 system.txt"
    out.print(text(f"Example: {example}"), soft_wrap=True)


def _example(name: str, options: dict[str, Option]) -> str:
    """Write a metric with all that it needs, or one option at a value that is not the default."""
    needed = [one for one in options.values() if one.default is inspect.Parameter.empty]
    if needed:
        return f'"{MetricSpec(name, {one.name: one.name.upper() for one in needed})}"'
    for one in options.values():
        others = [choice for choice in one.choices if choice != one.default]
        if isinstance(one.default, bool):
            others = [not one.default]
        if others:
            return f'"{MetricSpec(name, {one.name: _written(others[0])})}"'
    first = {one.name: _written(one.default) for one in [*options.values()][:1]}
    return f'"{MetricSpec(name, first)}"'
