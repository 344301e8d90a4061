"""Inputs and output of studies of human judgments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from geceval.cli._shared.options import OutputForm
from geceval.cli._shared.scored_files import named_file
from geceval.cli._shared.show import (
    console,
    print_findings,
    print_json,
    print_signatures,
    print_tables,
    text,
)
from geceval.cli.metaeval._output import write_study
from geceval.errors import GecevalError
from geceval.formats import Findings
from geceval.metaeval.human.judgment_files import load_judgments
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.study import HumanStudy


def load_sets(
    files: Sequence[str], ignored_judges: Sequence[str], findings: Findings, encoding: str
) -> list[Judgments]:
    """Load the sets of judgments, named ``NAME=FILE`` or after their files."""
    found: list[Judgments] = []
    for file in files:
        name, path = named_file(file)
        name = name or Path(path).stem
        if any(one.name == name for one in found) or name == "combined":
            raise GecevalError(f"two sets are called {name!r}; name them NAME=FILE")
        found.append(load_judgments(path, name, findings=findings, encoding=encoding))
    judges = {judge for one in found for judge in one.judges}
    if unknown := [judge for judge in ignored_judges if judge not in judges]:
        known = ", ".join(sorted(judges))
        raise GecevalError(f"there is no judge {unknown[0]!r} to ignore (known: {known})")
    remaining = [one.without_judges(set(ignored_judges) & set(one.judges)) for one in found]
    if empty := [one.name for one in remaining if not len(one)]:
        raise GecevalError(f"{empty[0]}: no judgments are left")
    return remaining


def show_human(
    found: HumanStudy, findings: Findings, form: OutputForm, **wanted: str | None
) -> None:
    """Write the requested files, and print the study."""
    _write(found, **wanted)
    if form == "json":
        from geceval.metaeval.human.records import record

        print_json({**record(found), "warnings": findings.summary(notes=False)})
        return
    print_findings(findings, stderr=True, notes=False)
    _print(found, form)


def _write(found: HumanStudy, **wanted: str | None) -> None:
    from geceval.metaeval.human.figures import pictures
    from geceval.metaeval.human.tables import INTRODUCTION, sections, tables

    write_study(
        "Metrics and people",
        INTRODUCTION,
        tables=lambda: tables(found),
        pictures=lambda: pictures(found),
        sections=lambda: sections(found),
        **wanted,
    )


def _print(found: HumanStudy, form: OutputForm) -> None:
    from geceval.metaeval.human.tables import (
        concordance_table,
        describe,
        pairwise_table,
        ranking_table,
        rater_table,
        rating_table,
        summary_table,
    )

    if found.has_metrics:
        print_tables([summary_table(found)], form)
    elif form != "terminal":
        print_tables(map(ranking_table, found.sets), form)
    if form != "terminal":
        return
    for one in found.sets:
        console().print(f"[bold]{text(one.name)}[/bold]: {text(describe(one))}")
        shown = [ranking_table(one), rater_table(one)]
        if one.metrics:
            shown += [concordance_table(one), pairwise_table(one.name, one.pairwise)]
        if one.ratings:
            shown.append(rating_table(one))
        print_tables(shown, form)
    if not found.has_metrics:
        console().print("Give --gold, the gold standard, to correlate metrics with these rankings.")
    last = found.sets[-1]
    print_signatures(
        [one.signature for one in last.rankings] + [one.signature for one in last.metrics]
    )
