"""``--slices`` of score, compare and report."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.report.results_loader import load

DEMO = Path(str(files("geceval") / "data" / "demo"))
LEVELS = "A" * 50 + "B" * 40 + "N" * 30
INPUTS = [
    "--gold",
    str(DEMO / "gold.m2"),
    *(str(DEMO / f"{name}.txt") for name in ("careful", "eager")),
]
QUICK = ["--resamples", "100"]


@pytest.fixture
def levels(tmp_path: Path) -> str:
    path = tmp_path / "levels.txt"
    path.write_text("".join(f"{level}\n" for level in LEVELS))
    return str(path)


def run(command: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, [command, *INPUTS, *QUICK, *arguments])


def record(command: str, *arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(command, *arguments, "--json").stdout)
    return data


def test_score_slices_json(levels: str) -> None:
    data = record("score", "--slices", levels)
    plain = record("score")
    for result, same in zip(data["results"], plain["results"], strict=True):
        found = result.pop("slices")["levels"]
        assert result == same
        assert [one["sentences"] for one in found["labels"].values()] == [50, 40, 30]
        assert list(found["labels"]) == ["A", "B", "N"]
        assert (
            sum(one["parts"]["proposed"] for one in found["labels"].values())
            == (result["parts"]["proposed"])
        )
        values = [one["score"] for one in found["labels"].values()]
        assert found["macro"]["score"] == pytest.approx(sum(values) / 3)
        low, high = found["macro"]["interval"]
        assert low <= found["macro"]["score"] <= high


def test_score_slices_table_and_tsv(levels: str) -> None:
    assert "macro average" in run("score", "--slices", levels).stdout
    lines = run("score", "--slices", levels, "--tsv").stdout.splitlines()
    assert "slice\tsentences\tsystem\tF0.5\tlow\thigh" in lines
    assert sum(line.startswith("macro average\t120\t") for line in lines) == 2


def test_compare_slices(levels: str) -> None:
    data = record("compare", "--slices", levels)
    rows = data["slices"]
    assert [(row["labeling"], row["label"], row["sentences"]) for row in rows] == [
        ("levels", "A", 50), ("levels", "B", 40), ("levels", "N", 30), ("levels", None, 120),
    ]  # fmt: skip
    assert data["comparisons"] == record("compare")["comparisons"]
    assert "by levels: second − first" in run("compare", "--slices", levels).stdout


def test_report_slices_are_those_of_score(levels: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = run(
        "report", "-m", "m2", "--slices", levels, "-o", str(page), "--tables", str(tmp_path / "t")
    )
    assert done.exit_code == 0, done.output
    results = load(tmp_path / "report.json")
    [partition] = [one for one in results["slices"] if "macro" in one]
    scores = record("score", "--slices", levels)["results"]
    for result in scores:
        found = result["slices"]["levels"]
        for one in partition["bins"]:
            expected = found["labels"][one["label"]]
            assert one["sentences"] == expected["sentences"]
            assert one["scores"]["m2"][result["system"]] == expected["score"]
            assert list(one["intervals"]["m2"][result["system"]] or ()) == expected["interval"]
        macro = partition["macro"]
        assert macro["scores"]["m2"][result["system"]] == found["macro"]["score"]
    assert "macro average" in page.read_text(encoding="utf-8")
    exported = (tmp_path / "t" / "by-label-levels-intervals.csv").read_text(encoding="utf-8")
    assert exported.startswith("slice,sentences,metric,system,score,low,high\nA,50,m2,careful,")
    again = CliRunner().invoke(
        main, ["report", str(tmp_path / "report.json"), "-o", str(tmp_path / "again.html")]
    )
    assert again.exit_code == 0
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()


def test_report_slices_may_have_the_names_of_properties_and_columns(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    header = "length\tmetric\tsentences\n"
    rows = (f"{level}\t<b>{level}\x1b\t{level},1\n" for level in LEVELS)
    path.write_text(header + "".join(rows))
    page = tmp_path / "report.html"
    folder = tmp_path / "tables"
    done = run(
        "report", "-m", "m2", "--slices", str(path), "-o", str(page), "--tables", str(folder)
    )
    assert done.exit_code == 0, done.output
    names = [one["name"] for one in load(tmp_path / "report.json")["slices"]]
    assert names == [
        *("length", "edits", "agreement"), "label-length", "label-metric", "label-sentences",
    ]  # fmt: skip
    assert "<b>A" not in page.read_text(encoding="utf-8")
    table = json.loads((folder / "by-label-metric-intervals.json").read_text(encoding="utf-8"))
    assert table["rows"][0]["slice"] == "<b>A\x1b"
    assert len(table["rows"][0]) == 7


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_slices_of_wrong_length(command: str, tmp_path: Path) -> None:
    path = tmp_path / "levels.txt"
    path.write_text("A\n" * 119)
    result = run(command, "--slices", str(path))
    assert result.exit_code == 1
    assert "has 120 sentences but" in result.output
    assert not (tmp_path / "report.html").exists()


def test_slices_are_not_written_over(levels: str) -> None:
    before = Path(levels).read_bytes()
    assert run("score", "--slices", levels, "--per-sentence", levels).exit_code in (1, 2)
    assert Path(levels).read_bytes() == before
    assert run("score", "--slices", "none.txt").exit_code == 1
