"""``geceval demo``: the main commands on the bundled example data."""

from __future__ import annotations

import filecmp
import shutil
from importlib.resources import as_file, files
from pathlib import Path

import click

from geceval.cli._shared.corpus_printing import print_statistics
from geceval.cli._shared.options import examples, jobs_option
from geceval.cli._shared.protect import protect
from geceval.cli._shared.report_files import write_outputs
from geceval.cli._shared.score_printing import LEGEND, marked, print_comparisons, print_scores
from geceval.cli._shared.show import Stages, console, exact, print_findings, text
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import Result, evaluate, make_metrics
from geceval.evaluation.metric_choice import usable
from geceval.evaluation.resampling import compare
from geceval.formats import Findings, load, load_hypothesis
from geceval.model import Corpus, Hypothesis
from geceval.report.input_files import File
from geceval.validation.check import validate_files

SYSTEMS = ("careful", "eager", "unchanged")
METRICS = ("m2", "imeasure", "gleu")
REPORTED = ("m2", "errant", "imeasure", "gleu", "sari")
SENTENCES_SHOWN = 3
REPORT = "geceval-demo-report.html"


@click.command(
    epilog=examples(
        """
        geceval demo
        geceval demo -o example
        geceval demo --report demo.html
        """
    )
)
@click.option("-o", "--out", "folder", metavar="DIR", help="Also copy the example files into DIR.")
@click.option(
    "--report",
    "page",
    metavar="FILE",
    help=f"Report to write.  [{REPORT}, or report.html in DIR]",
)
@jobs_option
def demo(folder: str | None, page: str | None, jobs: int) -> None:
    """Run the main commands on the bundled example data.

    The data are 120 learner-like sentences with two annotators, and three made-up systems: a
    careful one, an eager one and one that changes nothing.
    """
    with as_file(files("geceval") / "data" / "demo") as bundled:
        if folder is None:
            _show(bundled, page or REPORT, jobs)
            hint = "'geceval demo -o example' copies these files to the folder example."
            console().print(f"\n[dim]{hint}[/]")
            return
        _check_folder(bundled, Path(folder))
        shutil.copytree(bundled, folder, dirs_exist_ok=True)
    data = Path(folder)
    _show(data, page or str(data / "report.html"), jobs)
    gold, *systems = (text(data / name) for name in ("gold.m2", "careful.txt", "eager.txt"))
    console().rule("Next")
    console().print(f"  geceval report --gold {gold} {' '.join(systems)}", soft_wrap=True)


def _check_folder(bundled: Path, folder: Path) -> None:
    """Refuse to overwrite other files."""
    for path in bundled.iterdir():
        other = folder / path.name
        if other.exists() and not (other.is_file() and filecmp.cmp(path, other, shallow=False)):
            raise click.UsageError(f"{other} would be written over; choose another folder")


def _show(data: Path, page: str, jobs: int) -> None:
    """Run the main commands."""
    out = console()
    gold = data / "gold.m2"
    paths = [data / f"{name}.txt" for name in SYSTEMS]
    protect([gold, *paths], [page])
    out.rule("1. Validate the files: geceval check")
    checked = validate_files([gold, *paths])
    print_findings(checked.findings)
    out.print(f"{len(checked.files)} files: " + ("valid" if checked.is_valid else "NOT valid"))
    corpus = load(gold, findings=Findings())
    hypotheses = [load_hypothesis(path) for path in paths]
    out.rule("2. Corpus statistics: geceval stats")
    print_statistics(corpus.statistics(), "gold.m2", n_types=8)
    out.rule("3. Score the systems: geceval score")
    metric, *others = make_metrics(METRICS, hints={"jobs": jobs})
    results = evaluate(corpus, hypotheses, [metric])
    print_scores([*results, *evaluate(corpus, hypotheses, others)])
    out.rule("4. Test the differences: geceval compare")
    print_comparisons(metric.title, compare(metric, {r.system: r.statistics for r in results}))
    out.rule("5. Show marked edits: geceval score --verbose")
    _print_examples(corpus, hypotheses, results)
    out.rule("6. Everything on one page: geceval report")
    digests = [file.inputs[0].sha256 for file in checked.loaded]
    inputs = [
        File("gold", str(gold), digests[0]),
        *(
            File("system", str(path), digest, path.stem)
            for path, digest in zip(paths, digests[1:], strict=True)
        ),
    ]
    _write_report(corpus, hypotheses, inputs, checked.findings, page, jobs)


def _write_report(
    corpus: Corpus,
    hypotheses: list[Hypothesis],
    inputs: list[File],
    findings: Findings,
    page: str,
    jobs: int,
) -> None:
    """Write the report with metrics that are fast, or say which dependency is missing."""
    from geceval.report.collect import collect

    out = console()
    with Stages() as stages:
        metrics = usable(make_metrics(REPORTED, hints={"jobs": jobs}), findings)
        results = collect(
            corpus,
            hypotheses,
            metrics,
            findings=findings,
            files=inputs,
            title="Example data of geceval",
            jobs=jobs,
            progress=stages,
        )
        try:
            done = [*write_outputs(results, stages, page), "[dim]Open it in a browser.[/]"]
        except GecevalError as error:
            done = [f"[yellow]no report:[/] {text(error)}"]
    for line in done:
        out.print(line, soft_wrap=True)


def _print_examples(corpus: Corpus, hypotheses: list[Hypothesis], results: list[Result]) -> None:
    """Show the sentences on which the first two systems differ most."""
    out = console()
    first, second = results[:2]
    gaps = first.score.sentences.values - second.score.sentences.values
    order = sorted(range(len(corpus)), key=lambda number: (-gaps[number], number))
    views = {
        result.system: result.metric.marked_edits(corpus, hypothesis, result.score) or []
        for result, hypothesis in zip(results[:2], hypotheses, strict=False)
    }
    out.print(LEGEND)
    for number in (*order[:SENTENCES_SHOWN], *order[-SENTENCES_SHOWN:]):
        tokens = corpus.sentences[number].tokens
        out.print(f"[dim]{number}[/] {exact(tokens)}", soft_wrap=True)
        for system, view in views.items():
            chosen = view[number]
            if chosen is not None:
                out.print(f"    {system:8} {marked(tokens, chosen)}", soft_wrap=True)
