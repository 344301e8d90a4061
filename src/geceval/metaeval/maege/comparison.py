"""Tables that set results beside those of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from geceval.metaeval.correlation import Correlation
from geceval.metaeval.maege.paper import TABLE_2, TABLE_3, PublishedRow
from geceval.metaeval.maege.replay import RELEASED, Measure, Replay
from geceval.metaeval.maege.sensitivity import ScoreChange
from geceval.metaeval.maege.summary import Study
from geceval.presentation.table import Cell, Table
from geceval.storage.strict_json import or_none

DIGITS = 3
"""Digits after the point in the paper."""


def agreeing_digits(printed: float, value: float) -> int:
    """Return to how many digits after the point a value rounds to the same as a printed number.

    Numbers that round to 0 agree only in all digits.

    Examples
    --------
    >>> [agreeing_digits(0.214, value) for value in (0.21409, 0.2099, 0.16, -0.214)]
    [3, 2, 1, 0]
    """
    for n in range(DIGITS, 0, -1):
        if f"{value:z.{n}f}" == f"{printed:z.{n}f}" and (n == DIGITS or round(printed, n)):
            return n
    return 0


@dataclass(frozen=True, slots=True)
class Replayed:
    """Results of a metric on the chains of the paper."""

    pearson: Correlation
    kendall: Correlation
    changes: Mapping[str, ScoreChange]

    @classmethod
    def of(cls, replay: Replay, measure: Measure) -> Replayed:
        """Score the chains."""
        level = replay.level
        scores = measure(replay.texts)
        return cls(
            level.pearson(scores),
            level.count_pairs(scores).kendall(RELEASED.ties),
            level.steps.changes(scores),
        )

    def n_equal(self, paper: Mapping[str, float]) -> int:
        """Count the error types whose change agrees with the paper in all digits."""
        return sum(
            agreeing_digits(printed, self.changes[name].mean) == DIGITS
            for name, printed in paper.items()
        )


def replayed_correlations(found: Mapping[str, Replayed]) -> Table:
    """Return r and τ on the chains of the paper, beside table 2.

    Parameters
    ----------
    found
        Results by the paper's names of the metrics.
    """
    rows = []
    for name, one in found.items():
        cells: list[Cell] = [name]
        paper = TABLE_2[name]
        for printed, value in (
            (paper.pearson, one.pearson.value),
            (paper.kendall, one.kendall.value),
        ):
            cells += [printed, value, agreeing_digits(printed, value)]
        rows.append(tuple(cells))
    header = ("metric", "r paper", "r", "digits", "τ paper", "τ", "digits")
    title = "Table 2, sentence level, on the chains of the paper"
    return Table("maege-replay", title, header, tuple(rows), digits=DIGITS)


def replayed_changes(found: Mapping[str, Replayed]) -> Table:
    """Return the score changes on the chains of the paper, beside table 3."""
    types = next(iter(TABLE_3.values()))
    some = next(iter(found.values()))
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            some.changes[name].n,
            *(
                cell
                for metric, one in found.items()
                for cell in (TABLE_3[metric][name], one.changes[name].mean)
            ),
        )
        for name in types
    ]
    equal = (
        cell for metric, one in found.items() for cell in (len(types), one.n_equal(TABLE_3[metric]))
    )
    rows.append(("(equal)", None, *equal))
    header = ("type", "n", *(cell for metric in found for cell in (f"{metric} paper", metric)))
    title = "Table 3 on the chains of the paper"
    return Table("maege-replay-changes", title, header, tuple(rows), digits=DIGITS)


def sampled_correlations(study: Study, paper: Mapping[str, PublishedRow], title: str) -> Table:
    """Return ρ, r and τ of fresh samples beside a table of the paper.

    Parameters
    ----------
    study
        A study whose metrics have the paper's names.
    paper
        Table 2 or 4.
    title
        Title of the table.
    """
    rows = []
    for name, metric in study.metrics.items():
        if name not in paper:
            continue
        cells: list[Cell] = [name]
        estimates = metric.spearman, metric.pearson, metric.kendall
        for printed, estimate in zip(paper[name], estimates, strict=True):
            cells += [
                printed,
                or_none(estimate.mean),
                or_none(estimate.spread),
                agreeing_digits(printed, estimate.mean),
            ]
        rows.append(tuple(cells))
    header = (
        "metric",
        *(f"{name}{what}" for name in "ρrτ" for what in (" paper", "", " sd", " digits")),
    )
    return Table("maege-sampled", title, header, tuple(rows), digits=DIGITS)
