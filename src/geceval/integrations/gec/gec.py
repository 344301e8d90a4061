"""geceval as a metric of the package ``evaluate``; `geceval.integrations.hf.METRIC` is its path.

The package copies this file, so that it imports nothing relative to its folder.
"""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

import geceval

_DESCRIPTION = "Scores of grammatical error correction: M2, ERRANT, GLEU, I-measure and others."

_INPUTS = """
Args:
    predictions: corrected sentences of a system, with spaces between the tokens.
    references: for each sentence, its corrections by one or several annotators.
    sources: the uncorrected sentences.
    metric: name of a metric of geceval, or several; by default m2.
    options: options of geceval.score, such as lang, tokenize and resamples.
"""


class Gec(evaluate.Metric):
    """Scores of grammatical error correction."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        several = datasets.Sequence(text)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": several, "sources": text}),
                datasets.Features({"predictions": text, "references": text, "sources": text}),
            ],
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[Any],
        sources: list[str],
        metric: str | list[str] = "m2",
        **options: Any,
    ) -> dict[str, Any]:
        names = [metric] if type(metric) is str else [*metric]
        by = None if isinstance(references[0], str) else "sentence"
        scores = geceval.score(predictions, sources, references, names, references_by=by, **options)
        found: dict[str, Any] = {name: score.value for name, score in scores.items()}
        return {**found, "details": scores.to_dict()}
