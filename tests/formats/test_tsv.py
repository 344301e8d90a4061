"""Tab-separated text."""

from __future__ import annotations

import io

import pytest

from geceval.errors import FormatError, GecevalError
from geceval.formats import Findings, Input
from geceval.formats.findings import Finding
from geceval.formats.tsv import NO_ERROR, read, sniff, write
from geceval.model import Annotation, Edit, Sentence


def parse(*texts: str) -> tuple[list[Sentence], list[Finding]]:
    findings = Findings()
    inputs = [Input.from_text(text, name="f.tsv", findings=findings) for text in texts]
    return list(read(inputs)), list(findings)


def sentences(*texts: str) -> list[Sentence]:
    sents, findings = parse(*texts)
    assert findings == []
    return sents


def written(*sents: Sentence) -> str:
    out = io.StringIO()
    write(sents, [out])
    return out.getvalue()


def test_tsv_columns_are_annotators() -> None:
    assert sentences("oral test~\toral test ~\tan oral test~\n") == [
        Sentence(
            ("oral", "test~"),
            (
                Annotation("0", (Edit(1, 2, (("test", "~"),), "R"),)),
                Annotation("1", (Edit(0, 0, (("an",),), "M"),)),
            ),
        )
    ]


def test_tsv_numbers_in_the_first_column_are_names() -> None:
    """MuCGEC writes a number, a source and as many references as there are."""
    assert sentences(f"7\t这 是\t这 是 。\n8\t好\t{NO_ERROR}\t很 好\n") == [
        Sentence(("这", "是"), (Annotation("0", (Edit(2, 2, (("。",),), "M"),)),), id="7"),
        Sentence(
            ("好",), (Annotation("0"), Annotation("1", (Edit(0, 0, (("很",),), "M"),))), id="8"
        ),
    ]


def test_tsv_number_and_one_more_column_is_source_and_target() -> None:
    assert sentences("7\tseven\n") == [
        Sentence(("7",), (Annotation("0", (Edit(0, 1, (("seven",),), "R"),)),))
    ]


def test_tsv_empty_cell_is_no_reference() -> None:
    sents, findings = parse("a b\t\ta c\n")
    assert sents == [Sentence(("a", "b"), (Annotation("1", (Edit(1, 2, (("c",),), "R"),)),))]
    message = "empty cell: a missing reference, or an empty output"
    assert findings == [Finding("empty-cell", message, "warning", "f.tsv", 1)]


def test_tsv_empty_source() -> None:
    assert sentences("\tx\n\n") == [
        Sentence((), (Annotation("0", (Edit(0, 0, (("x",),), "M"),)),)),
        Sentence(()),
    ]


def test_tsv_crlf_and_stray_spaces() -> None:
    sents, findings = parse("a b \t a  b\r\n")
    assert sents == [Sentence(("a", "b"), (Annotation("0"),))]
    assert [finding.code for finding in findings] == ["crlf"]


def test_tsv_files_follow_one_another() -> None:
    assert sentences("a\tb\n", "a\tb\n") == sentences("a\tb\na\tb\n")


def test_tsv_number_alone_is_refused() -> None:
    with pytest.raises(FormatError) as caught:
        parse("1\ta\tb\n2\ta\tb\n" * 40 + "3\n")
    assert str(caught.value) == "f.tsv, line 81: expected a number, a source and references"


@pytest.mark.parametrize(
    "head", ["a\tb", "a\tb\tc\nd\te\tf\n", "1\ta\tb\n2\ta\tb\tc\n", "a\tb\nhalf"]
)
def test_tsv_sniff_accepts(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize(
    "head", ["", "\n", "a b\n", "a\tb\nc\n", "a\tb\nc\td\te\n", "1\ta\n2\ta\tb\n"]
)
def test_tsv_sniff_refuses(head: str) -> None:
    assert not sniff(head)


def test_tsv_writes_annotators_in_order_and_the_absent_empty() -> None:
    sents = (
        Sentence(("a", "b"), (Annotation("10", (Edit(0, 1, (("x",),)),)), Annotation("2"))),
        Sentence(("c",), (Annotation("10"),)),
    )
    assert written(*sents) == "a b\ta b\tx b\nc\t\tc\n"


def test_tsv_writes_names_that_are_numbers() -> None:
    text = "7\ta b\ta b\n9\tc\td\n"
    assert written(*sentences(text)) == text


def test_tsv_writes_numbers_where_sources_look_like_them() -> None:
    sent = Sentence(("7",), (Annotation("0"), Annotation("1")))
    assert written(sent, sent) == "1\t7\t7\t7\n2\t7\t7\t7\n"
    assert [again.tokens for again in sentences(written(sent, sent))] == [("7",), ("7",)]


def test_tsv_cannot_hold_empty_references() -> None:
    with pytest.raises(GecevalError) as caught:
        written(Sentence(("a",), (Annotation("0", (Edit(0, 1, ((),)),)),)))
    assert str(caught.value) == (
        "TSV cannot represent an empty reference: an empty cell means a missing one (source: 'a')"
    )


def test_tsv_cannot_hold_the_mark_for_no_error() -> None:
    with pytest.raises(GecevalError, match=r"^TSV cannot represent the reference '没有错误'"):
        written(Sentence((NO_ERROR,), (Annotation("0"),)))
