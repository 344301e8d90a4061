"""Findings of readers and validation: everything repaired, ignored or suspicious.

Readers never drop anything silently: they `add` to a `Findings`, which ``geceval check`` prints
and `geceval.load` turns into warnings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "note"]
"""``error`` makes scores wrong, ``warning`` may do so, ``note`` is for information."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

MAX_PER_CODE = 1000
"""Maximum number of findings stored per code; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, with its file and line."""

    code: str
    message: str
    severity: Severity = "warning"
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        """Format file, line and message."""
        place = ", ".join(
            part for part in (self.path, f"line {self.line}" if self.line else None) if part
        )
        return f"{place}: {self.message}" if place else self.message


class Findings:
    """A collection of findings, bounded in size."""

    def __init__(self) -> None:
        self._stored: list[Finding] = []
        self.counts: Counter[str] = Counter()
        self._severity: dict[str, Severity] = {}

    def add(
        self,
        code: str,
        message: str,
        *,
        severity: Severity = "warning",
        path: str | None = None,
        line: int | None = None,
    ) -> None:
        """Add a finding; `code` is its kind, e.g. ``out-of-range``."""
        self.append(Finding(code, message, severity, path, line))

    def append(self, finding: Finding) -> None:
        """Add a finding of another collection."""
        code, severity = finding.code, finding.severity
        self.counts[code] += 1
        self._severity[code] = min(
            severity, self._severity.get(code, severity), key=SEVERITIES.index
        )
        if self.counts[code] <= MAX_PER_CODE:
            self._stored.append(finding)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._stored)

    def __len__(self) -> int:
        return self.counts.total()

    def worst(self) -> Severity | None:
        """Return the highest severity present."""
        present = set(self._severity.values())
        return next((severity for severity in SEVERITIES if severity in present), None)

    def by_code(self, *, notes: bool = True) -> list[tuple[str, list[Finding]]]:
        """Group the stored findings by code, highest severity first, optionally without notes."""
        groups: dict[str, list[Finding]] = {
            code: [] for code in self.counts if notes or self._severity[code] != "note"
        }
        for finding in self._stored:
            if finding.code in groups:
                groups[finding.code].append(finding)
        return sorted(groups.items(), key=lambda item: SEVERITIES.index(self._severity[item[0]]))

    def summary(self, *, notes: bool = True) -> list[str]:
        """Return a line per code and file, highest severity first: first finding and count."""
        lines = []
        for code, group in self.by_code(notes=notes):
            by_file = Counter(finding.path for finding in group)
            # Findings beyond the maximum are counted without their file.
            by_file[group[-1].path] += self.counts[code] - len(group)
            for path, count in by_file.items():
                first = next(finding for finding in group if finding.path == path)
                lines.append(f"{first}" + (f" (and {count - 1} more)" if count > 1 else ""))
        return lines

    def update(self, other: Findings, *, skip: Collection[str] = ()) -> None:
        """Add the findings of another collection, except those with a code in `skip`."""
        for finding in other:
            if finding.code not in skip:
                self.append(finding)
        stored = Counter(finding.code for finding in other)
        for code, count in other.counts.items():
            if code not in skip:
                self.counts[code] += count - stored[code]
