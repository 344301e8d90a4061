"""Slices of the corpus: option, labels and tables."""

from __future__ import annotations

from collections.abc import Sequence

import click

from geceval.cli._shared.protect import protect
from geceval.evaluation.slices import MACRO, SlicedComparison, SlicedResult
from geceval.formats import Findings
from geceval.formats.labels import Labeling, read_labels
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Interval
from geceval.model import Corpus
from geceval.presentation.table import Cell, Signed, Table

_NONE = (None, None)

slices_option = click.option(
    "--slices",
    "labels",
    metavar="FILE",
    help="Also score slices: one label per line for each sentence, or a table with a header.",
)


def load_slices(
    path: str | None,
    corpus: Corpus,
    findings: Findings,
    *,
    encoding: str,
    outputs: Sequence[str | None] = (),
) -> list[Labeling]:
    """Read the labels given by ``--slices``, if any."""
    if path is None:
        return []
    protect([path], outputs)
    return read_labels(
        path, n_sents=len(corpus), corpus=corpus.name, findings=findings, encoding=encoding
    )


def slice_table(metric: Metric, found: Sequence[SlicedResult]) -> Table:
    """Return the scores of all systems on all slices, and their macro averages, as a table."""
    rows: list[tuple[Cell, ...]] = [
        (
            own.label,
            own.n_sents,
            one.result.system,
            own.value,
            *(_ends(own.interval) or (None,) * 2),
        )
        for scores in zip(*((*one.slices, one.macro) for one in found), strict=True)
        for one, own in zip(found, scores, strict=True)
    ]
    name = found[0].labeling
    header = ("slice", "sentences", "system", metric.score_name, "low", "high")
    return Table(f"slices-{metric.name}-{name}", f"{metric.title} by {name}", header, tuple(rows))


def sliced_comparison_table(metric: Metric, name: str, rows: Sequence[SlicedComparison]) -> Table:
    """Return the comparisons of all slices as a table."""
    numbers = ("difference", "low", "high", "p", "adjusted p")
    return Table(
        f"comparisons-{metric.name}-{name}",
        f"{metric.title} by {name}: second − first",
        ("slice", "sentences", "first", "second", *numbers),
        tuple(
            (
                MACRO if one.label is None else one.label,
                one.n_sents,
                row.first,
                row.second,
                *map(Signed, (row.difference, row.interval.low, row.interval.high)),
                row.p_value,
                row.adjusted_p_value,
            )
            for one in rows
            for row in [one.comparison]
        ),
    )


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
