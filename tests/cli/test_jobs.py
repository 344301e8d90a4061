"""``--jobs N``: at most N cores, whatever is run, and the same results."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import made_up
from fake_languagetool import FakeLanguageTool
from geceval.cli import main
from geceval.cli._shared.options import jobs_option
from geceval.engines import threads
from geceval.engines.local import LocalEngine
from geceval.engines.threads import at_most, cores, in_threads
from geceval.evaluation import chunked
from geceval.evaluation.background import Background
from geceval.evaluation.entries import Entry
from geceval.formats import save
from geceval.metrics.levenshtein import LDSource
from geceval.metrics.maxmatch import M2
from promising import DEMO
from running import run_python

GOLD, CAREFUL, EAGER = (str(DEMO / name) for name in ("gold.m2", "careful.txt", "eager.txt"))
TEXT_METRICS = (
    "m2,wdiff,imeasure,gleu(iterations=20),bleu,ibleu,sari,maxsari,ld-source,ld-reference,"
    "green,chrf,ter,wer,cer"
)
COMMANDS: dict[str, list[str]] = {
    "score": ["score", "-m", f"{TEXT_METRICS},errant,grammar(cache=no)", "--lang", "en",
              "--gold", GOLD, CAREFUL, EAGER, "--resamples", "20", "--json", "--per-type"],
    "compare": ["compare", "-m", TEXT_METRICS, "--gold", GOLD, CAREFUL, EAGER,
                "--resamples", "100", "--json"],
    "report": ["report", "-m", "m2,gleu,imeasure,errant,grammar(cache=no)", "--gold", GOLD,
               CAREFUL, EAGER, "--resamples", "20", "-o", "out"],
    "maege": ["metaeval", "maege", "-m", "m2,gleu(iterations=20),sari", "--lang", "plain",
              GOLD, "--json"],
    "annotate": ["annotate", "--lang", "plain", GOLD, "-o", "out.m2"],
    "annotate-en": ["annotate", GOLD, "-o", "out.m2"],
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_results_do_not_depend_on_jobs(name: str) -> None:
    found = set()
    for jobs in (1, 2, 3):
        result = CliRunner().invoke(main, [*COMMANDS[name], "--jobs", str(jobs)])
        assert result.exit_code == 0, result.output
        files = [path for path in map(Path, ("out", "out.json", "out.m2")) if path.exists()]
        found.add((result.stdout if "--json" in COMMANDS[name] else "",
                   *(path.read_bytes() for path in files)))  # fmt: skip
        assert any(found.copy().pop())
    assert len(found) == 1


@pytest.mark.parametrize(
    ("jobs", "chunk", "n_shards"), [(2, 500, 3), (3, 500, 1), (3, 1700, 3), (4, 50_000, 1)]
)
def test_large_scores_are_the_same_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, jobs: int, chunk: int, n_shards: int
) -> None:
    """For any number of jobs and shards and size of chunks; with many jobs, by processes."""
    monkeypatch.setattr(chunked, "LARGE", 1000)
    common = ["-m", "m2,gleu(iterations=20),errant", "--lang", "plain", "--resamples", "20"]
    inputs = ["--gold", GOLD, CAREFUL, EAGER, "--json", "--jobs"]
    one = CliRunner().invoke(main, ["score", *common, *inputs, "1", "--statistics", "one.npz"])
    assert one.exit_code == 0, one.output
    maps = []
    original = LocalEngine.map

    def spied(engine: LocalEngine, *given: Any) -> Any:
        maps.append(engine.jobs)
        return original(engine, *given)

    monkeypatch.setattr(LocalEngine, "map", spied)
    monkeypatch.setattr(chunked, "CHUNK_TOKENS", chunk)
    parts = [f"{number}.npz" for number in range(1, n_shards + 1)]
    for number, part in enumerate(parts, 1):
        shard = ["--shard", f"{number}/{n_shards}", "--statistics", part]
        made = CliRunner().invoke(main, ["score", *common, *inputs, str(jobs), *shard])
        assert made.exit_code == 0, made.output
    # One for each metric.
    assert maps == ([jobs] * 3 * n_shards if jobs > 2 else [])
    merge = ["merge", *parts, "-o", "all.npz", "--resamples", "20", "--json"]
    merged = CliRunner().invoke(main, merge)
    assert json.loads(merged.stdout)["results"] == json.loads(one.stdout)["results"]
    assert Path("all.npz").read_bytes() == Path("one.npz").read_bytes()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_threads_are_no_more_than_jobs(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Counting(ThreadPoolExecutor):
        def __init__(self, max_workers: int, **options: Any) -> None:
            sizes.append(max_workers)
            super().__init__(max_workers, **options)

    monkeypatch.setattr(threads, "ThreadPoolExecutor", Counting)
    made: list[int] = []
    monkeypatch.setattr("rapidfuzz.process.cpdist", _recording(made))
    arguments = ["score", "-m", TEXT_METRICS, "--gold", GOLD, CAREFUL, "--resamples", "10"]
    assert CliRunner().invoke(main, [*arguments, "--jobs", str(jobs)]).exit_code == 0
    assert max(sizes, default=1) == jobs
    assert set(made) == {jobs}


def _recording(workers_seen: list[int]) -> Any:
    from rapidfuzz.process import cpdist

    def run(*texts: Any, workers: int, **options: Any) -> Any:
        workers_seen.append(workers)
        return cpdist(*texts, workers=workers, **options)

    return run


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_processes_are_no_more_than_jobs(jobs: int) -> None:
    """This process counts as one of them, until it only waits."""
    corpus = made_up.corpus(400)
    slow = LDSource()
    slow.runs_in_background = True
    entries = [Entry(corpus, made_up.system(corpus, name)) for name in ("a", "b")]
    with Background([(slow, entries), (M2(), entries)], jobs=jobs) as background:
        assert len(background._processes) == jobs - 1
        if jobs > 1:
            seen: list[int] = []
            in_threads(lambda _: seen.append(threads._LIMIT.get()), [0], workers=8)
            assert seen == [1]
            background.take(slow)
            assert len(background._processes) == jobs
    assert threads._LIMIT.get() > jobs


def test_limits_are_nested() -> None:
    with at_most(2), at_most(5):
        assert threads._LIMIT.get() == 2


@pytest.mark.parametrize("jobs", [1, 3])
def test_requests_are_no_more_than_jobs(jobs: int) -> None:
    fake = FakeLanguageTool().start()
    try:
        spec = f"grammar(checker=languagetool, url='{fake.url}', cache=no, lang=de-DE)"
        arguments = ["score", "-m", spec, "--gold", GOLD, CAREFUL, "--jobs", str(jobs)]
        result = CliRunner().invoke(main, arguments)
    finally:
        fake.stop()
    assert result.exit_code == 0, result.output
    assert 1 <= len(fake.sockets) <= jobs + 1  # One asked for the version before.


def test_products_of_matrices_use_one_thread() -> None:
    pytest.importorskip("threadpoolctl")
    code = (
        "import sys\n"
        "from geceval.cli import main\n"
        f"main(['score', '--gold', {GOLD!r}, {CAREFUL!r}, '--json'], standalone_mode=False)\n"
        "from threadpoolctl import threadpool_info\n"
        "print(*(one['num_threads'] for one in threadpool_info()), file=sys.stderr)\n"
    )
    exit_code, _, errors = run_python("-c", code)
    assert exit_code == 0, errors
    assert set(errors.split()) == {"1"}


def test_all_cores_are_used_by_default() -> None:
    option = jobs_option(lambda: None).__click_params__[0]  # type: ignore[attr-defined]
    assert option.default is cores
    assert 1 <= cores() <= (os.cpu_count() or 1)
    assert cores() == len(os.sched_getaffinity(0))


def test_jobs_are_an_option_of_every_command_that_computes() -> None:
    studies = ("metaeval maege", "metaeval human", "metaeval seeda")
    for command in ("score", "compare", "report", "annotate", "demo", *studies):
        shown = CliRunner().invoke(main, [*command.split(), "--help"]).output
        assert "--jobs N" in shown, command
    corpus = made_up.corpus(4)
    save(corpus, "gold.m2")
    result = CliRunner().invoke(main, ["score", "--gold", "gold.m2", GOLD, "--jobs", "0"])
    assert result.exit_code == 2
    assert "0 is not in the range" in result.output
