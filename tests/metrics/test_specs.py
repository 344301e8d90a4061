"""Metrics with options, written in one line."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import OptionError, UnknownNameError
from geceval.metrics.specs import ALL, MetricSpec, parse_specs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m2", [MetricSpec("m2")]),
        ("M², I-measure ,,", [MetricSpec("m2"), MetricSpec("imeasure")]),
        ("ALL", [MetricSpec(ALL)]),
        ("m2()", [MetricSpec("m2")]),
        (" m2 ( beta = 1 , auto-gold=yes, ) , gleu", [
            MetricSpec("m2", {"beta": "1", "auto_gold": "yes"}), MetricSpec("gleu"),
        ]),
        ("grammar(url=http://h:1/?a=b)", [MetricSpec("grammar", {"url": "http://h:1/?a=b"})]),
        ("errant(typer='a, (b)')", [MetricSpec("errant", {"typer": "a, (b)"})]),
        ("errant(typer='it''s', model=\"\")", [
            MetricSpec("errant", {"typer": "it's", "model": ""}),
        ]),
        ("", []),
        (" , ", []),
    ],
)  # fmt: skip
def test_specs_are_read(text: str, expected: list[MetricSpec]) -> None:
    assert parse_specs(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m2(beta=1", "in 'm2(beta=1', character 10: expected ',' or ')' but found the end"),
        ("m2(beta", "character 8: expected '=' but found the end"),
        ("m2(beta)", "character 8: expected '=' but found ')'"),
        ("m2(=1)", "character 4: expected the name of an option but found '='"),
        ("m2(beta=)", "character 9: expected a value but found ')'"),
        ("m2(beta=1)gleu", "character 11: expected ',' but found 'g'"),
        ("m2)", "character 3: expected ',' but found ')'"),
        ("(beta=1)", "character 1: expected the name of a metric but found '('"),
        ("m2(beta='1)", "expected a value with quotation marks around all of it but found"),
        ("m2(beta=a'1')", "expected a value with quotation marks around all of it but found"),
        ("m2(beta=(1))", "character 9: expected a value but found '('"),
        ("m2(auto-gold=1, auto_gold=1)", "the option auto_gold is given twice"),
        ("all(beta=1)", "'all' takes no options"),
    ],
)
def test_wrong_specs_are_pointed_at(text: str, message: str) -> None:
    with pytest.raises(OptionError) as error:
        parse_specs(text)
    assert message in str(error.value)


def test_unknown_metrics_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'm3'"):
        parse_specs("gleu,m3(beta=1)")


NAMES = st.sampled_from(["beta", "auto_gold", "x"])
SPECS = st.builds(MetricSpec, st.sampled_from(["m2", "gleu"]), st.dictionaries(NAMES, st.text()))


@given(st.lists(SPECS))
def test_specs_survive_being_written(specs: list[MetricSpec]) -> None:
    assert parse_specs(",".join(map(str, specs))) == specs


@given(st.text(alphabet="m2gleu(),='\" ab"))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(OptionError, UnknownNameError):
        specs = parse_specs(text)
        assert parse_specs(",".join(map(str, specs))) == specs
