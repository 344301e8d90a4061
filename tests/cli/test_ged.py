"""Labels of tokens on the command line: what scores them, and what must not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main

GOLD = "He\tc\ngo\ti\nto\ti\nhome\tc\n.\tc\n\nYes\tc\n!\tc\n"
SYSTEM = "He\tc\ngo\ti\nto\tc\nhome\ti\n.\tc\n\nYes\tc\n!\tc\n"
TEXT = "He goes home .\nYes !\n"
TYPED = """\
S He go to home .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0

S Yes !
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
FILES = {
    "gold.tsv": GOLD,
    "system.tsv": SYSTEM,
    "other.tsv": SYSTEM.replace("home\ti", "home\tc"),
    "words.tsv": "He\ngo\nto\nhome\n.\n\nYes\n!\n",
    "text.txt": TEXT,
    "gold.m2": TYPED,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def scored(*arguments: str) -> Any:
    result = run("score", *arguments, "--resamples", "0", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def counts(record: dict[str, Any]) -> list[int]:
    return [record["parts"][name] for name in ("tp", "fp", "fn")]


def test_ged_scores_labels_and_corrections() -> None:
    for name in ("ged", "detection", "GED"):
        [record] = scored("-m", name, "--gold", "gold.tsv", "system.tsv")["results"]
        assert counts(record) == [1, 1, 1]
    [record] = scored("-m", "ged", "--lang", "plain", "--gold", "gold.tsv", "text.txt")["results"]
    assert counts(record) == [2, 0, 0]
    [record] = scored("-m", "ged", "--gold", "gold.m2", "system.tsv")["results"]
    assert counts(record) == [1, 1, 1]


def test_ged_by_class() -> None:
    arguments = ("-m", "ged(grain=category)", "--lang", "plain", "--auto-gold", "--per-type")
    [record] = scored(*arguments, "--gold", "gold.m2", "text.txt")["results"]
    assert record["parts"]["micro_F0.5"] == 1.0
    assert {one["tp"] for one in record["types"].values()} == {1}


def test_ged_compares_and_reports_labels(folder: Path) -> None:
    systems = ("system.tsv", "other.tsv")
    result = run("compare", "-m", "ged", "--gold", "gold.tsv", *systems, "--json")
    assert json.loads(result.stdout)["comparisons"][0]["metric"] == "ged"
    result = run("report", "-m", "ged", "--gold", "gold.tsv", *systems, "--resamples", "20")
    assert result.exit_code == 0, result.output
    results = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert results["scores"]["ged"]["other"]["parts"]["fp"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gold", "gold.tsv", "system.tsv"), "system labels tokens as correct or incorrect"),
        (("--gold", "gold.m2", "system.tsv"), "system labels tokens as correct or incorrect"),
        (("-m", "ged,gleu", "--gold", "gold.tsv", "system.tsv"), "gleu cannot be used"),
        (("--gold", "gold.tsv", "text.txt"), "gold.tsv marks errors without correcting them"),
        (("-m", "errant", "--gold", "gold.tsv", "text.txt"), "errant cannot be used"),
        (("-m", "ged", "--gold", "gold.tsv", "words.tsv"), "the file extension is .tsv"),
        (
            ("-m", "ged", "--gold", "gold.tsv", "--hyp-format", "multiged", "words.tsv"),
            "the tokens have no labels",
        ),
        (("-m", "ged(grain=both)", "--gold", "gold.m2", "system.tsv"), "only labels tokens"),
    ],
)
def test_ged_labels_give_no_other_number(arguments: tuple[str, ...], message: str) -> None:
    result = run("score", *arguments)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())


def test_ged_labels_as_plain_text_are_found_out() -> None:
    result = run("score", "--gold", "gold.m2", "--hyp-format", "parallel", "system.tsv")
    assert result.exit_code == 1
    assert "has 2 sentences but system has 8" in result.output
    raw = run("score", "-m", "ged", "--gold", "gold.tsv", "--tokenize", "system.tsv")
    assert raw.exit_code == 2
    assert "system labels tokens, and is no text" in raw.output


def test_ged_labels_in_a_text_file_need_their_format(folder: Path) -> None:
    (folder / "system.txt").write_text(SYSTEM, encoding="utf-8")
    arguments = ("-m", "ged", "--gold", "gold.tsv", "system.txt")
    result = run("score", *arguments)
    assert result.exit_code == 1
    assert "use --hyp-format multiged to read it as labels" in result.output
    [record] = scored(*arguments, "--hyp-format", "multiged")["results"]
    assert counts(record) == [1, 1, 1]


def test_ged_is_what_remains_of_all_metrics() -> None:
    data = scored("-m", "all", "--gold", "gold.tsv", "system.tsv")
    assert [record["metric"] for record in data["results"]] == ["ged"]
    assert any("skipped m2, " in line for line in data["warnings"])


def test_ged_detections_are_scored_by_errant_as_before() -> None:
    for name in ("gold", "system"):
        assert run("convert", f"{name}.tsv", f"{name}-labels.m2").exit_code == 0
    options = ("--gold", "gold-labels.m2", "system-labels.m2")
    [record] = scored("-m", "errant(mode=token-detection)", *options)["results"]
    assert counts(record) == [1, 1, 1]
    [record] = scored("-m", "ged", *options)["results"]
    assert counts(record) == [1, 1, 1]


def test_ged_is_no_reference_for_text(folder: Path) -> None:
    (folder / "src.txt").write_text("He go to home .\nYes !\n", encoding="utf-8")
    result = run("score", "-m", "ged", "--src", "src.txt", "--ref", "gold.tsv", "text.txt")
    assert result.exit_code == 1
    assert "expected plain text, found MultiGED" in result.output


def test_ged_a_blank_line_in_one_file_is_located(folder: Path) -> None:
    text = SYSTEM.replace("to\tc\n", "to\tc\n\n")
    (folder / "blank.tsv").write_text(text, encoding="utf-8")
    result = run("score", "-m", "ged", "--gold", "gold.tsv", "blank.tsv")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: gold.tsv has 2 sentences but blank has 3; sentence 1: it has 3 tokens, but the "
        "gold standard has 5; token 4 (about line 4) is in one file only, or a blank line is\n"
    )
