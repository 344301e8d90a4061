"""A summary of a report in Markdown, for a pull request or a README."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.presentation.table import Cell, Table, markdown_text
from geceval.report.first_screen import reference_rows, roman, shown_number, shown_range
from geceval.report.headline import headline
from geceval.report.notes import findings_shown, method_note, power_note
from geceval.report.pair_tests import best_first, pair_tests
from geceval.report.results import MetricRecord, Results

MOST_METRICS = 6
"""Number of further metrics that are columns; more of them are rows of a table of their own."""

_SIGNS = {"win": "+", "loss": "−", "undecided": "·", "untested": ""}


def summarize(results: Results) -> str:
    """Return the headline, scores and pairwise tests as Markdown.

    Text from the results, such as names of systems, is escaped.
    """
    first, *others = results["metrics"]
    is_wide = len(others) > MOST_METRICS
    parts = [
        f"## {markdown_text(results['title'])}",
        markdown_text(str(headline(results))),
        _scores(results, [] if is_wide else others).as_markdown(),
    ]
    if is_wide:
        parts.append(_by_metric(results, others).as_markdown())
    if results["comparisons"][first["name"]]:
        title = markdown_text(first["title"])
        legend = "`+` significantly better, `−` significantly worse, `·` undecided"
        parts += [
            "In parentheses: the ranks that paired tests leave open.",
            f"Row against column by {title}: {legend}.",
            _matrix(results, first).as_markdown(),
        ]
    grave = [one for one in results["warnings"] if one["severity"] == "error"]
    parts.append("\n".join(map(_finding, findings_shown(grave))))
    notes = " ".join(filter(None, (method_note(results), power_note(results))))
    parts.append(f"{markdown_text(notes)} Made by geceval {markdown_text(results['version'])}.")
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _finding(shown: tuple[str, str, int]) -> str:
    text, _, more = shown
    rest = f" And {more:,} more of this kind." if more else ""
    return f"- **changes scores:** {markdown_text(text)}{rest}"


def _scores(results: Results, others: Sequence[MetricRecord]) -> Table:
    """Return scores with rank ranges, and the intervals and clusters of the first metric."""
    first = results["metrics"][0]
    rows: list[tuple[Cell, ...]] = []
    for system in best_first(results, first["name"]):
        record = results["scores"][first["name"]][system]
        ends = record["interval"]
        is_tested = bool(results["comparisons"][first["name"]])
        rows.append(
            (
                system,
                shown_number(record["score"]),
                "" if ends is None else " to ".join(shown_number(end, 3) for end in ends),
                shown_range(*record["rank_range"]) if is_tested else "",
                roman(record["cluster"]) if is_tested else "",
                *(_score(results, metric, system) for metric in others),
            )
        )
    for row in reference_rows(results):
        numbers = [shown_number(row.scores[metric["name"]]) for metric in (first, *others)]
        rows.append((row.name, numbers[0], "", "", "", *numbers[1:]))
    header = ("system", first["title"], "interval", "ranks", "cluster")
    return Table(
        "summary", "Scores", (*header, *(metric["title"] for metric in others)), tuple(rows)
    )


def _by_metric(results: Results, metrics: Sequence[MetricRecord]) -> Table:
    """Return scores with rank ranges, a row for each metric."""
    systems = best_first(results, results["metrics"][0]["name"])
    references = reference_rows(results)
    rows = tuple(
        (
            metric["title"],
            *(_score(results, metric, system) for system in systems),
            *(shown_number(row.scores[metric["name"]]) for row in references),
        )
        for metric in metrics
    )
    header = ("metric", *systems, *(row.short for row in references))
    return Table("by-metric", "Scores by the other metrics", header, rows)


def _score(results: Results, metric: MetricRecord, system: str) -> str:
    record = results["scores"][metric["name"]][system]
    text = shown_number(record["score"])
    if results["comparisons"][metric["name"]]:
        text += f" ({shown_range(*record['rank_range'])})"
    return text


def _matrix(results: Results, metric: MetricRecord) -> Table:
    order = best_first(results, metric["name"])
    tests = pair_tests(results, metric["name"])
    rows = tuple(
        (
            row,
            *(
                _SIGNS[tests[row, column].verdict] if (row, column) in tests else ""
                for column in order
            ),
        )
        for row in order
    )
    return Table("pairs", "Pairwise tests", ("", *order), rows)
