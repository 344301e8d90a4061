"""C4_200M edits: synthetic errors as byte edits of clean sentences in another file.

::

    3b6c4d2b…	8	13	is

The columns are the MD5 hash of the clean sentence, start and end in its UTF-8 bytes, and the
replacement (empty or missing for a deletion). The edits *corrupt*: they produce the source, and the
gold edits reverse them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence, Tokens, apply_edits, minimize_edit
from geceval.text import raw_text, token_edit, tokens_at

_EXPECTED = "expected 'MD5<tab>START<tab>END<tab>REPLACEMENT'"
_ANNOTATOR = "0"
# Groups with more errors are reversed as one edit, which keeps time linear.
_MAX_SEPARATE = 20
_ROW = re.compile(r"([0-9a-fA-F]{32})\t([0-9]{1,9})\t([0-9]{1,9})(?:\t(.*))?")
# The script of the data set puts the hash before each sentence.
_HASH = re.compile(r"[0-9a-fA-F]{32}\t")


class _ByteEdit(NamedTuple):
    """One line of the edits."""

    line: int
    start: int
    end: int
    text: str


class _Repair(NamedTuple):
    """A span of characters in the source, and its text in the target."""

    start: int
    end: int
    text: str


_Digest: TypeAlias = bytes


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read the edits and the clean sentences, one per line, in either order of the files."""
    edits_file, sentences_file = _identify_files(inputs)
    edits = _edits_by_sentence(edits_file)
    found: set[_Digest] = set()
    n_unedited = 0
    for number, line in sentences_file.numbered_lines():
        prefix = _HASH.match(line)
        target = line[prefix.end() :] if prefix else line
        digest = hashlib.md5(target.encode(), usedforsecurity=False).digest()
        if digest in edits:
            found.add(digest)
            yield _sentence(edits_file, target, edits.pop(digest), digest)
        elif digest in found:
            message = "duplicate sentence ignored"
            sentences_file.note("duplicate", message, line=number, severity="note")
        else:
            n_unedited += 1
    if n_unedited:
        message = f"{n_unedited} sentences without edits ignored"
        sentences_file.note("no-edits", message, severity="note")
    for digest, remaining in edits.items():
        message = f"no sentence in {sentences_file.name} has the hash {digest.hex()}"
        edits_file.note("missing-sentence", message, line=remaining[0].line)


def _identify_files(inputs: Sequence[Input]) -> tuple[Input, Input]:
    """Return the edits and the sentences, identified by their content."""
    if len(inputs) != 2:
        message = "C4_200M needs two files, the edits and the clean sentences"
        raise inputs[0].error(f"{message}, not {len(inputs)}")
    first, second = inputs
    if sniff(first.head):
        return first, second
    if sniff(second.head):
        return second, first
    raise first.error(f"neither this file nor {second.name} contains C4_200M edits; {_EXPECTED}")


def _edits_by_sentence(source: Input) -> dict[_Digest, list[_ByteEdit]]:
    edits: dict[_Digest, list[_ByteEdit]] = {}
    for number, line in source.numbered_lines():
        match = _ROW.fullmatch(line)
        if match is None:
            raise source.error(f"{_EXPECTED}, found {line[:60]!r}", line=number)
        digest, start, end, text = match.groups(default="")
        edit = _ByteEdit(number, int(start), int(end), text)
        if edit.start > edit.end:
            message = f"a span needs start <= end, found {start} {end}"
            raise source.error(message, line=number)
        edits.setdefault(bytes.fromhex(digest), []).append(edit)
    return edits


def _sentence(
    edits_file: Input, target: str, edits: Sequence[_ByteEdit], digest: _Digest
) -> Sentence:
    text, repairs = _corrupted(edits_file, target.encode(), edits)
    raw = raw_text(text)
    annotation = Annotation(_ANNOTATOR, tuple(_token_edits(raw, repairs)))
    return Sentence(tokens_at(text, raw.spans), (annotation,), id=digest.hex(), raw=raw)


def _corrupted(
    edits_file: Input, target: bytes, edits: Sequence[_ByteEdit]
) -> tuple[str, list[_Repair]]:
    """Corrupt a sentence, and return the edits that restore it."""
    pieces: list[str] = []
    repairs: list[_Repair] = []
    n_characters = 0
    reached = 0
    # Errors at the same position remain in file order.
    for edit in sorted(edits, key=attrgetter("start", "end")):
        span = f"the edit {edit.start} {edit.end}"
        if edit.start < reached:
            raise edits_file.error(f"{span} overlaps another", line=edit.line)
        if edit.end > len(target):
            message = f"{span} is out of range: the sentence has {len(target)} bytes"
            raise edits_file.error(message, line=edit.line)
        try:
            before = target[reached : edit.start].decode()
            original = target[edit.start : edit.end].decode()
        except UnicodeDecodeError as error:
            message = f"{span} begins or ends inside a character"
            raise edits_file.error(message, line=edit.line) from error
        n_characters += len(before)
        end = n_characters + len(edit.text)
        repairs.append(_Repair(n_characters, end, original))
        pieces += before, edit.text
        n_characters = end
        reached = edit.end
    pieces.append(target[reached:].decode())
    return "".join(pieces), repairs


def _token_edits(raw: RawText, repairs: Sequence[_Repair]) -> Iterator[Edit]:
    """Convert repairs into token edits that restore the target."""
    tokens = tokens_at(raw.text, raw.spans)
    for group in _groups(raw.text, repairs):
        together = _changes(raw, tokens, [_merge(raw.text, group)])
        if 1 < len(group) <= _MAX_SEPARATE:
            apart = _changes(raw, tokens, group)
            yield from apart if _are_equivalent(tokens, apart, together) else together
        else:
            yield from together


def _groups(text: str, repairs: Sequence[_Repair]) -> Iterator[list[_Repair]]:
    """Group repairs that are not separated by white space, which no token contains."""
    group: list[_Repair] = []
    for repair in repairs:
        if group and any(map(str.isspace, text[group[-1].end : repair.start])):
            yield group
            group = []
        group.append(repair)
    yield group


def _changes(raw: RawText, tokens: Tokens, repairs: Iterable[_Repair]) -> list[Edit]:
    """Convert each repair into a token edit, except those of white space only."""
    edits = (token_edit(raw, repair.start, repair.end, [repair.text]) for repair in repairs)
    return [
        replace(edit, type=_operation(edit))
        for edit in edits
        if minimize_edit(edit, tokens) is not None
    ]


def _operation(edit: Edit) -> str:
    """Return the operation: missing (M), replacement (R) or unnecessary (U)."""
    if edit.is_insertion:
        return "M"
    return "R" if edit.correction else "U"


def _are_equivalent(tokens: Tokens, apart: Sequence[Edit], together: Sequence[Edit]) -> bool:
    """Whether separate edits do not overlap and have the same effect as the merged one."""
    if any(edit.overlaps(following) for edit, following in pairwise(apart)):
        return False
    every = (*apart, *together)
    start = min((edit.start for edit in every), default=0)
    end = max((edit.end for edit in every), default=0)
    first, second = (
        apply_edits(
            tokens[start:end],
            (replace(edit, start=edit.start - start, end=edit.end - start) for edit in edits),
        )
        for edits in (apart, together)
    )
    return first == second


def _merge(text: str, group: Sequence[_Repair]) -> _Repair:
    pieces = [group[0].text]
    for last, repair in pairwise(group):
        pieces += text[last.end : repair.start], repair.text
    return _Repair(group[0].start, group[-1].end, "".join(pieces))


_SNIFF = re.compile(r"[0-9a-fA-F]{32}\t[0-9]+\t[0-9]+(?:[\t\r\n]|$)")


def sniff(head: str) -> bool:
    """Recognize a hash and two numbers."""
    return _SNIFF.match(head.lstrip()) is not None


FORMATS = (Format("c4200m", "C4_200M edits", (), sniff, read, several=True, endings=(".tsv",)),)
