"""Tables of a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from geceval.extraction.categories import UNIVERSAL_TYPERS, describe, describe_chinese
from geceval.presentation.table import Cell, Table
from geceval.report.first_screen import people, reference_rows
from geceval.report.pair_tests import best_first
from geceval.report.results import MetricRecord, Number, Partition, Results, Subset, TypeRecord

NO_TYPE = "(none)"
"""Label of an empty error type."""

_FREQUENT = {
    "wrong": "Most frequent wrong edits",
    "missed": "Most frequent missed edits",
    "correct": "Most frequent correct edits",
}


def tables(results: Results) -> list[Table]:
    """Return all tables of a report."""
    found = [scoreboard(results), people_table(results), _ranking(results)]
    found += [_parts(results, metric) for metric in results["metrics"] if metric["parts"]]
    found += [
        _comparisons(results, metric)
        for metric in results["metrics"]
        if results["comparisons"][metric["name"]]
    ]
    found += power_table(results)
    if results["outcomes"]:
        found.append(_outcomes(results))
    found += [
        _types(results, metric)
        for metric in results["metrics"]
        if metric["name"] in results["types"]
    ]
    if "retyped" in results:
        found.append(_retyped(results))
    found += meanings(results)
    found += _subsets(results)
    found += _agreement(results)
    found += _frequent(results)
    return found


def scoreboard(results: Results) -> Table:
    """Return the scores of systems, the best first, then doing nothing and people."""
    names = [metric["name"] for metric in results["metrics"]]
    rows: list[tuple[Cell, ...]] = [
        (system, *(_real(results["scores"][name][system]["score"]) for name in names))
        for system in best_first(results, names[0])
    ]
    rows += [
        (row.name, *(_real(row.scores[name]) for name in names)) for row in reference_rows(results)
    ]
    header = ("system", *map(metric_label, results["metrics"]))
    return Table("scoreboard", "Scores", header, tuple(rows))


def people_table(results: Results) -> Table:
    """Return the scores of people and of doing nothing.

    Systems are there if they were also scored with as many references as people have.
    """
    names = [metric["name"] for metric in results["metrics"]]
    n_people = len(people(results))
    n_references = {"floor": n_people, "ceiling": n_people - 1, "mean": n_people - 1}
    rows: list[tuple[Cell, ...]] = [
        (
            row.name,
            n_references[row.kind] if n_people else None,
            *(_real(row.scores[name]) for name in names),
        )
        for row in reference_rows(results, has_everyone=True)
    ]
    fewer = results.get("equal_references", {})
    for system in best_first(results, names[0]) if fewer else ():
        scores = [_real(results["scores"][name][system]["score"]) for name in names]
        equal = [_real(fewer.get(name, {}).get(system)) for name in names]
        rows += [(system, n_people, *scores), (system, n_people - 1, *equal)]
    header = ("who", "references", *map(metric_label, results["metrics"]))
    return Table("people", "People and doing nothing", header, tuple(rows))


def _ranking(results: Results) -> Table:
    """Return every score with its interval, rank, range of ranks and cluster."""
    rows: list[tuple[Cell, ...]] = []
    for metric in results["metrics"]:
        for system in results["systems"]:
            record = results["scores"][metric["name"]][system]
            ends = record["interval"] or (None, None)
            position = record["rank"], *record["rank_range"], record["cluster"]
            rows.append((metric["name"], system, _real(record["score"]), *ends, *position))
    header = (
        "metric",
        "system",
        "score",
        "low",
        "high",
        "rank",
        "best rank",
        "worst rank",
        "cluster",
    )
    return Table(
        "ranking", "Scores with intervals, ranks, ranges of ranks and clusters", header, tuple(rows)
    )


def metric_label(metric: MetricRecord) -> str:
    """Return a short unambiguous label; several metrics are called F0.5."""
    if metric["score_name"] in ("score", metric["title"]):
        return metric["title"]
    return f"{metric['title']} {metric['score_name']}"


def _parts(results: Results, metric: MetricRecord) -> Table:
    records = results["scores"][metric["name"]]
    return Table(
        f"parts-{metric['name']}",
        f"Score components: {metric['title']}",
        ("system", metric["score_name"], *metric["parts"]),
        tuple(
            (
                system,
                _real(records[system]["score"]),
                *(records[system]["parts"].get(part) for part in metric["parts"]),
            )
            for system in results["systems"]
        ),
    )


def _comparisons(results: Results, metric: MetricRecord) -> Table:
    return Table(
        f"comparisons-{metric['name']}",
        f"Pairwise differences (second − first): {metric['title']}",
        ("first", "second", "difference", "low", "high", "p", "adjusted p"),
        tuple(
            (
                row["first"],
                row["second"],
                _real(row["difference"]),
                *(row["interval"] or (None, None)),
                row["p"],
                row["p_adjusted"],
            )
            for row in results["comparisons"][metric["name"]]
        ),
    )


def power_table(results: Results) -> Iterator[Table]:
    """Yield the differences that the tests by each metric can detect, if any is known."""
    by_metric = results.get("power", {})
    if not by_metric:
        return
    rows: list[tuple[Cell, ...]] = [
        (metric["title"], one["detectable"], one["least"], one["greatest"])
        for metric in results["metrics"]
        if (one := by_metric.get(metric["name"])) is not None
    ]
    power = next(iter(by_metric.values()))["power"]
    yield Table(
        "power",
        f"Power: differences that a single test detects with a probability of {100 * power:g} %",
        ("metric", "median of the pairs", "least", "greatest"),
        tuple(rows),
    )


def _outcomes(results: Results) -> Table:
    names = next(iter(results["outcomes"].values()))
    return Table(
        "outcomes",
        "Edit outcomes",
        ("system", *names),
        tuple((system, *counts.values()) for system, counts in results["outcomes"].items()),
    )


def _types(results: Results, metric: MetricRecord) -> Table:
    title = f"Scores by error type: {metric['title']}"
    return _type_table(f"types-{metric['name']}", title, results["types"][metric["name"]])


def _retyped(results: Results) -> Table:
    title = "Scores by error type, gold re-typed"
    return _type_table("types-retyped", title, results["retyped"])


def _type_table(name: str, title: str, by_system: Mapping[str, Mapping[str, TypeRecord]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (type_ or NO_TYPE, system, *_type_cells(by_system[system][type_]))
        for type_ in gold_counts(by_system.values())
        for system in by_system
        if type_ in by_system[system]
    ]
    header = ("type", "system", "TP", "FP", "FN", "gold", "precision", "recall", "F")
    return Table(name, title, header, tuple(rows))


def meanings(results: Results) -> Iterator[Table]:
    """Describe the error types: of English, of Chinese, or those that other languages share."""
    by_system = [one for systems in results["types"].values() for one in systems.values()]
    names = {name for types in by_system for name in types}
    signatures = [metric["signature"] for metric in results["metrics"]]

    def is_by(*typers: str) -> bool:
        return any(f"|types:{typer}" in signature for signature in signatures for typer in typers)

    # The R of Chinese is no replacement.
    universal = partial(describe, universal=is_by(*UNIVERSAL_TYPERS))
    how = describe_chinese if is_by("chinese") else universal
    rows = tuple((name, meaning) for name in sorted(names) if (meaning := how(name)) is not None)
    if rows:
        yield Table("meanings", "Meaning of the error types", ("type", "meaning"), rows)


def _type_cells(record: TypeRecord) -> tuple[Cell, ...]:
    counts = (record["tp"], record["fp"], record["fn"], record["gold"])
    return (*counts, *(_real(record[share]) for share in ("precision", "recall", "f")))


def gold_counts(tables: Iterable[Mapping[str, TypeRecord]]) -> dict[str, int]:
    """Return the number of gold edits of each error type, the most frequent first.

    It depends on the system, because references are chosen per system; the maximum is used.
    """
    counts: dict[str, int] = {}
    for records in tables:
        for name, record in records.items():
            counts[name] = max(counts.get(name, 0), record["gold"])
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _subsets(results: Results) -> Iterator[Table]:
    for partition in results["slices"]:
        subsets, first = list(partition["bins"]), partition["label"]
        if "macro" in partition:
            subsets.append(partition["macro"])
            # The name of a labeling might be that of another column.
            first = "slice"
            yield _slices(results, partition, subsets)
        systems = _columns(results["systems"], "metric", first)
        yield Table(
            f"by-{partition['name']}",
            partition["title"],
            (first, "sentences", "metric", *systems),
            tuple(
                (
                    one["label"],
                    one["sentences"],
                    metric["name"],
                    *(_real(one["scores"][metric["name"]][name]) for name in results["systems"]),
                )
                for metric in results["metrics"]
                for one in subsets
            ),
        )


def _slices(results: Results, partition: Partition, slices: Sequence[Subset]) -> Table:
    """Return the score of each slice with its interval."""
    rows: list[tuple[Cell, ...]] = []
    for metric in results["metrics"]:
        for one in slices:
            for system in results["systems"]:
                ends = one.get("intervals", {}).get(metric["name"], {}).get(system) or (None, None)
                score = _real(one["scores"][metric["name"]][system])
                cells = (one["label"], one["sentences"], metric["name"], system)
                rows.append((*cells, score, *ends))
    header = ("slice", "sentences", "metric", "system", "score", "low", "high")
    title = f"{partition['title']}, with intervals"
    return Table(f"by-{partition['name']}-intervals", title, header, tuple(rows))


def _columns(names: Sequence[str], *taken: str) -> list[str]:
    """Return unique column names."""
    return [f"{name} (system)" if name in taken else name for name in names]


def _agreement(results: Results) -> Iterator[Table]:
    found = results["agreement"]
    if len(found["metrics"]) < 2:
        return
    for what in ("systems", "sentences"):
        matrix = found[what]
        if matrix is not None:
            yield Table(
                f"metric-agreement-{what}",
                f"Metric agreement over {what} (Spearman's ρ)",
                ("metric", *found["metrics"]),
                tuple(
                    (name, *map(_real, row))
                    for name, row in zip(found["metrics"], matrix, strict=True)
                ),
                digits=2,
            )


def _frequent(results: Results) -> Iterator[Table]:
    for kind, title in _FREQUENT.items():
        rows = tuple(
            (system, old or "∅", new or "∅", count)
            for system, kinds in results["frequent"].items()
            for old, new, count, _ in kinds[kind]
        )
        if rows:
            yield Table(
                f"frequent-{kind}", title, ("system", "source", "correction", "count"), rows
            )


def _real(value: Number) -> Number:
    """Return a number as a float: JSON may have turned 1.0 into 1."""
    return None if value is None else float(value)
