"""Gold standards and outputs that label tokens instead of correcting them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import click

from geceval.errors import GecevalError
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.metrics.detection.token_labels import are_detections
from geceval.model import Corpus, Hypothesis


def without_labels(
    metrics: Sequence[Metric],
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    findings: Findings,
    *,
    named: AbstractSet[str],
) -> list[Metric]:
    """Return the metrics that can score these files, which may have labels only.

    Metrics that were `named` must work; others are skipped, and `findings` says why.
    """
    labeled = next((one.name for one in hypotheses if one.labeled), None)
    has_labels = are_detections(ann.edits for sent in corpus for ann in sent.annotations)
    if labeled is not None:
        problem = f"{labeled} labels tokens as correct or incorrect"
        found = [metric for metric in metrics if metric.scores_labels]
    elif has_labels:
        problem = f"{corpus.name} marks errors without correcting them"
        found = [metric for metric in metrics if metric.uses_detections]
    else:
        return list(metrics)
    others = [metric for metric in metrics if metric not in found]
    problem += "; -m ged scores labels"
    if any(type(metric).name in named for metric in others) or not found:
        names = ", ".join(metric.name for metric in others)
        raise GecevalError(f"{names} cannot be used, because {problem}")
    if others:
        names = ", ".join(metric.name for metric in others)
        findings.add("no-corrections", f"skipped {names}, because {problem}")
    return found


def check_no_labels(hypotheses: Sequence[Hypothesis]) -> None:
    """Refuse labels where text is tokenized or combined."""
    for hypothesis in hypotheses:
        if hypothesis.labeled:
            raise click.UsageError(f"{hypothesis.name} labels tokens, and is no text")
