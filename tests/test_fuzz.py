"""Spoiled files: ten thousand for each reader raise nothing but our own errors."""

from __future__ import annotations

import contextlib

import pytest

from format_examples import CORRECTED, EXAMPLES, Example
from geceval.errors import GecevalError
from geceval.formats import Findings, Input, detect, formats, get_format
from geceval.model import Sentence
from guard import finishes
from mutations import mutations

N_FILES = 10_000


def read(name: str, texts: list[str]) -> list[Sentence]:
    findings = Findings()
    inputs = [
        Input.from_text(text, name=f"file{number}", findings=findings)
        for number, text in enumerate(texts)
    ]
    return list(get_format(name).read(inputs))


@pytest.mark.parametrize(("name", "example"), CORRECTED.items(), ids=CORRECTED)
def test_fuzz_example_is_good(name: str, example: Example) -> None:
    sents = read(name, list(example.texts))
    assert any(ann.edits for sent in sents for ann in sent.annotations)


def test_fuzz_examples_are_of_all_formats() -> None:
    # Parquet is no text: see its own tests.
    assert EXAMPLES.keys() == formats().keys() - {"parquet"}


@pytest.mark.parametrize(("name", "example"), EXAMPLES.items(), ids=EXAMPLES)
def test_fuzz_spoiled_files_raise_our_errors_only(name: str, example: Example) -> None:
    with finishes():
        share = N_FILES // len(example.texts)
        for place, good in enumerate(example.texts):
            texts = list(example.texts)
            for spoiled in mutations(good, letters=example.letters, n=share, seed=place):
                texts[place] = spoiled
                with contextlib.suppress(GecevalError):
                    read(name, texts)


@pytest.mark.parametrize(("name", "example"), EXAMPLES.items(), ids=EXAMPLES)
def test_fuzz_spoiled_files_are_detected_as_something(name: str, example: Example) -> None:
    for spoiled in mutations(example.texts[0], letters=example.letters, n=300, seed=9):
        with contextlib.suppress(GecevalError):
            read(detect(Input.from_text(spoiled)).name, [spoiled])
    assert detect(Input.from_text(example.texts[0])).name == name


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(
    "text", ["", "\n", " ", "\x00", "\n\n\n", "S", "A", "<", "{", "[", "\t", "#"]
)
def test_fuzz_tiny_files(name: str, text: str) -> None:
    with contextlib.suppress(GecevalError):
        read(name, [text])
    with contextlib.suppress(GecevalError):
        read(name, [text, text])
