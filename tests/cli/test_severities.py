"""What is called an error makes a command fail; what a command survives is a warning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from running import run_geceval

PAST_THE_END = "S a\nA 4 5|||T|||x|||REQUIRED|||-NONE-|||0\n"
BAD_LINE = '["1", "2", ["English"], "German", ["a"], [[]]]\n["1", "2", \n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an edit past the end and a line that cannot be read."""
    (tmp_path / "gold.m2").write_text(PAST_THE_END)
    (tmp_path / "lang8.dat").write_text(BAD_LINE)
    (tmp_path / "out.txt").write_text("a\n")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "gold.m2", "out.jsonl"),
        ("convert", "lang8.dat", "out.m2"),
        ("score", "--gold", "gold.m2", "out.txt", "--resamples", "0"),
        ("compare", "--gold", "gold.m2", "one=out.txt", "two=out.txt", "--resamples", "100"),
        ("stats", "gold.m2"),
        ("references", "gold.m2"),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[1]}",
)
def test_severities_of_what_is_survived(folder: Path, arguments: tuple[str, ...]) -> None:
    code, _, errors = run_geceval(*arguments, folder=folder)
    assert code == 0
    assert "warning " in errors
    assert "error" not in errors


@pytest.mark.parametrize(
    "arguments",
    [("convert", "gold.m2", "out.jsonl", "--json"), ("stats", "gold.m2", "--json")],
    ids=lambda arguments: arguments[0],
)
def test_severities_in_json(folder: Path, arguments: tuple[str, ...]) -> None:
    code, out, _ = run_geceval(*arguments, folder=folder)
    assert code == 0
    findings = json.loads(out)["findings"]
    assert [(one["code"], one["severity"]) for one in findings] == [("out-of-range", "warning")]


def test_severities_of_the_doctor(folder: Path) -> None:
    code, out, _ = run_geceval("check", "gold.m2", folder=folder)
    assert (code, out.count("error ")) == (1, 1)
    code, out, _ = run_geceval("check", "gold.m2", "--json", folder=folder)
    assert (code, json.loads(out)["findings"][0]["severity"]) == (1, "error")
