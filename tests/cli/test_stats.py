"""``geceval stats``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from running import run_geceval

GOLD = """S She like a tea .
A 1 2|||R:VERB|||likes||liked|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||-NONE-|||-NONE-|||0
A 3 4|||UNK|||tea|||REQUIRED|||-NONE-|||1

S Good .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    path = tmp_path / "gold.m2"
    path.write_text(GOLD)
    return path


def stats(*arguments: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(main, ["stats", *arguments], input=data)


RECORD = {
    "schema": 1,
    "sentences": 2,
    "tokens": 7,
    "empty": 0,
    "unannotated": 0,
    "edits": 3,
    "insertions": 0,
    "deletions": 1,
    "replacements": 1,
    "flags": 1,
    "optional": 1,
    "with_alternatives": 1,
    "annotators": {
        "0": {"sentences": 2, "noop": 1, "edits": 2},
        "1": {"sentences": 1, "noop": 0, "edits": 1},
    },
    "types": {"R:VERB": 1, "U:DET": 1, "UNK": 1},
    "edits_per_reading": {"0": 1, "1": 1, "2": 1},
    "lengths": {"2": 1, "5": 1},
    "format": "m2",
    "findings": [],
}


def test_stats_json(gold: Path) -> None:
    result = stats(gold.name, "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, RECORD)


def test_stats_of_compressed_files_and_standard_input(gold: Path) -> None:
    gold.write_bytes(gzip.compress(GOLD.encode()))
    assert json.loads(stats(gold.name, "--json").stdout) == RECORD
    assert json.loads(stats("-", "--json", data=GOLD.encode()).stdout) == RECORD


def test_stats_tables(gold: Path) -> None:
    result = stats(gold.name)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[:2] == [
        "gold.m2 (M2)",
        "2 sentences, 7 tokens, 3 edits: 1 replace, 0 insert, 1 delete, 1 only flag",
    ]
    assert " 0                  2          1      2                 28.57" in lines
    assert " U:DET        1  33.3  ████████████████████████████████████████" in lines


def test_stats_text_of_files_is_no_markup(gold: Path) -> None:
    gold.write_text("S a\nA 0 1|||[red]T[/red]|||x|||REQUIRED|||-NONE-|||[/x]\n")
    result = stats(gold.name)
    assert result.exit_code == 0
    assert "[red]T[/red]" in result.stdout
    assert "[/x]" in result.stdout


def test_stats_of_source_and_references(gold: Path) -> None:
    (gold.parent / "src.txt").write_text("a b\nc\n")
    (gold.parent / "ref.txt").write_text("a\nc\n")
    record = json.loads(stats("src.txt", "ref.txt", "--json").stdout)
    assert (record["format"], record["edits"], record["deletions"]) == ("parallel", 1, 1)


def test_stats_findings_go_to_standard_error(gold: Path) -> None:
    gold.write_text("S a\nA 4 5|||T|||x|||REQUIRED|||-NONE-|||0\n")
    result = stats(gold.name)
    assert result.exit_code == 0
    assert result.stderr == (
        "warning gold.m2, line 2: the edit 4 5 is out of range: the sentence ends at 1 "
        "(out-of-range)\n"
    )


def test_stats_of_nothing(gold: Path) -> None:
    gold.write_text("")
    result = stats(gold.name)
    assert result.exit_code == 0
    assert "0 sentences, 0 tokens, 0 edits" in result.stdout


def test_stats_of_long_sentences_and_many_types(gold: Path) -> None:
    blocks = [
        f"S {'w ' * length}\n"
        + "".join(
            f"A 0 1|||T{length}-{i}|||x|||REQUIRED|||-NONE-|||0\n" for i in range(length // 10)
        )
        for length in (1, 10, 11, 500)
    ]
    gold.write_text("\n".join(blocks))
    result = stats(gold.name)
    assert result.exit_code == 0
    for label in ("> 10 ", "1–10", "11–20", "> 100", "more types"):
        assert label in result.stdout


def test_stats_errors(gold: Path) -> None:
    assert run_geceval("stats", "gold.m2", "--format", "jsonl", folder=gold.parent) == (
        1,
        "",
        (
            "Error: gold.m2, line 1: not a sentence of this format: "
            "Expecting value: line 1 column 1 (char 0)\n"
        ),
    )
