"""FCE / CLC XML."""

from __future__ import annotations

from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import Findings, Input
from geceval.formats.fce import read, sniff
from geceval.model import Annotation, Edit, Sentence
from geceval.text import raw_text
from guard import finishes

SCRIPT = """<?xml version="1.0" encoding="UTF-8"?>
<learner><head sortkey="AB1*01">
<candidate><language>Klingon</language></candidate>
<text>
<answer1><question_number>1</question_number><coded_answer>
<p>Dear <NS type="RP"><i>sir</i><c>Sir</c></NS>,</p>
<p>I <NS type="TV"><i>writed</i><c>wrote</c></NS> it. We saw <NS type="MD"><c>a </c></NS>cat.</p>
</coded_answer></answer1>
<answer2><coded_answer><p>Bye <NS type="UT"><i>to </i></NS>all.</p></coded_answer></answer2>
</text></head></learner>
"""


def load(text: str, findings: Findings | None = None) -> list[Sentence]:
    return list(read([Input.from_text(text, name="dir/doc7.xml", findings=findings)]))


def reading(text: str) -> tuple[str, tuple[Edit, ...]]:
    [sent] = load(text)
    [ann] = sent.annotations
    assert sent.raw is not None
    return sent.raw.text, ann.edits


def test_fce_reads_a_script() -> None:
    def sentence(text: str, name: str, edit: Edit) -> Sentence:
        raw = raw_text(text)
        tokens = tuple(text[start:end] for start, end in raw.spans)
        return Sentence(tokens, (Annotation("0", (edit,)),), name, raw)

    assert load(SCRIPT) == [
        sentence("Dear sir,", "AB1*01-0-0", Edit(1, 2, (("Sir",),), "RP")),
        sentence("I writed it.", "AB1*01-1-0", Edit(1, 2, (("wrote",),), "TV")),
        sentence("We saw cat.", "AB1*01-1-1", Edit(2, 2, (("a",),), "MD")),
        sentence("Bye to all.", "AB1*01-2-0", Edit(1, 2, ((),), "UT")),
    ]


def test_fce_fragment_is_one_document() -> None:
    [sent] = load('I <ns type="S"><i>lik</i><c>like</c></ns> it')
    assert sent.id == "doc7-0-0"
    assert sent.corrected("0") == ("I", "like", "it")


def test_fce_fragment_of_paragraphs() -> None:
    assert [(sent.id, sent.tokens) for sent in load("<p>One.</p>\n<p>Two.</p>")] == [
        ("doc7-0-0", ("One", ".")),
        ("doc7-1-0", ("Two", ".")),
    ]


def test_fce_answer_without_paragraphs_is_one_document() -> None:
    text = "<learner><head/><coded_answer>One <NS type='X'><i>tow</i><c>two</c></NS></coded_answer>"
    [sent] = load(text + "</learner>")
    assert sent.tokens == ("One", "tow")


def test_fce_several_learners_in_one_file() -> None:
    text = '<learner><head sortkey="A"/><coded_answer><p>One</p></coded_answer></learner>'
    assert [sent.id for sent in load(text + text.replace('"A"', '"B"'))] == ["A-0-0", "B-0-0"]


def test_fce_nested_in_the_source_takes_inner_source_and_outer_correction() -> None:
    findings = Findings()
    text = (
        'to <NS type="RV"><i><NS type="FV"><i>became</i><c>become</c></NS> it</i>'
        "<c>begin</c></NS> now"
    )
    [sent] = load(text, findings)
    assert sent.tokens == ("to", "became", "it", "now")
    assert sent.annotations[0].edits == (Edit(1, 3, (("begin",),), "RV"),)
    assert [(finding.code, finding.severity) for finding in findings] == [("nested", "note")]
    place = "dir/doc7.xml, line 1"
    assert findings.summary() == [f"{place}: nested errors merged into the outer one (1)"]


def test_fce_nested_in_the_correction_takes_the_corrected_side() -> None:
    text = (
        'I <NS type="R"><i>x</i><c>a <NS type="S"><i>b</i><c>B</c></NS> '
        '<NS type="U"><i>c</i></NS><NS type="M"><c>D</c></NS> <NS type="Q">e</NS></c></NS> .'
    )
    assert reading(text) == ("I x .", (Edit(1, 2, (("a", "B", "D", "e"),), "R"),))


def test_fce_deletion_takes_nested_errors_along() -> None:
    text = 'a <NS type="U"><i>b <NS type="M"><c>x</c></NS> <NS type="S"><i>c</i></NS> d</i></NS> e'
    assert reading(text) == ("a b  c d e", (Edit(1, 4, ((),), "U"),))


def test_fce_error_with_neither_side_is_a_flag() -> None:
    assert reading('a <NS type="ID">b c</NS> d') == ("a b c d", (Edit(1, 3, (), "ID"),))


def test_fce_errors_inside_a_flag_are_edits() -> None:
    text = 'a <NS type="ID">b <NS type="S"><i>c</i><c>C</c></NS></NS> d'
    assert reading(text) == ("a b c d", (Edit(1, 3, (), "ID"), Edit(2, 3, (("C",),), "S")))


def test_fce_correction_that_repeats_the_source_is_a_flag() -> None:
    assert reading('a <NS type="X"><i>b</i><c>b</c></NS>') == ("a b", (Edit(1, 2, (), "X"),))


def test_fce_several_corrections_are_alternatives() -> None:
    text = 'a <NS type="X"><i>b</i><c>c</c><c>d</c></NS>'
    assert reading(text) == ("a b", (Edit(1, 2, (("c",), ("d",)), "X"),))


def test_fce_white_space_between_the_sides_is_layout() -> None:
    text = 'a <NS type="X">\n  <i>b</i>\n  <c>c</c>\n</NS> d'
    assert reading(text) == ("a b d", (Edit(1, 2, (("c",),), "X"),))


def test_fce_text_beside_the_sides_is_source() -> None:
    assert reading('a <NS type="X">b<c>c</c></NS>') == ("a b", (Edit(1, 2, (("c",),), "X"),))


def test_fce_other_elements_are_looked_through() -> None:
    text = "a <b>b <NS type='X'><i>c</i><c>d</c></NS></b> &amp; <!-- no --> e"
    assert reading(text) == ("a b c &  e", (Edit(2, 3, (("d",),), "X"),))


def test_fce_notes_text_outside_of_paragraphs() -> None:
    findings = Findings()
    assert len(load("<p>One</p> two <p>Three</p>", findings)) == 2
    assert findings.counts == {"stray-text": 1}
    assert findings.worst() == "error"


def test_fce_respects_the_declared_encoding(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    text = "<?xml version='1.0' encoding='ISO-8859-1'?><p>caf\xe9 <NS type='X'><c>!</c></NS></p>"
    path.write_bytes(text.encode("latin-1"))
    [sent] = geceval.load(path, format="fce")
    assert sent.tokens == ("café",)


def test_fce_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "doc1.xml"
    path.write_text(SCRIPT)
    assert len(geceval.load(path, path)) == 8


@pytest.mark.parametrize(
    "text",
    [
        '<NS type="a">' * 10_000 + "x" + "</NS>" * 10_000,
        '<NS type="a"><i>' * 10_000,
        '<!DOCTYPE p [<!ENTITY a "b">]><p>&a;</p>',
        '<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "b">]><p>&a;</p>',
        "<p>&unknown;</p>",
        "<p>one</q>",
        "</fragment><fragment>",
        "a & b",
        "\x00",
    ],
)
def test_fce_refuses(text: str) -> None:
    with pytest.raises(FormatError, match=r"^dir/doc7\.xml"):
        load(text)


def test_fce_error_names_the_line() -> None:
    with pytest.raises(FormatError, match=r"^dir/doc7\.xml, line 3: "):
        load("<p>one</p>\n<p>two</p>\n<p>three</q>")


@pytest.mark.parametrize("head", [SCRIPT, 'a <NS type="X"><c>b</c></NS>', "<ns type='X'/>"])
def test_fce_sniff_accepts(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "Plain text, 5 < NS and <learners>.",
        "S a <NS> b\nA 0 1|||T|||b|||REQUIRED|||-NONE-|||0\n",
        '{"text": "a", "edits": []}',
        "a {b=>c:::error_type=T}",
        "<HOO><BODY><PART><P>a</P></PART></BODY></HOO>",
        "<edits><edit start='0' end='1'/></edits>",
        '<DOC nid="1"><TEXT><P>a</P></TEXT></DOC>',
        "<scripts><script/></scripts>",
    ],
)
def test_fce_sniff_refuses(head: str) -> None:
    assert not sniff(head)


@pytest.mark.parametrize(
    "text",
    [
        ('<NS type="a"><i>' * 120 + "x" + "</i></NS>" * 120 + " ") * 100,
        '<p>a <NS type="a"><i>b</i><c>c</c></NS></p>' * 10_000,
        'a<NS type="a"><i>b</i><c>c</c></NS> ' * 10_000,
    ],
)
def test_fce_takes_linear_time(text: str) -> None:
    with finishes():
        load(text)
