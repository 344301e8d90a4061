"""M2, the format of the CoNLL shared tasks, ERRANT and BEA-2019: token or character offsets.

::

    S The cat sat at mat .
    A 3 4|||Prep|||on|||REQUIRED|||-NONE-|||0
    A 4 4|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0

A blank line ends a block. ``docs/formats/m2.md`` lists the variants of this format and how they are
read.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple, TextIO, TypeAlias

from geceval.errors import GecevalError
from geceval.formats._shared.spaces import UnicodeSpaces
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import (
    MAX_OFFSET,
    Annotation,
    Edit,
    RawText,
    Sentence,
    Tokens,
    alignment_name,
    apply_edits,
)
from geceval.text import (
    Tokenizer,
    join_tokens,
    raw_text,
    split_tokens,
    token_edit,
    tokenize,
    tokens_at,
    touched_tokens,
)
from geceval.tokenization import tokenizer_for

NONE = "-NONE-"
NOOP = "noop"
NOT_ANNOTATABLE = "NA"
"""Type of a line by which an annotator states that the sentence cannot be annotated."""
_FIELDS = 6
_EXPECTED = "expected 'A START END|||TYPE|||CORRECTION|||REQUIRED|||COMMENT|||ANNOTATOR'"
_CACHE_SIZE = 100_000

_Line: TypeAlias = tuple[int, str]
_Span: TypeAlias = tuple[int, int]


_TARGET = re.compile(r"T([0-9]+)(?:-A([0-9]+))? ")
"""The beginning of a corrected sentence before its edits, as ChERRANT writes it."""


class _SentenceBlock(NamedTuple):
    """The ``S``, ``A`` and ``T`` lines between two blank lines, with line numbers."""

    sources: list[_Line]
    edits: list[_Line]
    targets: dict[str, str]
    """Corrected sentences by annotator, where the file has them."""

    @classmethod
    def empty(cls) -> _SentenceBlock:
        return cls([], [], {})


class _Entry(NamedTuple):
    """The fields of an ``A`` line between span and annotator."""

    type: str
    alternatives: tuple[str, ...]
    corrections: tuple[Tokens, ...]
    required: bool
    comment: str
    is_noop: bool


class _EditParser:
    """Parses the ``A`` lines of one file and caches repeated parts."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._spans: dict[str, _Span] = {}
        self._entries: dict[str, _Entry] = {}

    def parse(
        self, body: str, number: int, spaces: UnicodeSpaces | None = None
    ) -> tuple[_Span, _Entry]:
        """Parse a line without its annotator; with `spaces`, its span counts words."""
        span_text, _, rest = body[2:].partition("|||")
        entry = self._entries.get(rest)
        if entry is None:
            entry = self._entry(rest, number)
        span = self._spans.get(span_text)
        if span is None:
            span = self._span(span_text, number)
        if span[0] < 0 and not entry.is_noop:
            # Offsets of -1 mean noop, whatever the type.
            entry = entry._replace(is_noop=True)
        if spaces is not None and not entry.is_noop:
            moved = spaces.move(span, entry.corrections, self._source, number)
            return moved or span, entry._replace(is_noop=moved is None)
        return span, entry

    def _span(self, text: str, number: int) -> _Span:
        try:
            start, end = map(_integer, text.split())
        except ValueError:
            message = f"{_EXPECTED}, found the span {text[:40]!r}"
            raise self._source.error(message, line=number) from None
        if not 0 <= start <= end and (start, end) != (-1, -1):
            message = f"a span needs 0 <= start <= end, found {text[:40]!r}"
            raise self._source.error(message, line=number)
        if end > MAX_OFFSET:
            message = f"no sentence has a token {MAX_OFFSET:,} or beyond, found {text[:40]!r}"
            raise self._source.error(message, line=number)
        self._spans[text] = start, end
        return start, end

    def _entry(self, rest: str, number: int) -> _Entry:
        fields = rest.split("|||")
        if len(fields) != _FIELDS - 2:
            raise self._source.error(f"{_EXPECTED}, {_FIELDS} fields", line=number)
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


def _integer(text: str) -> int:
    """Parse decimal digits; `int` would also accept ``1_0`` and ``+1``."""
    if not text.removeprefix("-").isdecimal():
        raise ValueError
    return int(text)


class _TokenUnit:
    """Offsets count tokens."""

    def sentence(self, text: str) -> Sentence:
        return Sentence(split_tokens(text))

    def unicode_spaces(self, text: str) -> UnicodeSpaces | None:
        return UnicodeSpaces.of(text)

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

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def sentence(self, text: str) -> Sentence:
        raw = raw_text(text, self._tokenizer)
        return Sentence(tokens_at(text, raw.spans), raw=raw)

    def unicode_spaces(self, text: str) -> UnicodeSpaces | None:  # noqa: ARG002
        return None

    def length(self, sent: Sentence) -> int:
        return len(_raw(sent).text)

    def edit(self, sent: Sentence, span: _Span, entry: _Entry) -> Edit:
        raw = _raw(sent)
        start, end = span
        is_flag = entry.alternatives == (raw.text[start:end],)
        if end > len(raw.text):
            # An out-of-range edit stays so, and is not applied.
            first, _ = touched_tokens(raw.spans, start, end)
            corrections = () if is_flag else tuple(map(self._words, entry.alternatives))
            edit = Edit(first, len(raw.spans) + 1, corrections)
        else:
            options = None if is_flag else entry.alternatives
            edit = token_edit(raw, start, end, options, self._tokenizer)
        return replace(edit, type=entry.type, required=entry.required, comment=entry.comment)

    def _words(self, text: str) -> Tokens:
        return tokens_at(text, self._tokenizer(text))


_Unit: TypeAlias = _TokenUnit | _CharacterUnit


def _raw(sent: Sentence) -> RawText:
    """Return the raw text of a sentence, by default its tokens joined by spaces."""
    if sent.raw is not None:
        return sent.raw
    spans = []
    position = 0
    for token in sent.tokens:
        spans.append((position, position + len(token)))
        position += len(token) + 1
    return RawText(join_tokens(sent.tokens), tuple(spans))


class _Targets:
    """Reads ChERRANT's corrected sentences, such as ``T0-A1``, and the edits that follow them.

    The number of the alignment is appended to the annotator of the edits.
    """

    def __init__(self, source: Input) -> None:
        self._source = source
        self._suffix = ""
        self._expected: str | None = None

    def begin(self, block: _SentenceBlock, number: int, line: str) -> None:
        """Read a corrected sentence; any other line but an edit is an error."""
        found = _TARGET.match(line)
        if found is None:
            message = f"expected 'S ', 'A ' or a blank line, found {line[:40]!r}"
            raise self._source.error(message, line=number)
        self._check(block, number, "a corrected sentence")
        self._expected = alignment_name(found[1], int(found[2] or 0))
        self._suffix = self._expected.removeprefix(found[1])
        block.targets[self._expected] = line[found.end() :]

    def add_edit(self, block: _SentenceBlock, number: int, line: str) -> None:
        """Add an edit of the corrected sentence before it."""
        self._check(block, number, "an 'A ' line")
        block.edits.append((number, line + self._suffix))
        self._expected = None

    def end(self, block: _SentenceBlock, number: int) -> None:
        """End the edits of a corrected sentence, which may have none."""
        if self._expected is not None:
            block.edits.append((number, _NO_EDITS + self._expected))
        self._suffix, self._expected = "", None

    def _check(self, block: _SentenceBlock, number: int, what: str) -> None:
        if not block.sources:
            message = f"{what} without an 'S ' line before it in its block"
            raise self._source.error(message, line=number)


def _blocks(source: Input) -> Iterator[_SentenceBlock]:
    """Group the lines of a file into blocks."""
    block = _SentenceBlock.empty()
    targets = _Targets(source)
    number = 0
    for number, line in enumerate(source.lines(), 1):
        if line.startswith("A "):
            targets.add_edit(block, number, line)
            continue
        targets.end(block, number)
        if line.startswith("S ") or line == "S":
            if block.edits:
                source.note("no-blank-line", "no blank line before an 'S ' line", line=number)
                yield block
                block = _SentenceBlock.empty()
            block.sources.append((number, line[2:]))
        elif not line or line.isspace():
            if block.sources:
                yield block
                block = _SentenceBlock.empty()
        elif line.startswith("I "):
            source.note("i-line", "an 'I ' line was ignored", line=number)
        else:
            targets.begin(block, number, line)
    if block.sources:
        targets.end(block, number)
        yield block


_NO_EDITS = f"A -1 -1|||{NOOP}|||{NONE}|||REQUIRED|||{NONE}|||"
"""A line without its annotator, who found nothing to correct."""


def _read(inputs: Sequence[Input], unit: _Unit) -> Iterator[Sentence]:
    for source in inputs:
        parser = _EditParser(source)
        for block in _blocks(source):
            if not block.edits:
                message = "no 'A ' line, read as one annotator with nothing to correct"
                source.note("no-annotation", message, line=block.sources[0][0], severity="note")
            if len(block.sources) == 1:
                number, text = block.sources[0]
                sent = unit.sentence(text)
                spaces = unit.unicode_spaces(text) if block.edits else None
                if spaces is not None:
                    spaces = spaces.resolve(_spans(block.edits, parser), source, number)
                done = _annotated(sent, block.edits, 0, source, parser, unit, spaces)
                yield _with_targets(done, block.targets) if block.targets else done
            else:
                yield from _paragraph(block, source, parser, unit)


def _annotated(
    sent: Sentence,
    lines: Sequence[_Line],
    offset: int,
    source: Input,
    parser: _EditParser,
    unit: _Unit,
    spaces: UnicodeSpaces | None = None,
) -> Sentence:
    """Add the edits of `lines` to a sentence that begins at `offset`."""
    if not lines:
        return replace(sent, annotations=(Annotation("0"),))
    length = unit.length(sent)
    by_annotator: dict[str, list[Edit]] = {}
    # Annotators often agree, so equal lines share one edit.
    known: dict[str, Edit | None] = {}
    beyond: set[str] = set()
    declined: dict[str, None] = {}
    for number, line in lines:
        body, _, annotator = line.rpartition("|||")
        if body.startswith(_DECLINED):
            declined[annotator.strip()] = None
            continue
        if body in known:
            edit = known[body]
        else:
            (start, end), entry = parser.parse(body, number, spaces)
            edit = None
            if not entry.is_noop:
                edit = unit.edit(sent, (start - offset, end - offset), entry)
                if end - offset > length:
                    beyond.add(body)
            known[body] = edit
        name = annotator.strip()
        if not name:
            raise source.error(f"{_EXPECTED}, found no annotator", line=number)
        edits = by_annotator.setdefault(name, [])
        if edit is not None:
            edits.append(edit)
            if body in beyond:
                span = body[2 : body.index("|")]
                message = f"the edit {span} is out of range: the sentence ends at {offset + length}"
                source.note("out-of-range", message, line=number, severity="error")
    annotations = tuple(Annotation(name, tuple(edits)) for name, edits in by_annotator.items())
    return Sentence(sent.tokens, annotations, raw=sent.raw, not_annotatable=tuple(declined))


def _with_targets(sent: Sentence, targets: Mapping[str, str]) -> Sentence:
    """Add corrected sentences that are segmented into other words than the edits say."""
    annotations = []
    for ann in sent.annotations:
        tokens = split_tokens(targets.get(ann.annotator, ""))
        corrected = apply_edits(sent.tokens, ann.edits)
        is_other = tokens != corrected and "".join(tokens) == "".join(corrected)
        annotations.append(replace(ann, target=tokens) if is_other else ann)
    return replace(sent, annotations=tuple(annotations))


_DECLINED = f"A -1 -1|||{NOT_ANNOTATABLE}|||"


def _spans(lines: Sequence[_Line], parser: _EditParser) -> list[_Span]:
    """Return the spans of all edits."""
    parsed = (parser.parse(text.rpartition("|||")[0], line) for line, text in lines)
    return [span for span, entry in parsed if not entry.is_noop]


def _paragraph(
    block: _SentenceBlock, source: Input, parser: _EditParser, unit: _Unit
) -> Iterator[Sentence]:
    """Distribute the edits of a block of several sentences with continuous offsets."""
    message = "a block of several 'S ' lines, read with continuous offsets"
    source.note("paragraph", message, line=block.sources[0][0])
    for number, text in block.sources:
        if (spaces := unit.unicode_spaces(text)) is not None:
            # Offsets depend on all preceding sentences, so they are not guessed.
            spaces.note(source, number, counts_tokens=True)
    sentences = [unit.sentence(text) for _, text in block.sources]
    names = dict.fromkeys(text.rpartition("|||")[2].strip() for _, text in block.edits)
    ends = list(accumulate(map(unit.length, sentences)))
    shares: list[list[_Line]] = [[] for _ in sentences]
    for number, text in block.edits:
        (start, end), entry = parser.parse(text.rpartition("|||")[0], number)
        if entry.is_noop:
            continue
        which = min(bisect.bisect_right(ends, start), len(ends) - 1)
        if end > ends[which] and which < len(ends) - 1:
            raise source.error("an edit crosses a sentence boundary", line=number)
        shares[which].append((number, text))
    for sent, mine, begin in zip(sentences, shares, (0, *ends), strict=False):
        done = _annotated(sent, mine, begin, source, parser, unit)
        present = {ann.annotator: ann for ann in done.annotations} if mine else {}
        annotations = tuple(present.get(name, Annotation(name)) for name in names)
        yield replace(done, annotations=annotations or done.annotations)


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read M2 with token offsets."""
    return _read(inputs, _TokenUnit())


def read_characters(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read M2 with character offsets into raw text."""
    return _read(inputs, _CharacterUnit(tokenizer_for(inputs[0].lang)))


def edit_fields(*fields: str) -> str:
    """Join the fields of an ``A`` line; raise an error if it could not be read back."""
    line = "|||".join(fields)
    body, _, annotator = line.rpartition("|||")
    if (*body.split("|||"), annotator.strip()) != fields or not annotator or "\n" in line:
        raise GecevalError(
            f"M2 cannot represent {line!r}: '|' or a line break in a field, or no annotator"
        )
    return f"A {line}\n"


_LINE_END = re.compile(r"[\r\n]+")


def edit_line(span: str, edit: Edit, text: str, annotator: str) -> str:
    """Return the line of an edit, whose correction is `text`."""
    if edit.type in (NOOP, NONE):
        raise GecevalError(f"M2 cannot represent an edit of type {edit.type!r}")
    required = "REQUIRED" if edit.required else NONE
    comment = _LINE_END.sub(" ", edit.comment) or NONE
    return edit_fields(span, edit.type or NONE, text, required, comment, annotator)


def correction_field(options: Iterable[str]) -> str:
    """Join alternatives; raise an error if they could not be read back."""
    texts = list(options)
    for text in texts:
        if "||" in text or text.strip() == NONE or text.startswith("|") or text.endswith("|"):
            raise GecevalError(f"M2 cannot represent the correction {text!r}")
    # An empty alternative among others would merge with the separators.
    return "||".join(text or NONE for text in texts) if len(texts) > 1 else texts[0]


def _write(
    sentences: Iterable[Sentence],
    out: TextIO,
    source_text: Callable[[Sentence], str],
    edit_text: Callable[[Sentence, Edit], tuple[str, str]],
) -> None:
    for sent in sentences:
        text = source_text(sent)
        if "\n" in text:
            raise GecevalError(f"M2 cannot represent a sentence with a line break: {text[:40]!r}")
        out.write(f"S {text}\n")
        for ann in sent.annotations:
            if not ann.edits:
                out.write(edit_fields("-1 -1", NOOP, NONE, "REQUIRED", NONE, ann.annotator))
            for edit in ann.edits:
                span, correction = edit_text(sent, edit)
                out.write(edit_line(span, edit, correction, ann.annotator))
        out.write("\n")


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write M2 with token offsets; a flag repeats the source as its correction."""

    def edit_text(sent: Sentence, edit: Edit) -> tuple[str, str]:
        options = edit.corrections or (sent.tokens[edit.start : edit.end],)
        return f"{edit.start} {edit.end}", correction_field(map(join_tokens, options))

    _write(sentences, outputs[0], lambda sent: join_tokens(sent.tokens), edit_text)


def write_characters(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write M2 with character offsets into the raw text, or into the tokens joined by spaces."""

    def edit_text(sent: Sentence, edit: Edit) -> tuple[str, str]:
        raw = _raw(sent)
        start, end = _character_span(raw, edit)
        if not edit.corrections:
            return f"{start} {end}", raw.text[start:end]
        return f"{start} {end}", correction_field(_replacements(raw, edit, start, end))

    # Line breaks in raw text become spaces, which preserves offsets.
    _write(sentences, outputs[0], lambda sent: _raw(sent).text.replace("\n", " "), edit_text)


def _character_span(raw: RawText, edit: Edit) -> _Span:
    """Return the span of a token edit in the raw text, or past its end."""
    n_tokens, length = len(raw.spans), len(raw.text)
    start = raw.spans[edit.start][0] if edit.start < n_tokens else length + edit.start - n_tokens
    if edit.is_insertion:
        return start, start
    return start, raw.spans[edit.end - 1][1] if edit.fits(n_tokens) else length + 1


def _replacements(raw: RawText, edit: Edit, start: int, end: int) -> list[str]:
    """Return the replacement texts of a span, padded where they would merge with a neighbor."""
    texts = [join_tokens(option) for option in edit.corrections]
    if start > len(raw.text):
        return texts
    before = " " if raw.text[max(0, start - 1) : start].strip() else ""
    after = " " if raw.text[end : end + 1].strip() else ""
    ways = [("", ""), (before, ""), ("", after), (before, after)]
    for left, right in reversed(ways) if edit.is_insertion else ways:
        padded = [f"{left}{text}{right}" for text in texts]
        again = token_edit(raw, start, end, padded)
        if (again.start, again.end, again.corrections) == (edit.start, edit.end, edit.corrections):
            return padded
    # Our tokenizer would not produce these tokens; at least separate them.
    return [f"{before}{text}{after}" for text in texts]


_SNIFF = re.compile(r"S(?: .*)?\r?\n(?:A |S |\s*(?:\n|$))")
_SNIFF_ANY = re.compile(r"^A -?[0-9]+ -?[0-9]+\|\|\|", re.MULTILINE)


def sniff(head: str) -> bool:
    """Recognize M2 from its first lines, or from its first line and any edit."""
    start = head.lstrip("\r\n") + "\n"
    return bool(_SNIFF.match(start) or (start.startswith("S ") and _SNIFF_ANY.search(start)))


def sniff_characters(head: str) -> bool:
    """Recognize character offsets: many edits past the last token, none past the last character.

    In tokenized text, these might be errors, so several are required, all at word boundaries.
    """
    if not sniff(head):
        return False
    edits = beyond = 0
    text, n_tokens = "", 0
    is_raw = cuts_words = False
    # The last line of the head may be truncated.
    for line in head.replace("\r\n", "\n").split("\n")[:-1]:
        if line.startswith("S "):
            text = line[2:]
            n_tokens = len(text.split())
        elif match := _SNIFF_EDIT.match(line):
            start, end = int(match[1]), int(match[2])
            if end > len(text):
                return False
            edits += 1
            if end > n_tokens:
                beyond += 1
                is_raw = is_raw or len(tokenize(text)) != n_tokens
                cuts_words = cuts_words or _cuts_word(text, start) or _cuts_word(text, end)
    return beyond * 3 > edits and (is_raw or (beyond >= _MIN_BEYOND and not cuts_words))


_SNIFF_EDIT = re.compile(r"A ([0-9]{1,9}) ([0-9]{1,9})\|\|\|")
_MIN_BEYOND = 3


def _cuts_word(text: str, place: int) -> bool:
    return text[max(0, place - 1) : place].isalnum() and text[place : place + 1].isalnum()


FORMATS = (
    Format(
        "m2-char",
        "M2 with character offsets",
        (),
        sniff_characters,
        read_characters,
        write_characters,
        endings=(".m2",),
    ),
    Format("m2", "M2", (".m2",), sniff, read, write),
)
