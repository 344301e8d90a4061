"""MultiGEC-2025 Markdown: whole essays under headers, one file of sources and one per reference.

::

    ### essay_id = 17
    I has a dog .

    His name are Rex .

    ### essay_id = 18
    …

White space is part of the essay, except for blank lines around it. An essay is read as one
sentence, as in the evaluation of the shared task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Sentence, Tokens, annotation_from_target
from geceval.text import Tokenizer, raw_text, tokens_at
from geceval.tokenization import tokenizer_for

_MARK = "### essay_id"
_HEADER = re.compile(r"### essay_id\s*=\s*(\S.*)")


class _Essay(NamedTuple):
    """The text under one header, and the line of the header."""

    line: int
    text: str


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read the essays of the first file and their corrections in the others."""
    source, *references = inputs
    essays = _essays(source)
    targets = [_essays(reference) for reference in references]
    for reference, corrected in zip(references, targets, strict=True):
        _check_known(reference, corrected, essays)
    tokenizer = tokenizer_for(source.lang)
    for essay_id, essay in essays.items():
        raw = raw_text(essay.text, tokenizer)
        tokens = tokens_at(raw.text, raw.spans)
        # An annotator is absent from essays that the reference file lacks.
        annotations = tuple(
            annotation_from_target(
                str(number), tokens, _tokens(corrected[essay_id].text, tokenizer)
            )
            for number, corrected in enumerate(targets)
            if essay_id in corrected
        )
        yield Sentence(tokens, annotations, id=essay_id, raw=raw)


def _essays(source: Input) -> dict[str, _Essay]:
    """Return the essays of one file by id, in the order of the file."""
    starts: dict[str, int] = {}
    bodies: dict[str, list[str]] = {}
    body: list[str] | None = None
    for number, line in enumerate(source.lines(), 1):
        if line.startswith(_MARK):
            essay_id = _essay_id(source, line, number)
            if essay_id in starts:
                message = f"duplicate essay {essay_id!r}, first in line {starts[essay_id]}"
                raise source.error(message, line=number)
            starts[essay_id] = number
            body = bodies[essay_id] = []
        elif body is not None:
            body.append(line)
        elif line and not line.isspace():
            message = f"expected the header '{_MARK} = ID' before any text, found {line[:40]!r}"
            raise source.error(message, line=number)
    essays = {}
    for essay_id, lines in bodies.items():
        essay = _Essay(starts[essay_id], "\n".join(lines).strip("\n"))
        if not essay.text or essay.text.isspace():
            source.note("empty-essay", f"the essay {essay_id!r} has no text", line=essay.line)
        essays[essay_id] = essay
    return essays


def _essay_id(source: Input, line: str, number: int) -> str:
    match = _HEADER.fullmatch(line)
    if match is None:
        message = f"expected the header '{_MARK} = ID', found {line[:40]!r}"
        raise source.error(message, line=number)
    return match[1].rstrip()


def _check_known(reference: Input, corrected: dict[str, _Essay], essays: dict[str, _Essay]) -> None:
    """Raise an error for corrections of essays without a source."""
    for essay_id, essay in corrected.items():
        if essay_id not in essays:
            message = f"the essay {essay_id!r} is not among the source essays"
            raise reference.error(message, line=essay.line)


def _tokens(text: str, tokenizer: Tokenizer) -> Tokens:
    return tokens_at(text, tokenizer(text))


def sniff(head: str) -> bool:
    """Recognize the header of the first essay."""
    return head.lstrip().startswith(_MARK)


FORMATS = (
    Format("multigec", "MultiGEC-2025 Markdown", (), sniff, read, several=True, endings=(".md",)),
)
