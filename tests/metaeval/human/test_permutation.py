"""PERM-BOTH."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from geceval.evaluation.resampling import Resampling
from geceval.metaeval.correlation import pearson
from geceval.metaeval.human.permutation import permutation_tests


def test_permutation_test_is_that_of_all_swaps() -> None:
    """With three systems and three sentences, all 512 swaps can be made."""
    rng = np.random.default_rng(5)
    human = [1.0, 2.0, 4.0]
    first = np.array(human)[:, None] + rng.normal(0, 0.3, (3, 3))
    second = rng.normal(0, 1, (3, 3))
    one, other = ((table - table.mean()) / table.std() for table in (first, second))
    observed = pearson(one.mean(axis=1), human).value - pearson(other.mean(axis=1), human).value
    extreme = 0
    for swaps in product((False, True), repeat=9):
        swapped = np.reshape(swaps, (3, 3))
        x = np.where(swapped, other, one).mean(axis=1)
        y = np.where(swapped, one, other).mean(axis=1)
        difference = pearson(x, human).value - pearson(y, human).value
        extreme += abs(difference) >= abs(observed) - 1e-9
    found = permutation_tests([first, second], human, resampling=Resampling(20_000))[0, 1]
    assert found.difference == pytest.approx(observed)
    assert found.p_value == pytest.approx(extreme / 512, abs=0.01)


def test_permutation_tests_of_several_metrics() -> None:
    rng = np.random.default_rng(6)
    human = list(range(8))
    good = np.arange(8.0)[:, None] + rng.normal(0, 2, (8, 50))
    bad = rng.normal(0, 2, (8, 50))
    found = permutation_tests([good, 100 * good + 7, bad], human, resampling=Resampling(500))
    assert set(found) == {(0, 1), (0, 2), (1, 2)}
    # A metric in another unit is the same metric.
    assert found[0, 1].difference == pytest.approx(0, abs=1e-12)
    assert found[0, 1].p_value == 1.0
    assert found[0, 2].p_value == pytest.approx(found[1, 2].p_value)
    assert found[0, 2].p_value < 0.05


def test_permutation_tests_ignore_undefined_sentences() -> None:
    rng = np.random.default_rng(7)
    human = [0.0, 1.0, 3.0, 4.0]
    first, second = rng.random((2, 4, 10))
    holes = first.copy()
    holes[2, 9] = np.nan
    found = permutation_tests([holes, second], human, resampling=Resampling(200))[0, 1]
    assert math.isfinite(found.p_value)
    nothing = np.full((4, 10), np.nan)
    constant = np.ones((4, 10))
    for bad in (nothing, constant):
        assert math.isnan(permutation_tests([bad, second], human)[0, 1].p_value)
    assert permutation_tests([first], human) == {}
