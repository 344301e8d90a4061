"""The results file."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

import made_up
from altered import alterations
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics import metric_class
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.presentation.export import file_name, save_tables
from geceval.report.collect import collect
from geceval.report.rendering import render
from geceval.report.results import SCHEMA, Results, dumps, number, save
from geceval.report.results_loader import load
from geceval.report.tables import tables
from report_examples import example_results

POWER = {"alpha": 0.05, "power": 0.8, "detectable": 0.1, "least": 0.1, "greatest": 0.2}
INFLUENCE = {"first": "careful", "second": "eager"}


@pytest.fixture(scope="module")
def results() -> Results:
    gold = made_up.corpus(12)
    return collect(
        gold,
        made_up.systems(gold, "ours", "<b>"),
        make_metrics(["m2"], {}),
        resampling=Resampling(20),
    )


@pytest.mark.parametrize("name", ["results.json", "results.json.gz"])
def test_results_are_saved_and_loaded(results: Results, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    save(results, path)
    loaded = load(path)
    assert json.loads(dumps(loaded)) == json.loads(dumps(results))
    again = tmp_path / f"again-{name}"
    save(loaded, again)
    assert load(again) == loaded
    packed = path.read_bytes()
    assert (gzip.decompress(packed) if name.endswith("gz") else packed).count(b"\n") == 1


def test_load_adds_ranges_of_ranks_to_older_files(results: Results, tmp_path: Path) -> None:
    document = json.loads(dumps(results))
    for record in document["scores"]["m2"].values():
        del record["rank_range"]
    path = tmp_path / "older.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert load(path)["scores"] == results["scores"]


@pytest.mark.parametrize("change", [{"rank_range": [1, 1]}, {"cluster": 7}])
def test_load_refuses_ranks_that_the_tests_do_not_imply(
    results: Results, tmp_path: Path, change: dict[str, object]
) -> None:
    document = json.loads(dumps(results))
    document["scores"]["m2"]["ours"].update(change)
    path = tmp_path / "other.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(GecevalError, match="'ours' other ranks or another cluster"):
        load(path)


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
        ('{"kind": ', r"not a results file of 'geceval report' \(Input data was truncated"),
        ("[" * 100_000, "not a results file"),
        ("[1]", "not a results file of 'geceval report'$"),
        ('{"kind": "study", "schema": 1}', "not a results file of 'geceval report'"),
        ('{"kind": "report"}', "does not state its schema"),
        ('{"kind": "report", "schema": "1"}', "does not state its schema"),
        ('{"kind": "report", "schema": 1, "title": ""}', "missing required field `version`"),
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


def test_load_refuses_or_shows_altered_files(tmp_path: Path) -> None:
    path = tmp_path / "altered.json"
    document = json.loads(dumps(example_results(5)))
    n_refused = 0
    for place, altered in enumerate(alterations(document, n=400)):
        path.write_text(json.dumps(altered), encoding="utf-8")
        try:
            results = load(path)
        except GecevalError:
            n_refused += 1
            continue
        save_tables(tables(results), tmp_path / "tables")
        # Drawing takes a while, and most alterations that pass are to text.
        if place % 10 == 0:
            assert "</html>" in render(results)
    assert 200 < n_refused < 400


@pytest.mark.parametrize("name", ["x/../../../out/m2", "/m2", "..", "", "m2\x00", "m" * 300])
def test_names_from_a_results_file_do_not_become_paths(tmp_path: Path, name: str) -> None:
    text = dumps(example_results(5)).replace('"m2"', json.dumps(name))
    (tmp_path / "evil.json").write_text(text, encoding="utf-8")
    folder = tmp_path / "a" / "b" / "c"
    save_tables(tables(load(tmp_path / "evil.json")), folder)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in written} == {tmp_path, folder}
    assert len(written) > 20


def test_file_names_stay_apart() -> None:
    names = ["m2", "M2", "m/2", "m%2F2", ".m2", "..", "", "é", "m 2", "m" * 300, "m" * 301]
    files = [file_name(name) for name in names]
    assert len(set(files)) == len(names)
    assert files[:2] == ["m2", "M2"]
    assert all("/" not in one and not one.startswith(".") and len(one) < 200 for one in files)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("inputs", 0, "sentences"), 7, "inputs has 7 sentences of 'gold', not 5"),
        (("outcomes", "careful", "correct"), 99, "outcomes.careful has other numbers than"),
        (("comparisons", "m2", 0, "p"), 1.5, "a p-value that is not between 0 and 1"),
        (("comparisons", "m2", 0, "difference"), 0.9, "a difference that is not that of the"),
        (("comparisons", "m2", 0, "second"), "careful", "compares 'careful' with itself"),
        (("comparisons", "m2", 1, "second"), "eager", "does not have each pair of systems once"),
        (("comparisons", "m2", 0, "second"), "nobody", "names 'nobody', which is not known"),
        (("scores", "m2", "careful", "score"), None, "a difference of unknown scores"),
        (("scores", "m2", "careful", "score"), 1e300, "damaged"),
        (("scores", "m2", "careful", "rank"), 10**30, "a number is larger than"),
        (("scores", "m2", "careful", "score"), 10**400, "a number is larger than"),
        (("comparisons", "m2", 0, "difference"), -(10**400), "a number is larger than"),
        (("sentences", "systems", "careful", "scores", "m2", 0), 10**400, "a score larger than"),
        (("baselines", 0, "kind"), "__proto__", "names '__proto__', which is not known"),
        (("scores", "m2", "careful", "score"), math.nan, "not a results file"),
        (("scores", "m2", "careful", "score"), "<script>", "not a results file"),
        (("systems", 0), "__proto__", "damaged: "),
        (("sentences", "systems", "careful", "chosen", 0), 99, "has the position 99"),
        (("influence",), {"m2": [{"first": "careful", "second": "x", "sentences": []}]}, "'x'"),
        (("scores", "m2", "careful", "rank"), 1, "scores.m2 has ranks that are not those of the"),
        (
            ("scores", "m2", "careful", "part_intervals"),
            {"precision": [0.9, 0.1]},
            "an interval whose ends are swapped",
        ),
        (("comparisons", "m2", 0, "interval"), [0.8, 0.9], "does not contain the difference"),
        (("scores", "m2", "careful", "interval"), [5.0, 6.0], "does not contain the score"),
        (("comparisons", "m2", 0, "p"), 0.9, "a p-value that is larger than the adjusted one"),
        (("comparisons", "m2", 0, "detectable"), -1.0, "a negative detectable difference"),
        (("power",), {"m2": POWER | {"power": -5.0}}, "power.m2 has a number out of range"),
        (("power",), {"m2": POWER | {"least": 0.9}}, "power.m2 has a number out of range"),
        (("agreement", "sentences", 0, 1), 99, "a correlation that is not between -1 and 1"),
        (("types", "m2", "careful", "R:PREP", "recall"), 99, "that is not between 0 and 1"),
        (("frequent", "careful", "missed", 0, 2), -5, "frequent.careful has a count below 1"),
        (("slices", 0, "bins", 0, "sentences"), -5, "a negative number of sentences"),
        (("metrics", 0, "beta"), -1, "a negative beta"),
        (("inputs", 0, "tokens"), -5, "inputs has a negative count of 'gold'"),
        (("warnings", 0, "severity"), "<b>", "warnings has the unknown severity '<b>'"),
        (("warnings", 0, "line"), -5, "warnings has a count or a line below 1"),
        (("sentences", "gold", 0, 1, 0), 0, "sentences.gold has an annotator twice"),
        (("sentences", "systems", "eager", "edits", 0, 0, 5), 99, "has the position 99"),
        (("sentences", "systems", "eager", "edits", 0, 0, 1), 500, "has the span"),
        (("sentences", "systems", "unchanged", "missed", 0, 0, 0), 99, "missed has the position"),
        (("sentences", "systems", "careful", "counts", 0, 0), [-1, 1, 1], "counts has a negative"),
        (("influence",), {"m2": [INFLUENCE | {"sentences": [[0, 0.1]] * 2}]}, "one of them twice"),
    ],
)
def test_load_refuses_contradictions(
    tmp_path: Path, place: tuple[str | int, ...], value: object, message: str
) -> None:
    document = json.loads(dumps(example_results(5)))
    holder = document
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(GecevalError) as error:
        load(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("metric", ["m2", "errant", "imeasure"])
def test_load_accepts_gold_edits_past_the_end(tmp_path: Path, metric: str) -> None:
    """They are scored with a warning, so the results file has them, too."""
    edits = Edit(1, 2, (("like",),), "R:VERB"), Edit(2, 9, (("it",),), "R:PRON")
    gold = Corpus((Sentence(("I", "likes", "them"), (Annotation("0", edits),)),))
    system = Hypothesis("ours", (("I", "like", "them"),))
    options = {"lang": "plain"} if metric == "errant" else {}
    found = collect(gold, [system], [metric_class(metric)(**options)], resampling=Resampling(0))
    save(found, tmp_path / "results.json")
    assert dumps(load(tmp_path / "results.json")) == dumps(found)


def test_keys_of_the_prototype_are_ignored(tmp_path: Path) -> None:
    document = json.loads(dumps(example_results(5)))
    document["__proto__"] = {"polluted": "yes"}
    document["sentences"]["__proto__"] = {"polluted": "yes"}
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "polluted" not in render(load(path))


def test_script_in_any_text_is_shown_as_text(tmp_path: Path) -> None:
    script = "<script>alert(1)</script>"
    document = json.loads(dumps(example_results(5)))
    for key in ("title", "version"):
        document[key] = script
    for record in (*document["inputs"], *document["warnings"], *document["metrics"]):
        for key, value in record.items():
            if isinstance(value, str) and key not in ("name", "role", "severity"):
                record[key] = script
    sources = document["sentences"]["source"]
    document["sentences"]["source"] = [f"{script} {source}" for source in sources]
    for view in document["sentences"]["systems"].values():
        view["output"] = [script] * 5
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert script not in render(load(path))
