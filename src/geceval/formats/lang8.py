"""Lang-8 journals (NAIST Lang-8 Learner Corpora, ``.dat``): one JSON array per line.

::

    ["12", "3", ["English"], "German", ["He go.", "Bye"], [["He [f-red]goes[/f-red]."], []]]

The fields are journal, its version, languages learned, native language, sentences, and for
each sentence its corrections. No corrections means that nobody looked at the sentence.
Correctors colored what they changed and struck out what they deleted; the marks go, and
with them what was struck out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.formats.parallel import reading_from_target
from geceval.model import Annotation, Sentence, Tokens
from geceval.text import raw_text, tokenize, tokens_at

_EXPECTED = (
    "expected a JSON array [JOURNAL, SENTENCE, LANGUAGES, NATIVE, [SOURCES], [[CORRECTIONS]]]"
)
_COLOR = re.compile(r"\[/?(?:f-[a-z]+|[赤青緑黄黒白灰太紫橙][色字]?)\]", re.IGNORECASE)
_STRIKE = re.compile(r"(\[/?sline\])", re.IGNORECASE)
# White space stays; the others, and halves of surrogate pairs, are not text.
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff]")


class Entry(NamedTuple):
    """One line: sentences of a journal and the corrections of each, marks included."""

    line: int
    journal_id: str
    sentence_id: str
    sources: list[str]
    corrections: list[list[str]]


def entries(source: Input) -> Iterator[Entry]:
    """Yield the entries of a file, noting the lines that cannot be read.

    The published file has such lines. A bad first line means another format, though.
    """
    is_first = True
    for number, line in enumerate(source.lines(), 1):
        if not line or line.isspace():
            continue
        try:
            entry = _parse(line, number)
        except (ValueError, RecursionError) as error:
            message = f"{_EXPECTED}, found {line[:40]!r}"
            if is_first:
                raise source.error(message, line=number) from error
            source.note("bad-line", f"line left out: {message}", line=number, severity="error")
        else:
            yield _as_text(source, entry)
        is_first = False


def _parse(line: str, number: int) -> Entry:
    """Parse one line; a `ValueError` means that it is not an entry."""
    # Control characters stand unescaped in some sentences.
    match json.loads(line, strict=False):
        case [str() | int() as journal, str() | int() as sentence, _, _, list(texts), list(given)]:
            if len(texts) != len(given) or not all(isinstance(text, str) for text in texts):
                raise ValueError(_EXPECTED)
            corrections = list(map(_correction_texts, given))
            return Entry(number, str(journal), str(sentence), texts, corrections)
        case _:
            raise ValueError(_EXPECTED)


def _correction_texts(given: object) -> list[str]:
    """Return the corrections of one sentence; a null among them is none."""
    if not isinstance(given, list) or not all(isinstance(text, str | None) for text in given):
        raise ValueError(_EXPECTED)
    return [text for text in given if text is not None]


def _as_text(source: Input, entry: Entry) -> Entry:
    """Take what is not text out of an entry."""
    groups = (entry.sources, *entry.corrections)
    if not any(_NOT_TEXT.search(text) for group in groups for text in group):
        return entry
    source.note(
        "control-character", "control characters left out", line=entry.line, severity="note"
    )
    sources, *corrections = ([_NOT_TEXT.sub("", text) for text in group] for group in groups)
    return entry._replace(sources=sources, corrections=corrections)


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read each sentence of each journal, each correction an annotator of its own."""
    for source in inputs:
        for entry in entries(source):
            pairs = zip(entry.sources, entry.corrections, strict=True)
            for number, (text, corrections) in enumerate(pairs):
                raw = raw_text(text)
                tokens = tokens_at(text, raw.spans)
                readings = _readings(source, entry, tokens, corrections)
                sent_id = f"{entry.journal_id}-{entry.sentence_id}-{number}"
                yield Sentence(tokens, readings, id=sent_id, raw=raw)


def _readings(
    source: Input, entry: Entry, tokens: Tokens, corrections: Sequence[str]
) -> tuple[Annotation, ...]:
    readings: list[Annotation] = []
    for correction in corrections:
        if not correction or correction.isspace():
            message = "an empty correction left out"
            source.note("empty-correction", message, line=entry.line, severity="note")
            continue
        target, is_balanced = without_marks(correction)
        if not is_balanced:
            message = f"a strike-out begins or ends only: {correction[:40]!r}"
            source.note("unbalanced-tag", message, line=entry.line)
        target_tokens = tokens_at(target, tokenize(target))
        readings.append(reading_from_target(str(len(readings)), tokens, target_tokens))
    return tuple(readings)


def without_marks(correction: str) -> tuple[str, bool]:
    """Take out color marks, and strike-outs with their content.

    Returns
    -------
    text, is_balanced
        Of a strike-out that only begins, or only ends, the mark goes and the content
        stays; the text is then not balanced.

    Examples
    --------
    >>> without_marks("[f-blue]We[/f-blue] [sline]has [/sline]slept.")
    ('We slept.', True)
    """
    kept: list[str] = []
    open_strikes: list[int] = []
    is_balanced = True
    for part in _STRIKE.split(_COLOR.sub("", correction)):
        mark = part.lower()
        if mark == "[sline]":
            open_strikes.append(len(kept))
        elif mark != "[/sline]":
            kept.append(part)
        elif open_strikes:
            del kept[open_strikes.pop() :]
        else:
            is_balanced = False
    return "".join(kept), is_balanced and not open_strikes


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
    """Recognize the first fields of an entry; the first line may be longer than `head`."""
    return _SNIFF.match(head) is not None


FORMATS = (Format("lang8", "Lang-8 journals", (), sniff, read),)
