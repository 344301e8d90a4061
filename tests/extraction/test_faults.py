"""What goes wrong in long runs, with real processes and a real full disk."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from chunk_functions import Poisoned
from extraction.test_files import failed_records, write_pairs
from geceval.engines import ATTEMPTS, Chunk
from geceval.engines.local import LocalEngine
from geceval.engines.process import owned_process
from geceval.errors import GecevalError
from geceval.extraction import chunk_annotator, runs
from geceval.extraction import files as extraction_files
from geceval.extraction.files import ExtractionSettings, annotate_files
from requirements import skip_or_fail
from running import run_geceval

PLAIN = ExtractionSettings(lang="plain")


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 100)
    paths = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    write_pairs(paths, 150)
    return paths


def annotate(sources: list[Path], target: Path, **options: Any) -> Any:
    return annotate_files(sources, target, settings=PLAIN, format="parallel", **options)


def test_killed_workers_are_replaced(pair: list[Path], tmp_path: Path) -> None:
    """With kill -9, in the middle, twice."""
    annotate(pair, tmp_path / "expected.m2")
    killed: list[int] = []

    def kill(finished: Iterator[int], total: Callable[[], int | None], done: int) -> Iterator[int]:
        del total, done
        for number in finished:
            if number in (30, 80):
                killed.append(active_children()[-1].pid or 0)
                os.kill(killed[-1], signal.SIGKILL)
            yield number

    summary = annotate(pair, tmp_path / "out.m2", engine=LocalEngine(2), progress=kill)
    assert len(set(killed)) == 2
    assert not summary.failed
    assert (tmp_path / "out.m2").read_bytes() == (tmp_path / "expected.m2").read_bytes()


@dataclass(frozen=True)
class PoisonedEngine:
    """Two worker processes, which die of a word."""

    word: str
    folder: Path

    def map(self, function: Any, chunks: Iterable[Chunk[Any]]) -> Generator[Any, None, None]:
        return LocalEngine(2).map(Poisoned(function, self.word, self.folder), chunks)


def test_poison_costs_its_chunk_only(pair: list[Path], tmp_path: Path) -> None:
    for path in pair:
        lines = path.read_text().split("\n")
        lines[77] = "this is poison ."
        path.write_text("\n".join(lines))
    annotate(pair, tmp_path / "expected.m2")
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    target = tmp_path / "out.m2"
    summary = annotate(pair, target, engine=PoisonedEngine("poison", deaths))
    assert len(list(deaths.iterdir())) == ATTEMPTS
    (gap,) = summary.failed
    assert gap.reason == "its process was ended by SIGKILL"
    assert gap.start <= 77 < gap.start + gap.sentences
    assert summary.counts.sentences == 150 - gap.sentences
    (record,) = failed_records(target)
    assert ["this is poison ."] * 2 in record["sentences"]
    assert not target.exists()
    again = annotate(pair, target, resume=True)
    assert again.resumed_at == 150 - gap.sentences
    assert target.read_bytes() == (tmp_path / "expected.m2").read_bytes()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a file system of some size, or give it another size."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def sized(size: str) -> Path:
        again = "remount," if os.path.ismount(folder) else ""
        command = ["mount", "-t", "tmpfs", "-o", f"{again}size={size}", "tmpfs", str(folder)]
        try:
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        except (OSError, subprocess.CalledProcessError) as error:
            skip_or_fail("tmpfs", f"cannot be mounted: {error}")
        return folder

    yield sized
    if os.path.ismount(folder):
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S603, S607


def test_full_disk_leaves_a_run_that_can_be_resumed(
    tmp_path: Path, small_disk: Callable[[str], Path]
) -> None:
    pair = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    write_pairs(pair, 9000)
    inputs = ("--lang", "plain", "--src", str(pair[0]), "--cor", str(pair[1]), "--jobs", "1")
    expected = tmp_path / "expected.m2"
    assert run_geceval("annotate", *inputs, "-o", str(expected))[0] == 0
    n_bytes = expected.stat().st_size
    target = small_disk(f"{n_bytes * 3 // 4 // 1024}k") / "out.m2"
    code, _, errors = run_geceval("annotate", *inputs, "-o", str(target))
    assert code == 1
    assert "no space left on device" in errors
    assert "use --resume to continue" in errors
    assert not target.exists()
    part = target.with_name("out.m2.part")
    assert part.stat().st_size > n_bytes // 3
    small_disk(f"{n_bytes * 3 // 1024}k")
    code, _, errors = run_geceval("annotate", *inputs, "-o", str(target), "--resume")
    assert code == 0, errors
    assert "by an earlier run" in errors
    assert target.read_bytes() == expected.read_bytes()
    assert [path.name for path in target.parent.iterdir()] == ["out.m2"]


def closed_generator() -> Generator[Any, None, None]:
    """Return a generator of nothing."""
    yield from ()


@pytest.mark.parametrize("size", [1, 1 << 30])
def test_two_jobs_are_processes_only_for_large_files(
    pair: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """And only in a program of our own: others may not be able to start processes."""
    monkeypatch.setattr(extraction_files, "LARGE", size)
    monkeypatch.setattr(chunk_annotator.ChunkAnnotator, "can_prefetch", True)
    jobs: list[int] = []
    monkeypatch.setattr(LocalEngine, "__init__", lambda _, n=1, **_options: jobs.append(n))
    monkeypatch.setattr(LocalEngine, "map", lambda *_: closed_generator())
    annotate(pair, tmp_path / "out.m2", jobs=2)
    with owned_process():
        annotate(pair, tmp_path / "out.m2", jobs=2)
    assert jobs == [1, 2 if size == 1 else 1]


def test_workers_with_another_model_are_refused() -> None:
    """Their edits would differ from those of other workers."""
    work = chunk_annotator.ChunkAnnotator(ExtractionSettings("plain"), "m2")
    state = work.__getstate__()
    chunk: Chunk[Any] = Chunk(0, (("I likes it", "I like it"),))
    there = chunk_annotator.ChunkAnnotator.__new__(chunk_annotator.ChunkAnnotator)
    vars(there).update(state)
    assert there(chunk) == work(chunk)
    other = chunk_annotator.ChunkAnnotator.__new__(chunk_annotator.ChunkAnnotator)
    vars(other).update({**state, "_expected": state["_expected"].replace("plain-2", "plain-1")})
    with pytest.raises(GecevalError, match=r"types:plain-2 and types:plain-1; install"):
        other(chunk)
