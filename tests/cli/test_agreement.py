"""``geceval agreement``."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main

GOLD = str(files("geceval") / "data" / "demo" / "gold.m2")
ONE = "S a b\nA 0 1|||R:X|||x|||REQUIRED|||-NONE-|||0\n"
TWO = (
    "S a b\nA 0 1|||R:X|||x|||REQUIRED|||-NONE-|||0\nA 0 1|||R:X|||x|||REQUIRED|||-NONE-|||1\n\n"
    "S c d\nA 0 1|||R:X|||x|||REQUIRED|||-NONE-|||0\n"
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["agreement", *arguments, "--resamples", "100"])


def record(*arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return data


def test_agreement_json() -> None:
    data = record(GOLD, "-m", "m2,gleu")
    assert data["annotators"] == ["0", "1"]
    [pair] = data["pairs"]
    assert pair["edits"] == data["edits"]
    assert pair["edits"]["value"] == pytest.approx(
        2 * pair["common_edits"] / (pair["first_edits"] + pair["second_edits"])
    )
    for measure in (pair["edits"], pair["spans"], pair["kappa"], data["alpha"]):
        low, high = measure["interval"]
        assert low <= measure["value"] <= high
    assert data["types"]["R:SPELL"] == {"edits": 8, "f1": 1.0, "alpha": 1.0}
    assert [(one["metric"], one["annotator"]) for one in data["scores"]] == [
        ("m2", "0"), ("m2", "1"), ("gleu", "0"), ("gleu", "1"),
    ]  # fmt: skip


def test_agreement_scores_are_the_upper_bounds_of_the_report(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    system = str(files("geceval") / "data" / "demo" / "eager.txt")
    arguments = ["report", "--gold", GOLD, system, "-m", "m2", "--resamples", "0", "-o", str(page)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    results = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    bounds = [one["scores"]["m2"] for one in results["baselines"] if one["kind"] == "ceiling"]
    assert [one["score"] for one in record(GOLD, "-m", "m2")["scores"]] == bounds


def test_agreement_tables() -> None:
    shown = run(GOLD, "-m", "m2").stdout
    assert "Agreement of pairs of annotators" in shown
    assert "Krippendorff's α of tokens" in shown
    assert "Agreement by error type" not in shown
    assert "Agreement by error type" in run(GOLD, "-m", "m2", "--per-type").stdout
    assert run(GOLD, "-m", "m2", "--tsv").stdout.startswith("first\tsecond\tsentences\t")


@pytest.mark.parametrize(("policy", "f1"), [("absent", 1.0), ("noop", 2 / 3), ("same", 1.0)])
def test_agreement_of_absent_annotators(tmp_path: Path, policy: str, f1: float) -> None:
    path = tmp_path / "gold.m2"
    path.write_text(TWO)
    data = record(str(path), "-m", "m2", "--missing-annotator", policy)
    assert data["missing"] == policy
    assert data["edits"]["value"] == pytest.approx(f1)
    assert data["sentences"] == (1 if policy == "absent" else 2)
    assert record(str(path), "-m", "m2")["missing"] == "absent"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ONE, "has one annotator; agreement needs at least two"),
        ("a b\nc d e\n", "has no annotators"),
        (ONE + "\nS c\nA 0 1|||R:X|||x|||REQUIRED|||-NONE-|||1\n", "no sentence with two"),
    ],
)
def test_agreement_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / ("gold.m2" if text.startswith("S ") else "gold.txt")
    path.write_text(text)
    result = run(str(path), "-m", "m2")
    assert result.exit_code == 1
    assert message in result.output
