"""The tables of a report."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

import made_up
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.presentation.export import save_tables
from geceval.presentation.table import FORMS, Table
from geceval.report.collect import collect
from geceval.report.results import Results, dumps
from geceval.report.tables import gold_counts, meanings, tables

SYSTEMS = ("50% & more_less", "plain", "#1 {x} ~ \\ ^ $")


@pytest.fixture(scope="module")
def results() -> Results:
    gold = made_up.corpus(40)
    metrics = [M2(), Errant(lang="plain"), *make_metrics(["gleu"], {})]
    return collect(gold, made_up.systems(gold, *SYSTEMS), metrics, resampling=Resampling(20))


@pytest.fixture(scope="module")
def named(results: Results) -> dict[str, Table]:
    return {table.name: table for table in tables(results)}


def test_tables_are_all_there(named: dict[str, Table]) -> None:
    assert list(named) == [
        *("scoreboard", "people", "ranking", "parts-m2", "parts-errant", "parts-gleu"),
        *("comparisons-m2", "comparisons-errant", "comparisons-gleu"),
        *("power", "outcomes", "types-m2", "types-errant", "types-retyped", "meanings"),
        *("by-length", "by-edits", "by-agreement"),
        *("metric-agreement-sentences", "frequent-wrong", "frequent-missed", "frequent-correct"),
    ]


def test_tables_hold_the_numbers_of_the_results(results: Results, named: dict[str, Table]) -> None:
    shown = [row[0] for row in named["scoreboard"].rows[: len(SYSTEMS)]]
    assert shown == sorted(SYSTEMS, key=lambda name: results["scores"]["m2"][name]["rank"])
    for row in named["scoreboard"].rows[: len(SYSTEMS)]:
        scores = [results["scores"][name][str(row[0])]["score"] for name in results["scores"]]
        assert list(row[1:]) == scores
    for name, system, score, low, high, rank, best, worst, cluster in named["ranking"].rows:
        record = results["scores"][str(name)][str(system)]
        assert (record["score"], record["interval"]) == (score, (low, high))
        assert (record["rank"], record["cluster"]) == (rank, cluster)
        assert record["rank_range"] == (best, worst)
    for name, system, *counts in named["types-errant"].rows:
        assert counts == list(results["types"]["errant"][str(system)][str(name)].values())
    for name, system, *counts in named["types-retyped"].rows:
        assert counts == list(results["retyped"][str(system)][str(name)].values())
    for system, *counts in named["outcomes"].rows:
        assert counts == list(results["outcomes"][str(system)].values())
    assert [row[0] for row in named["power"].rows] == [
        metric["title"] for metric in results["metrics"]
    ]
    for (_, *differences), power in zip(
        named["power"].rows, results["power"].values(), strict=True
    ):
        assert differences == [power["detectable"], power["least"], power["greatest"]]
    baselines = [(row[0], list(row[1:])) for row in named["scoreboard"].rows[len(SYSTEMS) :]]
    assert baselines == [
        (one["name"], list(one["scores"].values())) for one in results["baselines"]
    ]
    for first, second, difference, low, high, p_value, adjusted in named["comparisons-gleu"].rows:
        [test] = [
            one
            for one in results["comparisons"]["gleu"]
            if (one["first"], one["second"]) == (first, second)
        ]
        assert (test["difference"], test["interval"]) == (difference, (low, high))
        assert (test["p"], test["p_adjusted"]) == (p_value, adjusted)


def test_tables_of_loaded_results_are_the_same(results: Results) -> None:
    assert tables(json.loads(dumps(results))) == tables(results)


def test_save_tables_writes_every_form(
    results: Results, named: dict[str, Table], tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "tables"
    assert save_tables(tables(results), folder) == len(named)
    assert {path.name for path in folder.iterdir()} == {
        f"{name}.{form}" for name in named for form in FORMS
    }
    with (folder / "outcomes.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert [row[0] for row in rows] == ["system", *SYSTEMS]
    latex = (folder / "scoreboard.tex").read_text(encoding="utf-8")
    assert r"50\% \& more\_less" in latex
    assert r"\#1 \{x\} \textasciitilde{} \textbackslash{} \textasciicircum{} \$" in latex
    # Nothing that means something to LaTeX is left but what we wrote ourselves.
    assert not re.search(r"(?<!\\)[%#$_]", latex)


def test_save_tables_where_there_is_a_file(results: Results, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GecevalError, match="cannot be created"):
        save_tables(tables(results), tmp_path / "file")


def test_tables_without_edits_or_resamples() -> None:
    gold = made_up.corpus(10, annotators=("0",))
    found = collect(
        gold, made_up.systems(gold, "a"), make_metrics(["gleu"], {}), resampling=Resampling(0)
    )
    names = [table.name for table in tables(found)]
    assert names == ["scoreboard", "people", "ranking", "parts-gleu", "by-length", "by-edits"]
    assert tables(found)[2].rows[0][3:5] == (None, None)


def test_types_are_in_the_order_of_their_gold_edits(results: Results) -> None:
    by_system = results["types"]["errant"]
    order = gold_counts(by_system.values())
    gold = [max(one[name]["gold"] for one in by_system.values() if name in one) for name in order]
    assert gold == list(order.values()) == sorted(gold, reverse=True)


def test_a_system_called_as_a_column_is() -> None:
    gold = made_up.corpus(10)
    found = collect(gold, made_up.systems(gold, "metric"), [M2()], resampling=Resampling(0))
    table = next(table for table in tables(found) if table.name == "by-length")
    assert table.header[2:] == ("metric", "metric (system)")


@pytest.mark.parametrize(
    ("typer", "expected"),
    [
        ("chinese-words-pinyin", "A noun is redundant."),
        ("rules-1+de", "A different noun is needed."),
    ],
)
def test_meanings_are_those_of_the_language(typer: str, expected: str) -> None:
    results: Any = {
        "metrics": [{"signature": f"errant|types:{typer}|version:1"}],
        "types": {"errant": {"x": {"R:NOUN": {}, "W": {}}}},
    }
    [table] = meanings(results)
    rows = {name: meaning for name, meaning in table.rows}  # noqa: C416
    assert rows["R:NOUN"] == expected
    assert ("W" in rows) == typer.startswith("chinese")
