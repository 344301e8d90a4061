"""CPU time, memory and size of reports: CoNLL-2014 with all metrics, and 20,000 sentences.

Without the data of CoNLL-2014, the example many times over stands for it.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from geceval import Corpus, Hypothesis, Sentence
from geceval.formats import save

SENTENCES = 20_000
WORDS = [f"w{number}" for number in range(3000)]

_MEASURED = """
import json, resource, sys
from geceval.cli import main
if __name__ == "__main__":
    try:
        main(sys.argv[1:], standalone_mode=False)
    finally:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        json.dump({"mb": max(one.ru_maxrss for one in used) / 1024}, sys.stderr)
"""


def report(folder: Path, *options: str) -> dict[str, Any]:
    """Write a report in a process of its own; return its peak memory and the size of the page."""
    script = folder / "measured.py"
    script.write_text(_MEASURED, encoding="utf-8")
    systems = sorted(str(path) for path in folder.glob("*.txt"))
    page = folder / "report.html"
    command = [
        *(sys.executable, str(script), "report", *options, "--jobs", "2"),
        *("--gold", str(folder / "gold.m2"), *systems, "-o", str(page)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    memory = json.loads(done.stderr[done.stderr.rindex("{") :])["mb"]
    return {"mb": memory, "page": page.stat().st_size / 1e6}


def write_inputs(folder: Path, gold: Corpus, systems: Sequence[Hypothesis]) -> None:
    save(gold, folder / "gold.m2")
    for number, system in enumerate(systems):
        lines = "".join(" ".join(tokens) + "\n" for tokens in system.sentences)
        (folder / f"s{number:02}.txt").write_text(lines, encoding="utf-8")


def enlarge(gold: Corpus, systems: Sequence[Hypothesis]) -> tuple[Corpus, list[Hypothesis]]:
    """Repeat sentences, each time with another word at the end and some outputs exchanged."""
    chance = random.Random(1)
    sentences: list[Sentence] = []
    outputs: list[list[tuple[str, ...]]] = [[] for _ in systems]
    for number in range(SENTENCES):
        place = number % len(gold)
        sent = gold.sentences[place]
        more = (chance.choice(WORDS),)
        sentences.append(Sentence((*sent.tokens, *more), sent.annotations))
        for own, system in zip(outputs, systems, strict=True):
            chosen = system if chance.random() < 0.85 else chance.choice(systems)
            own.append((*chosen.sentences[place], *more))
    named = [Hypothesis(one.name, tuple(own)) for one, own in zip(systems, outputs, strict=True)]
    return Corpus(tuple(sentences)), named


def test_report_with_all_metrics(
    two_annotators: Corpus,
    systems: list[Hypothesis],
    seconds: Callable[..., float],
    tmp_path: Path,
) -> None:
    """Twelve systems by all metrics but the grammar checker, in 30 s of CPU.

    On two idle cores, this takes 20 s.
    """
    write_inputs(tmp_path, two_annotators, systems)
    start = time.perf_counter()
    took = seconds(lambda: report(tmp_path), rounds=1)
    print(f"all metrics: {took:.1f} s of CPU, {time.perf_counter() - start:.1f} s")
    assert took <= 30


def test_report_on_many_sentences(
    two_annotators: Corpus,
    systems: list[Hypothesis],
    seconds: Callable[..., float],
    tmp_path: Path,
) -> None:
    """20,000 sentences, twelve systems and three metrics: 90 s of CPU, 600 MB, a page of 15 MB."""
    write_inputs(tmp_path, *enlarge(two_annotators, systems))
    found: dict[str, Any] = {}
    took = seconds(lambda: found.update(report(tmp_path, "-m", "m2,errant,gleu")), rounds=1)
    print(f"{took:.1f} s of CPU, {found['mb']:.0f} MB, page of {found['page']:.1f} MB")
    assert found["page"] <= 15
    assert found["mb"] <= 600
    assert took <= 90
