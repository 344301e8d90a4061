"""Lang-8 journals (NAIST Lang-8 Learner Corpora, ``.dat``): one JSON array per line.

::

    ["12", "3", ["English"], "German", ["He go.", "Bye"], [["He [f-red]goes[/f-red]."], []]]

The fields are the journal, its version, the languages learned, the native language, the sentences,
and the corrections of each sentence. A sentence without corrections was not annotated. Color markup
is removed, and struck-out text is deleted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Annotation, Sentence, Tokens, annotation_from_target
from geceval.text import raw_text, tokens_at
from geceval.tokenization import tokenizer_for

_EXPECTED = (
    "expected a JSON array [JOURNAL, SENTENCE, LANGUAGES, NATIVE, [SOURCES], [[CORRECTIONS]]]"
)
_COLOR = re.compile(r"\[/?(?:f-[a-z]+|[赤青緑黄黒白灰太紫橙][色字]?)\]", re.IGNORECASE)
_STRIKE = re.compile(r"(\[/?sline\])", re.IGNORECASE)
# Control characters other than white space, and lone surrogates.
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff]")


class JournalEntry(NamedTuple):
    """One line: sentences of a journal and the corrections of each, with markup."""

    line: int
    journal_id: str
    sentence_id: str
    sources: list[str]
    corrections: list[list[str]]


def entries(source: Input) -> Iterator[JournalEntry]:
    """Yield the entries of a file; invalid lines are skipped and reported.

    The published file has such lines. An invalid first line is an error: the format is wrong.
    """
    is_first = True
    for number, line in source.numbered_lines():
        try:
            entry = _parse(line, number)
        except (ValueError, RecursionError) as error:
            message = f"{_EXPECTED}, found {line[:40]!r}"
            if is_first:
                raise source.error(message, line=number) from error
            source.note("invalid-line", f"line skipped: {message}", line=number, severity="error")
        else:
            yield _as_text(source, entry)
        is_first = False


def _parse(line: str, number: int) -> JournalEntry:
    """Parse one line; raise a `ValueError` if it is not an entry."""
    # Some sentences contain unescaped control characters.
    match json.loads(line, strict=False):
        case [str() | int() as journal, str() | int() as sentence, _, _, list(texts), list(given)]:
            if len(texts) != len(given) or not all(isinstance(text, str) for text in texts):
                raise ValueError(_EXPECTED)
            corrections = list(map(_correction_texts, given))
            return JournalEntry(number, str(journal), str(sentence), texts, corrections)
        case _:
            raise ValueError(_EXPECTED)


def _correction_texts(given: object) -> list[str]:
    """Return the corrections of one sentence, without nulls."""
    if not isinstance(given, list) or not all(isinstance(text, str | None) for text in given):
        raise ValueError(_EXPECTED)
    return [text for text in given if text is not None]


def _as_text(source: Input, entry: JournalEntry) -> JournalEntry:
    """Remove control characters and lone surrogates from an entry."""
    groups = (entry.sources, *entry.corrections)
    if not any(_NOT_TEXT.search(text) for group in groups for text in group):
        return entry
    source.note("control-character", "control characters removed", line=entry.line, severity="note")
    sources, *corrections = ([_NOT_TEXT.sub("", text) for text in group] for group in groups)
    return entry._replace(sources=sources, corrections=corrections)


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read the sentences of all journals; each correction is a separate annotator."""
    for source in inputs:
        for entry in entries(source):
            pairs = zip(entry.sources, entry.corrections, strict=True)
            for number, (text, corrections) in enumerate(pairs):
                raw = raw_text(text, tokenizer_for(source.lang))
                tokens = tokens_at(text, raw.spans)
                annotations = _annotations(source, entry, tokens, corrections)
                sent_id = f"{entry.journal_id}-{entry.sentence_id}-{number}"
                yield Sentence(tokens, annotations, id=sent_id, raw=raw)


def _annotations(
    source: Input, entry: JournalEntry, tokens: Tokens, corrections: Sequence[str]
) -> tuple[Annotation, ...]:
    annotations: list[Annotation] = []
    for correction in corrections:
        if not correction or correction.isspace():
            message = "empty correction ignored"
            source.note("empty-correction", message, line=entry.line, severity="note")
            continue
        target, is_balanced = strip_markup(correction)
        if not is_balanced:
            message = f"unbalanced strike-out markup: {correction[:40]!r}"
            source.note("unbalanced-tag", message, line=entry.line)
        target_tokens = tokens_at(target, tokenizer_for(source.lang)(target))
        annotations.append(annotation_from_target(str(len(annotations)), tokens, target_tokens))
    return tuple(annotations)


def strip_markup(correction: str) -> tuple[str, bool]:
    """Remove color markup, and struck-out text.

    Returns
    -------
    text, is_balanced
        Of unbalanced strike-out markup only the tag is removed.

    Examples
    --------
    >>> strip_markup("[f-blue]We[/f-blue] [sline]has [/sline]slept.")
    ('We slept.', True)
    """
    parts: list[str] = []
    open_strikes: list[int] = []
    is_balanced = True
    for part in _STRIKE.split(_COLOR.sub("", correction)):
        mark = part.lower()
        if mark == "[sline]":
            open_strikes.append(len(parts))
        elif mark != "[/sline]":
            parts.append(part)
        elif open_strikes:
            del parts[open_strikes.pop() :]
        else:
            is_balanced = False
    return "".join(parts), is_balanced and not open_strikes


_STRING = r'"(?:[^"\\]|\\.)*"'
_SNIFF = re.compile(
    rf"""
    \s* \[ \s* (?:{_STRING}|\d+)                                  # journal
    \s* , \s* (?:{_STRING}|\d+)                                    # its version
    \s* , \s* (?:{_STRING}|\[\s*(?:{_STRING}[\s,]*)*\])            # languages learned
    \s* , \s* (?:{_STRING}|null)                                   # native language
    \s* , \s* \[                                                  # sentences
    """,
    re.VERBOSE,
)


def sniff(head: str) -> bool:
    """Recognize the first fields of an entry; `head` may end within the first line."""
    return _SNIFF.match(head) is not None


FORMATS = (Format("lang8", "Lang-8 journals", (), sniff, read),)
