"""JSON Lines of our own: everything that the model holds, one sentence per line.

The first line is a header with the version of the schema::

    {"format": "geceval-corpus", "schema": 1}
    {"tokens": ["I", "goes"], "annotations": [{"annotator": "0", "edits": [
        {"start": 1, "end": 2, "corrections": [["go"]], "type": "R:VERB:SVA"}]}]}

(each sentence on one line). Fields with their usual value are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence, Tokens

SCHEMA = 1
_HEADER = {"format": "geceval-corpus", "schema": SCHEMA}


def sniff(head: str) -> bool:
    """Recognise the header."""
    return head.lstrip().startswith('{"format": "geceval-corpus"')


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read sentences."""
    for source in inputs:
        seen_header = False
        for number, line in enumerate(source.lines(), 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                if seen_header:
                    yield _sentence(record)
                    continue
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise source.error(f"not a sentence of this format: {error}", line=number) from None
            _check_header(record, source, number)
            seen_header = True


def _check_header(record: Any, source: Input, line: int) -> None:
    if not isinstance(record, dict) or record.get("format") != _HEADER["format"]:
        raise source.error(f"expected the header {json.dumps(_HEADER)}", line=line)
    if record.get("schema") != SCHEMA:
        message = f"schema {record.get('schema')!r} is not known; this version reads {SCHEMA}"
        raise source.error(message, line=line)


def _sentence(record: dict[str, Any]) -> Sentence:
    raw = record.get("raw")
    annotations = record.get("annotations", [])
    name = record.get("id")
    return Sentence(
        _tokens(record["tokens"]),
        tuple(
            Annotation(_string(ann["annotator"]), tuple(map(_edit, ann.get("edits", []))))
            for ann in annotations
        ),
        id=None if name is None else _string(name),
        raw=None
        if raw is None
        else RawText(
            _string(raw["text"]),
            tuple((_integer(start), _integer(end)) for start, end in raw["spans"]),
        ),
    )


def _edit(record: dict[str, Any]) -> Edit:
    required = record.get("required", True)
    if not isinstance(required, bool):
        raise TypeError("'required' must be true or false")
    return Edit(
        _integer(record["start"]),
        _integer(record["end"]),
        tuple(map(_tokens, record["corrections"])),
        type=_string(record.get("type", "")),
        required=required,
        comment=_string(record.get("comment", "")),
        group=_string(record.get("group", "")),
    )


def _tokens(value: Any) -> Tokens:
    if not isinstance(value, list):
        raise TypeError("tokens must be a list")
    return tuple(map(_string, value))


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}")
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"expected a whole number, found {value!r}")
    return value


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write sentences."""
    out = outputs[0]
    out.write(json.dumps(_HEADER) + "\n")
    for sent in sentences:
        out.write(json.dumps(_sentence_record(sent), ensure_ascii=False) + "\n")


def _sentence_record(sent: Sentence) -> dict[str, Any]:
    record: dict[str, Any] = {} if sent.id is None else {"id": sent.id}
    record["tokens"] = sent.tokens
    record["annotations"] = [
        {"annotator": ann.annotator, "edits": [_edit_record(edit) for edit in ann.edits]}
        for ann in sent.annotations
    ]
    if sent.raw is not None:
        record["raw"] = {"text": sent.raw.text, "spans": sent.raw.spans}
    return record


def _edit_record(edit: Edit) -> dict[str, Any]:
    record: dict[str, Any] = {
        "start": edit.start,
        "end": edit.end,
        "corrections": edit.corrections,
        "type": edit.type,
    }
    if not edit.required:
        record["required"] = False
    if edit.comment:
        record["comment"] = edit.comment
    if edit.group:
        record["group"] = edit.group
    return record


FORMATS = (Format("jsonl", "geceval JSON Lines", (".jsonl",), sniff, read, write),)
