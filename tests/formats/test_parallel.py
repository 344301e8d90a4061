"""Plain parallel text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given

import geceval
from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings, Input
from geceval.formats.parallel import read, write
from geceval.model import (
    Annotation,
    Edit,
    Sentence,
    Tokens,
    annotation_from_target,
    apply_edits,
    plain_edits,
)
from strategies import phrases, words


def parse(*texts: str) -> list[Sentence]:
    return list(
        read([Input.from_text(text, name=f"f{number}") for number, text in enumerate(texts)])
    )


def written(*sents: Sentence, files: int) -> list[str]:
    outputs = [io.StringIO() for _ in range(files)]
    write(sents, outputs)
    return [out.getvalue() for out in outputs]


def test_parallel_reads_source_and_references() -> None:
    assert parse("This are it .\nYes .\n", "This is it .\nYes .\n", "These are it !\nNo .\n") == [
        Sentence(
            ("This", "are", "it", "."),
            (
                Annotation("0", (Edit(1, 2, (("is",),), "R"),)),
                Annotation("1", (Edit(0, 1, (("These",),), "R"), Edit(3, 4, (("!",),), "R"))),
            ),
        ),
        Sentence(("Yes", "."), (Annotation("0"), Annotation("1", (Edit(0, 1, (("No",),), "R"),)))),
    ]


def test_parallel_source_alone_has_no_annotators() -> None:
    assert parse("a b\n") == [Sentence(("a", "b"))]


def test_parallel_empty_lines_are_sentences() -> None:
    assert parse("\na\n", "b\n\n") == [
        Sentence((), (Annotation("0", (Edit(0, 0, (("b",),), "M"),)),)),
        Sentence(("a",), (Annotation("0", (Edit(0, 1, ((),), "U"),)),)),
    ]


def test_parallel_last_line_needs_no_end() -> None:
    assert parse("a\nb", "a\nb\n") == parse("a\nb\n", "a\nb")


def test_parallel_unicode_line_breaks_end_no_line() -> None:
    assert parse("a\u2028b\nc\n", "a b\nc\u0085\n") == parse("a b\nc\n", "a b\nc\n")


def test_parallel_crlf_and_stray_white_space_change_nothing() -> None:
    assert parse("a b \r\n", "\ta  b\r\n") == parse("a b\n", "a b\n")


def test_parallel_nothing() -> None:
    assert parse("", "") == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("a\nb\nc\n", "a\nb\n"), "f0 has 3 sentences but f1 has 2"),
        (("a\n", "a\nb\nc\n"), "f0 has 1 sentence but f1 has 3"),
        (("a\nb\n", "a\nb\n", "a\n"), "f0 has 2 sentences but f2 has 1"),
        (("", "\n"), "f0 has 0 sentences but f1 has 1"),
    ],
)
def test_parallel_line_counts_must_agree(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(MismatchError) as caught:
        parse(*texts)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("source", "target", "edits"),
    [
        ("a b c", "a b c", ()),
        ("a b c", "a x c", (Edit(1, 2, (("x",),), "R"),)),
        ("a c", "a b c", (Edit(1, 1, (("b",),), "M"),)),
        ("a b c", "a c", (Edit(1, 2, ((),), "U"),)),
        ("I likes cat", "I like the cat", (Edit(1, 2, (("like", "the"),), "R"),)),
        ("a b c", "x b y", (Edit(0, 1, (("x",),), "R"), Edit(2, 3, (("y",),), "R"))),
        ("", "a", (Edit(0, 0, (("a",),), "M"),)),
    ],
)
def test_parallel_plain_edits(source: str, target: str, edits: tuple[Edit, ...]) -> None:
    assert plain_edits(tuple(source.split()), tuple(target.split())) == edits


@given(phrases(words(), max_size=8), phrases(words(), max_size=8))
def test_parallel_plain_edits_give_the_target(source: Tokens, target: Tokens) -> None:
    ann = annotation_from_target("0", source, target)
    assert apply_edits(source, ann.edits) == target
    # Changes that touch are one edit.
    assert all(one.end < two.start for one, two in zip(ann.edits, ann.edits[1:], strict=False))


def test_parallel_writes_a_file_for_each_annotator() -> None:
    sents = (
        Sentence(("a", "b"), (Annotation("10", (Edit(0, 1, (("x",),)),)), Annotation("2"))),
        Sentence((), (Annotation("2", (Edit(0, 0, (("y",),)),)),)),
    )
    assert written(*sents, files=3) == ["a b\n\n", "a b\ny\n", "x b\n\n"]


def test_parallel_needs_as_many_files_as_annotators() -> None:
    with pytest.raises(GecevalError) as caught:
        written(Sentence(("a",), (Annotation("0"), Annotation("b"))), files=1)
    assert str(caught.value) == (
        "plain text of 2 annotators (0, b) needs 3 files, the source first, not 1"
    )


def test_parallel_is_what_nothing_else_claims(tmp_path: Path) -> None:
    for name, text in (("src", "a b\n"), ("ref0", "a c\n")):
        (tmp_path / name).write_text(text)
    corpus = geceval.load(tmp_path / "src", tmp_path / "ref0")
    assert corpus.references() == {"0": [("a", "c")]}


def test_parallel_published_references(shared_data: Path) -> None:
    """Four corrections of each sentence; what they hold comes back whole."""
    folder = shared_data / "jfleg"
    files = [folder / "dev.src", *(folder / f"dev.ref{number}" for number in range(4))]
    corpus = geceval.load(*files, findings=Findings())
    assert (len(corpus), corpus.annotators) == (754, ("0", "1", "2", "3"))
    lines = [tuple(line.split()) for line in files[2].read_text().split("\n")[:-1]]
    assert corpus.references()["1"] == lines
