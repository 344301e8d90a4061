"""Servers for the tests of grammar checkers: a fake one, and the real one where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fake_languagetool
from fake_languagetool import FakeLanguageTool, write_script
from geceval.errors import GecevalError
from geceval.grammar.languagetool.install import VERSION, Installation, get_installation, get_java
from geceval.grammar.languagetool.server import Server
from requirements import skip_or_fail


@pytest.fixture
def fake() -> Iterator[FakeLanguageTool]:
    server = FakeLanguageTool().start()
    yield server
    server.stop()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a path with nothing on it."""
    monkeypatch.setenv("GECEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path


@pytest.fixture
def fake_java(home: Path) -> Path:
    """A Java that runs the fake server."""
    return write_script(
        home / "bin" / "java", f'exec {sys.executable} {fake_languagetool.__file__} "$@"'
    )


@pytest.fixture
def fake_jars(home: Path) -> Path:
    """An installation that is complete at first sight."""
    folder = home / "cache" / "languagetool" / VERSION
    folder.mkdir(parents=True)
    (folder / f"languagetool-server-{VERSION}.jar").write_bytes(b"jar")
    return folder


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """The real LanguageTool, where there are its jars and Java."""
    try:
        get_java()
        found = get_installation()
    except GecevalError as error:
        skip_or_fail("languagetool", str(error))
    with pytest.MonkeyPatch.context() as patch:
        # Servers of tests do not live long enough for the second compiler to pay.
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
        yield found


@pytest.fixture(scope="session")
def languagetool(installation: Installation) -> Iterator[str]:
    """The address of a real server, which ends with the tests."""
    assert installation.n_jars > 100
    server = Server()
    yield server.url
    server.stop()
