"""What people may rely on."""

from __future__ import annotations

import importlib
import inspect
from importlib import resources

import pytest

import geceval
import geceval.formats
from geceval.errors import FormatError, GecevalError, MismatchError, UnknownNameError
from geceval.metrics import registry

PUBLIC = [
    "Annotation",
    "Comparisons",
    "Corpus",
    "Edit",
    "FormatError",
    "GecevalError",
    "GecevalWarning",
    "Hypothesis",
    "MismatchError",
    "OptionError",
    "RawText",
    "Score",
    "Scoreboard",
    "Scorer",
    "Scores",
    "Sentence",
    "UnknownNameError",
    "__version__",
    "annotate",
    "check",
    "compare",
    "convert",
    "evaluate",
    "explain",
    "get_metric",
    "load",
    "load_annotator",
    "load_hypothesis",
    "metrics",
    "save",
    "score",
    "sentence_scores",
    "write_report",
]


def test_public_api_names_are_exact() -> None:
    assert sorted(geceval.__all__) == dir(geceval) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_public_api_names_can_be_imported_and_are_documented(name: str) -> None:
    value = getattr(geceval, name)
    if name != "__version__":
        assert inspect.getdoc(value)


def test_public_api_star_import() -> None:
    names: dict[str, object] = {}
    exec("from geceval import *", names)  # noqa: S102
    assert set(PUBLIC) <= set(names)


def test_public_api_knows_nothing_else() -> None:
    with pytest.raises(AttributeError, match=r"^module 'geceval' has no attribute 'nothing'$"):
        _ = geceval.nothing


def test_public_api_version_is_that_of_the_package() -> None:
    assert importlib.metadata.version("geceval") == geceval.__version__


def test_public_api_ships_types_and_data() -> None:
    folder = resources.files("geceval")
    assert folder.joinpath("py.typed").is_file()
    assert folder.joinpath("data", "demo", "gold.m2").is_file()


def test_public_api_formats_names_are_exact_and_documented() -> None:
    for name in geceval.formats.__all__:
        value = getattr(geceval.formats, name)
        assert name == "PathLike" or inspect.getdoc(value)


@pytest.mark.parametrize("error", [FormatError, MismatchError, UnknownNameError])
def test_public_api_errors_are_ours(error: type[Exception]) -> None:
    assert issubclass(error, GecevalError)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (FormatError("what"), "what"),
        (FormatError("what", path="f"), "f: what"),
        (FormatError("what", path="f", line=3), "f, line 3: what"),
        (MismatchError("a", 2, "b", 3), "a has 2 sentences but b has 3"),
        (MismatchError("a", 2, "b", 3, hint="look"), "a has 2 sentences but b has 3; look"),
        (UnknownNameError("x", "q", []), "unknown x 'q'"),
        (
            UnknownNameError("x", "tvs", ["tsv"]),
            "unknown x 'tvs'; did you mean 'tsv'? (known: tsv)",
        ),
    ],
)
def test_public_api_errors_are_one_sentence(error: GecevalError, message: str) -> None:
    assert str(error) == message


def test_public_api_has_every_metric_class() -> None:
    names = {name for name in geceval.metrics.__all__ if name[0].isupper()} - {"Metric"}
    assert names == set(registry.CLASSES)
    for name in names:
        assert getattr(geceval.metrics, name).name == registry.CLASSES[name]
