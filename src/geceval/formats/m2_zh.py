"""ChERRANT's M2 of Chinese: corrected sentences, and several alignments of one target.

::

    S 我 在 去 。
    T0-A0 我 再 去 。
    A 1 2|||S|||再|||REQUIRED|||-NONE-|||0
    T1 没有错误
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

The reader is that of M2: alignment 1 of target 0 is the annotator ``0-A1``, and an annotator whose
line says ``NA`` (``无法标注``) is absent, but known as one who could not annotate the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from geceval.errors import GecevalError
from geceval.formats.base import Format
from geceval.formats.m2 import NONE, NOOP, NOT_ANNOTATABLE, correction_field, edit_line, read
from geceval.formats.tsv import CANNOT_ANNOTATE, NO_ERROR
from geceval.model import (
    Annotation,
    Sentence,
    Tokens,
    annotator_order,
    apply_edits,
    split_alignment,
)
from geceval.text import join_tokens

_SNIFF = re.compile(r"S(?: .*)?\r?\nT[0-9]+(?:-A[0-9]+)? ")


def sniff(head: str) -> bool:
    """Recognize a corrected sentence after the first source."""
    return _SNIFF.match(head.lstrip("\r\n")) is not None


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write sentences; annotators have to be numbers."""
    outputs[0].writelines(line for sent in sentences for line in _block(sent))


def _block(sent: Sentence) -> Iterator[str]:
    yield f"S {join_tokens(sent.tokens)}\n"
    annotations = {ann.annotator: ann for ann in sent.annotations}
    for name in sorted({*annotations, *sent.not_annotatable}, key=annotator_order):
        number, alignment = split_alignment(name)
        if not number.isdecimal():
            raise GecevalError(
                f"ChERRANT's M2 numbers corrections, but an annotator is called {name!r}"
            )
        ann = annotations.get(name)
        if ann is None:
            yield from _without_edits(number, CANNOT_ANNOTATE, NOT_ANNOTATABLE)
        elif not ann.edits and ann.target in (None, sent.tokens):
            yield from _without_edits(number, NO_ERROR, NOOP)
        else:
            yield f"T{number}-A{alignment} {join_tokens(_target(sent, ann))}\n"
            yield from _edit_lines(sent, ann, number)
    yield "\n"


def _target(sent: Sentence, ann: Annotation) -> Tokens:
    """Return the corrected sentence, in the words of the file that it is from."""
    corrected = apply_edits(sent.tokens, ann.edits)
    if ann.target is not None and "".join(ann.target) == "".join(corrected):
        return ann.target
    return corrected


def _without_edits(number: str, text: str, type: str) -> Iterator[str]:
    yield f"T{number} {text}\n"
    yield f"A -1 -1|||{type}|||{NONE}|||REQUIRED|||{NONE}|||{number}\n"


def _edit_lines(sent: Sentence, ann: Annotation, number: str) -> Iterator[str]:
    for edit in ann.edits:
        options = edit.corrections or (sent.tokens[edit.start : edit.end],)
        text = correction_field(map(join_tokens, options)) or NONE
        yield edit_line(f"{edit.start} {edit.end}", edit, text, number)


FORMATS = (
    Format(
        "m2-zh",
        "ChERRANT's M2",
        (),
        sniff,
        read,
        write,
        endings=(".m2",),
        has_alignments=True,
    ),
)
