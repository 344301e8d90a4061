"""Summaries of a gate: Markdown for people, JUnit XML for build servers, records for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from geceval.evaluation.gate import Gate, GateCheck
from geceval.presentation.table import Cell, Signed, Table, markdown_text
from geceval.visible import visible

_WORDS = {
    "worse": {"below": "worse", "above": "better", "unclear": "not significant"},
    "not-better": {"below": "not better", "above": "better", "unclear": "not shown"},
    "not-non-inferior": {"below": "inferior", "above": "non-inferior", "unclear": "not shown"},
}


def verdict_of(gate: Gate, check: GateCheck) -> str:
    """Return the outcome of a check in a word or two."""
    if gate.fail_if == "worse" and gate.margin_points and check.verdict == "above":
        return "within the margin"
    return _WORDS[gate.fail_if][check.verdict]


def gate_table(gate: Gate) -> Table:
    """Return the checks as a table."""
    low, high = (f"{100 * (1 - gate.alpha):g} % {end}" for end in ("low", "high"))
    rows: list[tuple[Cell, ...]] = []
    for check in gate.checks:
        row = check.comparison
        rows.append(
            (
                check.candidate.metric.title,
                check.candidate.system,
                check.baseline.score.value,
                check.candidate.score.value,
                *map(Signed, (row.difference, row.interval.low, row.interval.high)),
                row.adjusted_p_value,
                verdict_of(gate, check),
                "pass" if check.passed else "FAIL",
            )
        )
    header = ("metric", "system", "baseline", "score", "difference", low, high)
    title = f"Gate: {gate.rule}"
    return Table("gate", title, (*header, "p", "verdict", "result"), tuple(rows))


def gate_record(gate: Gate) -> dict[str, Any]:
    """Return settings and checks for JSON output."""
    return {
        "passed": gate.passed,
        "fail_if": gate.fail_if,
        "margin_points": gate.margin_points,
        "margin": gate.margin,
        "alpha": gate.alpha,
        "test": gate.resampling.test,
        "resamples": gate.resampling.n,
        "seed": gate.resampling.seed,
        "checks": [_check_record(gate, check) for check in gate.checks],
    }


def _check_record(gate: Gate, check: GateCheck) -> dict[str, Any]:
    row = check.comparison
    return {
        "metric": check.candidate.metric.name,
        "baseline": check.baseline.system,
        "system": check.candidate.system,
        "baseline_score": check.baseline.score.value,
        "score": check.candidate.score.value,
        "difference": row.difference,
        "interval": [row.interval.low, row.interval.high],
        "p": row.p_value,
        "p_adjusted": row.adjusted_p_value,
        "verdict": verdict_of(gate, check),
        "passed": check.passed,
        "signature": check.candidate.score.signature,
    }


def as_markdown(gate: Gate, warnings: Sequence[str] = ()) -> str:
    """Return a summary in GitHub-flavored Markdown."""
    mark = "✅ passed" if gate.passed else "❌ failed"
    notes = "".join(f"- ⚠ {markdown_text(warning)}\n" for warning in warnings)
    signatures = dict.fromkeys(check.candidate.score.signature for check in gate.checks)
    return (
        f"### geceval gate: {mark}\n\n"
        f"The gate {gate.rule} (two-sided α = {gate.alpha:g}, {gate.resampling.test}, "
        f"{gate.resampling.n:,} resamples).\n\n"
        f"{gate_table(gate).as_markdown()}\n"
        + (f"{notes}\n" if notes else "")
        + "".join(f"    {visible(signature)}\n" for signature in signatures)
    )


def as_junit(gate: Gate) -> str:
    """Return the checks as the test cases of a JUnit XML report."""
    n_failures = sum(not check.passed for check in gate.checks)
    counts = f'tests="{len(gate.checks)}" failures="{n_failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f'  <testsuite name="geceval gate" {counts} skipped="0">',
    ]
    for check in gate.checks:
        what = f"{check.candidate.system} against {check.baseline.system}"
        lines.append(
            f'    <testcase classname="geceval.gate.{_xml(check.candidate.metric.name)}" '
            f'name="{_xml(what)}">'
        )
        found = _xml(_sentence(gate, check))
        if not check.passed:
            message = _xml(f"{verdict_of(gate, check)}; the gate {gate.rule}")
            lines.append(f'      <failure type="gate" message="{message}">{found}</failure>')
        signature = _xml(check.candidate.score.signature)
        lines += [f"      <system-out>{found}\n{signature}</system-out>", "    </testcase>"]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _sentence(gate: Gate, check: GateCheck) -> str:
    row = check.comparison
    ends = f"[{row.interval.low:+.4f}, {row.interval.high:+.4f}]"
    return (
        f"{check.candidate.metric.title}: {check.baseline.score.value:.4f} -> "
        f"{check.candidate.score.value:.4f}, difference {row.difference:+.4f} {ends}, "
        f"p = {row.adjusted_p_value:.4f}: {verdict_of(gate, check)}"
    )


def _xml(text: str) -> str:
    # XML has no control characters, not even escaped.
    return escape(visible(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))
