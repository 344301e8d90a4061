"""``geceval combine``: votes of systems, and the upper bound of their outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from geceval.characters import Normalization
from geceval.cli._shared.label_files import check_no_labels
from geceval.cli._shared.metric_selection import metric_option
from geceval.cli._shared.options import examples, json_option, model_option, pack_options
from geceval.cli._shared.protect import protect
from geceval.cli._shared.roles import ScoringCommand
from geceval.cli._shared.score_printing import print_scores
from geceval.cli._shared.scored_files import load_gold_files, load_systems
from geceval.cli._shared.scoring import (
    WEIGHED_MISSING,
    Inputs,
    input_options,
    missing_option,
    note_coarse_intervals,
    prepare,
    resampling_options,
    show_jobs,
    text_options,
)
from geceval.cli._shared.show import (
    console,
    counted,
    print_findings,
    print_json,
    say,
    table,
    text,
)
from geceval.evaluation.combination import Oracle, Vote, find_oracle, vote
from geceval.evaluation.evaluate import note_scores
from geceval.evaluation.preparation import prepare_gold, prepare_outputs
from geceval.evaluation.resampling import Resampling
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import PackOptions
from geceval.formats import Findings, formats, open_output
from geceval.formats.inputs import strip_compression
from geceval.metrics.base import check_readings
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.metrics.specs import ALL, MetricSpec
from geceval.model import Hypothesis, Tokens
from geceval.text import join_tokens


@click.command(
    cls=ScoringCommand,
    epilog=examples(
        """
        geceval combine --src src.txt a.txt b.txt c.txt -o majority.txt
        geceval combine --vote 3 --gold gold.m2 a.txt b.txt c.txt d.txt -o careful.txt
        geceval combine --oracle m2 --gold gold.m2 a.txt b.txt c.txt
        geceval combine --oracle gleu --src src.txt --ref ref.txt a.txt b.txt -o best.txt
        """
    ),
)
@click.option(
    "--vote",
    "n_votes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Apply the edits that at least N systems make.  [more than half]",
)
@metric_option(
    names=("--oracle", "specs"),
    default=None,
    help="Choose for each sentence the output that is best for a metric.",
)
@input_options
@click.option(
    "-o", "--out", "output", metavar="FILE", help="Text to write; '-' for standard output."
)
@click.option("--lang", metavar="NAME", help="Language of the text.  [en]")
@model_option
@pack_options
@missing_option(WEIGHED_MISSING)
@resampling_options()
@text_options
@json_option
def combine(
    n_votes: int | None,
    specs: list[MetricSpec],
    systems: tuple[str, ...],
    output: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Combine the outputs of systems, by votes on edits or as an upper bound.

    By default, the edits that more than half of the systems make are applied to the source; only
    --src, or the sources of --gold, are needed. With --oracle, the output of each sentence is the
    one that gives the best score: the upper bound of selecting among these systems, or a local
    maximum where a metric has no exact one. The last line says which.
    """
    if len(systems) < 2:
        raise click.UsageError("give at least two systems")
    if specs and n_votes is not None:
        raise click.UsageError("--vote and --oracle exclude each other")
    if as_json and output == "-":
        raise click.UsageError("--json and --out - would both write to standard output")
    _check_text(output)
    if specs:
        _oracle(specs, systems, output, as_json=as_json, **given)
    else:
        _vote(n_votes or len(systems) // 2 + 1, systems, output, as_json=as_json, **given)


def _check_text(output: str | None) -> None:
    """Refuse names of files with edits, because text is written."""
    name = strip_compression(output or "")
    for fmt in formats().values():
        if fmt.name != "parallel" and fmt.suffixes and name.endswith(fmt.suffixes):
            raise click.UsageError(
                f"{output} is named like {fmt.title}, but plain text is written; "
                "'geceval annotate' extracts its edits"
            )


def _write(sentences: Sequence[Tokens], output: str | None) -> None:
    if output is not None:
        with open_output(output) as out:
            out.writelines(f"{join_tokens(tokens)}\n" for tokens in sentences)


def _oracle(
    specs: list[MetricSpec],
    systems: tuple[str, ...],
    output: str | None,
    *,
    as_json: bool,
    resamples: int,
    confidence: float,
    seed: int,
    **given: Any,
) -> None:
    if len(specs) != 1 or specs[0].name == ALL:
        raise click.UsageError("--oracle takes one metric")
    prepared = prepare(specs=specs, systems=systems, outputs=[output], **given)
    corpus, hypotheses, [metric], findings, *_ = prepared
    check_no_labels(hypotheses)
    note_coarse_intervals(resamples, confidence, findings)
    found = find_oracle(
        corpus,
        hypotheses,
        metric,
        resampling=Resampling(resamples, confidence, seed),
        progress=show_jobs,
    )
    results = [*found.systems, found.best]
    note_scores(results, findings)
    _write(found.hypothesis.sentences, output)
    chosen = Counter(found.chosen.tolist())
    used = {one.name: chosen[number] for number, one in enumerate(hypotheses)}
    if as_json:
        print_json(
            {
                "schema": 1,
                "results": [result.score.to_dict() for result in results],
                "exact": found.is_exact,
                "sentences": used,
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    if output == "-":
        say(f"{metric.title} of the oracle: {found.best.score.value:.4f} ({_quality(found)})")
        return
    print_scores(results)
    listing = ", ".join(f"{text(name)} {count:,}" for name, count in used.items())
    console().print(f"sentences of the oracle by system: {listing}", soft_wrap=True)
    console().print(_quality(found), soft_wrap=True)


def _quality(found: Oracle) -> str:
    if found.is_exact:
        return "exact: no selection of outputs has a better score"
    return "local maximum: no change of one sentence gives a better score, but several may"


def _vote(
    n_votes: int,
    systems: tuple[str, ...],
    output: str | None,
    *,
    as_json: bool,
    lang: str | None,
    model: str | None,
    options: PackOptions,
    gold: str | None,
    src: str | None,
    refs: tuple[str, ...],
    format_name: str | None,
    hyp_format: str | None,
    encoding: str,
    tokenize: bool,
    strict: bool,
    normalize: Normalization,
    jobs: int,
    **_: Any,
) -> None:
    if refs:
        raise click.UsageError("votes need no --ref; give it with --oracle")
    if (gold is None) == (src is None):
        raise click.UsageError("give the source sentences, as --src or as --gold, and not both")
    if n_votes > len(systems):
        raise click.UsageError(f"{len(systems)} systems cannot give {n_votes} votes")
    inputs = Inputs(gold, src, refs, systems)
    protect([gold, src, *inputs.system_files, *options.files], [output])
    findings = Findings()
    corpus = load_gold_files(
        inputs.gold_files,
        findings,
        format=format_name,
        encoding=encoding,
        is_text=gold is None,
        lang=lang or "",
    )
    hypotheses = load_systems(systems, findings, format=hyp_format, encoding=encoding)
    check_no_labels(hypotheses)
    for hypothesis in hypotheses:
        check_readings(hypothesis)
    prepared = prepare_gold(
        corpus,
        (),
        findings=findings,
        tokenize=tokenize,
        strict=strict,
        lang=lang or "",
        normalize=normalize,
    )
    corpus = prepared.corpus
    hypotheses = prepare_outputs(
        prepared, hypotheses, findings=findings, strict=strict, paths=inputs.system_files
    )
    annotator = Annotator(lang or "en", model=model, options=options, notify=say)
    extractor = EditExtractor(annotator=annotator, jobs=jobs)
    edits = [
        extractor.system_edits(corpus, hypothesis)
        for hypothesis in show_jobs(hypotheses, "extracting edits")
    ]
    found = vote(corpus.sources, edits, n_votes=n_votes)
    _write(found.sentences, output)
    if as_json:
        print_json(
            {
                "schema": 1,
                "votes": n_votes,
                "systems": _records(hypotheses, found),
                "edits": sum(map(len, found.edits)),
                "outvoted": found.outvoted,
                "conflicting": found.conflicting,
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    _print_vote(hypotheses, found, n_votes, to_stderr=output == "-")


def _records(hypotheses: Sequence[Hypothesis], found: Vote) -> list[dict[str, Any]]:
    return [
        {"system": hypothesis.name, "edits": proposed, "accepted": accepted}
        for hypothesis, proposed, accepted in zip(
            hypotheses, found.proposed, found.accepted, strict=True
        )
    ]


def _print_vote(
    hypotheses: Sequence[Hypothesis], found: Vote, n_votes: int, *, to_stderr: bool
) -> None:
    out = console(stderr=to_stderr)
    title = f"Edits with at least {n_votes} of {len(hypotheses)} votes"
    numeric = ("edits", "accepted", "%")
    rows = table(title, "system", *numeric, numeric=numeric)
    for record in _records(hypotheses, found):
        share = f"{100 * record['accepted'] / record['edits']:.1f}" if record["edits"] else "–"
        rows.add_row(
            text(record["system"]), f"{record['edits']:,}", f"{record['accepted']:,}", share
        )
    out.print(rows)
    n_accepted = sum(map(len, found.edits))
    out.print(
        f"{counted(n_accepted, 'edit')} accepted, {found.outvoted:,} outvoted, "
        f"{found.conflicting:,} in conflict with an edit that has as many votes or more",
        soft_wrap=True,
    )
