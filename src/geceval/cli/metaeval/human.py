"""``geceval metaeval human``: correlation of metrics with human rankings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from geceval.cli._shared.metric_selection import files_of, metric_option
from geceval.cli._shared.options import OutputForm, examples
from geceval.cli._shared.protect import protect
from geceval.cli._shared.scoring import (
    WEIGHED_MISSING,
    missing_option,
    named_file,
    seed_option,
    show_jobs,
)
from geceval.cli._shared.show import (
    console,
    print_findings,
    print_json,
    print_signatures,
    print_tables,
    text,
)
from geceval.cli.metaeval._output import load_gold, resamples_option, study_options, write_study
from geceval.errors import GecevalError
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings
from geceval.metaeval.human.judgments import Judgments, load_judgments
from geceval.metaeval.human.study import (
    HumanStudy,
    check_identical,
    load_systems,
    output_files,
    study,
)
from geceval.metrics.base import Metric
from geceval.metrics.specs import MetricSpec
from geceval.model import Corpus, MissingPolicy

METRICS = tuple(map(MetricSpec, ("gleu", "m2", "sari", "bleu")))
"""Default metrics."""


@click.command(
    epilog=examples(
        """
        geceval metaeval human judgments.xml --systems outputs
        geceval metaeval human judgments.xml --systems outputs --gold gold.m2
        geceval metaeval human GJG15=a.xml NSPT15=b.csv --systems outputs --gold gold.m2 -m gleu,m2
        geceval metaeval human a.xml --without-judge non-native --systems outputs --gold gold.m2
        geceval metaeval human a.xml --systems outputs --gold gold.m2 -m all -o human.html
        geceval metaeval human a.xml --systems outputs --gold gold.m2 --resume scores.jsonl
        """
    )
)
@click.argument("judgments", metavar="[NAME=]JUDGMENTS...", nargs=-1, required=True)
@click.option(
    "--systems", "folder", required=True, metavar="DIR", help="System outputs, one file for each."
)
@click.option(
    "--gold",
    metavar="FILE",
    help="Gold standard; without it, only the judgments are analyzed.",
)
@metric_option(
    default=None,
    help="Metrics, or 'all' (repeatable); needs --gold.  [gleu,m2,sari,bleu]",
)
@click.option("--sets", metavar="NAME,…", help="Sets to analyze, including 'combined'.  [all]")
@click.option(
    "--without-judge",
    "ignored_judges",
    multiple=True,
    metavar="NAME",
    help="Ignore the judgments of a judge (repeatable).",
)
@click.option(
    "--first-sentence",
    type=click.IntRange(0, 1),
    default=0,
    show_default=True,
    help="Number of the first sentence in the judgments.",
)
@missing_option(WEIGHED_MISSING)
@resamples_option
@seed_option
@study_options
def human(
    judgments: Sequence[str],
    folder: str,
    gold: str | None,
    specs: Sequence[MetricSpec],
    sets: str | None,
    ignored_judges: Sequence[str],
    first_sentence: int,
    missing: MissingPolicy | None,
    resamples: int,
    seed: int,
    jobs: int,
    resume: str | None,
    format_name: str | None,
    encoding: str,
    form: OutputForm,
    **wanted: Any,
) -> None:
    """Correlate metrics with human rankings, on the sentences that were judged.

    JUDGMENTS are rankings of system outputs, as Appraise XML or WMT CSV. Each file is a set;
    several are also analyzed together. Without a gold standard, systems are ranked by the
    judgments, and judges are compared with each other.
    """
    if gold is None and (specs or missing or resume):
        raise click.UsageError("metrics need a gold standard: give --gold")
    outputs = (resume, wanted["output"])
    protect([gold, *(named_file(one)[1] for one in judgments), *files_of(specs)], outputs)
    findings = Findings()
    corpus: Corpus | None = None
    metrics: list[Metric] = []
    if gold is not None:
        corpus, metrics = load_gold(
            gold,
            specs or METRICS,
            findings,
            jobs=jobs,
            format_name=format_name,
            encoding=encoding,
            missing=missing,
        )
    given = [
        one.moved(-first_sentence) for one in _load(judgments, ignored_judges, findings, encoding)
    ]
    judged = sorted({name for one in given for name in one.systems})
    protect(output_files(Path(folder), judged).values(), outputs)
    hypotheses = load_systems(Path(folder), judged, corpus, findings, encoding=encoding)
    found = study(
        given,
        corpus,
        hypotheses,
        metrics,
        names=None if sets is None else [name.strip() for name in sets.split(",")],
        resampling=Resampling(resamples, seed=seed),
        resume=resume,
        progress=show_jobs,
    )
    for one in given:
        check_identical(one, hypotheses, findings)
    _write(found, **wanted)
    if form == "json":
        from geceval.metaeval.human.tables import record

        print_json({**record(found), "warnings": findings.summary(notes=False)})
        return
    print_findings(findings, stderr=True, notes=False)
    _print(found, form)


def _load(
    files: Sequence[str], ignored_judges: Sequence[str], findings: Findings, encoding: str
) -> list[Judgments]:
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
        ranking_table,
        rater_table,
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
        concordance = [concordance_table(one)] if one.metrics else []
        print_tables([ranking_table(one), rater_table(one), *concordance], form)
    if not found.has_metrics:
        console().print("Give --gold, the gold standard, to correlate metrics with these rankings.")
    last = found.sets[-1]
    print_signatures(
        [one.signature for one in last.rankings] + [one.signature for one in last.metrics]
    )
