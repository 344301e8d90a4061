"""geceval JSON Lines: the complete data model, one sentence per line.

The first line is a header with the version of the schema::

    {"format": "geceval-corpus", "schema": 1}
    {"tokens": ["I", "goes"], "annotations": [{"annotator": "0", "edits": [
        {"start": 1, "end": 2, "corrections": [["go"]], "type": "R:VERB:SVA"}]}]}

(each sentence on one line). Fields with default values are omitted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence, Tokens
from geceval.storage import strict_json
from geceval.text import join_tokens

SCHEMA = 1
_HEADER = {"format": "geceval-corpus", "schema": SCHEMA}


def sniff(head: str) -> bool:
    """Recognize the header."""
    return head.lstrip().startswith('{"format": "geceval-corpus"')


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read sentences."""
    for source in inputs:
        seen_header = False
        for number, line in source.numbered_lines():
            try:
                record = _loads(line)
                sent = sentence_of(record) if seen_header else None
            except KeyError as error:
                raise source.error(f"the field {error} is missing", line=number) from None
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise source.error(f"not a sentence of this format: {error}", line=number) from None
            if sent is not None:
                yield sent
            else:
                _check_header(record, source, number)
                seen_header = True


def _loads(line: str) -> Any:
    record = json.loads(line)
    if "\\u" in line:
        # A lone surrogate can be escaped as \\ud800 but not encoded.
        json.dumps(record, ensure_ascii=False).encode()
    return record


def _check_header(record: Any, source: Input, line: int) -> None:
    if not isinstance(record, dict) or record.get("format") != _HEADER["format"]:
        raise source.error(f"expected the header {json.dumps(_HEADER)}", line=line)
    if record.get("schema") != SCHEMA:
        message = f"unknown schema {record.get('schema')!r}; this version reads {SCHEMA}"
        raise source.error(message, line=line)


def sentence_of(record: dict[str, Any]) -> Sentence:
    """Return the sentence of a record; raise an error of `read` if it is not valid."""
    tokens = _tokens(record["tokens"])
    raw = record.get("raw")
    name = record.get("id")
    annotations = tuple(
        Annotation(_string(ann["annotator"]), tuple(map(_edit, ann.get("edits", []))))
        for ann in record.get("annotations", [])
    )
    if len({ann.annotator for ann in annotations}) < len(annotations):
        raise ValueError("duplicate annotator")
    return Sentence(
        tokens,
        annotations,
        id=None if name is None else _string(name),
        raw=None if raw is None else _raw_text(raw, len(tokens)),
        not_annotatable=tuple(map(_string, record.get("not_annotatable", []))),
    )


def _raw_text(record: dict[str, Any], n_tokens: int) -> RawText:
    text = _string(record["text"])
    spans = tuple((_integer(start), _integer(end)) for start, end in record["spans"])
    if len(spans) != n_tokens:
        raise ValueError(f"{len(spans)} spans for {n_tokens} tokens")
    edges = [edge for span in spans for edge in span]
    if edges != sorted(edges) or not all(0 <= edge <= len(text) for edge in edges):
        raise ValueError("the spans of 'raw' overlap or are out of range")
    return RawText(text, spans)


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
    for token in value:
        if _string(token).split() != [token]:
            raise ValueError(f"expected a token without white space, found {token!r}")
    return tuple(value)


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
    out.write(strict_json.dumps(_HEADER) + "\n")
    for sent in sentences:
        out.write(strict_json.dumps(record_of(sent)) + "\n")


def record_of(sent: Sentence) -> dict[str, Any]:
    """Return a sentence as JSON data, without fields that have default values."""
    record: dict[str, Any] = {} if sent.id is None else {"id": sent.id}
    join_tokens(sent.tokens)  # Raises the same errors as the reader.
    record["tokens"] = sent.tokens
    record["annotations"] = [
        {"annotator": ann.annotator, "edits": [_edit_record(edit) for edit in ann.edits]}
        for ann in sent.annotations
    ]
    if sent.raw is not None:
        record["raw"] = {"text": sent.raw.text, "spans": sent.raw.spans}
    if sent.not_annotatable:
        record["not_annotatable"] = sent.not_annotatable
    return record


def _edit_record(edit: Edit) -> dict[str, Any]:
    for option in edit.corrections:
        join_tokens(option)
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


FORMATS = (
    Format("jsonl", "geceval JSON Lines", (".jsonl",), sniff, read, write, has_alignments=True),
)
