"""I-measure XML."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from lxml import etree

import geceval
from geceval.errors import FormatError, GecevalError
from geceval.formats import Findings, Input, get_format, load
from geceval.formats.findings import Finding
from geceval.formats.ixml import read, sniff, write
from geceval.model import Annotation, Edit, Sentence, Tokens
from geceval.references.corrections import own_references
from geceval.references.mixed import mixed_references
from guard import finishes
from oracles import imeasure as oracle

MACHINES = """<?xml version='1.0' encoding='UTF-8'?>
<scripts><script id="1"><sentence id="4" numann="3">
  <text>This machines is old .</text>
  <error-list>
    <error id="1" req="yes" type="SVA">
      <alt ann="0"><c start="0" end="1">These</c><c start="2" end="3">are</c></alt>
      <alt ann="1"><c start="1" end="2">machine</c></alt>
    </error>
    <error id="2" req="no" type="Adj"><alt ann="1"><c start="3" end="4"/></alt></error>
  </error-list>
</sentence></script></scripts>
"""


def parse(text: str) -> tuple[list[Sentence], list[Finding]]:
    findings = Findings()
    return list(read([Input.from_text(text, name="f.xml", findings=findings)])), list(findings)


def sentence(errors: str, *, text: str = "a b c", attributes: str = 'numann="1"') -> str:
    return (
        f'<scripts><script id="1"><sentence id="1" {attributes}><text>{text}</text>'
        f"<error-list>{errors}</error-list></sentence></script></scripts>"
    )


def error(*alternatives: str, attributes: str = 'id="1" type="T"') -> str:
    return f"<error {attributes}>{''.join(alternatives)}</error>"


def alt(*corrections: tuple[int, int, str], ann: str = "0") -> str:
    inner = "".join(f'<c start="{start}" end="{end}">{new}</c>' for start, end, new in corrections)
    return f'<alt ann="{ann}">{inner}</alt>'


def readings(text: str) -> tuple[Annotation, ...]:
    [sent], findings = parse(text)
    assert findings == []
    return sent.annotations


def doubled(text: str) -> tuple[Annotation, ...]:
    """Read a second alternative of one annotator, which is told."""
    [sent], findings = parse(text)
    assert [(finding.code, finding.severity) for finding in findings] == [
        ("duplicate-alt", "warning")
    ]
    return sent.annotations


def error_of(text: str) -> str:
    with pytest.raises(FormatError) as caught:
        parse(text)
    return str(caught.value)


def written(*sents: Sentence) -> str:
    out = io.StringIO()
    write(sents, [out])
    return out.getvalue()


def test_ixml_reads_errors_as_groups() -> None:
    [sent], findings = parse(MACHINES)
    assert findings == []
    assert sent == Sentence(
        ("This", "machines", "is", "old", "."),
        (
            Annotation(
                "0",
                (
                    Edit(0, 1, (("These",),), "SVA", group="1"),
                    Edit(2, 3, (("are",),), "SVA", group="1"),
                ),
            ),
            Annotation(
                "1",
                (
                    Edit(1, 2, (("machine",),), "SVA", group="1"),
                    Edit(3, 4, ((),), "Adj", required=False, group="2"),
                ),
            ),
            Annotation("2"),
        ),
        id="1-4",
    )


def test_ixml_numann_fills_with_free_numbers() -> None:
    text = sentence(error(alt((0, 1, "x"), ann="1")), attributes='numann="3"')
    assert [ann.annotator for ann in readings(text)] == ["0", "1", "2"]


def test_ixml_without_numann_has_those_who_correct() -> None:
    text = sentence(error(alt((0, 1, "x"), ann="1")), attributes="")
    assert [ann.annotator for ann in readings(text)] == ["1"]


def test_ixml_too_small_numann_is_noted() -> None:
    errors = error(alt((0, 1, "x"), ann="0"), alt((0, 1, "y"), ann="1"))
    _, findings = parse(sentence(errors))
    assert [(finding.code, finding.message) for finding in findings] == [
        ("numann", "numann=1 but the sentence has 2 annotators")
    ]


def test_ixml_impossible_numann_is_refused() -> None:
    assert error_of(sentence("", attributes='numann="99999999"')) == (
        "f.xml, line 1: numann=99999999 is implausible"
    )


def test_ixml_annotators_may_be_named() -> None:
    text = sentence("", attributes='numann="2" annotators="b 7"')
    assert readings(text) == (Annotation("7"), Annotation("b"))


def test_ixml_second_alt_of_one_annotator_is_an_alternative() -> None:
    text = sentence(error(alt((0, 1, "x"), (1, 2, "y")), alt((0, 1, "z"), (1, 2, "y"))))
    [ann] = doubled(text)
    assert ann.edits == (
        Edit(0, 1, (("x",), ("z",)), "T", group="1"),
        Edit(1, 2, (("y",),), "T", group="1"),
    )


def test_ixml_second_alt_may_leave_the_source() -> None:
    [ann] = doubled(sentence(error(alt((0, 1, "x")), alt((0, 1, "a")))))
    assert ann.edits == (Edit(0, 1, (("x",), ("a",)), "T", group="1"),)


def test_ixml_second_alt_with_other_spans_is_ignored_and_told() -> None:
    [sent], findings = parse(sentence(error(alt((0, 1, "x")), alt((1, 2, "y")))))
    assert sent.annotations[0].edits == (Edit(0, 1, (("x",),), "T", group="1"),)
    assert [(finding.code, finding.severity) for finding in findings] == [
        ("duplicate-alt", "error")
    ]


def test_ixml_correction_that_repeats_the_source_is_a_flag() -> None:
    [ann] = readings(sentence(error(alt((0, 2, "a b")))))
    assert ann.edits == (Edit(0, 2, (), "T", group="1"),)


def test_ixml_type_of_one_correction() -> None:
    text = sentence(error('<alt ann="0"><c start="0" end="1" type="U">x</c></alt>'))
    assert readings(text)[0].edits == (Edit(0, 1, (("x",),), "U", group="1"),)


def test_ixml_errors_without_a_number_get_their_place() -> None:
    errors = error(alt((0, 1, "x")), attributes="") + error(alt((2, 3, "y")), attributes="")
    assert readings(sentence(errors))[0].edits == (
        Edit(0, 1, (("x",),), group="1"),
        Edit(2, 3, (("y",),), group="2"),
    )


def test_ixml_edits_are_put_in_order_and_those_at_one_place_keep_theirs() -> None:
    errors = error(alt((2, 2, "x"), (2, 2, "y"))) + error(alt((0, 1, "z")), attributes='id="2"')
    [ann] = readings(sentence(errors))
    assert [edit.correction for edit in ann.edits] == [("z",), ("x",), ("y",)]


def test_ixml_edit_past_the_end_is_told() -> None:
    _, findings = parse(sentence(error(alt((2, 5, "x")))))
    assert [str(finding) for finding in findings] == [
        "f.xml, line 1: the edit 2 5 is out of range: the sentence ends at 3"
    ]


def test_ixml_text_inside_other_elements_is_not_lost() -> None:
    [sent], _ = parse(sentence("", text="a <i>b</i> c<!-- no --> d"))
    assert sent.tokens == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<script/>", "f.xml, line 1: expected <scripts>, found 'script'"),
        (
            "<scripts>\n<script><sentence/></script></scripts>",
            "f.xml, line 2: a <sentence> needs a <text>",
        ),
        (
            sentence(error('<alt><c start="x" end="1"/></alt>')),
            "f.xml, line 1: expected a whole number as start=, found 'x'",
        ),
        (
            sentence(error("<alt><c/></alt>")),
            "f.xml, line 1: expected a whole number as start=, found ''",
        ),
        (
            sentence(error(alt((2, 1, "x")))),
            "f.xml, line 1: a span needs 0 <= start <= end, found 2 1",
        ),
        (
            sentence("", attributes='numann="many"'),
            "f.xml, line 1: expected a whole number as numann=, found 'many'",
        ),
    ],
)
def test_ixml_faults_are_told(text: str, message: str) -> None:
    assert error_of(text) == message


@pytest.mark.parametrize(
    "text", ["", "<scripts>", "<scripts>&none;</scripts>", "<scripts>\x00", "x"]
)
def test_ixml_broken_xml_is_told(text: str) -> None:
    assert ": not well-formed XML: " in error_of(text)


# Entities ------------------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(9))


@pytest.mark.parametrize(
    "body",
    [
        sentence("", text="&l9;"),
        sentence("").replace('id="1"', 'id="&l9;"'),
        sentence(""),
    ],
)
def test_ixml_laughs_at_no_entity(body: str) -> None:
    with finishes():
        message = error_of(f'<!DOCTYPE scripts [<!ENTITY l0 "ha">{LAUGHS}]>{body}')
        assert message.startswith("f.xml")


def test_ixml_entities_never_read_files(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    text = f'<!DOCTYPE scripts [<!ENTITY e SYSTEM "file://{tmp_path}/secret">]>'
    assert error_of(text + sentence("", text="&e;")) == (
        "f.xml: a document type declaration is not allowed"
    )


@pytest.mark.parametrize(
    "declaration",
    [
        "<!DOCTYPE scripts>",
        '<!DOCTYPE scripts SYSTEM "http://localhost:9/scripts.dtd">',
        '<!DOCTYPE scripts [<!ENTITY % p SYSTEM "http://localhost:9/p"> %p;]>',
    ],
)
def test_ixml_document_types_are_refused(declaration: str) -> None:
    assert "f.xml" in error_of(declaration + sentence(""))


def test_ixml_declared_encoding_holds(tmp_path: Path) -> None:
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>' + sentence("", text="naïve")
    (tmp_path / "f.xml").write_bytes(declared.encode("latin-1"))
    assert load(tmp_path / "f.xml").sources == (("naïve",),)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_ixml_named_encoding_holds(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "f.xml").write_bytes(sentence("", text="naïve").encode(encoding))
    assert load(tmp_path / "f.xml", encoding=encoding).sources == (("naïve",),)


# Writing -----------------------------------------------------------------------------------


def test_ixml_writes() -> None:
    sents, _ = parse(MACHINES)
    assert written(*sents) == (
        "<?xml version='1.0' encoding='UTF-8'?>\n<scripts>\n"
        '<script id="1">\n<sentence id="4" numann="3">\n<text>This machines is old .</text>\n'
        '<error-list><error id="1" req="yes" type="SVA">\n'
        '<alt ann="0"><c start="0" end="1">These</c><c start="2" end="3">are</c></alt>\n'
        '<alt ann="1"><c start="1" end="2">machine</c></alt></error>\n'
        '<error id="2" req="no" type="Adj">\n'
        '<alt ann="1"><c start="3" end="4"></c></alt></error>\n'
        "</error-list>\n</sentence></script>\n</scripts>\n"
    )


def test_ixml_writes_nothing() -> None:
    assert written() == "<?xml version='1.0' encoding='UTF-8'?>\n<scripts>\n</scripts>\n"
    assert parse(written()) == ([], [])


def test_ixml_escapes() -> None:
    edit = Edit(0, 1, (("<&>",),), "\"'<&\n", group="1")
    sent = Sentence(("</text>", "&amp;"), (Annotation("0", (edit,)),), id="1-1")
    assert parse(written(sent)) == ([sent], [])


def test_ixml_names_annotators_that_the_number_does_not_tell() -> None:
    sent = Sentence(("a",), (Annotation("1"), Annotation("b")), id="1-1")
    assert 'numann="2" annotators="1 b">' in written(sent)
    assert parse(written(sent)) == ([sent], [])


def test_ixml_cannot_name_annotators_with_spaces() -> None:
    with pytest.raises(
        GecevalError, match=r"^I-measure XML cannot represent annotator names with spaces"
    ):
        written(Sentence(("a",), (Annotation("b c"),)))


def test_ixml_groups_what_has_no_group() -> None:
    sent = Sentence(
        ("a", "b"),
        (
            Annotation("0", (Edit(0, 1, (("x",), ("y",)), "T"),)),
            Annotation("1", (Edit(0, 2, ((),), "U"), Edit(2, 2, (("z",),), "V"))),
        ),
    )
    [again], findings = parse(written(sent))
    assert (again.id, findings) == ("1-1", [])
    assert again.annotations == (
        Annotation("0", (Edit(0, 1, (("x",), ("y",)), "T", group="1"),)),
        Annotation(
            "1",
            (
                Edit(0, 2, ((),), "U", group="1"),
                Edit(2, 2, (("z",),), "V", required=False, group="2"),
            ),
        ),
    )


def test_ixml_refuses_what_xml_cannot_hold() -> None:
    with pytest.raises(GecevalError) as caught:
        written(Sentence(("a\x00b",)))
    assert str(caught.value) == "XML cannot represent the character '\\x00' in 'a\\x00b'"


def test_ixml_scripts_of_documents_follow_one_another() -> None:
    sents = [Sentence(("a",), (Annotation("0"),), id=name) for name in ("7-0", "7-1", "8-x-0")]
    assert parse(written(*sents)) == (sents, [])


@pytest.mark.parametrize("head", [MACHINES, "<scripts>", "\n<scripts/>"])
def test_ixml_sniff_accepts(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize("head", ["", "a text on <scripts>", "<scriptsy>", "<edits/>"])
def test_ixml_sniff_refuses(head: str) -> None:
    assert not sniff(head)


def test_ixml_published_files_come_back(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "conll14" / "gold" / "official-2014.combined.ieval.xml"
    corpus = geceval.load(path, findings=Findings())
    geceval.save(corpus, tmp_path / "again.xml")
    assert load(tmp_path / "again.xml", name=corpus.name, findings=Findings()) == corpus


# What the original tool reads, by its description: in an error each <alt> is an alternative, and
# without mixing an annotator's reference has all of that annotator's corrections.

ALTERNATIVES = """S He go to sea and see fish .
A 1 2|||SVA|||goes||went||has gone|||REQUIRED|||-NONE-|||0
A 3 3|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0
A 1 2|||Vt|||went||goes|||REQUIRED|||-NONE-|||1
A 5 6|||SVA|||sees||-NONE-|||REQUIRED|||-NONE-|||1
A 6 7|||Nn||||||REQUIRED|||-NONE-|||1
"""


def original_references(xml: str, *, mix: bool) -> set[Tokens]:
    """Return the references of the only sentence as the original tool makes them."""
    element = etree.fromstring(xml.encode()).find("script/sentence")
    assert element is not None
    source = element.findtext("text", "").split()

    def corrections(alternative: etree._Element) -> list[tuple[int, int, Tokens]]:
        return [
            (int(one.get("start", "")), int(one.get("end", "")), tuple((one.text or "").split()))
            for one in alternative.iterfind("c")
        ]

    if mix:
        ways = [
            [
                *([] if error.get("req") == "yes" else [[]]),
                *map(corrections, error.iterfind("alt")),
            ]
            for error in element.iterfind("error-list/error")
        ]
        return oracle.references(source, ways)
    own: dict[str, list[tuple[int, int, Tokens]]] = {}
    for alternative in element.iterfind("error-list/error/alt"):
        own.setdefault(alternative.get("ann", ""), []).extend(corrections(alternative))
    return {oracle.corrected(source, oracle.joined(edits)) for edits in own.values()}


def test_ixml_alternatives_are_to_the_original_tool_what_they_are_to_us() -> None:
    [sent] = get_format("m2").read([Input.from_text(ALTERNATIVES)])
    out = io.StringIO()
    write([sent], [out])
    assert out.getvalue().count("<alt") == 5
    assert original_references(out.getvalue(), mix=True) == set(mixed_references(sent))
    assert original_references(out.getvalue(), mix=False) == set(own_references(sent).values())
    [again], findings = parse(out.getvalue())
    assert findings == []
    kept = [[edit.corrections for edit in ann.edits] for ann in again.annotations]
    assert kept == [[edit.corrections for edit in ann.edits] for ann in sent.annotations]
    assert kept[0][0] == (("goes",), ("went",), ("has", "gone"))
    assert kept[1][1] == (("sees",), ())


@pytest.mark.parametrize("option", [("|", "||"), ("a|", "|b"), ("&", "<>", '"'), ()])
def test_ixml_alternatives_may_hold_anything(option: Tokens) -> None:
    edit = Edit(0, 1, (("x",), option, ("y", "z")), "T")
    out = io.StringIO()
    write([Sentence(("a",), (Annotation("0", (edit,)),))], [out])
    [sent], _ = parse(out.getvalue())
    assert sent.annotations[0].edits[0].corrections == edit.corrections
