"""``geceval explain``: the extraction of edits, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from geceval.cli._shared.options import examples, extraction_options, json_option
from geceval.cli._shared.show import console, counted, exact, print_json, say, table, text

if TYPE_CHECKING:
    from rich.table import Table

    from geceval.extraction.explain import ExplainedEdit, Explanation, Step
    from geceval.extraction.lang.analysis import Analysis, Text

_KINDS = {
    "M": "match",
    "S": "substitution",
    "I": "insertion",
    "D": "deletion",
    "T": "transposition",
}


@click.command(
    epilog=examples(
        """
        geceval explain "This are a grammatical sentences ." "This is a grammatical sentence ."
        geceval explain --tokenize "He don't like it." "He doesn't like it."
        geceval explain --merge all-split "a sub - way" "the subway"
        printf 'He go .\\nHe goes .\\n' | geceval explain - -
        geceval explain --lang plain "ein Beispil" "ein Beispiel" --json
        """
    )
)
@click.argument("source")
@click.argument("corrected")
@extraction_options
@json_option
def explain(source: str, corrected: str, tokenize: bool, as_json: bool, **given: Any) -> None:
    """Explain the alignment, merging and typing of the edits of a sentence.

    SOURCE and CORRECTED are tokenized sentences or, with --tokenize, raw text. A sentence given as
    - is read from a line of standard input.
    """
    from geceval.extraction.explain import explain as explain_pair
    from geceval.extraction.files import ExtractionSettings
    from geceval.text import split_tokens

    source, corrected = _from_input(source, corrected)
    annotator = ExtractionSettings(**given).annotator(notify=say)
    split: Callable[[str], Text] = annotator.analyzer.tokenize if tokenize else split_tokens
    explanation = explain_pair(split(source), split(corrected), annotator)
    if as_json:
        print_json({"schema": 1, "signature": annotator.signature, **_record(explanation)})
        return
    out = console()
    out.print(_alignment(explanation, annotator.method))
    if not explanation.edits:
        out.print("The sentences are equal: there is nothing to correct.")
    for number, explained in enumerate(explanation.edits, 1):
        _print_edit(number, explained, explanation)
    out.print(f"\n[dim]{text(annotator.signature)}[/dim]", soft_wrap=True)


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
            _KINDS[operation.kind],
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
    lemma, pos, characters = step.parts
    if not step.cost:
        return "equal but for case"
    return f"lemma {lemma:g} + part of speech {pos:g} + letters {characters:.3f}"


def _print_edit(number: int, explained: ExplainedEdit, explanation: Explanation) -> None:
    from geceval.extraction.categories import OPERATIONS, describe

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
    if operation in OPERATIONS:
        out.print(f"   {operation}: {OPERATIONS[operation]}.")
    meaning = describe(kind)
    if meaning is not None:
        out.print(f"   {text(category or kind)}: {meaning}", soft_wrap=True)
    for fact in explained.facts:
        out.print(f"   • {text(fact)}", soft_wrap=True)


def _record(explanation: Explanation) -> dict[str, Any]:
    return {
        "source": _sentence_record(explanation.source),
        "corrected": _sentence_record(explanation.target),
        "cost": explanation.cost,
        "alignment": [_step_record(step) for step in explanation.steps],
        "edits": [_edit_record(explained) for explained in explanation.edits],
    }


def _sentence_record(sentence: Analysis) -> list[dict[str, Any]]:
    return [
        {
            "token": token,
            "pos": sentence.pos[place],
            "tag": sentence.tags[place],
            "lemma": sentence.lemmas[place],
            "head": sentence.heads[place],
            "label": sentence.labels[place],
        }
        for place, token in enumerate(sentence.tokens)
    ]


def _step_record(step: Step) -> dict[str, Any]:
    return {
        **_spans(step.operation[1:]),
        "operation": _KINDS[step.operation.kind],
        "cost": step.cost,
        "parts": None if step.parts is None else step.parts._asdict(),
    }


def _edit_record(explained: ExplainedEdit) -> dict[str, Any]:
    from geceval.extraction.categories import describe

    return {
        **_spans(explained.change[:4]),
        "correction": explained.edit.correction,
        "type": explained.edit.type,
        "meaning": describe(explained.edit.type),
        "operations": len(explained.operations),
        "rule": explained.change.rule.name.lower().replace("_", "-"),
        "reason": explained.change.rule.value,
        "facts": explained.facts,
    }


def _spans(numbers: Sequence[int]) -> dict[str, int]:
    names = ("start", "end", "corrected_start", "corrected_end")
    return dict(zip(names, numbers, strict=True))
