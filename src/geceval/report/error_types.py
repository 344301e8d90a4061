"""How systems did on each error type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from geceval.formats import Findings
from geceval.metrics._shared.edits import EditCounts, ScoresTypes
from geceval.metrics.base import ShowsEdits, TypeCounts, by_type
from geceval.model import Corpus, Hypothesis
from geceval.report.results import TypeRecord, number
from geceval.report.system_scores import Scoring

TypeTable: TypeAlias = dict[str, TypeRecord]


def count_types(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], scoring: Scoring
) -> dict[str, TypeTable]:
    """Count edits by type for each system, as a metric that shows edits sees them.

    Where the annotators name types in another way than the metric, such as NUCLE's ``ArtOrDet``
    beside ERRANT's ``R:DET``, wrong edits cannot be laid at the door of a gold type: then there
    is no precision by type.
    """
    metric, results = scoring.metric, scoring.results
    if isinstance(metric, ScoresTypes):
        tables = {
            one.name: metric.by_both(corpus, one, results[one.name].score) for one in hypotheses
        }
        make = _foreign_record if are_foreign(tables.values()) else _full_record
        return {
            system: {name: make(count) for name, count in counts.items()}
            for system, counts in tables.items()
        }
    if not isinstance(metric, ShowsEdits):
        return {}
    return {
        one.name: {
            name: _recall_record(count)
            for name, count in by_type(
                corpus, metric.chosen_edits(corpus, one, results[one.name].score)
            ).items()
        }
        for one in hypotheses
    }


def are_foreign(tables: Iterable[Mapping[str, EditCounts]]) -> bool:
    """Whether no wrong edit at all has a type that gold edits have, too."""
    gold: set[str] = set()
    wrong: set[str] = set()
    for counts in tables:
        gold |= {name for name, count in counts.items() if count.tp + count.fn}
        wrong |= {name for name, count in counts.items() if count.fp}
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


def _full_record(count: EditCounts) -> TypeRecord:
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
