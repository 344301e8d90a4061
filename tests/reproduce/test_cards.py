"""The tables of scores on the pages of metrics are what the commands above them print."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from documents import ROOT, blocks, commands
from geceval.cli import main

HEADING = "## Published values\n"
CELL = re.compile(r"-?\d+\.\d+|\d+")
# A grammar checker of another version finds other errors, and is not run here.
CARDS = [
    page
    for page in sorted((ROOT / "docs" / "metrics").glob("*.md"))
    if "systems/" in page.read_text(encoding="utf-8") and page.stem != "grammar"
]


def section(page: Path) -> str:
    """Return the section with published values."""
    text = page.read_text(encoding="utf-8").partition(HEADING)[2]
    return text.partition("\n## ")[0]


def printed_rows(text: str) -> list[tuple[str, list[str]]]:
    """Return the systems and their cells in the table below the commands."""
    below = text[text.rindex("systems/") :]
    lines = (line.strip()[1:-1].split("|") for line in below.splitlines() if line[:1] == "|")
    header, _, *rows = ([cell.strip() for cell in line] for line in lines)
    if "AMU" in header:  # A column for each system.
        return [(name, [row[place] for row in rows]) for place, name in enumerate(header) if name]
    found: list[tuple[str, list[str]]] = []
    for name, *cells in rows:
        found.append((name or found[-1][0], cells))
    return found


def shell_words(command: str) -> list[str]:
    """Return the words of a command after its name, with patterns expanded."""
    rest = command.removeprefix("geceval ")
    done = subprocess.run(  # noqa: S603 - a command of our own pages
        ["/bin/bash", "-c", f"printf '%s\\n' {rest}"], check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


def values_by_system(words: list[str]) -> dict[str, set[float]]:
    """Return all numbers that a command prints for each system."""
    done = CliRunner().invoke(main, [*words, "--resamples", "0", "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, set[float]] = {}
    for row in json.loads(done.stdout)["results"]:
        found.setdefault(row["system"], set()).update((row["score"], *row["parts"].values()))
    return found


@pytest.mark.parametrize("page", CARDS, ids=lambda page: page.stem)
def test_cards_have_what_their_commands_print(
    page: Path, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (shared_data / "conll14" / "gold").iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "systems").symlink_to(shared_data / "conll14" / "systems")
    monkeypatch.chdir(tmp_path)
    text = section(page)
    found: dict[str, set[float]] = {}
    for block in blocks(text):
        for command in commands(block):
            for name, values in values_by_system(shell_words(command.text)).items():
                found.setdefault(name, set()).update(values)
    n_cells = 0
    for name, cells in printed_rows(text):
        numbers = found["INPUT" if name == "source" else name]
        for cell in filter(CELL.fullmatch, cells):
            n_cells += 1
            decimals = len(cell.partition(".")[2])
            # The I-measure is printed in percent.
            scale = 100 if page.stem == "imeasure" else 1
            assert any(abs(float(cell) - scale * one) <= 0.501 / 10**decimals for one in numbers), (
                name,
                cell,
            )
    assert n_cells >= 9
