"""Numbers of a results file that no computation gives, each alone or beside others.

Every one of them would be shown, or put systems in an order, as if it had been computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain

from geceval.evaluation.ranking import ranks
from geceval.formats.findings import SEVERITIES
from geceval.report.results import Number, Pair, Results

_ROUNDING = 1e-9


def implausible_numbers(results: Results) -> Iterator[str]:
    """Yield numbers of a document that no computation gives.

    Parameters
    ----------
    results
        A document whose names and sizes are consistent.
    """
    yield from _of_scores(results)
    yield from _of_tests(results)
    yield from _of_types(results)
    yield from _of_inputs(results)
    yield from _of_sentences(results)


def _of_scores(results: Results) -> Iterator[str]:
    for metric, records in results["scores"].items():
        where = f"scores.{metric}"
        values = {
            name: math.nan if one["score"] is None else float(one["score"])
            for name, one in records.items()
        }
        if any(records[name]["rank"] != rank for name, rank in ranks(values).items()):
            yield f"{where} has ranks that are not those of the scores"
        if any(not _is_around(one["interval"], one["score"]) for one in records.values()):
            yield f"{where} has an interval that does not contain the score"
        for one in records.values():
            yield from _intervals(where, [one["interval"], *one.get("part_intervals", {}).values()])
    for partition in results["slices"]:
        where = f"slices.{partition['name']}"
        macro = [partition["macro"]] if "macro" in partition else []
        for subset in (*partition["bins"], *macro):
            if subset["sentences"] < 0:
                yield f"{where} has a negative number of sentences"
            for by_system in subset.get("intervals", {}).values():
                yield from _intervals(where, by_system.values())
    if any(metric["beta"] is not None and metric["beta"] < 0 for metric in results["metrics"]):
        yield "metrics has a negative beta"


def _of_tests(results: Results) -> Iterator[str]:
    for metric, rows in results["comparisons"].items():
        where = f"comparisons.{metric}"
        yield from _intervals(where, [row["interval"] for row in rows])
        if any(row["p_adjusted"] < row["p"] for row in rows):
            yield f"{where} has a p-value that is larger than the adjusted one"
        if any(row.get("detectable", 0) < 0 for row in rows):
            yield f"{where} has a negative detectable difference"
        if any(not _is_around(row["interval"], row["difference"]) for row in rows):
            yield f"{where} has an interval that does not contain the difference"
    for metric, one in results.get("power", {}).items():
        are_shares = 0 < one["alpha"] < 1 and 0 < one["power"] < 1
        if not are_shares or not 0 <= one["least"] <= one["detectable"] <= one["greatest"]:
            yield f"power.{metric} has a number out of range"
    found = results["agreement"]
    correlations = chain(*(found["systems"] or ()), *found["sentences"])
    if any(abs(value) > 1 for value in _known(correlations)):
        yield "agreement has a correlation that is not between -1 and 1"


def _of_types(results: Results) -> Iterator[str]:
    for by_system in (*results["types"].values(), results.get("retyped", {})):
        for one in chain(*(records.values() for records in by_system.values())):
            shares = one["precision"], one["recall"], one["f"]
            if any(not 0 <= share <= 1 for share in _known(shares)):
                yield "types have a precision, recall or F that is not between 0 and 1"
    for system, kinds in results["frequent"].items():
        if any(count < 1 for *_, count, _ in chain(*kinds.values())):
            yield f"frequent.{system} has a count below 1"


def _of_inputs(results: Results) -> Iterator[str]:
    for record in results["inputs"]:
        if min(record["tokens"], record["edits"] or 0) < 0:
            yield f"inputs has a negative count of {record['name']!r}"
    for warning in results["warnings"]:
        if warning["severity"] not in SEVERITIES:
            yield f"warnings has the unknown severity {warning['severity']!r}"
        if warning["count"] < 1 or (warning["line"] or 1) < 1:
            yield "warnings has a count or a line below 1"


def _of_sentences(results: Results) -> Iterator[str]:
    for system, view in results["sentences"]["systems"].items():
        where = f"sentences.systems.{system}"
        if any(min(one) < 0 for one in chain(*(view["counts"] or ())) if one is not None):
            yield f"{where}.counts has a negative number"


def _known(values: Iterable[Number]) -> Iterator[float]:
    return (value for value in values if value is not None)


def _is_around(ends: Pair | None, value: Number) -> bool:
    if ends is None or value is None:
        return True
    return ends[0] - _ROUNDING <= value <= ends[1] + _ROUNDING


def _intervals(where: str, found: Iterable[Pair | None]) -> Iterator[str]:
    if any(ends is not None and ends[0] > ends[1] for ends in found):
        yield f"{where} has an interval whose ends are swapped"
