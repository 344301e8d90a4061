"""``geceval demo``: the main job on the example data that comes with the package."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import click

from geceval.check import examine
from geceval.cli._options import examples
from geceval.cli._show import console, print_findings, text
from geceval.cli.compare import print_comparisons
from geceval.cli.score import marked, print_scores
from geceval.cli.stats import print_statistics
from geceval.evaluate import Result, evaluate, make_metrics
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.base import ShowsEdits
from geceval.model import Corpus, Hypothesis
from geceval.stats import compare

SYSTEMS = ("careful", "eager", "unchanged")
METRICS = ("m2", "imeasure", "gleu")
SENTENCES_SHOWN = 3


@click.command(
    epilog=examples(
        """
        geceval demo
        geceval demo --to example
        """
    )
)
@click.option("--to", "folder", metavar="DIR", help="Also copy the example files into DIR.")
def demo(folder: str | None) -> None:
    """See it work on the example data that comes with geceval.

    120 learner-like sentences with two annotators and three made-up systems: a careful one, an
    eager one and one that does nothing.
    """
    out = console()
    with as_file(files("geceval") / "data" / "demo") as bundled:
        if folder is not None:
            shutil.copytree(bundled, folder, dirs_exist_ok=True)
        data = bundled if folder is None else Path(folder)
        gold = data / "gold.m2"
        paths = [data / f"{name}.txt" for name in SYSTEMS]
        out.rule("1. Are the files sound?  geceval check")
        result = examine([gold, *paths])
        print_findings(result.findings)
        out.print(f"{len(result.files)} files: " + ("sound" if result.is_sound else "NOT sound"))
        corpus = load(gold, findings=Findings())
        hypotheses = [load_hypothesis(path) for path in paths]
    out.rule("2. What is in the gold standard?  geceval stats")
    print_statistics(corpus.statistics(), "gold.m2", n_types=8)
    out.rule("3. How good are the systems?  geceval score")
    metric, *others = make_metrics(METRICS, {})
    results = evaluate(corpus, hypotheses, [metric])
    print_scores([*results, *evaluate(corpus, hypotheses, others)])
    out.rule("4. Is the difference more than chance?  geceval compare")
    print_comparisons(metric.title, compare(metric, {r.system: r.statistics for r in results}))
    out.rule("5. What did they get right and wrong?  geceval score --verbose")
    _print_examples(corpus, hypotheses, results)
    if folder is not None:
        out.rule("Now you")
        out.print(f"  geceval score --gold {text(gold)} {text(paths[0])} {text(paths[1])}")
    else:
        out.print("\n[dim]'geceval demo --to example' gives you these files to play with.[/]")


def _print_examples(corpus: Corpus, hypotheses: list[Hypothesis], results: list[Result]) -> None:
    """Show the sentences on which the first two systems differ most."""
    out = console()
    first, second = results[:2]
    gaps = first.score.sentences.values - second.score.sentences.values
    order = sorted(range(len(corpus)), key=lambda number: (-gaps[number], number))
    views = {}
    for result, hypothesis in zip(results[:2], hypotheses, strict=False):
        if isinstance(result.metric, ShowsEdits):
            views[result.system] = result.metric.chosen_edits(corpus, hypothesis, result.score)
    out.print("[green]{correct ✓}[/]  [red]{wrong ✗}[/]  [yellow]{missed ○}[/]")
    for number in (*order[:SENTENCES_SHOWN], *order[-SENTENCES_SHOWN:]):
        tokens = corpus.sentences[number].tokens
        out.print(f"[dim]{number}[/] {text(' '.join(tokens))}", soft_wrap=True)
        for system, view in views.items():
            chosen = view[number]
            if chosen is not None:
                out.print(f"    {system:8} {marked(tokens, chosen)}", soft_wrap=True)
