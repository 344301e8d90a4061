"""Tables, figures, JSON record and page sections of a SEEDA study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from geceval.metaeval.correlation import COEFFICIENTS
from geceval.metaeval.human.figures import correlation_picture
from geceval.metaeval.human.records import (
    correlation_record,
    metric_record,
    pairwise_record,
)
from geceval.metaeval.human.tables import (
    CONCORDANCE_HEADER,
    CORRELATION_HEADER,
    by_spearman,
    concordance_row,
    correlation_row,
    file_name,
    pairwise_table,
)
from geceval.metaeval.seeda.dataset import GRANULARITIES
from geceval.metaeval.seeda.study import SeedaSet, SeedaStudy
from geceval.metaeval.seeda.windows import Window
from geceval.presentation.figure import COLORS, drawing, legend_outside
from geceval.presentation.page import Picture, Section
from geceval.presentation.table import Cell, Table
from geceval.storage.strict_json import nan_to_none, or_none

INTRODUCTION = """
SEEDA is a dataset of human judgments of fifteen outputs on CoNLL-2014: recent systems, two human
corrections and the unchanged source. The outputs were judged at two granularities, single edits
(SEEDA-E) and whole sentences (SEEDA-S). Metrics are correlated with both, on several sets of
systems.

Scores marked as published are those of SEEDA's README. They were computed on all of CoNLL-2014,
whereas the judgments cover a subset.
"""

MAIN_RANKING = "TrueSkill"
"""The ranking shown in the summary."""


def _main_results(study: SeedaStudy, granularity: str) -> list[SeedaSet]:
    key = granularity, MAIN_RANKING
    return [one for one in study.results if (one.granularity, one.ranking) == key]


def summary_tables(study: SeedaStudy) -> list[Table]:
    """Return the correlations of each metric on all sets of systems, for each granularity."""
    return [_summary_table(study, granularity) for granularity in study.seeda.judgments]


def _summary_table(study: SeedaStudy, granularity: str) -> Table:
    results = _main_results(study, granularity)
    header: list[str] = ["metric"]
    for one in results:
        header += [f"{one.systems_name} r", f"{one.systems_name} ρ"]
    rows = []
    for place, metric in enumerate(study.metrics):
        row: list[Cell] = [metric.title]
        for one in results:
            found = one.correlations[place].coefficients
            row += [or_none(found["pearson"].value), or_none(found["spearman"].value)]
        rows.append(tuple(row))
    kind = GRANULARITIES[granularity]
    title = f"{kind}: correlation with {MAIN_RANKING}, Pearson's r and Spearman's ρ"
    name = file_name("correlation", kind)
    return Table(name, title, tuple(header), tuple(rows), digits=3)


def set_table(one: SeedaSet) -> Table:
    """Return all correlations on one set of systems."""
    rows = tuple(correlation_row(each) for each in by_spearman(one.correlations))
    kind = GRANULARITIES[one.granularity]
    title = f"{kind}, {one.systems_name} ({len(one.systems)} systems): {one.ranking}"
    name = file_name("correlation", kind, one.systems_name, one.ranking)
    return Table(name, title, CORRELATION_HEADER, rows, digits=3)


def sentence_tables(study: SeedaStudy) -> list[Table]:
    """Return sentence-level preferences, for metrics with sentence scores."""
    found = []
    for granularity, kind in GRANULARITIES.items():
        rows = tuple(
            (one.systems_name, *concordance_row(each.title, each.concordance))
            for one in _main_results(study, granularity)
            for each in one.correlations
            if each.concordance is not None
        )
        if rows:
            title = f"{kind}: sentence-level preferences"
            header = ("systems", *CONCORDANCE_HEADER)
            found.append(Table(file_name("sentences", kind), title, header, rows, digits=3))
    return found


def pairwise_tables(study: SeedaStudy) -> list[Table]:
    """Return pairwise accuracies on the base set, for each granularity."""
    return [
        pairwise_table(f"{GRANULARITIES[one.granularity]}, {one.systems_name}", one.pairwise)
        for one in study.results
        if one.ranking == MAIN_RANKING and one.systems_name == "base"
    ]


def human_tables(study: SeedaStudy) -> list[Table]:
    """Return computed and published human rankings."""
    return [_human_table(study, granularity) for granularity in study.seeda.judgments]


def _human_table(study: SeedaStudy, granularity: str) -> Table:
    header: list[str] = ["system"]
    columns: list[list[Cell]] = []
    for (kind, name), ranking in study.computed.items():
        if kind == granularity:
            header.append(name)
            columns.append([ranking.scores[system] for system in study.seeda.systems])
            if published := study.seeda.human.get((kind, name)):
                header.append(f"{name} published")
                columns.append([published.scores[system] for system in study.seeda.systems])
    rows = tuple(zip(study.seeda.systems, *columns, strict=True))
    title = f"{GRANULARITIES[granularity]}: human ranking of systems"
    name = file_name("human", GRANULARITIES[granularity])
    return Table(name, title, tuple(header), rows, digits=3)


def window_table(key: tuple[str, str], windows: tuple[Window, ...]) -> Table:
    """Return the correlations in each window."""
    rows = tuple(
        (
            window.metric, window.size, f"{window.start}–{window.start + window.size - 1}",
            *(or_none(window.coefficients[name].value) for name in COEFFICIENTS),
            ", ".join(window.systems),
        )
        for window in windows
    )  # fmt: skip
    kind = f"{GRANULARITIES[key[0]]}, {key[1]}"
    header = ("metric", "size", "ranks", "r", "ρ", "τ", "systems")
    return Table(
        file_name("windows", GRANULARITIES[key[0]], key[1]),
        f"{kind}: sliding windows",
        header,
        rows,
        digits=3,
    )


def tables(study: SeedaStudy) -> list[Table]:
    """Return all tables."""
    return [
        *summary_tables(study),
        *human_tables(study),
        *map(set_table, study.results),
        *sentence_tables(study),
        *pairwise_tables(study),
        *(window_table(key, windows) for key, windows in study.windows.items() if windows),
    ]


def window_picture(
    key: tuple[str, str], size: int, windows: list[Window], *, for_page: bool = False
) -> Picture:
    """Draw a line for each metric: its correlation in windows from best to worst."""
    kind = f"{GRANULARITIES[key[0]]}, {key[1]}"
    title = f"{kind}: Pearson's r in windows of {size} systems"
    names = list(dict.fromkeys(window.metric for window in windows))
    with drawing(width=8.5, height=4.2, for_page=for_page) as (figure, axes):
        for place, name in enumerate(names):
            line = [window for window in windows if window.metric == name]
            axes.plot(
                [window.start for window in line],
                [window.coefficients["pearson"].value for window in line],
                marker="osD^vP"[place // len(COLORS) % 6],
                markersize=4,
                color=COLORS[place % len(COLORS)],
                label=name,
            )
        starts = sorted({window.start for window in windows})
        axes.set_xticks(starts, [f"{start}–{start + size - 1}" for start in starts], fontsize=8)
        axes.set_ylim(-1.05, 1.05)
        axes.set_xlabel("human ranks, best first")
        axes.set_ylabel("Pearson's r")
        legend_outside(axes)
    description = f"{title}: one line per metric, {len(names)} metrics, {len(starts)} windows"
    return Picture(
        file_name("windows", GRANULARITIES[key[0]], key[1], str(size)), title, description, figure
    )


def _correlation_pictures(study: SeedaStudy, *, for_page: bool) -> Iterator[Picture]:
    for granularity, kind in GRANULARITIES.items():
        found = {
            one.systems_name: one.correlations
            for one in _main_results(study, granularity)
            if one.systems_name in ("base", "all")
        }
        if found:
            yield correlation_picture(
                file_name("seeda-correlation", kind),
                f"{kind}: correlation of metrics with human rankings ({MAIN_RANKING})",
                found,
                for_page=for_page,
            )


def _window_pictures(study: SeedaStudy, *, for_page: bool) -> Iterator[Picture]:
    for key, windows in study.windows.items():
        if key[1] == MAIN_RANKING:
            for size in dict.fromkeys(window.size for window in windows):
                chosen = [window for window in windows if window.size == size]
                yield window_picture(key, size, chosen, for_page=for_page)


def pictures(study: SeedaStudy) -> Iterator[Picture]:
    """Yield all figures."""
    yield from _correlation_pictures(study, for_page=False)
    yield from _window_pictures(study, for_page=False)


def sections(study: SeedaStudy) -> list[Section]:
    """Return the sections of the study's page."""
    found = [
        Section(
            "correlation",
            "Correlation",
            "The base set contains twelve systems; the others add fluent rewrites (REF-F and "
            "GPT-3.5), the unchanged source (INPUT), or all of these.",
            (*summary_tables(study), *map(set_table, study.results)),
            tuple(_correlation_pictures(study, for_page=True)),
        ),
        Section(
            "sentences",
            "Sentence level",
            "How often a metric prefers the output that judges prefer. The accuracy with ties "
            "counts all pairs, and scores that differ by at most the threshold are tied; the plain "
            "accuracy excludes ties, so that a metric that decides little may have a high one.",
            tuple(sentence_tables(study)),
        ),
        Section(
            "pairs",
            "Pairs of systems",
            "How often a metric puts two systems in the order of people, by how far apart people "
            "put them.",
            tuple(pairwise_tables(study)),
        ),
        Section(
            "windows",
            "Sliding windows",
            "Correlations over windows of adjacent systems in the human ranking: a metric that "
            "separates good systems from bad ones may still fail among the best.",
            tuple(window_table(key, windows) for key, windows in study.windows.items() if windows),
            tuple(_window_pictures(study, for_page=True)),
        ),
        Section(
            "human",
            "Human scores",
            "Scores computed from the judgments, next to the published ones. Metrics are "
            "correlated with the published scores where available.",
            tuple(human_tables(study)),
        ),
    ]
    return [section for section in found if section.tables]


def record(study: SeedaStudy) -> dict[str, Any]:
    """Return the JSON record, whose format is stable."""
    content: dict[str, Any] = nan_to_none(
        {
            "schema": 1,
            "aggregation": study.aggregation,
            "human": [
                {
                    "judgments": GRANULARITIES[granularity],
                    **asdict(ranking),
                    "computed": study.computed[granularity, name].scores,
                }
                for (granularity, name), ranking in study.used.items()
            ],
            "metrics": [metric_record(metric) for metric in study.metrics],
            "results": [
                {
                    "judgments": GRANULARITIES[one.granularity],
                    "ranking": one.ranking,
                    "set": one.systems_name,
                    "systems": one.systems,
                    "correlations": [correlation_record(each) for each in one.correlations],
                    "pairs": [pairwise_record(each) for each in one.pairwise],
                }
                for one in study.results
            ],
            "windows": [
                {
                    "judgments": GRANULARITIES[granularity],
                    "ranking": name,
                    "metric": window.metric,
                    "size": window.size,
                    "start": window.start,
                    "systems": window.systems,
                    **{kind: found.value for kind, found in window.coefficients.items()},
                }
                for (granularity, name), windows in study.windows.items()
                for window in windows
            ],
        }
    )
    return content
