"""Ctrl-C and SIGTERM: everything ends within a second, quietly, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import long_work
import made_up
from geceval.engines.threads import has_foreign_threads, in_threads
from geceval.formats import write_sentences
from geceval.kernels.interrupt import Stop, Stopped
from geceval.metrics.imeasure import IMeasure
from long_work import WORK, paths, search, with_many_ties

PATIENCE = 3.0
"""A second is promised; the machine that runs the tests may be busy."""


def started(*arguments: str, folder: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        # A group of its own, so that all of it can be interrupted as a terminal does it.
        start_new_session=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def ended(
    process: subprocess.Popen[str], number: signal.Signals, *, group: bool = False
) -> tuple[int, str, str]:
    """Send a signal; give exit code, output and errors, which have to come soon."""
    assert process.poll() is None, process.communicate()
    start = time.monotonic()
    if group:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    try:
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert time.monotonic() - start < PATIENCE
    return process.returncode, output, errors


def wait_until_busy(process: subprocess.Popen[str]) -> None:
    """Wait for more CPU time than it takes to start and to read the input."""
    ticks = 2 * os.sysconf("SC_CLK_TCK")
    while True:
        assert process.poll() is None, process.communicate()
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if int(fields[11]) + int(fields[12]) > ticks:
            return
        time.sleep(0.01)


def is_gone(group: int) -> bool:
    """Whether all processes of a group end soon; those that do not are killed."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", WORK)
def test_kernels_are_interrupted(name: str, workers: int) -> None:
    process = started(str(Path(long_work.__file__)), name, str(workers))
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    assert ended(process, signal.SIGINT) == (130, "", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that take much longer than it takes to interrupt the work."""
    folder = tmp_path_factory.mktemp("long")
    corpus = made_up.corpus(30_000, annotators=("0",))
    outputs = made_up.system(corpus, "system")
    _write(folder / "src.txt", tuple(corpus.sources) * 10)
    _write(folder / "cor.txt", outputs.sentences * 10)
    hard, output = with_many_ties(100)
    write_sentences(hard, folder / "hard.m2", format="m2")
    _write(folder / "hard.txt", output.sentences)
    return folder


def _write(path: Path, sentences: Sequence[Sequence[str]]) -> None:
    path.write_text("".join(f"{' '.join(tokens)}\n" for tokens in sentences), encoding="utf-8")


SCORE = ("score", "-m", "imeasure(limit=1000000000000)", "--gold", "hard.m2", "hard.txt")
ANNOTATE = ("annotate", "--lang", "plain", "--src", "src.txt", "--cor", "cor.txt", "-o", "out.m2")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_score_is_interrupted(folder: Path, number: signal.Signals, code: int, jobs: str) -> None:
    before = sorted(folder.iterdir())
    arguments = (*SCORE, "--jobs", jobs, "--per-sentence", "sentences.tsv")
    process = started("-m", "geceval", *arguments, folder=folder)
    wait_until_busy(process)
    assert ended(process, number) == (code, "", "\nAborted!\n")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_annotate_is_interrupted(
    folder: Path, number: signal.Signals, code: int, jobs: str
) -> None:
    """What is done is kept; the whole group gets the signal, and workers say nothing."""
    for left in folder.glob("out.m2*"):
        left.unlink()
    process = started("-m", "geceval", *ANNOTATE, "--jobs", jobs, folder=folder)
    part = folder / "out.m2.part.json"
    # At first it says that nothing is done.
    while not (part.exists() and json.loads(part.read_text())["bytes"]):
        assert process.poll() is None
        time.sleep(0.01)
    group = process.pid
    found, output, errors = ended(process, number, group=number == signal.SIGINT)
    kept = "finished sentences are saved in out.m2.part; use --resume to continue"
    lines = [line for line in errors.splitlines() if line]
    assert (found, output, lines) == (code, "", [kept, "Aborted!"])
    assert {path.name for path in folder.glob("*out*")} == {"out.m2.part", "out.m2.part.json"}
    assert is_gone(group)
    for path in folder.glob("out.m2*"):
        path.unlink()


def test_signals_that_are_ignored_stay_so(folder: Path) -> None:
    """As nohup wants it."""
    script = (
        "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from geceval.cli import main; main(sys.argv[1:])"
    )
    process = started("-c", script, *SCORE, folder=folder)
    wait_until_busy(process)
    process.send_signal(signal.SIGHUP)
    time.sleep(1)
    assert ended(process, signal.SIGTERM)[0] == 143


def test_workers_end_with_their_parent(folder: Path) -> None:
    """Even when it is killed they end, and without a word."""
    process = started("-m", "geceval", *ANNOTATE, "--jobs", "3", folder=folder)
    part = folder / "out.m2.part"
    # A process that Python is still starting complains that its parent is gone.
    while not (part.exists() and part.stat().st_size):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.5)
    group = process.pid
    code, output, errors = ended(process, signal.SIGKILL)
    assert (code, output, errors) == (-signal.SIGKILL, "", "")
    assert is_gone(group)
    for path in folder.glob("out.m2*"):
        path.unlink()


# Threads.


def test_stop_ends_a_kernel() -> None:
    stop = Stop()
    stop.request()
    with pytest.raises(Stopped):
        stop.run(paths(1))


def test_stop_is_over_when_the_call_is() -> None:
    stop = Stop()
    stop.request()
    corpus = made_up.corpus(3)
    hypothesis = made_up.system(corpus, "system")
    expected = IMeasure().score(corpus, hypothesis)
    stop.run(lambda: None)
    assert IMeasure().score(corpus, hypothesis).value == expected.value


def test_failing_call_stops_the_others() -> None:
    long = search(1)

    def run(number: int) -> object:
        return 1 / 0 if number else long()

    start = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        in_threads(run, [1, 0], workers=2)
    assert time.monotonic() - start < PATIENCE


def test_in_threads_keeps_the_order() -> None:
    assert in_threads(str, range(100), workers=3) == [str(number) for number in range(100)]
    assert in_threads(str, [], workers=3) == []


BUSY = """
import sys, time
from geceval.cli import main, stats
from geceval.engines.threads import has_foreign_threads, in_threads

def wait(_):
    print("busy", flush=True)
    time.sleep(60)

stats.stats.callback = lambda **_: in_threads(wait, [0], workers=1, is_foreign=True)
main(["stats", sys.argv[1]])
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_library_that_cannot_be_interrupted_is_left_behind(
    number: signal.Signals, code: int
) -> None:
    """As Harper, while it loads its dictionary."""
    process = started("-c", BUSY, __file__)
    assert process.stdout is not None
    assert process.stdout.readline() == "busy\n"
    assert ended(process, number)[0] == code


def test_threads_of_libraries_that_cannot_be_interrupted_end_with_their_work() -> None:
    assert in_threads(str, [1, 2], workers=1, is_foreign=True) == ["1", "2"]
    deadline = time.monotonic() + PATIENCE
    while has_foreign_threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not has_foreign_threads()
