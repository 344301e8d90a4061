"""Figures of a human-judgment study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from geceval.metaeval.human.metric_correlation import MetricCorrelation
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking
from geceval.metaeval.human.study import HumanStudy, SetStudy
from geceval.metaeval.human.tables import by_spearman, file_name
from geceval.presentation.figure import COLORS, drawing, label_points, legend_outside
from geceval.presentation.page import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def pictures(study: HumanStudy) -> Iterator[Picture]:
    """Yield all figures."""
    if study.has_metrics:
        yield summary_picture(study)
    for one in study.sets:
        yield from set_pictures(one)


def summary_picture(study: HumanStudy, *, for_page: bool = False) -> Picture:
    """Draw the correlations of all metrics in all sets."""
    ranking = study.sets[0].rankings[0].name
    return correlation_picture(
        "human-correlation",
        f"Correlation of metrics with human rankings ({ranking})",
        {one.name: one.correlations[ranking] for one in study.sets},
        for_page=for_page,
    )


def correlation_picture(
    name: str,
    title: str,
    groups: Mapping[str, Sequence[MetricCorrelation]],
    *,
    for_page: bool = False,
) -> Picture:
    """Draw Spearman's ρ of metrics with intervals, a color for each group."""
    order = [one.title for one in reversed(by_spearman(list(groups.values())[-1]))]
    height = 1.2 + 0.16 * len(order) * (len(groups) + 1)
    with drawing(width=7.5, height=height, for_page=for_page) as (figure, axes):
        thickness = 0.8 / len(groups)
        for number, (label, correlations) in enumerate(groups.items()):
            shown = [
                one for one in correlations if not math.isnan(one.coefficients["spearman"].value)
            ]
            values = [one.coefficients["spearman"].value for one in shown]
            bounds = [one.intervals["spearman"] for one in shown]
            # A percentile interval need not contain the value itself.
            below = [max(0.0, v - b.low) for v, b in zip(values, bounds, strict=True)]
            above = [max(0.0, b.high - v) for v, b in zip(values, bounds, strict=True)]
            at = [order.index(one.title) + (number - (len(groups) - 1) / 2) * -thickness
                  for one in shown]  # fmt: skip
            color = COLORS[number % len(COLORS)]
            axes.barh(at, values, height=thickness * 0.9, color=color, label=label)
            # Drawn separately from the bars, to be visible on light and dark backgrounds.
            axes.errorbar(
                values, at, xerr=(below, above), fmt="none", ecolor="#888888", elinewidth=1.2
            )
        axes.set_yticks(range(len(order)), order)
        axes.set_xlim(-1.02, 1.02)
        axes.axvline(0, linewidth=0.8, color="#888888")
        axes.set_xlabel("Spearman's ρ")
        axes.grid(visible=False, axis="y")
        if len(groups) > 1:
            legend_outside(axes)
    best = order[-1] if order else "none"
    description = f"{title}: {len(order)} metrics with intervals, best: {best}"
    return Picture(name, title, description, figure)


def set_pictures(one: SetStudy, *, for_page: bool = False) -> Iterator[Picture]:
    """Draw the ranking of one set, and each metric against it."""
    yield ranking_picture(one, for_page=for_page)
    for metric in one.metrics:
        yield scatter_picture(one, metric, one.rankings[0], for_page=for_page)


def ranking_picture(one: SetStudy, *, for_page: bool = False) -> Picture:
    """Draw Expected Wins of systems, with their ranges of ranks and clusters."""
    wins = next(ranking for ranking in one.rankings if ranking.name == "Expected Wins")
    names = list(wins.scores)[::-1]
    title = f"{one.name}: human ranking of systems"
    with drawing(width=7.0, height=1.2 + 0.28 * len(names), for_page=for_page) as (figure, axes):
        for place, name in enumerate(names):
            found = one.ranges[name]
            color = COLORS[(found.cluster - 1) % len(COLORS)]
            axes.plot(wins.scores[name], place, "o", color=color)
            axes.annotate(
                f"ranks {found.best}–{found.worst}, cluster {found.cluster}",
                (wins.scores[name], place),
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        axes.set_yticks(range(len(names)), names)
        low, high = min(wins.scores.values()), max(wins.scores.values())
        axes.set_xlim(low - 0.05, high + 0.45 * (high - low) + 0.05)
        axes.set_xlabel("Expected Wins")
    n_clusters = max(found.cluster for found in one.ranges.values())
    description = f"{title}: {len(names)} systems in {n_clusters} clusters, best: {names[-1]}"
    return Picture(file_name("ranking", one.name), title, description, figure)


def scatter_picture(
    one: SetStudy, metric: MetricScores, ranking: Ranking, *, for_page: bool = False
) -> Picture:
    """Draw metric scores against human scores of the systems."""
    found = next(each for each in one.correlations[ranking.name] if each.metric == metric.name)
    rho = found.coefficients["spearman"].value
    title = f"{one.name}: {metric.title} and {ranking.name}"
    with drawing(width=4.6, height=3.6, for_page=for_page) as (figure, axes):
        _scatter(figure, axes, one.systems, metric, ranking)
        axes.set_title(f"ρ = {rho:.2f}", fontsize=10)
    description = f"{title}: {len(one.systems)} systems, Spearman's ρ is {rho:.2f}"
    return Picture(file_name("scatter", one.name, metric.name), title, description, figure)


def _scatter(
    figure: Figure, axes: Axes, systems: Sequence[str], metric: MetricScores, ranking: Ranking
) -> None:
    axes.plot(metric.of(systems), ranking.of(systems), "o", color=COLORS[0], markersize=5)
    axes.set_xlabel(metric.title)
    axes.set_ylabel(ranking.name)
    axes.margins(0.12)
    points = [(metric.scores[name], ranking.scores[name], name) for name in systems]
    label_points(figure, axes, points)
