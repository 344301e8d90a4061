"""How systems did on each error type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from geceval.formats import Findings
from geceval.metrics.views import CountsByType, EditCounts, TypeCounts
from geceval.model import Corpus, Hypothesis
from geceval.report.results import TypeRecord, number
from geceval.report.system_scores import Scoring

TypeTable: TypeAlias = dict[str, TypeRecord]


def count_types(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], scoring: Scoring
) -> dict[str, TypeTable] | None:
    """Count edits by error type for each system, if the metric has edits.

    Where the annotators use other types than the metric, such as NUCLE's ``ArtOrDet`` beside
    ERRANT's ``R:DET``, false positives cannot be assigned to a gold type: then there is no
    precision by type.
    """
    tables: dict[str, CountsByType] = {}
    for one in hypotheses:
        counts = scoring.metric.counts_by_type(corpus, one, scoring.results[one.name].score)
        if counts is None:
            return None
        tables[one.name] = counts
    are_foreign = have_foreign_types(tables.values())
    return {
        system: {name: _record(count, is_foreign=are_foreign) for name, count in counts.items()}
        for system, counts in tables.items()
    }


def have_foreign_types(tables: Iterable[CountsByType]) -> bool:
    """Return whether no false positive at all has a type that gold edits have."""
    gold: set[str] = set()
    wrong: set[str] = set()
    for counts in tables:
        for name, count in counts.items():
            if isinstance(count, EditCounts):
                gold |= {name} if count.tp + count.fn else set()
                wrong |= {name} if count.fp else set()
    return bool(gold and wrong) and not gold & wrong


def note_foreign_types(types: Mapping[str, Mapping[str, TypeTable]], findings: Findings) -> None:
    """Say for which metrics there is no precision by type, and what would give it."""
    for metric, tables in types.items():
        records = [record for table in tables.values() for record in table.values()]
        if any(record["fp"] for record in records) and not any(
            record["gold"] and record["fp"] is not None for record in records
        ):
            findings.add(
                "foreign-types",
                f"the annotators name error types in another way than {metric}, so there is no "
                "precision by type; --auto-gold would name both alike",
                severity="note",
            )


def _record(count: TypeCounts | EditCounts, *, is_foreign: bool) -> TypeRecord:
    if isinstance(count, TypeCounts):
        return _recall_record(count)
    if is_foreign:
        return _foreign_record(count)
    return TypeRecord(
        tp=count.tp,
        fp=count.fp,
        fn=count.fn,
        gold=count.tp + count.fn,
        precision=number(count.precision),
        recall=number(count.recall),
        f=number(count.f),
    )


def _foreign_record(count: EditCounts) -> TypeRecord:
    gold = count.tp + count.fn
    if gold:
        return _recall_record(TypeCounts(count.tp, gold))
    return TypeRecord(tp=0, fp=count.fp, fn=0, gold=0, precision=0.0, recall=None, f=None)


def _recall_record(count: TypeCounts) -> TypeRecord:
    """Make a record where the types of wrong edits are not known."""
    return TypeRecord(
        tp=count.correct,
        fp=None,
        fn=count.gold - count.correct,
        gold=count.gold,
        precision=None,
        recall=number(count.recall),
        f=None,
    )
