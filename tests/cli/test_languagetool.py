"""``geceval languagetool``, on a machine that has nothing, and one that seems to have all."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import fake_languagetool
from fake_languagetool import write_script
from geceval.cli import main
from geceval.grammar.languagetool.install import VERSION


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GECEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path


@pytest.fixture
def machine(home: Path) -> Path:
    """A machine with a Java that runs the fake server, and with jars."""
    write_script(home / "bin" / "java", f'exec {sys.executable} {fake_languagetool.__file__} "$@"')
    folder = home / "cache" / "languagetool" / VERSION
    folder.mkdir(parents=True)
    (folder / f"languagetool-server-{VERSION}.jar").write_bytes(b"jar")
    return home


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["languagetool", *words])


def test_languagetool_without_java_is_one_sentence() -> None:
    result = run("install")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: LanguageTool needs Java 17 or newer, but 'java' was not found\n"
    )
    assert run("start").exit_code == 1


def test_languagetool_without_maven_is_one_sentence(home: Path) -> None:
    write_script(home / "bin" / "java", "echo 'openjdk version \"17.0.2\"' >&2")
    result = run("install")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: Maven is needed to download LanguageTool, but 'mvn' was not found\n"
    )


def test_languagetool_install_best_effort_never_fails() -> None:
    result = run("install", "--best-effort")
    assert result.exit_code == 0
    assert result.stderr.startswith("LanguageTool is not installed: LanguageTool needs Java")


def test_languagetool_start_without_jars_says_how_to_get_them(home: Path) -> None:
    write_script(home / "bin" / "java", "echo 'openjdk version \"17.0.2\"' >&2")
    result = run("start")
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: LanguageTool {VERSION} is not installed; run 'geceval languagetool install'\n"
    )


def test_languagetool_status_of_an_empty_machine(home: Path) -> None:
    state = json.loads(run("status", "--json").stdout)
    assert state == {
        "schema": 1,
        "java": None,
        "maven": None,
        "folder": str(home / "cache" / "languagetool"),
        "installed": None,
        "running": None,
    }
    shown = run("status").stdout
    assert [line.split() for line in shown.splitlines()] == [
        ["Java:", "missing"],
        ["Maven:", "missing"],
        ["folder:", str(home / "cache" / "languagetool")],
        ["installed:", "no"],
        ["running:", "no"],
    ]


@pytest.mark.usefixtures("machine")
def test_languagetool_start_and_stop() -> None:
    state = json.loads(run("start", "--json").stdout)
    assert state["java"]["version"] == 17
    assert state["installed"] == {"version": VERSION, "jars": 1, "bytes": 3}
    running = state["running"]
    assert running["version"] == VERSION
    assert f"running:   {running['url']} (process {running['pid']})" in run("start").stdout
    assert json.loads(run("status", "--json").stdout)["running"] == running
    assert run("stop").exit_code == 0
    assert json.loads(run("status", "--json").stdout)["running"] is None
    assert "running:   no" in run("stop").stdout


def test_languagetool_help_has_examples() -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert "geceval languagetool install" in result.stdout
