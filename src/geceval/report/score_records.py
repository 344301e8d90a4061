"""Records of scores: intervals, ranks, clusters, paired tests, power and influence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import median
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.evaluation.entries import Progress
from geceval.evaluation.evaluate import Result
from geceval.evaluation.influence import influence, most_influential
from geceval.evaluation.power import DEFAULT_POWER, power_of
from geceval.evaluation.ranking import RankRange, rank_ranges, ranks
from geceval.evaluation.resampling import (
    Comparison,
    Resampling,
    by_chunk,
    compare,
    interval,
    resampled_rows,
)
from geceval.metrics.statistics import Interval, precision_and_recall
from geceval.report.results import (
    ComparisonRecord,
    InfluenceRecord,
    Number,
    Pair,
    PowerRecord,
    Results,
    ScoreRecord,
    number,
)

SystemResults: TypeAlias = Mapping[str, Result]
"""Results of one metric, by system."""

_INFLUENCE_DIGITS = 4
"""Significant digits of the influence of sentences."""


def group_by_metric(results: Iterable[Result]) -> dict[str, SystemResults]:
    """Group the results of systems by metric; baselines are ignored.

    They lack the parts of sentence scores, which no report shows, and which take as much memory as
    the counts.
    """
    grouped: dict[str, dict[str, Result]] = {}
    for result in results:
        if result.kind == "system":
            grouped.setdefault(result.metric.name, {})[result.system] = _without_parts(result)
    return dict(grouped)


def _without_parts(result: Result) -> Result:
    sentences = replace(result.score.sentences, parts={})
    return replace(result, score=replace(result.score, sentences=sentences))


def first_of(systems: SystemResults) -> Result:
    """Return the result of the first system."""
    return next(iter(systems.values()))


def parts_shown(result: Result) -> list[str]:
    """Return the parts of a score that tables show."""
    return list(result.metric.table_parts or result.score.parts)


def compare_systems(
    systems: SystemResults,
    resampling: Resampling,
    known: Mapping[tuple[str, str], Comparison],
    progress: Progress,
) -> list[Comparison]:
    """Compare all pairs of systems; without resamples there are no comparisons."""
    if not resampling.n:
        return []
    return compare(
        first_of(systems).metric,
        {name: one.statistics for name, one in systems.items()},
        resampling=resampling,
        scores={name: one.score.value for name, one in systems.items()},
        samples={name: one.samples for name, one in systems.items() if one.samples is not None},
        known=known,
        progress=progress,
    )


def score_records(
    systems: SystemResults,
    comparisons: Sequence[Comparison],
    resampling: Resampling,
    known: Mapping[str, Mapping[str, Pair]],
) -> dict[str, ScoreRecord]:
    """Return the scores of systems with intervals, ranks, ranges of ranks and clusters.

    The intervals of parts that are already known are not computed again.
    """
    values = {name: result.score.value for name, result in systems.items()}
    rank = ranks(values)
    ranges = rank_ranges(values, comparisons, level=resampling.level)
    part_intervals = {name: dict(own) for name, own in known.items()} | _part_intervals(
        {name: one for name, one in systems.items() if name not in known}, resampling
    )
    records = {}
    for name, result in systems.items():
        records[name] = ScoreRecord(
            score=number(result.score.value),
            interval=interval_ends(result.interval),
            parts={part: number(value) for part, value in result.score.parts.items()},
            rank=rank[name],
            rank_range=(ranges[name].best, ranges[name].worst),
            cluster=ranges[name].cluster,
        )
        if own := part_intervals.get(name):
            records[name]["part_intervals"] = own
    return records


def _part_intervals(systems: SystemResults, resampling: Resampling) -> dict[str, dict[str, Pair]]:
    """Return intervals of precision and recall, for metrics whose tables show them."""
    if not systems:
        return {}
    first = first_of(systems)
    shares = precision_and_recall(parts_shown(first))
    if not resampling.n or shares is None:
        return {}
    metric = first.metric
    n = min(metric.max_part_resamples or resampling.n, resampling.n)
    rows = resampled_rows(len(first.statistics), replace(resampling, n=n))
    samples = by_chunk(
        rows,
        lambda chunk: {
            name: metric.resample_parts(result.statistics, chunk)
            for name, result in systems.items()
        },
    )
    found: dict[str, dict[str, Pair]] = {}
    for name, result in systems.items():
        for part in shares:
            value = float(result.score.parts[part])
            values = np.concatenate([chunk[name][part] for chunk in samples])
            ends = interval_ends(interval(values, resampling.level, around=value))
            if ends is not None:
                found.setdefault(name, {})[part] = ends
    return found


def comparison_record(
    comparison: Comparison,
    n_sents: int,
    resampling: Resampling,
    known: Mapping[tuple[str, str], float],
) -> ComparisonRecord:
    """Return the record of a comparison, with the difference that its test can detect.

    It may be known already.
    """
    difference = number(comparison.difference)
    is_known = difference is not None
    record = ComparisonRecord(
        first=comparison.first,
        second=comparison.second,
        difference=difference,
        interval=interval_ends(comparison.interval),
        # An unknown difference is never significant.
        p=comparison.p_value if is_known else 1.0,
        p_adjusted=comparison.adjusted_p_value if is_known else 1.0,
    )
    alpha = _alpha(resampling.level)
    analysis = power_of(comparison, n_sents, test=resampling.test, alpha=alpha)
    detectable = known.get((comparison.first, comparison.second))
    if analysis is not None:
        detectable = analysis.detectable
    if is_known and detectable is not None:
        record["detectable"] = detectable
    return record


def power_records(
    comparisons: Mapping[str, Iterable[ComparisonRecord]], level: float
) -> dict[str, PowerRecord]:
    """Summarize the differences that tests can detect, for metrics where any is known."""
    found = {}
    for metric, rows in comparisons.items():
        known = [row["detectable"] for row in rows if "detectable" in row]
        if known:
            found[metric] = PowerRecord(
                alpha=_alpha(level),
                power=DEFAULT_POWER,
                detectable=median(known),
                least=min(known),
                greatest=max(known),
            )
    return found


def _alpha(level: float) -> float:
    """Return the significance level that belongs to a confidence level, without rounding errors."""
    return round(1 - level, 12)


def influence_records(systems: SystemResults, progress: Progress) -> list[InfluenceRecord]:
    """List the sentences that move the differences between systems most; none if unknown."""
    metric = first_of(systems).metric
    if len(systems) < 2 or len(first_of(systems).statistics) < 2:
        return []
    found: dict[str, NDArray[np.float64]] = {}
    for name, result in progress(list(systems.items()), f"finding influence on {metric.title}"):
        own = influence(metric, result.statistics)
        if own is None:
            return []
        found[name] = own
    return [
        InfluenceRecord(
            first=first,
            second=second,
            sentences=[
                (place, float(f"{moved:.{_INFLUENCE_DIGITS}g}"))
                for place, moved in most_influential(found[first], found[second])
            ],
        )
        for first, second in combinations(found, 2)
    ]


def recorded_ranges(
    scores: Mapping[str, ScoreRecord], comparisons: Iterable[ComparisonRecord], level: float
) -> dict[str, RankRange]:
    """Compute ranges of ranks and clusters from the records of scores and comparisons."""
    unknown = Interval(math.nan, math.nan, level)
    values = {name: _value(record["score"]) for name, record in scores.items()}
    rows = [
        Comparison(
            row["first"],
            row["second"],
            _value(row["difference"]),
            unknown,
            row["p"],
            row["p_adjusted"],
        )
        for row in comparisons
    ]
    return rank_ranges(values, rows, level=level)


def has_rank_ranges(results: Results) -> bool:
    """Whether all scores have ranges of ranks, which older files lack."""
    return all(
        "rank_range" in record
        for scores in results["scores"].values()
        for record in scores.values()
    )


def add_rank_ranges(results: Results) -> None:
    """Add ranges of ranks and clusters to the scores, as the comparisons imply them."""
    for metric, scores in results["scores"].items():
        rows = results["comparisons"][metric]
        for name, found in recorded_ranges(scores, rows, results["settings"]["level"]).items():
            scores[name]["rank_range"] = found.best, found.worst
            scores[name]["cluster"] = found.cluster


def _value(recorded: Number) -> float:
    return math.nan if recorded is None else float(recorded)


def interval_ends(interval: Interval | None) -> Pair | None:
    """Return the ends of an interval if both are finite."""
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return None
    return interval.low, interval.high
