"""``geceval metaeval gmeg``: correlation of metrics with the ratings of GMEG-Data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from geceval.cli._shared.metric_selection import metric_option, select_metrics
from geceval.cli._shared.options import OutputForm, examples
from geceval.cli._shared.protect import protect
from geceval.cli._shared.scoring import seed_option, show_jobs
from geceval.cli.metaeval._human import show_human
from geceval.cli.metaeval._output import (
    aggregation_option,
    procedure_option,
    resamples_option,
    study_options,
)
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings
from geceval.metaeval.human.aggregation import Aggregation
from geceval.metaeval.human.gmeg_data import DOMAINS, SPLITS, load_gmeg, paths
from geceval.metaeval.human.study import HumanStudy, SetStudy, study
from geceval.metaeval.human.trueskill import Procedure
from geceval.metrics.specs import MetricSpec

METRICS = tuple(map(MetricSpec, ("gleu", "sari", "bleu")))
"""Default metrics."""


@click.command(
    epilog=examples(
        """
        geceval metaeval gmeg GMEG
        geceval metaeval gmeg GMEG --domain wiki --split dev -m gleu,sari
        geceval metaeval gmeg GMEG -m gleu --aggregation trueskill -o gmeg.html
        """
    )
)
@click.argument("folder", metavar="DIR")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    type=click.Choice(DOMAINS),
    default=("wiki", "yahoo"),
    show_default=True,
    help="Domain (repeatable).",
)
@click.option(
    "--split",
    "splits",
    multiple=True,
    type=click.Choice(SPLITS),
    default=("test",),
    show_default=True,
    help="Part of the data (repeatable).",
)
@metric_option(
    default=None,
    help="Metrics that compare text, or 'all' (repeatable).  [gleu,sari,bleu]",
)
@aggregation_option
@procedure_option
@resamples_option
@seed_option
@study_options
def gmeg(
    folder: str,
    domains: Sequence[str],
    splits: Sequence[str],
    specs: Sequence[MetricSpec],
    aggregation: Aggregation,
    procedure: Procedure,
    resamples: int,
    seed: int,
    form: OutputForm,
    jobs: int,
    resume: str | None,
    format_name: str | None,
    encoding: str,  # noqa: ARG001 - the data are UTF-8
    **wanted: Any,
) -> None:
    """Correlate metrics with the ratings of GMEG-Data.

    DIR is a copy of GMEG-Data. Each domain and split is a set; metrics score the outputs against
    its references and are correlated with mean ratings, of systems and of single outputs.
    """
    if format_name is not None:
        raise click.UsageError("GMEG-Data is plain text: --format does not apply")
    wanted_sets = [(domain, split) for split in dict.fromkeys(splits) for domain in domains]
    if resume is not None and len(wanted_sets) > 1:
        raise click.UsageError("--resume takes one set: give one --domain and one --split")
    protect(paths(Path(folder), domains, splits), (resume, wanted["output"]))
    findings = Findings()
    metrics = select_metrics(specs or METRICS, findings, jobs=jobs, has_edits=False)
    sets: list[SetStudy] = []
    resampling = Resampling(resamples, seed=seed)
    for domain, split in dict.fromkeys(wanted_sets):
        data = load_gmeg(Path(folder), domain, split, findings)
        sets += study(
            [data.judgments],
            data.corpus,
            data.hypotheses,
            metrics,
            aggregation=aggregation,
            procedure=procedure,
            resampling=resampling,
            jobs=jobs,
            resume=resume,
            progress=show_jobs,
        ).sets
    found = HumanStudy(tuple(sets), resampling, aggregation)
    show_human(found, findings, form, **wanted)
