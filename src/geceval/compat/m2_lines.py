"""The lines of M2 files, as they stand there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from geceval.compat import ToolResult
from geceval.formats import Findings, load
from geceval.formats.inputs import Input
from geceval.model import Corpus


class EditLine(NamedTuple):
    """A line of an edit: its number in the file, and its fields."""

    number: int
    start: int
    end: int
    type: str
    text: str
    annotator: str

    @property
    def is_noop(self) -> bool:
        """Whether it says that nothing is to be corrected."""
        return self.type == "noop" or self.start < 0

    @property
    def correction(self) -> str:
        """The text of the correction; ``-NONE-`` is empty."""
        return "" if self.text == "-NONE-" else self.text

    def written(self) -> str:
        """Return the line, as tools write it."""
        text = "-NONE-" if self.is_noop else self.text
        fields = f"{self.start} {self.end}|||{self.type}|||{text}|||REQUIRED|||-NONE-"
        return f"A {fields}|||{self.annotator}\n"


class SentenceLines(NamedTuple):
    """A sentence and the lines of its edits."""

    source: str
    edits: list[EditLine]

    def by_annotator(self) -> dict[str, list[EditLine]]:
        """Group the edits by annotator, in the order of the file."""
        found: dict[str, list[EditLine]] = {}
        for edit in self.edits:
            found.setdefault(edit.annotator, []).append(edit)
        return found


def noop(annotator: str) -> EditLine:
    """Return the line of an annotator who found nothing to correct."""
    return EditLine(0, -1, -1, "noop", "-NONE-", annotator)


def read_blocks(path: str, findings: Findings) -> tuple[Corpus, list[SentenceLines]]:
    """Read an M2 file, which the usual reader checks first.

    Parameters
    ----------
    path
        The file.
    findings
        Collection for what is wrong with it.
    """
    corpus = load(path, format="m2", findings=findings)
    blocks: list[SentenceLines] = []
    with Input.open(path) as source:
        for number, line in enumerate(source.lines(), 1):
            if line.startswith("S ") or line == "S":
                blocks.append(SentenceLines(line[2:], []))
            elif line.startswith("A "):
                blocks[-1].edits.append(_parsed(number, line))
    return corpus, blocks


def warn_of_none(blocks: Iterable[SentenceLines], meaning: str, result: ToolResult) -> None:
    """Warn of corrections ``-NONE-``, which the originals do not read as m2scorer does."""
    edits = (edit for block in blocks for edit in block.edits)
    if count := sum(edit.text == "-NONE-" and not edit.is_noop for edit in edits):
        result.warn(f"{count} corrections are -NONE-: {meaning}")


def _parsed(number: int, line: str) -> EditLine:
    span, kind, text, *_, annotator = line[2:].split("|||")
    start, end = map(int, span.split())
    return EditLine(number, start, end, kind, text, annotator.strip())
