"""``geceval metaeval card``: all results of one metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from geceval.cli._shared.metric_selection import select_metrics
from geceval.cli._shared.options import (
    OutputForm,
    examples,
    form_options,
    jobs_option,
    lang_option,
    reading_options,
)
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
from geceval.cli.metaeval._human import load_sets
from geceval.cli.metaeval._output import load_gold, resamples_option, write_study
from geceval.errors import OptionError, UnknownNameError
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings, open_output
from geceval.metaeval.card.metric_card import Card, built_in_cards, load_cards, make_cards, record
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.study import load_systems
from geceval.metaeval.seeda.dataset import load_seeda
from geceval.metrics.base import Metric
from geceval.metrics.specs import ALL, MetricSpec, parse_specs
from geceval.model import Corpus, Hypothesis
from geceval.storage import strict_json

CACHED_SENTENCES = 50_000
"""Analyses of sentences that MAEGE keeps."""


@click.command(
    epilog=examples(
        """
        geceval metaeval card gleu
        geceval metaeval card "m2(beta=1)" --gold gold.m2
        geceval metaeval card mymetric --gold gold.m2 --seeda SEEDA -o card.html
        geceval metaeval card gleu --gold gold.m2 --human GJG15=gjg15.xml --systems outputs
        geceval metaeval card all --gold gold.m2 --seeda SEEDA --export cards.json
        geceval metaeval card gleu --gold gold.m2 --seeda SEEDA --compare cards.json
        """
    )
)
@click.argument("metric", metavar="METRIC")
@click.option("--gold", metavar="FILE", help="Gold standard, for MAEGE, --human and --seeda.")
@click.option(
    "--human",
    "judgments",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Judgments, as for 'geceval metaeval human' (repeatable); needs --systems.",
)
@click.option("--systems", "folder", metavar="DIR", help="Outputs of the judged systems.")
@click.option("--seeda", "seeda_folder", metavar="DIR", help="A copy of SEEDA.")
@click.option(
    "--seeds",
    "n_seeds",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    help="Repetitions of MAEGE.",
)
@lang_option
@resamples_option
@seed_option
@jobs_option
@reading_options
@click.option(
    "--compare",
    "compared",
    metavar="FILE",
    help="Cards to compare with.  [those of the built-in metrics]",
)
@click.option("--export", "exported", metavar="FILE", help="Write the cards, for --compare.")
@click.option("-o", "--out", "output", metavar="FILE", help="Write an HTML page.")
@form_options
def card(
    metric: str,
    gold: str | None,
    judgments: Sequence[str],
    folder: str | None,
    seeda_folder: str | None,
    n_seeds: int,
    lang: str,
    resamples: int,
    seed: int,
    jobs: int,
    format_name: str | None,
    encoding: str,
    compared: str | None,
    exported: str | None,
    output: str | None,
    form: OutputForm,
) -> None:
    """Show all results of one metric: studies, ties, speed and determinism.

    METRIC is the name of a metric, with its options, or 'all'. Studies need data: MAEGE needs
    --gold, and studies of human judgments need --human or --seeda besides. Other metrics are shown
    beside it where they were computed on the same data.
    """
    specs = _specs(metric)
    is_one = len(specs) == 1 and specs[0].name != ALL
    _check_usage(gold, judgments, folder, seeda_folder)
    if not is_one and (output or (form != "json" and exported is None)):
        raise click.UsageError("of several metrics, cards are written with --json or --export only")
    protect([gold, compared, *(named_file(one)[1] for one in judgments)], (output, exported))
    others = built_in_cards() if compared is None else load_cards(compared)
    findings = Findings()
    if gold is None:
        cards = make_cards(select_metrics(specs, findings, jobs=jobs))
    else:
        corpus, metrics = load_gold(
            gold,
            specs,
            findings,
            jobs=jobs,
            format_name=format_name,
            encoding=encoding,
            # MAEGE scores single sentences.
            n_systems=None,
        )
        if any(spec.name == ALL for spec in specs):
            # A metric that weighs systems against each other has no card of its own.
            metrics = [metric for metric in metrics if not metric.pools_systems]
        sets = load_sets(judgments, (), findings, encoding)
        cards = _studied(
            metrics,
            corpus,
            lang,
            judgments=sets,
            hypotheses=_outputs(folder, sets, corpus, findings, encoding),
            seeda=None if seeda_folder is None else load_seeda(Path(seeda_folder), findings),
            n_seeds=n_seeds,
            resampling=Resampling(resamples, seed=seed),
            findings=findings,
        )
    if exported is not None:
        with open_output(exported) as out:
            out.write(f"{strict_json.dumps(record(cards), indent=1)}\n")
    if output is not None:
        _write(cards[0], others, output)
    if form == "json":
        print_json({**record(cards), "warnings": findings.summary(notes=False)})
        return
    print_findings(findings, stderr=True, notes=False)
    if is_one:
        _print(cards[0], others, form)


def _specs(metric: str) -> list[MetricSpec]:
    try:
        return list(parse_specs(metric))
    except (OptionError, UnknownNameError) as error:
        raise click.UsageError(str(error)) from error


def _check_usage(
    gold: str | None, judgments: Sequence[str], folder: str | None, seeda: str | None
) -> None:
    if gold is None and (judgments or seeda):
        raise click.UsageError("studies of human judgments need a gold standard: give --gold")
    if bool(judgments) != bool(folder):
        raise click.UsageError("--human and --systems are given together")


def _outputs(
    folder: str | None,
    sets: Sequence[Judgments],
    corpus: Corpus,
    findings: Findings,
    encoding: str,
) -> list[Hypothesis]:
    if folder is None:
        return []
    judged = sorted({name for one in sets for name in one.systems})
    return load_systems(Path(folder), judged, corpus, findings, encoding=encoding)


def _studied(metrics: Sequence[Metric], corpus: Corpus, lang: str, **given: Any) -> list[Card]:
    from geceval.extraction.annotator import Annotator
    from geceval.metaeval.card.studies import cards_of

    annotator = Annotator(lang, cache=CACHED_SENTENCES)
    return cards_of(metrics, corpus, annotator, **given, progress=show_jobs)


def _write(card: Card, others: Sequence[Card], output: str) -> None:
    from geceval.metaeval.card.tables import INTRODUCTION, sections, tables

    write_study(
        f"Card of {card.title}",
        INTRODUCTION,
        tables=lambda: tables(card, others),
        pictures=lambda: (),
        sections=lambda: sections(card, others),
        tables_folder=None,
        figures_folder=None,
        output=output,
    )


def _print(card: Card, others: Sequence[Card], form: OutputForm) -> None:
    from geceval.metaeval.card.tables import is_compared, tables

    print_tables(tables(card, others), form)
    if form != "terminal":
        return
    if not card.agreements and card.maege is None:
        console().print("Give --gold, and --human or --seeda, for the results of studies.")
    elif not is_compared(card, others):
        console().print("The other cards were made of other data, and are not shown beside it.")
    signatures = [one.signature for one in card.agreements]
    if card.maege is not None:
        signatures = [card.maege.signature, *signatures]
    print_signatures(list(dict.fromkeys(signatures)))
