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
    from geceval.formats import load, load_hypothesis, save

__version__ = "0.1.0"

# Public names that live in modules too heavy to load with the package.
_LATE = {"load": "geceval.formats", "load_hypothesis": "geceval.formats", "save": "geceval.formats"}

__all__ = [
    "Annotation",
    "Corpus",
    "Edit",
    "FormatError",
    "GecevalError",
    "GecevalWarning",
    "Hypothesis",
    "MismatchError",
    "OptionError",
    "RawText",
    "Sentence",
    "UnknownNameError",
    "__version__",
    "load",
    "load_hypothesis",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(importlib.import_module(_LATE[name]), name)
    msg = f"module 'geceval' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
