"""What is no number is no score: it is refused, and never written as JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import geceval
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import evaluate
from geceval.evaluation.resampling import Resampling
from geceval.metrics.statistics import Part, Score, Statistics
from geceval.model import Corpus, Hypothesis
from geceval.presentation.table import Table
from geceval.report.collect import collect
from geceval.storage import strict_json
from toy_metrics import Constant, marked_corpus


class _Broken(Constant):
    """Gives what is no number, as the score or as a part of it."""

    name = "broken"

    def __init__(self, *, value: str = "1.0", parts: Mapping[str, Part] | None = None) -> None:
        super().__init__()
        self._value = float(value)
        self._parts = parts or {}

    def aggregate(self, statistics: Statistics) -> Score:
        return replace(super().aggregate(statistics), value=self._value, parts=self._parts)


def _inputs() -> tuple[Corpus, Hypothesis]:
    corpus = marked_corpus(5)
    return corpus, Hypothesis("ours", corpus.sources)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_evaluate_refuses_a_score_that_is_no_number(value: float) -> None:
    corpus, ours = _inputs()
    message = f"^the metric 'broken' gives {value} as the score of the system 'ours'; "
    with pytest.raises(GecevalError, match=message):
        evaluate(corpus, [ours], [_Broken(value=str(value))], resampling=Resampling(0))
    # A report on many metrics goes on, with a blank and a warning.
    report = collect(corpus, [ours], [_Broken(value=str(value))], resampling=Resampling(0))
    assert report["scores"]["broken"]["ours"]["score"] is None
    (warning,) = report["warnings"]
    assert re.search(message, str(warning["message"]))


def test_evaluate_names_the_part_that_is_no_number() -> None:
    corpus, ours = _inputs()
    metric = _Broken(parts={"fine": 1, "odd": math.nan})
    with pytest.raises(GecevalError, match="nan as the part 'odd' of the score of the system"):
        evaluate(corpus, [ours], [metric], resampling=Resampling(0))


def test_evaluate_refuses_an_interval_that_is_no_number() -> None:
    corpus, ours = _inputs()

    class OddSamples(_Broken):
        def resample(self, statistics, rows):  # type: ignore[no-untyped-def]
            return super().resample(statistics, rows) * math.nan

    with pytest.raises(GecevalError, match="nan as the lower end of the interval of the system"):
        evaluate(corpus, [ours], [OddSamples()], resampling=Resampling(10))


def test_json_is_strict_and_says_where() -> None:
    with pytest.raises(GecevalError, match=r"^rows\[1\]\.p is inf, which JSON cannot hold$"):
        strict_json.dumps({"rows": [{"p": 0.5}, {"p": math.inf}]})
    assert strict_json.dumps({"é": [1.5, None]}, compact=True) == '{"é":[1.5,null]}'


def test_table_as_json_has_null_for_what_is_no_number() -> None:
    table = Table("odd", "Odd", ("a", "b"), ((math.nan, 1), (0.5, math.inf)))
    rows = json.loads(table.as_json(), parse_constant=pytest.fail)["rows"]
    assert rows == [{"a": None, "b": 1}, {"a": 0.5, "b": None}]


def test_all_json_is_written_strictly() -> None:
    source = Path(geceval.__file__).parent
    loose = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"(?<!strict_)json\.dumps?\(", path.read_text(encoding="utf-8"))
    }
    # One makes it strict; the other only looks whether what was read could be written.
    assert loose == {"storage/strict_json.py", "formats/jsonl.py"}
