"""``geceval difficulty``: how many systems get each part of a gold standard right."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast

import click

from geceval.cli._shared.options import OutputForm, examples, form_options, pack_options
from geceval.cli._shared.roles import ScoringCommand
from geceval.cli._shared.scoring import (
    auto_gold_option,
    input_options,
    missing_option,
    prepare,
    show_jobs,
    text_options,
)
from geceval.cli._shared.show import (
    console,
    print_findings,
    print_json,
    print_signatures,
    print_tables,
)
from geceval.cli._shared.show import text as escaped
from geceval.metrics.gotoscorer.difficulty_weights import TypeDifficulty
from geceval.metrics.gotoscorer.metric import GoToScorer
from geceval.metrics.specs import MetricSpec
from geceval.presentation.table import Table


@click.command(
    cls=ScoringCommand,
    epilog=examples(
        """
        geceval difficulty --gold gold.m2 a.txt b.txt c.txt
        geceval difficulty --gold gold.m2 *.txt -o weights.txt
        geceval difficulty --src src.txt --ref ref.txt *.txt -o weights.txt.gz
        geceval score -m gotoscorer --weights weights.txt --gold gold.m2 new.txt
        """
    ),
)
@input_options
@click.option(
    "-o", "--out", "output", metavar="FILE", help="Weight file to write, for --weights of score."
)
@click.option("--annotator", metavar="NAME", help="Annotator to compare with.  [the first]")
@auto_gold_option("as for gotoscorer")
@click.option("--lang", metavar="NAME", help="Language of the text.  [en]")
@pack_options
@missing_option("absent")
@text_options
@form_options
def difficulty(
    systems: tuple[str, ...],
    output: str | None,
    annotator: str | None,
    auto_gold: str | None,
    lang: str | None,
    form: OutputForm,
    **given: Any,
) -> None:
    """Weigh the chunks of a gold standard by how many systems get them right (GoToScorer).

    Prints how difficult each error type is, from 0 (all systems are right) to 1 (none is), and
    writes the weights, so that other systems can be scored with them.
    """
    if len(systems) < 2:
        raise click.UsageError("give at least two systems")
    chosen = {"ref": annotator, "auto_gold": auto_gold, "lang": lang}
    spec = MetricSpec("gotoscorer", {name: one for name, one in chosen.items() if one is not None})
    prepared = prepare(specs=[spec], systems=systems, outputs=[output], **given)
    corpus, hypotheses, [metric], findings, *_ = prepared
    gotoscorer = cast("GoToScorer", metric)
    weights = gotoscorer.difficulty(corpus, show_jobs(hypotheses, "comparing systems"))
    gotoscorer = gotoscorer.with_options(weights=weights).prepared_for(corpus, hypotheses)
    types = gotoscorer.difficulty_by_type(corpus)
    if output is not None:
        weights.write(output)
    if form == "json":
        print_json(
            {
                "schema": 1,
                "systems": [hypothesis.name for hypothesis in hypotheses],
                "chunks": len(weights.n_correct),
                "types": [asdict(one) for one in types],
                "configuration": gotoscorer.configuration(),
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    print_tables([_table(types, weights.n_systems)], form)
    if form == "terminal":
        print_signatures([gotoscorer.configuration()])
        if output is not None:
            console(stderr=output == "-").print(f"wrote {escaped(output)}", soft_wrap=True)


def _table(types: list[TypeDifficulty], n_systems: int) -> Table:
    return Table(
        "difficulty",
        f"Difficulty of gold edits for {n_systems} systems",
        ("type", "edits", "mean", "deviation"),
        tuple((one.type or "(none)", one.n_edits, one.mean, one.deviation) for one in types),
    )
