"""Texts that are unfit to be scored, in every command that would score or annotate them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main

SOURCES = [
    "The sun were high above the hill .",
    "Nobody knew where Anna had went .",
    "We looked for she until evening .",
    "At last a neighbor bring news .",
    "She has taken the early train .",
    "It do n't matter , I think .",
]
TARGETS = [
    "The sun was high above the hill .",
    "Nobody knew where Anna had gone .",
    "We looked for her until evening .",
    "At last a neighbor brought news .",
    "She had taken the early train .",
    "It does n't matter , I think .",
]


def raw(lines: list[str]) -> list[str]:
    return [line.replace(" .", ".").replace(" ,", ",").replace(" n't", "n't") for line in lines]


def shifted(lines: list[str]) -> list[str]:
    return [*lines[1:], lines[0]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Source, reference and outputs, three times over so that habits show."""
    monkeypatch.chdir(tmp_path)
    for name, lines in {
        "src": SOURCES * 3,
        "ref": TARGETS * 3,
        "raw": raw(TARGETS) * 3,
        "rawsrc": raw(SOURCES) * 3,
        "shifted": shifted(TARGETS * 3),
        "short": TARGETS[:3] + TARGETS[4:] + TARGETS * 2,
        "unspaced": [line.replace(" ", "") for line in TARGETS * 3],
    }.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def score(*arguments: str, source: str = "src.txt", reference: str = "ref.txt") -> Result:
    return run(
        "score", "-m", "gleu", "--resamples", "0", "--src", source, "--ref", reference, *arguments
    )


@pytest.mark.usefixtures("folder")
def test_unfit_texts_are_warned_of_one_line_each() -> None:
    result = score("raw.txt", "shifted.txt", "ref.txt", "--json")
    assert result.exit_code == 0
    warnings = json.loads(result.stdout)["warnings"]
    unfit = [line for line in warnings if ", line " in line]
    assert [line.partition(":")[0] for line in unfit] == [
        "raw.txt, line 1",
        "shifted.txt, line 1",
    ]
    assert "18 of 18 sentences are not tokenized like the source" in unfit[0]
    assert "18 of 18 sentences match a neighboring source line" in unfit[1]


@pytest.mark.usefixtures("folder")
def test_unfit_texts_of_every_file_are_shown() -> None:
    for name in "abcdef":
        Path(f"{name}.txt").write_text(Path("raw.txt").read_text())
    result = score(*(f"{name}.txt" for name in "abcdef"))
    assert result.exit_code == 0
    for name in "abcdef":
        assert f"{name}.txt, line 1: 18 of 18 sentences" in result.stderr


@pytest.mark.usefixtures("folder")
def test_unfit_texts_fail_when_strict() -> None:
    result = score("raw.txt", "shifted.txt", "ref.txt", "--strict")
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith("Error: raw.txt, line 1: 18 of 18 sentences are not tokenized")
    assert lines[1].startswith("shifted.txt, line 1: 18 of 18 sentences match a neighboring")
    assert len(lines) == 2
    assert score("ref.txt", "--strict").exit_code == 0


@pytest.mark.usefixtures("folder")
def test_unfit_texts_are_refused_by_compare_and_report_when_strict() -> None:
    inputs = ("--src", "src.txt", "--ref", "ref.txt", "-m", "gleu", "ref.txt", "raw.txt")
    for command in ("compare", "report"):
        result = run(command, *inputs, "--strict")
        assert result.exit_code == 1
        assert "raw.txt, line 1: 18 of 18 sentences are not tokenized" in result.stderr
    assert not Path("report.html").exists()


@pytest.mark.usefixtures("folder")
def test_unfit_texts_a_missing_line_is_named() -> None:
    result = score("short.txt")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: src.txt has 18 sentences but short has 17; misaligned from sentence 4 on\n"
    )


@pytest.mark.usefixtures("folder")
def test_tokenize_makes_raw_text_fit() -> None:
    expected = json.loads(score("ref.txt", "--json").stdout)["results"][0]["score"]
    for source, reference in (("src.txt", "ref.txt"), ("rawsrc.txt", "raw.txt")):
        result = score("raw.txt", "--tokenize", "--json", source=source, reference=reference)
        record = json.loads(result.stdout)
        assert record["results"][0]["score"] == expected
        assert "|tokens:geceval|version:" in record["results"][0]["signature"]
        warnings = [line for line in record["warnings"] if "equals a reference" not in line]
        [warning] = warnings
        assert warning.startswith("raw text was tokenized by geceval")


@pytest.mark.usefixtures("folder")
def test_tokenize_in_a_report() -> None:
    inputs = ("--src", "src.txt", "--ref", "ref.txt", "-m", "gleu", "raw.txt", "--resamples", "10")
    result = run("report", *inputs, "--tokenize")
    assert result.exit_code == 0
    warnings = json.loads(Path("report.json").read_text())["warnings"]
    assert "tokenized" in {warning["code"] for warning in warnings}
    assert "detokenized" not in {warning["code"] for warning in warnings}
    [metric] = json.loads(Path("report.json").read_text())["metrics"]
    assert "|tokens:geceval|" in metric["signature"]


@pytest.mark.usefixtures("folder")
def test_unfit_sources_are_warned_of_too() -> None:
    Path("long.txt").write_text("a " * 1001 + "\n" + "b\n" * 17)
    result = score("long.txt", source="long.txt")
    assert "sentence 1: a sentence of 1,001 tokens" in result.stderr
    result = score("unspaced.txt", source="unspaced.txt")
    assert "unspaced.txt: sentence 1: 18 of 18 sentences are a single token" in result.stderr


@pytest.mark.usefixtures("folder")
def test_unfit_texts_are_warned_of_by_annotate() -> None:
    arguments = ("annotate", "--lang", "plain", "-o", "out.m2", "--src", "src.txt", "--cor")
    result = run(*arguments, "raw.txt")
    assert result.exit_code == 0
    assert "raw.txt, line 1: 18 of 18 sentences are not tokenized" in result.stderr
    assert "tokenized" not in run(*arguments, "ref.txt").stderr
    Path("out.m2").unlink()
    result = run(*arguments, "unspaced.txt", "--tokenize")
    assert "single token" not in result.stderr


@pytest.mark.usefixtures("folder")
def test_fix_tokenizes_all_or_writes_nothing() -> None:
    result = run("check", "src.txt", "raw.txt", "--fix", "mended.txt")
    assert "1 repair, written to mended.txt" in result.stdout
    assert "18 lines: tokenized like the source" in result.stdout
    assert Path("mended.txt").read_text() == Path("ref.txt").read_text()
    assert run("check", "src.txt", "mended.txt").exit_code == 0
