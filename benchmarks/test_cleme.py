"""Speed of CLEME, and how many times faster it is than its plain-Python twin and the original.

The original (v1.1) takes 35 s of CPU for one system of CoNLL-2014, measured once; its edits are
extracted by ERRANT beforehand, which takes longer still.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geceval import Corpus, Hypothesis
from geceval.evaluation.resampling import bootstrap, paired_p_value
from geceval.metrics.base import Metric
from geceval.metrics.cleme import Cleme, Cleme2
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.model import Edit, apply_edits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import cleme as oracle

ORIGINAL_SECONDS = 35
N_TWIN_SAMPLES = 3
"""How many resamples the twin scores: it takes its time."""

KINDS = {
    "dependent": Cleme(auto_gold=False),
    "independent": Cleme(auto_gold=False, assumption="independent"),
    "sentence": Cleme(auto_gold=False, average="sentence"),
    "cleme2": Cleme2(auto_gold=False),
}


def cpu(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


@pytest.fixture(scope="module")
def extractor() -> EditExtractor:
    return EditExtractor(lang="en")


@pytest.fixture(scope="module")
def gold(two_annotators: Corpus, extractor: EditExtractor) -> Corpus:
    """The gold standard with extracted edits."""
    sentences = []
    for sent in two_annotators:
        pairs = [(sent.tokens, apply_edits(sent.tokens, ann.edits)) for ann in sent.annotations]
        found = zip(sent.annotations, extractor.extract("gold", pairs), strict=True)
        annotations = tuple(replace(ann, edits=edits) for ann, edits in found)
        sentences.append(replace(sent, annotations=annotations))
    return Corpus(tuple(sentences))


def with_edits(corpus: Corpus, hypothesis: Hypothesis, extractor: EditExtractor) -> Hypothesis:
    pairs = list(zip(corpus.sources, hypothesis, strict=True))
    return replace(hypothesis, edits=tuple(extractor.extract(hypothesis.name, pairs)))


@pytest.fixture(scope="module")
def outputs(gold: Corpus, systems: list[Hypothesis], extractor: EditExtractor) -> list[Hypothesis]:
    """The outputs with extracted edits."""
    return [with_edits(gold, hypothesis, extractor) for hypothesis in systems]


@pytest.mark.parametrize("metric", KINDS.values(), ids=KINDS)
def test_all_systems_from_edits(
    benchmark: Any,
    gold: Corpus,
    outputs: list[Hypothesis],
    metric: Metric,
    seconds: Callable[..., float],
) -> None:
    """Under 1 s of CPU for 12 systems."""

    def run() -> None:
        for hypothesis in outputs:
            metric.score(gold, hypothesis)

    benchmark.pedantic(run, rounds=2)
    assert seconds(run, rounds=3) < 1


def test_one_system_from_text(
    two_annotators: Corpus,
    systems: list[Hypothesis],
    extractor: EditExtractor,
    seconds: Callable[..., float],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Under 1 s of CPU with the extraction of its edits, 35 times as fast as the original.

    The sources and the references are analyzed, as they are once for all systems.
    """
    metric = Cleme(annotator=extractor.annotator)
    metric.score(two_annotators, Hypothesis("source", two_annotators.sources))
    # Each output is new to the metric.
    rest = iter(systems)
    taken = [seconds(lambda: metric.score(two_annotators, next(rest)), rounds=1) for _ in range(5)]
    slowest = max(taken)
    with capsys.disabled():
        print(
            f"\none system from text: at most {slowest:.2f} s of CPU, the original "
            f"{ORIGINAL_SECONDS} s, ratio {ORIGINAL_SECONDS / slowest:.0f}"
        )
    assert ORIGINAL_SECONDS / slowest > 35


@pytest.mark.parametrize("metric", KINDS.values(), ids=KINDS)
def test_thousand_resamples(
    benchmark: Any,
    gold: Corpus,
    outputs: list[Hypothesis],
    metric: Metric,
    seconds: Callable[..., float],
) -> None:
    """Under 1 s, though every resample has weights and references of its own."""
    statistics = metric.statistics(gold, outputs[0])
    benchmark.pedantic(bootstrap, args=(metric, statistics), rounds=2)
    assert seconds(lambda: bootstrap(metric, statistics), rounds=2) < 1


def test_randomization_of_two_systems(
    benchmark: Any, gold: Corpus, outputs: list[Hypothesis]
) -> None:
    metric = KINDS["dependent"]
    first, second = (metric.statistics(gold, system) for system in outputs[:2])
    benchmark.pedantic(paired_p_value, args=(metric, first, second), rounds=2)


def twin_cases(corpus: Corpus, hypothesis: Hypothesis) -> list[oracle.Case]:
    def plain(edits: tuple[Edit, ...]) -> list[oracle.Change]:
        return [(edit.start, edit.end, edit.correction) for edit in edits]

    return [
        oracle.case(
            sent.tokens, plain(edits), [plain(ann.edits) for ann in sent.annotations], "dependent"
        )
        for sent, edits in zip(corpus, hypothesis.edits or (), strict=True)
        if sent.annotations
    ]


def twin_score(found: list[oracle.Case]) -> oracle.Counts:
    weigh = oracle.by_length(found, "corpus", "dependent")
    return oracle.choose_running(found, weigh, oracle.total_f)[0]


def test_ratio_to_the_twin(
    gold: Corpus, outputs: list[Hypothesis], capsys: pytest.CaptureFixture[str]
) -> None:
    """CPU time of both in this run, from edits: a score, and an interval from 1000 resamples.

    Most of the time of a score is spent on the edits of a few tokens each, where plain Python is
    not slow; most of that of the twin of an interval is spent on weights and choices.
    """
    metric, hypothesis = KINDS["dependent"], outputs[0]
    ours = min(cpu(lambda: metric.score(gold, hypothesis)) for _ in range(5))
    twin = min(cpu(lambda: twin_score(twin_cases(gold, hypothesis))) for _ in range(2))
    statistics = metric.statistics(gold, hypothesis)
    resampling = min(cpu(lambda: bootstrap(metric, statistics)) for _ in range(2)) / 1000
    found = twin_cases(gold, hypothesis)
    rows = np.random.default_rng(1).integers(0, len(found), size=(N_TWIN_SAMPLES, len(found)))
    samples = [[found[number] for number in row] for row in rows.tolist()]
    slow = cpu(lambda: [twin_score(sample) for sample in samples]) / N_TWIN_SAMPLES
    with capsys.disabled():
        print(
            f"\none system: {1000 * ours:.0f} ms, twin {1000 * twin:.0f} ms, ratio "
            f"{twin / ours:.0f}; a resample: {1000 * resampling:.2f} ms, twin {1000 * slow:.0f} "
            f"ms, ratio {slow / resampling:.0f}; an interval: ratio "
            f"{(twin + 1000 * slow) / (ours + 1000 * resampling):.0f}"
        )
    assert twin > 2 * ours
    assert (twin + 1000 * slow) / (ours + 1000 * resampling) > 35
