"""Options: what a declaration allows, and that every metric keeps to it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, Unpack, get_args

import numpy as np
import pytest

from geceval import Annotation, Corpus, GecevalError, Hypothesis, OptionError, Sentence
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.resampling import Resampling, Test, compare, paired_p_value
from geceval.metrics import canonical_name, metric_class, metric_names
from geceval.metrics.maxmatch import M2
from geceval.metrics.options import (
    Default,
    Option,
    Range,
    check_options,
    checked,
    options_of,
    resolved,
)
from toy_metrics import CountsEdits

NUMBER = Option("x", "n", (float,), range=Range(min=0, max=10), default=1.0)
WHOLE = Option("x", "n", (int,), range=Range(min=0), default=1)
FLAG = Option("x", "n", (bool,), default=False)
CHOICE = Option("x", "n", choices=("Corpus", "sentence"), default="sentence")
FILE = Option("x", "n", (bool, str, Path), default=True)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        *((FLAG, text, True) for text in ("true", "True", "YES", "on", "1", " yes ")),
        *((FLAG, text, False) for text in ("false", "False", "no", "OFF", "0")),
        (WHOLE, "2", 2),
        (NUMBER, "2", 2.0),
        (NUMBER, "5e-1", 0.5),
        (CHOICE, "corpus", "Corpus"),
        (CHOICE, "SENTENCE", "sentence"),
        (FILE, "False", False),
        (FILE, "Answers.sqlite", "Answers.sqlite"),
        (Option("x", "n", (str, type(None))), "None", None),
        (Option("x", "n", (str, type(None))), "Name", "Name"),
        (Option("x", "n", (object,)), "FALSE", False),
        (Option("x", "n", (object,)), "1.5", 1.5),
        (Option("x", "n", (object,)), "Some Text", "Some Text"),
    ],
)
def test_option_reads_text_by_its_declaration(option: Option, text: str, value: object) -> None:
    found = option.parse(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        (FLAG, "maybe", "x: the option n takes true or false, not 'maybe'"),
        (FLAG, "2", "true or false"),
        (WHOLE, "2.5", "an integer of at least 0, not '2.5'"),
        (WHOLE, "-1", "an integer of at least 0, not -1"),
        (WHOLE, "", "an integer"),
        (NUMBER, "abc", "a number from 0 to 10, not 'abc'"),
        (NUMBER, "nan", "a number from 0 to 10, not nan"),
        (NUMBER, "-inf", "a number from 0 to 10, not -inf"),
        (NUMBER, "10.1", "not 10.1"),
        (CHOICE, "sentense", "one of Corpus, sentence, not 'sentense'; did you mean 'sentence'?"),
        (Option("x", "n", (Callable, type(None))), "print", "a function or none"),
    ],
)
def test_option_refuses_text(option: Option, text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        option.parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (NUMBER, 2),
        (NUMBER, np.float32(0.5)),
        (NUMBER, np.int64(3)),
        (WHOLE, np.uint8(3)),
        (FLAG, np.True_),
        (CHOICE, "Corpus"),
        (FILE, Path("x")),
        (Option("x", "n", (int,), default=None), None),
        (Option("x", "n", (Corpus,)), object()),
    ],
)
def test_option_takes(option: Option, value: object) -> None:
    option.check(value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (NUMBER, True),
        (NUMBER, "0.5"),
        (NUMBER, None),
        (NUMBER, float("nan")),
        (NUMBER, np.float64("inf")),
        (NUMBER, np.array([0.5])),
        (NUMBER, 1j),
        (NUMBER, 10**400),
        (WHOLE, 2.0),
        (WHOLE, np.float64(2)),
        (WHOLE, False),
        (FLAG, 1),
        (FLAG, "False"),
        (CHOICE, "corpus"),
        (CHOICE, 1),
        (FILE, 1),
        (Option("x", "n", (Corpus,)), "gold.m2"),
    ],
)
def test_option_does_not_take(option: Option, value: object) -> None:
    with pytest.raises(OptionError, match="x: the option n takes "):
        option.check(value)


# Every metric.


def declared() -> list[tuple[str, str]]:
    return [(name, option) for name in metric_names() for option in options_of(metric_class(name))]


@pytest.mark.parametrize(("name", "option"), declared())
def test_metric_options_are_declared_and_checked(name: str, option: str) -> None:
    """Nothing is of unknown type, no default is refused, and what is wrong is, from anywhere."""
    kind = metric_class(name)
    found = options_of(kind)[option]
    assert found.kinds or found.choices
    assert object not in found.kinds
    found.check(found.default)
    wrong: object = {} if str in found.kinds else "no such value"
    for given in ({option: wrong}, {option: [1]}) if str not in found.kinds else ({option: wrong},):
        with pytest.raises(OptionError, match=f"^{name}: the option {option} takes "):
            kind(**given)


@pytest.mark.parametrize(("name", "option"), declared())
def test_metric_numbers_have_bounds(name: str, option: str) -> None:
    kind = metric_class(name)
    found = options_of(kind)[option]
    if not {int, float} & set(found.kinds):
        return
    for value in (-1, float("nan"), float("inf"), True, "1", 0.5 if int in found.kinds else -0.5):
        with pytest.raises(OptionError, match=f"^{name}: the option {option} takes an? "):
            kind(**{option: value})


@pytest.mark.parametrize("name", metric_names())
def test_metric_unknown_option(name: str) -> None:
    known = next(iter(options_of(metric_class(name))))
    with pytest.raises(OptionError, match=f"unknown option '{known}x'; did you mean '{known}'"):
        metric_class(name)(**{f"{known}x": 1})


def test_option_errors_are_the_same_from_text_and_from_python() -> None:
    with pytest.raises(OptionError) as python:
        M2(level="corection")  # type: ignore[arg-type]
    with pytest.raises(OptionError) as text:
        make_metrics(["m2"], texts={"level": "corection"})
    with pytest.raises(OptionError) as spec:
        make_metrics(["m2(level=corection)"])
    assert str(python.value) == str(text.value) == str(spec.value)
    assert isinstance(python.value, GecevalError)
    assert isinstance(python.value, ValueError)


def test_make_metrics_reads_text_by_each_metric() -> None:
    m2, gleu = make_metrics(["m2", "gleu"], texts={"max_unchanged": "3", "exact": "False"})
    assert m2.settings()["unchanged"] == 3
    assert gleu.settings()["references"] == "drawn"
    with pytest.raises(OptionError, match="none of these metrics has the option bta; did you mean"):
        make_metrics(["m2"], {"bta": 1})


def test_make_metrics_gives_a_choice_to_the_metrics_that_have_it() -> None:
    """One option may choose between versions of different tools."""
    errant, cleme = make_metrics(["errant", "cleme"], texts={"compat": "cleme-1.1"})
    assert errant.settings()["compat"] == "no"
    assert cleme.settings()["compat"] == "cleme-1.1"
    with pytest.raises(
        OptionError, match=r"^errant: the option compat takes one of errant-3.0.2, cherrant or none"
    ):
        make_metrics(["errant", "cleme"], texts={"compat": "cleme-3"})
    with pytest.raises(OptionError, match=r"^errant: the option compat takes"):
        make_metrics(["errant(compat=cleme-1.1)", "cleme"])
    with pytest.raises(OptionError, match=r"^m2: the option beta takes a number"):
        make_metrics(["m2", "cleme"], texts={"beta": "-1"})


def test_metric_with_numpy_options_has_the_usual_signature() -> None:
    ours = M2(beta=np.float32(0.5), ignore_whitespace_casing=np.False_)  # type: ignore[arg-type]
    assert {**ours.settings()} == {**M2().settings()}


def test_metric_can_be_copied_and_pickled() -> None:
    metric = M2(beta=1.0)
    for again in (copy.copy(metric), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):  # noqa: S301
        assert again.settings() == metric.settings()


# Metrics of others.


Share: TypeAlias = Annotated[float, Range(above=0, below=1)]


class Mine(CountsEdits):
    name = "mine"

    def __init__(  # type: ignore[no-untyped-def]
        self,
        *,
        share: Share = 0.5,
        unit: Literal["word", "character"] = "word",
        limit: int | None = None,
        strange: NoSuchType = 1,  # type: ignore[name-defined]  # noqa: F821
        plain=0.5,
        is_plain=False,
    ) -> None:
        self.given = (share, unit, limit, strange, plain, is_plain)


class HandsOn(Mine):
    name = "hands-on"

    def __init__(self, *, more: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.more = more


class SharedOptions(TypedDict, total=False):
    share: Annotated[Share, Default(0.5)]
    unit: Annotated[Literal["word", "character"], Default("word")]


class Shares(CountsEdits):
    name = "shares"

    def __init__(self, *, more: bool = False, **options: Unpack[SharedOptions]) -> None:
        self.more = more
        self.values = resolved(SharedOptions, options)


@dataclass
class AsData(CountsEdits):
    share: Annotated[float, Range(min=0)] = 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 1}, "mine: the option share takes a number above 0 and below 1, not 1"),
        ({"unit": "words"}, "did you mean 'word'"),
        ({"limit": 1.5}, "an integer or none, not 1.5"),
        ({"plain": "much"}, "a number"),
        ({"is_plain": 1}, "true or false"),
        ({"shares": 1}, "unknown option 'shares'; did you mean 'share'"),
    ],
)
def test_plug_in_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Mine(**options)


def test_plug_in_options_that_are_right_arrive() -> None:
    assert Mine(share=0.1, limit=None, strange="s").given == (
        0.1,
        "word",
        None,
        "s",
        0.5,
        False,
    )
    assert options_of(Mine)["is_plain"].parse("no") is False


def test_plug_in_that_hands_options_on() -> None:
    assert list(options_of(HandsOn))[:2] == ["more", "share"]
    assert HandsOn(more=True, share=0.2).given[0] == 0.2
    with pytest.raises(OptionError, match="hands-on: the option share"):
        HandsOn(share="a")


def test_options_that_metrics_share_are_declared_once() -> None:
    assert {name: option.default for name, option in options_of(Shares).items()} == {
        "more": False,
        "share": 0.5,
        "unit": "word",
    }
    assert Shares(unit="character").values == {"share": 0.5, "unit": "character"}
    with pytest.raises(OptionError, match="shares: the option share takes a number above 0"):
        Shares(share=1)
    with pytest.raises(OptionError, match=r"shares: unknown option 'units'; did you mean 'unit'"):
        Shares(units="word")  # type: ignore[call-arg]


def test_plug_in_that_is_a_dataclass() -> None:
    assert AsData(share=2.0).share == 2.0
    with pytest.raises(OptionError, match="share"):
        AsData(share=-1)


def test_plug_in_without_options() -> None:
    with pytest.raises(OptionError, match="counts: unknown option 'beta'"):
        CountsEdits(beta=1)


# Functions.


@pytest.mark.parametrize(
    "options",
    [
        {"n": -1},
        {"n": 10.0},
        {"level": 1},
        {"level": "0.95"},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": None},
        {"test": "t"},
    ],
)
def test_resampling_checks_its_options(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=f"Resampling: the option {next(iter(options))} takes "):
        Resampling(**options)


def test_functions_check_their_options() -> None:
    wrong: Any = 50
    with pytest.raises(OptionError, match="evaluate: the option resampling takes "):
        evaluate(Corpus(()), [], [], resampling=wrong)
    with pytest.raises(OptionError, match="compare: the option resampling takes "):
        compare(M2(), {}, resampling=wrong)


def test_tests_need_resamples() -> None:
    corpus = Corpus((Sentence(("a",), (Annotation("0"),)),))
    counts = M2().statistics(corpus, Hypothesis("h", corpus.sources))
    for test in get_args(Test):
        with pytest.raises(OptionError, match="at least one resample"):
            paired_p_value(M2(), counts, counts, resampling=Resampling(0, test=test))


def test_checked_functions_keep_their_name_and_doings() -> None:
    @checked
    def double(x: int, *, times: Annotated[int, Range(min=1)] = 2) -> int:
        """Multiply."""
        return x * times

    assert double(2, times=3) == 6
    assert (double.__name__, double.__doc__) == ("double", "Multiply.")
    with pytest.raises(OptionError, match="double: the option times"):
        double(2, times=0)
    with pytest.raises(OptionError, match="unknown option 'time'"):
        check_options(double, {"time": 1})


# Names.


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("M2", "m2"),
        ("m²", "m2"),
        ("M^2", "m2"),
        ("MaxMatch", "m2"),
        ("GLEU", "gleu"),
        ("ERRANT", "errant"),
        ("I-measure", "imeasure"),
        ("i_measure", "imeasure"),
        ("max-sari", "maxsari"),
        ("LD_source", "ld-source"),
        ("grammaticality", "grammar"),
    ],
)
def test_metric_names_are_taken_as_people_write_them(written: str, name: str) -> None:
    assert canonical_name(written) == name
    assert metric_class(written) is metric_class(name)


def test_metric_names_are_canonical_as_they_are() -> None:
    names: Mapping[str, str] = {name: canonical_name(name) for name in metric_names()}
    assert list(names) == list(names.values())
    with pytest.raises(GecevalError, match="unknown metric 'GLUE'; did you mean 'gleu'"):
        canonical_name("GLUE")
