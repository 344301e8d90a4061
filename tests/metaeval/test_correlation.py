"""Correlations, their intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import UnknownNameError
from geceval.evaluation.resampling import Resampling
from geceval.metaeval import correlation
from geceval.metaeval.correlation import (
    COEFFICIENTS,
    Correlation,
    coefficient,
    interval,
    kendall,
    pearson,
    spearman,
    williams,
)

numbers = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=12
).filter(lambda rows: all(len({row[i] for row in rows}) > 1 for i in (0, 1)))


def plain_pearson(x: Sequence[float], y: Sequence[float]) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    below = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return above / math.sqrt(below)


def plain_ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def plain_kendall(x: Sequence[float], y: Sequence[float]) -> float:
    def sign(value: float) -> int:
        return (value > 0) - (value < 0)

    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    above = sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs)
    below = [sum(abs(sign(z[i] - z[j])) for i, j in pairs) for z in (x, y)]
    return above / math.sqrt(below[0] * below[1])


@given(numbers)
def test_correlations_equal_the_plain_formulas(rows: list[tuple[int, int]]) -> None:
    x, y = ([float(row[i]) for row in rows] for i in (0, 1))
    expected = {
        "pearson": plain_pearson(x, y),
        "spearman": plain_pearson(plain_ranks(x), plain_ranks(y)),
        "kendall": plain_kendall(x, y),
    }
    for name, value in expected.items():
        found = COEFFICIENTS[name](x, y)
        assert found.value == pytest.approx(value, abs=1e-9)
        assert found.n == len(x)
        assert correlation.correlate_rows(name, np.array([x]), np.array([y])) == pytest.approx(
            [value], abs=1e-9
        )


def test_correlation_p_values() -> None:
    """The t-test for r; 2 of 24 permutations of four are in perfect order, one of them reversed."""
    x, y = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 5.0]
    r = plain_pearson(x, y)
    t = r * math.sqrt(2 / (1 - r * r))
    # The distribution of t with two degrees of freedom has a closed form.
    assert pearson(x, y).p_value == pytest.approx(1 - t / math.sqrt(2 + t * t))
    assert kendall(x, x).p_value == pytest.approx(2 / 24)


@pytest.mark.parametrize("function", [pearson, spearman, kendall])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0], [2.0]),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]),
        ([1.0, math.nan, 2.0], [1.0, 2.0, 3.0]),
    ],
)
def test_correlation_of_what_does_not_vary(
    function: object, x: list[float], y: list[float]
) -> None:
    assert callable(function)
    found = function(x, y)
    assert math.isnan(found.value)
    assert math.isnan(found.p_value)
    assert found.n == len(x)


def test_correlation_of_two_points_proves_nothing() -> None:
    assert pearson([1, 2], [4, 3]) == Correlation(-1.0, 1.0, 2)
    assert spearman([1, 2], [3, 9]) == Correlation(1.0, 1.0, 2)


def test_correlation_needs_pairs() -> None:
    with pytest.raises(ValueError, match="two lists of the same length"):
        pearson([1, 2], [1, 2, 3])
    with pytest.raises(UnknownNameError, match="did you mean 'pearson'"):
        coefficient("pearsn")


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_interval_holds_the_middle_of_the_draws(name: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    y = x + rng.normal(size=40)
    found = interval(name, x, y, resampling=Resampling(500))
    assert found.low < COEFFICIENTS[name](x, y).value < found.high
    assert found.high - found.low < 0.6
    assert interval(name, x, y, resampling=Resampling(500)) == found
    assert interval(name, x, y, resampling=Resampling(500, level=0.5)).low > found.low
    perfect = interval(name, x, 2 * x, resampling=Resampling(50))
    assert (perfect.low, perfect.high) == pytest.approx((1.0, 1.0))


def test_interval_of_nothing() -> None:
    for x, y in (([], []), ([1.0, 1.0], [1.0, 2.0])):
        found = interval("pearson", x, y)
        assert math.isnan(found.low)
        assert math.isnan(found.high)


def test_williams_by_the_formula() -> None:
    """The t of Steiger (1980, equation 7), written down in another way."""
    r12, r13, r23, n = 0.6, 0.3, 0.5, 20
    matrix = np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    below = 2 * (n - 1) / (n - 3) * np.linalg.det(matrix) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    assert williams(r12, r13, r23, n).t == pytest.approx(t)
    assert williams(r13, r12, r23, n).t == pytest.approx(-t)
    assert williams(r13, r12, r23, n).p_value == williams(r12, r13, r23, n).p_value


def test_williams_is_right_as_often_as_it_says() -> None:
    """Two metrics that are equally good differ at the level of 5 % about once in twenty times."""
    rng = np.random.default_rng(11)
    n, trials = 15, 2000
    found = 0
    for _ in range(trials):
        human = rng.normal(size=n)
        first, second = human + rng.normal(size=n), human + rng.normal(size=n)
        r = np.corrcoef([human, first, second])
        found += williams(r[0, 1], r[0, 2], r[1, 2], n).p_value < 0.05
    assert 0.03 < found / trials < 0.07


def test_williams_without_room_for_chance() -> None:
    for test in (williams(0.5, 0.4, 0.9, 3), williams(0.5, 0.5, 1.0, 10)):
        assert math.isnan(test.t)
        assert math.isnan(test.p_value)


@given(numbers, st.sampled_from(tuple(COEFFICIENTS)), st.sampled_from((1, 2, 50)))
def test_intervals_hold_their_correlation(
    rows: list[tuple[int, int]], name: str, n_resamples: int
) -> None:
    x, y = ([float(row[i]) for row in rows] for i in (0, 1))
    found = interval(name, x, y, resampling=Resampling(n_resamples, level=0.1))
    value = coefficient(name)(x, y).value
    if not math.isnan(found.low):
        assert -1 <= found.low <= value <= found.high <= 1


def test_interval_over_two_levels_is_wider() -> None:
    """What the numbers were computed from is resampled, too."""
    rng = np.random.default_rng(8)
    x = np.arange(12.0)
    y = x + rng.normal(0, 1, 12)
    n = 500
    noisy = x + rng.normal(0, 3, (n, 12)), y + rng.normal(0, 3, (n, 12))
    settings = Resampling(n)
    over_systems = interval("pearson", x, y, resampling=settings)
    exact = (np.tile(x, (n, 1)), np.tile(y, (n, 1)))
    same = interval("pearson", x, y, samples=exact, resampling=settings)
    both = interval("pearson", x, y, samples=noisy, resampling=settings)
    assert same.low == pytest.approx(over_systems.low, abs=0.05)
    assert both.low < over_systems.low - 0.1
    holes = noisy[0].copy()
    holes[:400, 3] = np.nan
    assert math.isfinite(
        interval("pearson", x, y, samples=(holes, noisy[1]), resampling=settings).low
    )
    with pytest.raises(ValueError, match="samples of the shape"):
        interval("pearson", x, y, samples=(noisy[0][:5], noisy[1][:5]), resampling=settings)
