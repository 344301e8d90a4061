from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import chunk_functions as work
from geceval.engines import Chunk, ChunkError, Engine, cut
from geceval.engines.local import AHEAD, LocalEngine
from geceval.errors import GecevalError, UnknownNameError

ENGINES = [LocalEngine(), LocalEngine(2)]

WORDS = ["a", "bb", "", "die", "ccc", "dd"]


def chunks(words: list[str]) -> Iterator[Chunk[str]]:
    return cut(words, len, limit=2)


def test_cut_counts_sizes() -> None:
    assert list(cut(WORDS, len, limit=3, start=7)) == [
        Chunk(7, ("a", "bb")),
        Chunk(9, ("", "die")),
        Chunk(11, ("ccc",)),
        Chunk(12, ("dd",)),
    ]


def test_cut_empty_items_take_room() -> None:
    assert [len(chunk.items) for chunk in cut([""] * 5, len, limit=2)] == [2, 2, 1]


def test_cut_nothing() -> None:
    assert list(cut([], len, limit=2)) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_local_map_keeps_the_order(engine: Engine) -> None:
    expected = [work.lengths(chunk) for chunk in chunks(WORDS)]
    assert list(engine.map(work.lengths, chunks(WORDS))) == expected
    assert list(engine.map(work.lengths, [])) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_local_slow_chunks_do_not_change_the_order(engine: Engine) -> None:
    starts = [chunk.start for chunk in chunks(WORDS)]
    assert list(engine.map(work.first_is_slow, chunks(WORDS))) == starts


def test_local_processes() -> None:
    """One job stays here; workers live as long as the map and are no more than asked for."""
    assert set(LocalEngine().map(work.process, chunks(WORDS))) == {os.getpid()}
    workers = set(LocalEngine(2).map(work.process, chunks(WORDS * 5)))
    assert os.getpid() not in workers
    assert 1 <= len(workers) <= 2
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_local_takes_chunks_only_a_little_ahead() -> None:
    taken = []

    def stream() -> Iterator[Chunk[str]]:
        for number in range(100):
            taken.append(number)
            yield Chunk(number, ("a",))

    results = LocalEngine(2).map(work.lengths, stream())
    next(results)
    assert len(taken) <= 2 * AHEAD
    results.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_local_failed_chunk_is_tried_again(tmp_path: Path, engine: Engine) -> None:
    expected = [work.lengths(chunk) for chunk in chunks(WORDS)]
    assert list(engine.map(work.Failing(tmp_path, 1), chunks(WORDS))) == expected
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_local_chunk_that_fails_twice_is_named(tmp_path: Path, engine: Engine) -> None:
    with pytest.raises(ChunkError) as caught:
        list(engine.map(work.Failing(tmp_path, 2), chunks(WORDS)))
    assert str(caught.value) == "sentences 3 to 4 failed twice: ZeroDivisionError: no luck"
    assert "Traceback" in caught.value.__notes__[0]


def test_local_chunk_of_a_dead_worker_is_tried_again(tmp_path: Path) -> None:
    expected = [work.lengths(chunk) for chunk in chunks(WORDS)]
    assert list(LocalEngine(2).map(work.Deadly(tmp_path, 1), chunks(WORDS))) == expected
    assert len(list(tmp_path.iterdir())) == 1


def test_local_chunk_that_kills_twice_is_named(tmp_path: Path) -> None:
    """What came before it is there."""
    results = LocalEngine(2).map(work.Deadly(tmp_path, 2), chunks(WORDS))
    assert next(results) == [1, 2]
    with pytest.raises(ChunkError) as caught:
        list(results)
    assert str(caught.value) == ("sentences 3 to 4 failed twice: its process was ended by SIGKILL")


@pytest.mark.parametrize(
    ("engine", "kind"),
    list(zip(ENGINES, [UnknownNameError, GecevalError], strict=True)),
)
def test_local_bad_data_is_not_tried_again(engine: Engine, kind: type[GecevalError]) -> None:
    with pytest.raises(kind) as caught:
        list(engine.map(work.refuse, [Chunk(0, ("b",))]))
    assert str(caught.value) == "unknown word 'b' (known: a)"
    assert not isinstance(caught.value, ChunkError)


def test_local_result_that_cannot_be_sent() -> None:
    with pytest.raises(ChunkError, match="failed twice: its result cannot be sent"):
        list(LocalEngine(2).map(work.unsendable, [Chunk(0, ("a",))]))


def test_local_needs_a_worker() -> None:
    with pytest.raises(GecevalError, match="at least one worker is needed, not 0"):
        LocalEngine(0)


def test_local_workers_end_with_a_killed_program() -> None:
    """Nobody is left to end them, so they must notice."""
    program = (
        "from chunk_functions import process; from geceval.engines import Chunk;"
        "from geceval.engines.local import LocalEngine;"
        "results = LocalEngine(2).map(process, (Chunk(i, ('a',)) for i in range(10)));"
        "print(next(results), flush=True); import os; os.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(work.__file__).parent)}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, check=False
    )
    assert done.returncode == -9
    worker = int(done.stdout)
    for _ in range(100):
        state = Path(f"/proc/{worker}/stat")
        if not state.exists() or ") Z " in state.read_text():
            return
        time.sleep(0.05)
    raise AssertionError("the worker goes on")
