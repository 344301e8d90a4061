"""``geceval metaeval seeda``: evaluation of metrics by the protocol of SEEDA."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from geceval.cli._shared.metric_selection import files_of, metric_option
from geceval.cli._shared.options import OutputForm, examples
from geceval.cli._shared.protect import protect
from geceval.cli._shared.scored_files import named_file
from geceval.cli._shared.scoring import seed_option, show_jobs
from geceval.cli._shared.show import (
    console,
    print_findings,
    print_json,
    print_signatures,
    print_tables,
)
from geceval.cli.metaeval._output import (
    aggregation_option,
    load_gold,
    procedure_option,
    resamples_option,
    study_options,
    write_study,
)
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings
from geceval.metaeval.human.aggregation import Aggregation
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.trueskill import Procedure
from geceval.metaeval.seeda.dataset import Seeda, load_seeda, read_scores
from geceval.metaeval.seeda.study import WINDOW_SIZES, SeedaStudy, score, study
from geceval.metrics.specs import MetricSpec

METRICS = tuple(map(MetricSpec, ("m2", "gleu")))
"""Default metrics."""


@click.command(
    epilog=examples(
        """
        geceval metaeval seeda SEEDA
        geceval metaeval seeda SEEDA --gold official-2014.combined.m2 -m m2,gleu,errant
        geceval metaeval seeda SEEDA --scores ours=scores.txt --window 4
        geceval metaeval seeda SEEDA --gold gold.m2 -m errant --aggregation trueskill
        geceval metaeval seeda SEEDA --figures figures -o seeda.html
        """
    )
)
@click.argument("folder", metavar="DIR")
@click.option(
    "--gold", metavar="FILE", help="Gold standard of CoNLL-2014, to score the outputs with -m."
)
@metric_option(
    default=None,
    help="Metrics, or 'all' (repeatable); needs --gold.  [m2,gleu]",
)
@click.option(
    "--scores",
    "score_files",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Scores of another metric: one number per system, in alphabetical order (repeatable).",
)
@click.option(
    "--window",
    "windows",
    multiple=True,
    type=click.IntRange(min=3),
    default=WINDOW_SIZES,
    show_default=True,
    metavar="N",
    help="Systems in a sliding window (repeatable).",
)
@aggregation_option
@procedure_option
@resamples_option
@seed_option
@study_options
def seeda(
    folder: str,
    gold: str | None,
    specs: Sequence[MetricSpec],
    score_files: Sequence[str],
    windows: Sequence[int],
    aggregation: Aggregation,
    procedure: Procedure,
    resamples: int,
    seed: int,
    form: OutputForm,
    jobs: int,
    resume: str | None,
    format_name: str | None,
    encoding: str,
    **wanted: Any,
) -> None:
    """Correlate metrics with the human scores of SEEDA, by its protocol.

    DIR is a copy of SEEDA. Its published metric scores are correlated with its human scores; with
    --gold, the metrics of -m also score its outputs on the judged sentences.
    """
    if gold is None and (specs or resume):
        raise click.UsageError("our metrics need a gold standard: give --gold")
    own_files = (path for ending in ("xml", "txt") for path in Path(folder).rglob(f"*.{ending}"))
    given_files = (named_file(file)[1] for file in score_files)
    protect([gold, *given_files, *own_files, *files_of(specs)], (resume, wanted["output"]))
    findings = Findings()
    data = load_seeda(Path(folder), findings)
    resampling = Resampling(resamples, seed=seed)
    own = [_given_scores(file, data, findings) for file in score_files]
    if gold is not None:
        corpus, metrics = load_gold(
            gold,
            specs or METRICS,
            findings,
            jobs=jobs,
            format_name=format_name,
            encoding=encoding,
        )
        own += score(
            data, corpus, metrics, resampling=resampling, resume=resume, progress=show_jobs
        )
    elif aggregation != "own":
        raise click.UsageError("published scores are not aggregated: give --gold")
    found = study(
        data,
        own,
        window_sizes=tuple(dict.fromkeys(windows)),
        aggregation=aggregation,
        procedure=procedure,
        resampling=resampling,
        jobs=jobs,
        progress=show_jobs,
    )
    _write(found, **wanted)
    if form == "json":
        from geceval.metaeval.seeda.tables import record

        print_json({**record(found), "warnings": findings.summary(notes=False)})
        return
    print_findings(findings, stderr=True, notes=False)
    _print(found, form, has_gold=gold is not None)


def _given_scores(file: str, data: Seeda, findings: Findings) -> MetricScores:
    name, path = named_file(file)
    name = name or Path(path).stem
    scores = read_scores(Path(path), data.systems, findings)
    return MetricScores(name, name, scores, {}, f"{name}|file:{Path(path).name}")


def _write(found: SeedaStudy, **wanted: str | None) -> None:
    from geceval.metaeval.seeda.tables import INTRODUCTION, pictures, sections, tables

    write_study(
        "Metrics by SEEDA's protocol",
        INTRODUCTION,
        tables=lambda: tables(found),
        pictures=lambda: pictures(found),
        sections=lambda: sections(found),
        **wanted,
    )


def _print(found: SeedaStudy, form: OutputForm, *, has_gold: bool) -> None:
    from geceval.metaeval.seeda.tables import (
        human_tables,
        pairwise_tables,
        sentence_tables,
        summary_tables,
    )

    print_tables(summary_tables(found), form)
    if form != "terminal":
        return
    print_tables([*human_tables(found), *sentence_tables(found), *pairwise_tables(found)], form)
    if not has_gold:
        console().print(
            "Give --gold, the gold standard of CoNLL-2014, to score the outputs with our metrics, "
            "sentence by sentence too."
        )
    print_signatures(
        [one.signature for one in found.used.values()] + [one.signature for one in found.metrics]
    )
