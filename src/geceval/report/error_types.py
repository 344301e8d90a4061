"""Scores by error type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from geceval.formats import Findings
from geceval.metrics.views import CountsByType, EditCounts, TypeCounts
from geceval.model import Corpus, Hypothesis
from geceval.report.results import TypeRecord, number
from geceval.report.score_records import SystemResults


def count_types(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], systems: SystemResults, findings: Findings
) -> dict[str, dict[str, TypeRecord]] | None:
    """Count edits by error type for each system, if the metric has edits.

    If the types of the gold standard differ from those of the metric, such as NUCLE's ``ArtOrDet``
    and ERRANT's ``R:DET``, false positives have no gold type. Precision by type is then undefined,
    and a note is added to `findings`.
    """
    tables: dict[str, CountsByType] = {}
    for one in hypotheses:
        result = systems[one.name]
        counts = result.metric.counts_by_type(corpus, one, result.score)
        if counts is None:
            return None
        tables[one.name] = counts
    is_foreign = _have_foreign_types(tables.values())
    if is_foreign:
        findings.add(
            "foreign-types",
            f"the error types of the annotators differ from those of {result.metric.name}, so "
            "there is no precision by their types, only by those of the metric",
            severity="note",
        )
    return {
        system: {name: type_record(count, is_foreign=is_foreign) for name, count in counts.items()}
        for system, counts in tables.items()
    }


def _have_foreign_types(tables: Iterable[CountsByType]) -> bool:
    """Return whether no false positive has the type of a gold edit."""
    gold: set[str] = set()
    wrong: set[str] = set()
    for counts in tables:
        for name, count in counts.items():
            if isinstance(count, EditCounts):
                gold |= {name} if count.tp + count.fn else set()
                wrong |= {name} if count.fp else set()
    return bool(gold and wrong) and not gold & wrong


def type_record(count: TypeCounts | EditCounts, *, is_foreign: bool = False) -> TypeRecord:
    """Return the record of one error type."""
    if isinstance(count, TypeCounts):
        return TypeRecord(
            tp=count.correct,
            fp=None,
            fn=count.gold - count.correct,
            gold=count.gold,
            precision=None,
            recall=number(count.recall),
            f=None,
        )
    gold = count.tp + count.fn
    if is_foreign and gold:
        return type_record(TypeCounts(count.tp, gold), is_foreign=True)
    return TypeRecord(
        tp=count.tp,
        fp=count.fp,
        fn=count.fn,
        gold=gold,
        precision=number(count.precision),
        recall=None if is_foreign else number(count.recall),
        f=None if is_foreign else number(count.f),
    )
