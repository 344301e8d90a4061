"""Error types of the gold edits in the vocabulary of the system edits.

Annotators may use other types than the metric that types the edits of systems, such as NUCLE's
``ArtOrDet`` and ERRANT's ``R:DET``. A wrong edit then has no type of the gold standard, and there
is no precision by type. With the gold edits typed by the same rules, there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from geceval.metrics.views import EditCounts
from geceval.model import Annotation, Edit, Sentence, Tokens
from geceval.report.error_types import type_record
from geceval.report.outcomes import CORRECT
from geceval.report.results import GoldEdit, Results, Sentences, SystemSentences, TypeRecord
from geceval.report.sentences import recorded_tokens

if TYPE_CHECKING:
    from geceval.extraction.annotator import Annotator

_BLOCK = 1000
"""Sentences that are typed together, to save memory."""


def has_foreign_types(results: Results) -> bool:
    """Return whether wrong edits are typed, but not with types of the gold standard."""
    shown = results["edit_metric"]
    if shown is None or shown not in results["types"]:
        return False
    records = [one for types in results["types"][shown].values() for one in types.values()]
    has_wrong = any(one["fp"] for one in records)
    return has_wrong and all(one["fp"] is None for one in records if one["gold"])


def add_retyped(
    results: Results,
    annotator: Annotator,
    beta: float,
    known: Mapping[tuple[Tokens, Tokens], Sequence[Edit]] | None = None,
) -> None:
    """Add gold types by the rules for system edits, and counts by these types.

    Parameters
    ----------
    results
        A report; its sentences have edits.
    annotator
        The typer of the system edits.
    beta
        Weight of recall in F.
    known
        Edits that the annotator extracted, such as those of corrections by people; see
        `geceval.extraction.corpus.retype`.
    """
    sentences = results["sentences"]
    names: dict[str, int] = {name: place for place, name in enumerate(sentences["types"])}
    gold = [
        types
        for first in range(0, len(sentences["source"]), _BLOCK)
        for types in _retyped(sentences, first, annotator, known or {}, names)
    ]
    # Types that no other edit has are added to those of the sentences.
    sentences["types"] += list(names)[len(sentences["types"]) :]
    sentences["retyped"] = gold
    results["retyped"] = {
        system: _count(results, view, gold, beta) for system, view in sentences["systems"].items()
    }


def _retyped(
    sentences: Sentences,
    first: int,
    annotator: Annotator,
    known: Mapping[tuple[Tokens, Tokens], Sequence[Edit]],
    names: dict[str, int],
) -> list[list[list[int]]]:
    """Return the types of the gold edits of a block of sentences; new `names` are added."""
    from geceval.extraction.corpus import retype

    block = slice(first, first + _BLOCK)
    corpus = [
        Sentence(
            recorded_tokens(source), tuple(_annotation(str(name), edits) for name, edits in gold)
        )
        for source, gold in zip(sentences["source"][block], sentences["gold"][block], strict=True)
    ]
    return [
        [
            _types_of(before.edits, after.edits, names)
            for before, after in zip(own.annotations, retyped.annotations, strict=True)
        ]
        for own, retyped in zip(
            corpus, retype(corpus, annotator, minimize=False, known=known), strict=True
        )
    ]


def _annotation(name: str, edits: Sequence[GoldEdit]) -> Annotation:
    return Annotation(
        name,
        tuple(
            Edit(start, end, () if text is None else (recorded_tokens(text),), "")
            for start, end, text, _ in edits
        ),
    )


def _types_of(before: Sequence[Edit], after: Sequence[Edit], names: dict[str, int]) -> list[int]:
    """Return the new type of each edit, in the order before; retyping sorts the edits."""
    found = {(edit.start, edit.end, edit.corrections): edit.type for edit in after}
    types = [found[edit.start, edit.end, edit.corrections] for edit in before]
    return [names.setdefault(name, len(names)) for name in types]


def _count(
    results: Results, view: SystemSentences, gold: Sequence[Sequence[Sequence[int]]], beta: float
) -> dict[str, TypeRecord]:
    """Count correct, wrong and missed edits by type, against the chosen annotators."""
    tp, fp, fn = Counter[int](), Counter[int](), Counter[int]()
    counters = {"tp": tp, "fp": fp, "fn": fn}
    for kind, place in _typed(results, view, gold):
        counters[kind][place] += 1
    types = results["sentences"]["types"]
    return {
        types[place] if place >= 0 else "": type_record(
            EditCounts(tp[place], fp[place], fn[place], beta)
        )
        for place in sorted({*tp, *fp, *fn})
    }


def _typed(
    results: Results, view: SystemSentences, gold: Sequence[Sequence[Sequence[int]]]
) -> Iterator[tuple[str, int]]:
    chosen, edits, missed = view["chosen"], view["edits"], view["missed"]
    if chosen is None or edits is None or missed is None:
        return
    for row, annotator in enumerate(chosen):
        annotators = [name for name, _ in results["sentences"]["gold"][row]]
        own = gold[row][annotators.index(annotator)] if annotator in annotators else ()
        for _, _, _, outcome, kind, place in edits[row]:
            yield ("tp", own[place]) if outcome == CORRECT else ("fp", kind)
        for place, _ in missed[row]:
            yield "fn", own[place]
