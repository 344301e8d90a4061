"""Promise 2: an option is refused or obeyed, and the signature shows the value that was used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import made_up
from geceval.cli import main
from geceval.errors import GecevalError, OptionError
from geceval.evaluation.evaluate import evaluate
from geceval.evaluation.resampling import Resampling
from geceval.formats import save
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.options import Option, options_of
from geceval.metrics.specs import MetricSpec
from promising import size

EXTRACTING = ("errant", "cleme", "cleme2", "pt-errant", "ged", "gotoscorer")
BASE: dict[str, dict[str, Any]] = {
    **{name: {"lang": "plain"} for name in EXTRACTING},
    "grammar": {"cache": False},
    "gotoscorer": {"lang": "plain", "weights": "none"},
}
"""What a metric is given so that it needs no model and keeps nothing."""

NO_NUMBER_CHANGES = {"jobs", "notify", "analyzer", "cache", "raw_tokens", "url", "annotator"}
"""Options that say how a number is computed, not which: they are not in the signature."""

DEFAULT_BY_DATA = {("gotoscorer", "auto_gold"), ("ged", "auto_gold")}
"""Options whose default depends on the data, and may be any of their values."""

NEEDS_MORE = {"grammar"}
"""Metrics that run a program of others: what they are made with is checked, they are not run."""

NAN, INF = float("nan"), float("inf")
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**30, -(10**30), 2**31, 2**63, 0.5, 1e308, -1e308, 5e-324,
    0.1 + 0.2, NAN, INF, -INF, "", " ", "False", "true", "nan", "1", "0.5", "\ud800", "x" * 1000,
    b"x", [], [1], {}, (1,), set(), 1j, np.nan, np.float32(0.5), np.int64(1), np.bool_(True),
    np.array([1.0]),
)  # fmt: skip
TEXTS = (
    "", " ", "False", "true", "None", "nan", "inf", "-inf", "1e400", "1e308", "-1", "0", "1", "2",
    "0.5", "0.30000000000000004", "9" * 40, "9" * 5000, "0x10", "1_0", "１", "[]", "{}", "no such",
    "=", "\x1b[31m",
)  # fmt: skip

DECLARED = [
    (name, option) for name in standalone_names() for option in options_of(metric_class(name))
]
CORPUS = made_up.corpus(4)
SYSTEM = made_up.system(CORPUS, "ours")


def signature(name: str, **given: Any) -> str:
    metric = metric_class(name)(**{**BASE.get(name, {}), **given})
    (result,) = evaluate(CORPUS, [SYSTEM], [metric], resampling=Resampling(0))
    assert np.isfinite(result.score.value)
    return result.score.signature


def values_in(text: str) -> set[str]:
    return {part.partition(":")[2] for part in text.split("|")}


@pytest.mark.parametrize(("name", "option"), DECLARED)
def test_options_from_python(name: str, option: str) -> None:
    declared = options_of(metric_class(name))[option]
    runs = name not in NEEDS_MORE
    usual = signature(name) if runs else ""
    refusals = []
    for value in (*ODD, *declared.choices):
        given = {**BASE.get(name, {}), option: value}
        try:
            metric_class(name)(**given)
        except OptionError as error:
            refusals.append(str(error))
            continue
        except GecevalError:
            # It is of the right type, and names nothing that there is.
            assert isinstance(value, str)
            continue
        if runs:
            check_shown(name, declared, value, usual)
    assert len(refusals) > len(ODD) / 2
    for message in refusals:
        assert message.startswith(f"{name}: the option {option} takes ")
        assert "\n" not in message


def check_shown(name: str, declared: Option, value: Any, usual: str) -> None:
    """Check that a value which is not refused is obeyed: equal signatures mean equal values."""
    try:
        found = signature(name, **{declared.name: value})
    except GecevalError:
        assert isinstance(value, str)  # A name that nothing has.
        return
    if declared.name in NO_NUMBER_CHANGES:
        assert found == usual
        return
    default = BASE.get(name, {}).get(declared.name, declared.default)
    same = value is default or bool(value == default)
    if (name, declared.name) in DEFAULT_BY_DATA:
        same = same or found == usual
    assert (found == usual) is same, (name, declared.name, value, found)
    if isinstance(value, float | np.floating):
        assert any(_as_number(part) == float(value) for part in values_in(found)), found


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return NAN


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    save(CORPUS, tmp_path / "gold.m2")
    lines = "".join(f"{' '.join(tokens)}\n" for tokens in SYSTEM.sentences)
    (tmp_path / "ours.txt").write_text(lines, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("name", "option"), [one for one in DECLARED if one[0] not in NEEDS_MORE])
def test_options_from_text(name: str, option: str) -> None:
    declared = options_of(metric_class(name))[option]
    base = {key: value for key, value in BASE.get(name, {}).items() if key != option}
    step = size(3, 1)
    texts = [*TEXTS[hash_of(name, option) % step :: step], *map(str, declared.choices)]
    if option == "lang":
        texts = [text for text in texts if text.strip()]
    for text in texts:
        spec = str(MetricSpec(name, {**base, option: text}))
        arguments = ["score", "-m", spec, "--gold", "gold.m2", "ours.txt", "--resamples", "0"]
        result = CliRunner().invoke(main, [*arguments, "--json"])
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            text,
            result.exception,
        )
        if result.exit_code:
            kinds = set(declared.kinds)
            # What names a thing that is not there is bad usage or bad data, never a number.
            assert result.exit_code in ({1, 2} if str in kinds else {2}), (text, result.output)
            assert result.stdout == ""
            continue
        value = declared.parse(text)
        (record,) = json.loads(result.stdout)["results"]
        again = signature(name, **{option: value})
        assert settings_of(record["signature"]) == settings_of(again), text


def settings_of(text: str) -> list[str]:
    """Return a signature without the data: empty sentences are not the same once written."""
    return [part for part in text.split("|") if not part.startswith(("data:", "sents:", "refs:"))]


def hash_of(*parts: str) -> int:
    """Return a number that is the same in every process."""
    return sum(map(ord, "".join(parts)))
