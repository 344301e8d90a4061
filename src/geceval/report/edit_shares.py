"""Shares of the shown edits in the score of each sentence by one metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from geceval.errors import GecevalError
from geceval.evaluation.attribution import DEFAULT_SEED, SAMPLES, attribute_by
from geceval.evaluation.entries import Progress, silent
from geceval.formats import Findings
from geceval.metrics.base import Metric
from geceval.model import Corpus, Edit, Hypothesis, Sentence, Tokens
from geceval.report.results import AttributionRecord, Number, Sentences, number
from geceval.report.sentences import DIGITS, recorded_tokens

Shares: TypeAlias = list[list[Number] | None]
"""The shares of the edits of each sentence; None where they are unknown."""


def attribution_record(metric: Metric) -> AttributionRecord:
    """Describe how shares were computed."""
    return AttributionRecord(
        metric=metric.name,
        title=metric.title,
        configuration=metric.for_sentences().configuration(),
        method="shapley",
        samples=SAMPLES,
        seed=DEFAULT_SEED,
    )


def no_edits() -> GecevalError:
    """Return an error for scores that cannot be shared, as no metric has edits."""
    return GecevalError(
        "attribution shares a score among edits: add a metric that compares edits to the report, "
        "such as errant or m2"
    )


def share_scores(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    sentences: Sentences,
    metric: Metric,
    findings: Findings,
    progress: Progress = silent,
) -> dict[str, Shares]:
    """Share the score of each output among its edits, by Shapley values.

    Outputs whose edits cannot be applied one by one have no shares, and `findings` says why.

    Raises
    ------
    GecevalError
        If no edits are shown.
    """
    known: dict[tuple[int, Tokens, tuple[Edit, ...]], list[Number] | None] = {}
    shares: dict[str, Shares] = {hypothesis.name: [] for hypothesis in hypotheses}
    for row, sent in enumerate(progress(corpus.sentences, f"attribution by {metric.title}")):
        for hypothesis in hypotheses:
            edits = sentences["systems"][hypothesis.name]["edits"]
            if edits is None:
                raise no_edits()
            output = hypothesis.sentences[row]
            own = tuple(
                Edit(start, end, (recorded_tokens(text),)) for start, end, text, *_ in edits[row]
            )
            # Systems often have the same output.
            key = row, output, own
            if key not in known:
                try:
                    known[key] = _shares(metric, sent, own, output)
                except GecevalError as error:
                    findings.add(
                        "no-attribution",
                        f"the score by {metric.title} cannot be attributed to edits: {error}",
                        path=hypothesis.name,
                    )
                    known[key] = None
            shares[hypothesis.name].append(known[key])
    return shares


def _shares(
    metric: Metric, sent: Sentence, edits: Sequence[Edit], output: Tokens
) -> list[Number] | None:
    if not edits:
        return []
    (found,) = attribute_by(metric, sent, edits, output, methods=["shapley"])
    return [number(share, DIGITS) for share in found.shares]
