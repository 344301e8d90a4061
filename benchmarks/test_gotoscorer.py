"""Speed of GoToScorer, and how many times faster it is than its plain-Python twin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geceval import Corpus, Hypothesis
from geceval.metrics.gotoscorer import GoToScorer
from geceval.metrics.gotoscorer.gold_chunks import chunk_edits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import gotoscorer as oracle


def score_all(corpus: Corpus, systems: list[Hypothesis], metric: GoToScorer) -> None:
    weighted = metric.prepared_for(corpus, systems)
    for hypothesis in systems:
        weighted.statistics(corpus, hypothesis)


def test_all_systems_once_edits_are_extracted(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    seconds: Callable[..., float],
) -> None:
    """Under 1.5 s of CPU for weights and scores of 12 systems."""
    metric = GoToScorer()
    score_all(two_annotators, systems, metric)
    benchmark(score_all, two_annotators, systems, metric)
    assert seconds(lambda: score_all(two_annotators, systems, metric)) < 1.5


def test_ratio_to_the_twin(
    two_annotators: Corpus,
    systems: list[Hypothesis],
    capsys: pytest.CaptureFixture[str],
    seconds: Callable[..., float],
) -> None:
    """At least twenty times faster, with the same edits."""
    metric, hypothesis = GoToScorer(weights="none"), systems[0]
    annotator = two_annotators.annotators[0]
    edits = metric.system_edits(two_annotators, hypothesis)

    def twin() -> None:
        for sent, own in zip(two_annotators, edits, strict=True):
            ann = sent.annotation(annotator)
            if ann is not None:
                gold = chunk_edits(ann.edits, sent.tokens)
                oracle.outcomes(sent.tokens, gold, chunk_edits(own, sent.tokens))

    ours = seconds(lambda: metric.statistics(two_annotators, hypothesis))
    slow = seconds(twin, rounds=2)
    with capsys.disabled():
        print(f"\nGoToScorer: {1000 * ours:.1f} ms a system, {slow / ours:.0f} times its twin")
    assert slow / ours >= 20
