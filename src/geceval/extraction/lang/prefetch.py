"""Prefetching of analyses in a second thread.

Most of the time of an analysis is spent in a kernel that releases the interpreter lock. While the
main thread processes analyzed sentences, a second thread runs the kernel on upcoming ones. Python
code stays in the main thread, because threads that compete for the interpreter lock are slower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any, Protocol, TypeGuard, runtime_checkable

from geceval.engines.threads import Pool
from geceval.extraction.lang.analysis import Analysis, Analyzer, Text

SWITCH_INTERVAL = 0.0005
"""Seconds that the prefetching thread waits for the interpreter, which it needs only briefly."""


class PendingBatch:
    """A batch of sentences to analyze in two steps.

    Parameters
    ----------
    sentences
        The sentences.
    compute
        Runs the kernel, in any thread.
    finish
        Converts the result of `compute` into analyses, in order.
    """

    def __init__(
        self,
        sentences: Sequence[Text],
        compute: Callable[[], Any],
        finish: Callable[[Any], list[Analysis]],
    ) -> None:
        self.sentences = sentences
        self._compute = compute
        self._finish = finish
        self._claim = Lock()
        self._computed: Future[Any] = Future()
        self._finishing = Lock()
        self._analyses: list[Analysis] | None = None

    def run(self) -> bool:
        """Compute, unless a thread has started to; return whether it was done in this call."""
        if not self._claim.acquire(blocking=False):
            return False
        try:
            self._computed.set_result(self._compute())
        except BaseException as error:
            self._computed.set_exception(error)
            # Errors are raised by `analyses`, interrupts also here.
            if not isinstance(error, Exception):
                raise
        return True

    def then(self, change: Callable[[list[Analysis]], list[Analysis]]) -> PendingBatch:
        """Return the same batch with a function applied to its analyses."""
        return PendingBatch(
            self.sentences, self._compute, lambda found: change(self._finish(found))
        )

    @property
    def is_computed(self) -> bool:
        """Whether `compute` has returned or failed."""
        return self._computed.done()

    def analyses(self) -> list[Analysis]:
        """Wait until some thread has computed, and return the analyses in order."""
        computed = self._computed.result()
        with self._finishing:
            if self._analyses is None:
                self._analyses = self._finish(computed)
        return self._analyses


@runtime_checkable
class Prefetchable(Protocol):
    """An analyzer that can analyze in two steps."""

    @property
    def can_prefetch(self) -> bool:
        """Whether prefetching saves time."""
        ...

    def pending(self, sentences: Sequence[Text]) -> list[PendingBatch]:
        """Return batches to analyze."""
        ...


def can_prefetch(analyzer: Analyzer) -> TypeGuard[Prefetchable]:
    """Whether an analyzer has work for a second thread."""
    return isinstance(analyzer, Prefetchable) and analyzer.can_prefetch


class Prefetcher:
    """A second thread that computes batches in order."""

    def __init__(self) -> None:
        self._waiting: dict[int, PendingBatch] = {}
        self._thread = Pool(1, name="geceval-prefetch")

    def add(self, batch: PendingBatch) -> None:
        """Add a batch to the queue."""
        self._waiting[id(batch)] = batch
        self._thread.submit(batch.run)

    def finish(self, batch: PendingBatch) -> list[Analysis]:
        """Return the analyses of a batch; until then, compute other batches in this thread."""
        while not batch.is_computed and any(other.run() for other in list(self._waiting.values())):
            pass
        self._waiting.pop(id(batch), None)
        return batch.analyses()


class AnalyzerCache:
    """Base class of caches, which look like the analyzer they cache."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    @property
    def kind(self) -> str:
        """Kind of the analyzer."""
        return self._analyzer.kind

    @property
    def signature(self) -> str:
        """Signature of the analyzer."""
        return self._analyzer.signature

    @property
    def can_prefetch(self) -> bool:
        """Whether prefetching saves time."""
        return can_prefetch(self._analyzer)

    def tokenize(self, text: str) -> Text:
        """Tokenize raw text."""
        return self._analyzer.tokenize(text)
