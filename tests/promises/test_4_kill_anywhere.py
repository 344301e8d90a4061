"""Promise 4: a run may be killed at any moment; resumed, it gives the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import made_up
from geceval.formats import save
from promising import size

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PATIENCE = 60.0

ANNOTATE = (
    "annotate", "--lang", "plain", "--src", "src.txt", "--cor", "cor.txt", "-o", "out.m2",
    "--jobs", "2", "--resume",
)  # fmt: skip
MAEGE = (
    "metaeval", "maege", "gold.m2", "--lang", "plain", "-m", "m2,gleu,ld-source", "--seeds", "4",
    "--resume", "kept.jsonl", "--json",
)  # fmt: skip


def started(arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "geceval", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def finished(arguments: Sequence[str], folder: Path) -> tuple[bytes, float]:
    """Run to the end; give the output, and how long it took."""
    start = time.monotonic()
    output, errors = (process := started(arguments, folder)).communicate(timeout=300)
    assert process.returncode == 0, errors
    return output, time.monotonic() - start


def killed(arguments: Sequence[str], folder: Path, number: signal.Signals, after: float) -> bool:
    """Kill a run after some seconds, with all its workers; give whether it was still running."""
    process = started(arguments, folder)
    try:
        process.wait(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in errors, errors.decode()
    assert process.returncode in (0, -number, 128 + number), errors.decode()
    return process.returncode != 0


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def make_texts(folder: Path, n_sents: int) -> None:
    corpus = made_up.corpus(n_sents, annotators=("0",))
    for name, sentences in (
        ("src.txt", corpus.sources),
        ("cor.txt", made_up.system(corpus, "system").sentences),
    ):
        text = "".join(f"{' '.join(tokens)}\n" for tokens in sentences)
        (folder / name).write_text(text, encoding="utf-8")


def moments(n: int, longest: float, seed: int) -> list[tuple[signal.Signals, float]]:
    """Choose signals and moments; few of them come before there is anything to lose."""
    chance = random.Random(seed)
    return [
        (SIGNALS[place % len(SIGNALS)], chance.uniform(0.2, 1.0) * longest) for place in range(n)
    ]


def test_annotate_is_killed(tmp_path: Path) -> None:
    make_texts(tmp_path, size(6_000, 30_000))
    before = names(tmp_path)
    _, longest = finished(ANNOTATE, tmp_path)
    expected = (tmp_path / "out.m2").read_bytes()
    assert names(tmp_path) == before | {"out.m2"}
    (tmp_path / "out.m2").unlink()
    n_killed = 0
    for number, after in moments(size(3, 100), longest, seed=1):
        n_killed += killed(ANNOTATE, tmp_path, number, after)
        assert names(tmp_path) - before <= {"out.m2", "out.m2.part", "out.m2.part.json",
                                            "out.m2.part.new"}  # fmt: skip
        # Some runs are resumed at once, some are killed again first.
        if number is not signal.SIGTERM or (tmp_path / "out.m2").exists():
            finished(ANNOTATE, tmp_path)
            assert (tmp_path / "out.m2").read_bytes() == expected
            assert names(tmp_path) == before | {"out.m2"}
            (tmp_path / "out.m2").unlink()
    assert n_killed


def test_maege_is_killed(tmp_path: Path) -> None:
    save(made_up.corpus(size(20, 150)), tmp_path / "gold.m2")
    expected, longest = finished(MAEGE, tmp_path)
    kept = tmp_path / "kept.jsonl"
    content = sorted(kept.read_bytes().splitlines())
    assert names(tmp_path) == {"gold.m2", "kept.jsonl"}
    kept.unlink()
    n_killed = 0
    for number, after in moments(size(3, 100), longest, seed=2):
        n_killed += killed(MAEGE, tmp_path, number, after)
        assert names(tmp_path) <= {"gold.m2", "kept.jsonl"}
        if number is not signal.SIGTERM:
            assert finished(MAEGE, tmp_path)[0] == expected
            assert sorted(kept.read_bytes().splitlines()) == content
            kept.unlink()
    assert n_killed


@pytest.mark.parametrize("number", SIGNALS if size(0, 1) else SIGNALS[:1])
def test_score_that_is_killed_leaves_the_old_file(tmp_path: Path, number: signal.Signals) -> None:
    make_texts(tmp_path, size(20_000, 100_000))
    old = tmp_path / "sentences.tsv"
    old.write_text("old\n")
    arguments = ("score", "-m", "gleu", "--src", "src.txt", "--ref", "cor.txt", "src.txt",
                 "--per-sentence", "sentences.tsv", "--resamples", "100000")  # fmt: skip
    for after in (0.4, 0.8, 1.2)[: size(1, 3)]:
        assert killed(arguments, tmp_path, number, after)
        assert old.read_text() == "old\n"
        stray = names(tmp_path) - {"src.txt", "cor.txt", "sentences.tsv"}
        # Nothing can clean up after SIGKILL; what it leaves is no file that anybody asked for.
        assert not stray or number is signal.SIGKILL, stray
