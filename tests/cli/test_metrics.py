"""``geceval metrics``: what the metrics are called, take and need."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.errors import OptionError
from geceval.evaluation.evaluate import make_metrics
from geceval.metrics import metric_class, metric_names, registry, standalone_names
from geceval.metrics.options import options_of
from geceval.metrics.specs import parse_specs

OBJECTS = {"annotator", "notify", "pack_options"}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["metrics", *arguments])


def listed(*arguments: str) -> list[dict[str, Any]]:
    result = run("--json", *arguments)
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["metrics"]
    return found


def test_every_metric_is_listed_with_every_option() -> None:
    records = {one["name"]: one for one in listed()}
    assert list(records) == metric_names()
    for name, record in records.items():
        declared = options_of(metric_class(name))
        assert [one["name"] for one in record["options"]] == [
            option for option in declared if option not in OBJECTS
        ]
        for one in record["options"]:
            option = declared[one["name"]]
            assert one["takes"] == option.allowed
            needed = option.default is inspect.Parameter.empty
            assert one["default"] == (None if needed else option.default)
            assert one["description"], (name, one["name"])
    assert records["m2"]["needs"] == ["edits"]
    assert records["grammar"]["needs"] == ["geceval[grammar]"]
    assert records["gleu"]["needs"] == ["references"]
    beta = next(one for one in records["m2"]["options"] if one["name"] == "beta")
    assert beta["range"] == {"min": 0, "max": 1000}


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", ["", *metric_names()])
def test_tables_fit_the_terminal(columns: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run(*name.split())
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stdout.split("\n") if not line.startswith("Example: ")]
    assert max(map(len, lines)) <= columns
    together = re.sub(r"\s", "", result.stdout)
    for option in (
        options_of(metric_class(name)) if name else ("m2", "beta=0.5", "geceval[grammar]")
    ):
        assert option in OBJECTS or option in together


@pytest.mark.parametrize("name", standalone_names())
def test_examples_work(name: str) -> None:
    (line,) = (line for line in run(name).stdout.split("\n") if line.startswith("Example: "))
    words = shlex.split(line.removeprefix("Example: "))
    assert words[:3] == ["geceval", "score", "-m"]
    (metric,) = make_metrics(parse_specs(words[3]))
    assert metric.name == name


def test_names_in_any_case_and_unknown_ones() -> None:
    assert listed("MaxMatch") == listed("m2")
    result = run("m3")
    assert result.exit_code == 2
    assert "unknown metric 'm3'; did you mean 'm2'?" in result.output


def test_plug_ins_are_listed_or_said_to_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("mine", "geceval.metrics.wdiff:Wdiff", registry.GROUP),
        EntryPoint("broken", "no_such_package:Metric", registry.GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)  # noqa: ARG005
    registry._plugins.cache_clear()
    try:
        result = run("--json")
        assert result.exit_code == 0
        data = json.loads(result.stdout)
        assert data["metrics"][-1]["name"] == "mine"
        assert "the metric 'broken' cannot be loaded" in data["warnings"][0]
        assert run("broken").exit_code == 1
        assert "warning: the metric 'broken' cannot be loaded" in run().stderr
    finally:
        registry._plugins.cache_clear()


def test_errors_are_the_same_from_python_and_from_the_command_line() -> None:
    """Every option of every metric, given what it does not take."""
    for name in metric_names():
        for option, declared in options_of(metric_class(name)).items():
            if option in OBJECTS or str in declared.kinds:
                continue
            with pytest.raises(OptionError) as error:
                metric_class(name)(**{option: "nonsense"})
            arguments = ["-m", f"{name}({option}=nonsense)", "--gold", "no.m2", "no.txt"]
            result = CliRunner().invoke(main, ["score", *arguments])
            assert result.exit_code == 2
            assert str(error.value) in result.output
