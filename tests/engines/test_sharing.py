"""Metrics and annotators that threads share, with the interpreter switching all the time."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pytest

import made_up
from geceval import Corpus, Hypothesis
from geceval.engines.threads import Latest, WeakCache
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang.memory_cache import CachedAnalyzer
from geceval.metrics import metric_class, standalone_names
from geceval.metrics._shared.texts import References
from geceval.metrics.base import Metric
from geceval.metrics.errant import Errant
from geceval.metrics.imeasure.arrays import CHUNK, PreparedCorpus
from geceval.metrics.imeasure.metric import IMeasure
from geceval.metrics.statistics import Statistics
from geceval.model import Sentence, apply_edits
from geceval.references.mixed import mixed_references
from geceval.references.reference_lattice import ReferenceLattice
from geceval.text import Interner
from toy_analyzers import Counting

OPTIONS: dict[str, dict[str, Any]] = {
    "grammar": {"cache": False},
    "errant": {"lang": "plain", "auto_gold": True},
    "gotoscorer": {"lang": "plain", "auto_gold": True, "weights": "none"},
    "cleme": {"lang": "plain"},
    "cleme2": {"lang": "plain", "weights": "length"},
}
THREADS = 4
ROUNDS = 6

Contest: TypeAlias = tuple[Corpus, Hypothesis]
Item = TypeVar("Item")
Answer = TypeVar("Answer")


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
    """Call a function for all items at the same time, each in a thread of its own."""
    barrier = Barrier(len(items))

    def run(item: Item) -> Answer:
        barrier.wait()
        return function(item)

    with ThreadPoolExecutor(len(items)) as pool:
        return list(pool.map(run, items))


def make(name: str) -> Metric:
    return metric_class(name)(**OPTIONS.get(name, {}))


def _counted(metric: Metric, contest: Contest) -> Statistics:
    return metric.statistics(*contest)


def contest(seed: int, n_sents: int) -> Contest:
    corpus = made_up.corpus(n_sents, annotators=("0", "1", "2"), seed=seed)
    return corpus, made_up.system(corpus, f"system {seed}")


@pytest.mark.parametrize("name", standalone_names())
@pytest.mark.parametrize("n_corpora", [1, 2])
def test_metric_is_shared_by_threads(name: str, n_corpora: int) -> None:
    """Whether they score the same corpus or others, all threads get what one alone gets."""
    n_sents = 12 if name == "grammar" else 70
    contests = [contest(seed, n_sents) for seed in range(n_corpora)]
    expected = [make(name).statistics(*one) for one in contests]
    for _ in range(1 if name == "grammar" else ROUNDS):
        metric = make(name)
        found = at_once(partial(_counted, metric), (contests * THREADS)[:THREADS])
        for number, statistics in enumerate(found):
            right = expected[number % n_corpora]
            np.testing.assert_array_equal(statistics.counts, right.counts)
            np.testing.assert_array_equal(statistics.mask, right.mask)
            assert metric.aggregate(statistics).value == metric.aggregate(right).value


def test_imeasure_views_are_shared_by_threads() -> None:
    corpus, hypothesis = contest(5, 40)
    expected = IMeasure().aligned_view(corpus, hypothesis)
    found = at_once(partial(IMeasure().aligned_view, corpus), [hypothesis] * THREADS)
    assert found == [expected] * THREADS


def test_imeasure_lattices_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread gets every chunk once, though others come in while one is made."""
    made = []

    def slowly(sent: Sentence, **options: Any) -> ReferenceLattice:
        made.append(sent)
        time.sleep(0.0005)
        return mixed_references(sent, **options)

    monkeypatch.setattr("geceval.metrics.imeasure.arrays.mixed_references", slowly)
    corpus, _ = contest(7, 3 * CHUNK + 1)
    prepared = PreparedCorpus(corpus)
    found = at_once(lambda _: list(prepared.lattices()), range(THREADS))
    for chunks in found:
        assert [chunk.first for chunk in chunks] == [0, CHUNK, 2 * CHUNK, 3 * CHUNK]
        assert [len(chunk) for chunk in chunks] == [CHUNK, CHUNK, CHUNK, 1]
    assert made == list(corpus)


def test_errant_forgets_while_others_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geceval.metrics.errant.edit_extractor.MAX_PAIRS", 3)
    contests = [contest(seed, 40) for seed in range(THREADS)]
    expected = [make("errant").statistics(*one).counts for one in contests]
    metric = make("errant")
    for _ in range(ROUNDS):
        found = at_once(partial(_counted, metric), contests)
        for statistics, right in zip(found, expected, strict=True):
            np.testing.assert_array_equal(statistics.counts, right)


@pytest.mark.parametrize("language", ["plain", "en"])
def test_annotator_is_shared_by_threads(language: str) -> None:
    contests = [contest(seed, 60) for seed in range(THREADS)]
    pairs = [list(zip(corpus.sources, outputs, strict=True)) for corpus, outputs in contests]
    alone = Annotator(language)
    expected = [list(alone.annotate_pairs(some)) for some in pairs]
    shared = Annotator(language, cache=20)

    def annotate(some: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> list[object]:
        shared.prefetch(some)
        return list(shared.annotate_pairs(some))

    for _ in range(2):
        assert at_once(annotate, pairs) == expected


def test_annotators_are_made_at_once() -> None:
    """What is loaded for all of them is loaded once."""
    one, *others = at_once(lambda beta: Errant(beta=beta).annotator, [0.5, 1.0, 2.0])
    assert all(other is one for other in others)


def test_interned_tokens_have_numbers_of_their_own() -> None:
    for _ in range(ROUNDS):
        interner = Interner(str.lower)
        texts = [[(f"Word{(n * k) % 977}",) for n in range(977)] for k in (1, 3, 5, 7)]
        at_once(interner.intern, texts)
        numbers = interner.intern([(f"word{n}",) for n in range(977)]).tokens
        assert sorted(numbers.tolist()) == list(range(len(interner))) == list(range(977))


def test_latest_is_made_once_and_keeps_nothing_when_copied() -> None:
    made = []

    def make_of(key: list[int]) -> int:
        made.append(key)
        return sum(key)

    latest: Latest[list[int], int] = Latest()
    numbers = [1, 2]
    found = at_once(lambda key: latest.get(key, make_of), [numbers] * THREADS)
    assert found == [3] * THREADS
    assert made == [numbers]
    copy = pickle.loads(pickle.dumps(latest))  # noqa: S301
    assert copy.get(numbers, make_of) == 3
    assert len(made) == 2


def test_latest_that_failed_is_made_again() -> None:
    latest: Latest[list[int], float] = Latest()
    key = [0]
    with pytest.raises(ZeroDivisionError):
        latest.get(key, lambda one: 1 / one[0])
    assert latest.get(key, lambda one: 1.0 + one[0]) == 1.0


def test_values_of_a_weak_cache_end_with_their_objects() -> None:
    cache: WeakCache[Corpus, int] = WeakCache()
    first, equal = (Corpus((Sentence(("a",)),)) for _ in range(2))
    found = at_once(lambda corpus: cache.get(corpus, len), [first] * THREADS)
    assert found == [1] * THREADS
    assert cache.get(equal, lambda _: 2) == 2, "objects are compared by identity"
    assert cache.get(first, lambda _: 3) == 1
    del first
    assert len(cache) == 1
    assert not len(pickle.loads(pickle.dumps(cache)))  # noqa: S301


def test_references_and_edits_are_found_once_for_all_metrics() -> None:
    corpus = made_up.corpus(20, annotators=("0", "1"))
    output = made_up.system(corpus, "one")
    assert References.of(corpus, missing="same") is References.of(corpus, missing="same")
    assert References.of(corpus, missing="same") is not References.of(corpus, missing="absent")
    first, second = (Errant(lang="plain", auto_gold=True)._extractor for _ in range(2))
    assert first.system_edits(corpus, output) is second.system_edits(corpus, output)
    other = made_up.corpus(20, annotators=("0", "1"), seed=7)
    edits = first.output_edits(other, output)
    sources = [sent.tokens for sent in other]
    assert [apply_edits(*pair) for pair in zip(sources, edits, strict=True)] == list(output)


def test_interrupted_analysis_is_begun_again() -> None:
    """What was interrupted once is no reason to be interrupted for ever."""
    calls = 0

    class Interrupted(Counting):
        can_prefetch = True

        def pending(self, sentences: Sequence[tuple[str, ...]]) -> list[Any]:
            from geceval.extraction.lang.prefetch import PendingBatch

            def compute() -> None:
                nonlocal calls
                calls += 1
                raise KeyboardInterrupt

            return [PendingBatch(sentences, compute, lambda _: [])]

    cached = CachedAnalyzer(Interrupted())
    cached.prefetch([("a",)])
    with pytest.raises(KeyboardInterrupt):
        cached.analyze([("a",)])
    assert calls == 1
    assert cached.analyze([("a",)])[0].tokens == ("a",)
