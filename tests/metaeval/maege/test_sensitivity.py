"""Changes of scores by type."""

from __future__ import annotations

import math

import numpy as np
import pytest

from geceval.metaeval.maege.sensitivity import ScoreChange, Steps, over_seeds


def test_changes_by_type() -> None:
    steps = Steps.of([(0, 1, "B"), (1, 2, "A"), (0, 3, "B"), (2, 3, "C")])
    assert steps.names == ("A", "B", "C")
    changes = steps.changes(np.array([0.0, 1.0, 1.5, np.nan]))
    assert changes["A"].n == 1
    assert changes["A"].mean == 0.5
    assert math.isnan(changes["A"].error)
    assert not changes["A"].is_significant
    assert changes["B"].n == 1
    assert changes["C"].n == 0
    assert math.isnan(changes["C"].mean)


def test_change_has_the_standard_error() -> None:
    gains = np.array([0.1, -0.3, 0.2, 0.4])
    change = ScoreChange.of(gains)
    deviations = gains - gains.mean()
    expected = math.sqrt((deviations**2).sum() / 3) / math.sqrt(4)
    assert change.n == 4
    assert change.mean == pytest.approx(0.1)
    assert change.error == pytest.approx(expected)
    assert not change.is_significant


@pytest.mark.parametrize(
    ("mean", "error", "certain"),
    [
        (1.0, 0.0, True),
        (0.0, 0.0, False),
        (-2.0, 1.0, True),
        (1.9, 1.0, False),
        (1, math.nan, False),
    ],
)
def test_sign_is_significant(mean: float, error: float, certain: bool) -> None:
    assert ScoreChange(9, mean, error).is_significant is certain


def test_over_seeds_takes_means() -> None:
    found = over_seeds(
        [
            {"A": ScoreChange(4, 0.2, 0.3), "B": ScoreChange(0, math.nan, math.nan)},
            {"A": ScoreChange(4, 0.4, 0.4), "C": ScoreChange(1, 1.0, math.nan)},
        ]
    )
    assert list(found) == ["A", "C"]
    assert found["A"].n == 4
    assert found["A"].mean == pytest.approx(0.3)
    assert found["A"].error == pytest.approx(math.sqrt((0.09 + 0.16) / 2))
    assert found["C"].mean == 1.0
    assert math.isnan(found["C"].error)


def test_no_steps_have_no_types() -> None:
    assert Steps.of([]).changes(np.array([1.0])) == {}
