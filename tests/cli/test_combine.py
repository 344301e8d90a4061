"""``geceval combine``."""

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

S I likes cat .
A 1 2|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0
"""
FILES = {
    "gold.m2": GOLD,
    "src.txt": "He go to school yesterday .\nI likes cat .\n",
    "ref.txt": "He went to school yesterday .\nI like cats .\n",
    "a.txt": "He went to school yesterday .\nI like cat .\n",
    "b.txt": "He went to a school yesterday .\nI likes cats .\n",
    "c.txt": "He go to school yesterday .\nI like cats .\n",
    "labels.tsv": "He\tc\ngo\ti\nto\tc\nschool\tc\nyesterday\tc\n.\tc\n\nI\tc\nlikes\ti\n",
}
LANG = ("--lang", "plain")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def combine(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["combine", *arguments])


def combined(*arguments: str) -> dict[str, Any]:
    result = combine(*arguments, "--json")
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_combine_majority(folder: Path) -> None:
    for given in (("--src", "src.txt"), ("--gold", "gold.m2")):
        data = combined(*given, *LANG, "a.txt", "b.txt", "c.txt", "-o", "out.txt")
        assert (folder / "out.txt").read_text() == FILES["ref.txt"]
        assert data == {
            "schema": 1,
            "votes": 2,
            "systems": [
                {"system": "a", "edits": 2, "accepted": 2},
                {"system": "b", "edits": 3, "accepted": 2},
                {"system": "c", "edits": 2, "accepted": 2},
            ],
            "edits": 3,
            "outvoted": 1,
            "conflicting": 0,
            "warnings": [],
        }


def test_combine_prints_text_and_summary_apart() -> None:
    result = combine("--vote", "3", "--src", "src.txt", *LANG, "a.txt", "b.txt", "c.txt", "-o", "-")
    assert result.stdout == FILES["src.txt"]
    assert "Edits with at least 3 of 3 votes" in result.stderr
    assert "0 edits accepted, 4 outvoted" in result.stderr


def test_combine_oracle(folder: Path) -> None:
    arguments = ("--oracle", "m2", "--gold", "gold.m2", "a.txt", "b.txt", "c.txt")
    data = combined(*arguments, "-o", "out.txt")
    assert [one["system"] for one in data["results"]] == ["a", "b", "c", "oracle"]
    assert data["results"][-1]["score"] == 1.0
    assert (data["exact"], data["sentences"]) == (True, {"a": 1, "b": 0, "c": 1})
    assert (folder / "out.txt").read_text() == FILES["ref.txt"]
    shown = combine(*arguments)
    assert "oracle" in shown.stdout
    assert "exact: no selection of outputs has a better score" in shown.stdout
    text = combine(*arguments, "-o", "-")
    assert text.stdout == FILES["ref.txt"]
    assert "MaxMatch (M²) of the oracle: 1.0000 (exact" in text.stderr


def test_combine_oracle_of_text() -> None:
    data = combined("--oracle", "gleu", "--src", "src.txt", "--ref", "ref.txt", "a.txt", "c.txt")
    assert data["exact"] is False
    assert data["results"][-1]["score"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--src", "src.txt", "a.txt"), "give at least two systems"),
        (("a.txt", "b.txt"), "give the source sentences, as --src or as --gold"),
        (("--src", "src.txt", "--gold", "gold.m2", "a.txt", "b.txt"), "and not both"),
        (("--src", "src.txt", "--ref", "ref.txt", "a.txt", "b.txt"), "votes need no --ref"),
        (("--vote", "3", "--src", "src.txt", "a.txt", "b.txt"), "2 systems cannot give 3 votes"),
        (("--vote", "0", "--src", "src.txt", "a.txt", "b.txt"), "0 is not in the range"),
        (("--vote", "1", "--oracle", "m2", "--gold", "gold.m2", "a.txt", "b.txt"), "exclude"),
        (("--oracle", "m2,gleu", "--gold", "gold.m2", "a.txt", "b.txt"), "takes one metric"),
        (("--oracle", "all", "--gold", "gold.m2", "a.txt", "b.txt"), "takes one metric"),
        (("--oracle", "m3", "--gold", "gold.m2", "a.txt", "b.txt"), "unknown metric 'm3'"),
        (("--oracle", "m2", "a.txt", "b.txt"), "no gold standard is given"),
        (("--src", "src.txt", "a.txt", "b.txt", "-o", "a.txt"), "a.txt would be written over"),
        (("--src", "src.txt", "a.txt", "b.txt", "-o", "out.m2"), "out.m2 is named like M2"),
        (("--src", "src.txt", "a.txt", "b.txt", "--json", "-o", "-"), "would both write"),
        (("--src", "src.txt", "a.txt", "labels.tsv"), "labels labels tokens, and is no text"),
    ],
)
def test_combine_wrong_usage(arguments: tuple[str, ...], message: str, folder: Path) -> None:
    result = combine(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert (folder / "a.txt").read_text() == FILES["a.txt"]


def test_combine_refuses_files_that_do_not_fit(folder: Path) -> None:
    (folder / "short.txt").write_text("He went .\n", encoding="utf-8")
    result = combine("--src", "src.txt", *LANG, "a.txt", "short.txt", "-o", "out.txt")
    assert result.exit_code == 1
    assert "src.txt has 2 sentences but short has 1" in result.output
    assert not (folder / "out.txt").exists()
    same = combine("--src", "src.txt", *LANG, "a.txt", "a.txt")
    assert same.exit_code == 1
    assert "two systems are called 'a'" in same.output
