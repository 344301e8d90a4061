"""Figures of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from geceval.metrics.statistics import precision_and_recall
from geceval.presentation.figure import OUTCOMES, drawing, label_points, legend_outside
from geceval.presentation.page import Picture
from geceval.report.charts import color_of, heat_map, iso_f_curves, marker_of
from geceval.report.pair_tests import best_first
from geceval.report.results import MetricRecord, Number, Partition, Results, TypeRecord
from geceval.report.tables import NO_TYPE, gold_counts, metric_label

MOST_TYPES = 30
"""Maximum number of error types in a heat map."""

MAX_SUBSETS = 30
"""Maximum number of subsets in a figure."""

_STACKED = ("correct", "wrong fix", "missed", "wrong")
"""Order of the stacked bars: gold edits first, then wrong edits."""


def figures(results: Results) -> Iterator[Picture]:
    """Yield the figures of a report, as files; the page draws its own."""
    for metric in results["metrics"]:
        if shares := precision_and_recall(metric["parts"]):
            yield _precision_recall(results, metric, shares)
    if results["outcomes"]:
        yield _outcomes(results)
    for metric in results["metrics"]:
        if any(gold_counts(results["types"].get(metric["name"], {}).values()).values()):
            yield _types(results, metric, results["types"][metric["name"]])
    if "retyped" in results:
        yield _types(results, _main_metric(results), results["retyped"], what="re-typed gold")
    for partition in results["slices"]:
        if 1 < len(partition["bins"]) <= MAX_SUBSETS:
            yield _subsets(results, partition)
    if len(results["metrics"]) > 1:
        yield _agreement(results)


def _main_metric(results: Results) -> MetricRecord:
    """Return the metric whose edits are shown, or the first metric."""
    wanted = results["edit_metric"]
    return next((one for one in results["metrics"] if one["name"] == wanted), results["metrics"][0])


def _precision_recall(results: Results, metric: MetricRecord, shares: tuple[str, str]) -> Picture:
    scores = results["scores"][metric["name"]]
    best = best_first(results, metric["name"])[0]
    with drawing(width=6.4, height=5.0) as (figure, axes):
        points, bars = [], []
        for number, system in enumerate(results["systems"]):
            record = scores[system]
            precision, recall = (_known(record["parts"].get(part)) for part in shares)
            color = color_of(number)
            if ends := record.get("part_intervals"):
                low_high = [ends[part] for part in shares]
                own = [(low_high[1], [precision] * 2), ([recall] * 2, low_high[0])]
                for line in own:
                    axes.plot(*line, color=color, linewidth=1, alpha=0.55, zorder=3)
                bars += own
            axes.plot([recall], [precision], marker_of(number), color=color, markersize=7, zorder=4)
            points.append((recall, precision, system))
        axes.margins(0.12)
        axes.set_xlim(max(-0.01, axes.get_xlim()[0]), min(1.01, axes.get_xlim()[1]))
        axes.set_ylim(max(-0.01, axes.get_ylim()[0]), min(1.01, axes.get_ylim()[1]))
        axes.set_xlabel("recall")
        axes.set_ylabel("precision")
        axes.grid(visible=False)
        if metric["beta"] is not None:
            iso_f_curves(axes, metric["beta"])
        label_points(figure, axes, points, bars)
    title = f"Precision and recall: {metric['title']}"
    described = (
        f"Precision and recall of {len(points)} systems by {metric['title']}; best "
        f"{metric['score_name']}: {best}, {_shown(scores[best]['score'])}."
    )
    return Picture(f"precision-recall-{metric['name']}", title, described, figure)


def _outcomes(results: Results) -> Picture:
    metric = _main_metric(results)
    order = [name for name in best_first(results, metric["name"]) if name in results["outcomes"]]
    height = 1.2 + 0.34 * len(order)
    with drawing(width=7.4, height=height) as (figure, axes):
        longest = max(sum(results["outcomes"][name].values()) for name in order) or 1
        reached = [0] * len(order)
        for outcome in _STACKED:
            counts = [results["outcomes"][name][outcome] for name in order]
            label = "wrong (no gold edit)" if outcome == "wrong" else outcome
            color = OUTCOMES[outcome]
            axes.barh(range(len(order)), counts, left=reached, color=color, label=label)
            for row, (count, start) in enumerate(zip(counts, reached, strict=True)):
                if count > 0.045 * longest:
                    place = start + count / 2, row
                    axes.text(*place, str(count), ha="center", va="center", color="white", size=8)
            reached = [start + count for start, count in zip(reached, counts, strict=True)]
        axes.set_yticks(range(len(order)), order)
        axes.invert_yaxis()
        axes.margins(y=0.02)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("edits")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=4)
    described = "Edit outcomes by system: " + "; ".join(
        f"{name}: "
        + ", ".join(f"{count} {kind}" for kind, count in results["outcomes"][name].items())
        for name in order
    )
    title = f"Edit outcomes: {metric['title']}"
    return Picture("outcomes", title, described + ".", figure)


def _types(
    results: Results,
    metric: MetricRecord,
    by_system: Mapping[str, Mapping[str, TypeRecord]],
    what: str = "",
) -> Picture:
    support = gold_counts(by_system.values())
    names = [name for name, count in support.items() if count][:MOST_TYPES]
    has_f = any(
        record["f"] is not None for table in by_system.values() for record in table.values()
    )
    share = "f" if has_f else "recall"
    order = [name for name in best_first(results, metric["name"]) if name in by_system]
    values: list[list[Number]] = [
        [_share(by_system[system].get(name), share) for system in order] for name in names
    ]
    label = metric["score_name"] if has_f else "recall"
    size = (2.6 + 0.55 * len(order), 1.5 + 0.27 * len(names))
    with drawing(width=max(4.5, size[0]), height=size[1]) as (figure, axes):
        rows = [f"{name or NO_TYPE}  ({support[name]})" for name in names]
        heat_map(figure, axes, values, rows, order, label, low=0, high=1)
    title = f"{label} by error type (number of gold edits): {metric['title']}"
    if what:
        title += f", {what}"
    described = f"{label} of {len(order)} systems on the {len(names)} most frequent error types."
    return Picture(f"types-{'retyped' if what else metric['name']}", title, described, figure)


def _share(record: object, share: str) -> Number:
    return record[share] if isinstance(record, dict) else None


def _subsets(results: Results, partition: Partition) -> Picture:
    metric = _main_metric(results)
    bins = partition["bins"]
    with drawing(width=7.6, height=4.2) as (figure, axes):
        for number, system in enumerate(results["systems"]):
            values = [_known(one["scores"][metric["name"]][system]) for one in bins]
            # Labels have no order.
            style = marker_of(number) if "macro" in partition else f"{marker_of(number)}-"
            look = {"color": color_of(number), "markersize": 5, "linewidth": 1.4}
            axes.plot(range(len(bins)), values, style, label=system, **look)
        ticks = [f"{one['label']}\n{one['sentences']:,}" for one in bins]
        axes.set_xticks(range(len(bins)), ticks)
        axes.set_xlabel(f"{partition['label']}; number of sentences below")
        axes.set_ylabel(metric_label(metric))
        axes.grid(visible=False, axis="x")
        legend_outside(axes)
    described = f"{metric_label(metric)} of each system on {len(bins)} subsets of the sentences."
    return Picture(f"by-{partition['name']}", partition["title"], described, figure)


def _agreement(results: Results) -> Picture:
    found = results["agreement"]
    matrices = [
        (what, matrix) for what in ("systems", "sentences") if (matrix := found[what]) is not None
    ]
    names = list(found["metrics"])
    side = 1.6 + 0.34 * len(names)
    width = (side + 0.5) * len(matrices)
    with drawing(width=width, height=side, panels=len(matrices)) as (
        figure,
        axes,
    ):
        for panel, (what, matrix) in zip(getattr(axes, "flat", [axes]), matrices, strict=True):
            heat_map(figure, panel, matrix, names, names, None, low=-1, high=1)
            panel.set_title(f"over {what}", size=10)
    described = f"Spearman's rank correlation between {len(names)} metrics."
    title = "Metric agreement (Spearman’s ρ)"
    return Picture("metric-agreement", title, described, figure)


def _known(value: Number) -> float:
    return float("nan") if value is None else float(value)


def _shown(value: Number) -> str:
    return "unknown" if value is None else f"{value:.4f}"
