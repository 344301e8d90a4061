"""``geceval report``: an HTML report, and its tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from geceval.cli._shared.metric_selection import metric_option, select_metrics
from geceval.cli._shared.options import examples
from geceval.cli._shared.protect import check_named, protect
from geceval.cli._shared.report_files import write_outputs
from geceval.cli._shared.roles import ScoringCommand
from geceval.cli._shared.scoring import (
    Prepared,
    note_coarse_intervals,
    prepare,
    scoring_options,
    test_option,
)
from geceval.cli._shared.show import Stages, console, print_findings
from geceval.cli._shared.slicing import load_slices, slices_option
from geceval.engines.process import paused_collector
from geceval.errors import GecevalError
from geceval.evaluation.resampling import Resampling, Test
from geceval.formats import Findings, LoadedFile
from geceval.metrics.base import Metric
from geceval.metrics.specs import ALL, MetricSpec, parse_specs

if TYPE_CHECKING:
    from geceval.report.additions import StoredResults
    from geceval.report.input_files import File
    from geceval.report.results import Results

_OUTPUTS = frozenset(
    {
        "systems",
        "output",
        "results_file",
        "no_results",
        "tables",
        "figures",
        "title",
        "embed",
        "summary",
    }
)
"""Parameters that apply when a results file is rendered again."""
_SETTINGS = ("resamples", "confidence", "seed", "test")
"""Parameters that a results file determines when systems are added to it."""
_NO_FILE = "\0"
"""The value of ``--embed`` without a file, which no file can be called."""


@click.command(
    cls=ScoringCommand,
    epilog=examples(
        """
        geceval report --gold gold.m2 ours=a.txt baseline=b.txt -o report.html
        geceval report --gold gold.m2 *.txt -m m2,errant,gleu --title "Dev set"
        geceval report --src src.txt --ref ref0.txt --ref ref1.txt system.txt
        geceval report --gold gold.m2 *.txt --slices levels.txt
        geceval report --gold gold.m2 *.txt --attribute gleu
        geceval report --gold gold.m2 *.txt --tables tables --figures figures
        geceval report --gold gold.m2 *.txt --embed scores.html --summary scores.md
        geceval report report.json -o again.html
        geceval report report.json new.txt -o more.html
        """
    ),
)
@scoring_options(metrics="all")
@test_option
@slices_option
@click.option(
    "-o",
    "--out",
    "output",
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="HTML file to write; '-' for standard output.",
)
@click.option("--title", metavar="TEXT", help="Title of the page.")
@metric_option(
    names=("--attribute", "attribution"),
    default=None,
    help="A metric whose sentence scores are shared among the edits (Shapley values).",
)
@click.option(
    "--results",
    "results_file",
    metavar="FILE",
    help="Results file to write.  [the page with the extension .json]",
)
@click.option("--no-results", is_flag=True, help="Do not write a results file.")
@click.option(
    "--equal-references",
    "has_equal_references",
    is_flag=True,
    help="Also score systems with as many references as annotators have: one less.",
)
@click.option(
    "--embed",
    metavar="[FILE]",
    is_flag=False,
    flag_value=_NO_FILE,
    help="Also write a small page for another site, with scores and tests; without FILE, the "
    "report itself is small.",
)
@click.option("--summary", metavar="FILE", help="Also write a summary in Markdown.")
@click.option("--tables", metavar="DIR", help="Export all tables as CSV, Markdown, LaTeX and JSON.")
@click.option("--figures", metavar="DIR", help="Export all figures as PNG, SVG and PDF.")
@click.pass_context
def report(
    ctx: click.Context,
    /,
    systems: tuple[str, ...],
    output: str,
    title: str | None,
    results_file: str | None,
    no_results: bool,
    tables: str | None,
    figures: str | None,
    embed: str | None,
    summary: str | None,
    **given: Any,
) -> None:
    """Write an HTML report on systems, with every sentence.

    The page is a single file that works offline. Given only a results file, the page is rendered
    again without computing anything. Given a results file and systems, they are added to those of
    the file, with its metrics and settings; its gold standard is looked for beside it.
    """
    from geceval.report.additions import StoredResults
    from geceval.report.results_loader import is_results_file

    if no_results and results_file is not None:
        raise click.UsageError("--results and --no-results exclude each other")
    is_small = embed == _NO_FILE
    if is_small:
        embed = None
    written = _check_outputs(output, embed, summary)
    # Most of a report is data without cycles.
    with paused_collector(), Stages() as stages:
        if _is_again(systems, given):
            _refuse_more(ctx)
            protect(systems, (output, results_file, embed, summary))
            results = _load(systems[0])
            if title is not None:
                results["title"] = title
        else:
            if not no_results and results_file is None and output != "-":
                results_file = str(Path(output).with_suffix(".json"))
            outputs = (output, results_file, embed, summary)
            known = None
            if len(systems) > 1 and is_results_file(systems[0]):
                # The old file may be replaced by the new one.
                known = StoredResults(systems[0], _load(systems[0]))
                systems = systems[1:]
                given = _given_again(ctx, known, given)
                title = title or known.results["title"]
            results = _compute(title, stages, known, systems=systems, outputs=outputs, **given)
        done = write_outputs(
            results,
            stages,
            output,
            results_file,
            tables,
            figures,
            embed,
            summary,
            is_small=is_small,
        )
    out = console(stderr="-" in written)
    for line in done:
        out.print(line, soft_wrap=True)


def _check_outputs(output: str, embed: str | None, summary: str | None) -> list[str]:
    """Return the pages and summaries to write, or refuse their names."""
    if embed and embed != "-" and not embed.endswith((".html", ".htm")):
        # What follows may be meant as the output of a system, which would be overwritten.
        raise click.UsageError(f"--embed {embed}: the name of a page must end in .html")
    written = [path for path in (output, embed, summary) if path is not None]
    for path in written:
        check_named(path)
    if written.count("-") > 1:
        raise click.UsageError("only one of -o, --embed and --summary can be standard output")
    return written


def _is_again(systems: Sequence[str], given: dict[str, Any]) -> bool:
    """Whether a results file is rendered again."""
    return len(systems) == 1 and not given["gold"] and not given["src"] and not given["refs"]


def _refuse_more(ctx: click.Context) -> None:
    """Refuse options that cannot change computed results."""
    for name in ctx.params.keys() - _OUTPUTS:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(param.opts[-1] for param in ctx.command.params if param.name == name)
            raise click.UsageError(f"{option} has no effect on a results file")


def _given_again(ctx: click.Context, known: StoredResults, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with the metrics, the settings and the gold standard of a file."""
    from geceval.report.additions import gold_files

    path, results = known.path, known.results
    for name in _SETTINGS:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(param.opts[-1] for param in ctx.command.params if param.name == name)
            raise click.UsageError(
                f"{option} cannot be changed: systems are added with that of the results file"
            )
    settings = results["settings"]
    again = {
        **given,
        "resamples": settings["resamples"],
        "confidence": settings["level"],
        "seed": settings["seed"],
        "test": settings["test"],
    }
    if ctx.get_parameter_source("specs") is not ParameterSource.COMMANDLINE:
        specs = [spec for one in results["metrics"] for spec in parse_specs(one["name"])]
        again["specs"] = specs
    for key, option in (("attribution", "--attribute"), ("equal_references", "--equal-references")):
        chosen = given["attribution"] if key == "attribution" else given["has_equal_references"]
        if key in results and not chosen:
            raise click.UsageError(f"{path} was computed with {option}: give it again")
    if any("macro" in one for one in results["slices"]) and given["labels"] is None:
        raise click.UsageError(f"{path} was computed with --slices: give it again")
    if not (given["gold"] or given["src"] or given["refs"]):
        found = gold_files(known)
        again["gold"] = found["gold"][0] if "gold" in found else None
        again["src"] = found["source"][0] if "source" in found else None
        again["refs"] = tuple(found.get("reference", ()))
    return again


def _load(path: str) -> Results:
    from geceval.report.results_loader import load

    try:
        return load(path)
    except GecevalError as error:
        raise GecevalError(
            f"{error}; to score a system, give --gold, or --src and --ref"
        ) from error


def _compute(
    title: str | None,
    stages: Stages,
    known: StoredResults | None,
    *,
    resamples: int,
    confidence: float,
    seed: int,
    test: Test,
    labels: str | None,
    attribution: Sequence[MetricSpec],
    has_equal_references: bool,
    **given: Any,
) -> Results:
    """Load, validate and score everything."""
    from geceval.report.collect import collect

    shared = _attribution(attribution)
    stages.begin("reading the inputs")
    loaded: list[LoadedFile] = []
    prepared = prepare(loaded=loaded, with_checkers=False, **given)
    labelings = load_slices(
        labels,
        prepared.corpus,
        prepared.findings,
        encoding=given["encoding"],
        outputs=given["outputs"],
    )
    note_coarse_intervals(resamples, confidence, prepared.findings)
    files = _files(prepared, loaded)
    hypotheses = list(prepared.hypotheses)
    if known is not None:
        from geceval.report.additions import check_gold, check_metrics, stored_systems

        check_gold(known, files)
        check_metrics(known, prepared.metrics)
        hypotheses = [*stored_systems(known, hypotheses), *hypotheses]
    stages.begin("validating the inputs")
    findings = _validated(
        loaded, prepared, is_tokenized=not given["tokenize"], lang=given["lang"] or ""
    )
    # The files as they were read take as much memory as what they say.
    loaded.clear()
    print_findings(findings, stderr=True, notes=False)
    return collect(
        prepared.corpus,
        hypotheses,
        prepared.metrics,
        findings=findings,
        files=files,
        resampling=Resampling(resamples, confidence, seed, test),
        title=title or f"Corrections of {files[0].base}",
        missing=prepared.missing,
        labelings=labelings,
        attribution=shared,
        has_equal_references=has_equal_references,
        known=known,
        jobs=given["jobs"],
        progress=stages,
    )


def _attribution(specs: Sequence[MetricSpec]) -> Metric | None:
    if not specs:
        return None
    if len(specs) > 1 or specs[0].name == ALL:
        raise click.UsageError("--attribute takes one metric")
    return select_metrics(specs, Findings(), jobs=1)[0]


def _files(prepared: Prepared, loaded: Sequence[LoadedFile]) -> list[File]:
    from geceval.report.input_files import File

    inputs = prepared.inputs
    digests = iter([source.sha256 for file in loaded for source in file.inputs])
    files = (
        [File("gold", inputs.gold, next(digests))]
        if inputs.gold is not None
        else [File("source", inputs.src or "", next(digests))]
    )
    files += [File("reference", path, next(digests)) for path in inputs.refs]
    return files + [
        File("system", path, next(digests), hypothesis.name)
        for path, hypothesis in zip(inputs.system_files, prepared.hypotheses, strict=True)
    ]


def _validated(
    loaded: Sequence[LoadedFile], prepared: Prepared, *, is_tokenized: bool, lang: str
) -> Findings:
    """Return the findings of validation and of reading."""
    from geceval.validation.check import separate_texts, validate_loaded

    first, *systems = loaded
    files = [first] if prepared.inputs.gold is not None else separate_texts(first)
    # Raw text was validated after tokenization.
    validated = [*files, *systems] if is_tokenized else files
    findings = validate_loaded(validated, lang=lang).findings
    findings.update(prepared.findings, skip=frozenset(findings.counts))
    return findings
