"""The pack for any language that has a spaCy pipeline."""

from __future__ import annotations

from functools import partial

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import AnalyzerKind, Notify
from geceval.extraction.lang.loading import load_pipeline
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer


class Universal:
    """Any language; the model says which."""

    name = "universal"
    typer = "universal"

    def analyzer(
        self,
        model: str | None = None,
        *,
        kind: AnalyzerKind = "fast",  # noqa: ARG002
        notify: Notify | None = None,  # noqa: ARG002
    ) -> SpacyAnalyzer:
        """Load `model`, which has to be named; spaCy runs it."""
        if model is None:
            raise GecevalError(
                "the language 'universal' needs the name of a spaCy pipeline as its model"
            )
        return SpacyAnalyzer(partial(load_pipeline, model))
