"""The lines of M2 files, as they stand there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from geceval.compat import ToolResult
from geceval.errors import GecevalError
from geceval.formats import Findings, load
from geceval.formats.inputs import Input
from geceval.model import Corpus
from geceval.text import split_tokens


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
    if not len(corpus):
        raise GecevalError(f"{path} has no sentences")
    with Input.open(path) as source:
        blocks = [block for lines in _blocks(source) for block in _sentences(*lines)]
    return corpus, blocks


def _blocks(source: Input) -> Iterator[tuple[list[str], list[EditLine]]]:
    """Yield the sentences of each block, mostly one, and the lines of their edits."""
    sources: list[str] = []
    edits: list[EditLine] = []
    for number, line in enumerate(source.lines(), 1):
        is_sentence = line.startswith("S ") or line == "S"
        if sources and (not line.strip() or (is_sentence and edits)):
            yield sources, edits
            sources, edits = [], []
        if is_sentence:
            sources.append(line[2:])
        elif line.startswith("A "):
            edits.append(_parsed(number, line))
    if sources:
        yield sources, edits


def _sentences(sources: Sequence[str], edits: list[EditLine]) -> Iterator[SentenceLines]:
    """Give each sentence of a block its edits, whose offsets run over all of them."""
    if len(sources) == 1:
        yield SentenceLines(sources[0], edits)
        return
    ends = list(accumulate(len(split_tokens(source)) for source in sources))
    shares: list[list[EditLine]] = [[] for _ in sources]
    for edit in edits:
        if not edit.is_noop:
            place = min(bisect_right(ends, edit.start), len(ends) - 1)
            begin = ends[place - 1] if place else 0
            shares[place].append(edit._replace(start=edit.start - begin, end=edit.end - begin))
    annotators = dict.fromkeys(edit.annotator for edit in edits)
    for source, own in zip(sources, shares, strict=True):
        silent = [name for name in annotators if all(edit.annotator != name for edit in own)]
        yield SentenceLines(source, [*own, *map(noop, silent)])


def warn_of_none(blocks: Iterable[SentenceLines], meaning: str, result: ToolResult) -> None:
    """Warn of corrections ``-NONE-``, which the originals do not read as m2scorer does."""
    edits = (edit for block in blocks for edit in block.edits)
    if count := sum(edit.text == "-NONE-" and not edit.is_noop for edit in edits):
        result.warn(f"{count} corrections are -NONE-: {meaning}")


def _parsed(number: int, line: str) -> EditLine:
    span, kind, text, *_, annotator = line[2:].split("|||")
    start, end = map(int, span.split())
    return EditLine(number, start, end, kind, text, annotator.strip())
