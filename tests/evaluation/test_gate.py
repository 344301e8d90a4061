"""The gate: it lets through what is as good, and stops what is worse."""

from __future__ import annotations

import numpy as np
import pytest

from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.evaluation.gate import FailIf, Gate, note_unusual, run_gate
from geceval.evaluation.resampling import Resampling
from geceval.formats.findings import Findings
from synthetic_counts import Counts, Population, result

ALPHA = 0.05
QUICK = Resampling(199)


def swapped(first: Counts, second: Counts, rng: np.random.Generator) -> list[Counts]:
    """Swap sentences at random, so that both systems are exactly as good."""
    flags = rng.random(len(first)) < 0.5
    return [np.where(flags[:, None], a, b) for a, b in ((first, second), (second, first))]


def test_gate_fails_at_most_alpha_of_runs_without_a_difference() -> None:
    """2,000 seeded runs; the expected share is half of alpha, since only losses fail."""
    world = Population(seed=3)
    rng = np.random.default_rng(4)
    n_runs, n_failed = 2000, 0
    for _ in range(n_runs):
        rows = world.rows(60)
        old, new = swapped(world.first[rows], world.second[rows], rng)
        done = run_gate(
            [result("old", old), result("new", new)],
            baseline="old",
            alpha=ALPHA,
            resampling=Resampling(99, seed=int(rng.integers(2**31))),
        )
        n_failed += not done.passed
    assert 0.01 < n_failed / n_runs <= ALPHA


@pytest.mark.parametrize("fail_if", ["worse", "not-non-inferior"])
def test_gate_keeps_the_level_at_the_margin(fail_if: FailIf) -> None:
    """A system that is worse by exactly the margin is neither worse nor non-inferior."""
    world = Population(seed=5)
    margin = 0.03
    ahead = world.ahead_by(margin)
    n_runs, n_wrong = 500, 0
    for seed in range(n_runs):
        rows = world.rows(200)
        done = run_gate(
            [result("old", ahead[rows]), result("new", world.first[rows])],
            baseline="old",
            fail_if=fail_if,
            margin_points=100 * margin,
            alpha=ALPHA,
            resampling=Resampling(199, seed=seed),
        )
        n_wrong += done.passed == (fail_if == "not-non-inferior")
    assert n_wrong / n_runs <= ALPHA


def gate(difference: float, **options: object) -> Gate:
    """Compare systems of 400 sentences with a true difference."""
    world = Population(seed=6)
    rows = world.rows(400)
    ahead = world.ahead_by(abs(difference))[rows]
    old, new = (world.first[rows], ahead) if difference > 0 else (ahead, world.first[rows])
    results = [result("old", old), result("new", new)]
    return run_gate(results, baseline="old", resampling=QUICK, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("difference", "options", "passed"),
    [
        (-0.15, {}, False),
        (0.15, {}, True),
        (-0.001, {}, True),
        (-0.15, {"margin_points": 30}, True),
        (-0.15, {"margin_points": 1}, False),
        (-0.15, {"margin_points": 30, "fail_if": "not-non-inferior"}, True),
        (-0.15, {"margin_points": 1, "fail_if": "not-non-inferior"}, False),
        # Too few sentences to show anything within a tenth of a point.
        (-0.001, {"margin_points": 0.1, "fail_if": "not-non-inferior"}, False),
        (0.15, {"fail_if": "not-better"}, True),
        (-0.001, {"fail_if": "not-better"}, False),
        (-0.15, {"fail_if": "not-better"}, False),
    ],
)
def test_gate_rules(difference: float, options: dict[str, object], passed: bool) -> None:
    assert gate(difference, **options).passed == passed


def test_gate_equals_compare_without_a_margin() -> None:
    from geceval.evaluation.resampling import compare

    done = gate(-0.05)
    [check] = done.checks
    systems = {"old": check.baseline.statistics, "new": check.candidate.statistics}
    [row] = compare(check.baseline.metric, systems, resampling=QUICK)
    assert check.comparison == row


def test_gate_of_equal_outputs_is_non_inferior_at_any_margin() -> None:
    world = Population(seed=7)
    counts = world.first[:100]
    results = [result("old", counts), result("new", counts)]
    assert run_gate(results, baseline="old", resampling=QUICK).passed
    for rule, passed in (("not-non-inferior", True), ("not-better", False)):
        margin = 0.1 if passed else 0.0
        done = run_gate(
            results,
            baseline="old",
            fail_if=rule,  # type: ignore[arg-type]
            margin_points=margin,
            resampling=QUICK,
        )
        assert done.passed == passed


def test_gate_adjusts_for_the_number_of_systems() -> None:
    world = Population(seed=8)
    rows = world.rows(300)
    ahead = world.ahead_by(0.06)[rows]
    news = [result(f"new{n}", world.system(0.0, 0.5)[rows]) for n in range(6)]
    done = run_gate([result("old", ahead), *news], baseline="old", resampling=Resampling(999))
    for check in done.checks:
        assert check.comparison.adjusted_p_value >= check.comparison.p_value
        assert check.passed == (
            check.comparison.adjusted_p_value >= 0.05 or check.comparison.difference > 0
        )
    assert any(
        check.comparison.adjusted_p_value > check.comparison.p_value for check in done.checks
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fail_if": "not-non-inferior"}, "needs a margin above 0"),
        ({"fail_if": "not-better", "margin_points": 1.0}, "allows no loss"),
        ({"margin_points": -1.0}, "from 0 to 100"),
        ({"margin_points": 101.0}, "from 0 to 100"),
        ({"alpha": 0.0}, "above 0"),
        ({"fail_if": "bad"}, "one of worse"),
        ({"resampling": Resampling(12)}, "decides nothing; use 25"),
    ],
)
def test_gate_bad_options(options: dict[str, object], message: str) -> None:
    counts = Population(200).first
    results = [result("old", counts), result("new", counts)]
    with pytest.raises(OptionError, match=message):
        run_gate(results, baseline="old", **options)  # type: ignore[arg-type]


def test_gate_bad_systems() -> None:
    counts = Population(200).first
    with pytest.raises(UnknownNameError, match="did you mean 'old'"):
        run_gate([result("old", counts), result("new", counts)], baseline="odl")
    with pytest.raises(GecevalError, match="at least one other"):
        run_gate([result("old", counts)], baseline="old")
    with pytest.raises(GecevalError, match="two sentences"):
        run_gate(
            [result("old", counts[:1]), result("new", counts[:1])],
            baseline="old",
            margin_points=1.0,
        )


@pytest.mark.parametrize(
    ("margin", "n_sents", "codes"),
    [
        (0.5, 1000, []),
        (0.0, 5, []),
        (0.005, 1000, ["small-margin"]),
        (20, 1000, ["large-margin"]),
        (0.5, 20, ["few-sentences"]),
    ],
)
def test_gate_unusual_settings_are_noted(margin: float, n_sents: int, codes: list[str]) -> None:
    findings = Findings()
    note_unusual(findings, margin_points=margin, n_sents=n_sents)
    assert list(findings.counts) == codes
