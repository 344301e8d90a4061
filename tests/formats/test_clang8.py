"""cLang-8 targets."""

from __future__ import annotations

from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import c4200m, clang8, lang8, m2, multigec, multiged
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, RawText, Sentence

JOURNALS = (
    '["51", "7", ["English"], "German", ["She go home.", "Bye!"], [["She goes home."], []]]\n'
    '["52", "9", ["English"], "Dutch", ["I see dog"], [[]]]\n'
    '["53", "1", ["English"], "Dutch", ["Not needed"], [[]]]\n'
)
TARGETS = "52\t9\t0\tFalse\tI see a dog\n51\t7\t1\tFalse\tBye!\n51\t7\t0\tTrue\tShe went home.\n"
EXPECTED = (
    "expected 'JOURNAL<tab>SENTENCE<tab>NUMBER<tab>HAS_CORRECTION<tab>TARGET' "
    "with HAS_CORRECTION True or False"
)
JSON_EXPECTED = (
    "expected a JSON array [JOURNAL, SENTENCE, LANGUAGES, NATIVE, [SOURCES], [[CORRECTIONS]]]"
)
TWO_FILES = "cLang-8 needs two files, the targets and the Lang-8 file with their sources"
SENTENCES = [
    Sentence(
        ("I", "see", "dog"),
        (Annotation("0", (Edit(2, 2, (("a",),), "M"),)),),
        id="52-9-0",
        raw=RawText("I see dog", ((0, 1), (2, 5), (6, 9))),
    ),
    Sentence(
        ("Bye", "!"),
        (Annotation("0"),),
        id="51-7-1",
        raw=RawText("Bye!", ((0, 3), (3, 4))),
    ),
    Sentence(
        ("She", "go", "home", "."),
        (Annotation("0", (Edit(1, 2, (("went",),), "R"),)),),
        id="51-7-0",
        raw=RawText("She go home.", ((0, 3), (4, 6), (7, 11), (11, 12))),
    ),
]


def read(*texts: str, findings: Findings | None = None) -> list[Sentence]:
    inputs = [
        Input.from_text(text, name=f"file{number}", findings=findings)
        for number, text in enumerate(texts)
    ]
    return list(clang8.read(inputs))


def test_clang8_sentences_come_in_the_order_of_the_targets() -> None:
    assert read(JOURNALS, TARGETS) == SENTENCES


def test_clang8_files_come_in_either_order() -> None:
    assert read(TARGETS, JOURNALS) == SENTENCES


def test_clang8_zero_and_one_say_whether_there_was_a_correction() -> None:
    targets = TARGETS.replace("True", "1").replace("False", "0").replace("\n", "\r\n")
    assert read(JOURNALS, targets + "\r\n") == SENTENCES


def test_clang8_one_sentence_may_have_two_targets() -> None:
    [first, second] = read(JOURNALS, "52\t9\t0\t0\tI see dogs\n52\t9\t0\t0\tI see\n")
    assert first.corrected("0") == ("I", "see", "dogs")
    assert second.corrected("0") == ("I", "see")


def test_clang8_row_without_source_is_noted() -> None:
    findings = Findings()
    rows = "99\t1\t0\tTrue\tWho?\n52\t8\t0\tTrue\tWhat?\n52\t9\t1\tTrue\tWhere?\n"
    assert read(JOURNALS, rows + TARGETS, findings=findings) == SENTENCES
    assert [(str(finding), finding.code, finding.severity) for finding in findings] == [
        (
            f"file1, line {number}: row skipped: the sentence {sent_id} is not in file0",
            "missing-source",
            "error",
        )
        for number, sent_id in enumerate(["99-1-0", "52-8-0", "52-9-1"], 1)
    ]


def test_clang8_repeated_journal_is_noted_and_the_first_counts() -> None:
    findings = Findings()
    again = JOURNALS.replace("dog", "cat")
    assert read(JOURNALS + again, TARGETS, findings=findings) == SENTENCES
    assert findings.counts == {"duplicate-id": 2}
    assert next(iter(findings)).line == 4


def test_clang8_empty_target_is_noted() -> None:
    findings = Findings()
    [sent] = read(JOURNALS, "52\t9\t0\tTrue\t\n", findings=findings)
    assert sent.corrected("0") == ()
    assert findings.counts == {"empty-target": 1}


def test_clang8_bad_lines_of_lang8_are_noted() -> None:
    findings = Findings()
    assert read(JOURNALS + "[bad\n", TARGETS, findings=findings) == SENTENCES
    assert findings.counts == {"invalid-line": 1}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            (TARGETS,),
            f"file0: {TWO_FILES}, not 1",
        ),
        (
            (TARGETS, JOURNALS, JOURNALS),
            f"file0: {TWO_FILES}, not 3",
        ),
        (
            ("Hello\n", "Hello\n"),
            f"file0: neither this file nor file1 contains cLang-8 targets; {EXPECTED}",
        ),
        (
            (JOURNALS, TARGETS + "51\t7\tx\tTrue\tOh\n"),
            f"file1, line 4: {EXPECTED}, found '51\\t7\\tx\\tTrue\\tOh'",
        ),
        (
            ("51\t7\t0\tperhaps\tOh\n", JOURNALS),
            f"file0, line 1: {EXPECTED}, found '51\\t7\\t0\\tperhaps\\tOh'",
        ),
        (
            (JOURNALS, TARGETS + "51\t7\t0\tTrue\tOh\tno\n"),
            f"file1, line 4: {EXPECTED}, found '51\\t7\\t0\\tTrue\\tOh\\tno'",
        ),
        (
            (TARGETS, TARGETS),
            f"file1, line 1: {JSON_EXPECTED}, found '52\\t9\\t0\\tFalse\\tI see a dog'",
        ),
    ],
)
def test_clang8_bad_files_are_refused(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(*texts)
    assert str(caught.value) == message


def test_clang8_is_detected_where_the_targets_come_first(tmp_path: Path) -> None:
    journals, targets = tmp_path / "lang8.dat", tmp_path / "targets.tsv"
    journals.write_text(JOURNALS, encoding="utf-8")
    targets.write_text(TARGETS, encoding="utf-8")
    assert geceval.load(targets, journals).sentences == tuple(SENTENCES)
    assert geceval.load(journals, targets, format="clang8").sentences == tuple(SENTENCES)


@pytest.mark.parametrize("module", [c4200m, lang8, m2, multigec, multiged])
def test_clang8_is_left_alone_by_other_formats(module: object) -> None:
    assert not module.sniff(TARGETS)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "head", ["", "Plain text .\n", "source\ttarget\n", "1\n2\t3\t4\tTrue\tx\n", "S a\nA 0 1|||\n"]
)
def test_clang8_sniff_leaves_other_text_alone(head: str) -> None:
    assert not clang8.sniff(head)
