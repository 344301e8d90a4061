"""Prefetching analyses, so that two cores have work.

The long part of an analysis is done by a kernel, without the interpreter. While the interpreter
is busy with sentences that are analyzed already, a second thread lets the kernel work on those
that come next. The interpreter stays on one core, and its objects in that core's cache: threads
that take turns with it lose much of what they win.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import Any, Protocol, TypeGuard, runtime_checkable

from geceval.engines.threads import Pool
from geceval.extraction.lang.analysis import Analysis, Analyzer, Text


class Begun:
    """Sentences that are being prefetched.

    Parameters
    ----------
    sentences
        The sentences.
    compute
        Does what takes long; any thread may call it.
    finish
        Makes the analyses, in order, of what was computed.
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
        self._done = Event()
        self._computed: Any = None
        self._error: BaseException | None = None
        self._finishing = Lock()
        self._analyses: list[Analysis] | None = None

    def run(self) -> bool:
        """Compute, unless some thread has begun to; tell whether it was done here and now."""
        if not self._claim.acquire(blocking=False):
            return False
        try:
            self._computed = self._compute()
        except BaseException as error:
            # Whoever asks for the analyses gets it; an interruption is for everybody.
            self._error = error
            if not isinstance(error, Exception):
                raise
        finally:
            self._done.set()
        return True

    def then(self, change: Callable[[list[Analysis]], list[Analysis]]) -> Begun:
        """Begin the same, but do something with the analyses before they are returned."""
        return Begun(self.sentences, self._compute, lambda found: change(self._finish(found)))

    @property
    def is_done(self) -> bool:
        """Whether everything is computed."""
        return self._done.is_set()

    def analyses(self) -> list[Analysis]:
        """Return the analyses, in order, as soon as some thread has computed what they need."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        with self._finishing:
            if self._analyses is None:
                self._analyses = self._finish(self._computed)
                self._computed = None
        return self._analyses


@runtime_checkable
class CanBegin(Protocol):
    """An analyzer whose work can be divided."""

    @property
    def can_begin(self) -> bool:
        """Whether something is gained by it."""
        ...

    def begin(self, sentences: Sequence[Text]) -> list[Begun]:
        """Begin to analyze sentences, some at a time."""
        ...


def is_divisible(analyzer: Analyzer) -> TypeGuard[CanBegin]:
    """Whether an analyzer has work for a second thread."""
    return isinstance(analyzer, CanBegin) and analyzer.can_begin


class Ahead:
    """A second thread, which computes what was begun, in order."""

    def __init__(self) -> None:
        self._waiting: dict[int, Begun] = {}
        self._thread = Pool(1, name="geceval-ahead")

    def add(self, begun: Begun) -> None:
        """Let something be computed when its turn comes."""
        self._waiting[id(begun)] = begun
        self._thread.submit(begun.run)

    def finish(self, begun: Begun) -> list[Analysis]:
        """Return the analyses; where they are not ready, compute what nobody has begun."""
        while not begun.is_done and any(other.run() for other in list(self._waiting.values())):
            pass
        self._waiting.pop(id(begun), None)
        return begun.analyses()
