"""ua-gec inline annotation: original, suggestions and type in braces.

::

    I {goed=>went|walked:::error_type=G/VerbForm} home{=>.:::error_type=Punctuation}

An empty left side is an insertion, an empty right side a deletion, and ``NO_SUGGESTIONS`` flags an
error without a correction. A file is a document; several files are annotations of the same document
by several annotators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from geceval.formats._shared.documents import DocumentBuilder, split_document
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Sentence
from geceval.tokenization import splitter_for, tokenizer_for

ARROW = "=>"
NO_SUGGESTIONS = "NO_SUGGESTIONS"
_TYPE = "error_type"
_LANGUAGE = "uk"
_BRACES = re.compile(r"\{([^{}]*+)(\}?)")


def _document(source: Input) -> DocumentBuilder:
    """Separate the text from its annotations."""
    text = source.text()
    document = DocumentBuilder()
    position = 0
    line, counted = 1, 0
    for match in _BRACES.finditer(text):
        body, is_closed = match[1], bool(match[2])
        change, *details = body.split(":::")
        if ARROW not in change:
            continue
        if not is_closed:
            line += text.count("\n", counted, match.start())
            counted = match.start()
            message = "annotation without a closing brace, read as text"
            source.note("unclosed", message, line=line, severity="error")
            continue
        document.add(text[position : match.start()])
        _add_edit(document, change, details)
        position = match.end()
    document.add(text[position:])
    return document


def _add_edit(document: DocumentBuilder, change: str, details: Sequence[str]) -> None:
    written, _, suggestions = change.rpartition(ARROW)
    replacements = None if suggestions == NO_SUGGESTIONS else tuple(suggestions.split("|"))
    pairs = [detail.partition("=") for detail in details]
    kind = next((value for key, _, value in pairs if key == _TYPE), "")
    comment = "; ".join("".join(pair) for pair in pairs if pair[0] != _TYPE)
    document.add_edit(written, replacements, kind, comment=comment)


def _check_same_text(first: str, other: str, source: Input, name: str) -> None:
    """Check that two files have the same text, ignoring white space at the end."""
    if first.rstrip() == other.rstrip():
        return
    pairs = enumerate(zip(first, other, strict=False))
    shorter = min(len(first), len(other))
    place = next((i for i, (one, two) in pairs if one != two), shorter)
    message = (
        f"the text differs from {name}: expected {first[place : place + 20]!r} "
        f"after {first[max(0, place - 20) : place]!r}, found {other[place : place + 20]!r}"
    )
    raise source.error(message, line=other.count("\n", 0, place) + 1)


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read one document; the files are its annotators, by position."""
    documents = [_document(source) for source in inputs]
    texts = [document.text for document in documents]
    for text, source in zip(texts, inputs, strict=True):
        _check_same_text(texts[0], text, source, inputs[0].name)
    yield from split_document(
        max(texts, key=len),
        {str(number): document.edits for number, document in enumerate(documents)},
        id=PurePath(inputs[0].name).name.partition(".")[0],
        splitter=splitter_for(inputs[0].lang or _LANGUAGE),
        tokenizer=tokenizer_for(inputs[0].lang or _LANGUAGE),
    )


_OTHER = re.compile(r'\s*(?:<|\[|\{\s*"[^"\n]*+"\s*:(?!::))')
_M2_EDIT = re.compile(r"^A -?\d+ -?\d+\|\|\|", re.MULTILINE)


def sniff(head: str) -> bool:
    """Recognize an annotation that is not inside JSON, XML or M2."""
    if _OTHER.match(head) or _M2_EDIT.search(head):
        return False
    return any(match[2] and ARROW in match[1] for match in _BRACES.finditer(head))


FORMATS = (Format("uagec", "ua-gec in-text annotation", (), sniff, read, several=True),)
