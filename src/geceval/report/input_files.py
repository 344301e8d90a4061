"""Input files with checksums and sizes, and findings about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from geceval.formats import Findings
from geceval.formats.findings import Finding
from geceval.model import Corpus, Hypothesis
from geceval.report.results import InputRecord, WarningRecord

Role: TypeAlias = Literal["gold", "source", "reference", "system"]


@dataclass(frozen=True, slots=True)
class File:
    """An input file.

    Parameters
    ----------
    role
        Its purpose.
    path
        Its path; ``-`` for standard input.
    sha256
        SHA-256 checksum.
    name
        Name of the system; by default the file name.
    """

    role: Role
    path: str
    sha256: str
    name: str = ""

    @property
    def base(self) -> str:
        """The file name without folders, which are private."""
        return "standard input" if self.path == "-" else Path(self.path).name


def describe_inputs(
    files: Sequence[File], corpus: Corpus, hypotheses: Sequence[Hypothesis]
) -> list[InputRecord]:
    """Return a record of each file, with its size."""
    systems = {hypothesis.name: hypothesis for hypothesis in hypotheses}
    annotators = iter(corpus.annotators)
    records = []
    for file in files:
        if file.role == "system":
            outputs: Sequence[Sequence[str] | None] = systems[file.name].sentences
        elif file.role == "reference":
            annotator = next(annotators)
            outputs = [sent.corrected(annotator) for sent in corpus]
        else:
            outputs = corpus.sources
        n_edits = sum(len(ann.edits) for sent in corpus for ann in sent.annotations)
        records.append(
            InputRecord(
                role=file.role,
                name=file.name or file.base,
                file=file.base,
                sha256=file.sha256,
                sentences=len(outputs),
                tokens=sum(len(tokens or ()) for tokens in outputs),
                edits=n_edits if file.role == "gold" else None,
            )
        )
    return records


def warnings_of(findings: Findings) -> list[WarningRecord]:
    """Return one record for each code and file, the most severe first."""
    records = []
    for code, group in findings.by_code():
        by_file: dict[str | None, list[Finding]] = {}
        for finding in group:
            by_file.setdefault(finding.path, []).append(finding)
        # Beyond a limit, findings are counted without their file.
        n_unlisted = findings.counts[code] - len(group)
        for path, same in by_file.items():
            first = same[0]
            records.append(
                WarningRecord(
                    severity=first.severity,
                    code=code,
                    message=first.message,
                    file=None if path is None else Path(path).name,
                    line=first.line,
                    count=len(same) + (n_unlisted if path == group[-1].path else 0),
                )
            )
    return records
