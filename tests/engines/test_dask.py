"""The Dask engine, on a real scheduler and three real workers."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

import chunk_functions as work
from clusters import Cluster, running_cluster
from geceval.engines import Chunk, ChunkFailure, cut, demand
from geceval.engines.dask import DaskEngine
from geceval.errors import GecevalError

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from geceval.engines.dask import dispatcher

WORDS = ["a", "bb", "", "die", "ccc", "dd"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture
def engine(cluster: Cluster) -> DaskEngine:
    return DaskEngine(cluster.address, patience=60)


def chunks(words: list[str]) -> Iterator[Chunk[str]]:
    return cut(words, len, limit=2)


def singles(n: int) -> Iterator[Chunk[str]]:
    return (Chunk(number, ("a",)) for number in range(n))


def test_dask_keeps_the_order(engine: DaskEngine) -> None:
    expected = [work.lengths(chunk) for chunk in chunks(WORDS * 20)]
    assert list(engine.map(work.lengths, chunks(WORDS * 20))) == expected
    assert list(engine.map(work.lengths, [])) == []
    starts = [chunk.start for chunk in chunks(WORDS)]
    assert list(engine.map(work.first_is_slow, chunks(WORDS))) == starts


def test_dask_takes_chunks_only_a_little_ahead(engine: DaskEngine) -> None:
    taken = []

    def stream() -> Iterator[Chunk[str]]:
        for chunk in singles(500):
            taken.append(chunk.start)
            yield chunk

    results = engine.map(work.lengths, stream())
    for n_results, _ in enumerate(results, 1):
        assert len(taken) <= n_results + 3 * dispatcher.WINDOW
        if n_results == 100:
            break
    results.close()


def test_dask_sends_the_function_once_to_each_worker(engine: DaskEngine, tmp_path: Path) -> None:
    function = work.Loaded(str(tmp_path))
    results = list(demand(engine.map(function, singles(100))))
    loads = list(tmp_path.iterdir())
    assert results == [1] * 100
    assert 1 <= len(loads) <= 3


def test_dask_failed_chunk_is_tried_again(engine: DaskEngine, tmp_path: Path) -> None:
    expected = [work.lengths(chunk) for chunk in chunks(WORDS)]
    assert list(engine.map(work.Failing(tmp_path, 2), chunks(WORDS))) == expected
    assert len(list(tmp_path.iterdir())) == 2


def test_dask_chunk_that_fails_each_time_is_named(engine: DaskEngine, tmp_path: Path) -> None:
    results = list(engine.map(work.Failing(tmp_path, 99), chunks(WORDS)))
    failures = [result for result in results if isinstance(result, ChunkFailure)]
    assert [str(one) for one in failures] == [
        "sentences 3 to 4 failed 3 times: ZeroDivisionError: no luck"
    ]
    assert "Traceback" in failures[0].trace
    assert len(results) == len(list(chunks(WORDS)))


def test_dask_bad_data_is_not_tried_again(engine: DaskEngine) -> None:
    with pytest.raises(GecevalError, match="unknown word 'b'"):
        list(engine.map(work.refuse, [Chunk(0, ("b",))]))


def test_dask_result_that_cannot_be_sent(engine: DaskEngine) -> None:
    (failure,) = engine.map(work.unsendable, [Chunk(0, ("a",))])
    assert "its result cannot be sent" in str(failure)


def test_dask_worker_killed_in_the_middle(engine: DaskEngine) -> None:
    """Not one result is lost or doubled, and the nanny's new worker takes part."""
    killed = 0
    seen = []
    for pid in demand(engine.map(work.paced_process, singles(300))):
        seen.append(pid)
        if len(seen) == 50:
            killed = pid
            os.kill(killed, signal.SIGKILL)
    assert len(seen) == 300
    # What was in flight at the time of death may have been finished, but nothing later.
    assert killed not in seen[50 + 3 * dispatcher.WINDOW :]


def test_dask_poison_chunk_costs_only_itself(engine: DaskEngine, tmp_path: Path) -> None:
    """It kills three workers that it has for itself, is named, and all others are finished."""
    words = ["one", "two"] * 15
    words[10] = "die"
    stream = (Chunk(number, (word,)) for number, word in enumerate(words))
    results = list(engine.map(work.Deadly(tmp_path, 99), stream))
    failed = {place: one for place, one in enumerate(results) if isinstance(one, ChunkFailure)}
    assert list(failed) == [10]
    assert str(failed[10]) == "sentences 11 to 11 failed 3 times: its worker died"
    assert [one for place, one in enumerate(results) if place != 10] == [[3]] * 29
    # Or one more, which another chunk was on.
    assert len(list(tmp_path.iterdir())) in (3, 4)


def test_dask_death_counts_against_a_chunk_that_was_alone() -> None:
    """Of two chunks, the first may have been finished, so neither is blamed."""
    tasks = [dispatcher.ChunkTask(start, Chunk(start, ("a",)), b"") for start in range(2)]
    run = dispatcher.Dispatcher("run", b"", patience=1, notify=lambda: None)
    for on_worker, attempts in ((tasks, [0, 0]), (tasks[1:], [0, 1])):
        flights = [dispatcher._Flight(task, since=0.0) for task in on_worker]
        for task in on_worker:
            task.copies = 1
        run._lanes["worker"] = dispatcher._Lane("worker", flights)
        run._bury("worker")
        assert [task.attempts for task in tasks] == attempts
    assert all(task.is_suspect for task in tasks)


def test_dask_slow_worker_stalls_only_its_chunk(
    engine: DaskEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker takes over what one does not finish."""
    monkeypatch.setattr(dispatcher, "_MIN_SLOW", 1.0)
    words = ["wait" if number == 5 else "a" for number in range(100)]
    stream = (Chunk(number, (word,)) for number, word in enumerate(words))
    try:
        results = list(engine.map(work.StuckOnce(tmp_path), stream))
    finally:
        (tmp_path / "free").touch()
    assert results == [[len(word)] for word in words]
    assert (tmp_path / "first").exists()


def test_dask_scheduler_killed_and_restarted(cluster: Cluster, engine: DaskEngine) -> None:
    """The engine waits for the scheduler, and sends again what was in flight."""

    def restart() -> None:
        cluster.kill_scheduler()
        cluster.stop_workers()
        cluster.start_scheduler()
        cluster.start_workers(3)

    thread = Thread(target=restart)
    seen = []
    for result in engine.map(work.paced_start, singles(200)):
        seen.append(result)
        if len(seen) == 30:
            thread.start()
    thread.join()
    assert seen == list(range(200))


def test_dask_refuses_workers_without_the_same_geceval(tmp_path: Path) -> None:
    (tmp_path / "other" / "geceval").mkdir(parents=True)
    (tmp_path / "other" / "geceval" / "__init__.py").write_text('__version__ = "0.0.1"\n')
    with running_cluster(tmp_path, n_workers=0) as empty:
        with pytest.raises(GecevalError, match=r"no worker has been connected to .* 1 seconds"):
            list(DaskEngine(empty.address, patience=1).map(work.lengths, singles(1)))
        empty.start_workers(1, environment={"PYTHONPATH": str(tmp_path / "other")})
        with pytest.raises(GecevalError, match=r"the worker tcp://.* has geceval 0\.0\.1, but"):
            list(DaskEngine(empty.address, patience=60).map(work.lengths, singles(1)))


def test_dask_without_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "_CONNECT", 0.5)
    start = time.monotonic()
    with pytest.raises(GecevalError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9;"):
        list(DaskEngine("tcp://127.0.0.1:9").map(work.lengths, singles(1)))
    with pytest.raises(GecevalError, match="is not the address of a scheduler"):
        list(DaskEngine("http://127.0.0.1:9").map(work.lengths, singles(1)))
    assert time.monotonic() - start < 30


def test_dask_starts_its_own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(work.__file__).parent))
    workers = set(demand(DaskEngine(jobs=1).map(work.process, singles(5))))
    assert len(workers) == 1
    assert os.getpid() not in workers
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_dask_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GecevalError, match=r'pip install "geceval\[cluster\]"'):
        DaskEngine()


def test_dask_needs_a_worker() -> None:
    with pytest.raises(GecevalError, match="at least one worker is needed, not 0"):
        DaskEngine(jobs=0)
