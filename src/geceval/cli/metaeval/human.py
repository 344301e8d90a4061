"""``geceval metaeval human``: correlation of metrics with human rankings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from geceval.cli._shared.metric_selection import files_of, metric_option
from geceval.cli._shared.options import OutputForm, choice_option, examples
from geceval.cli._shared.protect import protect
from geceval.cli._shared.scored_files import named_file
from geceval.cli._shared.scoring import (
    WEIGHED_MISSING,
    missing_option,
    seed_option,
    show_jobs,
)
from geceval.cli.metaeval._human import load_sets, show_human
from geceval.cli.metaeval._output import (
    aggregation_option,
    load_gold,
    procedure_option,
    resamples_option,
    study_options,
)
from geceval.cli.metaeval._released import refuse_unused, show_released
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings
from geceval.metaeval.human.aggregation import Aggregation
from geceval.metaeval.human.study import (
    check_identical,
    load_systems,
    output_files,
    study,
)
from geceval.metaeval.human.trueskill import Procedure
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
        geceval metaeval human ratings.csv --systems outputs --gold gold.m2 --aggregation trueskill
        geceval metaeval human a.xml --systems outputs --gold gold.m2 --resume scores.jsonl
        geceval metaeval human a.xml --systems outputs --gold gold.m2 -m scores:scores.tsv,gleu
        geceval metaeval human a.xml b.csv --systems outputs --gold gold.m2 --protocol released
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
@choice_option(
    "--protocol",
    ["clean", "released"],
    default="clean",
    help="Correlate metrics on the text as it is, or as the code that made table 1 of the MAEGE "
    "paper: normalized text, and metrics rank systems by TrueSkill over their sentence scores.",
)
@missing_option(WEIGHED_MISSING)
@aggregation_option
@procedure_option
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
    protocol: str,
    missing: MissingPolicy | None,
    aggregation: Aggregation,
    procedure: Procedure,
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

    JUDGMENTS are rankings of system outputs, as Appraise XML or WMT CSV, or ratings, as CSV with
    the columns system, sentence, rating and optionally judge. Each file is a set; several are also
    analyzed together. Without a gold standard, systems are ranked by the judgments, and judges are
    compared with each other.
    """
    is_released = protocol == "released"
    if is_released:
        refuse_unused(click.get_current_context())
    if gold is None and (specs or missing or resume or is_released or aggregation != "own"):
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
        one.moved(-first_sentence)
        for one in load_sets(judgments, ignored_judges, findings, encoding)
    ]
    judged = sorted({name for one in given for name in one.systems})
    protect(output_files(Path(folder), judged).values(), outputs)
    hypotheses = load_systems(Path(folder), judged, corpus, findings, encoding=encoding)
    if is_released and corpus is not None:
        for one in given:
            check_identical(one, hypotheses, findings)
        show_released(given, corpus, hypotheses, metrics, findings, form)
        return
    found = study(
        given,
        corpus,
        hypotheses,
        metrics,
        names=None if sets is None else [name.strip() for name in sets.split(",")],
        aggregation=aggregation,
        procedure=procedure,
        resampling=Resampling(resamples, seed=seed),
        jobs=jobs,
        resume=resume,
        progress=show_jobs,
    )
    for one in given:
        check_identical(one, hypotheses, findings)
    show_human(found, findings, form, **wanted)
