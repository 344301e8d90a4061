"""``geceval difficulty``, and the weights that it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main

GOLD = """\
S He go to school yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||did go|||REQUIRED|||-NONE-|||1

S I likes cat .
A 1 2|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
"""
FILES = {
    "gold.m2": GOLD,
    "src.txt": "He go to school yesterday .\nI likes cat .\n",
    "ref.txt": "He went to school yesterday .\nI like cats .\n",
    "good.txt": "He went to school yesterday .\nI like cat .\n",
    "bad.txt": "He go to the school yesterday .\nI likes cat .\n",
}
SYSTEMS = ("good.txt", "bad.txt")
LANG = ("--lang", "plain")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def data_of(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_difficulty_by_type_and_weight_file(folder: Path) -> None:
    data = data_of("difficulty", "--gold", "gold.m2", *LANG, *SYSTEMS, "-o", "weights.txt")
    assert data["systems"] == ["good", "bad"]
    assert [(one["type"], one["mean"]) for one in data["types"]] == [
        ("R:NOUN:NUM", 1.0),
        ("R:VERB:SVA", 0.5),
        ("R:VERB:TENSE", 0.5),
    ]
    assert (folder / "weights.txt").read_text() == (
        "2\n2 2 2 1 2 2 1 2 2 2 2 2 2\n2 2 2 1 2 0 2 2 2\n"
    )
    shown = run("difficulty", "--gold", "gold.m2", *LANG, *SYSTEMS)
    assert "Difficulty of gold edits for 2 systems" in shown.stdout
    assert "|difficulty:2 systems " in shown.stdout


def test_difficulty_weights_are_reused_by_score() -> None:
    scoring = ("score", "-m", "gotoscorer", *LANG, "--gold", "gold.m2", "--resamples", "0")
    together = data_of(*scoring, *SYSTEMS)["results"]
    run("difficulty", "--gold", "gold.m2", *LANG, *SYSTEMS, "-o", "weights.txt")
    for options in (("--weights", "weights.txt"), ("-m", "gotoscorer(weights=weights.txt)")):
        arguments = scoring if options[0] == "--weights" else (*scoring[:1], *scoring[3:])
        [alone] = data_of(*arguments, *options, "good.txt")["results"]
        assert alone == together[0]
    compared = data_of("compare", *scoring[1:-2], "--weights", "weights.txt", *SYSTEMS)
    assert compared["comparisons"][0]["signature"] == together[0]["signature"]


def test_difficulty_of_another_annotator_and_of_text() -> None:
    other = data_of("difficulty", "--gold", "gold.m2", "--annotator", "1", *LANG, *SYSTEMS)
    assert [one["n_edits"] for one in other["types"]] == [1]
    text = data_of("difficulty", "--src", "src.txt", "--ref", "ref.txt", *LANG, *SYSTEMS)
    assert sum(one["n_edits"] for one in text["types"]) == 3
    assert "|gold:auto|" in text["configuration"]


def test_difficulty_wrong_usage() -> None:
    for arguments, message in (
        (("difficulty", "--gold", "gold.m2", "good.txt"), "give at least two systems"),
        (("difficulty", "--gold", "gold.m2", *SYSTEMS, "-o", "gold.m2"), "written over"),
        (("score", "-m", "gotoscorer", "--gold", "gold.m2", "good.txt"), "at least two systems"),
        (("score", "-m", "m2", "--weights", "x", "--gold", "gold.m2", *SYSTEMS), "weights"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert message in " ".join(result.output.split())
    unknown = run("difficulty", "--gold", "gold.m2", "--annotator", "7", *LANG, *SYSTEMS)
    assert unknown.exit_code == 1
    assert "unknown annotator '7'" in unknown.output


def test_difficulty_weights_must_be_weights() -> None:
    scoring = ("score", "-m", "gotoscorer", *LANG, "--gold", "gold.m2", "good.txt")
    result = run(*scoring, "--weights", "ref.txt")
    assert result.exit_code == 1
    assert "ref.txt, line 1: expected the number of systems, found 'He went" in result.output
    written = run(*scoring, "--weights", "ref.txt", "--per-sentence", "ref.txt")
    assert written.exit_code == 2
    assert "ref.txt would be written over" in written.output


def test_all_metrics_include_gotoscorer_with_several_systems() -> None:
    scoring = ("score", "-m", "all", "--gold", "gold.m2", "--resamples", "0")
    several = data_of(*scoring, *SYSTEMS)
    assert {"gotoscorer", "ged"} <= {one["metric"] for one in several["results"]}
    alone = data_of(*scoring, "good.txt")
    assert "gotoscorer" not in {one["metric"] for one in alone["results"]}
    assert any(line.startswith("gotoscorer is skipped") for line in alone["warnings"])
