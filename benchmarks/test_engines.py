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

PAIRS = (2_000, 14_000)
"""Start-up is in the difference of two sizes no more."""

ROUNDS = 3

MAX_OVERHEAD = 0.10

MEASURE = """
import os, sys
from geceval.engines.dask import DaskEngine
from geceval.engines.local import LocalEngine
from geceval.extraction.files import annotate_files
if __name__ == "__main__":
    engine = DaskEngine(jobs=2) if sys.argv[1] == "dask" else LocalEngine(2)
    annotate_files(sys.argv[2:4], sys.argv[4], format="parallel", engine=engine)
    print(sum(os.times()[:4]))
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


def cpu(engine: str, pairs: list[str], out: Path) -> float:
    """CPU seconds of all processes of a run: client, scheduler and workers."""
    script = out.with_name("measure.py")
    script.write_text(MEASURE)
    command = [sys.executable, str(script), engine, *pairs, str(out)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)  # noqa: S603


def test_dask_overhead(benchmark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At the default size of chunks, with the default annotator."""
    inputs = [write_pairs(tmp_path, n_pairs) for n_pairs in PAIRS]
    best = {
        engine: [
            min(cpu(engine, pairs, tmp_path / f"{engine}.m2") for _ in range(ROUNDS))
            for pairs in inputs
        ]
        for engine in ("local", "dask")
    }
    outputs = [(tmp_path / f"{engine}.m2").read_bytes() for engine in best]
    assert outputs[0] == outputs[1]
    local, dask = (large - small for small, large in best.values())
    overhead = dask / local - 1
    benchmark.pedantic(lambda: None, rounds=1)
    more = PAIRS[1] - PAIRS[0]
    with capsys.disabled():
        print(
            f"\n{more:,} pairs: local engine {local:.1f} s of CPU, Dask engine {dask:.1f} s, "
            f"overhead {100 * overhead:.1f} %; start-up {best['local'][0]:.1f} s and "
            f"{best['dask'][0]:.1f} s with {PAIRS[0]:,} pairs"
        )
    assert overhead <= MAX_OVERHEAD
