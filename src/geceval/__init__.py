"""One trusted ruler for grammatical error correction.

``import geceval`` is light: readers, metrics and the command line load when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from geceval.errors import (
    FormatError,
    GecevalError,
    GecevalWarning,
    MismatchError,
    OptionError,
    UnknownNameError,
)
from geceval.model import Annotation, Corpus, Edit, Hypothesis, RawText, Sentence

if TYPE_CHECKING:
    from geceval import metrics
    from geceval.api import (
        annotate,
        check,
        compare,
        convert,
        evaluate,
        explain,
        get_metric,
        load_annotator,
        score,
        sentence_scores,
        write_report,
    )
    from geceval.evaluation.scoreboard import Comparisons, Scoreboard, Scores
    from geceval.evaluation.scorer import Scorer
    from geceval.formats import load, load_hypothesis, save
    from geceval.metrics.statistics import Score

__version__ = "0.2.0"

# Public names that live in modules too heavy to load with the package.
_LATE = {
    **dict.fromkeys(
        (
            "annotate", "check", "compare", "convert", "evaluate", "explain",
            "get_metric", "load_annotator", "score", "sentence_scores", "write_report",
        ),
        "geceval.api",
    ),
    **dict.fromkeys(("Comparisons", "Scoreboard", "Scores"), "geceval.evaluation.scoreboard"),
    **dict.fromkeys(("load", "load_hypothesis", "save"), "geceval.formats"),
    "Score": "geceval.metrics.statistics",
    "Scorer": "geceval.evaluation.scorer",
}  # fmt: skip

__all__ = [
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


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return importlib.import_module("geceval.metrics")
    if name in _LATE:
        return getattr(importlib.import_module(_LATE[name]), name)
    msg = f"module 'geceval' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
