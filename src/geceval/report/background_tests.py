"""Scores and paired tests by one metric, while the next ones count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Self

from geceval.engines.process import release_memory, switch_interval
from geceval.engines.threads import Later, Pool, allowed, at_once
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import Result
from geceval.evaluation.resampling import Comparison, Resampling
from geceval.report.additions import Known, StoredResults, known_results
from geceval.report.results import ScoreRecord
from geceval.report.score_records import (
    SystemResults,
    compare_systems,
    group_by_metric,
    score_records,
)

_SWITCH_INTERVAL = 0.002
"""Seconds that the second thread waits for the interpreter, which it needs only briefly."""


@dataclass(frozen=True, slots=True)
class MetricTests:
    """Comparisons of all pairs of systems by one metric, and the scores with what follows.

    `known` is what an earlier results file has.
    """

    comparisons: list[Comparison]
    scores: dict[str, ScoreRecord]
    known: Known


class BackgroundTests:
    """Tests systems by one metric after the other, in a second thread if there is a core for it.

    Most of a test is spent in kernels, which release the interpreter lock. What has not begun when
    the results are needed is done by the main thread.

    Parameters
    ----------
    tests
        Settings of the tests of all pairs.
    resampling
        Settings of the confidence intervals.
    known
        Results of an earlier report.
    jobs
        Number of cores; with one, everything waits for `finish`.
    """

    def __init__(
        self, tests: Resampling, resampling: Resampling, known: StoredResults | None, *, jobs: int
    ) -> None:
        self._tests = tests
        self._resampling = resampling
        self._known = known
        # More threads would only compete for the interpreter.
        self._pool = Pool(1, name="geceval-tests") if allowed(jobs) > 1 else None
        self._switching = ExitStack()
        self._tasks: dict[str, Callable[[Progress], MetricTests]] = {}

    @property
    def later(self) -> Later:
        """Calls functions in the second thread, if there is one."""
        return at_once if self._pool is None else self._pool.later

    def shown(self, progress: Progress) -> Progress:
        """Return how functions for `later` show progress: in the second thread they do not."""
        return progress if self._pool is None else silent

    def add(self, results: Sequence[Result]) -> None:
        """Test the systems by a metric that has counted and resampled them."""
        release_memory()
        for name, systems in group_by_metric(results).items():
            self._tasks[name] = self._task(systems)

    def _task(self, systems: SystemResults) -> Callable[[Progress], MetricTests]:
        if self._pool is None:
            return partial(self._test, systems)
        result = self._pool.later(partial(self._test, systems, silent))
        return lambda _: result()

    def finish(self, names: Sequence[str], progress: Progress) -> dict[str, MetricTests]:
        """Return the tests of all metrics in an order."""
        # The thread takes the first of those that wait, so this one takes the last.
        found = {
            name: self._tasks[name](progress)
            for name in progress([*reversed(names)], "comparing systems")
        }
        return {name: found[name] for name in names}

    def _test(self, systems: SystemResults, progress: Progress) -> MetricTests:
        known = known_results(self._known, systems, self._tests)
        comparisons = compare_systems(systems, self._tests, known.comparisons, progress)
        scores = score_records(systems, comparisons, self._resampling, known.part_intervals)
        # Resamples take much more memory than what they show.
        release_memory()
        return MetricTests(comparisons, scores, known)

    def __enter__(self) -> Self:
        if self._pool is not None:
            self._switching.enter_context(switch_interval(_SWITCH_INTERVAL))
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.end()
        self._switching.close()
