"""Wrong calls, and whether what is said about them helps."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval.cli import main

DATA = Path(str(files("geceval") / "data" / "demo"))
GIVE_GOLD = "no gold standard is given: give --gold, or --src and --ref"
OTHER_LANGUAGE = (
    "unknown language 'xx'; for a language that has no pack take 'universal' with a spaCy pipeline "
    "as the model or with --analyses, a CoNLL-U file of any parser, or 'plain', which needs no "
    "model; 'geceval lang' lists the packs"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("gold.m2", "careful.txt", "eager.txt", "unchanged.txt"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    (tmp_path / "empty.txt").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("score careful.txt", 2, GIVE_GOLD),
        ("score gold.m2 careful.txt", 2, f"{GIVE_GOLD}; if gold.m2 is it, write --gold gold.m2"),
        ("compare careful.txt eager.txt", 2, GIVE_GOLD),
        ("report careful.txt eager.txt", 2, GIVE_GOLD),
        ("score -m all careful.txt", 2, GIVE_GOLD),
        (
            "score --gold careful.txt gold.m2",
            1,
            (
                "careful.txt has no annotations to score against; --gold takes a file that has "
                "them, such as M2, and the outputs of systems are named without an option"
            ),
        ),
        (
            "score --gold gold.m2 --ref careful.txt eager.txt",
            2,
            (
                "--gold and --ref exclude each other: a gold standard has its own sources and "
                "references"
            ),
        ),
        ("score -m gleu --src a.txt careful.txt", 2, "--src needs --ref, the corrected sentences"),
        ("score -m gleu --ref a.txt careful.txt", 2, "--ref needs --src, the source sentences"),
        (
            "score --src unchanged.txt --ref careful.txt eager.txt",
            2,
            (
                "m2 compares annotators' edits, which --src and --ref do not have: give --gold, or "
                "choose another metric, such as -m gleu, or let --auto-gold extract edits from the "
                "references"
            ),
        ),
        ("score --gold gold.m2 empty.txt", 1, "empty.txt has no sentences"),
        ("score --gold empty.txt careful.txt", 1, "empty.txt has no sentences"),
        ("score --gold folder careful.txt", 1, "folder: cannot be read: is a directory"),
        ("score --gold gold.m2 folder", 1, "folder: cannot be read: is a directory"),
        (
            "score --gold gold.m2 missing.txt",
            1,
            "missing.txt: cannot be read: no such file or directory",
        ),
        ("score --gold - -", 2, "standard input (-) can be read only once: give files"),
        ("score --gold - careful.txt", 1, "standard input has no sentences"),
        ("score --glod gold.m2 careful.txt", 2, "No such option '--glod'. Did you mean '--gold'?"),
        ("annotate --gold gold.m2", 2, "No such option '--gold'."),
        ("score -m errant --lang xx --gold gold.m2 careful.txt", 2, OTHER_LANGUAGE),
        ("annotate --lang xx unchanged.txt careful.txt", 1, OTHER_LANGUAGE),
        (
            "explain --lang English a b",
            1,
            "unknown language 'English'; did you mean 'en'?",
        ),
        (
            "explain --lang plane a b",
            1,
            "unknown language 'plane'; did you mean 'plain'?",
        ),
        (
            "report careful.txt",
            1,
            (
                "careful.txt: not a results file of 'geceval report'; to score a system, give "
                "--gold, or --src and --ref"
            ),
        ),
        ("references careful.txt", 1, "careful.txt has no annotations to mix"),
        (
            "explain - -",
            2,
            "each - is a line of standard input, which should have 2 lines, not 0",
        ),
    ],
)
def test_wrong_calls_are_told_what_helps(call: str, code: int, message: str) -> None:
    result = CliRunner().invoke(main, call.split())
    assert result.stderr.strip().split("\n")[-1] == f"Error: {message}"
    assert result.exit_code == code


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (["-", "-"], "I likes - it\nI like - it\n"),
        (["-", "I like - it"], "I likes - it\n"),
        (["I likes - it", "-"], "I like - it"),
    ],
)
def test_explain_reads_standard_input(arguments: list[str], given: str) -> None:
    call = ["explain", "--lang", "plain", "--json"]
    direct = CliRunner().invoke(main, [*call, "I likes - it", "I like - it"])
    result = CliRunner().invoke(main, [*call, *arguments], input=given)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json.loads(direct.stdout)
    assert [edit["correction"] for edit in json.loads(result.stdout)["edits"]] == [["like"]]


def test_explain_refuses_lines_that_nothing_asks_for() -> None:
    call = ["explain", "--lang", "plain", "-", "b"]
    result = CliRunner().invoke(main, call, input="a\nb\nc\n")
    assert result.exit_code == 2
    assert "which should have 1 line, not 3" in result.stderr
