from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import chunk_functions as work
from geceval.engines import ATTEMPTS, Chunk, ChunkError, ChunkFailure, Engine, cut, demand
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
    workers = set(demand(LocalEngine(2).map(work.process, chunks(WORDS * 5))))
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
def test_local_chunk_that_fails_each_time_costs_that_chunk_only(
    tmp_path: Path, engine: Engine
) -> None:
    """Its failure is in its place, and names it."""
    results = list(engine.map(work.Failing(tmp_path, ATTEMPTS), chunks(WORDS)))
    assert [results[0], *results[2:]] == [[1, 2], [3], [2]]
    failure = results[1]
    assert isinstance(failure, ChunkFailure)
    assert failure.chunk == Chunk(2, ("", "die"))
    assert str(failure) == "sentences 3 to 4 failed 3 times: ZeroDivisionError: no luck"
    assert "Traceback" in failure.error.__notes__[0]
    assert len(list(tmp_path.iterdir())) == ATTEMPTS


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("times", range(1, ATTEMPTS))
def test_local_chunk_that_fails_less_often_is_done(
    tmp_path: Path, engine: Engine, times: int
) -> None:
    expected = [work.lengths(chunk) for chunk in chunks(WORDS)]
    assert list(engine.map(work.Failing(tmp_path, times), chunks(WORDS))) == expected
    assert len(list(tmp_path.iterdir())) == times


def test_demand_ends_at_the_first_failure(tmp_path: Path) -> None:
    results = demand(LocalEngine().map(work.Failing(tmp_path, ATTEMPTS), chunks(WORDS)))
    assert next(results) == [1, 2]
    with pytest.raises(ChunkError, match=r"^sentences 3 to 4 failed 3 times: ZeroDivisionError"):
        next(results)


def test_local_chunk_of_a_dead_worker_is_tried_again(tmp_path: Path) -> None:
    expected = [work.lengths(chunk) for chunk in chunks(WORDS)]
    assert list(LocalEngine(2).map(work.Deadly(tmp_path, 1), chunks(WORDS))) == expected
    assert len(list(tmp_path.iterdir())) == 1


def test_local_poison_chunk_costs_that_chunk_only(tmp_path: Path) -> None:
    """It kills every worker that tries it; the workers are replaced."""
    results = list(LocalEngine(2).map(work.Deadly(tmp_path, 99), chunks(WORDS * 2)))
    failures = [one for one in results if isinstance(one, ChunkFailure)]
    assert [str(one) for one in failures] == [
        "sentences 3 to 4 failed 3 times: its process was ended by SIGKILL",
        "sentences 9 to 10 failed 3 times: its process was ended by SIGKILL",
    ]
    assert [one for one in results if isinstance(one, list)] == [[1, 2], [3], [2]] * 2
    assert len(list(tmp_path.iterdir())) == 2 * ATTEMPTS


def test_local_worker_that_dies_while_it_answers() -> None:
    """Half a result is no result."""
    (failure,) = LocalEngine(2).map(work.die_sending, [Chunk(0, ("a",))])
    assert isinstance(failure, ChunkFailure)
    assert failure.reason == "its process was ended by SIGKILL"


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
    (failure,) = LocalEngine(2).map(work.unsendable, [Chunk(0, ("a",))])
    assert isinstance(failure, ChunkFailure)
    assert failure.reason.startswith("its result cannot be sent")


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
