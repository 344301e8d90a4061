"""``geceval references``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval.cli import main

GOLD = """\
S a b c
A 0 1|||X|||x|||REQUIRED|||-NONE-|||0
A 2 3|||X|||z|||REQUIRED|||-NONE-|||1

S d
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def gold(tmp_path: Path) -> str:
    path = tmp_path / "gold.m2"
    path.write_text(GOLD, encoding="utf-8")
    return str(path)


def test_references_count(gold: str) -> None:
    """Two errors, each corrected by one of two annotators, may each be left alone."""
    data = json.loads(CliRunner().invoke(main, ["references", gold, "--json"]).stdout)
    assert data == {"schema": 1, "counts": [4, 1], "incomplete": 0}


def test_references_list(gold: str) -> None:
    arguments = ["references", gold, "--list", "9", "--json"]
    data = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert sorted(data["references"][0]) == ["a b c", "a b z", "x b c", "x b z"]
    assert data["references"][1] == ["d"]
    shown = CliRunner().invoke(main, ["references", gold, "--list", "2"])
    assert shown.exit_code == 0
    assert "4 references" in shown.output


def test_references_table_and_bad_usage(gold: str) -> None:
    assert (
        "Sentences by number of references" in CliRunner().invoke(main, ["references", gold]).output
    )
    refused = CliRunner().invoke(main, ["references", gold, "--count", "--list", "1"])
    assert refused.exit_code == 2
