"""The tables and the page of a MAEGE study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import get_args

from geceval.metaeval.maege.corpora import MODELS
from geceval.metaeval.maege.figures import (
    human_picture,
    mixed_picture,
    model_picture,
    original_pictures,
    sensitivity_picture,
)
from geceval.metaeval.maege.material import NOTES
from geceval.metaeval.maege.sensitivity import ScoreChange
from geceval.metaeval.maege.sentence_level import Ties
from geceval.metaeval.maege.summary import Estimate, MetricStudy, Study
from geceval.presentation.page import Section
from geceval.presentation.table import Cell, Table
from geceval.storage.strict_json import or_none

NO_TYPE = "(none)"


def tables(study: Study, *, human: Mapping[str, float] | None = None) -> list[Table]:
    """Return all tables of a study, the most important first.

    Parameters
    ----------
    study
        The study.
    human
        Correlation of metrics, by name, with human rankings.
    """
    return [
        correlations(study),
        *([people(study, human)] if human else []),
        pairs(study),
        corpora(study),
        sensitivity(study),
        all_changes(study),
        originals(study),
        settings(study),
    ]


def correlations(study: Study) -> Table:
    """Correlations of each metric at both levels (tables 2 and 4 of the paper)."""
    several = len(study.settings.seeds) > 1
    names = ["ρ", "r", "τ"]
    columns = [
        f"{name}{what}" for name in names for what in ("", *([" sd"] if several else []), " p")
    ]
    rows = tuple(
        (
            metric.title,
            *(
                cell
                for found in (metric.spearman, metric.pearson, metric.kendall)
                for cell in _estimate(found, several=several)
            ),
        )
        for metric in study.metrics.values()
    )
    title = "Corpus level: Spearman's ρ; sentence level: Pearson's r and Kendall's τ"
    return Table("maege-correlations", title, ("metric", *columns), rows, digits=3)


def people(study: Study, human: Mapping[str, float]) -> Table:
    """Show Spearman's ρ of each metric with human rankings and with MAEGE's corpora (figure 4)."""
    rows = tuple(
        (metric.title, or_none(human[metric.name]), or_none(metric.spearman.mean))
        for metric in study.metrics.values()
        if metric.name in human
    )
    title = "Spearman's ρ with people and with MAEGE"
    return Table("maege-people", title, ("metric", "people", "MAEGE"), rows, digits=3)


def _estimate(found: Estimate, *, several: bool) -> list[Cell]:
    spread = [or_none(found.spread)] if several else []
    return [or_none(found.mean), *spread, or_none(found.p_value)]


def pairs(study: Study) -> Table:
    """How each metric orders pairs of corrections, and what ties make of Kendall's τ."""
    rules: tuple[Ties, ...] = get_args(Ties)
    rows = []
    for metric in study.metrics.values():
        units = metric.sentences
        n, discordant, ties, unscored = (
            sum(getattr(unit.pairs, name) for unit in units)
            for name in ("n", "discordant", "ties", "unscored")
        )
        taus = [
            or_none(Estimate.over(unit.pairs.kendall(rule) for unit in units).mean)
            for rule in rules
        ]
        gains = Estimate(tuple(unit.mean_gain for unit in units), ())
        rows.append((metric.title, n, discordant, ties, unscored, or_none(gains.mean), *taus))
    return Table(
        "maege-pairs",
        "Pairs of corrections, all seeds together, and Kendall's τ by what a tie is",
        ("metric", "pairs", "discordant", "ties", "without score", "mean gain",
         *(f"τ, ties {rule}" for rule in rules)),
        tuple(rows),
    )  # fmt: skip


def corpora(study: Study) -> Table:
    """The score of each corpus model, and how many edits it really applies."""
    applied = (fmean(means) for means in zip(*study.applied, strict=True))
    rows: tuple[tuple[Cell, ...], ...] = (
        ("(edits applied)", *applied),
        *((metric.title, *map(or_none, metric.corpus_scores)) for metric in study.metrics.values()),
    )
    header = ("metric", *(f"M = {model}" for model in MODELS))
    return Table("maege-corpora", "Scores of the corpora that apply M edits", header, rows)


def sensitivity(study: Study) -> Table:
    """Mean change of the score by error type and metric (table 3 of the paper)."""
    counts = type_counts(study)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name or NO_TYPE,
            counts[name],
            *(_change(metric.changes.get(name)) for metric in study.metrics.values()),
        )
        for name in counts
    )
    header = ("type", "n", *(metric.title for metric in study.metrics.values()))
    title = "Mean change of the score by error type; * where the sign is certain (95 %)"
    return Table("maege-sensitivity", title, header, rows)


def type_counts(study: Study) -> dict[str, int]:
    """Return how many changes of each type there are, the most frequent first."""
    counts: dict[str, int] = {}
    for metric in study.metrics.values():
        for name, change in metric.changes.items():
            counts[name] = max(counts.get(name, 0), change.n)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _change(change: ScoreChange | None) -> str:
    if change is None:
        return ""
    return f"{change.mean:+.3f}{'*' if change.is_certain else ''}"


def all_changes(study: Study) -> Table:
    """Every change with its standard error."""
    rows = tuple(
        (
            name or NO_TYPE,
            metric.title,
            change.n,
            or_none(change.mean),
            or_none(change.error),
            "yes" if change.is_certain else "no",
        )
        for name in type_counts(study)
        for metric in study.metrics.values()
        if (change := metric.changes.get(name)) is not None
    )
    header = ("type", "metric", "n", "change", "standard error", "certain")
    return Table("maege-changes", "Changes of the score, with standard errors", header, rows)


def originals(study: Study) -> Table:
    """Mean score of the originals by the number of their errors (figure 5 of the paper)."""
    metrics = list(study.metrics.values())
    sizes = sorted({size for metric in metrics for size in metric.by_errors})
    rows = tuple(
        (size, _count_of(metrics, size), *(_mean_of(metric, size) for metric in metrics))
        for size in sizes
    )
    header = ("errors", "n", *(metric.title for metric in metrics))
    title = "Mean score of original sentences by the number of their errors"
    return Table("maege-originals", title, header, rows)


def _count_of(metrics: Sequence[MetricStudy], size: int) -> int:
    return max(metric.by_errors[size][0] for metric in metrics if size in metric.by_errors)


def _mean_of(metric: MetricStudy, size: int) -> float | None:
    return metric.by_errors[size][1] if size in metric.by_errors else None


def settings(study: Study) -> Table:
    """Everything that could change a number."""
    rows = (
        ("the study", study.signature),
        *((metric.title, metric.signature) for metric in study.metrics.values()),
    )
    return Table("maege-signatures", "Signatures", ("of", "signature"), rows)


def summary(study: Study) -> str:
    """Say in a few sentences what was compared."""
    material = study.material
    counts = material.counts
    some = next(iter(study.metrics.values())).sentences[0]
    against = (
        "Each annotator is scored against the corrected sentences of the others."
        if material.leave_one_out
        else f"References: {', '.join(material.references)}."
    )
    lost = "; ".join(
        f"{message}: {counts[code]:,}" for code, message in NOTES.items() if counts.get(code, 0)
    )
    told = (
        f"{counts['kept']:,} of {counts['sentences']:,} sentences, which each of the annotators "
        f"{', '.join(material.annotators)} corrected, span {counts['lattices']:,} lattices of "
        f"{counts['edits']:,} edits. {against} With one seed, {some.n_chains:,} chains hold "
        f"{some.n_elements:,} corrections, which make {some.pairs.n + some.pairs.unscored:,} pairs."
    )
    return f"{told}\n\n{lost[0].upper()}{lost[1:]}." if lost else told


INTRODUCTION = (
    "What does a metric prefer? Applying some edits of an annotator and leaving others out gives "
    "corrections of every quality, whose order is known without asking anybody; a good metric puts "
    "them in that order. This is the method of Choshen and Abend (2018)."
)
"""What a page about a study begins with."""

_CORRELATIONS = (
    "Corpus level: eleven corpora apply more and more of the annotators' edits; ρ says how well "
    "the metric's scores order them. Sentence level: r compares the metric's scores of all "
    "corrections with those that MAEGE gives them, τ counts pairs of corrections of which one has "
    "all edits of the other and more. The means over the seeds are shown, with the standard "
    "deviation (sd) and the median p-value."
)
_SENSITIVITY = (
    "By how much the score changes when one more edit of a type is applied. Above 0 the metric "
    "rewards the correction, below 0 it punishes it. A star marks changes whose 95 % interval, "
    "each taken by itself, does not hold 0."
)
_ORIGINALS = (
    "Mean scores of original sentences, scored against the sampled sources, by the number of "
    "errors that an annotator found in them. A metric that can compare different sentences falls "
    "from left to right."
)


def sections(
    study: Study, *, mixed: Sequence[int] | None = None, human: Mapping[str, float] | None = None
) -> list[Section]:
    """Return what a page about the study shows.

    Parameters
    ----------
    study
        The study.
    mixed
        Numbers of references that mixing gives, for figure 1.
    human
        Correlation of metrics, by name, with human rankings, for figure 4.
    """
    seen = [mixed_picture(mixed, for_page=True)] if mixed else []
    beside = [human_picture(study, human, for_page=True)] if human else []
    compared = [people(study, human)] if human else []
    return [
        Section("material", "What was compared", summary(study), pictures=tuple(seen)),
        Section(
            "correlations",
            "Correlations",
            _CORRELATIONS,
            (correlations(study), *compared, pairs(study)),
            tuple(beside),
        ),
        Section(
            "corpora",
            "Corpora of known quality",
            _corpora_text(study),
            (corpora(study),),
            pictures=(model_picture(study, for_page=True),),
        ),
        Section(
            "sensitivity",
            "Sensitivity by error type",
            _SENSITIVITY,
            (sensitivity(study),),
            (sensitivity_picture(study, for_page=True),),
        ),
        Section(
            "originals",
            "Originals by number of errors",
            _ORIGINALS,
            (originals(study),),
            tuple(original_pictures(study, for_page=True)),
        ),
        Section("signatures", "How the numbers were made", tables=(settings(study),)),
    ]


def _corpora_text(study: Study) -> str:
    ceiling = study.ceiling
    several = f" (standard deviation {ceiling.spread:.3f})" if len(ceiling.values) > 1 else ""
    return (
        "A corpus model applies M edits on average, or all there are in a sentence that has fewer; "
        "so the corpora of the highest models hardly differ, and their order is chance. A metric "
        f"that counted the edits would have a ρ of {ceiling.mean:.3f}{several}, not 1."
    )
