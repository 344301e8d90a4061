"""Ties: SEEDA's τ and tie calibration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.metaeval.human.agreement import JudgedPairs, calibrate_ties, seeda_tau
from human_examples import ranked

PAIRS = st.lists(
    st.tuples(st.sampled_from([-0.5, -0.2, -0.1, 0.0, 0.1, 0.2, 0.7]), st.sampled_from([-1, 0, 1])),
    min_size=1,
    max_size=30,
)


def plain_accuracy(pairs: list[tuple[float, int]], threshold: float) -> float:
    """Count the pairs that are ordered, or tied, as the judges say."""
    right = 0
    for difference, outcome in pairs:
        ours = 0 if abs(difference) <= threshold else 1 if difference > 0 else -1
        right += ours == outcome
    return right / len(pairs)


@given(PAIRS)
def test_calibration_finds_the_best_threshold(pairs: list[tuple[float, int]]) -> None:
    found = calibrate_ties(np.array([d for d, _ in pairs]), np.array([o for _, o in pairs]))
    candidates = sorted({0.0, *(abs(difference) for difference, _ in pairs)})
    accuracies = [plain_accuracy(pairs, one) for one in candidates]
    assert found.accuracy == pytest.approx(max(accuracies))
    assert found.threshold == candidates[accuracies.index(max(accuracies))]


def test_calibration_without_pairs_is_undefined() -> None:
    found = calibrate_ties(np.array([]), np.array([], dtype=int))
    assert math.isnan(found.accuracy)
    assert math.isnan(seeda_tau(np.array([]), np.array([], dtype=int)))


def test_concordance_of_a_metric_that_hardly_decides() -> None:
    """It is right the one time that it decides, which no measure but the plain accuracy likes."""
    judgments = ranked("A>B>C", "A>B>C", "A>C>B", "B>C>A")
    rows = {number: number for number in range(4)}
    constant = {name: np.zeros(4) for name in "ABC"}
    shy = {**constant, "A": np.array([1.0, 0.0, 0.0, 0.0])}
    busy = {"A": np.array([3.0, 3, 3, 3]), "B": np.array([2.0, 2, 2, 2]), "C": np.ones(4)}
    found = {
        name: JudgedPairs(judgments, rows, "ABC").concordance(scores)
        for name, scores in (("shy", shy), ("busy", busy), ("constant", constant))
    }
    assert found["shy"].accuracy == 1.0 > found["busy"].accuracy
    assert found["shy"].tied_share == 10 / 12
    assert found["shy"].seeda_tau < found["busy"].seeda_tau
    assert found["shy"].calibrated.accuracy < found["busy"].calibrated.accuracy
    assert found["constant"].seeda_tau == 0.0
    assert found["constant"].calibrated.accuracy == 0.0
    assert math.isnan(found["constant"].accuracy)
