"""Count in background processes, for metrics that would block others."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from functools import reduce
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from geceval.engines.local import ignore_interrupts, uninterrupted_start
from geceval.engines.threads import at_most
from geceval.errors import GecevalError
from geceval.evaluation.entries import Entry
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Hypothesis, Sentence, Tokens

_Texts: TypeAlias = tuple[Sequence[Tokens], Sequence[Tokens]]
"""Some of the sources and outputs of an entry."""

_NICENESS = 5
"""Niceness of the processes, so that all metrics finish at about the same time."""

_Answer: TypeAlias = list[Statistics] | str


_SENTENCES_PER_PROCESS = 250
"""Minimum number of sentences for each process after the first."""
_SHARES_PER_JOB = 4
"""Shares of the sentences for each job; several, so that a process added later has work."""


class _Task(NamedTuple):
    """A share of the sentences for a metric to count."""

    metric: Metric
    share: Sequence[_Texts]
    answer: Future[_Answer]


class Background:
    """Processes that count while the main process does something else.

    Each share has the same sentences of every entry, so that outputs that systems have in common
    are processed once. The main process is limited to one thread and uses one of `jobs` cores;
    another process uses it while the main process waits.

    Parameters
    ----------
    tasks
        All metrics, each with the entries to count. Those that run in the background are counted
        here if there are others.
    jobs
        Number of cores to use; with one there is no background process.
    """

    def __init__(self, tasks: Sequence[tuple[Metric, Sequence[Entry]]], *, jobs: int) -> None:
        slow = [(metric, entries) for metric, entries in tasks if metric.runs_in_background]
        n_texts = max((sum(len(one.corpus) for one in entries) for _, entries in slow), default=0)
        jobs = self._jobs = min(jobs, max(2, n_texts // _SENTENCES_PER_PROCESS))
        self._limit = ExitStack()
        self._pools: list[ProcessPoolExecutor] = []
        self._waiting: deque[_Task] = deque()
        self._answers: dict[str, list[Future[_Answer]]] = {}
        self._processes: list[BaseProcess] = []
        if jobs > 1 and slow and len(slow) < len(tasks):
            n_shares = _SHARES_PER_JOB * jobs
            for metric, entries in slow:
                shares = (_share(entries, start, n_shares) for start in range(n_shares))
                own = [_Task(metric, share, Future()) for share in shares]
                self._answers[metric.name] = [task.answer for task in own]
                self._waiting.extend(own)
            self._limit.enter_context(at_most(1))
            for _ in range(jobs - 1):
                self._add_process()

    def _add_process(self) -> None:
        """Start a process that counts waiting shares one by one."""
        others = active_children()
        # A forked process would inherit locks held by threads.
        context = get_context("spawn")
        pool = ProcessPoolExecutor(1, mp_context=context, initializer=_lower_priority)
        self._pools.append(pool)
        with uninterrupted_start():
            self._feed(pool)
        self._processes += [child for child in active_children() if child not in others]

    def _feed(self, pool: ProcessPoolExecutor) -> None:
        with suppress(IndexError):
            task = self._waiting.popleft()
            future = pool.submit(_count, task.metric, task.share)
            future.add_done_callback(lambda done: self._finish(pool, task, done))

    def _finish(self, pool: ProcessPoolExecutor, task: _Task, done: Future[_Answer]) -> None:
        """Set the result of a task, and submit the next one unless the process has died."""
        if done.cancelled():
            return
        error = done.exception()
        if error is None:
            task.answer.set_result(done.result())
            self._feed(pool)
        else:
            task.answer.set_exception(error)
            while self._waiting:
                self._waiting.popleft().answer.set_exception(error)

    def __contains__(self, metric: Metric) -> bool:
        return metric.name in self._answers

    def take(self, metric: Metric) -> list[Statistics]:
        """Wait for the statistics of a metric, one for each entry."""
        if len(self._pools) < self._jobs:
            # The main process only waits now, so another one may use its core.
            self._add_process()
        shares = [_wait(metric, answer) for answer in self._answers[metric.name]]
        return [_merge(parts) for parts in zip(*shares, strict=True)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._waiting.clear()
        if kind is not None:
            # Their results are not needed.
            for process in self._processes:
                process.terminate()
        for pool in self._pools:
            pool.shutdown(wait=True, cancel_futures=True)
        self._limit.close()


def _share(entries: Sequence[Entry], start: int, step: int) -> list[_Texts]:
    return [
        (one.corpus.sources[start::step], one.hypothesis.sentences[start::step]) for one in entries
    ]


def _wait(metric: Metric, future: Future[_Answer]) -> list[Statistics]:
    try:
        answer = future.result()
    except BrokenProcessPool as error:
        message = f"a background process of {metric.title} died; try --jobs 1"
        raise GecevalError(message) from error
    if isinstance(answer, str):
        raise GecevalError(answer)
    return answer


def _merge(parts: Sequence[Statistics]) -> Statistics:
    """Merge the interleaved shares of an entry."""
    n_sents = sum(map(len, parts))
    positions = [np.arange(start, n_sents, len(parts)) for start in range(len(parts))]
    return reduce(Statistics.followed_by, parts).take(np.argsort(np.concatenate(positions)))


def _lower_priority() -> None:
    """Lower the priority, and ignore interrupts, which the main process handles."""
    ignore_interrupts()
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)


def _count(metric: Metric, share: Sequence[_Texts]) -> _Answer:
    """Count; return an error as text, since not every exception can be pickled."""
    try:
        return [
            metric.statistics(Corpus(tuple(map(Sentence, sources))), Hypothesis("", tuple(outputs)))
            for sources, outputs in share
        ]
    except GecevalError as error:
        return str(error)
