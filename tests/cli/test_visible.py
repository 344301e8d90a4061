"""Nothing from a file, a name or the command line acts in the terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from geceval.cli import main
from geceval.cli._shared.show import Stages, console, say, text
from geceval.visible import visible

CONTROLS = "\x1b]0;owned\x07 \x9b31m \u202eesrever\u2066 \u200f \u061c"
"""A title of the window, a color by C1, and text that is turned round."""
ACTIVE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]"
)
WORDS = "-".join(CONTROLS.split())
ARABIC = "ذهبت"
GOLD = (
    f"S I {WORDS} go {ARABIC}\n"
    f"A 1 2|||R:{WORDS}|||{WORDS}x|||REQUIRED|||-NONE-|||{WORDS}\n"
    f"A 2 3|||R:{WORDS}|||went|||REQUIRED|||-NONE-|||{WORDS}\n\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text(GOLD, encoding="utf-8")
    Path("hyp.txt").write_text(f"I {WORDS} went {ARABIC}\n", encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "--gold", "gold.m2", f"{WORDS}=hyp.txt", "--verbose", "--per-type"],
        ["score", "-m", "imeasure", "--gold", "gold.m2", f"{WORDS}=hyp.txt", "--verbose"],
        ["score", "-m", "gleu", "--gold", "gold.m2", f"{WORDS}=hyp.txt", "--tsv"],
        ["score", "-m", "gleu", "--gold", "gold.m2", f"{WORDS}=hyp.txt", "--latex"],
        ["score", "--gold", "gold.m2", f"{WORDS}=hyp.txt", "--per-sentence", "-"],
        ["compare", "--gold", "gold.m2", f"{WORDS}=hyp.txt", "b=hyp.txt", "--resamples", "9"],
        ["gate", "--gold", "gold.m2", "--baseline", "b=hyp.txt", f"{WORDS}=hyp.txt"],
        ["stats", "gold.m2"],
        ["check", "gold.m2", "hyp.txt"],
        ["references", "gold.m2", "--list", "9"],
        ["explain", "--lang", "plain", f"a {WORDS} b", f"a {WORDS}x b"],
        ["stats", f"{WORDS}.m2"],
        ["score", f"--{WORDS}"],
        [WORDS],
        ["stats", "gold.m2", "--format", WORDS],
        ["convert", "gold.m2", "out.txt", "--apply", "--annotator", WORDS + "y"],
        ["convert", "gold.m2", f"{WORDS}.m2"],
        ["annotate", "gold.m2", "--lang", "plain", "-o", f"{WORDS}.m2"],
    ],
    ids=lambda arguments: " ".join(arguments).encode("unicode_escape").decode()[:50],
)
def test_controls_are_shown_not_obeyed(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments, color=False)
    assert not isinstance(result.exception, UnicodeError | OSError), result.exception
    assert not ACTIVE.findall(result.output.replace("\t", ""))
    assert r"\x1b]0;owned\x07" in re.sub(r"\s", "", result.output).replace(
        "\\textbackslash{}", "\\"
    )


@pytest.mark.usefixtures("folder")
def test_styles_of_our_own_stay_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    result = CliRunner().invoke(
        main, ["score", "--gold", "gold.m2", "hyp.txt", "--verbose"], color=True
    )
    assert "\x1b[32m" in result.output
    assert "\x1b]0" not in result.output
    assert "\x9b" not in result.output
    assert "\u202e" not in result.output


@pytest.mark.usefixtures("folder")
def test_text_from_right_to_left_stays_readable() -> None:
    result = CliRunner().invoke(main, ["references", "gold.m2", "--list", "9"])
    assert ARABIC in result.output


def test_json_stays_exact(folder: Path) -> None:
    import json

    result = CliRunner().invoke(main, ["stats", str(folder / "gold.m2"), "--json"])
    assert f"R:{WORDS}" in json.loads(result.stdout)["types"]


def test_console_stands_behind_what_was_forgotten(capsys: pytest.CaptureFixture[str]) -> None:
    console().print("a \x1b]0;x\u202e b")
    assert capsys.readouterr().out == "a \\x1b]0;x\\u202e b\n"


def test_messages_and_stages_are_visible(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1bb\nc")
    assert capsys.readouterr().err == "a\\x1bb\nc\n"
    stages = Stages()
    stages.begin("scoring a\x1b")
    assert stages._shown.tasks[0].description == r"scoring a\x1b"


@given(st.text())
def test_visible_leaves_nothing_active_and_everything_else(value: str) -> None:
    shown = visible(value)
    assert not ACTIVE.findall(shown)
    assert "\n" not in shown
    assert visible(shown) == shown
    plain = ACTIVE.sub("", value).replace("\n", "")
    assert visible(plain) == plain


def test_text_escapes_brackets_and_controls() -> None:
    assert text("[red]\x1b[0m") == r"\[red]\x1b[0m"
