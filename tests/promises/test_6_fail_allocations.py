"""Promise 6: with too little memory there is a result or one sentence, never a crash."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest

from geceval.formats import save
from geceval.model import Annotation, Corpus, Edit, Sentence
from long_work import numbered
from promising import DEMO, GIGABYTE, Ended, run, sentences_of, size

GOLD, CAREFUL = str(DEMO / "gold.m2"), str(DEMO / "careful.txt")
LARGE = ("score", "-m", "{}", "--gold", "large.m2", "large.txt", "--resamples", "0")
COMMANDS = {
    "m2": ("score", "--gold", GOLD, CAREFUL),
    "large-m2": tuple(part.format("m2") for part in LARGE),
    "gleu": ("score", "-m", "gleu", "--gold", GOLD, CAREFUL, "--resamples", "20000"),
    "imeasure": ("score", "-m", "imeasure", "--gold", GOLD, CAREFUL, "--jobs", "2"),
    "large-imeasure": tuple(part.format("imeasure") for part in LARGE),
    "large-bleu": tuple(part.format("bleu") for part in LARGE),
    "annotate": ("annotate", "--lang", "plain", "large.m2", "-o", "out.m2", "--restart"),
    "convert": ("convert", "large.m2", "out.jsonl"),
    "check": ("check", GOLD, CAREFUL),
    "report": ("report", "-m", "m2,gleu", "--gold", GOLD, CAREFUL, "-o", "out.html"),
    "errant": ("score", "-m", "errant", "--gold", GOLD, CAREFUL),
}
SMALL = ("large-m2", "report")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences just below the limit of their size: the largest tables that are ever made."""
    folder = tmp_path_factory.mktemp("large")
    edits = tuple(Edit(at, at + 1, ((f"b{at}",),)) for at in range(0, 3000, 10))
    sent = Sentence(numbered("a", 3000), (Annotation("0", edits),))
    save(Corpus((sent,)), folder / "large.m2")
    (folder / "large.txt").write_text(" ".join(numbered("b", 3000)) + "\n", encoding="utf-8")
    return folder


def checked(ended: Ended) -> bool:
    """Check how a run ended; give whether it had enough memory."""
    if ended.code == 0:
        return True
    assert ended.code == 1, ended
    assert "Traceback" not in ended.errors, ended.errors
    assert len(sentences_of(ended.errors)) == 1, ended.errors
    return False


@pytest.mark.parametrize("name", COMMANDS if size(0, 1) else SMALL)
def test_memory_runs_out(folder: Path, name: str) -> None:
    if name == "errant":
        pytest.importorskip("spacy")
    found = []
    for amount in np.linspace(0.3, 2.0, size(3, 10)):
        limits = {resource.RLIMIT_AS: int(amount * GIGABYTE)}
        # Libraries that start threads as they are loaded ask for memory that is not ours.
        environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        found.append(
            checked(run(*COMMANDS[name], folder=folder, limits=limits, environment=environment))
        )
    assert found[-1]
