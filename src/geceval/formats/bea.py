"""BEA-2019 JSON Lines (W&I+LOCNESS, FCE v2.1): whole essays with character offsets.

::

    {"id": "e1", "text": "I goed home.", "edits": [[0, [[2, 6, "went"], [7, 11, null]]]]}

One essay per line; ``edits`` gives, for each annotator, ``[start, end, correction]`` or
``[start, end, correction, type]``. A correction of ``null`` flags an error.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator, Sequence

from geceval.errors import FormatError
from geceval.formats._shared.documents import CharacterEdit, split_document
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Sentence

UNKNOWN = "UNK"
_EDIT_EXPECTED = "expected an edit as [start, end, correction] or [start, end, correction, type]"
_ANNOTATOR_EXPECTED = 'expected "edits" as [[annotator, [[start, end, correction], …]], …]'


class _EssayLine:
    """One line of a file, for error messages."""

    def __init__(self, source: Input, number: int) -> None:
        self._source = source
        self._number = number

    def error(self, message: str) -> FormatError:
        return self._source.error(message, line=self._number)

    def text(self, value: object, expected: str) -> str:
        """Check that a value is a string that can be encoded."""
        if not isinstance(value, str):
            raise self.error(f"{expected}, found {reprlib.repr(value)}")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.error(f"lone surrogate in {reprlib.repr(value)}") from None
        return value

    def essay(self, line: str) -> dict[str, object]:
        """Parse the JSON object of a line."""
        try:
            essay = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            raise self.error(f"expected one JSON object per line: {reason}") from None
        if not isinstance(essay, dict):
            raise self.error(f"expected one JSON object per line, found {reprlib.repr(essay)}")
        for key in ("text", "edits"):
            if key not in essay:
                raise self.error(f'expected an essay with "text" and "edits", found no "{key}"')
        return essay

    def identifier(self, essay: dict[str, object]) -> str | None:
        """Return the identifier of an essay, if any."""
        match essay.get("id"):
            case None:
                return None
            case int(number) if not isinstance(number, bool):
                return str(number)
            case name:
                return self.text(name, 'expected "id" to be text')

    def by_annotator(self, value: object, size: int) -> dict[str, list[CharacterEdit]]:
        """Parse the edits of all annotators of a text of `size` characters."""
        if not isinstance(value, list):
            raise self.error(f"{_ANNOTATOR_EXPECTED}, found {reprlib.repr(value)}")
        by_annotator: dict[str, list[CharacterEdit]] = {}
        for entry in value:
            match entry:
                case [int() | str() as name, list(entries)] if not isinstance(name, bool):
                    annotator = self.text(str(name), _ANNOTATOR_EXPECTED)
                case _:
                    raise self.error(f"{_ANNOTATOR_EXPECTED}, found {reprlib.repr(entry)}")
            if annotator in by_annotator:
                message = f"duplicate annotator {annotator}; the edits were combined"
                self._source.note("duplicate-annotator", message, line=self._number)
            edits = by_annotator.setdefault(annotator, [])
            edits.extend(edit for entry in entries if (edit := self._edit(entry, size)))
        return by_annotator

    def _edit(self, entry: object, size: int) -> CharacterEdit | None:
        """Parse one edit; None if it is out of range."""
        match entry:
            case [int(start), int(end), str() | None as new]:
                kind = ""
            case [int(start), int(end), str() | None as new, str(kind)]:
                self.text(kind, _EDIT_EXPECTED)
            case _:
                raise self.error(f"{_EDIT_EXPECTED}, found {reprlib.repr(entry)}")
        if isinstance(start, bool) or isinstance(end, bool):
            raise self.error(f"{_EDIT_EXPECTED}, found {reprlib.repr(entry)}")
        if not 0 <= start <= end <= size:
            self._source.note(
                "out-of-range",
                f"ignored the edit {start} {end}, out of range: the text ends at {size}",
                line=self._number,
                severity="error",
            )
            return None
        if new is None:
            return CharacterEdit(start, end, None, kind or UNKNOWN)
        return CharacterEdit(start, end, (self.text(new, _EDIT_EXPECTED),), kind)


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read BEA-2019 JSON Lines, one essay at a time."""
    for source in inputs:
        for number, content in source.numbered_lines():
            line = _EssayLine(source, number)
            essay = line.essay(content)
            text = line.text(essay["text"], 'expected "text" to be text')
            if not text or text.isspace():
                source.note("empty", "an essay without text", line=number, severity="note")
            by_annotator = line.by_annotator(essay["edits"], len(text))
            yield from split_document(text, by_annotator, id=line.identifier(essay))


def sniff(head: str) -> bool:
    """Recognize an essay in the first line."""
    line = head.lstrip().split("\n", 1)[0]
    return line.startswith("{") and '"edits"' in line and '"text"' in line


FORMATS = (Format("bea", "BEA-2019 JSON Lines", (), sniff, read, endings=(".json", ".jsonl")),)
