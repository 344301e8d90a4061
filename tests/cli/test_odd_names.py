"""Names that are long, empty, or hold what no name should."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval.cli import main

DEMO = Path(str(files("geceval") / "data" / "demo"))
GOLD, EAGER = str(DEMO / "gold.m2"), str(DEMO / "eager.txt")
LONG = "n" * 300
ODD = "a\x1b[31m\tb\u202e\nc"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", [LONG, ODD, "😀" * 120, "../../x"])
def test_any_name_of_a_system_will_do(name: str) -> None:
    scored = ["--gold", GOLD, f"{name}={EAGER}", "-m", "bleu,gleu", "--resamples", "9"]
    for arguments in (
        ["score", *scored, "--per-sentence", "s.tsv"],
        ["report", *scored, "-o", "r.html", "--tables", "t", "--figures", "f"],
    ):
        result = CliRunner().invoke(main, arguments)
        assert (result.exit_code, result.exception) == (0, None), result.output
    lines = Path("s.bleu.tsv").read_text(encoding="utf-8").split("\n")
    assert len(lines) == 122
    assert {line.count("\t") for line in lines[:-1]} == {lines[0].count("\t")}
    assert not [path for path in Path("..").resolve().iterdir() if path.name.startswith("x")]
    assert len(list(Path("f").glob("*.svg"))) == len(list(Path("f").glob("*.png"))) > 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["score", "--gold", GOLD, LONG], 1, "file name too long"),
        (["score", "--gold", GOLD, f"x={LONG}"], 1, "file name too long"),
        (["score", "--gold", GOLD, f"={EAGER}"], 2, "write NAME=FILE"),
        (["score", "--gold", GOLD, f"  ={EAGER}"], 2, "write NAME=FILE"),
        (["score", "--gold", GOLD, "x="], 2, "the name of a file to read is empty"),
        (["score", "--gold", "", EAGER], 2, "the name of a file to read is empty"),
        (["score", "--gold", GOLD, EAGER, "--per-sentence", ""], 2, "to write is empty"),
        (["score", "--gold", GOLD, EAGER, "-m", "bleu,gleu", "--per-sentence", "/"], 2, "folder"),
        (["score", "--gold", GOLD, EAGER, "--per-sentence", LONG], 1, "file name too long"),
        (["report", "--gold", GOLD, EAGER, "-o", ""], 2, "to write is empty"),
        (["report", "--gold", GOLD, EAGER, "-o", "/"], 2, "/ is a folder"),
        (["report", "--gold", GOLD, EAGER, "-m", "bleu", "-o", LONG], 1, "file name too long"),
        (["convert", GOLD, ""], 2, "to write is empty"),
        (["convert", GOLD, f"{LONG}.m2"], 1, "file name too long"),
        (["check", GOLD, "--fix", ""], 2, "to write is empty"),
        (["annotate", "--lang", "plain", GOLD, "-o", f"{LONG}.m2"], 1, "file name too long"),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, list) else None,
)
def test_names_that_are_no_files_are_one_sentence(
    arguments: list[str], code: int, message: str
) -> None:
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, type(result.exception)) == (code, SystemExit), result.output
    assert message in result.output


def test_name_that_just_fits_is_written() -> None:
    name = "n" * 252 + ".m2"
    result = CliRunner().invoke(main, ["convert", GOLD, name])
    assert (result.exit_code, Path(name).is_file()) == (0, True), result.output
