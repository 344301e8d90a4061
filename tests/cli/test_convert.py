"""``geceval convert``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from format_examples import CORRECTED, EXAMPLES
from geceval.cli import main
from geceval.formats import load
from running import run_geceval

GOLD = """S She like a tea .
A 1 2|||R:VERB|||likes||liked|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 2 4|||R:NOUN|||a teas|||REQUIRED|||-NONE-|||1

S Good .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a gold standard."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.m2").write_text(GOLD)
    return tmp_path


def convert(*arguments: str, data: str = "") -> Result:
    return CliRunner().invoke(main, ["convert", *arguments], input=data)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_convert_says_what_it_did(folder: Path) -> None:
    result = convert("gold.m2", "gold.jsonl")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == "2 sentences, 3 edits: m2 → jsonl (gold.jsonl)\n"
    assert names(folder) == ["gold.jsonl", "gold.m2"]


def test_convert_and_back_is_the_same(folder: Path) -> None:
    convert("gold.m2", "a.jsonl.gz")
    convert("a.jsonl.gz", "b.m2.zst")
    convert("b.m2.zst", "c.m2")
    assert (folder / "c.m2").read_text() == GOLD + "\n"


def test_convert_to_text_writes_a_file_for_each_annotator(folder: Path) -> None:
    result = convert("gold.m2", "out.txt")
    assert result.exit_code == 0
    assert {path.name: path.read_text() for path in folder.glob("out*")} == {
        "out.src.txt": "She like a tea .\nGood .\n",
        "out.ref0.txt": "She likes tea .\nGood .\n",
        "out.ref1.txt": "She like a teas .\nGood .\n",
    }


def test_convert_to_compressed_text_keeps_endings_together(folder: Path) -> None:
    assert convert("gold.m2", "out.txt.gz").exit_code == 0
    assert names(folder) == ["gold.m2", "out.ref0.txt.gz", "out.ref1.txt.gz", "out.src.txt.gz"]
    assert gzip.decompress((folder / "out.src.txt.gz").read_bytes()).startswith(b"She like")


@pytest.mark.usefixtures("folder")
def test_convert_from_text_and_references() -> None:
    convert("gold.m2", "out.txt")
    assert convert("out.src.txt", "out.ref0.txt", "out.ref1.txt", "again.m2").exit_code == 0
    assert load("again.m2").references() == {
        "0": [("She", "likes", "tea", "."), ("Good", ".")],
        "1": [("She", "like", "a", "teas", "."), ("Good", ".")],
    }


def test_convert_apply(folder: Path) -> None:
    result = convert("gold.m2", "out.txt", "--apply", "--annotator", "1")
    assert result.exit_code == 0
    assert (folder / "out.txt").read_text() == "She like a teas .\nGood .\n"


def test_convert_apply_counts_what_could_not_be_applied(folder: Path) -> None:
    (folder / "f.m2").write_text(
        "S a b\nA 0 2|||T|||x|||REQUIRED|||-NONE-|||0\nA 1 2|||T|||y|||REQUIRED|||-NONE-|||0\n"
        "A 1 2|||UNK|||b|||REQUIRED|||-NONE-|||0\n"
    )
    result = convert("f.m2", "-", "--apply")
    assert result.stdout == "x\n"
    assert result.stderr == (
        "1 edit not applied: past the end or over another\n1 sentence, 3 edits: m2 → parallel (-)\n"
    )


def test_convert_apply_needs_one_annotator(folder: Path) -> None:
    result = convert("gold.m2", "out.txt", "--apply")
    assert (result.exit_code, result.stderr) == (
        1,
        "Error: several annotators (0, 1, …): name one with --annotator\n",
    )
    assert names(folder) == ["gold.m2"]


def test_convert_source(folder: Path) -> None:
    assert convert("gold.m2", "src.txt", "--source").exit_code == 0
    assert (folder / "src.txt").read_text() == "She like a tea .\nGood .\n"


def test_convert_annotator(folder: Path) -> None:
    assert convert("gold.m2", "one.m2", "--annotator", "0").exit_code == 0
    assert load(folder / "one.m2").annotators == ("0",)


def test_convert_unknown_annotator(folder: Path) -> None:
    result = convert("gold.m2", "one.m2", "--annotator", "7")
    assert (result.exit_code, result.stderr) == (1, "Error: unknown annotator '7' (known: 0, 1)\n")
    assert names(folder) == ["gold.m2"]


def test_convert_minimize(folder: Path) -> None:
    assert convert("gold.m2", "small.m2", "--minimize", "--annotator", "1").exit_code == 0
    assert "A 3 4|||R:NOUN|||teas|||" in (folder / "small.m2").read_text()


@pytest.mark.usefixtures("folder")
def test_convert_to_standard_output() -> None:
    result = convert("gold.m2", "-", "--to", "m2")
    assert result.stdout == GOLD + "\n"


@pytest.mark.parametrize(
    "data", [GOLD.encode(), gzip.compress(GOLD.encode())], ids=["plain", "gzip"]
)
def test_convert_from_standard_input(folder: Path, data: bytes) -> None:
    code, out, errors = run_geceval("convert", "-", "-", "--to", "m2", data=data, folder=folder)
    assert (code, out) == (0, GOLD + "\n")
    assert errors == "2 sentences, 3 edits: m2 → m2 (-)\n"


def test_convert_onto_itself_is_refused(folder: Path) -> None:
    before = (folder / "gold.m2").read_bytes()
    result = convert("gold.m2", "gold.m2")
    assert (result.exit_code, (folder / "gold.m2").read_bytes()) == (2, before)
    assert "gold.m2 would be written over; choose another name" in result.output


def test_convert_json(folder: Path) -> None:
    (folder / "f.m2").write_text("S a\nA 4 5|||T|||x|||REQUIRED|||-NONE-|||0\n")
    result = convert("f.m2", "f.jsonl", "--json")
    assert json.loads(result.stdout) == {
        "schema": 1,
        "read": "m2",
        "written": "jsonl",
        "files": ["f.jsonl"],
        "sentences": 1,
        "edits": 1,
        "not_applied": 0,
        "with_alternatives": 0,
        "findings": [
            {
                "severity": "warning",
                "code": "out-of-range",
                "message": "the edit 4 5 is out of range: the sentence ends at 1",
                "path": "f.m2",
                "line": 2,
            }
        ],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.m2"], "give at least one file to read and the file to write"),
        (["gold.m2", "o.txt", "--apply", "--source"], "--apply and --source exclude each other"),
        (["gold.m2", "-", "--to", "m2", "--json"], "would both write to standard output"),
    ],
)
def test_convert_bad_usage(folder: Path, arguments: list[str], message: str) -> None:
    result = convert(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert names(folder) == ["gold.m2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["gold.m2", "out.doc"],
            "Error: out.doc: no output format for this file extension; choose one of",
        ),
        (["gold.m2", "o", "--to", "hoo"], "Error: HOO 2011/2012 XML (hoo) can only be read"),
        (["gold.m2", "no/o.m2"], "Error: no/o.m2: cannot be written: no such file or directory"),
        (["gold.m2", "-", "--to", "parallel"], "Error: parallel text is several files"),
        (["no.m2", "o.m2"], "Error: no.m2: cannot be read: no such file or directory"),
        (["-", "-", "o.m2"], "Error: standard input ('-') can be read only once"),
    ],
)
def test_convert_bad_data(folder: Path, arguments: list[str], message: str) -> None:
    result = convert(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith(message)
    assert names(folder) == ["gold.m2"]


def test_convert_wrong_line_counts(folder: Path) -> None:
    (folder / "src.txt").write_text("a\nb\nc\n")
    (folder / "ref.txt").write_text("a\nb\n")
    result = convert("src.txt", "ref.txt", "o.m2")
    assert (result.exit_code, result.stderr) == (
        1,
        "Error: src.txt has 3 sentences but ref.txt has 2\n",
    )
    assert names(folder) == ["gold.m2", "ref.txt", "src.txt"]


def test_convert_annotators_that_cannot_name_files(folder: Path) -> None:
    (folder / "f.m2").write_text("S a\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||../x\n")
    result = convert("f.m2", "o.txt")
    assert (result.exit_code, result.stderr) == (
        1,
        "Error: the annotator '../x' cannot be part of a file name\n",
    )
    assert names(folder) == ["f.m2", "gold.m2"]


def test_convert_half_characters(folder: Path) -> None:
    """JSON can hold them, UTF-8 cannot."""
    essay = '{"text": "a \\ud800 b", "edits": [[0, []]]}\n'
    (folder / "f.json").write_text(essay)
    result = convert("f.json", "o.m2", "--format", "bea")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert names(folder) == ["f.json", "gold.m2"]


@pytest.mark.parametrize("name", CORRECTED)
def test_convert_reads_every_format(folder: Path, name: str) -> None:
    paths = [f"f{number}" for number in range(len(EXAMPLES[name].texts))]
    for path, text in zip(paths, EXAMPLES[name].texts, strict=True):
        (folder / path).write_text(text)
    result = convert(*paths, "out.m2")
    assert result.exit_code == 0
    assert f": {name} → m2 (out.m2)" in result.stderr
    assert load(folder / "out.m2", format="m2").statistics().edits > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("out.xml",),
            (
                "1 edit with several corrections: the I-measure takes the first, the others are "
                "stored for geceval only\n"
            ),
        ),
        (("out.tsv",), "1 edit with several corrections: the first is written\n"),
        (
            ("out.txt", "--apply", "--annotator", "0"),
            "1 edit with several corrections: the first is written\n",
        ),
        (("out.txt", "--apply", "--annotator", "1"), ""),
        (("out.txt", "--source"), ""),
        (("out.m2",), ""),
    ],
)
def test_convert_tells_what_becomes_of_alternatives(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert (folder / "gold.m2").exists()
    result = convert("gold.m2", *arguments)
    assert result.exit_code == 0
    lines = result.stderr.splitlines(keepends=True)
    assert "".join(line for line in lines if "several corrections" in line) == message
