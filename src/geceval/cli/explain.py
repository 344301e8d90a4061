"""``geceval explain``: the extraction of edits, step by step, and their shares in a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from geceval.cli._shared.metric_selection import metric_option, select_metrics
from geceval.cli._shared.options import examples, extraction_options, json_option
from geceval.cli._shared.scoring import seed_option
from geceval.cli._shared.show import (
    console,
    counted,
    exact,
    print_findings,
    print_json,
    say,
    table,
    text,
)
from geceval.evaluation.attribution import METHODS, SAMPLES, Attribution, attribute_by
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.metrics.specs import MetricSpec
from geceval.model import Annotation, Sentence

if TYPE_CHECKING:
    from rich.table import Table

    from geceval.extraction.annotator import Annotator
    from geceval.extraction.explain import ExplainedEdit, Explanation, Step
    from geceval.extraction.lang.analysis import Analysis, Text


@click.command(
    epilog=examples(
        """
        geceval explain "This are a grammatical sentences ." "This is a grammatical sentence ."
        geceval explain --tokenize "He don't like it." "He doesn't like it."
        geceval explain --merge all-split "a sub - way" "the subway"
        printf 'He go .\\nHe goes .\\n' | geceval explain - -
        geceval explain --lang plain "ein Beispil" "ein Beispiel" --json
        geceval explain --lang zh "我在去学校" "我再去学校"
        geceval explain --attribute gleu "He go ." "He goes to ." --ref "He goes ."
        """
    )
)
@click.argument("source")
@click.argument("corrected")
@extraction_options
@metric_option(
    names=("--attribute", "specs"),
    default=None,
    help="Also share the score of CORRECTED by these metrics among the edits (repeatable).",
)
@click.option(
    "--ref",
    "references",
    multiple=True,
    metavar="TEXT",
    help="Reference correction of SOURCE, for --attribute (repeatable).",
)
@click.option(
    "--samples",
    type=click.IntRange(2, 1_000_000),
    default=SAMPLES,
    show_default=True,
    help="Sampled orders for the Shapley values of many edits.",
)
@seed_option
@json_option
def explain(
    source: str,
    corrected: str,
    specs: Sequence[MetricSpec],
    references: Sequence[str],
    samples: int,
    seed: int,
    tokenize: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Explain the alignment, merging and typing of the edits of a sentence.

    SOURCE and CORRECTED are tokenized sentences or, with --tokenize, raw text. A sentence given as
    - is read from a line of standard input.

    With --attribute, the difference between the scores of CORRECTED and SOURCE is shared among
    the edits: in proportion to what each adds alone (add) or takes away if it is missing (sub),
    and by Shapley values, which are sampled for more than 12 edits.
    """
    from geceval.extraction.explain import explain as explain_pair
    from geceval.extraction.files import ExtractionSettings
    from geceval.extraction.lang.analysis import tokens_of
    from geceval.validation.system_output import refuse_other_text

    if references and not specs:
        raise click.UsageError("--ref is for --attribute METRIC")
    source, corrected, *references = _from_input(source, corrected, *references)
    annotator = ExtractionSettings(**given).annotator(notify=say)

    def split(text: str, *, corrected: bool = True) -> Text:
        return annotator.split(text, corrected=corrected, tokenize=tokenize)

    metrics = _metrics(specs, annotator, has_references=bool(references))
    before = split(source, corrected=False)
    findings = refuse_other_text([tokens_of(before)], annotator.pack.name)
    print_findings(findings, stderr=True, notes=False)
    explanation = explain_pair(before, split(corrected), annotator)
    sent = _sentence(explanation, [split(reference) for reference in references], annotator)
    edits = [explained.edit for explained in explanation.edits]
    output = explanation.target.tokens
    found = [
        (metric, attribute_by(metric, sent, edits, output, samples=samples, seed=seed))
        for metric in metrics
    ]
    if as_json:
        record = {"schema": 1, "signature": annotator.signature, **explanation.to_dict()}
        if metrics:
            record["attribution"] = [_attribution_record(*one, len(references)) for one in found]
        print_json(record)
        return
    out = console()
    out.print(_alignment(explanation, annotator.method))
    if not explanation.edits:
        out.print("The sentences are equal: there is nothing to correct.")
    for number, explained in enumerate(explanation.edits, 1):
        _print_edit(number, explained, explanation)
    out.print(f"\n[dim]{text(annotator.signature)}[/dim]", soft_wrap=True)
    for metric, attributions in found:
        _print_attributions(metric, attributions, explanation, len(references))


def _metrics(
    specs: Sequence[MetricSpec], annotator: Annotator, *, has_references: bool
) -> list[Metric]:
    if not specs:
        return []
    metrics = select_metrics(specs, Findings(), jobs=1, annotator=annotator)
    missing = [metric.name for metric in metrics if metric.needs_references]
    if missing and not has_references:
        raise click.UsageError(f"{', '.join(missing)} compares with references: give --ref")
    return metrics


def _sentence(
    explanation: Explanation, references: Sequence[Text], annotator: Annotator
) -> Sentence:
    """Return the source with the edits to each reference."""
    from geceval.extraction.lang.analysis import tokens_of

    source = explanation.source.tokens
    return Sentence(
        source,
        tuple(
            Annotation(str(number), annotator.annotate(source, tokens_of(reference)))
            for number, reference in enumerate(references)
        ),
    )


def _attribution_record(
    metric: Metric, attributions: Sequence[Attribution], n_references: int
) -> dict[str, Any]:
    first = attributions[0]
    return {
        "metric": metric.name,
        "configuration": metric.for_sentences().configuration(),
        "references": n_references if metric.needs_references else 0,
        "source_score": first.source_score,
        "delta": first.delta,
        "methods": [one.record() for one in attributions],
    }


def _print_attributions(
    metric: Metric,
    attributions: Sequence[Attribution],
    explanation: Explanation,
    n_references: int,
) -> None:
    first = attributions[0]
    scores = f"{first.source_score:.4f} → {first.source_score + first.delta:.4f}"
    rows = table(
        f"{metric.title}: {scores}, difference {first.delta:+.4f}",
        "edit",
        *METHODS,
        numeric=METHODS,
    )
    for number, explained in enumerate(explanation.edits):
        change = explained.change
        before = _words(explanation.source, change.start, change.end)
        after = _words(explanation.target, change.target_start, change.target_end)
        shares = (_share(one, number) for one in attributions)
        rows.add_row(f"{number + 1}. {before} → {after}", *shares)
    out = console()
    out.print()
    out.print(rows)
    last = attributions[-1]
    notes = []
    if metric.needs_references and n_references > 1:
        notes.append(f"{n_references} references, used as by the metric")
    if last.errors is not None:
        notes.append(
            f"Shapley values ± standard error from {last.samples} sampled orders, seed {last.seed}"
        )
    out.print(
        f"[dim]{text('; '.join([metric.for_sentences().configuration(), *notes]))}[/dim]",
        soft_wrap=True,
    )


def _share(attribution: Attribution, number: int) -> str:
    share = f"{attribution.shares[number]:+.4f}"
    return share if attribution.errors is None else f"{share} ± {attribution.errors[number]:.4f}"


def _from_input(*sentences: str) -> list[str]:
    """Replace each ``-`` by a line of standard input."""
    from geceval.formats.inputs import Input

    if "-" not in sentences:
        return list(sentences)
    with Input.open("-") as given:
        lines = list(given.lines())
    n_wanted = sentences.count("-")
    if len(lines) != n_wanted:
        raise click.UsageError(
            f"each - is a line of standard input, which should have {counted(n_wanted, 'line')}, "
            f"not {len(lines):,}"
        )
    rest = iter(lines)
    return [next(rest) if sentence == "-" else sentence for sentence in sentences]


def _alignment(explanation: Explanation, method: str) -> Table:
    from geceval.extraction.align import OPERATION_NAMES

    rows = table(
        f"Alignment ({method}), cost {explanation.cost:.3f}",
        "source",
        "corrected",
        "operation",
        "cost",
        "made of",
        numeric=("cost",),
    )
    for step in explanation.steps:
        operation = step.operation
        is_match = operation.kind == "M"
        style = "dim" if is_match else None
        rows.add_row(
            _words(explanation.source, operation.start, operation.end),
            _words(explanation.target, operation.target_start, operation.target_end),
            OPERATION_NAMES[operation.kind],
            "0" if is_match else f"{step.cost:.3f}",
            _cost_parts(step),
            style=style,
        )
    return rows


def _words(sentence: Analysis, start: int, end: int) -> str:
    return exact(sentence.tokens[start:end]) or "∅"


def _cost_parts(step: Step) -> str:
    if step.operation.kind == "T":
        return "number of transposed words minus 1"
    if step.parts is None:
        return ""
    if not hasattr(step.parts, "lemma"):
        semantics, characters, word_class = step.parts
        return f"meaning {semantics:.3f} + characters {characters:g} + class {word_class:g}"
    lemma, pos, characters = step.parts
    if not step.cost:
        return "equal but for case"
    return f"lemma {lemma:g} + part of speech {pos:g} + letters {characters:.3f}"


def _print_edit(number: int, explained: ExplainedEdit, explanation: Explanation) -> None:
    out = console()
    change, kind = explained.change, explained.edit.type
    before = _words(explanation.source, change.start, change.end)
    after = _words(explanation.target, change.target_start, change.target_end)
    out.print(
        f"\n[bold]{number}. {before} → {after}[/]  [green]{text(kind)}[/]",
        soft_wrap=True,
    )
    n_operations = len(explained.operations)
    count = counted(n_operations, "operation")
    out.print(f"   Merging: {count}, one edit: {change.rule.value}.", soft_wrap=True)
    operation, _, category = kind.partition(":")
    what, meaning = explained.description
    if what is not None:
        out.print(f"   {operation}: {what}.")
    if meaning is not None:
        out.print(f"   {text(category or kind)}: {meaning}", soft_wrap=True)
    for fact in explained.facts:
        out.print(f"   • {text(fact)}", soft_wrap=True)
