"""No command writes over what it reads, by whatever name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval.cli import main
from geceval.errors import OptionError
from geceval.formats import open_output
from geceval.storage.atomic import protecting, write_bytes

DEMO = Path(str(files("geceval") / "data" / "demo"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("gold.m2", "careful.txt", "eager.txt"):
        shutil.copy(DEMO / name, tmp_path / name)
    (tmp_path / "a").mkdir()
    shutil.copy(DEMO / "gold.m2", tmp_path / "gold.m2.part")
    (tmp_path / "soft.m2").symlink_to("gold.m2")
    os.link(tmp_path / "gold.m2", tmp_path / "hard.m2")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SCORED = ["--gold", "gold.m2", "x=eager.txt", "-m", "bleu"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", *SCORED, "--per-sentence", "gold.m2"],
        ["score", *SCORED, "--per-sentence", "./a/../gold.m2"],
        ["score", *SCORED, "--per-sentence", "soft.m2"],
        ["score", *SCORED, "--per-sentence", "hard.m2"],
        ["score", *SCORED, "--per-sentence", "eager.txt"],
        ["score", "--src", "careful.txt", "--ref", "eager.txt", "y=careful.txt", "-m", "bleu",
         "--per-sentence", "eager.txt"],
        ["annotate", "--lang", "plain", "gold.m2", "-o", "hard.m2"],
        ["annotate", "--lang", "plain", "gold.m2.part", "-o", "gold.m2"],
        ["annotate", "--lang", "plain", "--src", "careful.txt", "--cor", "eager.txt", "-o",
         "eager.txt", "--to", "m2"],
        ["convert", "gold.m2", "gold.m2"],
        ["convert", "gold.m2", "soft.m2"],
        ["check", "gold.m2", "eager.txt", "--fix", "eager.txt"],
        ["check", "gold.m2", "eager.txt", "--fix", "hard.m2"],
        ["report", *SCORED, "-o", "hard.m2"],
        ["report", *SCORED, "-o", "r.html", "--results", "soft.m2"],
        ["report", *SCORED, "-o", "r.html", "--results", "r.html"],
        ["types", "train", "gold.m2", "-o", "hard.m2", "--lang", "plain"],
        ["metaeval", "maege", "gold.m2", "-m", "bleu", "--lang", "plain", "-o", "hard.m2"],
        ["metaeval", "maege", "gold.m2", "-m", "bleu", "--lang", "plain", "--resume", "soft.m2"],
        ["metaeval", "maege", "gold.m2", "-m", "bleu", "--lang", "plain", "--ref", "eager.txt",
         "-o", "eager.txt"],
        ["metaeval", "human", "n=gold.m2", "--systems", ".", "-o", "hard.m2"],
        ["metaeval", "seeda", "a", "--gold", "gold.m2", "--resume", "hard.m2"],
        ["demo", "-o", "."],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_command_writes_over_its_inputs(folder: Path, arguments: list[str]) -> None:
    (folder / "README.md").write_text("mine")
    before = contents(folder)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2, result.output
    assert "would be written over" in result.output
    assert contents(folder) == before


def test_made_names_do_not_replace_inputs(folder: Path) -> None:
    """With several metrics, names of files are made of that which was given."""
    shutil.copy("gold.m2", "s.bleu.tsv")
    before = contents(folder)
    result = CliRunner().invoke(
        main,
        ["score", "--gold", "s.bleu.tsv", "--format", "m2", "x=eager.txt", "-m", "bleu,gleu",
         "--per-sentence", "s.tsv"],
    )  # fmt: skip
    assert (result.exit_code, contents(folder)) == (2, before)
    assert "s.bleu.tsv would be written over" in result.output


def test_tables_do_not_replace_inputs(folder: Path) -> None:
    (folder / "t").mkdir()
    shutil.copy("eager.txt", "t/scoreboard.csv")
    before = (folder / "t/scoreboard.csv").read_bytes()
    result = CliRunner().invoke(
        main,
        ["report", "--gold", "gold.m2", "x=t/scoreboard.csv", "-m", "bleu", "--tables", "t",
         "--hyp-format", "parallel"],
    )  # fmt: skip
    assert "scoreboard.csv would be written over" in result.output
    assert result.exit_code == 2
    assert (folder / "t/scoreboard.csv").read_bytes() == before


def test_what_standard_input_reads_is_not_replaced(folder: Path) -> None:
    before = contents(folder)
    with open("gold.m2", "rb") as gold:
        done = subprocess.run(
            [sys.executable, "-m", "geceval", "convert", "-", "hard.m2"],
            stdin=gold, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, contents(folder)) == (2, before)
    assert "hard.m2 would be written over" in done.stderr


def test_devices_can_be_written(folder: Path) -> None:
    result = CliRunner().invoke(main, ["convert", "gold.m2", "/dev/null", "--to", "m2"])
    assert result.exit_code == 0
    assert (folder / "gold.m2").read_bytes() == (DEMO / "gold.m2").read_bytes()


@pytest.mark.usefixtures("folder")
def test_protection_ends_with_its_block() -> None:
    with protecting(["gold.m2"]):
        with pytest.raises(OptionError, match="would be written over"), open_output("hard.m2"):
            pass
        with pytest.raises(OptionError, match="would be written over"):
            write_bytes("soft.m2", b"")
    with open_output("gold.m2") as out:
        out.write("S a\n\n")
    assert Path("gold.m2").read_text() == "S a\n\n"
