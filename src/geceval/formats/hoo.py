"""HOO 2011/2012 XML: stand-off edits with character offsets, or inline edits.

The source file comes first, then a file of edits for each annotator::

    <HOO><BODY><PART id="1"><P>I gave it John.</P></PART></BODY></HOO>

    <edits><edit index="0001-0004" file="0001" part="1" start="10" end="10" type="MT">
      <original><empty/></original>
      <corrections><correction>to </correction></corrections>
    </edit></edits>

Offsets count the characters of a ``<PART>`` without tags. ``<correction><empty/></correction>`` is
a deletion; an empty ``<correction/>`` among others makes the edit optional; an edit without
``<corrections>`` is a flag. In the other variant, ``<edit>`` elements are inline.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from geceval.formats._shared.documents import CharacterEdit, split_document
from geceval.formats._shared.marked_xml import MarkedText, tag_of
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.formats.safe_xml import parse_xml
from geceval.model import Sentence

if TYPE_CHECKING:
    from lxml.etree import _Element


class _File(NamedTuple):
    """A parsed file."""

    source: Input
    root: _Element

    @property
    def stem(self) -> str:
        return _stem(PurePath(self.source.name).name)

    @property
    def edits(self) -> list[_Element]:
        return [element for element in self.root.iter() if tag_of(element) == "edit"]

    @property
    def is_stand_off(self) -> bool:
        return tag_of(self.root) == "edits" or any("start" in edit.attrib for edit in self.edits)


@dataclass
class _Part:
    """A text that offsets refer to, with the edits of each annotator."""

    name: str
    text: str
    by_annotator: dict[str, list[CharacterEdit]] = field(default_factory=dict)


_Document = dict[str, _Part]


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _children(element: _Element, tag: str) -> list[_Element]:
    return [child for child in element if tag_of(child) == tag]


def _replacements(edit: _Element, written: str) -> tuple[tuple[str, ...] | None, bool]:
    """Return the alternatives of an edit, and whether it is required."""
    options = []
    n_null = n_same = 0
    for corrections in _children(edit, "corrections"):
        for correction in _children(corrections, "correction"):
            text = "".join(correction.itertext())
            if _children(correction, "empty"):
                options.append("")
            elif not text:
                n_null += 1
            elif text == written:
                n_same += 1
            else:
                options.append(text)
    if n_null and not n_same and not options and written:
        # Alone it does not make the edit optional.
        return ("",), True
    return tuple(options) or None, not (n_null or n_same)


def _written(element: _Element) -> str:
    """Return the text of an element without corrections."""
    parts = [element.text or ""]
    for child in element:
        if tag_of(child) != "corrections":
            parts.append(_written(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _parts(file: _File) -> Iterator[tuple[str, str, _Element]]:
    """Yield key, name and element of every part of a source."""
    parts = [element for element in file.root.iter() if tag_of(element) == "part"]
    for number, part in enumerate(parts, 1):
        key = part.get("id", str(number))
        yield key, f"{file.stem}-{key}", part
    if not parts:
        yield "1", file.stem, file.root


def _documents(files: Sequence[_File]) -> dict[str, _Document]:
    """Return the parts of every source by the name of the file."""
    documents: dict[str, _Document] = {}
    for file in files:
        if file.stem in documents:
            raise file.source.error(f"duplicate source file name {file.stem!r}")
        document = documents[file.stem] = {}
        for key, name, element in _parts(file):
            if key in document:
                message = f"duplicate <PART> id {key!r}"
                raise file.source.error(message, line=element.sourceline)
            document[key] = _Part(name, _written(element))
    return documents


class _Annotator:
    """A file of edits, distributed among the parts of the sources."""

    def __init__(self, file: _File, documents: Mapping[str, _Document]) -> None:
        self._file = file
        self._documents = documents
        self._by_part: dict[tuple[str, str], list[CharacterEdit]] = {}
        self._named: set[str] = set()
        for edit in file.edits:
            self._add(edit)

    def covered(self, *, is_only: bool) -> Iterable[str]:
        """Return the documents of the annotator.

        A file that names one document covers only that one, unless it is the only file.
        """
        if is_only or len(self._documents) == 1 or len(self._named) > 1:
            return self._documents
        if self._named:
            return self._named
        stem = _stem(self._file.root.get("file", self._file.stem))
        fitting = [name for name in self._documents if stem.startswith(name)]
        if not fitting:
            message = f"has no edits, and its name matches none of the sources {self._sources}"
            raise self._file.source.error(message)
        return [max(fitting, key=len)]

    def edits(self, document: str, part: str) -> list[CharacterEdit]:
        """Return the edits of one part."""
        return self._by_part.get((document, part), [])

    @property
    def _sources(self) -> str:
        return ", ".join(self._documents)

    def _add(self, edit: _Element) -> None:
        source, line = self._file.source, edit.sourceline
        document = self._document(edit)
        self._named.add(document)
        parts = self._documents[document]
        key = edit.get("part")
        if key is None:
            if len(parts) > 1:
                message = f"expected an edit with a part: the source has {len(parts)} parts"
                raise source.error(message, line=line)
            key = next(iter(parts))
        elif key not in parts:
            message = f"edit ignored: the source has no part {key!r}"
            source.note("unknown-part", message, line=line, severity="error")
            return
        made = self._edit(edit, parts[key].text)
        if made is not None:
            self._by_part.setdefault((document, key), []).append(made)

    def _document(self, edit: _Element) -> str:
        if len(self._documents) == 1:
            return next(iter(self._documents))
        name = edit.get("file") or self._file.root.get("file")
        stem = _stem(name) if name else edit.get("index", "").rpartition("-")[0]
        if stem not in self._documents:
            message = (
                f"an edit of the file {stem!r}, which is not among the sources {self._sources}"
            )
            raise self._file.source.error(message, line=edit.sourceline)
        return stem

    def _edit(self, edit: _Element, text: str) -> CharacterEdit | None:
        """Parse an edit; None if it is out of range."""
        source, line = self._file.source, edit.sourceline
        start, end = self._offset(edit, "start"), self._offset(edit, "end")
        if not 0 <= start <= end <= len(text):
            message = f"ignored the edit {start} {end}, out of range: the text ends at {len(text)}"
            source.note("out-of-range", message, line=line, severity="error")
            return None
        written = text[start:end]
        for original in _children(edit, "original"):
            expected = _written(original)
            if expected.split() != written.split():
                message = f"the edit expects {expected[:40]!r}, but the source has {written[:40]!r}"
                source.note("source-mismatch", message, line=line, severity="error")
        replacements, required = _replacements(edit, written)
        return CharacterEdit(start, end, replacements, edit.get("type", ""), required)

    def _offset(self, edit: _Element, name: str) -> int:
        value = edit.get(name, "").strip()
        if not re.fullmatch(r"-?[0-9]{1,18}", value):
            message = f"expected an edit with {name} as a number, found {value[:40]!r}"
            raise self._file.source.error(message, line=edit.sourceline)
        return int(value)


class _InlinePart(MarkedText):
    """The text of a part with inline edits."""

    mark = "edit"

    def _add_marked(self, edit: _Element) -> None:
        written = _written(edit)
        replacements, required = _replacements(edit, written)
        self.add_edit(written, replacements, edit.get("type", ""), required=required)
        if nested := self._count_nested(edit):
            message = f"ignored nested edits ({nested})"
            self._source.note("nested", message, line=edit.sourceline, severity="error")


def _read_inline(files: Sequence[_File]) -> Iterator[Sentence]:
    for file in files:
        for _, name, element in _parts(file):
            part = _InlinePart(element, file.source)
            yield from split_document(part.text, {"0": part.edits}, id=name)


def _read_stand_off(sources: Sequence[_File], files: Sequence[_File]) -> Iterator[Sentence]:
    documents = _documents(sources)
    for file in files:
        annotator = _Annotator(file, documents)
        for document in annotator.covered(is_only=len(files) == 1):
            for key, part in documents[document].items():
                part.by_annotator[str(len(part.by_annotator))] = annotator.edits(document, key)
    for parts in documents.values():
        for part in parts.values():
            yield from split_document(part.text, part.by_annotator, id=part.name)


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read HOO sources with stand-off edits, or files with inline edits.

    Annotators are 0, 1, … in the order of the edit files of one source.
    """
    files = [_File(source, parse_xml(source)) for source in inputs]
    edits = [file for file in files if file.is_stand_off]
    sources = [file for file in files if not file.is_stand_off]
    if edits and not sources:
        message = "contains only edits; give their source file first"
        raise edits[0].source.error(message)
    inline = [file for file in sources if file.edits]
    if inline and edits:
        message = "has inline edits and cannot be the source of stand-off edits"
        raise inline[0].source.error(message)
    return _read_inline(sources) if inline else _read_stand_off(sources, edits)


_SNIFF = re.compile(r"<(?:edits|edit|HOO|PART)[\s/>]")


def sniff(head: str) -> bool:
    """Recognize the elements of a source or of edits near the start of an XML file."""
    return head.lstrip().startswith("<") and bool(_SNIFF.search(head[:2000]))


FORMATS = (Format("hoo", "HOO 2011/2012 XML", (), sniff, read, several=True, endings=(".xml",)),)
