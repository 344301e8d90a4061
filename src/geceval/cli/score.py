"""``geceval score``: scores of systems with confidence intervals."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from geceval.cli._shared.engine_choice import engine_options
from geceval.cli._shared.options import (
    OutputForm,
    check_paper_options,
    examples,
    form_options,
    paper_options,
)
from geceval.cli._shared.roles import ScoringCommand
from geceval.cli._shared.score_printing import (
    LEGEND,
    marked,
    print_alignments,
    print_chunks,
    print_scores,
)
from geceval.cli._shared.scoring import (
    columns_option,
    note_coarse_intervals,
    prepare,
    scoring_options,
    show_jobs,
    test_option,
)
from geceval.cli._shared.sharding import shard_option
from geceval.cli._shared.show import console, print_findings, print_json, print_tables, table, text
from geceval.cli._shared.slicing import load_slices, slice_table, slices_option
from geceval.engines import Engine
from geceval.evaluation.chunked import local_engine
from geceval.evaluation.evaluate import Result, evaluate, note_scores
from geceval.evaluation.methods_text import methods_text
from geceval.evaluation.resampling import Resampling, Test
from geceval.evaluation.shard_files import write_statistics
from geceval.evaluation.slices import SlicedResult, score_slices
from geceval.formats import open_output
from geceval.formats.labels import Labeling
from geceval.formats.shards import Shard
from geceval.metrics.statistics import Part
from geceval.metrics.views import CountsByType, EditCounts, SentenceEdits, TypeCounts
from geceval.model import Corpus, Hypothesis
from geceval.presentation.export import file_name
from geceval.presentation.table import Cell, Table
from geceval.report.paper_scores import paired_tests, score_paper_table
from geceval.visible import visible


@click.command(
    cls=ScoringCommand,
    epilog=examples(
        """
        geceval score --gold gold.m2 system.txt
        geceval score --gold gold.m2 ours=out.txt baseline=old.txt --jobs 2
        geceval score -m "m2(beta=1, level=detection),gleu" --gold gold.m2 system.txt
        geceval score --gold gold.m2 *.txt --per-type
        geceval score -m errant --auto-gold --gold gold.m2 system.txt --per-type
        geceval score -m gleu,sari --src src.txt --ref ref0.txt --ref ref1.txt system.txt
        geceval score -m all --gold gold.m2 system.txt --json
        geceval score --gold gold.m2 system.txt --verbose | less -R
        geceval score --gold gold.m2 system.txt --per-sentence sentences.tsv
        geceval score --gold gold.m2 raw.txt --tokenize
        geceval score -m gleu --columns source=src,reference=ref,hypothesis=ours data.csv
        geceval score --gold ABCN.dev.gold.bea19.m2 system.txt --slices levels.txt
        geceval score --gold huge.m2.gz system.txt --shard 3/8 --statistics part-3.npz
        geceval score -m m2,gleu --gold gold.m2 a.txt b.txt --latex --methods --baseline a
        """
    ),
)
@scoring_options()
@engine_options
@form_options
@paper_options
@click.option(
    "--baseline",
    metavar="NAME",
    help="System that the others are compared with, for --latex and --methods.  [the best]",
)
@test_option
@click.option("--per-type", is_flag=True, help="Also print scores by error type.")
@click.option("--per-sentence", metavar="FILE", help="Export the score of each sentence as TSV.")
@slices_option
@columns_option
@click.option(
    "--statistics", metavar="FILE", help="Save the counts of each sentence as .npz, for 'merge'."
)
@shard_option
@click.option(
    "-v", "--verbose", is_flag=True, help="Print each sentence with its edits, alignment or chunks."
)
def score(
    resamples: int,
    confidence: float,
    seed: int,
    form: OutputForm,
    decimals: int,
    methods: bool,
    baseline: str | None,
    test: Test,
    per_type: bool,
    per_sentence: str | None,
    labels: str | None,
    statistics: str | None,
    shard: Shard | None,
    verbose: bool,
    engine: Engine | None,
    **given: Any,
) -> None:
    """Score systems against a gold standard, with 95 % confidence intervals.

    HYP is plain text, one tokenized sentence per line (raw with --tokenize), or M2. A system is
    named by its file without the extension, or by NAME in NAME=HYP. Options of a metric follow its
    name, as in -m "m2(beta=1),gleu"; 'geceval metrics' lists them.
    """
    check_paper_options(form, methods=methods, only=("baseline", "test"))
    if baseline is not None and not resamples:
        raise click.UsageError("a comparison with --baseline needs resamples")
    written = _outputs(per_sentence, statistics)
    if shard is not None and (statistics is None or labels is not None):
        why = "needs --statistics: give" if statistics is None else "excludes --slices: do not give"
        raise click.UsageError(f"--shard {why} it, and join the shards with 'geceval merge'")
    prepared = prepare(outputs=written, shard=shard, **given)
    corpus, hypotheses, metrics, findings, *_ = prepared
    labelings = [
        *prepared.labelings,
        *load_slices(labels, corpus, findings, encoding=given["encoding"], outputs=written),
    ]
    note_coarse_intervals(resamples, confidence, findings)
    resampling = Resampling(resamples, confidence, seed)
    # Types and marked sentences need the edits in this process.
    is_local = per_type or verbose
    engine = engine or (None if is_local else local_engine(corpus, hypotheses, given["jobs"]))
    results = evaluate(
        corpus, hypotheses, metrics, resampling=resampling, engine=engine, progress=show_jobs
    )
    note_scores(results, findings)
    by_name = {hypothesis.name: hypothesis for hypothesis in hypotheses}
    types = _types(corpus, by_name, results) if per_type else {}
    slices = _slices(results, labelings, resampling)
    if per_sentence is not None:
        write_sentences(results, per_sentence)
    if statistics is not None:
        write_statistics(results, statistics, prepared.portion)
    if form == "json":
        print_json(
            {
                "schema": 1,
                "results": [_record(result, types, slices) for result in results],
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    if verbose:
        print_sentences(corpus, by_name, results)
    if form == "latex" or methods:
        _print_for_paper(
            results,
            replace(resampling, test=test),
            baseline=baseline,
            decimals=decimals if form == "latex" else None,
            methods=methods,
        )
    elif form == "terminal":
        print_scores(results)
    else:
        print_tables(score_tables(results), form)
    if types:
        print_types(results, types)
    print_tables(_slice_tables(slices), form)


def _outputs(per_sentence: str | None, statistics: str | None) -> list[str | None]:
    """Return the files to write."""
    if statistics is not None and not statistics.endswith(".npz"):
        raise click.UsageError(f"--statistics writes a file named .npz, not {statistics}")
    manifest = None if statistics is None else f"{statistics}.manifest.json"
    return [per_sentence, statistics, manifest]


def _print_for_paper(
    results: Sequence[Result],
    resampling: Resampling,
    *,
    baseline: str | None,
    decimals: int | None,
    methods: bool,
) -> None:
    """Print a table with marks of significance, a methods paragraph, or both."""
    tests = paired_tests(results, resampling=resampling, baseline=baseline, progress=show_jobs)
    if decimals is not None:
        click.echo(score_paper_table(results, tests, decimals=decimals).as_latex(), nl=False)
    if methods:
        click.echo(
            "\n" * (decimals is not None)
            + methods_text(results, intervals=resampling, tests=tests),
            nl=False,
        )


TypeTables = Mapping[tuple[str, str], CountsByType]


def _types(
    corpus: Corpus, hypotheses: Mapping[str, Hypothesis], results: Sequence[Result]
) -> TypeTables:
    tables = {
        (result.score.metric, result.system): result.metric.counts_by_type(
            corpus, hypotheses[result.system], result.score
        )
        for result in results
    }
    return {key: counts for key, counts in tables.items() if counts is not None}


def _slices(
    results: Sequence[Result], labelings: Sequence[Labeling], resampling: Resampling
) -> list[SlicedResult]:
    tasks = [(labeling, result) for labeling in labelings for result in results]
    return [
        score_slices(result, labeling, resampling=resampling)
        for labeling, result in show_jobs(tasks, "scoring slices")
    ]


def _slice_tables(slices: Sequence[SlicedResult]) -> Iterator[Table]:
    for _, group in groupby(slices, key=lambda one: (one.labeling, one.result.score.metric)):
        same = list(group)
        yield slice_table(same[0].result.metric, same)


def _record(result: Result, types: TypeTables, slices: Sequence[SlicedResult]) -> dict[str, Any]:
    record = result.score.to_dict()
    if own := [one for one in slices if one.result is result]:
        record["slices"] = {one.labeling: one.to_dict() for one in own}
    counts = types.get((result.score.metric, result.system))
    if counts is not None:
        record["types"] = {name: _type_record(count) for name, count in counts.items()}
    return record


def _type_record(count: TypeCounts | EditCounts) -> dict[str, Part]:
    if isinstance(count, TypeCounts):
        return {"correct": count.correct, "gold": count.gold, "recall": count.recall}
    return {
        "correct": count.tp,
        "gold": count.tp + count.fn,
        "recall": count.recall,
        **count.record(),
    }


def score_tables(results: Sequence[Result]) -> Iterator[Table]:
    """Return one table of results for each metric."""
    for metric, group in groupby(results, key=lambda result: result.score.metric):
        same = list(group)
        # Some parts exist for some systems only.
        names = list(dict.fromkeys(name for result in same for name in result.score.parts))
        rows: list[tuple[Cell, ...]] = []
        for result in same:
            interval = result.interval
            ends = (interval.low, interval.high) if interval else (None, None)
            parts = (result.score.parts.get(name) for name in names)
            rows.append((result.system, metric, result.score.value, *ends, *parts))
        header = ("system", "metric", "score", "low", "high", *names)
        yield Table(f"scores-{metric}", same[0].metric.title, header, tuple(rows))


def print_types(results: Sequence[Result], types: TypeTables) -> None:
    """Print the results of systems by error type."""
    out = console()
    for metric, group in groupby(results, key=lambda result: result.score.metric):
        tables = {
            result.system: types[metric, result.system]
            for result in group
            if (metric, result.system) in types
        }
        if not tables:
            continue
        counts = [count for counts in tables.values() for count in counts.values()]
        with_wrong = any(isinstance(count, EditCounts) for count in counts)
        title = (
            "True positives, false positives, false negatives, precision, recall and F by type"
            if with_wrong
            else "True positives / gold edits, and recall by type"
        )
        rows = table(title, "type", *tables, numeric=tuple(tables))
        for name in _by_frequency(tables.values()):
            rows.add_row(
                text(name or "(none)"),
                *(_type_cell(counts.get(name)) for counts in tables.values()),
            )
        out.print(rows)
        legends = {result.metric.type_legend for result in results if result.score.metric == metric}
        for legend in filter(None, legends):
            out.print(f"[dim]{text(legend)}[/]")


def _by_frequency(tables: Iterable[CountsByType]) -> list[str]:
    """Return all types, the most frequent in the gold standard first."""
    gold: dict[str, int] = {}
    for counts in tables:
        for name, count in counts.items():
            gold[name] = max(gold.get(name, 0), _n_gold(count))
    return sorted(sorted(gold), key=lambda name: -gold[name])


def _n_gold(count: TypeCounts | EditCounts) -> int:
    return count.gold if isinstance(count, TypeCounts) else count.tp + count.fn


def _type_cell(count: TypeCounts | EditCounts | None) -> str:
    if count is None:
        return "–"
    if isinstance(count, TypeCounts):
        return f"{count.correct} / {count.gold}  {count.recall:.2f}" if count.gold else "–"
    return (
        f"{count.tp} / {count.fp} / {count.fn}  "
        f"{count.precision:.2f} {count.recall:.2f} {count.f:.2f}"
    )


def write_sentences(results: Sequence[Result], target: str) -> None:
    """Export the score of each sentence; with several metrics, to one file each.

    Control characters in names are escaped.
    """
    groups = [list(group) for _, group in groupby(results, key=lambda result: result.score.metric)]
    for same in groups:
        path = Path(target)
        if len(groups) > 1 and target != "-":
            path = path.with_name(f"{path.stem}.{file_name(same[0].score.metric)}{path.suffix}")
        with open_output(path) as out:
            writer = csv.writer(out, delimiter="\t", lineterminator="\n")
            names = list(same[0].score.sentences.parts)
            # The column exists only if an output has several readings.
            with_reading = any(result.statistics.readings for result in same)
            beside = ["reading"] if with_reading else []
            writer.writerow(["system", "sentence", "annotator", *beside, "score", *names])
            for result in same:
                view = result.score.sentences
                for number, chosen in enumerate(view.chosen.tolist()):
                    annotator = result.statistics.references[chosen] if chosen >= 0 else ""
                    beside = [_reading_name(result, number)] if with_reading else []
                    parts = [view.parts[name][number].item() for name in names]
                    writer.writerow(
                        [
                            visible(result.system),
                            number,
                            visible(annotator),
                            *map(visible, beside),
                            view.values[number].item(),
                            *parts,
                        ]
                    )


def _reading_name(result: Result, sentence: int) -> str:
    """Return the chosen reading of an output for a sentence, if it has several."""
    readings = result.score.sentences.readings
    if readings is None or readings[sentence] < 0:
        return ""
    return result.statistics.readings[int(readings[sentence])]


def print_sentences(
    corpus: Corpus, hypotheses: Mapping[str, Hypothesis], results: Sequence[Result]
) -> None:
    """Print each sentence with marked edits, alignments or chunks, as the metric provides."""
    for result in results:
        hypothesis = hypotheses[result.system]
        marked = result.metric.marked_edits(corpus, hypothesis, result.score)
        if marked is not None:
            print_edits(corpus, result, marked)
        elif (aligned := result.metric.aligned_view(corpus, hypothesis)) is not None:
            print_alignments(result.system, aligned)
        elif (chunks := result.metric.chunk_view(corpus, hypothesis, result.score)) is not None:
            print_chunks(result.system, chunks)


def print_edits(corpus: Corpus, result: Result, views: Sequence[SentenceEdits | None]) -> None:
    """Print each sentence with its edits marked as correct, wrong or missed."""
    out = console()
    out.print(LEGEND)
    values = result.score.sentences.values
    for number, (sent, view) in enumerate(zip(corpus, views, strict=True)):
        if view is None or not (view.edits or view.annotation.edits):
            continue
        out.print(
            f"[bold]{text(result.system)}[/] sentence {number}"
            f"{f', reading {text(view.reading)}' if view.reading else ''}, annotator "
            f"{text(view.annotation.annotator)}, F {values[number]:.4f}"
        )
        out.print(f"  {marked(sent.tokens, view)}", soft_wrap=True)
