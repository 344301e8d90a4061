"""What readers notice: everything repaired, ignored or doubtful, with its place.

Readers never drop anything silently; they `add` to a `Findings`, which the input doctor
prints and `geceval.load` turns into warnings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "note"]
"""``error`` would spoil a score, ``warning`` deserves a look, ``note`` is good to know."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

KEPT_PER_CODE = 1000
"""Findings of one code kept with their place; past that they are only counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a reader or the doctor noticed."""

    code: str
    message: str
    severity: Severity = "warning"
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        """Put the place before the message."""
        place = ", ".join(
            part for part in (self.path, f"line {self.line}" if self.line else None) if part
        )
        return f"{place}: {self.message}" if place else self.message


class Findings:
    """A collection of findings that stays small however bad a file is."""

    def __init__(self) -> None:
        self._kept: list[Finding] = []
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
        """Note one thing; `code` names its kind, e.g. ``out-of-range``."""
        self.counts[code] += 1
        self._severity[code] = min(
            severity, self._severity.get(code, severity), key=SEVERITIES.index
        )
        if self.counts[code] <= KEPT_PER_CODE:
            self._kept.append(Finding(code, message, severity, path, line))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._kept)

    def __len__(self) -> int:
        return self.counts.total()

    def worst(self) -> Severity | None:
        """Return the gravest severity present."""
        present = set(self._severity.values())
        return next((severity for severity in SEVERITIES if severity in present), None)

    def by_code(self, *, notes: bool = True) -> list[tuple[str, list[Finding]]]:
        """Group the kept findings by kind, the gravest kind first, perhaps without mere notes."""
        groups: dict[str, list[Finding]] = {
            code: [] for code in self.counts if notes or self._severity[code] != "note"
        }
        for finding in self._kept:
            if finding.code in groups:
                groups[finding.code].append(finding)
        return sorted(groups.items(), key=lambda item: SEVERITIES.index(self._severity[item[0]]))

    def summary(self, *, notes: bool = True) -> list[str]:
        """One line for each kind of finding and file, gravest first, with count and first place."""
        lines = []
        for code, group in self.by_code(notes=notes):
            by_file = Counter(finding.path for finding in group)
            # Past a limit findings are only counted, not kept with their file.
            by_file[group[-1].path] += self.counts[code] - len(group)
            for path, count in by_file.items():
                first = next(finding for finding in group if finding.path == path)
                lines.append(f"{first}" + (f" (and {count - 1} more like it)" if count > 1 else ""))
        return lines

    def update(self, other: Findings, *, skip: Collection[str] = ()) -> None:
        """Add the findings of another collection, but for those with a code in `skip`."""
        for finding in other:
            if finding.code not in skip:
                self.add(
                    finding.code,
                    finding.message,
                    severity=finding.severity,
                    path=finding.path,
                    line=finding.line,
                )
        kept = Counter(finding.code for finding in other)
        for code, count in other.counts.items():
            if code not in skip:
                self.counts[code] += count - kept[code]
