"""ua-gec in-text annotation."""

from __future__ import annotations

from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import Findings, Input
from geceval.formats.uagec import read, sniff
from geceval.model import Annotation, Edit, Sentence
from geceval.text import raw_text
from guard import finishes

GOOD = (
    "Учора {я йшла=>ми йшли|я йшов:::error_type=G/Gender:::sure=no} додому{=>.:::error_type=P}\n"
    "{Дуже =>:::error_type=F/Style}Гарно {там=>NO_SUGGESTIONS}!"
)


def load(*texts: str, findings: Findings | None = None) -> list[Sentence]:
    sources = [
        Input.from_text(text, name=f"dir/0042.a{number}.ann", findings=findings)
        for number, text in enumerate(texts)
    ]
    return list(read(sources))


def edits(text: str) -> list[Edit]:
    return [edit for sent in load(text) for edit in sent.annotations[0].edits]


def test_uagec_reads_a_document() -> None:
    assert load(GOOD) == [
        Sentence(
            ("Учора", "я", "йшла", "додому"),
            (
                Annotation(
                    "0",
                    (
                        Edit(1, 3, (("ми", "йшли"), ("я", "йшов")), "G/Gender", comment="sure=no"),
                        Edit(4, 4, ((".",),), "P"),
                    ),
                ),
            ),
            "0042-0",
            raw_text("Учора я йшла додому"),
        ),
        Sentence(
            ("Дуже", "Гарно", "там", "!"),
            (Annotation("0", (Edit(0, 1, ((),), "F/Style"), Edit(2, 3, ()))),),
            "0042-1",
            raw_text("Дуже Гарно там!"),
        ),
    ]


def test_uagec_other_details_become_the_comment() -> None:
    [edit] = edits("{a=>b:::x=1:::error_type=T:::just so:::type=U=V} c")
    assert edit == Edit(0, 1, (("b",),), "T", comment="x=1; just so; type=U=V")


def test_uagec_text_without_annotations_has_nothing_to_correct() -> None:
    [sent] = load("Just text.")
    assert sent.annotations == (Annotation("0"),)


def test_uagec_literal_braces_stay_text() -> None:
    text = "A set {1, 2} or {x} and } or { or a=>b {c:::d=>e}"
    [sent] = load(text)
    assert sent.raw == raw_text(text)
    assert sent.annotations == (Annotation("0"),)


def test_uagec_arrow_in_the_source() -> None:
    [sent] = load("{a=>b=>a, b} c")
    assert sent.raw == raw_text("a=>b c")
    assert sent.corrected("0") == ("a", ",", "b", "c")


def test_uagec_suggestion_that_repeats_the_source_is_a_flag() -> None:
    assert edits("I {goed=>goed:::error_type=V} home") == [Edit(1, 2, (), "V")]


def test_uagec_annotation_over_several_lines() -> None:
    [sent] = load("one {two\nthree=>2 3} four")
    assert sent.tokens == ("one", "two", "three", "four")
    assert sent.corrected("0") == ("one", "2", "3", "four")


def test_uagec_escaped_line_ends_are_text() -> None:
    [sent] = load(r"one\n {two=>2}")
    assert sent.raw == raw_text(r"one\n two")


def test_uagec_notes_an_annotation_without_its_end() -> None:
    findings = Findings()
    [first, second] = load("a\nb {c=>d e {f=>g}", findings=findings)
    assert first.raw == raw_text("a")
    assert second.raw == raw_text("b {c=>d e f")
    assert findings.summary() == [
        "dir/0042.a0.ann, line 2: annotation without a closing brace, read as text"
    ]
    assert findings.worst() == "error"


def test_uagec_reads_several_annotators() -> None:
    [sent] = load("I {goed=>went} home", "I {goed home=>walked home}\n\n", "I goed home")
    assert [ann.annotator for ann in sent.annotations] == ["0", "1", "2"]
    assert sent.corrected("0") == ("I", "went", "home")
    assert sent.corrected("1") == ("I", "walked", "home")
    assert sent.corrected("2") == ("I", "goed", "home")


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ("One\nI {go=>went} home", "expected 'ed home' after 'One\\nI go', found ' home'"),
        ("One\nI goed", "expected ' home' after 'One\\nI goed', found ''"),
    ],
)
def test_uagec_refuses_readings_of_different_texts(other: str, difference: str) -> None:
    with pytest.raises(FormatError) as caught:
        load("One\nI {goed=>went} home", other)
    place = "dir/0042.a1.ann, line 2: the text differs from dir/0042.a0.ann"
    assert str(caught.value) == f"{place}: {difference}"


def test_uagec_is_detected(tmp_path: Path) -> None:
    paths = [tmp_path / "7.a1.ann", tmp_path / "7.a2.ann"]
    paths[0].write_text(GOOD)
    paths[1].write_text(GOOD)
    corpus = geceval.load(*paths)
    assert corpus.annotators == ("0", "1")
    assert [sent.id for sent in corpus] == ["7-0", "7-1"]


@pytest.mark.parametrize("head", [GOOD, '{"Слово"=>«Слово»:::error_type=P}', "{=>a}", "a {b=>}"])
def test_uagec_sniff_accepts(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "Plain text with => and {braces}.",
        "{a=>b",
        '{"text": "I {goed=>went}", "edits": []}',
        '["1", "2", ["English"], "x", ["{a=>b}"], [[]]]',
        "<p>{a=>b}</p>",
        "S {a=>b} .\nA 0 1|||T|||b|||REQUIRED|||-NONE-|||0\n",
    ],
)
def test_uagec_sniff_refuses(head: str) -> None:
    assert not sniff(head)


@pytest.mark.parametrize("unit", ["{", "{=>", "=>", "{a=>b}", "{a=>b:::", "}", "{:::"])
def test_uagec_takes_linear_time(unit: str) -> None:
    with finishes():
        load(unit * 30_000)
        sniff(unit * 30_000)
