"""Analyses that a second thread begins before anybody asks for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.disk_cache import StoredAnalyzer
from geceval.extraction.lang.memory_cache import CachedAnalyzer
from geceval.extraction.lang.plain import PlainAnalyzer
from geceval.extraction.lang.prefetch import PendingBatch, Prefetchable, Prefetcher
from geceval.model import Tokens
from toy_analyzers import Counting

SENTENCES = [(word, ".") for word in "abcdefgh"]


def plain(sentences: Sequence[Tokens]) -> list[Analysis]:
    return [Analysis.plain(sentence) for sentence in sentences]


def batch_of(sentences: Sequence[Tokens], compute: Callable[[], object]) -> PendingBatch:
    return PendingBatch(sentences, compute, lambda _: plain(sentences))


class Divided(Counting):
    """An analyzer that works on one sentence at a time and notes which thread did it."""

    can_prefetch = True

    def __init__(self) -> None:
        super().__init__()
        self.threads: dict[Tokens, int] = {}
        self.gate = threading.Event()

    def pending(self, sentences: Sequence[Tokens]) -> list[PendingBatch]:
        return [batch_of([sentence], partial(self._compute, sentence)) for sentence in sentences]

    def _compute(self, sentence: Tokens) -> None:
        assert sentence not in self.threads
        self.threads[sentence] = threading.get_ident()
        if threading.get_ident() != threading.main_thread().ident:
            assert self.gate.wait(60)


def test_batch_is_computed_once() -> None:
    done = []
    task = batch_of(SENTENCES, lambda: done.append(1))
    assert not task.is_computed
    assert task.run()
    assert task.is_computed
    assert not task.run()
    assert task.analyses() == plain(SENTENCES)
    assert done == [1]


def test_batch_is_finished_once() -> None:
    finished = []

    def finish(computed: int) -> list[Analysis]:
        finished.append(computed)
        return plain(SENTENCES)

    task = PendingBatch(SENTENCES, lambda: 7, finish)
    task.run()
    with ThreadPoolExecutor(4) as executor:
        found = list(executor.map(lambda _: task.analyses(), range(20)))
    assert found == [plain(SENTENCES)] * 20
    assert finished == [7]


def test_batch_error_is_for_those_who_ask() -> None:
    def fail() -> None:
        raise ZeroDivisionError("no luck")

    prefetcher = Prefetcher()
    good, bad = batch_of(SENTENCES[:1], int), batch_of(SENTENCES[1:], fail)
    prefetcher.add(bad)
    prefetcher.add(good)
    assert prefetcher.finish(good) == plain(SENTENCES[:1])
    with pytest.raises(ZeroDivisionError, match="no luck"):
        prefetcher.finish(bad)


def test_batch_interruption_comes_at_once() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    task = batch_of(SENTENCES, interrupt)
    with pytest.raises(KeyboardInterrupt):
        task.run()
    with pytest.raises(KeyboardInterrupt):
        task.analyses()


def test_expected_sentences_are_analyzed_once_by_two_threads() -> None:
    """The second thread is held up with the first sentence, so this one does all others."""
    analyzer = Divided()
    assert isinstance(analyzer, Prefetchable)
    cached = CachedAnalyzer(analyzer)
    assert cached.can_prefetch
    cached.prefetch([*SENTENCES, SENTENCES[0]])
    cached.prefetch(SENTENCES)
    while SENTENCES[0] not in analyzer.threads:
        pass
    assert cached.analyze(SENTENCES[1:]) == plain(SENTENCES[1:])
    analyzer.gate.set()
    assert cached.analyze(SENTENCES) == plain(SENTENCES)
    here = threading.get_ident()
    assert {name for name, thread in analyzer.threads.items() if thread == here} == {*SENTENCES[1:]}
    assert analyzer.threads.keys() == {*SENTENCES}
    assert analyzer.asked == []


def test_expected_sentences_that_were_not_asked_for_do_no_harm() -> None:
    analyzer = Divided()
    analyzer.gate.set()
    cached = CachedAnalyzer(analyzer, size=2)
    cached.prefetch(SENTENCES)
    assert cached.analyze([("x",), SENTENCES[3]]) == plain([("x",), SENTENCES[3]])
    assert analyzer.asked == [("x",)]
    # Known sentences are not begun again.
    cached.prefetch([("x",), SENTENCES[3]])
    assert cached.analyze([("x",), SENTENCES[3]]) == plain([("x",), SENTENCES[3]])
    assert ("x",) not in analyzer.threads
    assert analyzer.asked == [("x",)]


def test_expected_sentences_may_be_asked_for_by_many_threads() -> None:
    analyzer = Divided()
    analyzer.gate.set()
    cached = CachedAnalyzer(analyzer)
    cached.prefetch(SENTENCES)
    with ThreadPoolExecutor(4) as executor:
        found = list(executor.map(cached.analyze, [SENTENCES] * 8))
    assert found == [plain(SENTENCES)] * 8


def test_stored_analyses_are_not_begun_again(tmp_path: Path) -> None:
    """What a second thread has analyzed is stored as well."""
    analyzer = Divided()
    analyzer.gate.set()
    for expected in (SENTENCES[:3], SENTENCES[:5]):
        cached = CachedAnalyzer(StoredAnalyzer(analyzer, tmp_path))
        assert cached.can_prefetch
        cached.prefetch(expected)
        assert cached.analyze(expected) == plain(expected)
    assert list(analyzer.threads) == SENTENCES[:5]
    assert analyzer.asked == []
    assert not CachedAnalyzer(StoredAnalyzer(Counting(), tmp_path)).can_prefetch


def test_expecting_is_of_no_use_to_an_analyzer_that_cannot_begin() -> None:
    cached = CachedAnalyzer(PlainAnalyzer())
    assert not cached.can_prefetch
    before = threading.active_count()
    cached.prefetch(SENTENCES)
    assert threading.active_count() == before
    assert cached.analyze(SENTENCES) == plain(SENTENCES)
