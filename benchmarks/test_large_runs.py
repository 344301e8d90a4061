"""Large runs: memory of each process over a million pairs, two jobs, and shards.

``GECEVAL_BENCH_PAIRS`` sets the number of pairs; a million take about six minutes of CPU.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from geceval.formats import open_output
from geceval.formats.shards import scan

PAIRS = int(os.environ.get("GECEVAL_BENCH_PAIRS", "1_000_000"))
SOME = max(1000, PAIRS // 10)
MAX_MEGABYTES = 1024
INTERVAL = 0.5
"""Seconds between two looks at the memory."""


def command(paths: list[Path], target: Path, *options: str) -> list[str]:
    sides = ("--src", str(paths[0]), "--cor", str(paths[1]))
    return [sys.executable, "-m", "geceval", "annotate", *sides, "-o", str(target), *options]


def memory(pid: int) -> dict[int, float]:
    """Return the resident megabytes of a process and of all that it started."""
    found: dict[int, float] = {}
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        if (match := re.search(r"VmRSS:\s+(\d+)", status)) is not None:
            found[pid] = int(match[1]) / 1024
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="utf-8").split():
                found |= memory(int(child))
    except OSError:
        # It has ended.
        pass
    return found


def watched(arguments: list[str]) -> tuple[float, list[dict[int, float]]]:
    """Run a program; return its wall time, and its memory every now and then."""
    start = time.perf_counter()
    looks = []
    with subprocess.Popen(arguments, stderr=subprocess.DEVNULL) as process:  # noqa: S603
        while process.poll() is None:
            looks.append(memory(process.pid))
            time.sleep(INTERVAL)
    assert process.returncode == 0
    return time.perf_counter() - start, looks


@pytest.fixture(scope="module")
def some(
    tmp_path_factory: pytest.TempPathFactory, write_pairs: Callable[[Path, int], list[Path]]
) -> list[Path]:
    return write_pairs(tmp_path_factory.mktemp("some"), SOME)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_memory_of_each_process_is_flat(
    benchmark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    write_pairs: Callable[[Path, int], list[Path]],
    jobs: str,
) -> None:
    """English, each sentence a new one: at most 1 GB, and no more at the end than before."""
    paths = write_pairs(tmp_path, PAIRS)
    _, looks = watched(command(paths, tmp_path / "out.m2", "--jobs", jobs))
    benchmark.pedantic(lambda: None, rounds=1)
    peaks = {pid: max(look.get(pid, 0) for look in looks) for look in looks for pid in look}
    main = [max(look.values()) for look in looks if look]
    quarter = len(main) // 4
    early, late = median(main[quarter : 2 * quarter]), median(main[3 * quarter :])
    with capsys.disabled():
        print(
            f"\n{PAIRS:,} pairs, --jobs {jobs}: at most {max(peaks.values()):.0f} MB in a process, "
            f"{early:.0f} MB in the second quarter, {late:.0f} MB in the last"
        )
    assert max(peaks.values()) <= MAX_MEGABYTES
    assert late - early < 0.1 * early


def test_two_jobs_against_one(
    benchmark: Any, some: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wall time with loading, in turns; only an idle machine with two cores tells the truth."""
    ratios = []
    for _ in range(3):
        one, _ = watched(command(some, tmp_path / "1.m2", "--jobs", "1"))
        two, _ = watched(command(some, tmp_path / "2.m2", "--jobs", "2"))
        ratios.append(one / two)
    benchmark.pedantic(lambda: None, rounds=1)
    with capsys.disabled():
        print(f"\n{SOME:,} pairs: --jobs 2 is {median(ratios):.2f} times as fast as --jobs 1")
    assert (tmp_path / "1.m2").read_bytes() == (tmp_path / "2.m2").read_bytes()
    assert median(ratios) >= 1.7


def test_eight_shards_equal_one_run(
    benchmark: Any, some: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Byte for byte; and what shards cost beside the annotation."""
    seconds = [watched(command(some, tmp_path / "one.m2", "--jobs", "1"))[0]]
    parts = [tmp_path / f"part-{number}.m2" for number in range(1, 9)]
    for number, part in enumerate(parts, 1):
        options = ("--jobs", "1", "--shard", f"{number}/8")
        seconds.append(watched(command(some, part, *options))[0])
    merging = [sys.executable, "-m", "geceval", "merge", *map(str, parts)]
    seconds.append(watched([*merging, "-o", str(tmp_path / "all.m2")])[0])
    benchmark.pedantic(lambda: None, rounds=1)
    with capsys.disabled():
        print(
            f"\n{SOME:,} pairs: one run {seconds[0]:.1f} s, eight shards together "
            f"{sum(seconds[1:-1]):.1f} s, merging {seconds[-1]:.1f} s"
        )
    digests = {
        hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("one.m2", "all.m2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"], ids=["plain", "gzip", "zstd"])
def test_finding_a_shard(benchmark: Any, tmp_path: Path, some: list[Path], ending: str) -> None:
    """What every shard does first, for each file: hash it, and find where lines end."""
    path = tmp_path / f"src.txt{ending}"
    with open_output(path) as out:
        out.write(some[0].read_text(encoding="utf-8"))
    found = benchmark(scan, str(path), "parallel", encoding="utf-8")
    assert found.n_records == SOME
