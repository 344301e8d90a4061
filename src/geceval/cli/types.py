"""``geceval types``: an error-type classifier trained on a typed corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from geceval.cli._shared.options import (
    encoding_option,
    examples,
    format_option,
    json_option,
    lang_option,
    model_option,
    no_nan,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.show import console, counted, print_findings, print_json, table, text
from geceval.errors import GecevalError
from geceval.extraction.lang import get_pack
from geceval.extraction.typers import learned
from geceval.formats import Findings, load
from geceval.metrics.views import EditCounts
from geceval.validation.system_output import refuse_other_text

CONFUSIONS_SHOWN = 15

_BY = "geceval annotate "
"""The command that segments text."""


@click.group()
def types() -> None:
    """Train and evaluate an error-type classifier.

    A trained model is used with --typer learned:MODEL, or -m "errant(typer=learned:MODEL)".
    """


@types.command(
    epilog=examples(
        """
        geceval types train nucle.m2 -o nucle-types.json
        geceval types train gold.m2 -o types.json --lang plain
        """
    )
)
@click.argument("gold", metavar="GOLD")
@click.option("-o", "--out", "output", required=True, metavar="MODEL", help="Output file.")
@click.option(
    "--strength",
    type=click.FloatRange(min=0, min_open=True),
    callback=no_nan,
    default=1.0,
    show_default=True,
    help="Inverse regularization strength.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="Ignore features with fewer examples.",
)
@lang_option
@model_option
@format_option
@encoding_option
def train(
    gold: str,
    output: str,
    strength: float,
    min_count: int,
    lang: str,
    model: str | None,
    format_name: str | None,
    encoding: str,
) -> None:
    """Train on the error types of GOLD, in any annotated format, and save the model."""
    protect([gold], [output])
    pack = get_pack(lang)
    findings = Findings()
    corpus = load(gold, format=format_name, findings=findings, encoding=encoding, name=gold)
    findings.update(refuse_other_text(corpus.sources, lang, path=gold, by=_BY))
    print_findings(findings, stderr=True, notes=False)
    analyzer = pack.analyzer(model)
    found = learned.analyzed(learned.examples(corpus), analyzer)
    if not found:
        raise GecevalError(f"{gold} has no typed edits to train on")
    typer = learned.train(
        found,
        lang=pack.name,
        model=analyzer.signature,
        strength=strength,
        min_count=min_count,
    )
    typer.save(output)
    evaluation = learned.Evaluation.of(typer, found)
    console(stderr=True).print(
        f"{counted(evaluation.total, 'edit')}, {counted(len(typer.types), 'type')}, "
        f"{counted(len(typer.features), 'feature')}; on these edits "
        f"{evaluation.accuracy:.1%} are correct"
    )


@types.command(
    "eval",
    epilog=examples(
        """
        geceval types eval nucle-types.json gold.m2
        geceval types eval types.json gold.m2 --json
        """
    ),
)
@click.argument("typer_path", metavar="MODEL")
@click.argument("gold", metavar="GOLD")
@model_option
@format_option
@encoding_option
@json_option
def evaluate(
    typer_path: str,
    gold: str,
    model: str | None,
    format_name: str | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Evaluate the predictions of MODEL against the error types of GOLD."""
    typer = learned.LearnedTyper.load(typer_path)
    findings = Findings()
    corpus = load(gold, format=format_name, findings=findings, encoding=encoding, name=gold)
    findings.update(refuse_other_text(corpus.sources, typer.lang, path=gold, by=_BY))
    analyzer = get_pack(typer.lang).analyzer(model)
    if analyzer.signature != typer.model:
        message = f"the typer was trained with {typer.model}, not with {analyzer.signature}"
        findings.add("other-model", message, path=typer_path)
    found = learned.analyzed(learned.examples(corpus), analyzer)
    if not found:
        raise GecevalError(f"{gold} has no typed edits to compare with")
    evaluation = learned.Evaluation.of(typer, found)
    counts = {name: EditCounts(*row, beta=1.0) for name, row in evaluation.by_type().items()}
    if as_json:
        print_json(_record(evaluation, counts, findings))
        return
    print_findings(findings, stderr=True, notes=False)
    _print(evaluation, counts)


def _record(
    evaluation: learned.Evaluation, counts: Mapping[str, EditCounts], findings: Findings
) -> dict[str, Any]:
    return {
        "schema": 1,
        "edits": evaluation.total,
        "accuracy": evaluation.accuracy,
        "types": {name: count.record() for name, count in counts.items()},
        "confusions": [
            {"gold": gold, "named": named, "count": count}
            for gold, named, count in evaluation.confusions()
        ],
        "warnings": findings.summary(notes=False),
    }


def _print(evaluation: learned.Evaluation, counts: Mapping[str, EditCounts]) -> None:
    out = console()
    out.print(f"{counted(evaluation.total, 'edit')}, {evaluation.accuracy:.1%} correct")
    numeric = ("correct", "wrong", "missed", "precision", "recall", "F1")
    rows = table("Error types", "type", *numeric, numeric=numeric)
    for name, count in sorted(counts.items(), key=lambda item: -item[1].tp - item[1].fn):
        shares = (count.precision, count.recall, count.f)
        rows.add_row(
            text(name),
            *map(str, (count.tp, count.fp, count.fn)),
            *(f"{share:.4f}" for share in shares),
        )
    out.print(rows)
    confusions = evaluation.confusions()
    if confusions:
        rows = table("Most frequent confusions", "gold", "predicted", "count", numeric=("count",))
        for gold, predicted, times in confusions[:CONFUSIONS_SHOWN]:
            rows.add_row(text(gold), text(predicted), str(times))
        out.print(rows)
