"""M2: every quirk of its many writers."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError, GecevalError
from geceval.formats import Findings, Input, detect
from geceval.formats.findings import Finding
from geceval.formats.m2 import read, read_characters, sniff, write, write_characters
from geceval.model import Annotation, Edit, RawText, Sentence, apply_edits
from geceval.text import raw_text
from guard import finishes

EXPECTED = "expected 'A START END|||TYPE|||CORRECTION|||REQUIRED|||COMMENT|||ANNOTATOR'"


def parse(text: str, *, characters: bool = False) -> tuple[list[Sentence], list[Finding]]:
    findings = Findings()
    source = Input.from_text(text, name="f.m2", findings=findings)
    reader = read_characters if characters else read
    return list(reader([source])), list(findings)


def sentences(text: str) -> list[Sentence]:
    sents, findings = parse(text)
    assert findings == []
    return sents


def readings(*lines: str, source: str = "a b c") -> tuple[Annotation, ...]:
    [sent] = sentences("\n".join((f"S {source}", *(f"A {line}" for line in lines))))
    return sent.annotations


def error_of(text: str, *, characters: bool = False) -> str:
    with pytest.raises(FormatError) as caught:
        parse(text, characters=characters)
    return str(caught.value)


def written(*sents: Sentence, characters: bool = False) -> str:
    out = io.StringIO()
    (write_characters if characters else write)(sents, [out])
    return out.getvalue()


def line(span: str, kind: str = "T", correction: str = "x", annotator: str = "0") -> str:
    return f"{span}|||{kind}|||{correction}|||REQUIRED|||-NONE-|||{annotator}"


def test_m2_reads_blocks() -> None:
    text = (
        "S The cat sat at mat .\n"
        "A 3 4|||Prep|||on|||REQUIRED|||-NONE-|||0\n"
        "A 4 4|||ArtOrDet|||the||a|||-NONE-|||which one?|||1\n"
        "\n"
        "S Good .\n"
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    )
    assert sentences(text) == [
        Sentence(
            ("The", "cat", "sat", "at", "mat", "."),
            (
                Annotation("0", (Edit(3, 4, (("on",),), "Prep"),)),
                Annotation(
                    "1",
                    (
                        Edit(
                            4, 4, (("the",), ("a",)), "ArtOrDet", required=False,
                            comment="which one?",
                        ),
                    ),
                ),
            ),
        ),
        Sentence(("Good", "."), (Annotation("0"),)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "noop",
    [
        "-1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1",
        "-1 -1|||noop|||-NONE-|||-NONE-|||-NONE-|||1",
        "-1 -1|||noop||||||-NONE-|||-NONE-|||1",
        "0 0|||noop|||-NONE-|||REQUIRED|||-NONE-|||1",
        "-1 -1|||R:DET|||the|||REQUIRED|||-NONE-|||1",
    ],
)
def test_m2_noop_is_an_annotator_without_edits(noop: str) -> None:
    assert readings(noop) == (Annotation("1"),)


def test_m2_noop_beside_edits_adds_nothing() -> None:
    noop = "-1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
    assert readings(noop, line("0 1")) == (Annotation("0", (Edit(0, 1, (("x",),), "T"),)),)


def test_m2_bare_block_is_one_content_annotator() -> None:
    sents, findings = parse("S a b\n\nS c\n")
    assert sents == [Sentence(("a", "b"), (Annotation("0"),)), Sentence(("c",), (Annotation("0"),))]
    message = "no 'A ' line, read as one annotator with nothing to correct"
    assert findings == [
        Finding("no-annotation", message, "note", "f.m2", 1),
        Finding("no-annotation", message, "note", "f.m2", 3),
    ]


def test_m2_missing_annotator_is_absent() -> None:
    text = f"S a\nA {line('0 1')}\nA {line('0 1', annotator='1')}\n\nS b\nA {line('0 1')}\n"
    corpus = geceval.Corpus(tuple(sentences(text)))
    assert corpus.references() == {"0": [("x",), ("x",)], "1": [("x",), None]}
    assert corpus.references(missing="noop") == {"0": [("x",), ("x",)], "1": [("x",), ("b",)]}


@pytest.mark.parametrize("correction", ["", "-NONE-", " ", " -NONE- "])
def test_m2_deletions(correction: str) -> None:
    [ann] = readings(line("1 2", correction=correction))
    assert ann.edits == (Edit(1, 2, ((),), "T"),)


def test_m2_alternatives() -> None:
    [ann] = readings(line("1 2", correction="the||a||-NONE-||x y"))
    assert ann.edits == (Edit(1, 2, (("the",), ("a",), (), ("x", "y")), "T"),)


def test_m2_alternative_that_is_the_source_stays() -> None:
    [ann] = readings(line("1 2", correction="B||b"))
    assert ann.edits == (Edit(1, 2, (("B",), ("b",)), "T"),)


def test_m2_unk_flags_and_is_not_applied() -> None:
    [sent] = sentences(f"S a b c\nA {line('1 2', 'UNK', 'b')}\nA {line('2 3', 'UNK', 'x')}\n")
    assert sent.annotations[0].edits == (Edit(1, 2, (), "UNK"), Edit(2, 3, (("x",),), "UNK"))
    assert sent.corrected("0") == sent.tokens


def test_m2_um_keeps_its_type_and_is_not_applied() -> None:
    [sent] = sentences(f"S a b c\nA {line('1 2', 'Um', 'x')}\n")
    assert sent.annotations[0].edits == (Edit(1, 2, (("x",),), "Um"),)
    assert sent.corrected("0") == sent.tokens


def test_m2_correction_that_repeats_the_source_is_a_flag() -> None:
    [ann] = readings(line("0 2", "R:OTHER", "a b"))
    assert ann.edits == (Edit(0, 2, (), "R:OTHER"),)


@pytest.mark.parametrize(
    ("field", "required"), [("REQUIRED", True), ("-NONE-", False), ("", False)]
)
def test_m2_required_field(field: str, required: bool) -> None:
    [ann] = readings(f"0 1|||T|||x|||{field}|||-NONE-|||0")
    assert ann.edits == (Edit(0, 1, (("x",),), "T", required=required),)


def test_m2_crlf() -> None:
    text = f"S a b c\nA {line('0 1')}\n\nS d\nA {line('0 1')}\n"
    sents, findings = parse(text.replace("\n", "\r\n"))
    assert sents == sentences(text)
    assert [finding.code for finding in findings] == ["crlf"]


def test_m2_byte_order_mark() -> None:
    sents, findings = parse(f"\ufeffS a\nA {line('0 1')}\n")
    assert sents == [Sentence(("a",), (Annotation("0", (Edit(0, 1, (("x",),), "T"),)),))]
    assert [finding.code for finding in findings] == ["bom"]


def test_m2_duplicates_are_kept() -> None:
    [ann] = readings(line("1 1"), line("1 1"), line("1 2"), line("1 2"))
    insert, change = Edit(1, 1, (("x",),), "T"), Edit(1, 2, (("x",),), "T")
    assert ann.edits == (insert, insert, change, change)


def test_m2_insertions_at_one_place_keep_the_order_of_the_file() -> None:
    [ann] = readings(line("2 2", correction="very"), line("2 2", correction="really"))
    assert apply_edits(("a", "b", "c"), ann.edits) == ("a", "b", "very", "really", "c")


@pytest.mark.parametrize("span", ["13 13", "2 4", "4 4"])
def test_m2_edits_past_the_end_are_told_and_not_applied(span: str) -> None:
    [sent], findings = parse(f"S a b c\nA {line('0 1')}\nA {line(span)}\n")
    assert [finding.severity for finding in findings] == ["error"]
    assert [str(finding) for finding in findings] == [
        f"f.m2, line 3: the edit {span} is out of range: the sentence ends at 3"
    ]
    assert len(sent.annotations[0].edits) == 2
    assert sent.corrected("0") == ("x", "b", "c")


def test_m2_edits_past_the_end_are_told_for_each_annotator() -> None:
    _, findings = parse(f"S a\nA {line('2 2')}\nA {line('2 2', annotator='1')}\n")
    assert [(finding.code, finding.line) for finding in findings] == [
        ("out-of-range", 2),
        ("out-of-range", 3),
    ]


@pytest.mark.parametrize("kind", ["ArtOrDet", "R:DET", "G/Case", "#Rp#", "any thing", "没", ""])
def test_m2_any_type(kind: str) -> None:
    [ann] = readings(line("0 1", kind))
    assert ann.edits == (Edit(0, 1, (("x",),), kind),)


def test_m2_type_none_is_no_type() -> None:
    [ann] = readings(line("0 1", "-NONE-"))
    assert ann.edits == (Edit(0, 1, (("x",),), ""),)


def test_m2_document_header_rows_are_sentences() -> None:
    noops = "".join(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{i}\n" for i in range(2))
    assert sentences(f"S # 0002\n{noops}\nS a\n{noops}") == [
        Sentence(("#", "0002"), (Annotation("0"), Annotation("1"))),
        Sentence(("a",), (Annotation("0"), Annotation("1"))),
    ]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x1e"])
def test_m2_unicode_line_breaks_end_no_line(separator: str) -> None:
    [sent], findings = parse(f"S a{separator}b\nA {line('1 2')}\n")
    assert sent == Sentence(("a", "b"), (Annotation("0", (Edit(1, 2, (("x",),), "T"),)),))
    assert [finding.code for finding in findings] == ["unicode-space"]


def test_m2_spaced_characters_are_tokens() -> None:
    """ChERRANT writes Chinese with a space between units."""
    text = "S 我 去 了 学 校\nA 1 2|||S|||到|||REQUIRED|||-NONE-|||0\n"
    assert detect(Input.from_text(text)).name == "m2"
    [sent] = sentences(text)
    assert sent.corrected("0") == ("我", "到", "了", "学", "校")


def test_m2_several_blank_lines_and_white_space_lines_end_one_block() -> None:
    assert len(sentences(f"\n \nS a\nA {line('0 1')}\n\n \t\n\nS b\nA {line('0 1')}\n\n\n")) == 2


def test_m2_missing_blank_line_is_noted() -> None:
    sents, findings = parse(f"S a\nA {line('0 1')}\nS b\nA {line('0 1')}\n")
    assert [sent.tokens for sent in sents] == [("a",), ("b",)]
    assert findings == [
        Finding("no-blank-line", "no blank line before an 'S ' line", "warning", "f.m2", 3)
    ]


def test_m2_several_sources_share_out_their_edits() -> None:
    text = (
        f"S a b\nS c d\nS e\nA {line('1 2')}\nA {line('2 2', correction='y')}\n"
        f"A {line('5 5', correction='z', annotator='1')}\n"
    )
    sents, findings = parse(text)
    assert sents == [
        Sentence(("a", "b"), (Annotation("0", (Edit(1, 2, (("x",),), "T"),)), Annotation("1"))),
        Sentence(("c", "d"), (Annotation("0", (Edit(0, 0, (("y",),), "T"),)), Annotation("1"))),
        Sentence(("e",), (Annotation("0"), Annotation("1", (Edit(1, 1, (("z",),), "T"),)))),
    ]
    message = "a block of several 'S ' lines, read with continuous offsets"
    assert findings == [Finding("paragraph", message, "warning", "f.m2", 1)]


def test_m2_several_sources_that_are_bare() -> None:
    sents, findings = parse("S a\nS b\n")
    assert sents == [Sentence(("a",), (Annotation("0"),)), Sentence(("b",), (Annotation("0"),))]
    assert [finding.code for finding in findings] == ["no-annotation", "paragraph"]


def test_m2_several_sources_with_an_edit_across() -> None:
    assert error_of(f"S a b\nS c d\nA {line('1 3')}\n") == (
        "f.m2, line 3: an edit crosses a sentence boundary"
    )


def test_m2_several_sources_take_linear_time() -> None:
    n = 20_000
    text = "S a\n" * n + "".join(f"A {line(f'{i} {i + 1}')}\n" for i in range(n))
    with finishes():
        sents, _ = parse(text)
        assert [len(sent.annotations[0].edits) for sent in sents] == [1] * n


def test_m2_i_lines_are_ignored_and_noted() -> None:
    sents, findings = parse(f"S a\nI whatever\nA {line('0 1')}\n")
    assert sents == [Sentence(("a",), (Annotation("0", (Edit(0, 1, (("x",),), "T"),)),))]
    assert findings == [Finding("i-line", "an 'I ' line was ignored", "warning", "f.m2", 2)]


@pytest.mark.parametrize("source", ["S", "S "])
def test_m2_empty_sentence(source: str) -> None:
    [sent] = sentences(f"{source}\nA {line('0 0')}\n")
    assert (sent.tokens, sent.corrected("0")) == ((), ("x",))


def test_m2_annotators_need_not_be_numbers() -> None:
    assert readings(line("0 1", annotator="Åsa "), line("0 1", annotator="10")) == (
        Annotation("Åsa", (Edit(0, 1, (("x",),), "T"),)),
        Annotation("10", (Edit(0, 1, (("x",),), "T"),)),
    )


def test_m2_files_follow_one_another() -> None:
    inputs = [Input.from_text(f"S {word}\nA {line('0 1')}\n") for word in "ab"]
    assert [sent.tokens for sent in read(inputs)] == [("a",), ("b",)]


def test_m2_long_sentences() -> None:
    [sent] = sentences(f"S {'w ' * 500}\nA {line('499 500')}\n")
    assert sent.corrected("0") == ("w",) * 499 + ("x",)


def test_m2_nothing_is_no_sentence() -> None:
    assert sentences("") == sentences("\n\n") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "S a\nB b\n",
            "f.m2, line 2: expected 'S ', 'A ' or a blank line, found 'B b'",
        ),
        (
            "S\ta\n",
            "f.m2, line 1: expected 'S ', 'A ' or a blank line, found 'S\\ta'",
        ),
        (
            f"A {line('0 1')}\n",
            "f.m2, line 1: an 'A ' line without an 'S ' line before it in its block",
        ),
        (
            f"S a\n\nA {line('0 1')}\n",
            "f.m2, line 3: an 'A ' line without an 'S ' line before it in its block",
        ),
        ("S a\nA 0 1\n", f"f.m2, line 2: {EXPECTED}, 6 fields"),
        ("S a\nA 0 1|||T|||x|||REQUIRED|||0\n", f"f.m2, line 2: {EXPECTED}, 6 fields"),
        ("S a\nA 0 1|||T|||x|||R|||c|||d|||0\n", f"f.m2, line 2: {EXPECTED}, 6 fields"),
        (f"S a\nA {line('0')}\n", f"f.m2, line 2: {EXPECTED}, found the span '0'"),
        (f"S a\nA {line('0 1 2')}\n", f"f.m2, line 2: {EXPECTED}, found the span '0 1 2'"),
        (f"S a\nA {line('a b')}\n", f"f.m2, line 2: {EXPECTED}, found the span 'a b'"),
        (f"S a\nA {line('0 1_0')}\n", f"f.m2, line 2: {EXPECTED}, found the span '0 1_0'"),
        (f"S a\nA {line('1 0')}\n", "f.m2, line 2: a span needs 0 <= start <= end, found '1 0'"),
        (f"S a\nA {line('-1 0')}\n", "f.m2, line 2: a span needs 0 <= start <= end, found '-1 0'"),
        (f"S a\nA {line('0 1', annotator=' ')}\n", f"f.m2, line 2: {EXPECTED}, found no annotator"),
        (
            f"S a\nA {line('0 ' + '9' * 5000)}\n",
            f"f.m2, line 2: {EXPECTED}, found the span '0 {'9' * 38}'",
        ),
    ],
)
def test_m2_faults_are_told_with_file_and_line(text: str, message: str) -> None:
    assert error_of(text) == message


# Character offsets -----------------------------------------------------------------------

GOED = "S I goed to the storr.\nA 2 6|||R:VERB|||went|||REQUIRED|||-NONE-|||0\n"


def test_m2_character_offsets() -> None:
    [sent], _ = parse(
        f"{GOED}A 14 19|||R:SPELL|||store||shop|||REQUIRED|||-NONE-|||0\n", characters=True
    )
    assert sent == Sentence(
        ("I", "goed", "to", "the", "storr", "."),
        (
            Annotation(
                "0",
                (
                    Edit(1, 2, (("went",),), "R:VERB"),
                    Edit(4, 5, (("store",), ("shop",)), "R:SPELL"),
                ),
            ),
        ),
        raw=raw_text("I goed to the storr."),
    )


def test_m2_character_offsets_past_the_end_are_not_applied() -> None:
    [sent], findings = parse(f"S Hi you\nA {line('3 9')}\n", characters=True)
    assert sent.annotations[0].edits == (Edit(1, 3, (("x",),), "T"),)
    assert sent.corrected("0") == ("Hi", "you")
    assert [str(finding) for finding in findings] == [
        "f.m2, line 2: the edit 3 9 is out of range: the sentence ends at 6"
    ]


def test_m2_character_flag_repeats_the_source() -> None:
    [sent], _ = parse(f"S Hi you\nA {line('3 6', 'UNK', 'you')}\n", characters=True)
    assert sent.annotations[0].edits == (Edit(1, 2, (), "UNK"),)


def test_m2_character_offsets_over_several_sources() -> None:
    sents, _ = parse(f"S Hi you\nS Bye\nA {line('6 9')}\n", characters=True)
    assert [sent.corrected("0") for sent in sents] == [("Hi", "you"), ("x",)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (GOED, "m2-char"),
        (GOED.replace("\n", "\r\n"), "m2-char"),
        (f"S Hi\nA {line('0 2')}\n\n{GOED}", "m2-char"),
        # Tokenized text, but again and again past its end.
        (
            f"S some words here .\nA {line('5 10')}\nA {line('11 15')}\nA {line('16 17')}\n",
            "m2-char",
        ),
        (f"S some words here .\nA {line('5 7')}\nA {line('11 12')}\nA {line('8 9')}\n", "m2"),
        # One edit past the end of tokenized text is a fault, not another unit.
        (f"S some words here .\nA {line('5 5')}\n", "m2"),
        # Past the last character it can be neither.
        (f"S some words here.\nA {line('5 50')}\n", "m2"),
        (f"S Hi there\nA {line('0 1')}\n", "m2"),
        (
            f"S Hi there.\nA {line('0 1')}\nA {line('0 1')}\nA {line('0 1')}\nA {line('4 4')}\n",
            "m2",
        ),
        ("S Hi there.\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n", "m2"),
    ],
)
def test_m2_character_offsets_are_detected(text: str, name: str) -> None:
    assert detect(Input.from_text(text)).name == name


@pytest.mark.parametrize(
    "head",
    [
        "S a\nA 0 1|||",
        "\nS a\r\n\r\n",
        "S a",
        "S a\nS b",
        "S\nA 0 0|||",
        "S a\n \n",
        "S a\nI b\nA 0 1|||",
    ],
)
def test_m2_sniff_accepts(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize(
    "head", ["", "A a\n", "Sa\n", "S a\nb\n", "a\nS a\n", "S a b c\nThe end .\n"]
)
def test_m2_sniff_refuses(head: str) -> None:
    assert not sniff(head)


# Writing ---------------------------------------------------------------------------------


def test_m2_writes() -> None:
    edits = (
        Edit(0, 1, (("x",), ("y", "z")), "R", required=False, comment="two\nlines"),
        Edit(1, 1, ((), ("w",))),
        Edit(1, 2, ((),)),
        Edit(1, 2, (), "UNK"),
    )
    assert written(
        Sentence(("a", "b"), (Annotation("0", edits), Annotation("1"))), Sentence(())
    ) == (
        "S a b\n"
        "A 0 1|||R|||x||y z|||-NONE-|||two lines|||0\n"
        "A 1 1|||-NONE-|||-NONE-||w|||REQUIRED|||-NONE-|||0\n"
        "A 1 2|||-NONE-||||||REQUIRED|||-NONE-|||0\n"
        "A 1 2|||UNK|||b|||REQUIRED|||-NONE-|||0\n"
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
        "\n"
        "S \n\n"
    )


@pytest.mark.parametrize(
    "edit",
    [
        Edit(0, 1, (("x",),), "noop"),
        Edit(0, 1, (("x",),), "-NONE-"),
        Edit(0, 1, (("x",),), "a|||b"),
        Edit(0, 1, (("x",),), "a|"),
        Edit(0, 1, (("x",),), "a\nb"),
        Edit(0, 1, (("|",),)),
        Edit(0, 1, (("a||b",),)),
        Edit(0, 1, (("x", "|"),)),
        Edit(0, 1, (("-NONE-",),)),
    ],
)
def test_m2_refuses_to_write_what_it_could_not_read(edit: Edit) -> None:
    with pytest.raises(GecevalError, match=r"^M2 cannot represent "):
        written(Sentence(("a",), (Annotation("0", (edit,)),)))


@pytest.mark.parametrize("name", ["", " 0", "a\nb", "a|||b", "|a"])
@pytest.mark.parametrize("edits", [(), (Edit(0, 1, (("x",),)),)])
def test_m2_refuses_to_write_annotators_it_could_not_read(
    name: str, edits: tuple[Edit, ...]
) -> None:
    with pytest.raises(GecevalError, match=r"^M2 cannot represent "):
        written(Sentence(("a",), (Annotation(name, edits),)))


def test_m2_raw_text_of_several_lines_is_written_on_one() -> None:
    edit = Edit(1, 2, (("c",),), "T")
    raw = RawText("a\nb", ((0, 1), (2, 3)))
    assert written(Sentence(("a", "b"), (Annotation("0", (edit,)),), raw=raw), characters=True) == (
        "S a b\nA 2 3|||T|||c|||REQUIRED|||-NONE-|||0\n\n"
    )


def test_m2_refuses_tokens_with_line_ends() -> None:
    with pytest.raises(GecevalError, match=r"^the token 'a\\nb' in .* contains white space"):
        written(Sentence(("a\nb",)))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit(0, 1, (("Bye",),)), "0 2|||-NONE-|||Bye"),
        (Edit(1, 1, (("my",),)), "2 2|||-NONE-||| my "),
        (Edit(2, 2, (("my",),)), "4 4|||-NONE-|||my "),
        (Edit(3, 3, (("x",),)), "7 7|||-NONE-||| x "),
        (Edit(3, 4, (("x",),)), "7 8|||-NONE-||| x"),
        (Edit(3, 4, (("!",),)), "7 8|||-NONE-|||!"),
        (Edit(4, 4, (("x",),)), "8 8|||-NONE-||| x"),
        (Edit(1, 2, ((),)), "2 3|||-NONE-|||"),
        (Edit(0, 2, ((),)), "0 3|||-NONE-|||"),
        (Edit(2, 3, ()), "4 7|||-NONE-|||you"),
        (Edit(5, 5, (("x",),)), "9 9|||-NONE-|||x"),
        (Edit(3, 6, (("x",),)), "7 9|||-NONE-||| x"),
    ],
)
def test_m2_character_offsets_are_written(edit: Edit, expected: str) -> None:
    """New words stand apart from old ones where they would become one."""
    raw = raw_text("Hi, you.")
    sent = Sentence(("Hi", ",", "you", "."), (Annotation("0", (edit,)),), raw=raw)
    text = written(sent, characters=True)
    assert text == f"S Hi, you.\nA {expected}|||REQUIRED|||-NONE-|||0\n\n"
    [again], findings = parse(text, characters=True)
    if edit.fits(4):
        assert (again, findings) == (sent, [])
    else:
        assert [finding.code for finding in findings] == ["out-of-range"]
        assert again.corrected("0") == sent.tokens


def test_m2_character_offsets_of_tokens_without_raw_text() -> None:
    sent = Sentence(("Hi", "you", "."), (Annotation("0", (Edit(1, 2, (("me",),), "T"),)),))
    assert written(sent, characters=True) == (
        "S Hi you .\nA 3 6|||T|||me|||REQUIRED|||-NONE-|||0\n\n"
    )


# Published files -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sentences", "annotators", "n_bare"),
    [
        ("official-2014.combined", 1312, 2, 136),
        ("bryant-ng-10", 1312, 10, 25),
        ("all-16", 1312, 16, 20),
    ],
)
def test_m2_published_files(
    shared_data: Path, name: str, sentences: int, annotators: int, n_bare: int
) -> None:
    findings = Findings()
    corpus = geceval.load(shared_data / "conll14" / "gold" / f"{name}.m2", findings=findings)
    assert (len(corpus), len(corpus.annotators)) == (sentences, annotators)
    assert findings.counts["no-annotation"] == n_bare


def test_m2_published_files_are_written_as_they_are(shared_data: Path, tmp_path: Path) -> None:
    corpus = geceval.load(
        shared_data / "conll14" / "gold" / "official-2014.combined-withalt.m2", findings=Findings()
    )
    geceval.save(corpus, tmp_path / "again.m2")
    assert geceval.load(tmp_path / "again.m2", name=corpus.name, findings=Findings()) == corpus
