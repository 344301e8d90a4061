"""The overhead of the Dask engine, against the local engine in the same run."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from geceval.formats import Findings, load

pytest.importorskip("distributed", reason="dask.distributed is not installed")

PAIRS = (1_000, 9_000)
"""Start-up is in the difference of two sizes no more."""

ROUNDS = 2

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


def write_pairs(folder: Path, n_pairs: int) -> list[str]:
    """Write the sentences of the example again and again, each with its number."""
    corpus = load(str(files("geceval") / "data" / "demo" / "gold.m2"), findings=Findings())
    corrected = [target or () for target in corpus.references(missing="noop")["0"]]
    paths = [folder / f"{n_pairs}.{side}.txt" for side in ("src", "cor")]
    for path, sentences in zip(paths, (corpus.sources, corrected), strict=True):
        with path.open("w", encoding="utf-8") as file:
            for number, tokens in enumerate(islice(cycle(sentences), n_pairs)):
                file.write(f"{' '.join(tokens)} {number}\n")
    return [str(path) for path in paths]


def cpu(engine: str, pairs: list[str], out: Path) -> tuple[float, float]:
    """CPU seconds of a run: of the command, with the scheduler, and of the workers."""
    script = out.with_name("measure.py")
    script.write_text(MEASURE)
    command = [sys.executable, str(script), engine, *pairs, str(out)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603
    own, workers = map(float, done.stdout.split())
    return own, workers


def test_dask_overhead(benchmark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At the default size of chunks, with the default annotator."""
    inputs = [write_pairs(tmp_path, n_pairs) for n_pairs in PAIRS]
    benchmark.pedantic(lambda: None, rounds=1)
    runs: dict[str, list[list[tuple[float, float]]]] = {"local": [[], []], "dask": [[], []]}
    for _ in range(ROUNDS):
        for engine, of_sizes in runs.items():
            for pairs, times in zip(inputs, of_sizes, strict=True):
                times.append(cpu(engine, pairs, tmp_path / f"{engine}.m2"))
    outputs = [(tmp_path / f"{engine}.m2").read_bytes() for engine in runs]
    assert outputs[0] == outputs[1]
    best = {engine: [min(times, key=sum) for times in sizes] for engine, sizes in runs.items()}
    local, dask = (sum(large) - sum(small) for small, large in best.values())
    overhead = dask / local - 1
    more = PAIRS[1] - PAIRS[0]
    per_million = 1_000_000 / more
    own = best["dask"][1][0] - best["dask"][0][0]
    with capsys.disabled():
        print(
            f"\n{more:,} more pairs: local engine {local:.2f} s of CPU "
            f"({local * per_million:,.0f} s for a million), Dask engine {dask:.2f} s, overhead "
            f"{100 * overhead:.1f} %; of that the command and the scheduler {own:.2f} s "
            f"({own * per_million:,.0f} s for a million); with {PAIRS[0]:,} pairs, start-up "
            f"included, {sum(best['local'][0]):.1f} s and {sum(best['dask'][0]):.1f} s"
        )
    assert overhead <= MAX_OVERHEAD
