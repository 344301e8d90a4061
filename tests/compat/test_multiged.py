"""The script of MultiGED-2023, and what it got wrong."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from geceval.compat import run_tool

GOLD = "He\tc\ngo\ti\nhome\tc\n\nWell\tc\ndone\ti\n\n"


def output(row: dict[str, str]) -> str:
    """Return what the script prints, from a row of the table of its scores."""
    numbers = "\t".join(row[name] for name in ("tp", "fp", "fn", "precision", "recall", "f"))
    title = "=========== Token-Based Detection ============"
    header = f"TP\tFP\tFN\tPrec\tRec\tF{float(row['beta'])}"
    return f"\n{title}\n{header}\n{numbers}\n{'=' * 46}\n\n"


@pytest.mark.parametrize("language", ["cs", "de", "en", "it", "sv"])
def test_multiged_prints_what_the_script_prints(
    language: str, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "lang" / "multiged"
    if not folder.is_dir():
        pytest.skip("the shared data has no labels")
    gold = folder / f"{language}.gold.tsv"
    systems = {"mixed": folder / f"{language}.mixed.tsv"}
    for name, label in (("none", "c"), ("all", "i")):
        lines = gold.read_text("utf-8").split("\n")
        made = [f"{line.split(chr(9))[0]}\t{label}" if line else "" for line in lines]
        systems[name] = tmp_path / f"{name}.tsv"
        systems[name].write_text("\n".join(made), encoding="utf-8")
    with (folder / "expected.tsv").open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["language"] == language]
    assert len(rows) == 6
    for row in rows:
        arguments = ["-hyp", str(systems[row["system"]]), "-ref", str(gold), "-b", row["beta"]]
        assert "".join(run_tool("multiged", arguments).out) == output(row)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("He\tc\ngo\ti\nhome\tc\n\n", "2 sentences but"),
        ("He\tc\ngo\ti\n\nhome\tc\n\nWell\tc\ndone\ti\n\n", "2 sentences but"),
        ("He\tc\ngoes\ti\nhome\tc\n\nWell\tc\ndone\ti\n\n", "'goes'"),
        ("He\tc\ngo\nhome\tc\n\nWell\tc\ndone\ti\n\n", "line 2"),
        ("He\tc\ngo\tx\nhome\tc\n\nWell\tc\ndone\ti\n\n", "line 2"),
    ],
)
def test_multiged_refuses_what_the_script_got_wrong(
    system: str, message: str, tmp_path: Path
) -> None:
    gold, own = tmp_path / "gold.tsv", tmp_path / "own.tsv"
    gold.write_text(GOLD, encoding="utf-8")
    own.write_text(system, encoding="utf-8")
    done = run_tool("multiged", ["-hyp", str(own), "-ref", str(gold)])
    assert (done.code, done.out) == (1, [])
    assert message in "".join(done.err)


def test_multiged_usage() -> None:
    done = run_tool("multiged", ["-hyp", "own.tsv"])
    assert done.code == 2
    assert "the following arguments are required: -ref" in "".join(done.err)
