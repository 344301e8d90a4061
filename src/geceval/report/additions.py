"""Add systems to a results file, without computing again what it already has.

A results file has the outputs of its systems and the hashes of its inputs, but no statistics. The
systems are counted again from their stored outputs, which is cheap; paired tests among them and
intervals of parts, which are not, are taken from the file. They are the same as in a report from
scratch as long as data, metrics and settings are, which is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from geceval.errors import GecevalError
from geceval.evaluation.evaluate import Result
from geceval.evaluation.resampling import Comparison, Resampling
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Interval
from geceval.model import Hypothesis
from geceval.report.input_files import File
from geceval.report.results import ComparisonRecord, InputRecord, Pair, Results, WarningRecord
from geceval.report.results_loader import stored_hypothesis

_ROLES = ("gold", "source", "reference")


@dataclass(frozen=True, slots=True)
class StoredResults:
    """A results file to which systems are added.

    Parameters
    ----------
    path
        Its path, for messages.
    results
        Its content.
    """

    path: str
    results: Results


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of some systems by one metric.

    Parameters
    ----------
    comparisons
        Comparisons of pairs, without standard errors.
    detectable
        The differences that these tests can detect, as far as they are known.
    part_intervals
        Intervals of precision and recall, by system.
    """

    comparisons: Mapping[tuple[str, str], Comparison] = field(default_factory=dict)
    detectable: Mapping[tuple[str, str], float] = field(default_factory=dict)
    part_intervals: Mapping[str, Mapping[str, Pair]] = field(default_factory=dict)


def known_results(
    stored_results: StoredResults | None, systems: Mapping[str, Result], tests: Resampling
) -> Known:
    """Return what a results file has on the systems of one metric, after checking that it fits.

    Parameters
    ----------
    stored_results
        The results file, if any.
    systems
        Results of one metric by system, old and new, that were computed now.
    tests
        Settings of the tests of all pairs.

    Raises
    ------
    GecevalError
        If an old system has another score or another signature now.
    """
    metric = next(iter(systems.values())).metric
    # New systems change the scores of all others by metrics that pool them.
    if stored_results is None or metric.pools_systems:
        return Known()
    path, results = stored_results.path, stored_results.results
    stored = results["scores"][metric.name]
    [record] = [one for one in results["metrics"] if one["name"] == metric.name]
    for name in results["systems"]:
        now = systems[name].score
        if name == results["systems"][0] and now.signature != record["signature"]:
            raise GecevalError(
                f"{path}: {metric.name} was computed with other settings or data "
                f"({record['signature']} instead of {now.signature}): give the same options, or "
                "compute the report anew"
            )
        if stored[name]["score"] is not None and stored[name]["score"] != now.value:
            raise GecevalError(
                f"{path}: the score of {name!r} by {metric.name} is {stored[name]['score']}, but "
                f"its stored output has {now.value}: compute the report anew"
            )
    parts = {name: one["part_intervals"] for name, one in stored.items() if "part_intervals" in one}
    if results["settings"]["test_resamples"] != tests.n:
        # More pairs need more resamples.
        return Known(part_intervals=parts)
    rows = {(row["first"], row["second"]): row for row in results["comparisons"][metric.name]}
    comparisons = {pair: _comparison(row, tests.level) for pair, row in rows.items()}
    return Known(
        {pair: one for pair, one in comparisons.items() if one is not None},
        {pair: row["detectable"] for pair, row in rows.items() if "detectable" in row},
        parts,
    )


def _comparison(row: ComparisonRecord, level: float) -> Comparison | None:
    if row["difference"] is None or row["interval"] is None:
        return None
    ends = Interval(*row["interval"], level)
    return Comparison(
        row["first"], row["second"], float(row["difference"]), ends, row["p"], row["p_adjusted"]
    )


def check_metrics(known: StoredResults, metrics: Sequence[Metric]) -> None:
    """Raise an error if the metrics are not those of the results file, in the same order."""
    old, new = [one["name"] for one in known.results["metrics"]], [one.name for one in metrics]
    if old != new:
        raise GecevalError(
            f"{known.path}: was computed with {', '.join(old)}, not with {', '.join(new)}: give "
            "the same metrics, or none"
        )


def stored_systems(known: StoredResults, new: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the outputs of the systems of a results file; new systems need other names."""
    results = known.results
    for hypothesis in new:
        if hypothesis.name in results["systems"]:
            raise GecevalError(
                f"{known.path}: has a system {hypothesis.name!r} already: give the new one another "
                "name, NAME=FILE"
            )
    return [stored_hypothesis(results, name) for name in results["systems"]]


def gold_files(known: StoredResults) -> dict[str, list[str]]:
    """Find the gold standard, or source and references, beside a results file, by role."""
    path = known.path
    found: dict[str, list[str]] = {}
    for record in known.results["inputs"]:
        if record["role"] in _ROLES:
            # Names from a results file never lead to another folder.
            file = Path(path).parent / Path(record["file"]).name
            if not file.is_file():
                raise GecevalError(
                    f"{path}: was computed with {record['file']}, which is not beside it: give "
                    "--gold, or --src and --ref"
                )
            found.setdefault(record["role"], []).append(str(file))
    if not found:
        raise GecevalError(f"{path}: names no gold standard: give --gold, or --src and --ref")
    return found


def check_gold(known: StoredResults, files: Sequence[File]) -> None:
    """Raise an error if the gold standard is not the one of the results file."""
    path = known.path
    stored = [one for one in known.results["inputs"] if one["role"] in _ROLES]
    given = [one for one in files if one.role in _ROLES]
    if [one["role"] for one in stored] != [one.role for one in given]:
        raise GecevalError(
            f"{path}: was computed with {', '.join(one['role'] for one in stored)}, but "
            f"{', '.join(one.role for one in given)} is given"
        )
    for record, file in zip(stored, given, strict=True):
        if record["sha256"] != file.sha256:
            raise GecevalError(
                f"{file.path}: is not the {record['role']} that {path} was computed with: its "
                f"SHA-256 is {file.sha256}, that of {record['file']} was {record['sha256']}; "
                "compute the report anew"
            )


def with_stored_inputs(
    records: list[InputRecord], known: StoredResults | None
) -> list[InputRecord]:
    """Add the system files of a results file to the records of files, before the new systems."""
    if known is None:
        return records
    gold = [one for one in records if one["role"] in _ROLES]
    return [
        *gold,
        *_system_files(known.results),
        *(one for one in records if one["role"] not in _ROLES),
    ]


def stored_warnings(known: StoredResults | None) -> list[WarningRecord]:
    """Return the findings about the system files of a results file, if any."""
    if known is None:
        return []
    files = {one["file"] for one in _system_files(known.results)}
    return [one for one in known.results["warnings"] if one["file"] in files]


def _system_files(results: Results) -> list[InputRecord]:
    return [one for one in results["inputs"] if one["role"] == "system"]
