"""Correlation of metrics with human rankings on the judged sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from geceval.errors import GecevalError, MismatchError, os_reason
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.ranking import RankRange
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, DEFAULT_SEED, Resampling
from geceval.formats import Findings, load_hypothesis
from geceval.metaeval.correlation import Correlation
from geceval.metaeval.human.aggregation import Aggregation, aggregate_scores
from geceval.metaeval.human.agreement import JudgedPairs, Kappa, rater_agreement
from geceval.metaeval.human.judgments import SOURCE, Judgments, combined
from geceval.metaeval.human.metric_correlation import (
    Difference,
    MetricCorrelation,
    correlate,
    differences,
)
from geceval.metaeval.human.metric_scores import MetricScores, judged_resamples, score_judged
from geceval.metaeval.human.pairwise import PairwiseAccuracy, pairwise_accuracy
from geceval.metaeval.human.rankings import (
    Outcomes,
    Ranking,
    SentenceOutcomes,
    expected_wins,
    rank_ranges,
)
from geceval.metaeval.human.ratings import is_rated, mean_ratings, rating_correlation
from geceval.metaeval.human.resampled import resampled_rankings
from geceval.metaeval.human.trueskill import Procedure, trueskill
from geceval.metrics.base import Metric
from geceval.metrics.options import Jobs, checked
from geceval.model import Corpus, Hypothesis

COMBINED = "combined"


@dataclass(frozen=True, slots=True)
class SetStudy:
    """Results for one set of judgments.

    Parameters
    ----------
    judgments
        The set.
    systems
        Judged systems with output, in alphabetical order.
    without_output
        Judged systems without output.
    rankings
        Rankings of all judged systems: by mean rating, if outputs were rated, by TrueSkill and by
        Expected Wins.
    ranges
        Rank ranges and clusters, by Expected Wins.
    raters
        Agreement of judges with each other (``inter``) and with themselves (``intra``).
    metrics
        Metric scores on the judged sentences.
    correlations
        Correlations of metrics, by name of the ranking.
    differences
        Pairwise comparisons of these correlations, by name of the ranking.
    pairwise
        Pairwise accuracy of metrics by the first ranking.
    ratings
        Correlations of metrics with the ratings of single outputs, by metric and coefficient;
        empty if outputs were not rated.
    """

    judgments: Judgments
    systems: tuple[str, ...]
    without_output: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    ranges: Mapping[str, RankRange]
    raters: Mapping[str, Kappa]
    metrics: tuple[MetricScores, ...]
    correlations: Mapping[str, tuple[MetricCorrelation, ...]]
    differences: Mapping[str, tuple[Difference, ...]]
    pairwise: tuple[PairwiseAccuracy, ...]
    ratings: Mapping[str, Mapping[str, Correlation]]

    @property
    def name(self) -> str:
        """Name of the set."""
        return self.judgments.name


@dataclass(frozen=True, slots=True)
class HumanStudy:
    """Results for several sets of judgments, and for their combination."""

    sets: tuple[SetStudy, ...]
    resampling: Resampling
    aggregation: Aggregation = "own"

    @property
    def has_metrics(self) -> bool:
        """Whether metrics were evaluated, not only judgments."""
        return any(one.metrics for one in self.sets)


@checked
def study(
    judgments: Sequence[Judgments],
    corpus: Corpus | None,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    names: Collection[str] | None = None,
    aggregation: Aggregation = "own",
    procedure: Procedure = "limit",
    resampling: Resampling = DEFAULT_RESAMPLING,
    jobs: Jobs = 1,
    resume: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> HumanStudy:
    """Correlate metrics with human rankings.

    Parameters
    ----------
    judgments
        Sets of judgments; several are also combined.
    corpus
        The gold standard, whose sentences are numbered from 0; None to analyze only judgments.
    hypotheses
        The systems.
    metrics
        The metrics; they need a gold standard.
    names
        Sets to analyze, including ``"combined"``; None for all.
    aggregation
        How metrics score systems: their own scores, or made from their sentence scores.
    procedure
        The procedure of TrueSkill.
    resampling
        Settings of intervals and clusters; the seed is also that of TrueSkill.
    jobs
        Number of threads that simulate TrueSkill; metrics have their own.
    resume
        A file for finished scores, to resume from.
    progress
        Shows how many systems are finished.
    """
    _check_lengths(judgments, corpus, hypotheses)
    outputs = {hypothesis.name: hypothesis.sentences for hypothesis in hypotheses}
    sets = [one.grouped(outputs) for one in judgments]
    if len(sets) > 1:
        sets.append(combined(sets, COMBINED))
    if names is not None:
        if unknown := [name for name in names if name not in {one.name for one in sets}]:
            known = ", ".join(one.name for one in sets)
            raise GecevalError(f"there is no set {unknown[0]!r} (there are: {known})")
        sets = [one for one in sets if one.name in names]
    scored: list[list[MetricScores]] = [[] for _ in sets]
    if corpus is not None:
        scored = score_judged(
            corpus,
            hypotheses,
            metrics,
            [one.sentences for one in sets],
            resampling=resampling,
            resume=resume,
            progress=progress,
        )

    rank = partial(
        human_rankings, procedure=procedure, seed=resampling.seed, jobs=jobs, progress=progress
    )
    return HumanStudy(
        tuple(
            _set_study(one, rank, found, outputs, resampling, aggregation)
            for one, found in zip(sets, scored, strict=True)
        ),
        resampling,
        aggregation,
    )


def human_rankings(
    judgments: Judgments,
    outcomes: Outcomes,
    *,
    procedure: Procedure = "limit",
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress = silent,
) -> tuple[Ranking, ...]:
    """Rank systems by mean rating, if outputs were rated, by TrueSkill and by Expected Wins."""
    skills = trueskill(outcomes, procedure=procedure, seed=seed, jobs=jobs, progress=progress)
    rated = [mean_ratings(judgments)] if is_rated(judgments) else []
    return (*rated, skills, expected_wins(outcomes))


def _check_lengths(
    judgments: Sequence[Judgments], corpus: Corpus | None, hypotheses: Sequence[Hypothesis]
) -> None:
    """Validate the numbers of sentences and the range of the judged ones."""
    texts = [(one.name, len(one)) for one in (corpus, *hypotheses) if one is not None]
    if not texts:
        return
    name, size = texts[0]
    for other, length in texts:
        if length != size:
            raise MismatchError(name, size, other, length)
    for one in judgments:
        low, high = one.sentences[0], one.sentences[-1]
        if low < 0 or high >= size:
            raise GecevalError(
                f"{one.name} judges the sentences {low} to {high}, but {name} has 0 to "
                f"{size - 1}; is the first sentence numbered 1?"
            )


def _set_study(
    judgments: Judgments,
    rank: Callable[[Judgments, Outcomes], tuple[Ranking, ...]],
    metrics: Sequence[MetricScores],
    with_output: Collection[str],
    resampling: Resampling,
    aggregation: Aggregation,
) -> SetStudy:
    systems = tuple(name for name in judgments.systems if name in with_output)
    if metrics and len(systems) < 3:
        raise GecevalError(
            f"{judgments.name}: a correlation needs three systems, but only {len(systems)} of "
            f"the judged ones have output: {', '.join(judgments.systems)}"
        )
    sentences = judgments.sentences
    samples = judged_resamples(len(sentences), resampling) if metrics else []
    metrics = [aggregate_scores(metric, systems, aggregation, rows=samples) for metric in metrics]
    outcomes = SentenceOutcomes.of(judgments)
    rankings = rank(judgments, outcomes.total())
    human = resampled_rankings(judgments, outcomes, sentences, samples)
    rows = {number: row for row, number in enumerate(sentences)}
    pairs = JudgedPairs(judgments, rows, systems)
    agreed = {metric.name: pairs.concordance(metric.sentences) for metric in metrics}
    ranges = rank_ranges(outcomes.total(), resampling=resampling)
    return SetStudy(
        judgments,
        systems,
        tuple(name for name in judgments.systems if name not in with_output),
        rankings,
        ranges,
        rater_agreement(judgments),
        tuple(metrics),
        {
            ranking.name: tuple(
                correlate(
                    metric,
                    ranking,
                    systems,
                    agreed[metric.name],
                    human=human[ranking.name],
                    resampling=resampling,
                )
                for metric in metrics
            )
            for ranking in rankings
        },
        {
            ranking.name: tuple(differences(metrics, ranking, systems, resampling=resampling))
            for ranking in rankings
        },
        tuple(pairwise_accuracy(metric, rankings[0], systems, ranges) for metric in metrics),
        {
            metric.name: rating_correlation(judgments, metric.sentences, systems)
            for metric in metrics
            if is_rated(judgments)
        },
    )


def output_files(folder: Path, systems: Iterable[str]) -> dict[str, Path]:
    """Return the output files of `systems` in a folder, by name."""
    files = _by_stem(folder)
    return {name: files[name.lower()] for name in systems if name.lower() in files}


def _by_stem(folder: Path) -> dict[str, Path]:
    try:
        return {path.stem.lower(): path for path in sorted(folder.iterdir()) if path.is_file()}
    except OSError as error:
        raise GecevalError(f"{folder}: cannot be read: {os_reason(error)}") from error


def load_systems(
    folder: Path,
    systems: Iterable[str],
    corpus: Corpus | None,
    findings: Findings,
    *,
    encoding: str = "utf-8",
) -> list[Hypothesis]:
    """Load the outputs of `systems` from a folder, where each is a file of the same name.

    Case and extension are ignored. The source needs no file if there is a gold standard. Systems
    without a file and files of systems that were not judged are noted in the findings.
    """
    files = _by_stem(folder)
    found = []
    missing = []
    for name in systems:
        path = files.pop(name.lower(), None)
        if path is not None:
            found.append(load_hypothesis(path, name=name, findings=findings, encoding=encoding))
        elif name == SOURCE and corpus is not None:
            found.append(Hypothesis(SOURCE, corpus.sources))
        else:
            missing.append(name)
    if missing:
        message = f"no output of {', '.join(missing)}: judged, but not correlated with metrics"
        findings.add("system-without-output", message, path=str(folder))
    if files:
        listing = ", ".join(path.name for path in files.values())
        message = f"not judged: {listing}"
        findings.add("unjudged-system", message, severity="note", path=str(folder))
    return found


def check_identical(
    judgments: Judgments, hypotheses: Sequence[Hypothesis], findings: Findings
) -> None:
    """Warn if outputs that are grouped as identical differ, as with shifted sentence numbers."""
    outputs = {hypothesis.name: hypothesis.sentences for hypothesis in hypotheses}
    n_groups = different = 0
    for item in judgments:
        for place in item.places:
            texts = [outputs[name][item.sentence] for name in place.systems if name in outputs]
            n_groups += len(texts) > 1
            different += len(set(texts)) > 1
    if different:
        findings.add(
            "identical-outputs-differ",
            f"{different} of {n_groups} groups of identical outputs contain different outputs; "
            "are these the outputs that were judged, and is the first sentence numbered 0?",
            path=judgments.name,
        )
