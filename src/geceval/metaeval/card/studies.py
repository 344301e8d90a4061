"""The studies that the card of a metric consists of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.extraction.annotator import Annotator
from geceval.formats import Findings
from geceval.metaeval.card.metric_card import Card, make_cards
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.study import study as human_study
from geceval.metaeval.maege.material import span
from geceval.metaeval.maege.study import study as maege_study
from geceval.metaeval.maege.summary import StudySettings
from geceval.metaeval.seeda.dataset import Seeda
from geceval.metaeval.seeda.study import score
from geceval.metaeval.seeda.study import study as seeda_study
from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis


def cards_of(
    metrics: Sequence[Metric],
    corpus: Corpus,
    annotator: Annotator,
    *,
    judgments: Sequence[Judgments] = (),
    hypotheses: Sequence[Hypothesis] = (),
    seeda: Seeda | None = None,
    n_seeds: int = 1,
    resampling: Resampling = DEFAULT_RESAMPLING,
    findings: Findings | None = None,
    progress: Progress = silent,
) -> list[Card]:
    """Study metrics by MAEGE and by human judgments, and make their cards.

    Parameters
    ----------
    metrics
        The metrics.
    corpus
        The gold standard of all studies.
    annotator
        Extracts the edits of MAEGE.
    judgments, hypotheses
        Human judgments, and the outputs of the judged systems.
    seeda
        The SEEDA dataset.
    n_seeds
        Repetitions of MAEGE.
    resampling
        Settings of intervals; the first seed of MAEGE.
    findings
        Receives what MAEGE excludes.
    progress
        Shows how much is finished.
    """
    named = [metric.for_sentences().with_name(metric.name, metric.title) for metric in metrics]
    maege = maege_study(
        span(corpus, findings=findings),
        {metric.name: metric for metric in named},
        annotator,
        settings=StudySettings(seeds=tuple(range(resampling.seed, resampling.seed + n_seeds))),
        progress=partial(progress, stage="MAEGE"),
    )
    human = (
        human_study(
            judgments, corpus, hypotheses, metrics, resampling=resampling, progress=progress
        )
        if judgments
        else None
    )
    found = None
    if seeda is not None:
        own = score(seeda, corpus, metrics, resampling=resampling, progress=progress)
        found = seeda_study(seeda, own, window_sizes=(), resampling=resampling)
    return make_cards(metrics, maege=maege, human=human, seeda=found, corpus=corpus)
