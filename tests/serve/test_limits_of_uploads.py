"""Hostile and oversized uploads: refused, and nothing else happens."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

import httpx
import pytest

from geceval.errors import FormatError
from geceval.serve.api_client import ServerClient, ServerError
from geceval.serve.configuration import ServerConfiguration, ServerLimits
from geceval.serve.jobs.expansion import expand
from geceval.serve.jobs.runner import remove_leftovers
from geceval.serve.jobs.work import WorkOrder
from geceval.serve.jobs.worker_process import run
from geceval.serve.schemas import JobInfo
from serving import GOLD, GOOD, RunningServer, new_database, running_server, write

HOSTILE_NAMES = [
    "../../../../etc/passwd", "/etc/passwd", "-rf", ".", "<script>alert(1)</script>.txt",
    "a\r\nSet-Cookie: x=1", "\u202etxt.exe", "x" * 300,
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_of_files_are_never_opened(local: ServerClient, name: str) -> None:
    files = [
        ("gold", ("gold.m2", GOLD.encode())),
        ("outputs", (name, GOOD.encode())),
    ]
    response = local._http.request("POST", "checks", files=files)
    assert response.status_code == 201
    info = local.wait(JobInfo.model_validate(response.json()))
    assert info.result is not None
    assert info.result["is_valid"]
    (gold, output) = info.result["files"]
    assert (gold["sentences"], output["sentences"]) == (4, 4)
    assert "/" not in output["file"]


def test_a_request_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with running_server(new_database(tmp_path), "--max-upload", "1") as server:
        url = f"{server.url}/api/v1/checks"
        files = {"gold": ("g.m2", b"x" * (1 << 20)), "outputs": ("o.txt", b"x")}
        assert httpx.post(url, files=files).status_code == 413

        def endless() -> object:
            yield b'--b\r\nContent-Disposition: form-data; name="gold"; filename="g"\r\n\r\n'
            for _ in range(64):
                yield b"x" * (1 << 16)

        # Without a length, the server counts.
        headers = {"content-type": "multipart/form-data; boundary=b"}
        answer = httpx.post(url, content=endless(), headers=headers)  # type: ignore[arg-type]
        assert answer.status_code == 413
        assert "larger than the 1 MB" in answer.json()["detail"]


def order(folder: Path, **limits: int) -> WorkOrder:
    write(folder, "gold.m2", GOLD)
    write(folder, "out.txt", GOOD)
    payload = {"metrics": ["m2"], "lang": "en", "is_hidden": False}
    return WorkOrder(
        "submission", payload, ["gold.m2"], {"ours": "out.txt"}, ServerLimits(**limits)
    )


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"tokens": 3}, "sentence 1: 4 tokens, more than the 3"),
        ({"sentences": 3}, "4 sentences, more than the 3"),
        # So little that nothing can be loaded.
        ({"job_bytes": 100 << 20}, "internal error"),
    ],
)
def test_jobs_have_limits(tmp_path: Path, limits: dict[str, int], message: str) -> None:
    outcome = run(
        order(tmp_path, **limits), tmp_path, on_progress=lambda *_: None, is_wanted=lambda: True
    )
    # A process may also be unable to say what it lacks.
    assert outcome.verdict == "died" or message in outcome.message


def test_a_job_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    slow = order(tmp_path, job_seconds=1)
    long = "a b c d e f g h i j k l m n o p\n" * 2500
    write(tmp_path, "gold.m2", "".join(f"S {line}\n\n" for line in long.splitlines()))
    write(tmp_path, "out.txt", long.upper())
    payload = {**slow.payload, "metrics": ["imeasure", "errant", "gleu", "cleme"]}
    slow = WorkOrder(slow.kind, payload, slow.gold, slow.outputs, slow.limits)
    outcome = run(slow, tmp_path, on_progress=lambda *_: None, is_wanted=lambda: True)
    assert outcome.verdict == "failed"
    assert "longer than the 1 seconds" in outcome.message


def test_a_bomb_does_not_go_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "bomb.gz", gzip.compress(b"\0" * (8 << 20)))
    with pytest.raises(FormatError, match="over 1 MB after decompression"):
        expand(["bomb.gz"], 1 << 20)
    write(tmp_path, "damaged.gz", gzip.compress(b"x" * 9999)[:40])
    with pytest.raises(FormatError, match="damaged"):
        expand(["damaged.gz"], 1 << 20)
    write(tmp_path, "fine.gz", gzip.compress(b"fine"))
    write(tmp_path, "plain.txt", b"plain")
    expand(["fine.gz", "plain.txt"], 1 << 20)
    assert (tmp_path / "fine.gz").read_bytes() == b"fine"
    assert (tmp_path / "plain.txt").read_bytes() == b"plain"


def test_what_a_killed_server_left_behind_is_removed(tmp_path: Path) -> None:
    gone = tmp_path / "geceval-serve-4194303999-x"
    own = tmp_path / f"geceval-serve-{os.getpid()}-x"
    other = tmp_path / "geceval-serve-readme"
    for folder in (gone, own, other):
        folder.mkdir()
    remove_leftovers([gone, own, other])
    assert [folder.exists() for folder in (gone, own, other)] == [False, True, True]


def test_nothing_temporary_is_left(local_server: RunningServer) -> None:
    mark = f"geceval-serve-{local_server.process.pid}-"
    assert [p for p in Path(tempfile.gettempdir()).iterdir() if p.name.startswith(mark)] == []


def test_the_rate_of_requests_is_limited(tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    from geceval.serve.application import create_app

    limits = ServerLimits(requests_per_minute=5)
    url = new_database(tmp_path)
    configuration = ServerConfiguration(url, host="0.0.0.0", limits=limits)  # noqa: S104
    client = TestClient(create_app(configuration))
    codes = [client.get("/api/v1/info").status_code for _ in range(7)]
    assert codes == [200] * 5 + [429] * 2


def test_a_cancelled_job_ends(local: ServerClient, tmp_path: Path) -> None:
    long = "a b c d e f g h i j k l m n o p\n" * 20_000
    gold = write(tmp_path, "gold.m2", "".join(f"S {line}\n\n" for line in long.splitlines()))
    output = write(tmp_path, "out.txt", long.upper())
    checked = local.wait(local.check(gold, [output]))
    given = {"check": checked.id, "metrics": ["imeasure", "errant"]}
    job = JobInfo.model_validate(local._send("POST", "reports", json=given))
    local._send("DELETE", f"jobs/{job.id}")
    with pytest.raises(ServerError, match="cancelled"):
        local.wait(job)
