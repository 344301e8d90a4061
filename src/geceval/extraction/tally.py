"""Counts of annotated sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from geceval.formats.findings import Findings, Severity
from geceval.model import Sentence

_LOST: dict[str, tuple[Severity, str]] = {
    "not-applied": ("warning", "out-of-range or overlapping edits were ignored"),
    "alternatives": ("warning", "edits had several corrections, of which only the first was used"),
    "optional": ("warning", "optional edits became required"),
    "comments": ("note", "comments on edits were dropped"),
    "no-change": ("note", "edits that change nothing were dropped"),
    "past-the-end": ("warning", "out-of-range edits were not retyped"),
}


@dataclass(slots=True)
class Counts:
    """Counts of the annotated sentences, and of information that was lost."""

    sentences: int = 0
    annotations: int = 0
    changed: int = 0
    edits: int = 0
    types: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add the counts of other sentences."""
        self.sentences += other.sentences
        self.annotations += other.annotations
        self.changed += other.changed
        self.edits += other.edits
        self.types += other.types
        self.lost += other.lost

    def add_sentence(self, sent: Sentence) -> None:
        """Add one sentence."""
        self.sentences += 1
        for ann in sent.annotations:
            self.annotations += 1
            self.changed += bool(ann.edits)
            self.edits += len(ann.edits)
            self.types.update(edit.type for edit in ann.edits)

    def record(self) -> dict[str, Any]:
        """Return the counts as JSON data."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def restore(cls, record: Mapping[str, Any]) -> Counts:
        """Return the counts of a `record`; raise a `ValueError` if it is not valid."""
        by_name = ("types", "lost")
        is_known = record.keys() == {item.name for item in fields(cls)} and all(
            isinstance(value, dict) and all(map(_is_count, value.values()))
            if name in by_name
            else _is_count(value)
            for name, value in record.items()
        )
        if not is_known:
            raise ValueError("not a record of counts")
        return cls(**{**record, **{name: Counter(record[name]) for name in by_name}})


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def note_lost(lost: Counter[str], findings: Findings) -> None:
    """Add what was lost to the findings."""
    for code, (severity, message) in _LOST.items():
        if lost[code]:
            findings.add(code, f"{lost[code]:,} {message}", severity=severity)
