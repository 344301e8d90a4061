"""``geceval compare``: significance of differences between systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from geceval.cli._shared.options import (
    OutputForm,
    check_paper_options,
    examples,
    form_options,
    paper_options,
)
from geceval.cli._shared.roles import ScoringCommand
from geceval.cli._shared.score_printing import print_comparisons
from geceval.cli._shared.scoring import (
    columns_option,
    prepare,
    scoring_options,
    show_jobs,
    test_option,
)
from geceval.cli._shared.show import (
    console,
    counted,
    print_findings,
    print_json,
    print_signatures,
    print_tables,
)
from geceval.cli._shared.slicing import load_slices, sliced_comparison_table, slices_option
from geceval.evaluation.evaluate import Result, evaluate, note_scores
from geceval.evaluation.methods_text import PairedTests, methods_text
from geceval.evaluation.ranking import RankRange, rank_ranges
from geceval.evaluation.resampling import (
    DEFAULT_RESAMPLES,
    Comparison,
    Resampling,
    Test,
    enough_resamples,
)
from geceval.evaluation.resampling import compare as compare_systems
from geceval.evaluation.slices import SlicedComparison, compare_slices
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.presentation.table import Signed, Table
from geceval.report.paper_scores import comparison_paper_table
from geceval.report.score_records import first_of, group_by_metric


@click.command(
    cls=ScoringCommand,
    epilog=examples(
        """
        geceval compare --gold gold.m2 a.txt b.txt c.txt
        geceval compare --gold gold.m2 --baseline old ours=a.txt old=b.txt
        geceval compare --gold gold.m2 a.txt b.txt --test bootstrap --resamples 10000
        geceval compare --gold gold.m2 a.txt b.txt --slices levels.txt
        geceval compare --gold gold.m2 a.txt b.txt --json
        geceval compare -m m2,gleu --gold gold.m2 a.txt b.txt --latex --methods
        """
    ),
)
@scoring_options(resamples=None)
@click.option("--baseline", metavar="NAME", help="Compare all systems with this one only.")
@test_option
@slices_option
@columns_option
@form_options
@paper_options
def compare(
    systems: tuple[str, ...],
    resamples: int | None,
    confidence: float,
    seed: int,
    baseline: str | None,
    test: Test,
    labels: str | None,
    form: OutputForm,
    decimals: int,
    methods: bool,
    **given: Any,
) -> None:
    """Compare systems: differences with intervals and p-values.

    A difference is the score of the second system minus that of the first. P-values are adjusted
    for multiple comparisons by Holm's method. Many comparisons need more than 1000 resamples,
    which are used unless --resamples is given.

    Of three or more systems, the ranks that these tests leave open are printed, too: from one plus
    the number of systems that are significantly better, to the number of systems minus those that
    are significantly worse. A cluster ends only where every system above is significantly better
    than every system below.
    """
    if len(systems) < 2 and given["columns"] is None:
        raise click.UsageError("give at least two systems")
    if resamples == 0:
        raise click.UsageError("a comparison needs resamples")
    check_paper_options(form, methods=methods)
    prepared = prepare(systems=systems, **given)
    corpus, hypotheses, metrics, findings, *_ = prepared
    n_systems = len(hypotheses)
    if n_systems < 2:
        raise click.UsageError("give at least two columns as hypothesis")
    labelings = [
        *prepared.labelings,
        *load_slices(labels, corpus, findings, encoding=given["encoding"]),
    ]
    n_pairs = math.comb(n_systems, 2) if baseline is None else n_systems - 1
    # Of several slices, all pairs on all of them are adjusted together.
    n_tests = n_pairs * max((len(one.sizes()) for one in labelings), default=1)
    if resamples is None:
        resamples = Resampling(level=confidence).for_comparisons(n_tests).n
    _note_few_resamples(n_tests, resamples, confidence, findings)
    results = evaluate(corpus, hypotheses, metrics, resampling=Resampling(0), progress=show_jobs)
    note_scores(results, findings)
    resampling = Resampling(resamples, confidence, seed, test)
    # Metrics as they were prepared for all systems.
    metrics = [first_of(own).metric for own in group_by_metric(results).values()]
    systems_of = {
        name: {system: result.statistics for system, result in own.items()}
        for name, own in group_by_metric(results).items()
    }
    comparisons = {
        metric.name: compare_systems(
            metric,
            systems_of[metric.name],
            baseline=baseline,
            resampling=resampling,
            progress=show_jobs,
        )
        for metric in metrics
    }
    sliced = [
        (
            metric,
            one.name,
            compare_slices(
                metric,
                systems_of[metric.name],
                one,
                baseline=baseline,
                resampling=resampling,
                progress=show_jobs,
            ),
        )
        for one in labelings
        for metric in metrics
    ]
    signatures = {result.score.metric: result.score.signature for result in results}
    ranges = {} if baseline is not None else _open_ranks(results, comparisons, confidence)
    if form == "json":
        print_json(
            {
                "schema": 1,
                "test": test,
                "resamples": resamples,
                "seed": seed,
                "comparisons": [
                    row.to_dict(name, signatures[name])
                    for name, rows in comparisons.items()
                    for row in rows
                ],
                **({"ranks": _range_records(ranges)} if ranges else {}),
                **({"slices": _slice_records(sliced, signatures)} if labelings else {}),
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    tests = PairedTests(comparisons, resampling, baseline)
    if form == "latex":
        click.echo(comparison_paper_table(results, tests, decimals=decimals).as_latex(), nl=False)
    for metric in metrics if form == "latex" or not methods else ():
        rows = comparisons[metric.name]
        _print_metric(metric, rows, ranges.get(metric.name), form)
        if form == "terminal":
            _print_settings(resamples, n_tests, signatures[metric.name])
    print_tables((sliced_comparison_table(*one) for one in sliced), form)
    if methods:
        click.echo(f"\n{methods_text(results, intervals=resampling, tests=tests)}", nl=False)


def _open_ranks(
    results: Sequence[Result], comparisons: Mapping[str, Sequence[Comparison]], level: float
) -> dict[str, dict[str, RankRange]]:
    """Return the ranks that comparisons of all pairs leave open; none for two systems."""
    return {
        name: rank_ranges(
            {system: result.score.value for system, result in own.items()},
            comparisons[name],
            level=level,
        )
        for name, own in group_by_metric(results).items()
        if len(own) > 2
    }


def _print_metric(
    metric: Metric,
    rows: Sequence[Comparison],
    ranges: Mapping[str, RankRange] | None,
    form: OutputForm,
) -> None:
    """Print the comparisons by one metric, unless a table for papers has them, and the ranks."""
    if form == "terminal":
        print_comparisons(metric.title, rows)
    elif form == "tsv":
        print_tables([comparison_table(metric, rows)], form)
    if ranges is not None:
        print_tables([range_table(metric, ranges)], form)


def _print_settings(resamples: int, n_tests: int, signature: str) -> None:
    if resamples != DEFAULT_RESAMPLES:
        console().print(f"{resamples:,} resamples for {counted(n_tests, 'comparison')}")
    print_signatures([signature])


def _note_few_resamples(n_pairs: int, resamples: int, level: float, findings: Findings) -> None:
    """Warn when so many comparisons could not show anything with so few resamples."""
    if n_pairs / (resamples + 1) >= 1 - level:
        findings.add(
            "few-resamples",
            f"adjusted for {n_pairs} comparisons, no difference can be significant with "
            f"{resamples:,} resamples; --resamples {enough_resamples(n_pairs, level)} would do",
        )


def _slice_records(
    sliced: Sequence[tuple[Metric, str, Sequence[SlicedComparison]]], signatures: Mapping[str, str]
) -> list[dict[str, Any]]:
    return [
        {
            "labeling": name,
            "label": one.label,
            "sentences": one.n_sents,
            **one.comparison.to_dict(metric.name, signatures[metric.name]),
        }
        for metric, name, rows in sliced
        for one in rows
    ]


def _range_records(ranges: Mapping[str, Mapping[str, RankRange]]) -> list[dict[str, Any]]:
    return [
        {"metric": metric, "system": system, **asdict(found)}
        for metric, by_system in ranges.items()
        for system, found in by_system.items()
    ]


def range_table(metric: Metric, ranges: Mapping[str, RankRange]) -> Table:
    """Return the ranks that the tests leave open as a table, best systems first."""
    order = sorted(ranges.items(), key=lambda item: (item[1].best, item[1].worst))
    return Table(
        f"ranks-{metric.name}",
        f"{metric.title}: ranks that the tests leave open",
        ("system", "best rank", "worst rank", "cluster"),
        tuple((name, found.best, found.worst, found.cluster) for name, found in order),
    )


def comparison_table(metric: Metric, rows: Sequence[Comparison]) -> Table:
    """Return comparisons as a table."""
    return Table(
        f"comparisons-{metric.name}",
        f"{metric.title}: second − first",
        ("first", "second", "difference", "low", "high", "p", "adjusted p"),
        tuple(
            (
                row.first,
                row.second,
                *map(Signed, (row.difference, row.interval.low, row.interval.high)),
                row.p_value,
                row.adjusted_p_value,
            )
            for row in rows
        ),
    )
