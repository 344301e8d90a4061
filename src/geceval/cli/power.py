"""``geceval power``: differences that a test set can detect."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import click

from geceval.cli._shared.options import OutputForm, examples, form_options, no_nan
from geceval.cli._shared.roles import ScoringCommand
from geceval.cli._shared.scoring import (
    alpha_option,
    prepare,
    scoring_options,
    show_jobs,
    test_option,
)
from geceval.cli._shared.show import (
    console,
    print_findings,
    print_json,
    print_signatures,
    print_tables,
)
from geceval.evaluation.evaluate import Result, evaluate, note_scores
from geceval.evaluation.power import (
    DEFAULT_POWER,
    DEFAULT_POWER_RESAMPLES,
    PowerAnalysis,
    analyze_power,
)
from geceval.evaluation.resampling import Resampling, Test
from geceval.presentation.table import Cell, Signed, Table
from geceval.report.score_records import group_by_metric


@click.command(
    cls=ScoringCommand,
    epilog=examples(
        """
        geceval power --gold gold.m2 a.txt b.txt
        geceval power -m m2,errant,gleu --gold gold.m2 ours=a.txt theirs=b.txt
        geceval power --gold gold.m2 a.txt b.txt --power 0.9 --alpha 0.01 --json
        """
    ),
)
@scoring_options(resamples=DEFAULT_POWER_RESAMPLES, confidence=False)
@alpha_option
@click.option(
    "--power", "wanted", type=click.FloatRange(0, 1, min_open=True, max_open=True),
    callback=no_nan, default=DEFAULT_POWER, show_default=True,
    help="Probability of detecting a difference.",
)  # fmt: skip
@test_option
@form_options
def power(
    systems: tuple[str, ...],
    resamples: int,
    seed: int,
    alpha: float,
    wanted: float,
    test: Test,
    form: OutputForm,
    **given: Any,
) -> None:
    """Show which differences a test set can detect.

    For each pair of systems: the smallest difference that this test set shows to be significant
    with a probability of 80 %, if it exists, and the number of sentences that it takes to show a
    difference of the size seen. Of more than two systems, all pairs are analyzed.
    """
    if len(systems) < 2:
        raise click.UsageError("give at least two systems")
    if resamples < 2:
        raise click.UsageError("the power of a test needs at least two resamples")
    corpus, hypotheses, metrics, findings, *_ = prepare(systems=systems, **given)
    results = evaluate(corpus, hypotheses, metrics, resampling=Resampling(0), progress=show_jobs)
    note_scores(results, findings)
    pairs = [
        (first, second)
        for own in group_by_metric(results).values()
        for first, second in combinations(own.values(), 2)
    ]
    found = [
        (
            first,
            second,
            analyze_power(
                first.metric,
                first.statistics,
                second.statistics,
                alpha=alpha,
                power=wanted,
                resampling=Resampling(resamples, 1 - alpha, seed, test),
            ),
        )
        for first, second in show_jobs(pairs, "analyzing power")
    ]
    if form == "json":
        print_json(
            {
                "schema": 1,
                "alpha": alpha,
                "power": wanted,
                "test": test,
                "resamples": resamples,
                "seed": seed,
                "pairs": [_record(*one) for one in found],
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    for metric in metrics:
        own = [one for one in found if one[0].metric.name == metric.name]
        print_tables([power_table(own)], form)
        if form == "terminal":
            print_signatures([own[0][0].score.signature])
    if form == "terminal":
        console().print(
            f"[dim]two-sided α = {alpha:g}, power {wanted:g}; 1 point is 0.01 in the score[/]"
        )


def _record(first: Result, second: Result, found: PowerAnalysis) -> dict[str, Any]:
    return {
        "metric": first.metric.name,
        "first": first.system,
        "second": second.system,
        "sentences": found.n_sents,
        "difference": found.difference,
        "standard_error": found.standard_error,
        "null_error": found.null_error,
        "detectable": found.detectable,
        "needed_sentences": found.needed,
        "signature": first.score.signature,
    }


def power_table(found: list[tuple[Result, Result, PowerAnalysis]]) -> Table:
    """Return the analyses of one metric as a table."""
    rows: list[tuple[Cell, ...]] = [
        (
            first.system,
            second.system,
            one.n_sents,
            Signed(one.difference),
            one.standard_error,
            one.detectable,
            one.needed,
        )
        for first, second, one in found
    ]
    metric = found[0][0].metric
    header = ("first", "second", "sentences", "difference", "standard error")
    return Table(
        f"power-{metric.name}",
        f"{metric.title}: detectable differences",
        (*header, "detectable", "sentences needed"),
        tuple(rows),
    )
