"""``geceval check``."""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from running import run_geceval

GOLD = """S The cat sat at mat .
A 3 4|||R:PREP|||on|||REQUIRED|||-NONE-|||0

S Good .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
BAD = GOLD.replace("3 4|||", "7 9|||")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a good and a bad gold standard and a system's output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "bad.m2").write_text(BAD)
    (tmp_path / "sys.txt").write_text("The cat sat on mat .\nGood .\n")
    return tmp_path


def check(*arguments: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(main, ["check", *arguments], input=data)


@pytest.mark.usefixtures("folder")
def test_check_command_of_sound_files() -> None:
    result = check("gold.m2", "sys.txt")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.rstrip() for line in result.stdout.splitlines() if line.strip()]
    assert lines == [
        "gold.m2  M2, 2 sentences, 8 tokens, 1 edit of 1 type",
        " annotator  sentences  absent  no change  edits",
        " ──────────────────────────────────────────────",
        " 0                  2       0          1      1",
        "sys.txt  plain parallel text, 2 sentences, 8 tokens, 0 edits of 0 types",
        "No problems found.",
    ]


@pytest.mark.usefixtures("folder")
def test_check_command_of_unsound_files() -> None:
    result = check("bad.m2")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-2:] == [
        (
            "error bad.m2, line 2: the edit 7 9 is out of range: the sentence ends at 6 "
            "(out-of-range)"
        ),
        "Errors found: scores would be wrong.",
    ]


def test_check_command_with_only_notes_is_content(folder: Path) -> None:
    (folder / "crlf.txt").write_bytes(b"a b\r\n")
    result = check("crlf.txt")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "No errors found: scores are not affected."


def test_check_command_shows_the_first_few_of_a_kind(folder: Path) -> None:
    (folder / "bad.m2").write_text("\n".join([BAD] * 9))
    result = check("bad.m2")
    assert result.stdout.count("is out of range") == 5
    assert "… and 4 more of 'out-of-range'" in result.stdout


@pytest.mark.usefixtures("folder")
def test_check_command_json() -> None:
    result = check("bad.m2", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "schema": 1,
        "ok": False,
        "files": [
            {
                "path": "bad.m2",
                "format": "m2",
                "sentences": 2,
                "tokens": 8,
                "empty": 0,
                "unannotated": 0,
                "edits": 1,
                "annotators": {"0": {"sentences": 2, "absent": 0, "noop": 1, "edits": 1}},
                "types": {"R:PREP": 1},
            }
        ],
        "counts": {"out-of-range": 1},
        "findings": [
            {
                "severity": "error",
                "code": "out-of-range",
                "message": "the edit 7 9 is out of range: the sentence ends at 6",
                "path": "bad.m2",
                "line": 2,
            }
        ],
    }


def test_check_command_fix_of_a_gold_standard(folder: Path) -> None:
    result = check("bad.m2", "--fix", "new.m2")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-2:] == [
        "1 repair, written to new.m2",
        "  sentence 1, annotator 0: removed out-of-range edit 7–9 → on",
    ]
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    assert (folder / "new.m2").read_text() == (
        f"S The cat sat at mat .\n{noop}\nS Good .\n{noop}\n"
    )
    assert (folder / "bad.m2").read_text() == BAD
    assert check("new.m2").exit_code == 0


def test_check_command_fix_of_a_text(folder: Path) -> None:
    (folder / "sys.txt").write_bytes(b"\xef\xbb\xbfThe cat sat at mat.\r\nGood .\r\n\r\n")
    result = check("gold.m2", "sys.txt", "--fix", "new.txt", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["repairs"] == [
        "sys.txt, line 1: byte order mark removed",
        "sys.txt: 3 lines with CRLF line endings, read as LF",
        "line 3: removed extra blank line",
        "line 1: replaced by the tokens of the source",
    ]
    assert (folder / "new.txt").read_bytes() == b"The cat sat at mat .\nGood .\n"
    assert check("gold.m2", "new.txt").exit_code == 0


def test_check_command_fix_writes_another_format_where_it_must(folder: Path) -> None:
    (folder / "doc.ann").write_text("I {goed=>went:::error_type=G} home.\n")
    assert check("doc.ann", "--fix", "new.m2").exit_code == 0
    assert "A 1 2|||G|||went|||" in (folder / "new.m2").read_text()


def test_check_command_fix_writes_nothing_when_a_file_cannot_be_read(folder: Path) -> None:
    result = check("gold.m2", "no.txt", "--fix", "new.txt")
    assert result.exit_code == 1
    assert "new.txt was not written: not every file could be read" in result.stdout
    assert not (folder / "new.txt").exists()


def test_check_command_fix_leaves_misaligned_lines_to_people(folder: Path) -> None:
    (folder / "sys.txt").write_text("Good .\n")
    result = check("gold.m2", "sys.txt", "--fix", "new.txt")
    assert result.exit_code == 1
    assert (
        "error sys.txt, line 1: 1 sentences, but gold.m2 has 2; misaligned from here on"
        in result.stdout
    )
    assert result.stderr == ("Error: sys.txt: 1 lines instead of 2; align the lines by hand\n")
    assert not (folder / "new.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'FILE...'"),
        (["gold.m2", "--fix", "-"], "--fix and the report would both write to standard output"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_check_command_bad_usage(arguments: list[str], message: str) -> None:
    result = check(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_check_command_of_a_missing_file(folder: Path) -> None:
    code, out, errors = run_geceval("check", "no.m2", folder=folder)
    assert (code, errors) == (1, "")
    assert out.splitlines()[0] == (
        "error no.m2: cannot be read: no such file or directory (unreadable)"
    )


@pytest.mark.parametrize("data", [BAD.encode(), gzip.compress(BAD.encode())], ids=["plain", "gzip"])
def test_check_command_of_standard_input(folder: Path, data: bytes) -> None:
    code, out, _ = run_geceval("check", "-", data=data, folder=folder)
    assert code == 1
    assert "error standard input, line 2: the edit 7 9 is out of range" in out


def test_check_command_fixes_standard_input(folder: Path) -> None:
    run_geceval("check", "-", "--fix", "new.m2", data=BAD.encode(), folder=folder)
    (folder / "bad.m2").write_text(BAD)
    run_geceval("check", "bad.m2", "--fix", "expected.m2", folder=folder)
    assert (folder / "new.m2").read_text() == (folder / "expected.m2").read_text()


@pytest.mark.usefixtures("folder")
def test_check_command_of_the_shipped_example() -> None:
    demo = resources.files("geceval").joinpath("data", "demo")
    names = ("gold.m2", "careful.txt", "eager.txt", "unchanged.txt")
    result = check(*(str(demo.joinpath(name)) for name in names))
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "No problems found.")
