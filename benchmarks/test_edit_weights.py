"""Speed of weighted edits, and how many times faster they are than their plain-Python twin."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from geceval import Corpus, Hypothesis
from geceval.evaluation.resampling import Resampling, bootstrap, compare
from geceval.metrics.maxmatch import M2
from geceval.metrics.pt import PtM2

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import edit_weights as oracle


def cpu(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def score_all(scorer: str, corpus: Corpus, systems: list[Hypothesis]) -> None:
    metric = PtM2(scorer=scorer)
    for hypothesis in systems:
        metric.score(corpus, hypothesis)


@pytest.mark.parametrize("scorer", ["lev", "gleu", "chrf"])
def test_all_systems_two_annotators(
    benchmark: Any, two_annotators: Corpus, systems: list[Hypothesis], scorer: str
) -> None:
    benchmark.pedantic(score_all, (scorer, two_annotators, systems), rounds=1)


def test_interval_and_paired_test(
    benchmark: Any, two_annotators: Corpus, systems: list[Hypothesis]
) -> None:
    metric = PtM2(scorer="lev")
    counted = {one.name: metric.statistics(two_annotators, one) for one in systems[:2]}

    def run() -> None:
        bootstrap(metric, next(iter(counted.values())), resampling=Resampling(1000))
        compare(metric, counted, resampling=Resampling(1000))

    benchmark(run)


def test_ratio_to_the_twin(
    two_annotators: Corpus, systems: list[Hypothesis], capsys: pytest.CaptureFixture[str]
) -> None:
    """Weights of characters, for one system; M² chooses the edits for both."""
    (system, *_) = systems
    views = M2().all_edits(two_annotators, system)

    def twin() -> None:
        for sent, own in zip(two_annotators, views, strict=True):
            for view in own:
                gold, found = (
                    [(edit.start, edit.end, edit.correction) for edit in edits]
                    for edits in (view.annotation.edits, view.edits)
                )
                reference = oracle.applied(sent.tokens, gold)
                score = partial(oracle.lev, reference=reference)
                oracle.m2_sums(sent.tokens, found, [], gold, score, alone=False)

    ours = cpu(lambda: PtM2(scorer="lev").score(two_annotators, system))
    theirs = cpu(twin)
    with capsys.disabled():
        print(f"\nPT-M² with lev, one system: {ours:.2f} s of CPU, {theirs / ours:.0f} times")
    assert theirs > ours
