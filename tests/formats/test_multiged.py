"""MultiGED-2023 TSV."""

from __future__ import annotations

from pathlib import Path

import pytest

import geceval
from geceval.errors import FormatError
from geceval.formats import c4200m, clang8, lang8, m2, multigec, multiged
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, Sentence

GOOD = "He\tc\ngo\ti\nto\ti\nhome\tc\n.\tc\n\nYes\tc\n!\tc\n"
SENTENCES = [
    Sentence(
        ("He", "go", "to", "home", "."),
        (Annotation("0", (Edit(1, 2, (), "UNK"), Edit(2, 3, (), "UNK"))),),
    ),
    Sentence(("Yes", "!"), (Annotation("0"),)),
]


def read(*texts: str, findings: Findings | None = None) -> list[Sentence]:
    inputs = [Input.from_text(text, name="ged.tsv", findings=findings) for text in texts]
    return list(multiged.read(inputs))


def test_multiged_incorrect_tokens_are_flagged_one_by_one() -> None:
    assert read(GOOD) == SENTENCES


def test_multiged_flags_correct_nothing() -> None:
    [sent, _] = read(GOOD)
    assert sent.corrected("0") == sent.tokens


def test_multiged_files_follow_one_another() -> None:
    assert read(GOOD, GOOD) == SENTENCES * 2


def test_multiged_extra_blank_lines_and_crlf_make_no_sentences() -> None:
    text = "\n" + GOOD.replace("\n\n", "\n \n\n") + "\n\n"
    assert read(text.replace("\n", "\r\n")) == SENTENCES


def test_multiged_tokens_alone_have_no_annotations() -> None:
    assert read("He\ngo\n\nYes\n") == [Sentence(("He", "go")), Sentence(("Yes",))]


def test_multiged_a_tab_without_label_is_a_token_alone() -> None:
    assert read("He\t\ngo\t\n") == [Sentence(("He", "go"))]


def test_multiged_escaped_quotes_are_kept_and_noted() -> None:
    findings = Findings()
    [sent] = read('\\"\tc\nJa\tc\n\\"\tc\n', findings=findings)
    assert sent.tokens == ('\\"', "Ja", '\\"')
    assert [(found.code, found.severity) for found in findings] == [("escaped-quotes", "note")]


def test_multiged_white_space_in_a_token_is_taken_out() -> None:
    findings = Findings()
    [sent] = read("10 000\tc\nKč\u00a0\ti\n", findings=findings)
    assert sent == Sentence(("10000", "Kč"), (Annotation("0", (Edit(1, 2, (), "UNK"),)),))
    assert findings.counts == {"space-in-token": 2}
    assert str(next(iter(findings))) == (
        "ged.tsv, line 1: removed white space from the token '10 000'"
    )


def test_multiged_reads_one_sentence_at_a_time() -> None:
    sentences = multiged.read([Input.from_text(GOOD + "\nbad\tx\n")])
    assert [next(sentences), next(sentences)] == SENTENCES
    with pytest.raises(FormatError):
        next(sentences)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "token\tlabel\nHe\tc\n",
            "line 1: expected 'TOKEN<tab>LABEL' with the label 'c' or 'i', found 'token\\tlabel'",
        ),
        (
            "He\tc\ngo\tI\n",
            "line 2: expected 'TOKEN<tab>LABEL' with the label 'c' or 'i', found 'go\\tI'",
        ),
        (
            "He\tPRON\tc\n",
            "line 1: expected 'TOKEN<tab>LABEL' with the label 'c' or 'i', found 'He\\tPRON\\tc'",
        ),
        (
            "He\tc\ngo\n",
            "line 2: expected 'TOKEN<tab>LABEL' with the label 'c' or 'i', found 'go'",
        ),
        (
            "He\n\ngo\ti\n",
            "line 3: expected a token without a label, as in the preceding lines, found 'go\\ti'",
        ),
        (
            "He\tc\n \ti\n",
            "line 2: expected 'TOKEN<tab>LABEL' with the label 'c' or 'i', found no token",
        ),
    ],
)
def test_multiged_bad_lines_are_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value) == f"ged.tsv, {message}"


def test_multiged_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text(GOOD, encoding="utf-8")
    assert geceval.load(path).sentences == tuple(SENTENCES)


def test_multiged_further_columns_are_ignored_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text(GOOD.replace("\tc\n", "\tc\tPRON\t\n"), encoding="utf-8")
    findings = Findings()
    assert geceval.load(path, findings=findings).sentences == tuple(SENTENCES)
    n_lines = GOOD.count("\tc\n")
    [finding] = [one for one in findings if one.code == "further-columns"]
    assert finding.message == f"columns after token and label are ignored, in {n_lines} lines"


@pytest.mark.parametrize("bad", ["go\tx", "go"])
def test_multiged_a_bad_label_near_the_top_is_named(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text("He\tc\n" * 4 + f"{bad}\n" + "home\tc\n" * 4, encoding="utf-8")
    with pytest.raises(FormatError, match=r"dev.tsv, line 5: expected 'TOKEN<tab>LABEL'"):
        geceval.load(path)
    with pytest.raises(FormatError, match=r"dev.tsv, line 5: expected 'TOKEN<tab>LABEL'"):
        geceval.load_hypothesis(path)


@pytest.mark.parametrize("module", [c4200m, clang8, lang8, m2, multigec])
def test_multiged_is_left_alone_by_other_formats(module: object) -> None:
    assert not module.sniff(GOOD)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "head", ["", "\n\n", "He\ngo\n", "He\tc\nHe go\tHe goes\n", "S a\nA 0 1|||\n", "a\tb\tc\n"]
)
def test_multiged_sniff_leaves_other_text_alone(head: str) -> None:
    assert not multiged.sniff(head)


def test_multiged_sniff_ignores_a_line_that_is_cut_off() -> None:
    assert multiged.sniff("\r\nHe\tc\r\ngoes\tc\r\nhom")
