"""The SEEDA protocol: correlation with edit-level and sentence-level judgments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from geceval.errors import GecevalError
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.metaeval.human.aggregation import Aggregation, aggregate_scores
from geceval.metaeval.human.agreement import JudgedPairs
from geceval.metaeval.human.metric_correlation import MetricCorrelation, correlate
from geceval.metaeval.human.metric_scores import MetricScores, judged_resamples, score_judged
from geceval.metaeval.human.pairwise import PairwiseAccuracy, pairwise_accuracy
from geceval.metaeval.human.rankings import Ranking, SentenceOutcomes
from geceval.metaeval.human.resampled import resampled_rankings
from geceval.metaeval.human.study import human_rankings
from geceval.metaeval.human.trueskill import Procedure
from geceval.metaeval.seeda.dataset import Seeda, judged_sentences, system_sets
from geceval.metaeval.seeda.windows import Window, sliding_windows
from geceval.metrics.base import Metric
from geceval.metrics.options import Jobs, checked
from geceval.model import Corpus

WINDOW_SIZES = (4, 8)


@dataclass(frozen=True, slots=True)
class SeedaSet:
    """Correlations of metrics with one ranking, on one set of systems."""

    granularity: str
    ranking: str
    systems_name: str
    systems: tuple[str, ...]
    correlations: tuple[MetricCorrelation, ...]
    pairwise: tuple[PairwiseAccuracy, ...]


@dataclass(frozen=True, slots=True)
class SeedaStudy:
    """Results of the SEEDA protocol.

    Parameters
    ----------
    seeda
        The dataset.
    computed
        Rankings computed from the judgments, by granularity and name.
    used
        Rankings to correlate metrics with: published if available, otherwise computed.
    metrics
        Published and own metric scores.
    results
        Correlations for each set of systems and each ranking.
    windows
        Sliding windows over all systems, by granularity and name of the ranking.
    """

    seeda: Seeda
    computed: Mapping[tuple[str, str], Ranking]
    used: Mapping[tuple[str, str], Ranking]
    metrics: tuple[MetricScores, ...]
    results: tuple[SeedaSet, ...]
    windows: Mapping[tuple[str, str], tuple[Window, ...]]
    aggregation: Aggregation = "own"


@checked
def study(
    seeda: Seeda,
    own: Sequence[MetricScores] = (),
    *,
    window_sizes: Sequence[int] = WINDOW_SIZES,
    aggregation: Aggregation = "own",
    procedure: Procedure = "limit",
    resampling: Resampling = DEFAULT_RESAMPLING,
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> SeedaStudy:
    """Correlate published and own metric scores with human rankings.

    Parameters
    ----------
    seeda
        Judgments and published scores.
    own
        Scores of other metrics, see `score`.
    window_sizes
        Numbers of systems in sliding windows.
    aggregation
        How metrics with sentence scores score systems, within each set of systems; published
        scores stay as they are.
    procedure
        The procedure of TrueSkill.
    resampling
        Settings of intervals; the seed is also that of TrueSkill.
    jobs
        Number of threads that simulate TrueSkill.
    progress
        Shows how much of the simulation is finished.
    """
    metrics = (*seeda.metrics, *own)
    if not metrics:
        raise GecevalError(
            "there are no metric scores: SEEDA's README has a table of published ones, and with "
            "a gold standard our metrics score its outputs"
        )
    sentences = seeda.sentences
    outcomes = {
        granularity: SentenceOutcomes.of(judgments, sentences)
        for granularity, judgments in seeda.judgments.items()
    }
    computed = {
        (granularity, ranking.name): ranking
        for granularity, judgments in seeda.judgments.items()
        for ranking in human_rankings(
            judgments,
            outcomes[granularity].total(),
            procedure=procedure,
            seed=resampling.seed,
            jobs=jobs,
            progress=progress,
        )
    }
    used = {key: seeda.human.get(key, ranking) for key, ranking in computed.items()}
    index = {number: row for row, number in enumerate(sentences)}
    rows = judged_resamples(len(sentences), resampling)
    is_resampled = any(metric.samples for metric in metrics)
    human = {
        granularity: resampled_rankings(
            judgments, outcomes[granularity], sentences, rows if is_resampled else ()
        )
        for granularity, judgments in seeda.judgments.items()
    }
    pools = {
        name: (
            systems,
            [
                aggregate_scores(metric, systems, aggregation, rows=rows)
                if metric.sentences
                else metric
                for metric in metrics
            ],
        )
        for name, systems in system_sets(seeda.systems).items()
    }
    agreed = {}
    for granularity, judgments in seeda.judgments.items():
        for name, (systems, found) in pools.items():
            pairs = JudgedPairs(judgments, index, systems)
            agreed[granularity, name] = [
                pairs.concordance(metric.sentences) if metric.sentences else None
                for metric in found
            ]
    results = tuple(
        SeedaSet(
            granularity,
            ranking.name,
            name,
            systems,
            tuple(
                correlate(
                    metric,
                    ranking,
                    systems,
                    own_agreed,
                    human=human[granularity].get(ranking.name),
                    resampling=resampling,
                )
                for metric, own_agreed in zip(found, agreed[granularity, name], strict=True)
            ),
            tuple(pairwise_accuracy(metric, ranking, systems) for metric in found),
        )
        for (granularity, _), ranking in used.items()
        for name, (systems, found) in pools.items()
    )
    windows = {
        key: tuple(
            window
            for size in window_sizes
            for metric in pools["all"][1]
            for window in sliding_windows(metric, ranking, seeda.systems, size)
        )
        for key, ranking in used.items()
    }
    return SeedaStudy(seeda, computed, used, tuple(pools["all"][1]), results, windows, aggregation)


def score(
    seeda: Seeda,
    corpus: Corpus,
    metrics: Sequence[Metric],
    *,
    resampling: Resampling | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> list[MetricScores]:
    """Score SEEDA's outputs on the judged sentences.

    Parameters
    ----------
    seeda, corpus, metrics
        SEEDA, the gold standard and the metrics.
    resampling
        Settings of resamples of the sentences, which must be those of `study`; None for none.
    resume
        A file for finished scores, to resume from.
    progress
        Shows how many systems are finished.
    """
    rows = judged_sentences(seeda, corpus)
    gold = Corpus(tuple(corpus.sentences[row] for row in rows), corpus.name)
    hypotheses = list(seeda.outputs.values())
    (found,) = score_judged(
        gold,
        hypotheses,
        metrics,
        [range(len(rows))],
        resampling=resampling,
        resume=resume,
        progress=progress,
    )
    return found
