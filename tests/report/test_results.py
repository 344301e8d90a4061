"""The results file."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

import made_up
from geceval.errors import GecevalError
from geceval.evaluate import make_metrics
from geceval.report.collect import collect
from geceval.report.results import SCHEMA, Results, dumps, load, number, save


@pytest.fixture(scope="module")
def results() -> Results:
    gold = made_up.corpus(12)
    return collect(
        gold, made_up.systems(gold, "ours", "<b>"), make_metrics(["m2"], {}), n_resamples=20
    )


@pytest.mark.parametrize("name", ["results.json", "results.json.gz"])
def test_results_are_saved_and_loaded(results: Results, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    save(results, path)
    loaded = load(path)
    assert loaded == json.loads(dumps(results))
    again = tmp_path / f"again-{name}"
    save(loaded, again)
    assert load(again) == loaded
    packed = path.read_bytes()
    assert (gzip.decompress(packed) if name.endswith("gz") else packed).count(b"\n") == 1


def test_results_have_no_nan(results: Results) -> None:
    broken: Results = {**results, "settings": {**results["settings"], "level": math.nan}}
    with pytest.raises(GecevalError, match=r"settings\.level is nan, which JSON cannot hold"):
        dumps(broken)


def test_number() -> None:
    assert [number(value, 3) for value in (0.12345, 2.0, -math.inf, 123456.0)] == [
        0.123,
        2,
        None,
        123000,
    ]
    assert number(1 / 3) == 1 / 3


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "not a results file of 'geceval report'$"),
        ('{"kind": ', r"not a results file of 'geceval report' \(Expecting value: line 1"),
        ("[" * 100_000, "not a results file"),
        ("[1]", "not a results file of 'geceval report'"),
        ('{"kind": "study", "schema": 1}', "not a results file of 'geceval report'"),
        ('{"kind": "report"}', "does not tell its schema"),
        ('{"kind": "report", "schema": "1"}', "does not tell its schema"),
        ('{"kind": "report", "schema": 1, "title": ""}', "lacks agreement, baselines, "),
        (
            json.dumps({"kind": "report", "schema": SCHEMA + 1, "version": "9.9"}),
            f"schema {SCHEMA + 1}, made by geceval 9.9; this version reads up to {SCHEMA}",
        ),
    ],
)
def test_load_refuses_other_files(tmp_path: Path, document: str, message: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(document, encoding="utf-8")
    with pytest.raises(GecevalError, match=message) as error:
        load(path)
    assert str(path) in str(error.value)


def test_load_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match=r"nowhere\.json: cannot be read: no such file"):
        load(tmp_path / "nowhere.json")
