"""Data and tools of the benchmarks: run them with ``make bench``."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path

import pytest

from geceval import Corpus, Hypothesis
from geceval.formats import Findings, load, load_hypothesis

REPEATS = 11
"""How often the 120 sentences of the example stand for the 1312 of CoNLL-2014 without it."""


def find_shared_data() -> Path | None:
    """Return the folder with the published data sets, which are not part of the repository."""
    named = os.environ.get("GECEVAL_DATA")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(named) if named else beside
    return folder if folder.is_dir() else None


def _example(name: str) -> str:
    return str(files("geceval") / "data" / "demo" / name)


def _gold(name: str) -> Corpus:
    folder = find_shared_data()
    if folder is not None:
        return load(folder / "conll14" / "gold" / name, findings=Findings())
    return Corpus(load(_example("gold.m2")).sentences * REPEATS)


@pytest.fixture(scope="session")
def two_annotators() -> Corpus:
    """CoNLL-2014 with its two annotators, or the example many times over."""
    return _gold("official-2014.combined.m2")


@pytest.fixture(scope="session")
def ten_annotators() -> Corpus:
    """CoNLL-2014 with ten annotators, or the example many times over."""
    return _gold("bryant-ng-10.m2")


@pytest.fixture(scope="session")
def sixteen_annotators() -> Corpus:
    """CoNLL-2014 with sixteen annotators, or the example many times over."""
    return _gold("all-16.m2")


@pytest.fixture(scope="session")
def systems() -> list[Hypothesis]:
    """The 12 systems of CoNLL-2014, or those of the example many times over."""
    folder = find_shared_data()
    if folder is not None:
        paths = sorted((folder / "conll14" / "systems").glob("*.txt"))
        return [load_hypothesis(p, findings=Findings()) for p in paths if p.stem != "INPUT"]
    names = ("careful", "eager", "unchanged") * 4
    loaded = (load_hypothesis(_example(f"{name}.txt")) for name in names)
    return [Hypothesis(h.name, h.sentences * REPEATS) for h in loaded]


@pytest.fixture
def memory() -> Callable[[], float]:
    """Peak memory of this process, in MB."""
    return lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


LOOP_SECONDS = 0.04
"""CPU time of the loop below on the machine that all limits in seconds are stated for."""


def _loop() -> int:
    total = 0
    for number in range(1_000_000):
        total += number % 7
    return total


def _cpu(call: Callable[[], object]) -> float:
    """CPU time of a call, and of the processes that it starts."""
    before = os.times()
    call()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


@pytest.fixture
def seconds() -> Callable[..., float]:
    """Best CPU time of a call, as a ratio to a loop of plain Python in the same run.

    The ratio is given in seconds of the machine on which the loop takes `LOOP_SECONDS`, so that
    a limit holds on slow and busy machines, too.
    """

    def measure(call: Callable[[], object], rounds: int = 5) -> float:
        # One after the other, for both to meet the same load.
        return LOOP_SECONDS * min(_cpu(call) / _timed(_loop) for _ in range(rounds))

    return measure


def _timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


@pytest.fixture(scope="session")
def write_pairs() -> Callable[[Path, int], list[Path]]:
    """Write the sentences of the example again and again, to a folder."""
    corpus = load(_example("gold.m2"), findings=Findings())
    corrected = [target or () for target in corpus.references(missing="noop")["0"]]

    def write(folder: Path, n_pairs: int) -> list[Path]:
        paths = [folder / f"{n_pairs}.{side}.txt" for side in ("src", "cor")]
        for path, sentences in zip(paths, (corpus.sources, corrected), strict=True):
            with path.open("w", encoding="utf-8") as file:
                for number, tokens in enumerate(islice(cycle(sentences), n_pairs)):
                    # Each sentence is a new one, so that nothing can be remembered.
                    file.write(f"{' '.join(tokens)} {number}\n")
        return paths

    return write
