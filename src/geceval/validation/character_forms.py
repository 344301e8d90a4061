"""Characters that look like others, or like nothing: decomposed letters, invisible characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from geceval.characters import invisible_characters, is_composed
from geceval.formats import Findings, LoadedFile
from geceval.formats.findings import Severity
from geceval.model import Sentence


def check_characters(file: LoadedFile, findings: Findings) -> None:
    """Find decomposed and invisible characters, one finding of each kind with its count."""
    decomposed, first_decomposed, composed = 0, 0, 0
    invisible, first_invisible, kinds = 0, 0, dict[str, None]()
    for number, sent in enumerate(file.sentences, 1):
        for token in _tokens(sent):
            if token.isascii():
                continue
            if not is_composed(token):
                decomposed += 1
                first_decomposed = first_decomposed or number
            elif not unicodedata.is_normalized("NFD", token):
                composed += 1
            if found := invisible_characters(token):
                invisible += 1
                first_invisible = first_invisible or number
                kinds.update(dict.fromkeys(found))
    if decomposed:
        severity: Severity = "warning" if composed else "note"
        both = f", and {composed:,} are composed" if composed else ""
        _add(
            file,
            findings,
            "nfd",
            f"{decomposed:,} tokens have decomposed letters (NFD){both}; they differ from composed "
            "ones unless compared with --normalize nfc",
            first_decomposed,
            severity,
        )
    if invisible:
        names = ", ".join(
            f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip() for char in kinds
        )
        _add(
            file,
            findings,
            "invisible",
            f"{invisible:,} tokens have invisible characters, and differ from words that look the "
            f"same: {names}",
            first_invisible,
            "warning",
        )


def _tokens(sent: Sentence) -> Iterator[str]:
    yield from sent.tokens
    for ann in sent.annotations:
        for edit in ann.edits:
            for option in edit.corrections:
                yield from option


def _add(
    file: LoadedFile,
    findings: Findings,
    code: str,
    message: str,
    number: int,
    severity: Severity,
) -> None:
    is_text = file.format.name == "parallel"
    findings.add(
        code,
        message if is_text else f"from sentence {number} on: {message}",
        severity=severity,
        path=file.path,
        line=number if is_text else None,
    )
