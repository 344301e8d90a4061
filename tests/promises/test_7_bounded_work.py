"""Promise 7: a sentence takes at most 10 s and 1 GB or is refused, and Ctrl-C works within 1 s.

Which metric refuses what, and how every kernel is interrupted, is tested one by one in
``test_limits.py`` and ``test_interrupts.py``; here it is measured on the largest sentences.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import long_work
from geceval.formats import save
from geceval.limits import MAX_CELLS, PER_TOKEN
from geceval.model import Annotation, Corpus, Edit, Sentence
from long_work import WORK, numbered
from promising import GIGABYTE, measured, sentences_of, size

SECONDS = 10.0
START_SECONDS, START_BYTES = 4.0, 0.3 * GIGABYTE
"""What the program itself takes, with what it imports; ERRANT also loads a model."""

LARGEST = int(MAX_CELLS**0.5 - PER_TOKEN - 1)
"""Tokens of two sentences of the same length whose table is just allowed."""

METRICS = ("m2", "wdiff", "imeasure", "gleu", "bleu", "ibleu", "sari", "maxsari", "ld-source",
           "ld-reference", "errant", "green", "chrf", "ter", "wer", "cer", "cleme",
           "cleme2")  # fmt: skip
SMALL = ("m2", "gleu")


def write(folder: Path, n_tokens: int, n_edits: int) -> None:
    """Write a sentence that shares no token with its output, the dearest there is."""
    step = max(1, n_tokens // n_edits)
    edits = tuple(Edit(at, at + 1, ((f"c{at}",),)) for at in range(0, n_tokens, step))
    sent = Sentence(numbered("a", n_tokens), (Annotation("0", edits), Annotation("1", edits[:1])))
    save(Corpus((sent,)), folder / "gold.m2")
    text = " ".join(numbered("b", n_tokens))
    (folder / "ours.txt").write_text(f"{text}\n", encoding="utf-8")


def command(metric: str) -> tuple[str, ...]:
    plain = ("--lang", "plain") if metric in ("errant", "cleme", "cleme2") else ()
    return ("score", "-m", metric, "--gold", "gold.m2", "ours.txt", "--resamples", "0", *plain)


@pytest.mark.parametrize("metric", METRICS if size(0, 1) else SMALL)
@pytest.mark.parametrize("n_tokens", [LARGEST, LARGEST // 3, 10 * LARGEST][: size(1, 3)])
def test_largest_sentences(tmp_path: Path, metric: str, n_tokens: int) -> None:
    write(tmp_path, n_tokens, n_edits=8)
    found = measured(*command(metric), folder=tmp_path)
    assert "Traceback" not in found.errors
    assert found.cpu_seconds < SECONDS + START_SECONDS
    assert found.peak_bytes < GIGABYTE + START_BYTES
    assert found.code in (0, 1), found
    if found.code:
        (said,) = sentences_of(found.errors)
        assert "ours, sentence 1: " in said or "gold.m2" in said, said
        assert "split" in said


@pytest.mark.parametrize("metric", ["m2", "imeasure", "errant"] if size(0, 1) else ["m2"])
def test_sentences_beyond_the_limit_are_refused(tmp_path: Path, metric: str) -> None:
    write(tmp_path, LARGEST + PER_TOKEN + 2, n_edits=8)
    found = measured(*command(metric), folder=tmp_path)
    assert found.code == 1
    (said,) = sentences_of(found.errors)
    assert "ours, sentence 1: " in said
    assert "raise the limit with --max-cells" in said
    assert found.cpu_seconds < START_SECONDS


@pytest.mark.parametrize("name", WORK if size(0, 1) else ["paths"])
def test_interrupts_within_a_second(name: str) -> None:
    chance = random.Random(name)
    for _ in range(size(1, 10)):
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, long_work.__file__, name, "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0, 1))
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
        took = time.monotonic() - start
        assert (process.returncode, errors) == (130, b"")
        # A second is promised on a machine that has nothing else to do.
        assert took < size(3, 1)
