"""The library leaves the state of the process as it was, for servers and notebooks."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from threading import Barrier, Thread
from types import SimpleNamespace

import pytest

from geceval.engines.process import (
    collector_as_it_is,
    frozen_objects,
    is_owned,
    owned_process,
    paused_collector,
    rare_collections,
    release_memory,
    switch_interval,
)
from geceval.storage.atomic import open_output
from running import run_python

PROGRAM = r"""
import gc, json, locale, os, signal, sys, threading, warnings
import matplotlib.figure, numpy, spacy, threadpoolctl

def state():
    return {
        "collector": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug()],
        "interpreter": [sys.getswitchinterval(), sys.getrecursionlimit(), sys.excepthook.__name__],
        "hooks": [sys.gettrace() is None, len(sys.meta_path), len(sys.path_hooks), sys.path],
        "signals": [str(signal.getsignal(number)) for number in signal.valid_signals()],
        "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "umask": [line for line in open("/proc/self/status") if line.startswith("Umask")],
        "warnings": [str(one) for one in warnings.filters] + [warnings.showwarning.__module__],
        "figures": [str(sorted(matplotlib.rcParams.items(), key=str))],
        "numpy": [numpy.geterr(), numpy.get_printoptions()["precision"]],
        "locale": locale.setlocale(locale.LC_ALL),
        "blas": [(info["filepath"], info["num_threads"]) for info in threadpoolctl.threadpool_info()
                 if info["filepath"] in blas],
        "spacy": [spacy.info.__module__, sorted(vars(spacy)), sorted(vars(spacy.language.Language)),
                  sorted(vars(spacy.tokens.Token))],
        "threads": [threading.stack_size()],
    }

blas = {info["filepath"] for info in threadpoolctl.threadpool_info()}
before = json.loads(json.dumps(state(), default=list))
import geceval
from geceval.evaluation.resampling import Resampling
from geceval.extraction.files import ExtractionSettings, annotate_files
from geceval.metrics import metric_class, standalone_names
from geceval.presentation.export import save_pictures, save_tables
from geceval.report.collect import collect
from geceval.report.figures import figures
from geceval.report.rendering import render
from geceval.report.tables import tables

for jobs in (1, 2):
    for lang in ("plain", "en"):
        annotate_files(["src.txt", "ref.txt"], "gold.m2", settings=ExtractionSettings(lang),
                       format="parallel", jobs=jobs)
corpus = geceval.load("gold.m2")
system = geceval.load_hypothesis("ref.txt")
names = [name for name in standalone_names() if name != "grammar"]
metrics = [metric_class(name)() for name in names if not metric_class(name).pools_systems]
results = collect(corpus, [system], metrics, resampling=Resampling(20))
page = render(results)
save_pictures(figures(results), "figures")
save_tables(tables(results), "tables")
after = json.loads(json.dumps(state(), default=list))
print(json.dumps({"before": before, "after": after, "metrics": names}))
"""


def test_side_effects_of_the_library_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "src.txt").write_text("I likes cat .\nHe sleep a lot .\n" * 5)
    (tmp_path / "ref.txt").write_text("I like cats .\nHe sleeps a lot .\n" * 5)
    monkeypatch.chdir(tmp_path)
    code, out, errors = run_python("-c", PROGRAM)
    assert code == 0, errors
    found = json.loads(out.splitlines()[-1])
    assert len(found["metrics"]) > 6
    assert list((tmp_path / "figures").iterdir())
    for name, value in found["before"].items():
        assert found["after"][name] == value, name


def test_side_effects_of_importing_spacy_there_are_none() -> None:
    """Its command line is left out by programs that own their process alone."""
    program = (
        "import sys; from geceval.engines.process import owned_process\n"
        "from geceval.errors import GecevalError\n"
        "from geceval.extraction.lang.loading import load_pipeline\n"
        "try: load_pipeline('missing')\n"
        "except GecevalError: import spacy\n"
        "print(spacy.info.__module__, hasattr(sys.modules.get('spacy.cli'), '__file__'))\n"
    )
    assert run_python("-c", program)[:2] == (0, "spacy.cli.info True\n")
    owned = program.replace("try: load", "try:\n  with owned_process(): load")
    assert run_python("-c", owned)[:2] == (0, "geceval.extraction.lang.loading False\n")


def test_side_effects_need_a_program_that_owns_its_process() -> None:
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    with paused_collector(), rare_collections(), frozen_objects(), switch_interval(0.1):
        assert gc.isenabled()
        assert gc.get_threshold() == thresholds
        assert gc.get_freeze_count() == 0
        assert sys.getswitchinterval() == interval
    with owned_process():
        with paused_collector(), rare_collections(), frozen_objects(), switch_interval(0.1):
            assert is_owned()
            assert gc.get_threshold() > thresholds
            assert not gc.isenabled()
            assert gc.get_freeze_count() > 0
            assert sys.getswitchinterval() == pytest.approx(0.1)
        assert gc.isenabled()
        assert gc.get_threshold() == thresholds
        assert gc.get_freeze_count() == 0
        assert sys.getswitchinterval() == pytest.approx(interval)
    assert not is_owned()


def test_side_effects_of_releasing_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only in a process of its own, and nowhere an error."""
    trimmed: list[int] = []
    monkeypatch.setattr("ctypes.CDLL", lambda _: SimpleNamespace(malloc_trim=trimmed.append))
    release_memory()
    assert not trimmed
    with owned_process():
        release_memory()
        assert len(trimmed) == (sys.platform == "linux")
        monkeypatch.setattr("ctypes.CDLL", lambda _: SimpleNamespace())
        release_memory()


def test_side_effects_of_pausing_the_collector_do_not_come_later() -> None:
    """What was created meanwhile is old then; collecting it would take long."""
    collected: list[int] = []

    def count(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            collected.append(info["generation"])

    with owned_process(), paused_collector():
        gc.callbacks.append(count)
        kept = [[] for _ in range(100_000)]  # type: ignore[var-annotated]
    young = gc.get_count()[0]
    gc.callbacks.remove(count)
    assert not collected
    assert young < 100_000
    assert gc.is_tracked(kept[0])


def test_side_effects_of_libraries_that_enable_the_collector() -> None:
    with owned_process(), paused_collector():
        with collector_as_it_is():
            gc.enable()
        assert not gc.isenabled()
    assert gc.isenabled()
    with collector_as_it_is():
        pass
    assert gc.isenabled()


def test_side_effects_of_threads_that_pause_the_collector() -> None:
    barrier = Barrier(4)

    def work() -> None:
        for _ in range(200):
            barrier.wait()
            with paused_collector():
                pass

    with owned_process():
        threads = [Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert gc.isenabled()


def test_side_effects_of_writing_leave_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    mask = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", None)
        with open_output(tmp_path / "new") as out:
            out.write("text")
        monkeypatch.undo()
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
        (tmp_path / "new").chmod(0o604)
        with open_output(tmp_path / "new") as out:
            out.write("text")
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(mask)
