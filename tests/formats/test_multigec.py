"""MultiGEC-2025 Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import c4200m, clang8, lang8, m2, multigec, multiged
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence
from geceval.text import split_tokens

ESSAYS = """### essay_id = a1
I has a dog.

His name are Rex.

### essay_id = b2
We went home.

"""
FIRST = """### essay_id = b2
We went home.

### essay_id = a1
I have a dog.

His name is Rex.
"""
SECOND = """### essay_id = a1
I have one dog.

His name is Rex.
"""


def read(*texts: str, findings: Findings | None = None) -> list[Sentence]:
    inputs = [
        Input.from_text(text, name=f"file{number}.md", findings=findings)
        for number, text in enumerate(texts)
    ]
    return list(multigec.read(inputs))


def test_multigec_essay_is_one_sentence() -> None:
    [sent, _] = read(ESSAYS)
    text = "I has a dog.\n\nHis name are Rex."
    spans = ((0, 1), (2, 5), (6, 7), (8, 11), (11, 12), (14, 17), (18, 22), (23, 26), (27, 30))
    assert sent == Sentence(
        ("I", "has", "a", "dog", ".", "His", "name", "are", "Rex", "."),
        (),
        id="a1",
        raw=RawText(text, (*spans, (30, 31))),
    )


def test_multigec_reference_is_aligned_by_id() -> None:
    first, second = read(ESSAYS, FIRST)
    have, be = Edit(1, 2, (("have",),), "R"), Edit(7, 8, (("is",),), "R")
    assert first.annotations == (Annotation("0", (have, be)),)
    assert (second.id, second.annotations) == ("b2", (Annotation("0"),))


def test_multigec_essay_missing_in_a_reference_means_annotator_absent() -> None:
    first, second = read(ESSAYS, FIRST, SECOND)
    assert first.corrected("1") == split_tokens("I have one dog . His name is Rex .")
    assert [ann.annotator for ann in second.annotations] == ["0"]


def test_multigec_absent_from_the_first_reference_keeps_the_number_of_the_second() -> None:
    _, second = read(ESSAYS, SECOND, FIRST)
    assert [ann.annotator for ann in second.annotations] == ["1"]


def test_multigec_white_space_inside_an_essay_is_kept() -> None:
    [sent] = read("\n### essay_id = x\n\n  One \n\n\nTwo\t \n\n\n")
    assert sent.raw is not None
    assert sent.raw.text == "  One \n\n\nTwo\t "


def test_multigec_other_headings_are_text() -> None:
    [sent] = read("### essay_id = x\n### My dog\n# 1\n")
    assert sent.tokens == ("#", "#", "#", "My", "dog", "#", "1")


def test_multigec_id_may_have_spaces() -> None:
    [sent] = read("### essay_id =  my essay 3 \r\nOne\r\n")
    assert sent.id == "my essay 3"


def test_multigec_empty_essay_is_noted() -> None:
    findings = Findings()
    [sent] = read("### essay_id = x\n\n", findings=findings)
    assert sent == Sentence((), (), id="x", raw=RawText("", ()))
    assert str(next(iter(findings))) == "file0.md, line 1: the essay 'x' has no text"


def test_multigec_empty_file_has_no_essays() -> None:
    assert read("") == []
    assert read("\n \n") == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ("\nOh\n### essay_id = 1\n",),
            "file0.md, line 2: expected the header '### essay_id = ID' before any text, found 'Oh'",
        ),
        (
            ("### essay_id = 1\nA\n\n### essay_id 2\n",),
            "file0.md, line 4: expected the header '### essay_id = ID', found '### essay_id 2'",
        ),
        (
            ("### essay_id = \nA\n",),
            "file0.md, line 1: expected the header '### essay_id = ID', found '### essay_id = '",
        ),
        (
            ("### essay_id = 1\nA\n\n### essay_id = 1\nB\n",),
            "file0.md, line 4: duplicate essay '1', first in line 1",
        ),
        (
            (ESSAYS, FIRST + "\n### essay_id = c3\nOh.\n"),
            "file1.md, line 9: the essay 'c3' is not among the source essays",
        ),
    ],
)
def test_multigec_bad_files_are_refused(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(*texts)
    assert str(caught.value) == message


def test_multigec_is_detected(tmp_path: Path) -> None:
    source, reference = tmp_path / "orig.md", tmp_path / "ref1.md"
    source.write_text(ESSAYS, encoding="utf-8")
    reference.write_text(FIRST, encoding="utf-8")
    corpus = geceval.load(source, reference)
    assert corpus.sentences == tuple(read(ESSAYS, FIRST))


@pytest.mark.parametrize("module", [c4200m, clang8, lang8, m2, multiged])
def test_multigec_is_left_alone_by_other_formats(module: object) -> None:
    assert not module.sniff(ESSAYS)  # type: ignore[attr-defined]


@pytest.mark.parametrize("head", ["", "Plain text .\n", "# essay_id = 1\n", "S A\nA 0 1|||\n"])
def test_multigec_sniff_leaves_other_text_alone(head: str) -> None:
    assert not multigec.sniff(head)
