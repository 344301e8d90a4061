"""Decide whether a system may replace a baseline, for continuous integration.

All decisions are two-sided tests of the paired difference at level α. A new system that is as good
as the baseline, or better, is called significantly worse with a probability of at most α / 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

from geceval.errors import GecevalError, OptionError, UnknownNameError
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import Result
from geceval.evaluation.resampling import (
    DEFAULT_RESAMPLING,
    Comparison,
    Resampling,
    Test,
    compare,
    enough_resamples,
    holm,
)
from geceval.formats.findings import Findings
from geceval.metrics.options import Range, checked

FailIf: TypeAlias = Literal["worse", "not-better", "not-non-inferior"]
"""When the gate fails."""

Alpha: TypeAlias = Annotated[float, Range(above=0, below=1)]
"""A significance level."""

Points: TypeAlias = Annotated[float, Range(min=0, max=100)]
"""A difference in points: 100 points are 1 in the score."""

Verdict: TypeAlias = Literal["below", "above", "unclear"]
"""Whether a difference is significantly below or above the null hypothesis, or neither."""

DEFAULT_ALPHA = 0.05

_MIN_SENTENCES = 30
"""Number of sentences below which bootstrap tests are unreliable."""

_USUAL_POINTS = (0.05, 10)
"""The range of usual margins."""


@dataclass(frozen=True, slots=True)
class GateCheck:
    """The comparison of one system with the baseline by one metric.

    Parameters
    ----------
    baseline, candidate
        Results of the baseline and of the new system.
    comparison
        Difference, interval and p-value; the p-value is adjusted if the rule needs it.
    verdict
        Whether the difference is significantly below or above minus the margin.
    passed
        Whether the check passed.
    """

    baseline: Result
    candidate: Result
    comparison: Comparison
    verdict: Verdict
    passed: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks of a gate, and its settings.

    Parameters
    ----------
    checks
        One check for each metric and system.
    fail_if, margin_points, alpha
        The rule, the margin in points of 100 and the significance level.
    resampling
        Settings of the tests as they were made.
    """

    checks: tuple[GateCheck, ...]
    fail_if: FailIf
    margin_points: float
    alpha: float
    resampling: Resampling

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        return all(check.passed for check in self.checks)

    @property
    def margin(self) -> float:
        """The margin in units of the score."""
        return self.margin_points / 100

    @property
    def rule(self) -> str:
        """Description of when the gate fails.

        Examples
        --------
        >>> Gate((), "worse", 0.5, 0.05, Resampling()).rule
        'fails if a score is significantly more than 0.5 points below the baseline'
        """
        points = f"{self.margin_points:g} points"
        if self.fail_if == "worse":
            by = f"more than {points} " if self.margin_points else ""
            return f"fails if a score is significantly {by}below the baseline"
        if self.fail_if == "not-better":
            return "fails unless every score is significantly above the baseline"
        return f"fails unless every score is shown to be less than {points} below the baseline"


@checked
def run_gate(
    results: Sequence[Result],
    *,
    baseline: str,
    fail_if: FailIf = "worse",
    margin_points: Points = 0.0,
    alpha: Alpha = DEFAULT_ALPHA,
    resampling: Resampling = DEFAULT_RESAMPLING,
    progress: Progress = silent,
) -> Gate:
    r"""Compare systems with a baseline, and decide whether they pass.

    With the difference :math:`d`, score minus that of the baseline, and the margin :math:`m`:

    - ``"worse"`` fails if :math:`d < -m` is significant for any metric. P-values are adjusted by
      Holm's method for the number of metrics and systems, so that the gate as a whole keeps
      the level.
    - ``"not-non-inferior"`` passes if :math:`d > -m` is significant for every metric.
    - ``"not-better"`` passes if :math:`d > 0` is significant for every metric.

    The last two must hold for every metric and need no adjustment: all tests err at once less
    often than one. Without a margin, the test is that of `resampling`; with one, it is the paired
    bootstrap, because approximate randomization can only test for equality.

    Parameters
    ----------
    results
        Results of all systems by all metrics, from `geceval.evaluation.evaluate.evaluate`.
    baseline
        Name of the baseline.
    fail_if
        The rule.
    margin_points
        The loss that does not matter, in points of 100: 0.5 is 0.005 in the score.
    alpha
        Two-sided significance level.
    resampling
        Number of resamples, seed and test; the confidence level is 1 - `alpha`.
    progress
        Shows how many metrics are finished.

    References
    ----------
    Berger (1982), Multiparameter Hypothesis Testing and Acceptance Sampling (the
    intersection-union test). International Conference on Harmonisation (1998), Statistical
    Principles for Clinical Trials (E9), section 3.3.2 (non-inferiority).
    """
    _check_rule(fail_if, margin_points)
    by_metric: dict[str, dict[str, Result]] = {}
    for result in results:
        by_metric.setdefault(result.metric.name, {})[result.system] = result
    systems = list(next(iter(by_metric.values()), {}))
    if baseline not in systems:
        raise UnknownNameError("system", baseline, systems)
    if len(systems) < 2:
        raise GecevalError("a gate needs a baseline and at least one other system")
    if margin_points and len(results[0].statistics) < 2:
        raise GecevalError("a test with a margin needs at least two sentences")
    n_adjusted = n_tests(fail_if, len(systems) - 1, len(by_metric))
    if n_adjusted / (resampling.n + 1) >= alpha:
        raise OptionError(
            f"no difference can be significant with {resampling.n:,} resamples, so that the gate "
            f"decides nothing; use {enough_resamples(n_adjusted, 1 - alpha):,}"
        )
    test: Test = "bootstrap" if margin_points else resampling.test
    resampling = replace(resampling, level=1 - alpha, test=test)
    null = -margin_points / 100
    found = [
        (own[baseline], own[row.second], row)
        for own in progress(list(by_metric.values()), "comparing with the baseline")
        for row in compare(
            own[baseline].metric,
            {name: result.statistics for name, result in own.items()},
            baseline=baseline,
            null=null,
            resampling=resampling,
        )
    ]
    p_values = [row.p_value for *_, row in found]
    adjusted = holm(p_values) if fail_if == "worse" else p_values
    checks = tuple(
        _check(before, after, replace(row, adjusted_p_value=p_value), null, fail_if, alpha)
        for (before, after, row), p_value in zip(found, adjusted, strict=True)
    )
    return Gate(checks, fail_if, margin_points, alpha, resampling)


def n_tests(fail_if: FailIf, n_systems: int, n_metrics: int) -> int:
    """Return the number of tests that p-values are adjusted for."""
    return n_systems * n_metrics if fail_if == "worse" else 1


def _check_rule(fail_if: FailIf, margin_points: float) -> None:
    if fail_if == "not-non-inferior" and not margin_points:
        raise OptionError(
            "non-inferiority needs a margin above 0: the loss that does not matter, in points of "
            "100 (0.5 is half a point, 0.005 in the score)"
        )
    if fail_if == "not-better" and margin_points:
        raise OptionError("a margin is a loss that does not matter, and not-better allows no loss")


def _check(
    baseline: Result,
    candidate: Result,
    row: Comparison,
    null: float,
    fail_if: FailIf,
    alpha: float,
) -> GateCheck:
    verdict: Verdict = "unclear"
    if row.adjusted_p_value < alpha:
        verdict = "below" if row.difference < null else "above"
    passed = verdict != "below" if fail_if == "worse" else verdict == "above"
    return GateCheck(baseline, candidate, row, verdict, passed)


def note_unusual(findings: Findings, *, margin_points: float, n_sents: int) -> None:
    """Warn of a margin that was probably meant in units of the score, and of too few sentences.

    Examples
    --------
    >>> findings = Findings()
    >>> note_unusual(findings, margin_points=0.005, n_sents=1000)
    >>> findings.summary()[0]
    'a margin of 0.005 points is only 0.00005 in the score; for 0.005 in the score give 0.5'
    """
    least, most = _USUAL_POINTS
    if 0 < margin_points < least:
        in_score = f"{margin_points / 100:.12f}".rstrip("0")
        findings.add(
            "small-margin",
            f"a margin of {margin_points:g} points is only {in_score} in the score; for "
            f"{margin_points:g} in the score give {100 * margin_points:g}",
        )
    if margin_points > most:
        findings.add(
            "large-margin",
            f"a margin of {margin_points:g} points is {margin_points / 100:g} in the score, more "
            "than most systems differ",
        )
    if margin_points and n_sents < _MIN_SENTENCES:
        findings.add(
            "few-sentences",
            f"a bootstrap test of {n_sents} sentences is unreliable; have at least "
            f"{_MIN_SENTENCES}",
        )
