"""How published numbers are compared with ours, and the pages that show it."""

from __future__ import annotations

import doctest
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import find_shared_data
from documents import ROOT
from geceval.presentation.table import Table
from reproduce import pages, published
from reproduce.published import (
    ComparedCell,
    Comparison,
    PublishedTable,
    Reason,
    Value,
    agreeing_digits,
    all_published,
)

PAGES = ROOT / "docs" / "reproduction"

EXAMPLE = PublishedTable.of(
    "maege-2018", "table-9", [("metric", "ρ", "τ"), ("GLEU", "0.736", "-0.028"), ("LT", "1", "0")]
)


@pytest.mark.parametrize("module", [published, pages])
def test_doctests_of_the_comparison(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("printed", "value", "digits"),
    [
        ("0.214", 0.2144999, 3),
        ("0.214", 0.2136, 3),
        ("0.214", 0.2146, 2),
        ("-0.183", -0.184, 2),
        ("-0.028", 0.039, 0),
        ("-0.000", 0.0004, 1),
        ("0.00", 0.006, 0),
        ("0.030", math.nan, 0),
        ("0.030", None, 0),
        ("84.92", 84.9249, 4),
        ("84.92", 84.97, 3),
        ("84.92", 85.4, 2),
        ("84.92", 80.4, 1),
        ("84.92", 70.0, 0),
        ("512", 160.0, 0),
        ("512", 510.0, 2),
        ("100.00", 100.0, 5),
        ("9.99", 10.0, 2),
        ("TP", "TP", 1),
        ("FP, FN", "FP,  FN", 1),
        ("TP", "FP", 0),
        ("TP", 1.0, 0),
    ],
)
def test_agreeing_digits(printed: str, value: float | str | None, digits: int) -> None:
    assert agreeing_digits(printed, value) == digits


def compare(reasons: list[Reason]) -> Comparison:
    ours: dict[str, dict[str, Value]] = {
        "GLEU": {"ρ": 0.7361, "τ": 0.04},
        "LT": {"ρ": 1.0, "τ": None},
    }
    return Comparison.of(EXAMPLE, ours, title="Table 9", about="An example.", reasons=reasons)


def test_a_difference_needs_a_reason() -> None:
    with pytest.raises(AssertionError, match=r"no reason for GLEU, τ: -0\.028, 0\.040"):
        compare([Reason("not of this row", rows=["LT"])])
    found = compare([Reason("Not computed here", rows=["LT"]), Reason("unknown", columns=["τ"])])
    assert found.cells["GLEU"]["τ"] == ComparedCell("-0.028", 0.04, "unknown")
    assert found.cells["LT"]["τ"].reason == "Not computed here"
    # The reason why a value is missing is never that of a difference.
    other = compare([Reason("another version")])
    assert other.cells["GLEU"]["τ"].reason == "another version"
    assert other.cells["LT"]["τ"].reason == published.NOT_COMPUTED
    # What was not computed is not compared.
    assert (found.n_equal, len(found.all_cells)) == (2, 3)
    assert (found.n_equal_in("ρ"), found.n_equal_in("τ")) == (2, 0)


def test_two_rows_of_a_table_have_different_names() -> None:
    with pytest.raises(ValueError, match="same name"):
        PublishedTable.of("a", "b", [("x", "y"), ("1", "2"), ("1", "3")])


def test_pages_are_written_twice_the_same(tmp_path: Path) -> None:
    def write(folder: Path) -> dict[str, bytes]:
        found = pages.Reproduction()
        found.compare(compare([Reason("unknown")]))
        found.illustrate("maege-2018", Table("x", "Extra", ("a",), (("1",),)), "More.")
        found.write(folder)
        pages.write_seconds(folder, [("test_a.py::test_a", 1.25, 2.0), ("b", 1.0, 1.0)])
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    first = write(tmp_path)
    (tmp_path / "old.png").touch()
    assert write(tmp_path) == first
    assert set(first) == {
        "index.md",
        "seconds.csv",
        *(f"{name}.md" for name in pages.PAPERS),
    }
    text = first["maege-2018.md"].decode()
    assert "**2 of 3 cells agree in all digits.**" in text
    assert "| GLEU | 0.736 | 0.736 | 3/3 | -0.028 | 0.040 | 0/2 a |" in text
    assert "| LT | 1 | 1 | 1/1 | 0 | – | b |" in text
    assert f"- a: unknown\n- b: {published.NOT_COMPUTED}" in text
    assert "## Extra\n\nMore.\n\n| a |" in text
    row = "| [MAEGE (2018)](maege-2018.md) | Table 9 | 3 | 2 | 1 | unknown; Not computed: "
    assert row in first["index.md"].decode()
    assert pages.read_seconds(tmp_path) == {"test_a.py::test_a": 1.2, "b": 1.0, "all": 2.2}
    assert pages.read_seconds(tmp_path / "none") == {}


def test_a_large_table_of_numbers_has_a_picture(tmp_path: Path) -> None:
    rows = [("system", "P", "R"), *((f"s{n}", f"0.{n}", "0.5") for n in range(4))]
    ours = {f"s{n}": {"P": n / 10, "R": 0.4} for n in range(4)}
    table = PublishedTable.of("maege-2018", "x", rows)
    found = pages.Reproduction()
    found.compare(Comparison.of(table, ours, title="It's M²", about="-", reasons=[Reason("-")]))
    found.write(tmp_path)
    assert (tmp_path / "maege-2018-its-m2.png").read_bytes().startswith(b"\x89PNG")


def test_numbers_are_shown_as_they_are_printed() -> None:
    shown = [ComparedCell("3.5", value).shown for value in (3.54, -0.01, 1.4e18, math.nan, None)]
    assert shown == ["3.5", "0.0", "1.4e+18", "–", "–"]


def test_a_table_that_was_not_compared_is_named() -> None:
    assert pages.Reproduction().missing()[0] == "extraction-2016/figure-1"


def test_pages_of_the_documentation_have_every_published_table() -> None:
    """What is committed is what `make reproduce` writes for these tables and papers."""
    text = (PAGES / "index.md").read_text(encoding="utf-8")
    assert text.startswith(pages.MADE)
    for table in all_published():
        page = (PAGES / f"{table.paper}.md").read_text(encoding="utf-8")
        shown = {cell.strip().replace("\\", "") for cell in re.split(r"[|\n]", page)}
        wanted = {cell for row in table.rows.values() for cell in row.values()}
        names = {name.replace("\\", "") for name in table.rows}
        if table.name != "table-8":  # Its counts are given.
            assert wanted <= shown, table
        assert names <= shown, table
    pictures = list(PAGES.glob("*.png"))
    assert len(pictures) > 10
    assert max(path.stat().st_size for path in pictures) < 150_000
    for path in pictures:
        named = [page for page in PAGES.glob("*.md") if f"({path.name})" in page.read_text()]
        assert len(named) == 1


def seed(paper: str) -> str:
    data = find_shared_data()
    path = None if data is None else data.parent / "seeds" / f"{paper}.txt"
    if path is None or not path.is_file():
        pytest.skip("the text of the papers is not there")
    return path.read_text(encoding="utf-8").replace("−", "-")


@pytest.mark.parametrize("table", all_published(), ids=lambda table: f"{table.paper}-{table.name}")
def test_published_numbers_are_those_of_the_papers(table: PublishedTable) -> None:
    """The numbers of a row are in this order in a line of the paper; words are in its text."""
    text = seed(table.paper)
    for name, row in table.rows.items():
        numbers = [cell for cell in row.values() if published.number(cell) is not None]
        if numbers:
            pattern = ".*".join(rf"(?<![\d.-]){re.escape(one)}(?![\d.]*\d)" for one in numbers)
            assert re.search(pattern, text), (name, row)
        words = {word for cell in row.values() for word in re.findall(r"[A-Za-z][\w-]*", cell)}
        assert words <= set(re.findall(r"[A-Za-z][\w-]*", text)), (name, row)


def test_reproduction_without_data_says_what_to_set(tmp_path: Path) -> None:
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pytest", "tests/reproduce", "--run-reproduce", "-q", "-p",
         "no:cacheprovider", "--reproduction", str(tmp_path / "pages")],
        cwd=ROOT,
        env={"GECEVAL_DATA": str(tmp_path / "none"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "set GECEVAL_DATA" in ended.stderr + ended.stdout
    assert not (tmp_path / "pages").exists()
