"""Servers started, waited for, guarded and stopped; the Java here runs the fake one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fake_languagetool import write_script
from geceval.errors import GecevalError
from geceval.grammar.languagetool import checker as checker_module
from geceval.grammar.languagetool import server as module
from geceval.grammar.languagetool.checker import LanguageTool, stop_own_server
from geceval.grammar.languagetool.client import Client
from geceval.grammar.languagetool.server import (
    BackgroundServer,
    Server,
    find_background,
    start_background,
    stop_background,
)

pytestmark = pytest.mark.usefixtures("fake_java", "fake_jars")

JAVA_VERSION = """[ "$1" = -version ] && { echo 'version "17"' >&2; exit; }"""
TEXTS = [f"Text {number} is {'bad ' * (number % 3)}indeed." for number in range(100)]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_for(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def test_server_starts_and_stops(home: Path) -> None:
    told: list[str] = []
    server = Server(notify=told.append)
    assert told[0] == "starting LanguageTool (0 s)"
    assert server.is_running
    with Client(server.url) as client:
        assert client.version() == "6.8"
    words = Path(f"/proc/{server.process.pid}/cmdline").read_text().split("\0")
    assert "-Dsun.net.httpserver.nodelay=true" in words
    assert "--public" not in words
    settings = (home / "cache" / "languagetool" / "server.properties").read_text()
    assert "pipelineCaching=true" in settings
    server.stop()
    assert not server.is_running
    assert list((home / "cache" / "languagetool").glob("*.log")) == []
    server.stop()


def test_server_that_ends_while_starting_is_named(home: Path) -> None:
    write_script(
        home / "bin" / "java",
        f"{JAVA_VERSION}; echo; echo No memory; exit 3",
    )
    with pytest.raises(GecevalError, match="exited with code 3 while starting: No memory"):
        Server()


def test_server_that_does_not_start_is_given_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_script(
        home / "bin" / "java",
        f"{JAVA_VERSION}; exec /bin/sleep 60",
    )
    monkeypatch.setattr(module, "STARTUP_TIMEOUT", 0.3)
    with pytest.raises(GecevalError, match=r"did not start within 0\.3 s; see "):
        Server()


def test_server_on_a_port_that_was_taken_tries_another(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = module.free_port
    ports = [1, real()]
    monkeypatch.setattr(module, "free_port", lambda: ports.pop(0))
    java = (home / "bin" / "java").read_text()
    write_script(
        home / "bin" / "java",
        f'case "$*" in *"--port 1 "*) echo "Address already in use"; exit 1;; esac\n{java}',
    )
    server = Server()
    assert ports == []
    server.stop()


@pytest.mark.parametrize("end", ["sys.exit()", "os._exit(1)", "os.kill(os.getpid(), 9)"])
def test_server_ends_with_its_process(end: str) -> None:
    code = (
        "import os, sys; from geceval.grammar.languagetool.server import Server\n"
        f"print(Server().process.pid, flush=True); {end}"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    pid = int(done.stdout)
    assert wait_for(lambda: not is_alive(pid)), done.stderr


def test_server_of_ours_that_is_killed_is_started_again() -> None:
    checker = LanguageTool(jobs=2)
    expected = checker.check(TEXTS)
    assert [len(problems) for problems in expected] == [number % 3 for number in range(100)]
    first = checker_module._own
    assert first is not None
    os.kill(first.process.pid, signal.SIGKILL)
    assert checker.check(TEXTS) == expected
    assert checker_module._own is not first
    stop_own_server()
    assert checker_module._own is None


def test_server_serves_all_checkers_of_a_process() -> None:
    LanguageTool().check(["One."])
    first = checker_module._own
    LanguageTool().check(["Two."])
    assert checker_module._own is first
    stop_own_server()


def test_background_server_is_left_running_and_found(home: Path) -> None:
    assert find_background() is None
    state, is_new = start_background()
    assert is_new
    assert find_background() == state
    assert start_background() == (state, False)
    record = json.loads((home / "cache" / "languagetool" / "server.json").read_text())
    assert record == {"pid": state.pid, "port": state.port, "version": "6.8"}
    assert LanguageTool().check(["A bad thing."])[0][0].rule == "BAD"
    assert checker_module._own is None
    assert stop_background() == state
    assert wait_for(lambda: not is_alive(state.pid))
    assert find_background() is None
    assert stop_background() is None


def test_background_server_that_died_is_replaced_by_our_own() -> None:
    state, _ = start_background()
    checker = LanguageTool()
    checker.check(["A bad thing."])
    os.kill(state.pid, signal.SIGKILL)
    assert wait_for(lambda: not is_alive(state.pid))
    assert len(checker.check(["Another bad thing."])[0]) == 1
    assert checker_module._own is not None
    stop_own_server()
    assert stop_background() is None


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"pid": "x", "port": 1, "version": ""}'])
def test_background_server_of_a_broken_file_is_none(home: Path, content: str) -> None:
    path = home / "cache" / "languagetool" / "server.json"
    path.write_text(content)
    assert find_background() is None


def test_background_server_whose_number_is_another_s_is_left_alone(home: Path) -> None:
    """The process number may have been given to somebody else: nothing is killed then."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        path = home / "cache" / "languagetool" / "server.json"
        path.write_text(json.dumps({"pid": other.pid, "port": 1, "version": "6.8"}))
        assert find_background() is None
        assert stop_background() is None
        assert other.poll() is None
        other.kill()


def test_background_knows_its_address() -> None:
    assert BackgroundServer(1, 8081, "6.8").url == "http://127.0.0.1:8081"


def test_background_server_is_started_once_by_two_at_a_time() -> None:
    with ThreadPoolExecutor(2) as pool:
        (first, is_first), (second, is_second) = pool.map(lambda _: start_background(), range(2))
    assert first == second
    assert is_first != is_second
    assert stop_background() == first
    assert wait_for(lambda: not is_alive(first.pid))
