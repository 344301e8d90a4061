"""Print the agreement of two annotations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from geceval.cli._shared.options import OutputForm
from geceval.cli._shared.show import print_findings, print_json, print_tables
from geceval.evaluation.annotators import Measured
from geceval.evaluation.typing_agreement import AgreementShare, TypingAgreement
from geceval.formats import Findings
from geceval.presentation.table import Table

DIFFERENCES = 20
"""Number of differences that the terminal shows."""


def print_typing(
    found: TypingAgreement,
    findings: Findings,
    form: OutputForm,
    *,
    keep_spans: bool,
    per_type: bool,
) -> None:
    """Print the agreement as tables or JSON.

    Parameters
    ----------
    found, findings
        The agreement, and warnings.
    form
        Form of the output.
    keep_spans
        Whether both annotations have the same edits, so that only types are of interest.
    per_type
        Whether to print the agreement by category.
    """
    if form == "json":
        print_json(
            {
                "schema": 1,
                **_record(found, keep_spans=keep_spans),
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    shown = DIFFERENCES if form == "terminal" else len(found.differences)
    tables = _tables(found, keep_spans=keep_spans, per_type=per_type, n_differences=shown)
    print_tables(tables, form)


def _measures(found: TypingAgreement, *, keep_spans: bool) -> dict[str, Measured]:
    if keep_spans:
        return {"retyped": found.types, "kappa": found.kappa}
    return {
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
        "types": found.types,
        "kappa": found.kappa,
    }


def _record(found: TypingAgreement, *, keep_spans: bool) -> dict[str, Any]:
    return {
        "sentences": found.n_sents,
        "excluded": found.n_excluded,
        "gold_edits": found.n_gold,
        "automatic_edits": found.n_automatic,
        "matched_edits": found.n_matched,
        "same_types": found.n_same,
        **{
            name: {
                "value": None if math.isnan(one.value) else one.value,
                "interval": None if one.interval is None else [one.interval.low, one.interval.high],
            }
            for name, one in _measures(found, keep_spans=keep_spans).items()
        },
        "operations": _share_records(found.operations),
        "categories": _share_records(found.categories),
        "differences": [
            {
                "gold": one.gold,
                "automatic": one.automatic,
                "count": one.count,
                "example": list(one.example),
            }
            for one in found.differences
        ],
    }


def _ends(found: Measured) -> tuple[float | None, float | None]:
    """Return the ends of an interval."""
    return (None, None) if found.interval is None else (found.interval.low, found.interval.high)


def _share_records(shares: dict[str, AgreementShare]) -> dict[str, Any]:
    return {
        name: {"matched": one.matched, "same": one.same, "share": one.share}
        for name, one in shares.items()
    }


_NAMES = {
    "precision": "precision of spans",
    "recall": "recall of spans",
    "f1": "F1 of spans",
    "types": "same type, of matched edits",
    "retyped": "same type, of all gold edits",
    "kappa": "Cohen's κ of types",
}


def _tables(
    found: TypingAgreement, *, keep_spans: bool, per_type: bool, n_differences: int
) -> Iterator[Table]:
    counts = (
        ("sentences", found.n_sents),
        ("gold edits", found.n_gold),
        ("automatic edits", found.n_automatic),
        ("matched edits", found.n_matched),
        ("same type", found.n_same),
    )
    yield Table("typing-counts", "Edits", ("count", "number"), counts)
    rows = tuple(
        (_NAMES[name], one.value, *_ends(one))
        for name, one in _measures(found, keep_spans=keep_spans).items()
    )
    header = ("measure", "agreement", "low", "high")
    yield Table("typing-agreement", "Agreement", header, rows)
    groups = {"operation": found.operations}
    if per_type:
        groups["category"] = found.categories
    for name, shares in groups.items():
        if shares:
            rows_of = tuple(
                (group, one.matched, one.same, one.share) for group, one in shares.items()
            )
            header = (name, "matched", "same type", "share")
            yield Table(f"typing-{name}", f"Same types by {name}", header, rows_of)
    if found.differences:
        yield Table(
            "typing-differences",
            "Most frequent differences of types",
            ("gold", "automatic", "count", "example"),
            tuple(
                (one.gold, one.automatic, one.count, f"{one.example[0]} → {one.example[1]}")
                for one in found.differences[:n_differences]
            ),
        )
