"""Commands on a real Dask cluster: whatever is killed, the output is that of a single process."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clusters import LIMIT, Cluster, running_cluster
from running import run_geceval

pytest.importorskip("distributed", reason="dask.distributed is not installed")

WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sees",
    "likes",
    "likeing",
    "goes",
    "go",
    "house",
    "quick",
    "and",
]


def write_pairs(folder: Path, n_pairs: int) -> list[str]:
    """Write made-up sentences and their corrections; return the options for them."""
    chance = random.Random(7)
    lines: tuple[list[str], list[str]] = ([], [])
    for number in range(n_pairs):
        tokens = [*chance.choices(WORDS, k=chance.randint(5, 25)), str(number)]
        other = [chance.choice(WORDS) if chance.random() < 0.1 else one for one in tokens]
        for side, text in zip(lines, (tokens, other), strict=True):
            side.append(" ".join(text) + "\n")
    for name, side in zip(("src", "cor"), lines, strict=True):
        (folder / f"{name}.txt").write_text("".join(side))
    return ["--src", str(folder / "src.txt"), "--cor", str(folder / "cor.txt"), "--lang", "plain"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_pairs(tmp_path_factory.mktemp("pairs"), 15_000)


@pytest.fixture(scope="module")
def expected(pairs: list[str], tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("expected") / "out.m2"
    code, _, errors = run_geceval("annotate", *pairs, "-o", str(out), "--jobs", "1")
    assert code == 0, errors
    return out.read_bytes()


def start(*arguments: str, cluster: Cluster) -> subprocess.Popen[bytes]:
    engine = ["--engine", "dask", "--scheduler", cluster.address]
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "geceval", "annotate", *arguments, *engine], stderr=subprocess.PIPE
    )


def wait_for_output(out: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a run has committed something, and is not finished."""
    record = out.with_name(f"{out.name}.part.json")
    wait_for(lambda: record.exists() and json.loads(record.read_bytes())["bytes"] > 0, process)


def wait_for(is_there: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + LIMIT
    while not is_there():
        assert process.poll() is None, "it finished before it could be disturbed"
        assert time.monotonic() < deadline, "it has not started"
        time.sleep(0.01)


def worker_processes(cluster: Cluster) -> list[int]:
    """Return the processes that work; each is a child of a nanny."""
    children = [
        child
        for nanny in cluster.workers
        for thread in Path(f"/proc/{nanny.pid}/task").iterdir()
        for child in (thread / "children").read_text().split()
    ]
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def test_dask_annotate_survives_a_killed_worker(
    cluster: Cluster, pairs: list[str], expected: bytes, tmp_path: Path
) -> None:
    out = tmp_path / "out.m2"
    process = start(*pairs, "-o", str(out), cluster=cluster)
    wait_for_output(out, process)
    os.kill(worker_processes(cluster)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=2 * LIMIT)
    assert process.returncode == 0, errors.decode()
    assert b"15,000 sentences" in errors
    assert out.read_bytes() == expected


def test_dask_annotate_resumes_on_another_cluster(
    cluster: Cluster, pairs: list[str], expected: bytes, tmp_path: Path
) -> None:
    """A run that was killed is continued by Dask, and one of Dask by a single process."""
    out = tmp_path / "out.m2"
    process = start(*pairs, "-o", str(out), cluster=cluster)
    wait_for_output(out, process)
    process.kill()
    process.communicate()
    assert not out.exists()
    code, _, errors = run_geceval("annotate", *pairs, "-o", str(out), "--resume", "--jobs", "1")
    assert (code, "by an earlier run" in errors) == (0, True), errors
    assert out.read_bytes() == expected


def test_dask_annotate_to_parts(
    cluster: Cluster, pairs: list[str], expected: bytes, tmp_path: Path
) -> None:
    """A killed run leaves whole parts; the next makes the others, and a damaged one again."""
    folder, joined = tmp_path / "parts", tmp_path / "joined.m2"
    options = [*pairs, "--parts", str(folder), "--part-size", "1500"]
    process = start(*options, cluster=cluster)
    wait_for((folder / "part-00002-of-00010.m2.manifest.json").exists, process)
    process.kill()
    process.communicate()
    damaged = folder / "part-00001-of-00010.m2"
    damaged.write_bytes(damaged.read_bytes().replace(b"cat", b"cow", 1))
    process = start(*options, "--resume", cluster=cluster)
    _, errors = process.communicate(timeout=2 * LIMIT)
    assert process.returncode == 0, errors.decode()
    assert b"damaged or made from something else" in errors
    assert b"by an earlier run" in errors
    parts = sorted(str(path) for path in folder.glob("*.m2"))
    assert len(parts) == 10
    assert run_geceval("merge", *parts, "-o", str(joined))[0] == 0
    assert joined.read_bytes() == expected


def test_dask_scores_are_those_of_one_process(cluster: Cluster, tmp_path: Path) -> None:
    """All bits of the scores, intervals and signatures, by metrics of edits and of n-grams."""
    gold = tmp_path / "gold.m2"
    pairs = write_pairs(tmp_path, 4000)
    assert run_geceval("annotate", *pairs, "-o", str(gold), "--jobs", "1")[0] == 0
    sources = (tmp_path / "src.txt").read_text().splitlines()
    chance = random.Random(3)
    systems = []
    for number in range(3):
        lines = (
            " ".join(chance.choice(WORDS) if chance.random() < 0.1 else one for one in line.split())
            for line in sources
        )
        path = tmp_path / f"system{number}.txt"
        path.write_text("\n".join(lines) + "\n")
        systems.append(str(path))
    command = ["score", "-m", "m2,gleu,bleu", "--gold", str(gold), *systems, "--json"]
    code, local, errors = run_geceval(*command, "--jobs", "1")
    assert code == 0, errors
    engine = ["--engine", "dask", "--scheduler", cluster.address]
    assert run_geceval(*command, *engine)[:2] == (0, local)


def test_dask_scheduler_that_does_not_come_back(
    pairs: list[str], expected: bytes, tmp_path: Path
) -> None:
    """The run waits for it; interrupted, it is continued when there is a scheduler again."""
    out = tmp_path / "out.m2"
    folder = tmp_path / "cluster"
    folder.mkdir()
    with running_cluster(folder) as cluster:
        process = start(*pairs, "-o", str(out), cluster=cluster)
        wait_for_output(out, process)
        cluster.kill_scheduler()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
        assert process.returncode != 0
        assert b"use --resume to continue" in errors
        assert b"Traceback" not in errors
        assert not out.exists()
        cluster.stop_workers()
        cluster.start_scheduler()
        cluster.start_workers(2)
        process = start(*pairs, "-o", str(out), "--resume", cluster=cluster)
        _, errors = process.communicate(timeout=2 * LIMIT)
        assert process.returncode == 0, errors.decode()
    assert out.read_bytes() == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:9"], "--scheduler is for --engine dask"),
        (["--engine", "dask", "--scheduler", " "], "the address of --scheduler is empty"),
        (["--engine", "spark"], "'spark' is not one of 'local', 'dask'"),
    ],
)
def test_dask_wrong_usage(arguments: list[str], message: str) -> None:
    code, _, errors = run_geceval("annotate", "--src", "a", "--cor", "b", *arguments)
    assert code == 2
    assert message in errors
