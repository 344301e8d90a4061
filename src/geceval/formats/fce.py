"""FCE / CLC XML: inline error annotations, possibly nested.

::

    <p>We <NS type="RV"><i><NS type="FV"><i>became</i><c>become</c></NS></i><c>begin</c></NS>.</p>

``<i>`` is the original, ``<c>`` the correction. Without ``<i>`` the edit is an insertion, without
``<c>`` a deletion, with neither a flag. The source is the innermost ``<i>``, the correction the
outermost ``<c>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from geceval.formats._shared.documents import CharacterEdit, split_document
from geceval.formats._shared.marked_xml import MarkedText, tag_of
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.formats.safe_xml import parse_xml
from geceval.model import Sentence

if TYPE_CHECKING:
    from lxml.etree import _Element


class _Paragraph(MarkedText):
    """The text of a paragraph as the learner wrote it, and its edits."""

    mark = "ns"

    def _add_marked(self, edit: _Element) -> None:
        """Add an outermost error, whose correction includes nested ones."""
        kind = edit.get("type", "")
        if not {"i", "c"}.intersection(map(tag_of, edit)):
            start = self.size
            self._walk(edit)
            self.edits.append(CharacterEdit(start, self.size, None, kind))
            return
        options = tuple(_corrected(side) for side in edit if tag_of(side) == "c")
        self.add_edit(_written(edit), options or ("",), kind)
        if nested := self._count_nested(edit):
            message = f"nested errors merged into the outer one ({nested})"
            self._source.note("nested", message, line=edit.sourceline, severity="note")


def _written(element: _Element) -> str:
    """Return the original text."""
    parts = [_own_text(element, element.text)]
    for child in element:
        if tag_of(child) != "c":
            parts.append(_written(child))
        parts.append(_own_text(element, child.tail))
    return "".join(parts)


def _corrected(element: _Element) -> str:
    """Return the text with all nested errors corrected."""
    if tag_of(element) == "ns":
        sides = {tag_of(child): child for child in reversed(element)}
        if "c" in sides:
            return _corrected(sides["c"])
        if "i" in sides:
            return ""
    parts = [element.text or ""]
    for child in element:
        parts += [_corrected(child), child.tail or ""]
    return "".join(parts)


def _own_text(element: _Element, text: str | None) -> str:
    """Return the direct text of an element; white space between ``<i>`` and ``<c>`` is layout."""
    if not text or (tag_of(element) == "ns" and text.isspace()):
        return ""
    return text


def _parsed(source: Input) -> _Element:
    """Parse a file, possibly a fragment without a root element."""
    if source.head.lstrip().startswith("<?xml"):
        return parse_xml(source)
    wrapped = f"<fragment>{source.text()}</fragment>"
    return parse_xml(Input.from_text(wrapped, name=source.name, findings=source.findings))


def _paragraphs(root: _Element, source: Input) -> Iterator[tuple[str, _Element]]:
    """Yield the identifier and element of each paragraph."""
    answers = {element for element in root.iter() if tag_of(element) == "coded_answer"} or {root}
    name = PurePath(source.name).name.partition(".")[0]
    number = 0
    for element in root.iter():
        if (sortkey := element.get("sortkey")) is not None:
            name, number = sortkey, 0
        if element in answers:
            for paragraph in _paragraphs_of(element, source):
                yield f"{name}-{number}", paragraph
                number += 1


def _paragraphs_of(answer: _Element, source: Input) -> list[_Element]:
    """Return the outermost paragraphs of an answer, or the answer itself if it has none."""
    paragraphs: list[_Element] = []
    stray: list[str | None] = [answer.text]
    waiting = list(reversed(answer))
    while waiting:
        element = waiting.pop()
        if tag_of(element) == "p":
            paragraphs.append(element)
        else:
            stray.append(element.text)
            waiting.extend(reversed(element))
        stray.append(element.tail)
    if paragraphs and any(text and not text.isspace() for text in stray):
        message = "ignored text outside <p>"
        source.note("stray-text", message, line=answer.sourceline, severity="error")
    return paragraphs or [answer]


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read FCE / CLC XML paragraph by paragraph; the annotator is 0."""
    for source in inputs:
        for name, element in _paragraphs(_parsed(source), source):
            paragraph = _Paragraph(element, source)
            yield from split_document(paragraph.text, {"0": paragraph.edits}, id=name)


_SNIFF = re.compile(r"<(?:NS|ns)\s+type\s*=|<learner[\s>]")


def sniff(head: str) -> bool:
    """Recognize an error element, or the root element of a script."""
    return bool(_SNIFF.search(head))


FORMATS = (Format("fce", "FCE / CLC XML", (), sniff, read, endings=(".xml",)),)
