"""Promise 9: the same input and settings give the same bytes, whatever surrounds them."""

from __future__ import annotations

import hashlib
from itertools import product
from pathlib import Path

import pytest

import made_up
from geceval.formats import save
from promising import DEMO, run, size

GOLD, CAREFUL, EAGER = (str(DEMO / name) for name in ("gold.m2", "careful.txt", "eager.txt"))

ENVIRONMENTS: tuple[dict[str, str], ...] = (
    {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "80"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "COLUMNS": "20"},
    {"PYTHONHASHSEED": "random", "LC_ALL": "POSIX", "TZ": "America/St_Johns", "COLUMNS": "300"},
    {"PYTHONHASHSEED": "2", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"},
    {"PYTHONHASHSEED": "3", "LANG": "tr_TR.UTF-8", "LC_ALL": "", "OPENBLAS_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "4", "NO_COLOR": "1", "TERM": "dumb", "PYTHONOPTIMIZE": "2"},
)
THREADS = ("1", "2")
METRICS = (
    "m2,wdiff,imeasure,gleu(iterations=50),bleu,ibleu,sari,maxsari,ld-source,ld-reference,"
    "green,chrf,ter,wer,cer"
)


def matrix() -> list[tuple[dict[str, str], str]]:
    """Environments, and how many workers; in small every other is left out."""
    everything = [
        ({**one, "OMP_NUM_THREADS": omp}, jobs)
        for one, omp, jobs in product(ENVIRONMENTS, THREADS, THREADS)
    ]
    small = [everything[0], everything[7], everything[9]]
    return everything if size(0, 1) else small


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_score_as_json(tmp_path: Path) -> None:
    arguments = ("score", "-m", METRICS, "--gold", GOLD, CAREFUL, EAGER, "--json",
                 "--resamples", "50")  # fmt: skip
    found = set()
    for environment, jobs in matrix():
        ended = run(*arguments, "--jobs", jobs, folder=tmp_path, environment=environment)
        assert ended.code == 0, ended.errors
        found.add(hash_of(ended.output))
    assert len(found) == 1


def test_annotate(tmp_path: Path) -> None:
    corpus = made_up.corpus(size(600, 3000), annotators=("0",))
    save(corpus, tmp_path / "gold.m2")
    found = set()
    for environment, jobs in matrix():
        arguments = ("annotate", "--lang", "plain", "gold.m2", "-o", "out.m2", "--jobs", jobs)
        ended = run(*arguments, folder=tmp_path, environment=environment)
        assert ended.code == 0, ended.errors
        found.add(hash_of((tmp_path / "out.m2").read_bytes()))
    assert len(found) == 1


def test_report_results(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = set()
    arguments = ("report", "-m", "m2,gleu,imeasure", "--gold", GOLD, CAREFUL, EAGER,
                 "-o", "page.html", "--resamples", "40")  # fmt: skip
    for environment, jobs in matrix()[: size(2, 100)]:
        ended = run(*arguments, "--jobs", jobs, folder=tmp_path, environment=environment)
        assert ended.code == 0, ended.errors
        found.add(hash_of((tmp_path / "page.json").read_bytes()))
    assert len(found) == 1
