"""Speed of M2, and how many times faster it is than its plain-Python twin.

The original scorer's own times, measured once (user CPU, one core): 7–14 s for most systems of
CoNLL-2014, 167 s for NTHU, 26 s for one system with sixteen annotators.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.evaluation.resampling import Resampling, bootstrap, paired_p_value
from geceval.metrics.maxmatch import M2

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import maxmatch as oracle


def cpu(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def score_all(corpus: Corpus, systems: list[Hypothesis], workers: int = 1) -> None:
    metric = M2(jobs=workers)
    for hypothesis in systems:
        metric.statistics(corpus, hypothesis)


@pytest.mark.parametrize("workers", [1, 2])
def test_all_systems_two_annotators(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    workers: int,
    seconds: Callable[..., float],
) -> None:
    """Under 0.6 s of CPU."""
    benchmark(score_all, two_annotators, systems, workers)
    assert seconds(lambda: score_all(two_annotators, systems, workers)) < 0.6


def test_all_systems_sixteen_annotators(
    benchmark: Any,
    sixteen_annotators: Corpus,
    systems: list[Hypothesis],
    seconds: Callable[..., float],
) -> None:
    """Under 1.5 s of CPU."""
    benchmark(score_all, sixteen_annotators, systems)
    assert seconds(lambda: score_all(sixteen_annotators, systems)) < 1.5


def one_sentence(source: list[str], hypothesis: list[str]) -> tuple[Corpus, Hypothesis]:
    edits = tuple(Edit(i, i + 1, ((word,),)) for i, word in enumerate(source) if i % 5 == 0)
    corpus = Corpus((Sentence(tuple(source), (Annotation("0", edits),)),))
    return corpus, Hypothesis("h", (tuple(hypothesis),))


def unrelated(n_tokens: int) -> Callable[[], object]:
    corpus, hypothesis = one_sentence(
        [f"s{i}" for i in range(n_tokens)], [f"h{i}" for i in range(n_tokens)]
    )
    return lambda: M2().statistics(corpus, hypothesis)


@pytest.mark.parametrize("n_tokens", [75, 150, 300, 600])
def test_unrelated_sentences(benchmark: Any, n_tokens: int) -> None:
    benchmark(unrelated(n_tokens))


def test_unrelated_sentences_take_time_by_their_cells(seconds: Callable[..., float]) -> None:
    """Under 50 ms for 300 tokens; four times the cells, about four times the time."""
    # The clock ticks in hundredths of a second.
    one, four = (seconds(lambda n=n: [unrelated(n)() for _ in range(20)]) for n in (300, 600))
    assert one / 20 < 0.05
    assert four / one < 6


def test_phrase_repeated_twenty_times(benchmark: Any, seconds: Callable[..., float]) -> None:
    """Under 20 ms; the original needs hours."""
    phrase = ["and", "so", "on", "and", "so", "forth"]
    corpus, hypothesis = one_sentence(["He", "talked", *phrase, "."], ["He", *phrase * 20, "."])
    benchmark(lambda: M2().statistics(corpus, hypothesis))
    assert seconds(lambda: [M2().statistics(corpus, hypothesis) for _ in range(50)]) < 1


def test_thousand_resamples_of_all_systems(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    seconds: Callable[..., float],
) -> None:
    """Under 2 s."""
    metric = M2()
    counts = [metric.statistics(two_annotators, hypothesis) for hypothesis in systems]
    benchmark(lambda: [bootstrap(metric, statistics) for statistics in counts])
    assert seconds(lambda: [bootstrap(metric, statistics) for statistics in counts]) < 2


def test_ten_thousand_resamples_sixteen_annotators(
    benchmark: Any, sixteen_annotators: Corpus, systems: list[Hypothesis]
) -> None:
    metric = M2()
    statistics = metric.statistics(sixteen_annotators, systems[0])
    benchmark(bootstrap, metric, statistics, resampling=Resampling(10_000))


def test_randomization_of_two_systems(
    benchmark: Any, two_annotators: Corpus, systems: list[Hypothesis]
) -> None:
    metric = M2()
    first, second = (metric.statistics(two_annotators, system) for system in systems[:2])
    benchmark(paired_p_value, metric, first, second)


def test_ratio_to_the_twin(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    capsys: pytest.CaptureFixture[str],
    memory: Callable[[], float],
) -> None:
    """CPU time of both on the same short sentences, in this run."""
    chosen = [i for i, sent in enumerate(two_annotators) if len(sent.tokens) <= 25][:150]
    corpus = Corpus(tuple(two_annotators.sentences[i] for i in chosen))
    hypothesis = Hypothesis("h", tuple(systems[0].sentences[i] for i in chosen))

    def slow() -> None:
        for sent, words in zip(corpus, hypothesis, strict=True):
            for ann in sent.annotations:
                gold = [(edit.start, edit.end, edit.corrections) for edit in ann.edits]
                oracle.max_match(sent.tokens, words, gold)

    before = memory()
    ours = min(cpu(lambda: M2().statistics(corpus, hypothesis)) for _ in range(5))
    twin = cpu(slow)
    benchmark(lambda: M2().statistics(corpus, hypothesis))
    with capsys.disabled():
        print(
            f"\n{len(chosen)} sentences: kernel {1000 * ours:.1f} ms, twin {1000 * twin:.0f} ms, "
            f"ratio {twin / ours:.0f}; peak memory {memory():.0f} MB ({before:.0f} MB before)"
        )
