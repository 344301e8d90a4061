"""Lang-8 journals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import c4200m, clang8, lang8, m2, multigec, multiged
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence

LINE = (
    '["51", "7", ["English", "French"], "German", ["She go home.", "Bye!"], '
    '[["She [f-red]goes[/f-red] home.", "She [sline]go[/sline]went home."], []]]\n'
)
SENTENCES = [
    Sentence(
        ("She", "go", "home", "."),
        (
            Annotation("0", (Edit(1, 2, (("goes",),), "R"),)),
            Annotation("1", (Edit(1, 2, (("went",),), "R"),)),
        ),
        id="51-7-0",
        raw=RawText("She go home.", ((0, 3), (4, 6), (7, 11), (11, 12))),
    ),
    Sentence(("Bye", "!"), (), id="51-7-1", raw=RawText("Bye!", ((0, 3), (3, 4)))),
]


def line(sources: object, corrections: object, journal: object = "1", version: object = "2") -> str:
    entry = [journal, version, "English", "Thai", sources, corrections]
    return json.dumps(entry, ensure_ascii=False) + "\n"


def read(*texts: str, findings: Findings | None = None) -> list[Sentence]:
    inputs = [Input.from_text(text, name="lang8.dat", findings=findings) for text in texts]
    return list(lang8.read(inputs))


def corrected(correction: str, findings: Findings | None = None) -> str | None:
    """Read one sentence with one correction and give what was corrected, joined by spaces."""
    [sent] = read(line(["A big dog sleep"], [[correction]]), findings=findings)
    tokens = sent.corrected("0")
    return None if tokens is None else " ".join(tokens)


def test_lang8_each_correction_is_an_annotator_and_none_is_absent() -> None:
    assert read(LINE) == SENTENCES


def test_lang8_files_follow_one_another_and_blank_lines_are_skipped() -> None:
    assert read("\n" + LINE + "\n", LINE) == SENTENCES * 2


def test_lang8_learned_language_may_be_a_string_and_ids_numbers() -> None:
    [sent] = read(line(["Hi"], [["Hi"]], journal=51, version=7))
    assert (sent.id, sent.annotations) == ("51-7-0", (Annotation("0"),))


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        (
            "A [f-red]small[/f-red] dog [f-blue]sleep[f-bold]s[/f-bold][/f-blue]",
            "A small dog sleeps",
        ),
        ("A [赤]small[/赤] dog [青]sleeps[/青]", "A small dog sleeps"),
        ("A [F-Gray]small[/F-Gray] dog sleeps", "A small dog sleeps"),
        ("A [f-red]small dog[/f-blue] sleeps[/f-red]", "A small dog sleeps"),
        ("A [sline]big [/sline]dog sleeps", "A dog sleeps"),
        ("A [sline]big [f-red]old[/sline] dog[/f-red] sleeps", "A dog sleeps"),
        ("A [sline]big [sline]old[/sline] ugly[/sline] dog sleeps", "A dog sleeps"),
        ("[sline]A[/sline] dog [sline]sleep[/sline]sleeps", "dog sleeps"),
        ("A [one] dog sleeps", "A [ one ] dog sleeps"),
        ("[sline]A big dog sleep[/sline]", ""),
    ],
)
def test_lang8_marks_are_taken_out(correction: str, expected: str) -> None:
    findings = Findings()
    assert corrected(correction, findings) == expected
    assert len(findings) == 0


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("A [sline]big dog sleeps", "A big dog sleeps"),
        ("A big[/sline] dog sleeps", "A big dog sleeps"),
        ("A [sline]big [sline]old[/sline] dog sleeps", "A big dog sleeps"),
    ],
)
def test_lang8_half_a_strike_out_keeps_its_content(correction: str, expected: str) -> None:
    findings = Findings()
    assert corrected(correction, findings) == expected
    assert findings.counts == {"unbalanced-tag": 1}
    assert findings.worst() == "warning"


def test_lang8_many_open_strike_outs_take_linear_time() -> None:
    text, is_balanced = lang8.strip_markup("[sline]a" * 200_000)
    assert (len(text), is_balanced) == (200_000, False)


def test_lang8_empty_corrections_are_left_out() -> None:
    findings = Findings()
    [sent] = read(line(["Hi you"], [["", None, " ", "Hi"]]), findings=findings)
    assert sent.annotations == (Annotation("0", (Edit(1, 2, ((),), "U"),)),)
    assert findings.counts == {"empty-correction": 2}
    assert findings.worst() == "note"


def test_lang8_control_characters_and_half_surrogates_are_left_out() -> None:
    findings = Findings()
    text = '["1", "2", "English", "Thai", ["H\x01i\tyou\\ud83d"], [["Hi y\x7fou\\ud83d\\ude00"]]]\n'
    [sent] = read(text, findings=findings)
    assert sent.raw == RawText("Hi\tyou", ((0, 2), (3, 6)))
    assert sent.corrected("0") == ("Hi", "you", "😀")
    assert str(next(iter(findings))) == ("lang8.dat, line 1: control characters removed")


@pytest.mark.parametrize(
    "bad",
    [
        "not JSON",
        '["1", "2", "English"',
        "{}",
        "17",
        '["1", "2", "English", "Thai", ["Hi"]]',
        line(["Hi"], [["Hi"]], journal=None).strip(),
        line("Hi", ["Hi"]).strip(),
        line(["Hi", "Bye"], [["Hi"]]).strip(),
        line(["Hi"], ["Hi"]).strip(),
        line(["Hi"], [[1]]).strip(),
        line([1], [["Hi"]]).strip(),
        "[" * 100_000,
        "[" + "1" * 5_000 + "]",
    ],
)
def test_lang8_bad_lines_are_noted_but_not_the_first(bad: str) -> None:
    findings = Findings()
    assert read(f"{LINE}{bad}\n{LINE}", findings=findings) == SENTENCES * 2
    [finding] = findings
    expected = (
        "expected a JSON array "
        "[JOURNAL, SENTENCE, LANGUAGES, NATIVE, [SOURCES], [[CORRECTIONS]]], "
        f"found {bad[:40]!r}"
    )
    assert str(finding) == f"lang8.dat, line 2: line skipped: {expected}"
    assert (finding.code, finding.severity) == ("invalid-line", "error")
    with pytest.raises(FormatError) as caught:
        read(f"\n{bad}\n{LINE}")
    assert str(caught.value) == f"lang8.dat, line 2: {expected}"


def test_lang8_reads_one_entry_at_a_time() -> None:
    findings = Findings()
    sentences = lang8.read([Input.from_text(LINE + "bad\n", findings=findings)])
    assert [next(sentences), next(sentences)] == SENTENCES
    assert len(findings) == 0


def test_lang8_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "lang8.dat"
    path.write_text(LINE, encoding="utf-8")
    assert geceval.load(path).sentences == tuple(SENTENCES)


def test_lang8_sniff_needs_no_whole_line() -> None:
    assert lang8.sniff(LINE[:60])
    assert lang8.sniff('\n[12,3,"English",null,["')


@pytest.mark.parametrize("module", [c4200m, clang8, m2, multigec, multiged])
def test_lang8_is_left_alone_by_other_formats(module: object) -> None:
    assert not module.sniff(LINE)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "head", ["", "[1] Plain text .\n", '["a", "b"]\n', '{"edits": []}\n', "S a\nA 0 1|||\n"]
)
def test_lang8_sniff_leaves_other_text_alone(head: str) -> None:
    assert not lang8.sniff(head)
