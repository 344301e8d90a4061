"""M2, the format of the CoNLL shared tasks, ERRANT and BEA-2019: token or character offsets.

::

    S The cat sat at mat .
    A 3 4|||Prep|||on|||REQUIRED|||-NONE-|||0
    A 4 4|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0

A blank line ends a block. What the many writers of this format do differently, and what is
made of it here, is told in ``docs/guide/formats.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TextIO, TypeAlias

from geceval.errors import GecevalError
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence, Tokens
from geceval.text import raw_text, split_tokens, token_edit, tokens_at

NONE = "-NONE-"
NOOP = "noop"
_FIELDS = 6
_EXPECTED = "expected 'A START END|||TYPE|||CORRECTION|||REQUIRED|||COMMENT|||ANNOTATOR'"
_CACHE_SIZE = 100_000

_Line: TypeAlias = tuple[int, str]
_Span: TypeAlias = tuple[int, int]


class _Block(NamedTuple):
    """The ``S`` and ``A`` lines between two blank lines, with their line numbers."""

    sources: list[_Line]
    edits: list[_Line]


class _Entry(NamedTuple):
    """What an ``A`` line says between its span and its annotator."""

    type: str
    alternatives: tuple[str, ...]
    corrections: tuple[Tokens, ...]
    required: bool
    comment: str
    is_noop: bool


class _Parser:
    """Parses ``A`` lines of one file, remembering the pieces that come again and again."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._spans: dict[str, _Span] = {}
        self._entries: dict[str, _Entry] = {}

    def parse(self, body: str, number: int) -> tuple[_Span, _Entry]:
        """Parse a line without its annotator."""
        span_text, _, rest = body[2:].partition("|||")
        entry = self._entries.get(rest)
        if entry is None:
            entry = self._entry(rest, number)
        span = self._spans.get(span_text)
        if span is None:
            span = self._span(span_text, number)
        if span[0] < 0 and not entry.is_noop:
            # Offsets of -1 mean noop whatever the type says.
            entry = entry._replace(is_noop=True)
        return span, entry

    def _span(self, text: str, number: int) -> _Span:
        try:
            start, end = map(int, text.split())
        except ValueError:
            message = f"{_EXPECTED}, found the span {text[:40]!r}"
            raise self._source.error(message, line=number) from None
        if not 0 <= start <= end and (start, end) != (-1, -1):
            message = f"a span needs 0 <= start <= end, found {text!r}"
            raise self._source.error(message, line=number)
        self._spans[text] = start, end
        return start, end

    def _entry(self, rest: str, number: int) -> _Entry:
        fields = rest.split("|||")
        if len(fields) != _FIELDS - 2:
            message = f"{_EXPECTED}, found {len(fields) + 2} fields instead of {_FIELDS}"
            raise self._source.error(message, line=number)
        kind, correction, required, comment = fields
        alternatives = tuple(
            "" if part.strip() == NONE else part for part in correction.split("||")
        )
        if len(self._entries) >= _CACHE_SIZE:
            self._entries.clear()
        entry = self._entries[rest] = _Entry(
            type="" if kind == NONE else kind,
            alternatives=alternatives,
            corrections=tuple(map(split_tokens, alternatives)),
            required=required == "REQUIRED",
            comment="" if comment == NONE else comment,
            is_noop=kind == NOOP,
        )
        return entry


class _TokenUnit:
    """Offsets count tokens."""

    def sentence(self, text: str) -> Sentence:
        return Sentence(split_tokens(text))

    def length(self, sent: Sentence) -> int:
        return len(sent.tokens)

    def edit(self, sent: Sentence, span: _Span, entry: _Entry) -> Edit:
        start, end = span
        corrections = entry.corrections
        # A correction that repeats the source marks an error without correcting it.
        if len(corrections) == 1 and corrections[0] == sent.tokens[start:end]:
            corrections = ()
        return Edit(start, end, corrections, entry.type, entry.required, entry.comment)


class _CharacterUnit:
    """Offsets count characters of raw text."""

    def sentence(self, text: str) -> Sentence:
        raw = raw_text(text)
        return Sentence(tokens_at(text, raw.spans), raw=raw)

    def length(self, sent: Sentence) -> int:
        return len(_raw(sent).text)

    def edit(self, sent: Sentence, span: _Span, entry: _Entry) -> Edit:
        raw = _raw(sent)
        start, end = span
        is_flag = entry.alternatives == (raw.text[start:end],)
        edit = token_edit(raw, start, end, None if is_flag else entry.alternatives)
        return replace(edit, type=entry.type, required=entry.required, comment=entry.comment)


_Unit: TypeAlias = _TokenUnit | _CharacterUnit


def _raw(sent: Sentence) -> RawText:
    """Return the raw text of a sentence, its tokens joined by spaces where it has none."""
    if sent.raw is not None:
        return sent.raw
    spans = []
    position = 0
    for token in sent.tokens:
        spans.append((position, position + len(token)))
        position += len(token) + 1
    return RawText(" ".join(sent.tokens), tuple(spans))


def _blocks(source: Input) -> Iterator[_Block]:
    """Group the lines of a file."""
    block = _Block([], [])
    for number, line in enumerate(source.lines(), 1):
        if line.startswith("A "):
            if not block.sources:
                raise source.error("an 'A ' line before any 'S ' line", line=number)
            block.edits.append((number, line))
        elif line.startswith("S ") or line == "S":
            if block.edits:
                source.note("no-blank-line", "no blank line before an 'S ' line", line=number)
                yield block
                block = _Block([], [])
            block.sources.append((number, line[2:]))
        elif not line or line.isspace():
            if block.sources:
                yield block
                block = _Block([], [])
        elif line.startswith("I "):
            source.note("i-line", "an 'I ' line was ignored", line=number)
        else:
            message = f"expected 'S ', 'A ' or a blank line, found {line[:40]!r}"
            raise source.error(message, line=number)
    if block.sources:
        yield block


def _read(inputs: Sequence[Input], unit: _Unit) -> Iterator[Sentence]:
    for source in inputs:
        parser = _Parser(source)
        for block in _blocks(source):
            if not block.edits:
                message = "no 'A ' line: read as one annotator with nothing to correct"
                source.note("bare", message, line=block.sources[0][0], severity="note")
            if len(block.sources) == 1:
                sent = unit.sentence(block.sources[0][1])
                yield _annotated(sent, block.edits, 0, source, parser, unit)
            else:
                yield from _paragraph(block, source, parser, unit)


def _annotated(
    sent: Sentence,
    lines: Sequence[_Line],
    offset: int,
    source: Input,
    parser: _Parser,
    unit: _Unit,
) -> Sentence:
    """Give a sentence the edits of `lines`, whose spans count from `offset` before it."""
    if not lines:
        return replace(sent, annotations=(Annotation("0"),))
    length = unit.length(sent)
    readings: dict[str, list[Edit]] = {}
    # Annotators often agree: equal lines share one edit.
    known: dict[str, Edit | None] = {}
    beyond: set[str] = set()
    for number, line in lines:
        body, _, annotator = line.rpartition("|||")
        if body in known:
            edit = known[body]
        else:
            (start, end), entry = parser.parse(body, number)
            edit = None
            if not entry.is_noop:
                edit = unit.edit(sent, (start - offset, end - offset), entry)
                if end - offset > length:
                    beyond.add(body)
            known[body] = edit
        edits = readings.setdefault(annotator.strip(), [])
        if edit is not None:
            edits.append(edit)
            if body in beyond:
                span = body[2 : body.index("|")]
                message = (
                    f"the edit {span} reaches past the end of the sentence ({offset + length})"
                )
                source.note("out-of-range", message, line=number, severity="error")
    annotations = tuple(Annotation(name, tuple(edits)) for name, edits in readings.items())
    return Sentence(sent.tokens, annotations, raw=sent.raw)


def _paragraph(block: _Block, source: Input, parser: _Parser, unit: _Unit) -> Iterator[Sentence]:
    """Share out the edits of a block of several sentences, whose offsets run over all of them."""
    message = "a block of several 'S ' lines: offsets run over all of them"
    source.note("paragraph", message, line=block.sources[0][0])
    sentences = [unit.sentence(text) for _, text in block.sources]
    spans = [parser.parse(text.rpartition("|||")[0], number) for number, text in block.edits]
    names = dict.fromkeys(text.rpartition("|||")[2].strip() for _, text in block.edits)
    begin = 0
    for sent in sentences:
        is_last = sent is sentences[-1]
        end = begin + unit.length(sent)
        mine = []
        for line, (span, entry) in zip(block.edits, spans, strict=True):
            if entry.is_noop or span[0] < begin or (span[0] >= end and not is_last):
                continue
            if span[1] > end and not is_last:
                message = "an edit reaches from one sentence into the next"
                raise source.error(message, line=line[0])
            mine.append(line)
        done = _annotated(sent, mine, begin, source, parser, unit)
        present = {ann.annotator: ann for ann in done.annotations} if mine else {}
        readings = tuple(present.get(name, Annotation(name)) for name in names)
        yield replace(done, annotations=readings or done.annotations)
        begin = end


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read M2 with token offsets."""
    return _read(inputs, _TokenUnit())


def read_characters(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read M2 with character offsets into raw text."""
    return _read(inputs, _CharacterUnit())


def _edit_line(span: str, kind: str, text: str, edit: Edit, annotator: str) -> str:
    required = "REQUIRED" if edit.required else NONE
    comment = " ".join(edit.comment.split()) or NONE
    fields = (span, kind or NONE, text, required, comment, annotator)
    line = "|||".join(fields)
    if line.count("|||") != _FIELDS - 1 or "\n" in line or kind in (NOOP, NONE):
        message = (
            f"M2 cannot hold the edit {edit!r}: it has '|||', a line end, or the type {kind!r}"
        )
        raise GecevalError(message)
    return f"A {line}\n"


def _corrections(options: Iterable[str]) -> str:
    """Join alternatives, refusing what could not be read back."""
    texts = list(options)
    for text in texts:
        if "||" in text or text.strip() == NONE or text.startswith("|") or text.endswith("|"):
            raise GecevalError(f"M2 cannot hold the correction {text!r}")
    return "||".join(texts)


def _write(
    sentences: Iterable[Sentence],
    out: TextIO,
    source_text: Callable[[Sentence], str],
    edit_text: Callable[[Sentence, Edit], tuple[str, str]],
) -> None:
    for sent in sentences:
        text = source_text(sent)
        if "\n" in text:
            raise GecevalError(f"M2 cannot hold a sentence with a line end: {text[:40]!r}")
        out.write(f"S {text}\n")
        for ann in sent.annotations:
            if not ann.edits:
                out.write(f"A -1 -1|||{NOOP}|||{NONE}|||REQUIRED|||{NONE}|||{ann.annotator}\n")
            for edit in ann.edits:
                span, correction = edit_text(sent, edit)
                out.write(_edit_line(span, edit.type, correction, edit, ann.annotator))
        out.write("\n")


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write M2 with token offsets; a mere flag repeats the source as its correction."""

    def edit_text(sent: Sentence, edit: Edit) -> tuple[str, str]:
        options = edit.corrections or (sent.tokens[edit.start : edit.end],)
        return f"{edit.start} {edit.end}", _corrections(map(" ".join, options))

    _write(sentences, outputs[0], lambda sent: " ".join(sent.tokens), edit_text)


def write_characters(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write M2 with character offsets into the raw text, or into the tokens joined by spaces."""

    def edit_text(sent: Sentence, edit: Edit) -> tuple[str, str]:
        raw = _raw(sent)
        start, end = _character_span(raw, edit)
        if not edit.corrections:
            return f"{start} {end}", raw.text[start:end]
        texts = [" ".join(option) for option in edit.corrections]
        if edit.is_insertion:
            # New words keep a space from the old ones.
            at_end = edit.start >= len(raw.spans)
            texts = [f" {text}" if at_end else f"{text} " for text in texts]
        return f"{start} {end}", _corrections(texts)

    _write(sentences, outputs[0], lambda sent: _raw(sent).text, edit_text)


def _character_span(raw: RawText, edit: Edit) -> _Span:
    """Where a token edit stands in the raw text."""
    spans = raw.spans
    if edit.start >= len(spans):
        return len(raw.text), len(raw.text)
    start = spans[edit.start][0]
    if edit.is_insertion:
        return start, start
    return start, spans[min(edit.end, len(spans)) - 1][1]


_SNIFF = re.compile(r"S(?: .*)?\r?\n(?:A |S |\s*(?:\n|$))")


def sniff(head: str) -> bool:
    """Recognise M2 by its first lines."""
    return bool(_SNIFF.match(head.lstrip("\r\n") + "\n"))


def sniff_characters(head: str) -> bool:
    """Recognise character offsets: many edits past the last token, none past the last character."""
    if not sniff(head):
        return False
    edits = beyond = 0
    n_tokens = n_characters = 0
    # The last line of the head may be cut off.
    for line in head.replace("\r\n", "\n").split("\n")[:-1]:
        if line.startswith("S "):
            n_tokens, n_characters = len(line[2:].split()), len(line) - 2
        elif match := re.match(r"A \d+ (\d+)\|\|\|", line):
            end = int(match[1])
            if end > n_characters:
                return False
            edits += 1
            beyond += end > n_tokens
    return beyond * 3 > edits


FORMATS = (
    Format(
        "m2-char",
        "M2 with character offsets",
        (),
        sniff_characters,
        read_characters,
        write_characters,
    ),
    Format("m2", "M2", (".m2",), sniff, read, write),
)
