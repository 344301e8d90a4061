"""Power: the detectable difference is detected as often as stated."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import made_up
from geceval.errors import GecevalError, OptionError
from geceval.evaluation.gate import run_gate
from geceval.evaluation.power import analyze_power, power_of
from geceval.evaluation.resampling import Resampling, compare
from geceval.metrics.registry import metric_class
from geceval.metrics.statistics import f_score
from synthetic_counts import METRIC, Counts, Population, result, statistics

Floats = NDArray[np.float64]

N_SENTS = 200
N_RUNS = 2000
N_RESAMPLES = 1000


def detectable(world: Population, resampling: Resampling) -> float:
    """Return the mean over test sets, each of which estimates the same number."""
    found = []
    for seed in range(20):
        rows = world.rows(N_SENTS)
        first, second = statistics(world.first[rows]), statistics(world.second[rows])
        how = Resampling(resampling.n, seed=seed, test=resampling.test)
        found.append(analyze_power(METRIC, first, second, resampling=how).detectable)
    return float(np.mean(found))


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_power_is_as_stated_at_the_detectable_difference(test: str) -> None:
    """Simulate the paired test on counts alone, many test sets at a time."""
    world = Population(seed=11)
    how = Resampling(1000, test=test)  # type: ignore[arg-type]
    ahead = world.ahead_by(detectable(world, how))
    weights = resampling_weights(test)
    n_found = 0
    for _ in range(N_RUNS):
        rows = world.rows(N_SENTS)
        n_found += rejects(world.first[rows], ahead[rows], weights, test)
    assert n_found / N_RUNS == pytest.approx(0.8, abs=0.03)


def resampling_weights(test: str) -> Floats:
    """Return which sentences are swapped, or how often each is in a resample."""
    rng = np.random.default_rng(12)
    shape = (N_RESAMPLES, N_SENTS)
    if test == "randomization":
        return rng.integers(0, 2, shape).astype(np.float64)
    return rng.multinomial(N_SENTS, np.full(N_SENTS, 1 / N_SENTS), N_RESAMPLES).astype(np.float64)


def rejects(first: Counts, second: Counts, weights: Floats, test: str) -> bool:
    """Test whether the second is better, by sums of counts; an oracle of the paired tests."""
    observed = _difference(first.sum(axis=0), second.sum(axis=0))
    if test == "randomization":
        moved = weights @ (second - first)
        samples = _difference(first.sum(axis=0) + moved, second.sum(axis=0) - moved)
    else:
        samples = _difference(weights @ first, weights @ second)
        samples = samples - samples.mean()
    extreme = np.abs(samples) >= abs(observed) - 1e-12
    return bool(observed > 0 and (extreme.sum() + 1) / (N_RESAMPLES + 1) < 0.05)


def _difference(first: Counts | Floats, second: Counts | Floats) -> Floats:
    one, other = (f_score(*totals.T, beta=0.5)[2] for totals in (first, second))
    return other - one


def test_power_of_the_gate_is_that_of_the_test() -> None:
    """The gate stops a loss of the detectable size four times out of five."""
    world = Population(seed=13)
    ahead = world.ahead_by(detectable(world, Resampling(500)))
    n_runs = 400
    stopped = 0
    for seed in range(n_runs):
        rows = world.rows(N_SENTS)
        results = [result("old", ahead[rows]), result("new", world.first[rows])]
        how = Resampling(199, seed=seed)
        stopped += not run_gate(results, baseline="old", resampling=how).passed
    assert stopped / n_runs == pytest.approx(0.8, abs=0.06)


def test_power_of_a_mean_is_that_of_the_textbook() -> None:
    """With one edit in each sentence and beta 0, the score is a mean of zeros and ones."""
    rng = np.random.default_rng(14)
    ones = np.ones(1000, dtype=np.int64)
    first, second = (
        np.stack((rng.integers(0, 2, 1000), ones, ones), axis=1).astype(np.int64) for _ in range(2)
    )
    metric = metric_class("m2")(beta=0)
    found = analyze_power(
        metric, statistics(first), statistics(second), resampling=Resampling(4000)
    )
    gaps = second[:, 0] - first[:, 0]
    error = gaps.std() / np.sqrt(1000)
    assert found.difference == pytest.approx(gaps.mean())
    assert found.standard_error == pytest.approx(error, rel=0.04)
    assert found.null_error == pytest.approx(np.sqrt((gaps**2).mean() / 1000), rel=0.04)
    assert found.detectable == pytest.approx((1.95996 + 0.84162) * error, rel=0.04)
    at_seen = 1.959964 * found.null_error + 0.841621 * found.standard_error
    assert found.needed == pytest.approx(1000 * (at_seen / gaps.mean()) ** 2, rel=1e-4)


def test_power_needed_sentences_detect_the_difference() -> None:
    """With as many sentences as needed, the difference seen is the detectable one."""
    world = Population(seed=15)
    ahead = world.ahead_by(0.06)
    rows = world.rows(300)
    how = Resampling(400)
    first, second = statistics(world.first[rows]), statistics(ahead[rows])
    needed = analyze_power(METRIC, first, second, resampling=how).needed
    assert needed is not None
    rows = np.resize(rows, needed)
    first, second = statistics(world.first[rows]), statistics(ahead[rows])
    again = analyze_power(METRIC, first, second, resampling=how)
    assert again.detectable == pytest.approx(abs(again.difference), rel=0.1)


def test_power_grows_with_level_and_falls_with_power() -> None:
    world = Population(500, seed=16)
    first, second = statistics(world.first), statistics(world.second)
    default = analyze_power(METRIC, first, second).detectable
    assert analyze_power(METRIC, first, second, alpha=0.01).detectable > default
    assert analyze_power(METRIC, first, second, power=0.9).detectable > default
    assert analyze_power(METRIC, first, second).detectable == default


@pytest.mark.parametrize("name", ["gleu", "sari", "imeasure", "wdiff", "bleu", "ld-reference"])
def test_power_of_other_metrics(name: str) -> None:
    gold = made_up.corpus(40)
    metric = metric_class(name)()
    first, second = (metric.statistics(gold, one) for one in made_up.systems(gold, "a", "b"))
    found = analyze_power(metric, first, second, resampling=Resampling(100))
    assert found.n_sents == 40
    assert 0 < found.standard_error < found.detectable < 1


def test_power_bad_input() -> None:
    world = Population(100)
    first, second = statistics(world.first), statistics(world.second)
    with pytest.raises(GecevalError, match="same in all resamples; compare systems with different"):
        analyze_power(METRIC, first, first)
    with pytest.raises(GecevalError, match="from 1 sentences"):
        analyze_power(METRIC, statistics(world.first[:1]), statistics(world.second[:1]))
    for options in ({"alpha": 1.0}, {"power": 0.0}, {"power": 80}):
        with pytest.raises(OptionError):
            analyze_power(METRIC, first, second, **options)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_power_of_a_comparison_is_that_of_its_systems(test: str) -> None:
    world = Population(seed=5)
    rows = world.rows(N_SENTS)
    systems = {"a": statistics(world.first[rows]), "b": statistics(world.second[rows])}
    how = Resampling(500, test=test)  # type: ignore[arg-type]
    [row] = compare(METRIC, systems, resampling=how)
    expected = analyze_power(METRIC, *systems.values(), resampling=how)
    assert power_of(row, N_SENTS, test=how.test) == expected


def test_power_of_equal_systems_or_few_sentences_is_unknown() -> None:
    world = Population(seed=5)
    rows = world.rows(N_SENTS)
    systems = {"a": statistics(world.first[rows]), "b": statistics(world.second[rows])}
    [row] = compare(METRIC, systems, resampling=Resampling(50))
    assert power_of(row, 3, test="randomization") is None
    [row] = compare(METRIC, {**systems, "b": systems["a"]}, resampling=Resampling(50))
    assert power_of(row, N_SENTS, test="randomization") is None
