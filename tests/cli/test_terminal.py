"""What is printed in narrow terminals, into pipes, and where characters are lacking."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from geceval.cli import main
from geceval.cli._shared.encoding import make_streams_readable
from geceval.cli._shared.show import bars, console, print_tables, table, text
from geceval.cli._shared.terminal import FittingTable
from geceval.presentation.table import Cell, Table
from running import run_python

WIDTHS = (40, 60, 70, 80, 100, 120)
DATA = Path(str(files("geceval") / "data" / "demo"))
GOLD = str(DATA / "gold.m2")
LONG = "a-rather-long-name-of-a-system-with-many-options-v2.3-beam12"
WIDE = "系统名称很长很长很长😀😀"
SYSTEMS = [
    str(DATA / "careful.txt"),
    f"{LONG}={DATA / 'eager.txt'}",
    f"{WIDE}={DATA / 'unchanged.txt'}",
]
COMMANDS = {
    "score": ["score", "--gold", GOLD, *SYSTEMS, "-m", "m2,bleu,sari", "--resamples", "50"],
    "types": ["score", "--gold", GOLD, *SYSTEMS, "--per-type", "--resamples", "0"],
    "compare": ["compare", "--gold", GOLD, *SYSTEMS, "--resamples", "100"],
    "stats": ["stats", GOLD],
    "check": ["check", GOLD, *SYSTEMS[:1]],
    "references": ["references", GOLD],
    "explain": ["explain", "--lang", "plain", "ein 中文中文 Beispil", "zwei 中文 Beispiele ."],
}
_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?%?([–…][-+]?\d[\d,.]*)?")


def numbers(output: str) -> Counter[str]:
    return Counter(word for word in output.split() if _NUMBER.fullmatch(word))


def letters(output: str) -> Counter[str]:
    return Counter(letter for letter in output if not letter.isspace() and letter not in "─█")


def rendered(shown: FittingTable, width: int) -> str:
    out = console()
    out.has_width, out.width = True, width
    with out.capture() as got:
        out.print(shown)
    return got.get()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_number_and_no_name_is_cut(name: str, width: int) -> None:
    whole, narrow = (
        CliRunner().invoke(main, COMMANDS[name], env={"COLUMNS": str(columns)})
        for columns in (300, width)
    )
    assert whole.exit_code == narrow.exit_code == 0
    assert numbers(whole.stdout)
    assert not numbers(whole.stdout) - numbers(narrow.stdout)
    assert not letters(whole.stdout) - letters(narrow.stdout)


def test_score_in_eighty_columns_has_every_digit_and_name() -> None:
    arguments = ["score", "-m", "bleu", "--gold", GOLD, *SYSTEMS[:1], str(DATA / "eager.txt")]
    shown = CliRunner().invoke(main, arguments, env={"COLUMNS": "80"}).stdout
    for word in ("careful", "eager", "0.8404", "0.7943", "0.9450", "brevity_penalty"):
        assert word in shown.split()
    assert all(len(line) <= 80 for line in shown.split("\n") if "|" not in line)


CELLS = {
    "number": st.one_of(
        st.integers(-(10**9), 10**15).map(lambda number: f"{number:,}"),
        st.floats(-1e6, 1e6).map(lambda number: f"{number:+.4f}"),
    ),
    "text": st.one_of(
        st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=60),
        st.lists(st.sampled_from(["of", "中文", "0.1234", "long-word"]), max_size=9).map(" ".join),
    ),
}


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[str, str, list[str]]]:
    n_rows = draw(st.integers(1, 6))
    kinds = ["text", *draw(st.lists(st.sampled_from(["number", "text"]), max_size=12))]
    cells = [draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows)) for kind in kinds]
    names = draw(st.lists(CELLS["text"], min_size=len(kinds), max_size=len(kinds)))
    return list(zip(names, kinds, cells, strict=True))


@example(
    columns=[
        *(("0", kind, ["0"] * 5) for kind in ("text", "text", "number", "number", "number")),
        ("long-word long-word", "number", [*["0"] * 4, f"{10**15:,}"]),
    ],
    width=40,
)
@given(tables(), st.sampled_from(WIDTHS))
@example(
    [
        ("0", "text", [*"00000", "0" * 16]),
        *[("0", "number", [*"000000"])] * 4,
        ("0" * 18, "number", [*"00000", "1,000,000,000,000,000"]),
    ],
    40,
)
def test_tables_keep_everything_in_any_width(
    columns: list[tuple[str, str, list[str]]], width: int
) -> None:
    shown = FittingTable("A title of several words")
    for name, kind, _ in columns:
        shown.add(text(name), "number" if kind == "number" else "text")
    for row in zip(*(cells for *_, cells in columns), strict=True):
        shown.add_row(*map(text, row))
    narrow = rendered(shown, width)
    expected = Counter(cell for _, kind, cells in columns if kind == "number" for cell in cells)
    assert not expected - Counter(narrow.split())
    given_text = "".join(name + "".join(cells) for name, _, cells in columns)
    assert not letters(given_text) - letters(narrow)
    assert max(map(cell_len, narrow.split("\n"))) <= width


def test_tables_of_studies_keep_everything() -> None:
    header = ("metric", *(f"correlation {number}" for number in range(12)))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"metric-{row}", *(row + 0.123 * n for n in range(12))) for row in range(5)
    )
    study = Table("study", "A study", header, rows, digits=3)

    @click.command()
    def show() -> None:
        print_tables([study], "terminal")

    whole, narrow, piped = (
        CliRunner().invoke(show, env=env).stdout
        for env in ({"COLUMNS": "300"}, {"COLUMNS": "60"}, {})
    )
    assert sum(numbers(whole).values()) >= 60
    assert not numbers(whole) - numbers(narrow)
    assert piped == whole


def test_bars_shrink_and_counts_do_not() -> None:
    shown = bars("Types", {"R:VERB": 123456789, "M:DET": 10, "U:DET": 0})
    for width in (30, 40, 60):
        lines = rendered(shown, width).split("\n")
        assert "123,456,789" in " ".join(lines).split()
        assert max(map(cell_len, lines)) <= width
    assert "█" not in rendered(shown, 30)
    assert re.search("M:DET +10 +0.0 +█ ", rendered(shown, 60))
    assert not re.search("U:DET.*█", rendered(shown, 60))


def test_markup_in_headers_is_text() -> None:
    shown = table(None, "type", "[bold]", numeric=("[bold]",))
    shown.add_row("R", "1")
    assert "[bold]" in rendered(shown, 80)


def test_pipe_gets_the_whole_table() -> None:
    """A pipe has no width: every row is one line, however many systems there are."""
    systems = [f"system-number-{number}={DATA / 'careful.txt'}" for number in range(20)]
    arguments = ["score", "--gold", GOLD, *systems, "--per-type", "--resamples", "0"]
    shown = CliRunner().invoke(main, arguments).stdout
    (header,) = (line for line in shown.split("\n") if line.startswith(" type "))
    assert header.split() == ["type", *(f"system-number-{number}" for number in range(20))]
    (row,) = (line for line in shown.split("\n") if line.startswith(" R:VERB:SVA "))
    assert row.count("23 / 28  0.82") == 20


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("name", [*COMMANDS, "help", "no-file"])
def test_any_stream_can_be_written_to(name: str, encoding: str) -> None:
    arguments = {
        **COMMANDS,
        "help": ["score", "--help"],
        "no-file": ["score", "--gold", "中→.m2", "a.txt"],
    }[name]
    usual = CliRunner().invoke(main, arguments)
    result = CliRunner(charset=encoding).invoke(main, arguments)
    assert result.exit_code == usual.exit_code
    assert not isinstance(result.exception, UnicodeError)
    shown = (result.stdout_bytes + result.stderr_bytes).decode(encoding)
    assert "?" * 2 not in shown
    lost = numbers(usual.stdout.replace("–", "-").replace("…", "...")) - numbers(shown)
    assert not lost


def test_what_ascii_lacks_is_readable() -> None:
    arguments = ["explain", "--lang", "plain", "a – b", "a - b ü"]
    shown = CliRunner(charset="ascii").invoke(main, arguments).stdout
    # Two dashes of a text stay two; our own arrow becomes a plain one.
    assert "1. \\u2013 -> -  R:PUNCT" in shown
    assert "(none) -> \\xfc" in shown
    assert re.search(r"^ -{20,} $", shown, re.MULTILINE)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_json_is_valid_in_any_encoding(encoding: str) -> None:
    arguments = ["score", "--gold", GOLD, *SYSTEMS, "--resamples", "0", "--json"]
    data = json.loads(CliRunner(charset=encoding).invoke(main, arguments).stdout_bytes)
    assert [result["system"] for result in data["results"]] == ["careful", LONG, WIDE]


def test_program_writes_to_ascii_streams(tmp_path: Path) -> None:
    output = tmp_path / "é.txt"
    output.write_bytes((DATA / "careful.txt").read_bytes())
    code, out, errors = run_python(
        *("-m", "geceval", "score", "--gold", GOLD, str(output), "--resamples", "0"),
        environment={"PYTHONIOENCODING": "ascii"},
    )
    assert (code, errors) == (0, "")
    assert out.isascii()
    assert "MaxMatch (M2)" in out
    assert "\\xe9" in out
    code, _, errors = run_python(
        *("-m", "geceval", "score", "--gold", GOLD, "--ünï", str(output)),
        environment={"PYTHONIOENCODING": "ascii"},
    )
    assert code == 2
    assert errors.isascii()
    assert "--\\xfcn\\xef" in errors


def test_halves_of_characters_are_shown() -> None:
    """File names that are no text in any encoding have such."""
    result = CliRunner().invoke(main, ["score", "--gold", "no\udcff.m2", "a.txt"])
    assert result.exit_code == 1
    assert "no\\udcff.m2: cannot be read" in result.stderr


def test_streams_are_left_as_they_are_where_nothing_is_lacking(
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_streams_readable()
    sys.stdout.write("→ – é 中\n")
    assert capsys.readouterr().out == "→ – é 中\n"
