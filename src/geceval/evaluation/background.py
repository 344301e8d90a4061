"""Counting in background processes, for metrics that would block everything else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self, TypeAlias

import numpy as np

from geceval.engines.local import ignore_interrupts, uninterrupted_start
from geceval.errors import GecevalError
from geceval.evaluation.entries import Entry
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Hypothesis, Sentence, Tokens

_Texts: TypeAlias = tuple[Sequence[Tokens], Sequence[Tokens]]
"""Some of the sources and outputs of an entry."""

_NICENESS = 5
"""Lower priority of the processes, so that all work ends at about the same time."""

_Answer: TypeAlias = list[Statistics] | str


class Background:
    """Processes that count while this one does something else.

    Each has a share of the sentences of every entry, so that none is idle and sentences that
    systems have in common are processed by one of them only.

    Parameters
    ----------
    tasks
        The metrics, each with the entries to count; only metrics that run in the background, and
        only if others do not.
    jobs
        Number of processes; with one job there is none.
    """

    def __init__(self, tasks: Sequence[tuple[Metric, Sequence[Entry]]], *, jobs: int) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._answers: dict[str, list[Future[_Answer]]] = {}
        self._processes: list[BaseProcess] = []
        slow = [(metric, entries) for metric, entries in tasks if metric.runs_in_background]
        if jobs > 1 and slow and len(slow) < len(tasks):
            # A copy of this process would also copy locks that its threads hold.
            self._pool = ProcessPoolExecutor(
                jobs, mp_context=get_context("spawn"), initializer=_stand_back
            )
            others = active_children()
            with uninterrupted_start():
                self._answers = {
                    metric.name: [
                        self._pool.submit(_count, metric, _share(entries, start, jobs))
                        for start in range(jobs)
                    ]
                    for metric, entries in slow
                }
            self._processes = [child for child in active_children() if child not in others]

    def __contains__(self, metric: Metric) -> bool:
        return metric.name in self._answers

    def take(self, metric: Metric) -> list[Statistics]:
        """Wait for the counts of a metric, one for each entry."""
        shares = [_taken(metric, answer) for answer in self._answers[metric.name]]
        return [_joined(parts) for parts in zip(*shares, strict=True)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            # Nobody waits for what they count.
            for process in self._processes:
                process.terminate()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def _share(entries: Sequence[Entry], start: int, step: int) -> list[_Texts]:
    return [
        (one.corpus.sources[start::step], one.hypothesis.sentences[start::step]) for one in entries
    ]


def _taken(metric: Metric, future: Future[_Answer]) -> list[Statistics]:
    try:
        answer = future.result()
    except BrokenProcessPool as error:
        message = f"a process that counted for {metric.title} has died; try --jobs 1"
        raise GecevalError(message) from error
    if isinstance(answer, str):
        raise GecevalError(answer)
    return answer


def _joined(parts: Sequence[Statistics]) -> Statistics:
    """Merge the shares of an entry: the first process had the first sentence, and so on."""
    n_sents = sum(map(len, parts))
    counts = np.zeros((n_sents, *parts[0].counts.shape[1:]), dtype=parts[0].counts.dtype)
    mask = np.zeros(counts.shape[:2], dtype=bool)
    for start, part in enumerate(parts):
        counts[start :: len(parts)] = part.counts
        mask[start :: len(parts)] = part.mask
    places = np.concatenate([np.arange(start, n_sents, len(parts)) for start in range(len(parts))])
    together = parts[0].provenance
    for part in parts[1:]:
        together = together.followed_by(part.provenance)
    return replace(parts[0], counts=counts, mask=mask, provenance=together.take(np.argsort(places)))


def _stand_back() -> None:
    """Lower the priority, and leave interrupts to the main process."""
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
