"""``geceval types``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main

pytest.importorskip("sklearn")

NOUNS = ("cat", "dog", "house", "tree")
GOLD = "\n".join(
    f"S two {noun} are here\nA 1 2|||Nn|||{noun}s|||REQUIRED|||-NONE-|||0\n\n"
    f"S so the {noun} is here\nA 1 1|||Mec|||,|||REQUIRED|||-NONE-|||0\n"
    for noun in NOUNS
)
OTHER = """\
S two car are here
A 1 2|||Nn|||cars|||REQUIRED|||-NONE-|||0

S so the car is here
A 1 1|||Trans|||,|||REQUIRED|||-NONE-|||0
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["types", *arguments])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
    (tmp_path / "other.m2").write_text(OTHER, encoding="utf-8")
    result = run("train", f"{tmp_path}/gold.m2", "-o", f"{tmp_path}/model.json", "--lang", "plain")
    assert result.exit_code == 0, result.output
    assert "8 edits, 2 types" in result.stderr
    assert "100.0% are correct" in result.stderr
    return tmp_path


def test_types_eval_json(files: Path) -> None:
    result = run("eval", f"{files}/model.json", f"{files}/other.m2", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "schema": 1,
        "edits": 2,
        "accuracy": 0.5,
        "types": {
            "Mec": {"tp": 0, "fp": 1, "fn": 0, "precision": 0.0, "recall": 1.0, "f": 0.0},
            "Nn": {"tp": 1, "fp": 0, "fn": 0, "precision": 1.0, "recall": 1.0, "f": 1.0},
            "Trans": {"tp": 0, "fp": 0, "fn": 1, "precision": 1.0, "recall": 0.0, "f": 0.0},
        },
        "confusions": [{"gold": "Trans", "named": "Mec", "count": 1}],
        "warnings": [],
    }


def test_types_eval_tables(files: Path) -> None:
    result = run("eval", f"{files}/model.json", f"{files}/other.m2")
    assert result.exit_code == 0, result.output
    assert "2 edits, 50.0% correct" in result.stdout
    assert "Most frequent confusions" in result.stdout


def test_types_model_types_edits_of_a_metric(files: Path) -> None:
    (files / "out.txt").write_text("two cars are here\nso , the car is here\n", encoding="utf-8")
    arguments = ["-m", f"errant(typer=learned:{files}/model.json)", "--lang", "plain"]
    given = ["--gold", f"{files}/other.m2", f"{files}/out.txt", "--json", "--auto-gold"]
    result = CliRunner().invoke(main, ["score", *arguments, *given, "--per-type"])
    assert result.exit_code == 0, result.output
    (record,) = json.loads(result.stdout)["results"]
    assert {name: row["tp"] for name, row in record["types"].items()} == {"Mec": 1, "Nn": 1}


def test_types_eval_warns_of_another_model(files: Path) -> None:
    path = files / "model.json"
    text = path.read_text(encoding="utf-8").replace('"model": "none"', '"model": "en_x-1"')
    path.write_text(text, encoding="utf-8")
    result = run("eval", f"{files}/model.json", f"{files}/other.m2", "--json")
    (warning,) = json.loads(result.stdout)["warnings"]
    assert "the typer was trained with en_x-1, not with none" in warning


@pytest.mark.parametrize("command", ["train", "eval"])
def test_types_need_typed_edits(command: str, files: Path) -> None:
    (files / "bare.m2").write_text("S a b\n", encoding="utf-8")
    given = {
        "train": [f"{files}/bare.m2", "-o", f"{files}/x.json", "--lang", "plain"],
        "eval": [f"{files}/model.json", f"{files}/bare.m2"],
    }
    result = run(command, *given[command])
    assert result.exit_code == 1
    assert "has no typed edits" in result.stderr
    assert not (files / "x.json").exists()


def test_types_eval_refuses_other_files(files: Path) -> None:
    result = run("eval", f"{files}/gold.m2", f"{files}/other.m2")
    assert result.exit_code == 1
    assert "expected a model of 'geceval types train'" in result.stderr


def test_types_unknown_language(files: Path) -> None:
    result = run("train", f"{files}/gold.m2", "-o", f"{files}/x.json", "--lang", "plan")
    assert result.exit_code == 1
    assert "plain" in result.stderr
