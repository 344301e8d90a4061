"""cLang-8 targets: cleaned corrections of sentences in the Lang-8 file.

::

    12	3	0	True	He goes home.

The columns are the journal, its version, the sentence number, whether Lang-8 had a correction, and
the corrected sentence. The sources are licensed separately, so both files are read together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from geceval.formats import lang8
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Sentence, annotation_from_target
from geceval.text import raw_text, tokens_at
from geceval.tokenization import tokenizer_for

_EXPECTED = (
    "expected 'JOURNAL<tab>SENTENCE<tab>NUMBER<tab>HAS_CORRECTION<tab>TARGET' "
    "with HAS_CORRECTION True or False"
)
_ANNOTATOR = "0"
_ROW = re.compile(r"([^\t\n]+\t[^\t\n]+)\t([0-9]{1,9})\t(?:0|1|[Tt]rue|[Ff]alse)\t([^\t\n]*)")


class _Row(NamedTuple):
    """One line of the targets; journal and version remain one string."""

    line: int
    journal: str
    number: int
    target: str

    @property
    def id(self) -> str:
        return f"{self.journal}-{self.number}".replace("\t", "-")


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read the Lang-8 file and the targets, in either order, as source and correction."""
    journals, targets = _identify_files(inputs)
    rows = list(_rows(targets))
    tokenizer = tokenizer_for(targets.lang)
    for row, text in zip(rows, _sources(journals, rows), strict=True):
        if text is None:
            message = f"row skipped: the sentence {row.id} is not in {journals.name}"
            targets.note("missing-source", message, line=row.line, severity="error")
            continue
        raw = raw_text(text, tokenizer)
        tokens = tokens_at(text, raw.spans)
        target = tokens_at(row.target, tokenizer(row.target))
        annotation = annotation_from_target(_ANNOTATOR, tokens, target)
        yield Sentence(tokens, (annotation,), id=row.id, raw=raw)


def _identify_files(inputs: Sequence[Input]) -> tuple[Input, Input]:
    """Return the Lang-8 file and the targets, identified by their content."""
    if len(inputs) != 2:
        message = "cLang-8 needs two files, the targets and the Lang-8 file with their sources"
        raise inputs[0].error(f"{message}, not {len(inputs)}")
    first, second = inputs
    if sniff(first.head) or lang8.sniff(second.head):
        return second, first
    if sniff(second.head) or lang8.sniff(first.head):
        return first, second
    raise first.error(f"neither this file nor {second.name} contains cLang-8 targets; {_EXPECTED}")


def _rows(targets: Input) -> Iterator[_Row]:
    for number, line in targets.numbered_lines():
        match = _ROW.fullmatch(line)
        if match is None:
            raise targets.error(f"{_EXPECTED}, found {line[:40]!r}", line=number)
        journal, sentence_number, target = match.groups()
        if not target or target.isspace():
            targets.note("empty-target", "the corrected sentence is empty", line=number)
        yield _Row(number, journal, int(sentence_number), target)


def _sources(journals: Input, rows: Sequence[_Row]) -> list[str | None]:
    """Find the source sentence of each row without storing the others."""
    wanted: dict[str, list[int]] = {}
    for position, row in enumerate(rows):
        wanted.setdefault(row.journal, []).append(position)
    sources: list[str | None] = [None] * len(rows)
    found: set[str] = set()
    for entry in lang8.entries(journals):
        journal = f"{entry.journal_id}\t{entry.sentence_id}"
        if journal in found:
            message = "duplicate entry ignored"
            journals.note("duplicate-id", message, line=entry.line)
        elif journal in wanted:
            found.add(journal)
            for position in wanted.pop(journal):
                number = rows[position].number
                if number < len(entry.sources):
                    sources[position] = entry.sources[number]
    return sources


def sniff(head: str) -> bool:
    """Recognize the five columns of the first row."""
    return _ROW.match(head.lstrip()) is not None


FORMATS = (Format("clang8", "cLang-8 targets", (), sniff, read, several=True, endings=(".tsv",)),)
