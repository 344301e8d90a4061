"""The overhead of the Dask engine, against the local engine in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

PAIRS = (1_000, 41_000)
"""Start-up is in the difference of two sizes no more."""

ROUNDS = 5

MAX_OVERHEAD = 0.10

MEASURE = """
import os, sys
from geceval.engines.dask import DaskEngine
from geceval.engines.local import LocalEngine
from geceval.extraction.files import annotate_files
if __name__ == "__main__":
    engine = DaskEngine(jobs=2) if sys.argv[1] == "dask" else LocalEngine(2)
    annotate_files(sys.argv[2:4], sys.argv[4], format="parallel", engine=engine)
    times = os.times()
    print(times.user + times.system, times.children_user + times.children_system)
"""


class Seconds(NamedTuple):
    """CPU seconds of a run: of the command, with the scheduler, and of the workers."""

    command: float
    workers: float

    def beyond(self, start: Seconds) -> Seconds:
        """Without those of a small run, which are start-up."""
        return Seconds(self.command - start.command, self.workers - start.workers)

    @property
    def per_million(self) -> str:
        """For a million pairs."""
        per_pair = 1_000_000 / (PAIRS[1] - PAIRS[0])
        return f"{sum(self) * per_pair:,.0f} s (command {self.command * per_pair:,.0f} s)"


def cpu(engine: str, pairs: list[Path], folder: Path) -> Seconds:
    script = folder / "measure.py"
    script.write_text(MEASURE)
    command = [sys.executable, str(script), engine, *map(str, pairs), str(folder / f"{engine}.m2")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603
    return Seconds(*map(float, done.stdout.split()))


def test_dask_overhead(
    benchmark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    write_pairs: Callable[[Path, int], list[Path]],
) -> None:
    """At the default size of chunks, with the default annotator: the median of paired runs."""
    small, large = (write_pairs(tmp_path, n_pairs) for n_pairs in PAIRS)
    benchmark.pedantic(lambda: None, rounds=1)
    overheads = []
    for number in range(ROUNDS):
        # In turns, for both to meet the same load; which is first changes, too.
        order = ("local", "dask") if number % 2 else ("dask", "local")
        start = {engine: cpu(engine, small, tmp_path) for engine in order}
        whole = {engine: cpu(engine, large, tmp_path) for engine in order}
        local, dask = (whole[engine].beyond(start[engine]) for engine in ("local", "dask"))
        overheads.append(sum(dask) / sum(local) - 1)
        with capsys.disabled():
            print(
                f"\nCPU for a million pairs: local engine {local.per_million}, Dask engine "
                f"{dask.per_million}, {100 * overheads[-1]:+.1f} %; to start, "
                f"{sum(start['local']):.1f} s and {sum(start['dask']):.1f} s; "
                f"load {os.getloadavg()[0]:.1f}",
                end="",
            )
    outputs = [(tmp_path / f"{engine}.m2").read_bytes() for engine in ("local", "dask")]
    assert outputs[0] == outputs[1]
    with capsys.disabled():
        print(f"\nmedian overhead of the Dask engine: {100 * median(overheads):.1f} %")
    assert median(overheads) <= MAX_OVERHEAD
