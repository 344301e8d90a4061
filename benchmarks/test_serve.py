"""The server under load, on loopback, for a bounded time."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx
import numpy as np
import zstandard

from geceval.serve.database import Database
from geceval.serve.database.orm import Blob, Job, Submission, SubmissionScore, Task

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from serving import new_database, running_server

SECONDS = float(os.environ.get("GECEVAL_LOAD_SECONDS", "10"))
"""Length of the load; set it to 60 for the figures of the documentation."""

CLIENTS = 200
TEXTS = 500


def test_trials_under_load(tmp_path: Path) -> None:
    """200 clients at once: no error, and how long the slowest twentieth waits."""
    with running_server(new_database(tmp_path)) as server:
        port = int(server.url.rpartition(":")[2])
        asyncio.run(load(port, 3.0))
        times = asyncio.run(load(port, SECONDS))
    p50, p95 = np.quantile(times, (0.5, 0.95))
    print(
        f"\n{len(times):,} requests in {SECONDS:g} s by {CLIENTS} clients: median "
        f"{1000 * p50:.0f} ms, 95 % within {1000 * p95:.0f} ms (bar: 100 ms on two idle cores)"
    )


async def load(port: int, seconds: float) -> list[float]:
    requests = [_request(number) for number in range(TEXTS)]
    end = time.monotonic() + seconds
    times: list[float] = []

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.monotonic() < end:
            number += 1
            start = time.monotonic()
            writer.write(requests[number % TEXTS])
            head = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head[:20], head
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r")[0])
            await reader.readexactly(length)
            times.append(time.monotonic() - start)
        writer.close()

    await asyncio.gather(*(client(37 * number) for number in range(CLIENTS)))
    return times


def _request(number: int) -> bytes:
    texts = (f"He {verb} number {number} and read two book ." for verb in ("like", "likes"))
    source, corrected = texts
    body = json.dumps({"source": source, "corrections": [corrected]}).encode()
    head = (
        "POST /api/v1/try HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def test_a_board_of_a_thousand_submissions(tmp_path: Path) -> None:
    url = new_database(tmp_path)
    _fill(url, 1000)
    start = time.monotonic()
    with running_server(url) as server, httpx.Client(base_url=server.url) as client:
        client.get("/api/v1/info")
        started = time.monotonic() - start
        times = []
        for _ in range(20):
            begin = time.monotonic()
            answer = client.get("/api/v1/tasks/many/board")
            times.append(time.monotonic() - begin)
        assert len(answer.json()["entries"]) == 1000
    print(
        f"\nboard of 1,000 submissions: median {1000 * np.median(times):.0f} ms (bar: 100 ms); "
        f"first answer after {started:.2f} s (bar: 2 s)"
    )


def _fill(url: str, n: int) -> None:
    database = Database(url)
    rng = np.random.default_rng(0)
    with database.writing() as session:
        session.add(Blob(sha256="0", size=0, content=b""))
        session.add(Job(id="0", kind="task", state="done", payload={}))
        session.flush()
        session.add(Task(id=1, name="many", title="Many", files=[], metrics=["m2"], job_id="0"))
        session.flush()
        for number in range(1, n + 1):
            value = float(rng.random())
            session.add(
                Submission(
                    id=number, task_id=1, name=f"system {number}", file_name="x",
                    output_sha256="0", job_id="0", created=datetime.now(UTC),
                )
            )  # fmt: skip
            session.flush()
            session.add(
                SubmissionScore(
                    submission_id=number, metric="m2", title="M²", score_name="F0.5", value=value,
                    low=value, high=value, parts={"precision": value}, signature="m2",
                    n_better=0, n_worse=0, samples=zstandard.compress(rng.random(1000).tobytes()),
                )
            )  # fmt: skip
    database.close()
