"""Changes of scores by type."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.metaeval.maege.sensitivity import (
    FEWEST,
    ScoreChange,
    Steps,
    over_seeds,
    sign_flip_test,
)


def test_changes_by_type() -> None:
    steps = Steps.of([(0, 1, "B", 0), (1, 2, "A", 0), (0, 3, "B", 1), (2, 3, "C", 1)])
    assert steps.names == ("A", "B", "C")
    changes = steps.changes(np.array([0.0, 1.0, 1.5, np.nan]))
    assert changes["A"].n == 1
    assert changes["A"].mean == 0.5
    assert math.isnan(changes["A"].error)
    assert math.isnan(changes["A"].p_value)
    assert changes["B"].n == 1
    assert changes["C"].n == 0
    assert math.isnan(changes["C"].mean)


def test_change_has_the_standard_error() -> None:
    gains = np.array([0.1, -0.3, 0.2, 0.4])
    change = ScoreChange.of(gains, np.arange(4))
    deviations = gains - gains.mean()
    expected = math.sqrt((deviations**2).sum() / 3) / math.sqrt(4)
    assert change.n == 4
    assert change.mean == pytest.approx(0.1)
    assert change.error == pytest.approx(expected)


@pytest.mark.parametrize("n", range(FEWEST))
def test_few_sentences_are_not_tested(n: int) -> None:
    """Two changes of exactly the same size were once significant, as their error is 0."""
    assert math.isnan(sign_flip_test(np.ones(n)))
    assert math.isnan(ScoreChange.of(np.ones(50), np.arange(50) % max(1, n)).p_value)


@given(st.lists(st.integers(-4, 4), min_size=FEWEST, max_size=FEWEST))
def test_sign_flip_test_is_exact(terms: list[int]) -> None:
    """Integers have exact sums, so that ties cannot be missed."""
    observed = abs(sum(terms))
    flips = list(product((1, -1), repeat=len(terms)))
    as_far = sum(
        abs(sum(sign * term for sign, term in zip(signs, terms, strict=True))) >= observed
        for signs in flips
    )
    assert sign_flip_test(np.array(terms, dtype=float) / 10) == pytest.approx(as_far / len(flips))


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.5])
def test_sign_flip_test_of_many_terms_is_near_the_exact_one(shift: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        terms = rng.normal(shift, 1, 40)
        signs = rng.choice((-1.0, 1.0), size=(20_000, len(terms)))
        sampled = (np.abs(signs @ terms) >= abs(terms.sum())).mean()
        assert sign_flip_test(terms) == pytest.approx(sampled, abs=0.02)


def test_sign_flip_test_without_any_change() -> None:
    assert sign_flip_test(np.zeros(FEWEST)) == 1
    assert sign_flip_test(np.zeros(100)) == 1


def test_changes_of_a_sentence_are_one_observation() -> None:
    """The same edit by many annotators proves no more than once."""
    gains = np.repeat(np.random.default_rng(1).normal(0.2, 1, 30), 8)
    sentences = np.repeat(np.arange(30), 8)
    repeated = ScoreChange.of(gains, sentences)
    once = ScoreChange.of(gains[::8], np.arange(30))
    assert repeated.p_value == pytest.approx(once.p_value)
    assert repeated.error < once.error


def test_over_seeds_takes_means() -> None:
    found = over_seeds(
        [
            {"A": ScoreChange(4, 0.2, 0.3, 0.01), "B": ScoreChange(0, math.nan, math.nan)},
            {"A": ScoreChange(4, 0.4, 0.4, 0.05), "C": ScoreChange(1, 1.0, math.nan)},
        ]
    )
    assert list(found) == ["A", "C"]
    assert found["A"].n == 4
    assert found["A"].mean == pytest.approx(0.3)
    assert found["A"].error == pytest.approx(math.sqrt((0.09 + 0.16) / 2))
    assert found["A"].p_value == pytest.approx(0.03)
    assert found["C"].mean == 1.0
    assert math.isnan(found["C"].p_value)
    assert math.isnan(found["C"].error)


def test_no_steps_have_no_types() -> None:
    assert Steps.of([]).changes(np.array([1.0])) == {}
