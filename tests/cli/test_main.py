"""The program as a whole."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

import geceval
from geceval.cli import main
from promising import DEMO
from running import run_geceval

COMMANDS = ["check", "convert", "stats"]


def test_main_help_lists_the_commands() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    assert "One trusted ruler for grammatical error correction." in result.output
    for name in COMMANDS:
        assert f"\n  {name} " in result.output


def test_main_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.output) == (0, f"geceval, version {geceval.__version__}\n")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_main_help_of_commands_has_examples(name: str, option: str) -> None:
    result = CliRunner().invoke(main, [name, option])
    assert result.exit_code == 0
    assert f"Examples:\n    geceval {name} " in result.output
    assert "--json" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["konvert"], "No such command 'konvert'. Did you mean 'convert'?"),
        (["xyz"], "No such command 'xyz'."),
        (["--nothing"], "No such option"),
        (["stats"], "Missing argument 'FILE...'"),
        (["stats", "f", "--format", "m3"], "unknown format 'm3'; did you mean 'm2'?"),
        (["stats", "f", "--encoding", "utf-88"], "unknown text encoding 'utf-88'"),
        (["check", "f", "--format", "m3"], "unknown format 'm3'; did you mean 'm2'?"),
        (["convert", "f", "g.m2", "--to", "m3"], "unknown format 'm3'; did you mean 'm2'?"),
    ],
)
def test_main_bad_usage_exits_with_2(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("command", ["stats", "convert"])
def test_main_bad_data_is_one_sentence_and_exits_with_1(tmp_path: Path, command: str) -> None:
    (tmp_path / "f.m2").write_text("S a\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\nB\n")
    more = ["g.m2"] if command == "convert" else []
    code, out, errors = run_geceval(command, "f.m2", *more, folder=tmp_path)
    expected = "Error: f.m2, line 3: expected 'S ', 'A ' or a blank line, found 'B'\n"
    assert (code, out, errors) == (1, "", expected)
    assert [path.name for path in tmp_path.iterdir()] == ["f.m2"]


def test_main_missing_file(tmp_path: Path) -> None:
    assert run_geceval("stats", "no.m2", folder=tmp_path) == (
        1,
        "",
        "Error: no.m2: cannot be read: no such file or directory\n",
    )


def test_main_output_may_be_cut_off(tmp_path: Path) -> None:
    """A reader that goes away, as `head` does, is no reason for a traceback."""
    (tmp_path / "f.txt").write_text("a b c\n" * 100_000)
    with subprocess.Popen(
        [sys.executable, "-m", "geceval", "convert", "f.txt", "-", "--to", "jsonl"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read().decode()
    assert "Traceback" not in errors


def test_main_warnings_of_the_library_are_one_line() -> None:
    """Without the path and the line of source that Python shows with them."""
    script = """
import sys, warnings
from geceval.cli import main, stats
from geceval.errors import GecevalWarning

def warn(*arguments, **options):
    warnings.warn("the cache \\x1b[1mx is\\nnot used", GecevalWarning, stacklevel=1)
    warnings.warn("of somebody else", UserWarning, stacklevel=1)

stats.stats.callback = warn
shown = warnings.showwarning
try:
    main(["stats", sys.argv[1]])
finally:
    assert warnings.showwarning is shown
"""
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script, __file__], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    first, *others = done.stderr.splitlines()
    assert first.startswith("Warning: the cache ")
    assert first.endswith("not used")
    assert "\x1b" not in first
    assert others[0].endswith("UserWarning: of somebody else")


def test_main_lack_of_threads_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python raises a `RuntimeError` if there is no memory for the stack of a thread."""

    def start(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading, "_start_new_thread", start)
    arguments = ["score", "-m", "gleu", "--gold", str(DEMO / "gold.m2"), str(DEMO / "eager.txt")]
    result = CliRunner().invoke(main, [*arguments, "--resamples", "0", "--jobs", "2"])
    assert result.exit_code == 1
    (said,) = result.stderr.splitlines()
    assert said.startswith("Error: not enough memory for another thread; lower --max-cells")
