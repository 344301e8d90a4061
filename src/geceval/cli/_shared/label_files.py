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
    found = []
    for metric in metrics:
        name = type(metric).name
        if labeled is not None and not metric.scores_labels:
            problem = f"{labeled} labels tokens as correct or incorrect"
        elif has_labels and not metric.uses_detections:
            problem = f"{corpus.name} marks errors without correcting them"
        else:
            found.append(metric)
            continue
        problem += f", but {metric.name} compares corrections; -m ged scores labels"
        if name in named:
            raise GecevalError(problem)
        findings.add(f"{name}-skipped", f"{name} is skipped: {problem}")
    if not found:
        raise GecevalError("; ".join(findings.summary()))
    return found


def check_no_labels(hypotheses: Sequence[Hypothesis]) -> None:
    """Refuse labels where text is tokenized or combined."""
    for hypothesis in hypotheses:
        if hypothesis.labeled:
            raise click.UsageError(f"{hypothesis.name} labels tokens, and is no text")
