"""CPU time of all reference metrics beside M², ERRANT and I-measure, on twelve systems."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from geceval import Corpus, Hypothesis
from geceval.evaluation.evaluate import make_metrics
from geceval.formats import Findings, load, load_hypothesis, save
from geceval.metrics.gleu.variants import VARIANTS

METRICS = (
    *("green", "cleme", "cleme2", "gotoscorer", "chrf", "ter", "wer", "cer", "ged"),
    *(f"gleu(variant={name})" for name in VARIANTS),
    *("pt-errant", "pt-m2"),
)


def score_all(corpus: Corpus, systems: Sequence[Hypothesis]) -> None:
    """Score with each metric, and print its CPU time."""
    for spec in METRICS:
        start = time.process_time()
        (metric,) = make_metrics([spec])
        metric = metric.prepared_for(corpus, systems)
        for system in systems:
            metric.score(corpus, system)
        print(f"{spec}: {time.process_time() - start:.2f} s of CPU")


def test_all_metrics_from_loaded_data(
    two_annotators: Corpus,
    systems: list[Hypothesis],
    seconds: Callable[..., float],
    tmp_path: Path,
) -> None:
    """Twelve systems by all of these metrics in 10 s of CPU, with nothing known before.

    What a process with the loaded data takes, less one that only loads them. The first metric of
    edits includes the analyzer and the extraction of edits, which the others share.
    """
    save(two_annotators, tmp_path / "gold.m2")
    for number, system in enumerate(systems):
        lines = "".join(" ".join(tokens) + "\n" for tokens in system.sentences)
        (tmp_path / f"s{number:02}.txt").write_text(lines, encoding="utf-8")

    def run(*options: str) -> None:
        command = [sys.executable, __file__, str(tmp_path), *options]
        subprocess.run(command, check=True)  # noqa: S603

    loading = seconds(lambda: run("--load-only"), rounds=2)
    took = seconds(run, rounds=2) - loading
    print(f"all metrics: {took:.1f} s of CPU")
    assert took <= 10


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    gold = load(folder / "gold.m2", findings=Findings())
    outputs = [load_hypothesis(one, findings=Findings()) for one in sorted(folder.glob("s*.txt"))]
    if "--load-only" not in sys.argv:
        score_all(gold, outputs)
