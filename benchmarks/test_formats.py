"""Speed of reading, and of starting the program."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from conftest import find_shared_data
from geceval.formats import Findings, load, read_sentences

SENTENCES = 1_000_000


def test_sixteen_annotators_become_a_corpus(benchmark: Any, seconds: Callable[..., float]) -> None:
    """Load all-16.m2 (1312 sentences, 2.8 MB) in under 0.25 s of CPU."""
    folder = find_shared_data()
    if folder is None:
        pytest.skip("shared data not found: set GECEVAL_DATA to run this benchmark")
    path = folder / "conll14" / "gold" / "all-16.m2"
    benchmark(lambda: load(path, findings=Findings()))
    assert seconds(lambda: load(path, findings=Findings())) < 0.25


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the example again and again until there are a million sentences."""
    example = (files("geceval") / "data" / "demo" / "gold.m2").read_text(encoding="utf-8")
    blocks: Iterator[str] = itertools.cycle(example.strip().split("\n\n"))
    path = tmp_path_factory.mktemp("large") / "million.m2"
    with path.open("w", encoding="utf-8") as file:
        for block in itertools.islice(blocks, SENTENCES):
            file.write(f"{block}\n\n")
    return path


def test_a_million_sentences_stream(
    benchmark: Any,
    large_file: Path,
    capsys: pytest.CaptureFixture[str],
    memory: Callable[[], float],
) -> None:
    """In constant memory: a small share of the file."""

    def stream() -> int:
        with read_sentences([large_file], findings=Findings()) as (_, sentences):
            return sum(1 for _ in sentences)

    before, start = memory(), time.process_time()
    count = benchmark.pedantic(stream, rounds=1)
    seconds = time.process_time() - start
    size, more = large_file.stat().st_size / 1e6, memory() - before
    with capsys.disabled():
        print(
            f"\n{count:,} sentences ({size:.0f} MB) at {count / seconds:,.0f} a second, "
            f"{more:.0f} MB more memory at the peak"
        )
    assert more < 0.2 * size


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"]])
def test_program_starts(
    benchmark: Any, arguments: list[str], seconds: Callable[..., float]
) -> None:
    """Under 0.3 s."""
    command = [sys.executable, "-m", "geceval", *arguments]
    start = partial(subprocess.run, command, check=True, capture_output=True)
    benchmark(start)
    assert seconds(start) < 0.3
