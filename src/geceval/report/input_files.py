"""What went in: files with their hashes and sizes, and what the input doctor says of them."""

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
    """A file that went in.

    Parameters
    ----------
    role
        What it was used for.
    path
        Where it is; ``-`` for standard input.
    sha256
        SHA-256 of its bytes.
    name
        What a system is called; the file name otherwise.
    """

    role: Role
    path: str
    sha256: str
    name: str = ""

    @property
    def base(self) -> str:
        """The name without folders, which are nobody's business."""
        return "standard input" if self.path == "-" else Path(self.path).name


def describe_inputs(
    files: Sequence[File], corpus: Corpus, hypotheses: Sequence[Hypothesis]
) -> list[InputRecord]:
    """Say what each file holds."""
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
    """Make one record for each kind of finding and file, the gravest first."""
    records = []
    for code, group in findings.by_code():
        by_file: dict[str | None, list[Finding]] = {}
        for finding in group:
            by_file.setdefault(finding.path, []).append(finding)
        # Past a limit findings are only counted, not kept with their file.
        lost = findings.counts[code] - len(group)
        for path, same in by_file.items():
            first = same[0]
            records.append(
                WarningRecord(
                    severity=first.severity,
                    code=code,
                    message=first.message,
                    file=None if path is None else Path(path).name,
                    line=first.line,
                    count=len(same) + (lost if path == group[-1].path else 0),
                )
            )
    return records
