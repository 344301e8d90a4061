"""NUCLE and CoNLL-2013/14 SGML: whole essays, corrections by paragraph and character.

::

    <DOC nid="7">
    <TEXT>
    <P>
    She go to school. He stay at home.
    </P>
    </TEXT>
    <ANNOTATION teacher_id="1">
    <MISTAKE start_par="0" start_off="4" end_par="0" end_off="6">
    <TYPE>SVA</TYPE>
    <CORRECTION>goes</CORRECTION>
    </MISTAKE>
    </ANNOTATION>
    </DOC>

It is not valid SGML: ``&`` and ``<`` are not escaped, and ``</P>`` may be missing. Only the tags
above are markup; entities are not decoded, because offsets count the characters of the file. A
``<TITLE>`` counts as a paragraph.

Sentences, tokens and token edits are those of the published M2 files: an edit is extended to whole
tokens, then stripped of unchanged tokens; an edit that crosses a sentence boundary or changes
nothing is ignored.

Several files are several annotators of the same documents, named ``0``, ``1``, … A document without
``<TEXT>`` (the alternative annotations of CoNLL-2014) annotates only the sentences that contain its
edits or its ``noop``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import NamedTuple

from geceval.errors import FormatError
from geceval.formats._shared.nucle_tokens import split_sentences, tokenize, tokenize_correction
from geceval.formats.base import Format
from geceval.formats.findings import Severity
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence, Tokens, minimize_edit
from geceval.text import tokens_at

NOOP = "noop"
_LONGEST_TOKEN = 10_000
_OFFSETS = ("start_par", "start_off", "end_par", "end_off")

_TAG = re.compile(
    r"<(/?(?:DOC|TEXT|TITLE|P|ANNOTATION|MISTAKE|TYPE|CORRECTION|COMMENT))(\s[^<>]*)?>"
)
_ATTRIBUTE = re.compile(r"""\b(\w+)\s*=\s*["']?([^"'\s]*)""")
_NUMBER = re.compile(r"[0-9]{1,9}")
_ENTITY = re.compile(r"&(?:#\w{1,7}|\w{1,7});")


class _Tag(NamedTuple):
    """A tag, as ``P`` or ``/P``, and the text before it; without a name at the end of the file."""

    line: int
    name: str
    attributes: dict[str, str]
    before: str

    def __str__(self) -> str:
        return f"<{self.name}>" if self.name else "the end of the file"


class _Mistake(NamedTuple):
    """A mistake; start and end are paragraph and character."""

    line: int
    start: tuple[int, int]
    end: tuple[int, int]
    type: str
    correction: str | None
    comment: str


class _Document(NamedTuple):
    """One ``<DOC>`` of one file, its mistakes by teacher; paragraphs are None without text."""

    source: Input
    line: int
    nid: str
    paragraphs: list[str] | None
    mistakes: dict[str, list[_Mistake]]


class _Scanner:
    """Reads the documents of one file."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._tags = self._scan()

    def documents(self) -> Iterator[_Document]:
        found = False
        for tag in self._tags:
            if tag.name == "DOC":
                self._ignore_text(tag)
                found = True
                yield self._document(tag)
            elif tag.name:
                message = f'expected <DOC nid="…">, found {tag}'
                raise self._source.error(message, line=tag.line)
            elif found or not tag.before.strip():
                self._ignore_text(tag)
            else:
                raise self._source.error('expected <DOC nid="…">, found none', line=1)

    def _scan(self) -> Iterator[_Tag]:
        """Find the tags; everything else is text."""
        before: list[str] = []
        number = 1
        for number, line in enumerate(self._source.lines(), 1):
            position = 0
            for match in _TAG.finditer(line):
                before.append(line[position : match.start()])
                attributes = dict(_ATTRIBUTE.findall(match[2] or ""))
                yield _Tag(number, match[1], attributes, "".join(before))
                before.clear()
                position = match.end()
            before += line[position:], "\n"
        yield _Tag(number, "", {}, "".join(before))

    def _next(self, opening: _Tag) -> _Tag:
        """Return the next tag; raise an error at the end of the file."""
        tag = next(self._tags)
        if not tag.name:
            raise self._source.error(f"{opening} is never closed", line=opening.line)
        return tag

    def _unexpected(self, tag: _Tag, opening: _Tag) -> FormatError:
        message = f"expected </{opening.name}> (opened in line {opening.line}), found {tag}"
        return self._source.error(message, line=tag.line)

    def _ignore_text(self, tag: _Tag) -> None:
        """Report text outside paragraphs."""
        if text := tag.before.strip():
            message = f"ignored text outside paragraphs: {text[:40]!r}"
            self._source.note("stray-text", message, line=tag.line, severity="error")

    def _document(self, opening: _Tag) -> _Document:
        nid = opening.attributes.get("nid", "")
        if not nid:
            raise self._source.error("<DOC> needs a nid", line=opening.line)
        paragraphs: list[str] | None = None
        mistakes: dict[str, list[_Mistake]] = {}
        while (tag := self._next(opening)).name != "/DOC":
            self._ignore_text(tag)
            if tag.name == "TEXT" and paragraphs is None:
                paragraphs = list(self._paragraphs(tag))
            elif tag.name == "ANNOTATION":
                teacher = tag.attributes.get("teacher_id", "")
                mistakes.setdefault(teacher, []).extend(self._mistakes(tag))
            else:
                raise self._unexpected(tag, opening)
        self._ignore_text(tag)
        return _Document(self._source, opening.line, nid, paragraphs, mistakes)

    def _paragraphs(self, opening: _Tag) -> Iterator[str]:
        is_open = False
        while True:
            tag = self._next(opening)
            if tag.name not in ("P", "/P", "TITLE", "/TITLE", "/TEXT"):
                raise self._unexpected(tag, opening)
            if not is_open:
                self._ignore_text(tag)
            elif not tag.name.startswith("/") and not tag.before.strip():
                message = "duplicate start of a paragraph, counted once"
                self._source.note("duplicate-paragraph", message, line=tag.line)
            else:
                if tag.name not in ("/P", "/TITLE"):
                    message = f"a paragraph is not closed before {tag}"
                    self._source.note("unclosed-paragraph", message, line=tag.line)
                yield self._paragraph(tag)
            if tag.name == "/TEXT":
                return
            is_open = not tag.name.startswith("/")

    def _paragraph(self, closing: _Tag) -> str:
        """Return a paragraph without the line breaks next to its tags."""
        text = closing.before.removeprefix("\n").removesuffix("\n")
        if match := _ENTITY.search(text):
            message = f"{match[0]} was not decoded: offsets count the characters of the file"
            self._source.note("entity", message, line=closing.line)
        return text

    def _mistakes(self, opening: _Tag) -> Iterator[_Mistake]:
        while (tag := self._next(opening)).name != "/ANNOTATION":
            self._ignore_text(tag)
            if tag.name != "MISTAKE":
                raise self._unexpected(tag, opening)
            yield self._mistake(tag)
        self._ignore_text(tag)

    def _mistake(self, opening: _Tag) -> _Mistake:
        numbers = [opening.attributes.get(name, "") for name in _OFFSETS]
        if not all(map(_NUMBER.fullmatch, numbers)):
            message = "<MISTAKE> needs numbers for start_par, start_off, end_par and end_off"
            raise self._source.error(message, line=opening.line)
        fields: dict[str, str] = {}
        while (tag := self._next(opening)).name != "/MISTAKE":
            self._ignore_text(tag)
            if tag.name not in ("TYPE", "CORRECTION", "COMMENT") or tag.name in fields:
                raise self._unexpected(tag, opening)
            closing = self._next(tag)
            if closing.name != f"/{tag.name}":
                raise self._unexpected(closing, tag)
            fields[tag.name] = closing.before
        self._ignore_text(tag)
        return _Mistake(
            opening.line,
            (int(numbers[0]), int(numbers[1])),
            (int(numbers[2]), int(numbers[3])),
            fields.get("TYPE", "").strip(),
            fields.get("CORRECTION"),
            " ".join(fields.get("COMMENT", "").split()),
        )


class _Segment(NamedTuple):
    """A sentence and its position in the paragraph."""

    start: int
    end: int
    raw: RawText
    tokens: Tokens


class _Text:
    """The paragraphs of a document, split into sentences."""

    def __init__(self, document: _Document, paragraphs: list[str]) -> None:
        self.paragraphs = paragraphs
        self.cuts = [[*self._cut(text, document)] for text in paragraphs]

    def _cut(self, text: str, document: _Document) -> Iterator[_Segment]:
        for start, end in split_sentences(text):
            raw = RawText(text[start:end], tokenize(text[start:end]))
            longest = max(stop - begin for begin, stop in raw.spans)
            if longest > _LONGEST_TOKEN:
                message = f"document {document.nid!r} has {longest} characters without a space"
                raise document.source.error(message, line=document.line)
            yield _Segment(start, end, raw, tokens_at(raw.text, raw.spans))


class _AnnotatorEdits:
    """The edits of one annotator by paragraph and sentence.

    The `text` may be from another file than the `document` with the mistakes.
    """

    def __init__(
        self, name: str, document: _Document, text: _Text, mistakes: Iterable[_Mistake]
    ) -> None:
        self._name = name
        self._source = document.source
        self._text = text
        self._read_all = document.paragraphs is not None
        self._edits: dict[tuple[int, int], list[Edit]] = {}
        seen = set()
        for mistake in mistakes:
            # Only the first of duplicate corrections counts, whatever their types.
            key = (mistake.start, mistake.end, mistake.correction)
            if key in seen:
                self._ignore(mistake, "duplicate", "is a duplicate")
            else:
                seen.add(key)
                self._add(mistake)

    def annotation(self, par: int, number: int) -> Annotation | None:
        """Return the annotation of one sentence; None if the annotator is absent."""
        edits = self._edits.get((par, number))
        if edits is None and not self._read_all:
            return None
        return Annotation(self._name, tuple(edits or ()))

    def _ignore(
        self, mistake: _Mistake, code: str, reason: str, severity: Severity = "warning"
    ) -> None:
        """Report an ignored mistake."""
        message = f"mistake ignored: it {reason}"
        self._source.note(code, message, line=mistake.line, severity=severity)

    def _add(self, mistake: _Mistake) -> None:
        span = self._span(mistake)
        if span is None:
            return
        par = mistake.start[0]
        cuts = self._text.cuts[par]
        number, start, end = _locate(cuts, *span)
        if mistake.type == NOOP:
            self._edits.setdefault((par, number), [])
            return
        cut = cuts[number]
        if end > cut.end and number + 1 < len(cuts):
            self._ignore(mistake, "crosses-sentences", "crosses a sentence boundary")
            return
        edits = self._edits.setdefault((par, number), [])
        edit = _token_edit(cut, start - cut.start, end - cut.start, mistake.correction)
        if edit is None:
            self._ignore(mistake, "no-change", "changes nothing", "note")
        else:
            edits.append(replace(edit, type=mistake.type, comment=mistake.comment))

    def _span(self, mistake: _Mistake) -> tuple[int, int] | None:
        """Return the character span of a mistake in its first paragraph; None if invalid."""
        (par, start), (end_par, end) = mistake.start, mistake.end
        texts = self._text.paragraphs
        length = len(texts[par]) if par < len(texts) and self._text.cuts[par] else None
        if length is not None and mistake.end == (par + 1, 0):
            # The end of a paragraph may be given as the start of the next.
            end_par, end = par, length
        if length is None:
            code, reason = "out-of-range", f"is in paragraph {par}, which has no text"
        elif end_par != par:
            code, reason = "crosses-paragraphs", "crosses a paragraph boundary"
        elif start > end:
            code, reason = "out-of-range", f"ends at {end}, before its start {start}"
        elif start > length:
            code, reason = (
                "out-of-range",
                f"starts at {start}, past the end of the paragraph, {length}",
            )
        else:
            if end > length:
                message = f"mistake truncated from {end} to {length}, the end of the paragraph"
                self._source.note("truncated", message, line=mistake.line)
            return start, min(end, length)
        self._ignore(mistake, code, reason, "error")
        return None


def _locate(cuts: Sequence[_Segment], start: int, end: int) -> tuple[int, int, int]:
    """Find the sentence of a character span, and the span without leading white space."""
    number = max(0, bisect_right(cuts, start, key=attrgetter("start")) - 1)
    if start >= cuts[number].end:
        # From the white space after a sentence into the next: part of the next.
        if number + 1 < len(cuts) and end > cuts[number + 1].start:
            number += 1
        else:
            return number, cuts[number].end, cuts[number].end
    start = max(start, cuts[number].start)
    return number, start, max(start, end)


def _token_edit(cut: _Segment, start: int, end: int, correction: str | None) -> Edit | None:
    """Convert a character edit of a sentence into a token edit; None if it changes nothing."""
    text, spans = cut.raw.text, cut.raw.spans
    first = bisect_right(spans, start, key=itemgetter(1))
    last = max(first, bisect_left(spans, end, key=itemgetter(0)))
    if correction is None:
        return Edit(first, last, ())
    if first < last:
        # The rest of the first and last token becomes part of the correction.
        correction = text[spans[first][0] : start] + correction + text[end : spans[last - 1][1]]
    following = cut.tokens[last] if last < len(cut.tokens) else ""
    edit = Edit(first, last, (tokenize_correction(correction, following),))
    return minimize_edit(edit, cut.tokens)


def _sentences(copies: Sequence[_Document | None]) -> Iterator[Sentence]:
    """Yield the sentences of one document with the edits of all files; None for a missing copy."""
    original, paragraphs = _original(copies)
    text = _Text(original, paragraphs)
    annotators = [
        _AnnotatorEdits(name, copy, text, mistakes)
        for position, copy in enumerate(copies)
        if copy is not None
        for name, mistakes in _named_mistakes(copy, position, is_only=len(copies) == 1)
    ]
    for par, cuts in enumerate(text.cuts):
        for number, cut in enumerate(cuts):
            annotations = (one.annotation(par, number) for one in annotators)
            yield Sentence(
                cut.tokens,
                tuple(ann for ann in annotations if ann is not None),
                id=f"{original.nid}-{par}-{number}",
                raw=cut.raw,
            )


def _original(copies: Sequence[_Document | None]) -> tuple[_Document, list[str]]:
    """Return the first copy with a text, which all others must have as well."""
    present = [copy for copy in copies if copy is not None]
    with_text = [(copy, copy.paragraphs) for copy in present if copy.paragraphs is not None]
    if not with_text:
        message = f"document {present[0].nid!r} has no <TEXT>, here or in another file"
        raise present[0].source.error(message, line=present[0].line)
    original, paragraphs = with_text[0]
    for copy, others in with_text[1:]:
        if others != paragraphs:
            message = (
                f"document {copy.nid!r} has a different text in {original.source.name}, "
                f"line {original.line}"
            )
            raise copy.source.error(message, line=copy.line)
    return original, paragraphs


def _named_mistakes(
    document: _Document, position: int, *, is_only: bool
) -> Iterator[tuple[str, list[_Mistake]]]:
    """Name the annotators by file, and the teachers of one document by order."""
    for number, mistakes in enumerate(document.mistakes.values() or [[]]):
        if is_only:
            yield str(number), mistakes
        else:
            yield f"{position}.{number}" if number else str(position), mistakes


def _by_nid(source: Input) -> dict[str, _Document]:
    documents: dict[str, _Document] = {}
    for document in _Scanner(source).documents():
        if document.nid in documents:
            raise source.error(f"duplicate document {document.nid!r}", line=document.line)
        documents[document.nid] = document
    return documents


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read NUCLE SGML; several files are annotators whose documents are matched by nid."""
    later = [_by_nid(source) for source in inputs[1:]]
    seen = set()
    for document in _Scanner(inputs[0]).documents():
        if document.nid in seen:
            message = f"duplicate document {document.nid!r}"
            document.source.note("duplicate-document", message, line=document.line)
        seen.add(document.nid)
        yield from _sentences([document, *(docs.pop(document.nid, None) for docs in later)])
    for position, remaining in enumerate(later):
        for nid in list(remaining):
            earlier: list[None] = [None] * (position + 1)
            copies = (docs.pop(nid, None) for docs in later[position:])
            yield from _sentences([*earlier, *copies])


_SNIFF = re.compile(r"\s*<DOC\s[^<>]*\bnid\b")


def sniff(head: str) -> bool:
    """Recognize the first document from its nid."""
    return bool(_SNIFF.match(head))


FORMATS = (Format("nucle", "NUCLE / CoNLL SGML", (".sgml",), sniff, read, several=True),)
