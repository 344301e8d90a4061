"""``geceval demo``: the main commands on the bundled example data."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import click

from geceval.cli._shared.corpus_printing import print_statistics
from geceval.cli._shared.options import examples, jobs_option
from geceval.cli._shared.protect import protect
from geceval.cli._shared.report_files import write_outputs
from geceval.cli._shared.score_printing import LEGEND, marked, print_comparisons, print_scores
from geceval.cli._shared.show import Stages, console, exact, print_findings, say, text
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import Result, evaluate, make_metrics
from geceval.evaluation.metric_choice import usable
from geceval.evaluation.preparation import prepare_gold, prepare_outputs
from geceval.evaluation.resampling import compare
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis
from geceval.report.input_files import File
from geceval.validation.check import validate_files

SYSTEMS = ("careful", "eager", "unchanged")
SENTENCES_SHOWN = 3
REPORT = "geceval-demo-report.html"


@dataclass(frozen=True, slots=True)
class _BundledData:
    """Example data of a language.

    Parameters
    ----------
    folder
        Folder of the data.
    title
        Title of the report.
    gold
        File of the gold standard.
    metrics
        Metrics to score with; the systems are compared by the first.
    reported
        Metrics of the report.
    """

    folder: str = "demo"
    title: str = "Example data of geceval"
    gold: str = "gold.m2"
    metrics: tuple[str, ...] = ("m2", "imeasure", "gleu")
    reported: tuple[str, ...] = ("m2", "errant", "imeasure", "gleu", "sari")


_DATA = {
    "en": _BundledData(),
    "de": _BundledData("demo-de", "German example data of geceval", metrics=("errant", "gleu")),
    "zh": _BundledData(
        "demo-zh",
        "Chinese example data of geceval",
        "gold.tsv",
        metrics=("errant", "gleu"),
        reported=("errant", "m2", "gleu", "sari"),
    ),
}


@click.command(
    epilog=examples(
        """
        geceval demo
        geceval demo -o example
        geceval demo --report demo.html
        geceval demo --lang de
        geceval demo --lang zh -o chinese
        """
    )
)
@click.option(
    "--lang",
    type=click.Choice(tuple(_DATA), case_sensitive=False),
    default="en",
    show_default=True,
    help="Language of the example data.",
)
@click.option("-o", "--out", "folder", metavar="DIR", help="Also copy the example files into DIR.")
@click.option(
    "--report",
    "page",
    metavar="FILE",
    help=f"Report to write.  [{REPORT}, or report.html in DIR]",
)
@jobs_option
def demo(lang: str, folder: str | None, page: str | None, jobs: int) -> None:
    """Run the main commands on the bundled example data.

    The data are 120 learner-like sentences (30 in German and Chinese) with two annotators, and
    three made-up systems: a careful one, an eager one and one that changes nothing.
    """
    example = _DATA[lang]
    given = "" if lang == "en" else f" --lang {lang}"
    with as_file(files("geceval") / "data" / example.folder) as bundled:
        if folder is None:
            _show(bundled, page or REPORT, jobs, lang)
            hint = f"'geceval demo{given} -o example' copies these files to the folder example."
            console().print(f"\n[dim]{hint}[/]")
            return
        _check_folder(bundled, Path(folder))
        shutil.copytree(bundled, folder, dirs_exist_ok=True)
    data = Path(folder)
    _show(data, page or str(data / "report.html"), jobs, lang)
    gold, *systems = (text(data / name) for name in (example.gold, "careful.txt", "eager.txt"))
    console().rule("Next")
    console().print(f"  geceval report{given} --gold {gold} {' '.join(systems)}", soft_wrap=True)


def _check_folder(bundled: Path, folder: Path) -> None:
    """Refuse to overwrite other files."""
    for path in bundled.iterdir():
        other = folder / path.name
        if other.exists() and not (other.is_file() and filecmp.cmp(path, other, shallow=False)):
            raise click.UsageError(f"{other} would be written over; choose another folder")


def _show(data: Path, page: str, jobs: int, lang: str) -> None:
    """Run the main commands."""
    out = console()
    example = _DATA[lang]
    gold = data / example.gold
    paths = [data / f"{name}.txt" for name in SYSTEMS]
    protect([gold, *paths], [page])
    out.rule("1. Validate the files: geceval check")
    checked = validate_files([gold, *paths], lang=lang)
    print_findings(checked.findings)
    out.print(f"{len(checked.files)} files: " + ("valid" if checked.is_valid else "NOT valid"))
    metric, *others = _made(example.metrics, lang, jobs)
    prepared = prepare_gold(
        load(gold, findings=Findings()),
        [metric, *others],
        findings=checked.findings,
        extraction={"pack": lang, "notify": say},
        lang="" if lang == "en" else lang,
    )
    corpus = prepared.corpus
    hypotheses = prepare_outputs(
        prepared, [load_hypothesis(path) for path in paths], findings=checked.findings
    )
    out.rule("2. Corpus statistics: geceval stats")
    print_statistics(corpus.statistics(), example.gold, n_types=8)
    out.rule("3. Score the systems: geceval score")
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
    reported = usable(_made(example.reported, lang, jobs), checked.findings)
    with Stages() as stages:
        from geceval.report.collect import collect

        collected = collect(
            corpus,
            hypotheses,
            reported,
            findings=checked.findings,
            files=inputs,
            title=example.title,
            jobs=jobs,
            progress=stages,
        )
        try:
            done = [*write_outputs(collected, stages, page), "[dim]Open it in a browser.[/]"]
        except GecevalError as error:
            done = [f"[yellow]no report:[/] {text(error)}"]
    for line in done:
        out.print(line, soft_wrap=True)


def _made(names: Sequence[str], lang: str, jobs: int) -> list[Metric]:
    return make_metrics(names, hints={"jobs": jobs, **({} if lang == "en" else {"lang": lang})})


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
