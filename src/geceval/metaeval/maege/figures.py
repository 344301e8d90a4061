"""Figures of a MAEGE study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from geceval.metaeval.correlation import spearman
from geceval.metaeval.maege.corpora import MODELS
from geceval.metaeval.maege.sensitivity import ScoreChange
from geceval.metaeval.maege.summary import MetricStudy, Study
from geceval.presentation.figure import COLORS, drawing, legend_outside
from geceval.presentation.page import Picture

FEWEST = 5
"""Minimum number of originals for a point to be drawn."""

FREQUENT = 10
"""Minimum number of changes for an error type to affect the color scale."""

_MARKERS = "osD^vP"
_PALE = 1.6
"""Limit of the color scale relative to the largest change, so that text stays legible."""


def pictures(
    study: Study,
    *,
    mixed: Sequence[int] | None = None,
    human: Mapping[str, float] | None = None,
) -> Iterator[Picture]:
    """Yield all figures.

    Parameters
    ----------
    study
        The study.
    mixed
        Numbers of mixed references per sentence, for figure 1 of the paper.
    human
        Correlation of metrics, by name, with human rankings, for figure 4.
    """
    if mixed:
        yield mixed_picture(mixed)
    yield model_picture(study)
    if human:
        yield human_picture(study, human)
    yield sensitivity_picture(study)
    yield from original_pictures(study)


def mixed_picture(counts: Sequence[int], *, for_page: bool = False) -> Picture:
    """Draw the number of mixed references per sentence, as a histogram with a rug (figure 1)."""
    powers = [math.log10(count) for count in counts]
    middle = sorted(counts)[len(counts) // 2]
    with drawing(for_page=for_page) as (figure, axes):
        axes.hist(powers, bins=30, color=COLORS[0], alpha=0.8)
        axes.plot(
            powers, np.full(len(powers), -0.02), "|", color=COLORS[1], markersize=7,
            transform=axes.get_xaxis_transform(), clip_on=False, markeredgewidth=0.5,
        )  # fmt: skip
        axes.set_xlabel("log10 of the number of mixed references")
        axes.set_ylabel("sentences")
        axes.tick_params(axis="x", pad=9)
    return Picture(
        "mixed-references",
        "Mixed references per sentence",
        f"Histogram of the logarithm of the number of mixed references per sentence: median "
        f"{middle:,}, maximum {max(counts):.3g}.",
        figure,
    )


def model_picture(study: Study, *, for_page: bool = False) -> Picture:
    """Draw the score of each corpus model, min-max normalized for each metric."""
    with drawing(width=8.0, for_page=for_page) as (figure, axes):
        for number, metric in enumerate(study.metrics.values()):
            scores = np.array(metric.corpus_scores)
            reach = np.ptp(scores)
            axes.plot(
                MODELS, (scores - scores.min()) / (reach or 1),
                color=COLORS[number % len(COLORS)], marker=_MARKERS[number % len(_MARKERS)],
                markersize=4, linewidth=1.2, label=metric.title,
            )  # fmt: skip
        axes.set_xlabel("M, mean number of applied edits")
        axes.set_ylabel("score (min-max normalized)")
        axes.set_xticks(MODELS)
        legend_outside(axes)
    ends = ", ".join(
        f"{metric.title} {metric.spearman.mean:.2f}" for metric in study.metrics.values()
    )
    return Picture(
        "corpus-models",
        "Corpus scores by corpus quality",
        f"One line per metric, ideally increasing. Spearman's ρ: {ends}.",
        figure,
    )


def human_picture(study: Study, human: Mapping[str, float], *, for_page: bool = False) -> Picture:
    """Draw correlation with human rankings against correlation with MAEGE (figure 4).

    Parameters
    ----------
    study
        The study.
    human
        Correlation of metrics, by name, with human rankings; other metrics are ignored.
    for_page
        Whether the figure goes into a page.
    """
    metrics = [metric for metric in study.metrics.values() if metric.name in human]
    with drawing(width=6.0, height=5.0, for_page=for_page) as (figure, axes):
        for number, metric in enumerate(metrics):
            axes.plot(
                human[metric.name], metric.spearman.mean, _MARKERS[number % len(_MARKERS)],
                color=COLORS[number % len(COLORS)], label=metric.title,
            )  # fmt: skip
        axes.set_xlim(-1.05, 1.05)
        axes.set_ylim(-1.05, 1.05)
        axes.set_xlabel("correlation with human rankings")
        axes.set_ylabel("correlation with MAEGE's corpora")
        if metrics:
            legend_outside(axes)
    places = "; ".join(
        f"{metric.title} {human[metric.name]:.2f} and {metric.spearman.mean:.2f}"
        for metric in metrics
    )
    return Picture(
        "human-and-maege",
        "Human rankings and MAEGE",
        f"Correlation with human rankings (x) and with MAEGE (y): {places or 'no common metric'}.",
        figure,
    )


def sensitivity_picture(study: Study, *, for_page: bool = False) -> Picture:
    """Draw score changes by type as a heat map, with a color scale for each metric."""
    metrics = list(study.metrics.values())
    names = sorted({name for metric in metrics for name in metric.changes})
    unknown = ScoreChange(0, math.nan, math.nan)
    means = np.array(
        [[metric.changes.get(name, unknown).mean for metric in metrics] for name in names]
    )
    largest = np.array([_largest(metric) for metric in metrics])
    size = 2.2 + 0.62 * len(metrics), 1.4 + 0.24 * len(names)
    with drawing(width=size[0], height=size[1], for_page=for_page) as (figure, axes):
        axes.imshow(means / largest, cmap="RdBu", vmin=-_PALE, vmax=_PALE, aspect="auto")
        for row, name in enumerate(names):
            for column, metric in enumerate(metrics):
                if name in metric.changes:
                    axes.text(
                        column, row, shown_change(study, metric, name),
                        ha="center", va="center", fontsize=7, color="#111111",
                    )  # fmt: skip
        axes.set_xticks(
            range(len(metrics)), [metric.title for metric in metrics], rotation=35, ha="left",
            rotation_mode="anchor", fontsize=8,
        )  # fmt: skip
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(names)), [name or "(none)" for name in names], fontsize=8)
        axes.grid(visible=False)
        axes.tick_params(length=0)
    penalized = {metric.title: _n_penalized(study, metric) for metric in metrics}
    listed = ", ".join(f"{title} {count}" for title, count in penalized.items())
    return Picture(
        "sensitivity",
        "Score change by error type",
        f"Mean score change: blue is positive, red is negative. Number of error types with a "
        f"significant negative change: {listed}.",
        figure,
    )


def shown_change(study: Study, metric: MetricStudy, name: str) -> str:
    """Format the score change of a metric for an error type, with a star if it is significant."""
    star = "*" if study.is_significant(metric.name, name) else ""
    return f"{metric.changes[name].mean:+.3f}{star}"


def _largest(metric: MetricStudy) -> float:
    """Return the largest change of a metric, ignoring rare types."""
    changes = list(metric.changes.values())
    frequent = [change for change in changes if change.n >= FREQUENT] or changes
    return max((abs(change.mean) for change in frequent), default=0.0) or 1.0


def _n_penalized(study: Study, metric: MetricStudy) -> int:
    return sum(
        change.mean < 0 and study.is_significant(metric.name, name)
        for name, change in metric.changes.items()
    )


def original_pictures(study: Study, *, for_page: bool = False) -> Iterator[Picture]:
    """Draw, for each metric, mean scores of originals by number of errors (figure 5)."""
    for number, metric in enumerate(study.metrics.values()):
        sizes = [size for size, (n, _) in metric.by_errors.items() if n >= FEWEST]
        means = [metric.by_errors[size][1] for size in sizes]
        with drawing(width=5.0, height=3.2, for_page=for_page) as (figure, axes):
            axes.plot(sizes, means, "o-", color=COLORS[number % len(COLORS)], markersize=4)
            axes.set_xlabel("errors in the original")
            axes.set_ylabel(f"mean {metric.title}")
        found = spearman(sizes, means)
        yield Picture(
            f"originals-{metric.name}",
            f"{metric.title} of originals by number of errors",
            f"Mean score of originals by number of errors, for numbers with at least {FEWEST} "
            f"originals; Spearman's ρ is {found.value:.2f}.",
            figure,
        )
