"""Speed of the I-measure, with the references of the annotators and with all mixtures of them.

The original tool's own times, measured once (user CPU, one core): 77 to 220 s for one system of
CoNLL-2014 with two annotators, without mixing. With mixing it does not finish.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from geceval import Corpus, Hypothesis
from geceval.metrics.imeasure import IMeasure


@pytest.mark.parametrize("mix", [False, True], ids=["unmixed", "mixed"])
@pytest.mark.parametrize(
    ("annotators", "limit"),
    [("two_annotators", 0.6), ("ten_annotators", 1.5), ("sixteen_annotators", 2.5)],
)
def test_one_system(
    benchmark: Any,
    request: pytest.FixtureRequest,
    systems: list[Hypothesis],
    annotators: str,
    limit: float,
    mix: bool,
    seconds: Callable[..., float],
) -> None:
    """Under a limit of CPU seconds, the references included."""
    corpus: Corpus = request.getfixturevalue(annotators)

    def count() -> None:
        # A new metric each time, since one remembers the references.
        IMeasure(mix=mix).statistics(corpus, systems[0])

    benchmark(count)
    assert seconds(count) < limit
