"""``geceval gate``: a system against a baseline, with an exit code for CI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geceval.cli._shared.options import OutputForm, choice_option, examples, form_options, no_nan
from geceval.cli._shared.protect import protect
from geceval.cli._shared.roles import ScoringCommand
from geceval.cli._shared.scored_files import named_file
from geceval.cli._shared.scoring import (
    Prepared,
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
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import Result, evaluate, note_scores
from geceval.evaluation.gate import FailIf, Gate, n_tests, note_unusual, run_gate
from geceval.evaluation.resampling import Resampling, Test
from geceval.formats import Findings, LoadedFile, open_output
from geceval.formats.inputs import strip_compression
from geceval.model import Hypothesis

if TYPE_CHECKING:
    from geceval.report.results import Results

FAILED = 3
"""Exit code if the gate fails; 1 is bad data and 2 wrong usage."""


@click.command(
    cls=ScoringCommand,
    epilog=examples(
        """
        geceval gate --gold gold.m2 --baseline old.txt new.txt --fail-if worse
        geceval gate --gold gold.m2 --baseline old.txt new.txt --margin 0.5 --non-inferior
        geceval gate -m m2,gleu --gold gold.m2 --baseline main=old.txt pr=new.txt
        geceval gate --gold gold.m2 --baseline main=report.json new.txt
        geceval gate --gold gold.m2 --baseline old.txt new.txt --summary gate.md --junit gate.xml
        """
    ),
)
@scoring_options(resamples=None, confidence=False)
@click.option(
    "--baseline",
    required=True,
    metavar="[NAME=]FILE",
    help="Output of the baseline, or a results file (.json) of 'geceval report' with it.",
)
@choice_option(
    "--fail-if",
    ["worse", "not-better"],
    default="worse",
    help="Fail if significantly worse, or unless significantly better.",
)
@click.option(
    "--non-inferior",
    is_flag=True,
    help="Fail unless shown to be less than --margin below the baseline.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 100),
    callback=no_nan,
    default=0.0,
    show_default=True,
    metavar="POINTS",
    help="Loss that does not matter, in points of 100: 0.5 is half a point, 0.005 in the score.",
)
@alpha_option
@test_option
@click.option("--summary", metavar="FILE", help="Write a Markdown summary; '-' prints it.")
@click.option("--junit", metavar="FILE", help="Write a JUnit XML report.")
@form_options
@click.pass_context
def gate(
    ctx: click.Context,
    /,
    systems: tuple[str, ...],
    resamples: int | None,
    seed: int,
    baseline: str,
    fail_if: FailIf,
    non_inferior: bool,
    margin: float,
    alpha: float,
    test: Test,
    summary: str | None,
    junit: str | None,
    form: OutputForm,
    **given: Any,
) -> None:
    """Fail if a system is significantly worse than a baseline, for continuous integration.

    The exit code is 0 if all systems pass by all metrics, and 3 if not. Tests are two-sided: a
    system that is as good as the baseline fails with a probability of at most alpha / 2. With
    several metrics or systems, p-values are adjusted by Holm's method. A test with a margin is a
    paired bootstrap, whatever --test is.
    """
    rule = _rule(fail_if, non_inferior=non_inferior, margin=margin)
    if summary == "-" and form != "terminal":
        raise click.UsageError(f"--summary - and --{form} both print to standard output")
    prepared, before, stored = _loaded(baseline, systems, outputs=(summary, junit), **given)
    corpus, hypotheses, metrics, findings, *_ = prepared
    resampling = Resampling(level=1 - alpha, seed=seed, test=test)
    resampling = (
        resampling.for_comparisons(n_tests(rule, len(hypotheses), len(metrics)))
        if resamples is None
        else replace(resampling, n=resamples)
    )
    note_unusual(findings, margin_points=margin, n_sents=len(corpus))
    _note_same(before, hypotheses, findings)
    results = evaluate(
        corpus, [before, *hypotheses], metrics, resampling=Resampling(0), progress=show_jobs
    )
    note_scores(results, findings)
    if stored is not None:
        _note_other_scores(stored, baseline, before.name, results, findings)
    done = run_gate(
        results,
        baseline=before.name,
        fail_if=rule,
        margin_points=margin,
        alpha=alpha,
        resampling=resampling,
        progress=show_jobs,
    )
    _write(done, findings, form, summary, junit)
    if not done.passed:
        ctx.exit(FAILED)


def _write(
    done: Gate, findings: Findings, form: OutputForm, summary: str | None, junit: str | None
) -> None:
    """Write the files, and print the checks."""
    from geceval.report.gate_summary import as_junit, as_markdown, gate_record, gate_table

    warnings = findings.summary(notes=False)
    for target, content in ((junit, as_junit(done)), (summary, as_markdown(done, warnings))):
        if target is not None:
            with open_output(target) as out:
                out.write(content)
    if form == "json":
        print_json({"schema": 1, **gate_record(done), "warnings": warnings})
        return
    print_findings(findings, stderr=True, notes=False)
    if summary == "-":
        return
    print_tables([gate_table(done)], form)
    if form == "terminal":
        print_signatures(dict.fromkeys(one.candidate.score.signature for one in done.checks))
        console().print("[bold green]passed[/]" if done.passed else "[bold red]FAILED[/]")


def _rule(fail_if: FailIf, *, non_inferior: bool, margin: float) -> FailIf:
    if fail_if == "not-better" and (non_inferior or margin):
        raise click.UsageError("--fail-if not-better allows no loss: omit --margin, --non-inferior")
    if non_inferior and not margin:
        raise click.UsageError(
            "--non-inferior needs --margin: the loss that does not matter, in points of 100 "
            "(--margin 0.5 is half a point)"
        )
    return "not-non-inferior" if non_inferior else fail_if


def _loaded(
    baseline: str, systems: tuple[str, ...], **given: Any
) -> tuple[Prepared, Hypothesis, Results | None]:
    """Load everything; return the baseline by itself, and the results file that it is from."""
    name, path = named_file(baseline)
    if not strip_compression(path).endswith(".json"):
        named = _told_apart(baseline, name, path, systems)
        prepared = prepare(systems=(named, *systems), **given)
        first, *others = prepared.hypotheses
        return prepared._replace(hypotheses=others), first, None
    from geceval.report.results_loader import load

    protect([path], given["outputs"])
    loaded: list[LoadedFile] = []
    prepared = prepare(systems=systems, loaded=loaded, **given)
    results = load(path)
    return prepared, _stored_baseline(results, path, name, prepared, loaded), results


def _told_apart(baseline: str, name: str | None, path: str, systems: Iterable[str]) -> str:
    """Name the baseline if its file is called like that of a system, in another folder."""
    others = [Path(file).name for other, file in map(named_file, systems) if other is None]
    return f"baseline={path}" if name is None and Path(path).name in others else baseline


def _stored_baseline(
    results: Results,
    path: str,
    name: str | None,
    prepared: Prepared,
    loaded: Sequence[LoadedFile],
) -> Hypothesis:
    """Return the baseline of a results file, if it was scored against the same gold standard."""
    from geceval.report.results_loader import stored_hypothesis

    systems = results["systems"]
    if name is None and len(systems) > 1:
        listing = ", ".join(systems)
        raise GecevalError(
            f"{path} has the results of several systems ({listing}); choose one: "
            f"--baseline NAME={path}"
        )
    before = [one["sha256"] for one in results["inputs"] if one["role"] != "system"]
    now = [source.sha256 for source in loaded[0].inputs]
    if before != now:
        raise GecevalError(
            f"the results in {path} are of another gold standard than {prepared.corpus.name} "
            "(SHA-256 of the files), so that scores cannot be compared; give the output of the "
            "baseline, or write the results anew with 'geceval report'"
        )
    hypothesis = stored_hypothesis(results, systems[0] if name is None else name)
    sources = [" ".join(tokens) for tokens in prepared.corpus.sources]
    if results["sentences"]["source"] != sources:
        raise GecevalError(
            f"the sentences of {path} differ from those of {prepared.corpus.name}, which was read "
            "with other options, such as --tokenize or --format; give the same options"
        )
    if any(one.name == hypothesis.name for one in prepared.hypotheses):
        raise GecevalError(
            f"the baseline and a system are called {hypothesis.name!r}; name the system NAME=FILE"
        )
    return hypothesis


def _note_same(before: Hypothesis, hypotheses: Sequence[Hypothesis], findings: Findings) -> None:
    """Warn of a system that equals the baseline, perhaps because the same file was given twice."""
    for hypothesis in hypotheses:
        if hypothesis == replace(before, name=hypothesis.name):
            findings.add("same-output", f"{hypothesis.name} has the same output as the baseline")


def _note_other_scores(
    stored: Results, file: str, baseline: str, results: Sequence[Result], findings: Findings
) -> None:
    """Warn if the baseline has another score now than in its results file."""
    for result in results:
        record = stored["scores"].get(result.metric.name, {}).get(baseline)
        if result.system != baseline or record is None or record["score"] is None:
            continue
        if abs(record["score"] - result.score.value) > 1e-9:
            findings.add(
                "other-score",
                f"{result.metric.name} of {baseline} is {result.score.value:.4f} now and "
                f"{record['score']:.4f} in {file}, because of other options, another version of "
                "geceval, or edits that the results file does not have; both systems were scored "
                "anew",
            )
