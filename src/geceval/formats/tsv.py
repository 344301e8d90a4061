"""Tab-separated text: a source and its references per line, after an optional number.

::

    oral test~<TAB>oral test ~
    7<TAB>这 是 句子<TAB>这 是 句子 。<TAB>没有错误

An empty cell is a missing reference, and ``无法标注`` one that an annotator could not give. A file
of two columns whose first one counts sentences has no references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from geceval.errors import GecevalError
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Annotation, Sentence, annotation_from_target, annotator_order, apply_edits
from geceval.text import join_tokens, split_tokens

NO_ERROR = "没有错误"
"""MuCGEC's placeholder for a reference without changes."""

CANNOT_ANNOTATE = "无法标注"
"""MuCGEC's placeholder for a sentence that an annotator could not correct."""

_SNIFFED_LINES = 50
_LONGEST_NUMBER = 20
"""Digits that a number of a sentence has at most."""


def has_numbers(head: str) -> bool:
    """Whether the first column contains sentence numbers.

    With a single further column, they have to be consecutive, and the other column text.
    """
    rows = [line.split("\t") for line in _whole_lines(head)]
    if not rows or not all(len(row) > 1 and row[0].strip().isdecimal() for row in rows):
        return False
    if all(len(row) > 2 for row in rows):
        return True
    if len(rows) < 2 or not all(len(row) == 2 and len(row[0]) < _LONGEST_NUMBER for row in rows):
        return False
    numbers = [int(row[0]) for row in rows]
    return numbers == [*range(numbers[0], numbers[0] + len(rows))] and not any(
        row[1].strip().isdecimal() for row in rows
    )


def _whole_lines(head: str) -> list[str]:
    """Return the first nonblank lines, without a last one that may be truncated."""
    lines = head.split("\n")
    lines = lines[:-1] or lines
    return [line.rstrip("\r") for line in lines if line.strip()][:_SNIFFED_LINES]


def sniff(head: str) -> bool:
    """Recognize lines with the same number of tabs, or with a sentence number."""
    counts = {line.count("\t") for line in _whole_lines(head)}
    return 0 not in counts and (len(counts) == 1 or (bool(counts) and has_numbers(head)))


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read rows; references are the annotators ``0``, ``1``, … by column."""
    for source in inputs:
        is_numbered = has_numbers(source.head)
        for number, line in enumerate(source.lines(), 1):
            cells = line.split("\t")
            if is_numbered and len(cells) < 2:
                raise source.error("expected a number, a source and references", line=number)
            name = cells.pop(0).strip() if is_numbered else None
            yield _sentence(cells, name, source, number)


def _sentence(cells: Sequence[str], name: str | None, source: Input, line: int) -> Sentence:
    tokens = split_tokens(cells[0])
    annotations = []
    declined = []
    for column, cell in enumerate(cells[1:]):
        if not cell.strip():
            source.note(
                "empty-cell", "empty cell: a missing reference, or an empty output", line=line
            )
        elif cell.strip() == NO_ERROR:
            annotations.append(Annotation(str(column)))
        elif cell.strip() == CANNOT_ANNOTATE:
            declined.append(str(column))
            message = f"{CANNOT_ANNOTATE} is not a correction: the annotator is absent"
            source.note("not-annotatable", message, line=line, severity="note")
        else:
            annotations.append(annotation_from_target(str(column), tokens, split_tokens(cell)))
    return Sentence(tokens, tuple(annotations), id=name, not_annotatable=tuple(declined))


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write a source and a column for each annotator, empty where the annotator is absent.

    Sentence numbers are written if all sentences have one, or if sources would be mistaken for
    them.
    """
    rows: list[tuple[str, dict[str, str]]] = []
    names: list[str | None] = []
    for sent in sentences:
        targets = {
            ann.annotator: join_tokens(apply_edits(sent.tokens, ann.edits))
            for ann in sent.annotations
        }
        if not all(targets.values()):
            raise GecevalError(
                "TSV cannot represent an empty reference: an empty cell means a missing one "
                f"(source: {' '.join(sent.tokens)[:60]!r})"
            )
        for placeholder in (NO_ERROR, CANNOT_ANNOTATE):
            if placeholder in targets.values():
                raise GecevalError(
                    f"TSV cannot represent the reference {placeholder!r}: it is a placeholder"
                )
        targets |= dict.fromkeys(sent.not_annotatable, CANNOT_ANNOTATE)
        rows.append((join_tokens(sent.tokens), targets))
        names.append(sent.id)
    annotators = sorted({name for _, targets in rows for name in targets}, key=annotator_order)
    lines = [
        "\t".join((text, *(targets.get(name, "") for name in annotators))) for text, targets in rows
    ]
    if annotators and all(name is not None and name.isdecimal() for name in names):
        lines = [f"{name}\t{line}" for name, line in zip(names, lines, strict=True)]
    elif has_numbers("".join(f"{line}\n" for line in lines[:_SNIFFED_LINES])):
        lines = [f"{number}\t{line}" for number, line in enumerate(lines, 1)]
    outputs[0].writelines(f"{line}\n" for line in lines)


FORMATS = (Format("tsv", "tab-separated text", (".tsv",), sniff, read, write),)
