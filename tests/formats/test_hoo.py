"""HOO 2011/2012 XML."""

from __future__ import annotations

from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import Findings, Input
from geceval.formats.hoo import read, sniff
from geceval.model import Annotation, Edit, Sentence
from geceval.text import raw_text
from guard import finishes

SOURCE = """<?xml version="1.0" encoding="UTF-8"?>
<HOO version="2.1"><HEAD><AGE>30</AGE></HEAD><BODY>
<PART id="1">
<P>I gave it John. He like the tea.</P>
<P>Bye &amp; thanks</P>
</PART>
<PART id="2"><P>We was here.</P></PART>
</BODY></HOO>
"""
# The text of the first part begins with a line end, so that its offsets count from there.
GOLD = """<edits>
  <edit index="0001-0001" file="0001" part="1" start="11" end="11" type="MT">
    <original><empty/></original>
    <corrections>
      <correction>to </correction>
    </corrections>
  </edit>
  <edit index="0001-0002" file="0001" part="1" start="25" end="29" type="UD">
    <original>the </original>
    <corrections><correction><empty/></correction></corrections>
  </edit>
  <edit index="0001-0003" file="0001" part="2" start="3" end="6" type="AV">
    <original>was</original>
    <corrections><correction>were</correction><correction>are</correction></corrections>
  </edit>
</edits>
"""


def load(
    *texts: str, names: tuple[str, ...] = (), findings: Findings | None = None
) -> list[Sentence]:
    names = names or ("dir/0001.xml", "dir/0001GE.xml", "dir/0001XX.xml")
    return list(
        read(
            [
                Input.from_text(text, name=name, findings=findings)
                for text, name in zip(texts, names, strict=False)
            ]
        )
    )


def source(text: str) -> str:
    return f"<HOO><BODY><PART>{text}</PART></BODY></HOO>"


def edit(start: int, end: int, inside: str, more: str = "") -> str:
    return f'<edit start="{start}" end="{end}" type="T" {more}>{inside}</edit>'


def edits(*elements: str) -> str:
    return f"<edits>{''.join(elements)}</edits>"


def correction(*options: str) -> str:
    inside = "".join(f"<correction>{option}</correction>" for option in options)
    return f"<corrections>{inside}</corrections>"


def only_edits(*texts: str, findings: Findings | None = None) -> tuple[Edit, ...]:
    [sent] = load(*texts, findings=findings)
    [ann] = sent.annotations
    return ann.edits


def sentence(text: str, name: str, *readings: tuple[Edit, ...]) -> Sentence:
    raw = raw_text(text)
    tokens = tuple(text[start:end] for start, end in raw.spans)
    annotations = tuple(Annotation(str(i), reading) for i, reading in enumerate(readings))
    return Sentence(tokens, annotations, name, raw)


def test_hoo_reads_source_and_edits() -> None:
    findings = Findings()
    assert load(SOURCE, GOLD, findings=findings) == [
        sentence("I gave it John.", "0001-1-0", (Edit(3, 3, (("to",),), "MT"),)),
        sentence("He like the tea.", "0001-1-1", (Edit(2, 3, ((),), "UD"),)),
        sentence("Bye & thanks", "0001-1-2", ()),
        sentence("We was here.", "0001-2-0", (Edit(1, 2, (("were",), ("are",)), "AV"),)),
    ]
    assert len(findings) == 0


def test_hoo_each_file_of_edits_is_an_annotator() -> None:
    other = edits(edit(0, 2, correction("You"), 'part="2"'))
    *_, sent = load(SOURCE, GOLD, other)
    assert [ann.annotator for ann in sent.annotations] == ["0", "1"]
    assert sent.corrected("0") == ("We", "were", "here", ".")
    assert sent.corrected("1") == ("You", "was", "here", ".")


def test_hoo_file_without_edits_is_an_annotator_with_nothing_to_correct() -> None:
    [sent] = load(source("Fine."), "<edits/>")
    assert sent.annotations == (Annotation("0"),)


def test_hoo_source_alone_has_no_annotations() -> None:
    [sent] = load(source("Fine."))
    assert sent.annotations == ()


def test_hoo_source_without_parts_is_counted_whole() -> None:
    [sent] = load("<HOO>\n<p>I <s>goed</s></p></HOO>", edits(edit(3, 7, correction("went"))))
    assert sent == sentence("I goed", "0001-0", (Edit(1, 2, (("went",),), "T"),))


def test_hoo_missing_corrections_flag() -> None:
    text = edits(edit(2, 6, "<original>goed</original>"), edit(7, 7, "<corrections/>"))
    assert only_edits(source("I goed home"), text) == (Edit(1, 2, (), "T"), Edit(2, 2, (), "T"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("the ", ""), Edit(1, 1, (("the",),), "T", required=False)),
        (("", "the ", "a "), Edit(1, 1, (("the",), ("a",)), "T", required=False)),
        (("",), Edit(1, 1, (), "T", required=False)),
    ],
)
def test_hoo_empty_correction_beside_others_makes_an_edit_optional(
    options: tuple[str, ...], expected: Edit
) -> None:
    assert only_edits(source("I go"), edits(edit(2, 2, correction(*options)))) == (expected,)


def test_hoo_correction_that_repeats_the_source_makes_an_edit_optional() -> None:
    text = edits(edit(2, 4, correction("go", "went")))
    assert only_edits(source("I go"), text) == (Edit(1, 2, (("went",),), "T", required=False),)


def test_hoo_empty_correction_alone_deletes() -> None:
    text = edits(edit(2, 6, correction("")))
    assert only_edits(source("I the go"), text) == (Edit(1, 2, ((),), "T"),)


def test_hoo_deletion_beside_other_alternatives() -> None:
    text = edits(edit(2, 6, correction("a ", "\n <empty/> ")))
    assert only_edits(source("I the go"), text) == (Edit(1, 2, (("a",), ()), "T"),)


def test_hoo_counts_characters_and_plain_line_ends() -> None:
    text = source("é&amp;😀\r\nI goed")
    [_, sent] = load(text, edits(edit(6, 10, correction("went"))))
    assert sent.corrected("0") == ("I", "went")


@pytest.mark.parametrize("span", [(-1, 2), (2, 99), (3, 2)])
def test_hoo_leaves_out_edits_outside_of_the_text(span: tuple[int, int]) -> None:
    findings = Findings()
    assert (
        only_edits(source("I goed"), edits(edit(*span, correction("x"))), findings=findings) == ()
    )
    message = f"ignored the edit {span[0]} {span[1]}, out of range: the text ends at 6"
    assert findings.summary() == [f"dir/0001GE.xml, line 1: {message}"]
    assert findings.worst() == "error"


def test_hoo_leaves_out_edits_of_an_unknown_part() -> None:
    findings = Findings()
    text = edits(edit(0, 1, correction("x"), 'part="9"'))
    assert only_edits(source("I goed"), text, findings=findings) == ()
    assert findings.counts == {"unknown-part": 1}
    assert findings.worst() == "error"


def test_hoo_notes_another_original() -> None:
    findings = Findings()
    inside = "<original>gone </original>" + correction("went")
    assert only_edits(source("I goed"), edits(edit(2, 6, inside)), findings=findings)
    message = "the edit expects 'gone ', but the source has 'goed'"
    assert findings.summary() == [f"dir/0001GE.xml, line 1: {message}"]


def test_hoo_several_sources_with_their_own_edits() -> None:
    texts = (
        source("I goed"),
        source("You goed"),
        edits(edit(2, 6, correction("went"), 'index="0001-0001"')),
        edits(edit(4, 8, correction("went"), 'file="0002.xml"')),
        edits(edit(2, 6, correction("walked"), 'index="0001-0001"')),
        "<edits/>",
    )
    names = ("0001.xml", "0002.xml", "0001A.xml", "0002A.xml", "0001B.xml", "0002B.xml")
    assert load(*texts, names=names) == [
        sentence(
            "I goed",
            "0001-1-0",
            (Edit(1, 2, (("went",),), "T"),),
            (Edit(1, 2, (("walked",),), "T"),),
        ),
        sentence("You goed", "0002-1-0", (Edit(1, 2, (("went",),), "T"),), ()),
    ]


def test_hoo_one_file_of_edits_is_about_all_sources() -> None:
    texts = (source("I goed"), source("Fine"), edits(edit(2, 6, correction("x"), 'file="1"')))
    one, two = load(*texts, names=("1.xml", "2.xml", "gold.xml"))
    assert one.corrected("0") == ("I", "x")
    assert two.corrected("0") == ("Fine",)


INLINE = (
    "<HOO><p>I <edit type='V'>goed<corrections><correction>went</correction>"
    "<correction>walked</correction></corrections></edit> to "
    "<edit type='D'><empty/><corrections><correction>the </correction><correction/></corrections>"
    "</edit>town. <edit type='U'>The <corrections><correction><empty/></correction></corrections>"
    "</edit>Bob <edit type='Q'>saying</edit>.</p></HOO>"
)


def test_hoo_reads_edits_inside_the_text() -> None:
    assert load(INLINE) == [
        sentence(
            "I goed to town.",
            "0001-0",
            (
                Edit(1, 2, (("went",), ("walked",)), "V"),
                Edit(3, 3, (("the",),), "D", required=False),
            ),
        ),
        sentence("The Bob saying.", "0001-1", (Edit(0, 1, ((),), "U"), Edit(2, 3, (), "Q"))),
    ]


def test_hoo_reads_several_files_with_edits_inside() -> None:
    sentences = load(INLINE, "<HOO>Fine.</HOO>", names=("a.xml", "b.xml"))
    assert [(sent.id, len(sent.annotations[0].edits)) for sent in sentences] == [
        ("a-0", 2),
        ("a-1", 2),
        ("b-0", 0),
    ]


def test_hoo_notes_edits_inside_edits() -> None:
    findings = Findings()
    inner = f"<edit type='A'>b{correction('c')}</edit>"
    text = f"<HOO>a <edit type='B'>x {inner}{correction('y')}</edit></HOO>"
    [sent] = load(text, findings=findings)
    assert sent.tokens == ("a", "x", "b")
    assert sent.corrected("0") == ("a", "y")
    assert findings.counts == {"nested": 1}
    assert findings.worst() == "error"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((GOLD,), "0001.xml: contains only edits; give their source file"),
        ((INLINE, GOLD), "0001.xml: has inline edits"),
        ((SOURCE, edits(edit(0, 1, ""))), "line 1: expected an edit with a part"),
        (
            (source("a"), edits('<edit end="1"/>')),
            "line 1: expected an edit with start as a number, found ''",
        ),
        (
            (source("a"), edits('<edit start="0" end="1_0"/>')),
            "line 1: expected an edit with end as a number, found '1_0'",
        ),
        ((source("a") * 2,), "line 1: not well-formed XML"),
        (("",), "not well-formed XML"),
        (("plain",), "line 1: not well-formed XML"),
        (("<a>" * 10_000,), "line 1: not well-formed XML"),
        (('<!DOCTYPE HOO [<!ENTITY a "b">]><HOO>&a;</HOO>',), "document type"),
        (("<HOO><PART id='1'/><PART id='1'/></HOO>",), "line 1: duplicate <PART> id '1'"),
    ],
)
def test_hoo_refuses(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(*texts)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("last", "message"),
    [
        (edits(edit(0, 1, "", 'file="3"')), "an edit of the file '3', which is not among"),
        ("<edits/>", "has no edits, and its name matches none of the sources 1, 2"),
    ],
)
def test_hoo_refuses_edits_of_no_source(last: str, message: str) -> None:
    texts = (source("a"), source("b"), edits(edit(0, 1, "", 'file="1"')), last)
    with pytest.raises(FormatError) as caught:
        load(*texts, names=("1.xml", "2.xml", "1A.xml", "X.xml"))
    assert message in str(caught.value)


def test_hoo_refuses_two_sources_of_one_name() -> None:
    with pytest.raises(FormatError, match=r"^b/1\.xml: duplicate source file name '1'$"):
        load(source("a"), source("b"), names=("a/1.xml", "b/1.xml"))


def test_hoo_is_detected(tmp_path: Path) -> None:
    paths = [tmp_path / "0001.xml", tmp_path / "0001GE.xml"]
    paths[0].write_text(SOURCE)
    paths[1].write_text(GOLD)
    corpus = geceval.load(*paths)
    assert corpus.annotators == ("0",)
    assert corpus.statistics().edits == 3


@pytest.mark.parametrize("head", [SOURCE, GOLD, INLINE, "<edits/>", '<doc><edit type="X">a</edit>'])
def test_hoo_sniff_accepts(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "Plain text on <edits> and <HOO>.",
        "S <HOO> b\nA 0 1|||T|||b|||REQUIRED|||-NONE-|||0\n",
        '{"text": "<edit >", "edits": []}',
        "a {<edit >=>c:::error_type=T}",
        '<learner><head><p>a <NS type="X"><i>b</i></NS></p></head></learner>',
        '<DOC nid="1"><TEXT><P>a</P></TEXT></DOC>',
        "<scripts><script/></scripts>",
    ],
)
def test_hoo_sniff_refuses(head: str) -> None:
    assert not sniff(head)


@pytest.mark.parametrize("unit", [edit(0, 1, correction("b")), edit(0, 0, correction("b "))])
def test_hoo_takes_linear_time(unit: str) -> None:
    with finishes():
        load(source("a b. " * 10_000), edits(unit * 10_000))
