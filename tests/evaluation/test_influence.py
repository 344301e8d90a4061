"""Influence of single sentences, against scoring the corpus again without each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
from geceval.errors import GecevalError
from geceval.evaluation import influence as module
from geceval.evaluation.influence import influence, most_influential
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Statistics

OPTIONS: dict[str, dict[str, Any]] = {"gotoscorer": {"weights": "none"}}
NAMES = [name for name in standalone_names() if name != "grammar"]


def left_out(metric: Metric, statistics: Statistics) -> list[float]:
    """Score the corpus without each sentence, one by one."""
    whole = metric.aggregate(statistics).value
    rows = np.arange(len(statistics))
    return [whole - metric.aggregate(statistics.take(np.delete(rows, row))).value for row in rows]


def with_chosen_references(metric: Metric, statistics: Statistics) -> Statistics:
    """Make the reference that was chosen for the whole corpus the only one."""
    chosen = metric.aggregate(statistics).sentences.chosen
    mask = np.arange(len(statistics.references)) == chosen[:, None]
    return replace(statistics, mask=mask)


@pytest.mark.parametrize("name", NAMES)
def test_influence_is_that_of_leaving_a_sentence_out(name: str) -> None:
    gold = made_up.corpus(30, annotators=("0",), absent=0.1)
    metric = metric_class(name)(**OPTIONS.get(name, {}))
    statistics = metric.statistics(gold, made_up.system(gold, "ours"))
    found = influence(metric, statistics)
    assert found is not None
    assert found.tolist() == pytest.approx(left_out(metric, statistics), abs=1e-12)
    assert np.any(found)


@pytest.mark.parametrize("name", ["m2", "errant", "wdiff", "ged", "pt-m2"])
@pytest.mark.parametrize("seed", [1, 2])
def test_influence_leaves_the_choice_of_references_alone(name: str, seed: int) -> None:
    gold = made_up.corpus(25, annotators=("0", "1", "2"), absent=0.2, seed=seed)
    metric = metric_class(name)()
    statistics = metric.statistics(gold, made_up.system(gold, "ours"))
    found = influence(metric, statistics)
    assert found is not None
    fixed = with_chosen_references(metric, statistics)
    assert found.tolist() == pytest.approx(left_out(metric, fixed), abs=1e-12)


def test_influence_on_gleu_has_expected_references() -> None:
    gold = made_up.corpus(30)
    statistics = metric_class("gleu")().statistics(gold, made_up.system(gold, "ours"))
    found = influence(metric_class("gleu")(), statistics)
    expected = metric_class("gleu")(exact=True)
    assert found is not None
    assert found.tolist() == pytest.approx(left_out(expected, statistics), abs=1e-12)


def test_influence_of_long_corpora_needs_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = made_up.corpus(12)
    ours = made_up.system(gold, "ours")
    monkeypatch.setattr(module, "MAX_RESCORED", 10)
    cleme, m2 = metric_class("cleme")(), metric_class("m2")()
    assert influence(cleme, cleme.statistics(gold, ours)) is None
    assert influence(m2, m2.statistics(gold, ours)) is not None


def test_influence_of_a_single_sentence_is_refused() -> None:
    gold = made_up.corpus(1)
    metric = metric_class("m2")()
    with pytest.raises(GecevalError, match="at least two sentences"):
        influence(metric, metric.statistics(gold, made_up.system(gold, "ours")))


NUMBERS = st.sampled_from([0.0, 0.1, -0.2, 0.3, 1.0])


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12), st.integers(0, 5))
def test_most_influential_are_those_of_a_sort(pairs: list[tuple[float, float]], n: int) -> None:
    first, second = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    moved = [(place, after - before) for place, (before, after) in enumerate(pairs)]
    expected = sorted(
        (one for one in moved if abs(one[1]) > 1e-12), key=lambda one: (-abs(one[1]), one[0])
    )
    assert most_influential(first, second, n=n) == expected[:n]
