"""JSON Lines of our own."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from geceval.errors import FormatError
from geceval.formats import Input
from geceval.formats.jsonl import read, sniff, write
from geceval.model import Annotation, Edit, RawText, Sentence

HEADER = '{"format": "geceval-corpus", "schema": 1}\n'
FULL = Sentence(
    ("Do", "n't", "👩‍👩‍👧"),
    (
        Annotation(
            "0",
            (
                Edit(0, 1, (("did",), ()), "R", required=False, comment="a\u2028b", group="3"),
                Edit(1, 2, ()),
            ),
        ),
        Annotation("Åsa"),
    ),
    id="d1-2",
    raw=RawText("Don't 👩‍👩‍👧", ((0, 2), (2, 5), (6, 11))),
)


def parse(text: str) -> list[Sentence]:
    return list(read([Input.from_text(text, name="f.jsonl")]))


def written(*sents: Sentence) -> str:
    out = io.StringIO()
    write(sents, [out])
    return out.getvalue()


def error_of(record: Any) -> str:
    text = record if isinstance(record, str) else json.dumps(record)
    with pytest.raises(FormatError) as caught:
        parse(f"{HEADER}\n{text}\n")
    return str(caught.value).removeprefix("f.jsonl, line 3: ")


def test_jsonl_holds_everything() -> None:
    assert parse(written(FULL, Sentence(()))) == [FULL, Sentence(())]


def test_jsonl_leaves_usual_values_out() -> None:
    sent = Sentence(("a",), (Annotation("0", (Edit(0, 1, (("b",),), "T"),)),))
    assert written(sent) == (
        f'{HEADER}{{"tokens": ["a"], "annotations": [{{"annotator": "0", "edits": '
        '[{"start": 0, "end": 1, "corrections": [["b"]], "type": "T"}]}]}\n'
    )


def test_jsonl_fields_may_be_missing() -> None:
    assert parse(HEADER + '{"tokens": ["a"]}\n{"tokens": [], "annotations": []}') == [
        Sentence(("a",)),
        Sentence(()),
    ]


def test_jsonl_unknown_fields_are_no_fault() -> None:
    assert parse(HEADER + '{"tokens": ["a"], "mine": 1}') == [Sentence(("a",))]


def test_jsonl_files_follow_one_another() -> None:
    inputs = [Input.from_text(HEADER + '{"tokens": ["a"]}') for _ in range(2)]
    assert list(read(inputs)) == [Sentence(("a",))] * 2


def test_jsonl_nothing() -> None:
    assert parse("") == parse(HEADER) == []


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ('{"tokens": []}', 'expected the header {"format": "geceval-corpus", "schema": 1}'),
        ("[]", 'expected the header {"format": "geceval-corpus", "schema": 1}'),
        (
            '{"format": "geceval-corpus", "schema": 2}',
            "unknown schema 2; this version reads 1",
        ),
        (
            '{"format": "geceval-corpus"}',
            "unknown schema None; this version reads 1",
        ),
    ],
)
def test_jsonl_header_is_checked(first: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse(first)
    assert str(caught.value) == f"f.jsonl, line 1: {message}"


def edit(**changes: Any) -> dict[str, Any]:
    record = {"start": 0, "end": 1, "corrections": [["b"]], **changes}
    return {"tokens": ["a"], "annotations": [{"annotator": "0", "edits": [record]}]}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "the field 'tokens' is missing"),
        ({"tokens": ["a"], "annotations": [{}]}, "the field 'annotator' is missing"),
        ({"tokens": ["a"], "raw": {}}, "the field 'text' is missing"),
        ({"tokens": "a"}, "not a sentence of this format: tokens must be a list"),
        ({"tokens": [1]}, "not a sentence of this format: expected text, found 1"),
        (
            {"tokens": ["a b"]},
            "not a sentence of this format: expected a token without white space, found 'a b'",
        ),
        (
            {"tokens": [""]},
            "not a sentence of this format: expected a token without white space, found ''",
        ),
        (
            {"tokens": [], "annotations": [{"annotator": "0"}, {"annotator": "0"}]},
            "not a sentence of this format: duplicate annotator",
        ),
        (
            {"tokens": ["a"], "raw": {"text": "a", "spans": []}},
            "not a sentence of this format: 0 spans for 1 tokens",
        ),
        (
            {"tokens": ["a"], "raw": {"text": "a", "spans": [[0, 2]]}},
            ("not a sentence of this format: the spans of 'raw' overlap or are out of range"),
        ),
        (
            edit(start=2),
            "not a sentence of this format: an edit needs 0 <= start <= end, not 2 1",
        ),
        (edit(start=True), "not a sentence of this format: expected a whole number, found True"),
        (edit(end=1.0), "not a sentence of this format: expected a whole number, found 1.0"),
        (edit(required=1), "not a sentence of this format: 'required' must be true or false"),
        (edit(type=None), "not a sentence of this format: expected text, found None"),
        (edit(corrections=["b"]), "not a sentence of this format: tokens must be a list"),
    ],
)
def test_jsonl_faults_are_told(record: Any, message: str) -> None:
    assert error_of(record) == message


@pytest.mark.parametrize("text", ["{", "nothing", "[" * 100_000, '{"tokens": ["\\ud800"]}', "[1]"])
def test_jsonl_broken_json_is_told(text: str) -> None:
    assert error_of(text).startswith("not a sentence of this format: ")


def test_jsonl_whole_characters_may_be_escaped() -> None:
    assert parse(HEADER + '{"tokens": ["\\ud83d\\ude00\\u00e9"]}') == [Sentence(("😀é",))]


def test_jsonl_sniff() -> None:
    assert sniff(HEADER)
    assert sniff("\n" + HEADER)
    assert not sniff('{"text": "a", "edits": []}')
