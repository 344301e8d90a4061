"""Speed of repeated calls of a `Scorer`, as in a training loop, against the first."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import geceval
from geceval import Corpus, Hypothesis

MAX_SECONDS = 0.060
"""CPU time of one call on CoNLL-2014 with M² and GLEU."""


def test_scorer_calls_cost_what_the_output_needs(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    seconds: Callable[..., float],
) -> None:
    """At most 60 ms of CPU, and less than half of the first call."""
    lines = [" ".join(tokens) for tokens in systems[0].sentences]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        scorer = geceval.Scorer(two_annotators, metrics=["m2", "gleu"])
        scorer(lines)
        first = time.process_time() - start
        benchmark(scorer, lines)
        later = seconds(lambda: scorer(lines))
    benchmark.extra_info["first / later"] = round(first / later, 1)
    assert later < MAX_SECONDS
    assert first > 2 * later
