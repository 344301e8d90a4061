"""``geceval push`` and ``geceval serve`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval.cli import main
from serving import FAIR, GOLD, new_database, running_server, write


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, words)
    return result.exit_code, result.stdout, result.stderr


def test_push_submits_and_prints_scores(tmp_path: Path) -> None:
    output = write(tmp_path, "ours.txt", FAIR)
    with running_server(new_database(tmp_path)) as server:
        with server.client() as client:
            client.create_task("spring", write(tmp_path, "gold.m2", GOLD), ["m2"])
        words = ("push", str(output), "--task", "spring", "--server", server.url)
        code, out, _ = run(*words, "--json")
        assert code == 0
        document = json.loads(out)
        assert (document["name"], document["scores"][0]["metric"]) == ("ours", "m2")
        code, out, _ = run(*words, "--name", "[bold]x")
        assert code == 0
        assert "[bold]x" in out
        assert f"{document['scores'][0]['value']:.4f}" in out
        assert run(*words, "--no-wait")[0] == 0
        assert run(*words[:-3], "other", *words[-2:])[0] != 0


@pytest.mark.parametrize("server", ["http://127.0.0.1:1", "nonsense", "http://[::1"])
def test_push_says_when_there_is_no_server(tmp_path: Path, server: str) -> None:
    output = write(tmp_path, "ours.txt", FAIR)
    words = ["push", str(output), "--task", "spring", "--server", server]
    result = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "geceval", *words], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "cannot be reached" in result.stderr
    assert "Traceback" not in result.stderr


def test_tokens_are_added_listed_and_revoked(tmp_path: Path) -> None:
    serve = ("serve", "--database", new_database(tmp_path), "token")
    code, out, _ = run(*serve, "add", "--organizer", "Team")
    assert code == 0
    assert len(out.strip()) > 40
    assert run(*serve, "add", "Team")[0] != 0
    assert run(*serve, "revoke", "Team")[0] == 0
    (listed,) = json.loads(run(*serve, "list", "--json")[1])["participants"]
    assert (listed["name"], listed["is_organizer"], listed["is_revoked"]) == ("Team", True, True)


def test_backup_and_restore(tmp_path: Path) -> None:
    first, second = (f"sqlite:///{tmp_path / name}.db" for name in ("first", "second"))
    run("serve", "--database", first, "token", "add", "Team")
    code, out, _ = run("serve", "--database", first, "backup", str(tmp_path / "copy.db"))
    assert (code, out.split()[:2]) == (0, ["1", "row"])
    assert run("serve", "--database", second, "restore", str(tmp_path / "copy.db"))[0] == 0
    assert "Team" in run("serve", "--database", second, "token", "list")[1]


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with running_server(new_database(tmp_path)) as server:
        port = server.url.rpartition(":")[2]
        result = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "geceval", "serve", "--port", port, "--database", "sqlite://"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert result.returncode == 1
    assert f"port {port}" in result.stderr
    assert "try another --port" in result.stderr
