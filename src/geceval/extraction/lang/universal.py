"""The analyzer for any language with a spaCy pipeline."""

from __future__ import annotations

from functools import partial

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import AnalyzerKind, Notify
from geceval.extraction.lang.loading import load_pipeline
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer


def load_analyzer(
    model: str | None,
    *,
    kind: AnalyzerKind = "fast",  # noqa: ARG001
    notify: Notify | None = None,  # noqa: ARG001
) -> SpacyAnalyzer:
    """Load the pipeline `model`, which spaCy itself runs."""
    if model is None:
        raise GecevalError(
            "the language 'universal' needs the name of a spaCy pipeline as its model"
        )
    return SpacyAnalyzer(partial(load_pipeline, model))
