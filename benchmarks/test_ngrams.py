"""Speed of the n-gram metrics, and how many times faster they are than their plain-Python twins."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from geceval import Corpus, Hypothesis
from geceval.evaluation.resampling import bootstrap
from geceval.metrics import metric_class
from geceval.metrics.bleu import bleu_of
from geceval.metrics.gleu.metric import GLEU
from geceval.metrics.gleu.samples import sample_references
from geceval.metrics.green import Green
from geceval.metrics.sari import SARI

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import green
from oracles import ngrams as oracle

NAMES = ("gleu", "bleu", "ibleu", "sari", "maxsari", "ld-reference", "ld-source")
NEWER = ("green", "chrf", "ter", "wer", "cer")
TWIN_SYSTEMS = 2
"""How many systems the twins score: they take their time."""

Words = tuple[str, ...]


def cpu(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def score_all(names: tuple[str, ...], corpus: Corpus, systems: list[Hypothesis]) -> None:
    for name in names:
        metric = metric_class(name)()
        for hypothesis in systems:
            metric.score(corpus, hypothesis)


@pytest.mark.parametrize("name", NAMES + NEWER)
def test_all_systems_two_references(
    benchmark: Any, two_annotators: Corpus, systems: list[Hypothesis], name: str
) -> None:
    benchmark(score_all, (name,), two_annotators, systems)


def test_all_metrics_two_references(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    capsys: pytest.CaptureFixture[str],
    seconds: Callable[..., float],
) -> None:
    """Under 2 s of CPU, from empty caches."""

    def run() -> None:
        sample_references.cache_clear()
        bleu_of.cache_clear()
        score_all(NAMES, two_annotators, systems)

    benchmark.pedantic(run, rounds=2)
    taken = seconds(run)
    with capsys.disabled():
        print(f"\n{len(NAMES)} metrics, {len(systems)} systems: {taken:.2f} s of CPU")
    assert taken < 2


def test_newer_metrics_two_references(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    capsys: pytest.CaptureFixture[str],
    seconds: Callable[..., float],
) -> None:
    """Under 3 s of CPU: GREEN, chrF, TER, WER, CER and a variant of GLEU."""

    def run() -> None:
        sample_references.cache_clear()
        score_all(NEWER, two_annotators, systems)
        variant = GLEU(variant="gec-metrics")
        for hypothesis in systems:
            variant.score(two_annotators, hypothesis)

    benchmark.pedantic(run, rounds=2)
    taken = seconds(run)
    with capsys.disabled():
        print(f"\n{len(NEWER) + 1} newer metrics, {len(systems)} systems: {taken:.2f} s of CPU")
    assert taken < 3


@pytest.mark.parametrize("name", NAMES + NEWER)
def test_thousand_resamples(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    name: str,
    seconds: Callable[..., float],
) -> None:
    """Under 1 s, though GLEU samples references 500 times in each."""
    metric = metric_class(name)()
    statistics = metric.statistics(two_annotators, systems[0])
    benchmark.pedantic(bootstrap, args=(metric, statistics), rounds=2)
    assert seconds(lambda: bootstrap(metric, statistics)) < 1


def test_gleu_thousand_resamples_sixteen_references(
    benchmark: Any, sixteen_annotators: Corpus, systems: list[Hypothesis]
) -> None:
    metric = GLEU()
    statistics = metric.statistics(sixteen_annotators, systems[0])
    benchmark.pedantic(bootstrap, args=(metric, statistics), rounds=2)


def cases(corpus: Corpus, hypothesis: Hypothesis) -> Iterator[tuple[Words, Words, list[Words]]]:
    """Yield source, output and references of each sentence that has any."""
    by_annotator = list(corpus.references().values())
    for number, (sent, words) in enumerate(zip(corpus, hypothesis, strict=True)):
        refs = [ref for texts in by_annotator if (ref := texts[number]) is not None]
        if refs:
            yield sent.tokens, words, refs


def twin_gleu(texts: list[tuple[Words, Words, list[Words]]]) -> None:
    counts = [[oracle.gleu_counts(src, hyp, ref) for ref in refs] for src, hyp, refs in texts]
    oracle.sampled_gleu(counts)


def twin_green(texts: list[tuple[Words, Words, list[Words]]]) -> None:
    chosen = []
    for source, hypothesis, refs in texts:
        by_ref = [green.counts(source, hypothesis, ref) for ref in refs]
        chosen.append(by_ref[green.choose(by_ref, beta=2.0)])
    green.measures(green.total(chosen), beta=2.0)


def twin_sari(texts: list[tuple[Words, Words, list[Words]]]) -> None:
    for source, hypothesis, refs in texts:
        oracle.sari(source, hypothesis, refs)


@pytest.mark.parametrize(
    ("kind", "twin"), [(GLEU, twin_gleu), (Green, twin_green), (SARI, twin_sari)]
)
def test_ratio_to_the_twin(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    capsys: pytest.CaptureFixture[str],
    kind: type[GLEU | Green | SARI],
    twin: Callable[[list[tuple[Words, Words, list[Words]]]], None],
) -> None:
    """CPU time of both, each system scored once; at least 50.

    Ours starts from nothing: references are built and sampled once for all systems.
    The twin is given the references.
    """

    def ours() -> None:
        sample_references.cache_clear()
        metric = kind()
        for hypothesis in systems:
            metric.score(two_annotators, hypothesis)

    fast = min(cpu(ours) for _ in range(3)) / len(systems)
    texts = [list(cases(two_annotators, hypothesis)) for hypothesis in systems[:TWIN_SYSTEMS]]
    slow = min(cpu(lambda one=one: twin(one)) for one in texts)  # type: ignore[misc]
    benchmark(ours)
    with capsys.disabled():
        print(
            f"\n{kind.title}, one system: {1000 * fast:.1f} ms, twin {1000 * slow:.0f} ms, "
            f"ratio {slow / fast:.0f}"
        )
    assert slow / fast > 50
