"""What the first screen of a report shows: the scoreboard, people, and the pairwise tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from geceval.report.baselines import AGAINST_OTHERS
from geceval.report.pair_tests import best_first
from geceval.report.results import Baseline, MetricRecord, Number, Pair, Results, ScoreRecord

FEW_PEOPLE = 2
"""Up to this number of annotators, each has a row of the scoreboard; otherwise their mean has."""

DIGITS = 4
"""Decimal places of scores."""

_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))

UNIT = 1_000_000
"""Differences between systems are embedded in the page as whole numbers of this part of 1."""

PairRow: TypeAlias = tuple[int, int, int | None, int | None, int | None, float]
"""Positions of two systems, second minus first, its interval (`UNIT`), the adjusted p-value."""

ScoreEntry: TypeAlias = tuple[float | None, float | None, float | None, int, int, int]
"""A score, its interval, the ends of its rank range, its cluster."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """A cell of the scoreboard.

    Parameters
    ----------
    record
        The score with its interval and ranks.
    ranks, cluster
        Rank range and cluster as shown; empty without paired tests.
    is_best
        Whether no system is significantly better, if some system has a better one.
    """

    record: ScoreRecord
    ranks: str
    cluster: str
    is_best: bool


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The scores of a system; `color` is the number of its color, the same in all figures."""

    name: str
    color: int
    cells: tuple[ScoreCell, ...]


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """Scores to compare the systems with, by metric."""

    name: str
    kind: str
    scores: dict[str, Number]

    @property
    def short(self) -> str:
        """The name without what the guide to the scoreboard says."""
        return self.name.removesuffix(AGAINST_OTHERS)


def shown_number(value: Number, digits: int = DIGITS) -> str:
    """Format a score, with a true minus sign."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def shown_range(low: int, high: int) -> str:
    """Format a rank range.

    Examples
    --------
    >>> shown_range(1, 3), shown_range(2, 2)
    ('1–3', '2')
    """
    return str(low) if low == high else f"{low}–{high}"


def roman(number: int) -> str:
    """Return a Roman numeral; clusters have these, so that nobody takes them for ranks.

    Examples
    --------
    >>> [roman(number) for number in (1, 4, 14)]
    ['I', 'IV', 'XIV']
    """
    text = ""
    for value, sign in _ROMAN:
        text += sign * (number // value)
        number %= value
    return text


def score_rows(results: Results) -> list[ScoreRow]:
    """Return the rows of the scoreboard, the best by the first metric first."""
    colors = {name: number for number, name in enumerate(results["systems"])}
    metrics = results["metrics"]
    return [
        ScoreRow(name, colors[name], tuple(_cell(results, metric, name) for metric in metrics))
        for name in best_first(results, metrics[0]["name"])
    ]


def _cell(results: Results, metric: MetricRecord, system: str) -> ScoreCell:
    records = results["scores"][metric["name"]]
    record = records[system]
    if not results["comparisons"][metric["name"]]:
        return ScoreCell(record, "", "", is_best=False)
    low, high = record["rank_range"]
    return ScoreCell(
        record,
        shown_range(low, high),
        roman(record["cluster"]),
        is_best=low == 1 and any(one["rank_range"][0] > 1 for one in records.values()),
    )


def score_entries(results: Results) -> dict[str, list[ScoreEntry]]:
    """Return all scores in a short form, from which the page draws bars and explains cells."""
    return {
        metric: [_entry(records[name]) for name in results["systems"]]
        for metric, records in results["scores"].items()
    }


def _entry(record: ScoreRecord) -> ScoreEntry:
    low, high = record["interval"] or (None, None)
    score, ends = _rounded(record["score"]), (_rounded(low), _rounded(high))
    return (score, *ends, *record["rank_range"], record["cluster"])


def people(results: Results) -> list[Baseline]:
    """Return the scores of annotators against the others."""
    return [one for one in results["baselines"] if one["kind"] == "ceiling"]


def people_mean(results: Results) -> ReferenceRow | None:
    """Return the leave-one-out mean, which takes more than two annotators."""
    found = people(results)
    if len(found) <= FEW_PEOPLE:
        return None
    scores = {
        metric["name"]: _mean([one["scores"][metric["name"]] for one in found])
        for metric in results["metrics"]
    }
    return ReferenceRow(f"people, mean of {len(found)}", "mean", scores)


def _mean(values: Sequence[Number]) -> Number:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def reference_rows(results: Results, *, has_everyone: bool = False) -> list[ReferenceRow]:
    """Return what to compare systems with: doing nothing, and people.

    Parameters
    ----------
    has_everyone
        Whether each annotator has a row, however many there are.
    """
    mean = people_mean(results)
    rows = [
        ReferenceRow(one["name"], one["kind"], one["scores"])
        for one in results["baselines"]
        if one["kind"] == "floor" or mean is None or has_everyone
    ]
    return rows if mean is None else [*rows, mean]


def pair_rows(results: Results) -> dict[str, list[PairRow]]:
    """Return all paired tests in a short form, which the page turns into matrices."""
    places = {name: place for place, name in enumerate(results["systems"])}
    return {
        metric: [
            (
                places[row["first"]],
                places[row["second"]],
                _units(row["difference"]),
                *_ends(row["interval"]),
                float(f"{row['p_adjusted']:.4g}"),
            )
            for row in rows
        ]
        for metric, rows in results["comparisons"].items()
    }


def _ends(interval: Pair | None) -> tuple[int | None, int | None]:
    return (None, None) if interval is None else (_units(interval[0]), _units(interval[1]))


def _units(value: Number) -> int | None:
    return None if value is None else round(value * UNIT)


def _rounded(value: Number) -> float | None:
    """Round to more digits than anything on the screen can show."""
    return None if value is None else float(f"{value:.8g}")
