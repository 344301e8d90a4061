"""Scores and comparisons of systems as tables for a paper, in percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from geceval import __version__
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import Result
from geceval.evaluation.methods_text import PairedTests, full_name
from geceval.evaluation.resampling import Comparison, Resampling, compare
from geceval.metrics.base import Metric
from geceval.metrics.statistics import precision_and_recall
from geceval.presentation.paper_table import (
    DAGGER,
    DOUBLE_DAGGER,
    ColumnGroup,
    PaperCell,
    PaperTable,
    decimal,
    paper_text,
)
from geceval.report.score_records import (
    SystemResults,
    first_of,
    group_by_metric,
    parts_shown,
)

_NOTHING = PaperCell("--")


def paired_tests(
    results: Sequence[Result],
    *,
    resampling: Resampling,
    baseline: str | None = None,
    progress: Progress = silent,
) -> PairedTests | None:
    """Compare all pairs of systems, or each with a baseline, by all metrics.

    Without a baseline, one system or no resamples leave nothing to test. All pairs are tested
    although a table marks differences from the best system only, because which one is the best is
    not known before.
    """
    grouped = group_by_metric(results)
    n_systems = max(map(len, grouped.values()))
    if baseline is None and (n_systems < 2 or not resampling.n):
        return None
    n_pairs = n_systems * (n_systems - 1) // 2 if baseline is None else n_systems - 1
    enough = resampling.for_comparisons(n_pairs)
    return PairedTests(
        {
            name: compare(
                first_of(systems).metric,
                {system: result.statistics for system, result in systems.items()},
                baseline=baseline,
                resampling=enough,
                progress=progress,
            )
            for name, systems in grouped.items()
        },
        enough,
        baseline,
    )


@dataclass(frozen=True, slots=True)
class _ScoreColumns:
    """The columns of one metric.

    Parameters
    ----------
    systems
        Results of the metric.
    decimals
        Decimal places.
    with_interval
        Whether the confidence interval has a column.
    """

    systems: SystemResults
    decimals: int
    with_interval: bool

    @property
    def metric(self) -> Metric:
        return first_of(self.systems).metric

    @property
    def shares(self) -> tuple[str, ...]:
        """Names of precision and recall, if the metric has them."""
        return precision_and_recall(parts_shown(first_of(self.systems))) or ()

    def group(self) -> ColumnGroup:
        interval = first_of(self.systems).interval
        level = f"{100 * interval.level:g} % CI" if self.with_interval and interval else ""
        beside = (level,) if level else ()
        if not self.shares:
            return ColumnGroup("", (full_name(self.metric), *beside))
        return ColumnGroup(self.metric.title, ("P", "R", self.metric.score_name, *beside))

    def cells(self, system: str, mark: str) -> tuple[PaperCell, ...]:
        result = self.systems.get(system)
        if result is None:
            return (_NOTHING,) * len(self.group().headings)
        parts = [result.score.parts.get(name) for name in self.shares]
        interval = result.interval if self.with_interval else None
        return (
            *(_NOTHING if part is None else PaperCell(self._shown(part)) for part in parts),
            PaperCell(self._shown(result.score.value), self._is_best(result), mark),
            *([PaperCell(f"[{', '.join(map(self._shown, interval))}]")] if interval else []),
        )

    def _is_best(self, result: Result) -> bool:
        """Whether the score is the highest as printed, of several systems."""
        shown = self._shown(max(one.score.value for one in self.systems.values()))
        return len(self.systems) > 1 and self._shown(result.score.value) == shown

    def _shown(self, value: float) -> str:
        return _scaled(self.metric, value, self.decimals)


def score_paper_table(
    results: Sequence[Result], tests: PairedTests | None = None, *, decimals: int = 2
) -> PaperTable:
    """Return the scores of all systems by all metrics as one table.

    The best score of each metric is bold. Marks show systems that are significantly worse than the
    best, or significantly better or worse than the baseline. There is room for intervals if there
    is one metric.

    Parameters
    ----------
    results
        Results of all systems and metrics.
    tests
        Paired tests; without them there are no marks.
    decimals
        Decimal places of percent.
    """
    grouped = group_by_metric(results)
    with_interval = len(grouped) == 1 and all(result.interval is not None for result in results)
    columns = {
        name: _ScoreColumns(systems, decimals, with_interval) for name, systems in grouped.items()
    }
    marks = {name: _marks(systems, tests) for name, systems in grouped.items()}
    rows = []
    for system in dict.fromkeys(result.system for result in results):
        cells = [one.cells(system, marks[name].get(system, "")) for name, one in columns.items()]
        rows.append(((system,), tuple(cell for own in cells for cell in own)))
    caption = [_scale(grouped, len(results[0].statistics))]
    if len(rows) > 1:
        caption.append("The best scores are bold.")
    used = {mark for own in marks.values() for mark in own.values()}
    if tests is not None:
        caption.append(_mark_legend(tests, used))
    if with_interval and (interval := results[0].interval):
        caption.append(
            rf"CI: {100 * interval.level:g}\,\% confidence interval by bootstrap resampling."
        )
    return PaperTable(
        ("System",),
        tuple(one.group() for one in columns.values()),
        tuple(rows),
        " ".join([*caption, _computed()]),
        "scores",
        _signatures(results),
    )


def comparison_paper_table(
    results: Sequence[Result], tests: PairedTests, *, decimals: int = 2
) -> PaperTable:
    """Return the differences between systems by all metrics as one table.

    There is room for intervals if there is one metric.
    """
    grouped = group_by_metric(results)
    with_interval = len(grouped) == 1
    level = f"{100 * tests.resampling.level:g} % CI"
    headings = ("Difference", *([level] if with_interval else []), "p")
    rows = []
    for same in zip(*(tests.comparisons[name] for name in grouped), strict=True):
        cells: list[PaperCell] = []
        for name, row in zip(grouped, same, strict=True):
            cells += _difference_cells(
                first_of(grouped[name]).metric, row, tests, decimals, with_interval
            )
        rows.append(((same[0].first, same[0].second), tuple(cells)))
    is_marked = any(cell.mark for _, cells in rows for cell in cells)
    legend = rf"{DAGGER}: significant at $p < {tests.alpha}$." if is_marked else ""
    tested = f"Two-sided p-values by {_test_settings(tests)}."
    caption = [
        "Score of the second system minus that of the first.",
        _scale(grouped, len(results[0].statistics), "Differences are in percentage points"),
        tested,
        *([legend] if legend else []),
        _computed(),
    ]
    return PaperTable(
        ("First", "Second"),
        tuple(
            ColumnGroup(full_name(first_of(systems).metric), headings)
            for systems in grouped.values()
        ),
        tuple(rows),
        " ".join(caption),
        "differences",
        _signatures(results),
    )


def _difference_cells(
    metric: Metric, row: Comparison, tests: PairedTests, decimals: int, with_interval: bool
) -> list[PaperCell]:
    def shown(value: float) -> str:
        text = _scaled(metric, value, decimals)
        return f"+{text}" if float(text) > 0 else text

    is_significant = row.is_significant(tests.resampling.level)
    interval = PaperCell(f"[{', '.join(map(shown, row.interval))}]")
    p_value = row.adjusted_p_value
    return [
        PaperCell(shown(row.difference), mark=DAGGER if is_significant else ""),
        *([interval] if with_interval else []),
        PaperCell("<0.001" if p_value < 0.0005 else decimal(p_value, 3)),
    ]


def _marks(systems: SystemResults, tests: PairedTests | None) -> Mapping[str, str]:
    """Return the marks of systems that differ from the best, or from the baseline."""
    if tests is None:
        return {}
    best = max(systems.values(), key=lambda result: result.score.value).system
    other = best if tests.baseline is None else tests.baseline
    marks = {}
    for row in tests.comparisons[first_of(systems).metric.name]:
        if other not in (row.first, row.second) or not row.is_significant(tests.resampling.level):
            continue
        is_first = row.first == other
        name, gain = (row.second, row.difference) if is_first else (row.first, -row.difference)
        is_worse_than_baseline = tests.baseline is not None and gain < 0
        marks[name] = DOUBLE_DAGGER if is_worse_than_baseline else DAGGER
    return marks


def _mark_legend(tests: PairedTests, used: set[str]) -> str:
    if tests.baseline is None:
        meanings = {DAGGER: "significantly worse than the best system"}
    else:
        name = paper_text(tests.baseline)
        meanings = {
            DAGGER: f"significantly better than {name}",
            DOUBLE_DAGGER: f"significantly worse than {name}",
        }
    shown = [f"{mark}: {meaning}" for mark, meaning in meanings.items() if mark in used]
    if not shown:
        other = "the best system" if tests.baseline is None else paper_text(tests.baseline)
        shown = [f"No system differs significantly from {other}"]
    return f"{'; '.join(shown)} ($p < {tests.alpha}$, {_test_settings(tests)})."


def _test_settings(tests: PairedTests) -> str:
    n = tests.n_comparisons
    pairs = "for one comparison" if n == 1 else f"for {n:,} comparisons by Holm's method"
    return f"{tests.test_name} with {tests.resampling.n:,} resamples, adjusted {pairs}"


def _scale(
    grouped: Mapping[str, SystemResults], n_sents: int, subject: str = "Scores are in percent"
) -> str:
    """Say what is in percent, and on how many sentences."""
    metrics = [first_of(systems).metric for systems in grouped.values()]
    others = [paper_text(metric.title) for metric in metrics if not metric.is_share]
    where = f"on {n_sents:,} sentence{'s' if n_sents != 1 else ''}"
    if len(others) == len(metrics):
        return f"Computed {where}, not in percent."
    exceptions = f", except {', '.join(others)}" if others else ""
    return f"{subject}, {where}{exceptions}."


def _scaled(metric: Metric, value: float, decimals: int) -> str:
    return decimal(100 * value if metric.is_share else value, decimals)


def _computed() -> str:
    return f"Computed with geceval {paper_text(__version__)}."


def _signatures(results: Sequence[Result]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(result.score.signature for result in results))
