"""Correlation with human rankings, on the sentences that were judged."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import GecevalError, MismatchError, os_reason
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.formats import Findings, load_hypothesis
from geceval.metaeval.human.agreement import Kappa, concordance, rater_agreement
from geceval.metaeval.human.judgments import SOURCE, Judgments, combined
from geceval.metaeval.human.metric_correlation import (
    Difference,
    MetricCorrelation,
    correlate,
    differences,
)
from geceval.metaeval.human.metric_scores import MetricScores, score_judged
from geceval.metaeval.human.rankings import (
    Outcomes,
    Ranking,
    RankRange,
    expected_wins,
    rank_ranges,
    trueskill,
)
from geceval.metrics.base import Metric
from geceval.metrics.options import checked
from geceval.model import Corpus, Hypothesis

COMBINED = "combined"


@dataclass(frozen=True, slots=True)
class SetStudy:
    """Metrics against one set of judgments.

    Parameters
    ----------
    judgments
        The set.
    systems
        Systems that were judged and whose output is there, in alphabetic order.
    without_output
        Systems that were judged but cannot be scored.
    rankings
        Expected Wins and TrueSkill, of all systems that were judged.
    ranges
        Ranges of ranks and clusters, by Expected Wins.
    raters
        Agreement of judges with each other (``inter``) and with themselves (``intra``).
    metrics
        Scores on the sentences that were judged.
    correlations
        How each metric goes together with each ranking, by the name of the ranking.
    differences
        Whether metrics differ in that, likewise.
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

    @property
    def name(self) -> str:
        """What the set is called."""
        return self.judgments.name


@dataclass(frozen=True, slots=True)
class HumanStudy:
    """Metrics against several sets of judgments, and against all of them together."""

    sets: tuple[SetStudy, ...]
    resampling: Resampling

    @property
    def has_metrics(self) -> bool:
        """Whether metrics were looked at, and not only what people say."""
        return any(one.metrics for one in self.sets)


@checked
def study(
    judgments: Sequence[Judgments],
    corpus: Corpus | None,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    names: Collection[str] | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
    resume: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> HumanStudy:
    """Correlate metrics with human rankings.

    Parameters
    ----------
    judgments
        Sets of judgments; several are also put together.
    corpus
        The gold standard, whose sentences the judgments number from 0; None to look only at
        what people say.
    hypotheses
        The systems.
    metrics
        The metrics; without a gold standard there can be none.
    names
        Which sets to look at, ``"combined"`` among them; all when None.
    resampling
        For the intervals, the clusters and TrueSkill.
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
        judged = [one.sentences for one in sets]
        scored = score_judged(corpus, hypotheses, metrics, judged, resume=resume, progress=progress)
    return HumanStudy(
        tuple(
            _set_study(one, found, outputs, resampling)
            for one, found in zip(sets, scored, strict=True)
        ),
        resampling,
    )


def _check_lengths(
    judgments: Sequence[Judgments], corpus: Corpus | None, hypotheses: Sequence[Hypothesis]
) -> None:
    """Make sure that all systems have as many sentences, and that those judged are among them."""
    texts = [*([] if corpus is None else [(corpus.name, len(corpus))])]
    texts += [(one.name, len(one)) for one in hypotheses]
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
    metrics: Sequence[MetricScores],
    with_output: Collection[str],
    resampling: Resampling,
) -> SetStudy:
    systems = tuple(name for name in judgments.systems if name in with_output)
    if metrics and len(systems) < 3:
        raise GecevalError(
            f"{judgments.name}: a correlation needs three systems, but only {len(systems)} of "
            f"those that were judged have output: {', '.join(judgments.systems)}"
        )
    outcomes = Outcomes.of(judgments)
    rankings = (trueskill(outcomes, seed=resampling.seed), expected_wins(outcomes))
    rows = {number: row for row, number in enumerate(judgments.sentences)}
    agreed = {
        metric.name: concordance(judgments, metric.sentences, rows, systems) for metric in metrics
    }
    return SetStudy(
        judgments,
        systems,
        tuple(name for name in judgments.systems if name not in with_output),
        rankings,
        rank_ranges(judgments, resampling=resampling),
        rater_agreement(judgments),
        tuple(metrics),
        {
            ranking.name: tuple(
                correlate(
                    metric,
                    ranking,
                    systems,
                    agreed[metric.name],
                    resampling=resampling,
                )
                for metric in metrics
            )
            for ranking in rankings
        },
        {ranking.name: tuple(differences(metrics, ranking, systems)) for ranking in rankings},
    )


def output_files(folder: Path, systems: Iterable[str]) -> dict[str, Path]:
    """Return the files of a folder that hold the outputs of `systems`, by their names."""
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

    Letter case and the ending do not matter. The source needs no file where there is a gold
    standard. A system without one is told in the findings; so are files that nobody judged.
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
        message = f"nobody judged {listing}"
        findings.add("unjudged-system", message, severity="note", path=str(folder))
    return found


def check_identical(
    judgments: Judgments, hypotheses: Sequence[Hypothesis], findings: Findings
) -> None:
    """Note when outputs that judgments call identical are not, as with shifted numbers."""
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
            f"{different} of {n_groups} groups of outputs that are said to be identical are not; "
            "are these the outputs that were judged, and is the first sentence numbered 0?",
            path=judgments.name,
        )
