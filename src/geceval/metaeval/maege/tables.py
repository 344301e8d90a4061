"""Tables and page sections of a MAEGE study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import get_args

from geceval.metaeval.maege.corpora import MODELS
from geceval.metaeval.maege.figures import (
    human_picture,
    mixed_picture,
    model_picture,
    original_pictures,
    sensitivity_picture,
    shown_change,
)
from geceval.metaeval.maege.material import NOTES
from geceval.metaeval.maege.protocol import PROTOCOLS, Ties
from geceval.metaeval.maege.summary import Estimate, Study
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
        protocol(study),
        settings(study),
    ]


def correlations(study: Study) -> Table:
    """Return the correlations of each metric at both levels (tables 2 and 4 of the paper)."""
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
    """Return Spearman's ρ of each metric with human rankings and with MAEGE (figure 4)."""
    rows = tuple(
        (metric.title, or_none(human[metric.name]), or_none(metric.spearman.mean))
        for metric in study.metrics.values()
        if metric.name in human
    )
    title = "Spearman's ρ with human rankings and with MAEGE"
    return Table("maege-human", title, ("metric", "human", "MAEGE"), rows, digits=3)


def _estimate(found: Estimate, *, several: bool) -> list[Cell]:
    spread = [or_none(found.spread)] if several else []
    return [or_none(found.mean), *spread, or_none(found.p_value)]


def pairs(study: Study) -> Table:
    """Return how each metric orders pairs of corrections, and Kendall's τ by treatment of ties."""
    rules: tuple[Ties, ...] = get_args(Ties)
    rows = []
    for metric in study.metrics.values():
        results = metric.results
        n, discordant, ties, unscored = (
            sum(getattr(one.pairs, name) for one in results)
            for name in ("n", "discordant", "ties", "unscored")
        )
        taus = [
            or_none(Estimate.over(one.pairs.kendall(rule) for one in results).mean)
            for rule in rules
        ]
        gains = Estimate(tuple(one.mean_gain for one in results), ())
        rows.append((metric.title, n, discordant, ties, unscored, or_none(gains.mean), *taus))
    return Table(
        "maege-pairs",
        "Pairs of corrections (all seeds) and Kendall's τ by treatment of ties",
        ("metric", "pairs", "discordant", "ties", "unscored", "mean gain",
         *(f"τ, ties {rule}" for rule in rules)),
        tuple(rows),
    )  # fmt: skip


def corpora(study: Study) -> Table:
    """Return the score of each corpus model, and how many edits it actually applies."""
    applied = (fmean(means) for means in zip(*study.applied, strict=True))
    rows: tuple[tuple[Cell, ...], ...] = (
        ("(edits applied)", *applied),
        *((metric.title, *map(or_none, metric.corpus_scores)) for metric in study.metrics.values()),
    )
    header = ("metric", *(f"M = {model}" for model in MODELS))
    return Table("maege-corpora", "Corpus scores by mean number of applied edits (M)", header, rows)


def sensitivity(study: Study) -> Table:
    """Return the mean score change by error type and metric (table 3 of the paper)."""
    counts = type_counts(study)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name or NO_TYPE,
            counts[name],
            *(
                shown_change(study, metric, name) if name in metric.changes else ""
                for metric in study.metrics.values()
            ),
        )
        for name in counts
    )
    header = ("type", "n", *(metric.title for metric in study.metrics.values()))
    title = "Mean score change by error type; * significant (false discovery rate of 5 %)"
    return Table("maege-sensitivity", title, header, rows)


def type_counts(study: Study) -> dict[str, int]:
    """Return how many changes of each type there are, the most frequent first."""
    counts: dict[str, int] = {}
    for metric in study.metrics.values():
        for name, change in metric.changes.items():
            counts[name] = max(counts.get(name, 0), change.n)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def all_changes(study: Study) -> Table:
    """Return every score change with its standard error and p-value."""
    rows = tuple(
        (
            name or NO_TYPE,
            metric.title,
            change.n,
            or_none(change.mean),
            or_none(change.error),
            or_none(change.p_value),
            or_none(study.adjusted[metric.name][name]),
            "yes" if study.is_significant(metric.name, name) else "no",
        )
        for name in type_counts(study)
        for metric in study.metrics.values()
        if (change := metric.changes.get(name)) is not None
    )
    header = ("type", "metric", "n", "change", "standard error", "p", "adjusted p", "significant")
    return Table("maege-changes", "Score changes with standard errors and p-values", header, rows)


def originals(study: Study) -> Table:
    """Return the mean score of originals by number of errors (figure 5 of the paper)."""
    metrics = list(study.metrics.values())
    sizes = sorted({size for metric in metrics for size in metric.by_errors})
    rows = tuple(
        (size, max(n for n, _ in found), *(mean for _, mean in found))
        for size in sizes
        if (found := [metric.by_errors.get(size, (0, None)) for metric in metrics])
    )
    header = ("errors", "n", *(metric.title for metric in metrics))
    title = "Mean score of original sentences by number of errors"
    return Table("maege-originals", title, header, rows)


def protocol(study: Study) -> Table:
    """Return the options of the protocol, beside those of the named protocols."""
    used = asdict(study.settings.protocol)
    named = {name: asdict(one) for name, one in PROTOCOLS.items()}
    rows = tuple(
        (option, value, *(options[option] for options in named.values()))
        for option, value in used.items()
    )
    title = f"Protocol: {study.settings.protocol.label}"
    return Table("maege-protocol", title, ("option", "used", *named), rows)


def settings(study: Study) -> Table:
    """Return the signatures of the study and of its metrics."""
    rows = (
        ("study", study.signature),
        *((metric.title, metric.signature) for metric in study.metrics.values()),
    )
    return Table("maege-signatures", "Signatures", ("of", "signature"), rows)


def summary(study: Study) -> str:
    """Describe the material of the study."""
    material = study.material
    counts = material.counts
    some = next(iter(study.metrics.values())).results[0]
    against = (
        "Each annotator is scored against the corrected sentences of the others."
        if material.leave_one_out
        else f"References: {', '.join(material.references)}."
    )
    excluded = "; ".join(
        f"{message}: {counts[code]:,}" for code, message in NOTES.items() if counts.get(code, 0)
    )
    text = (
        f"{counts['kept']:,} of {counts['sentences']:,} sentences, corrected by annotators "
        f"{', '.join(material.annotators)}, form {counts['lattices']:,} lattices with "
        f"{counts['edits']:,} edits. {against} For each seed, {some.n_chains:,} sampled chains of "
        f"{some.n_elements:,} corrections give {some.pairs.n + some.pairs.unscored:,} pairs. "
        f"Protocol: {study.settings.protocol.label}."
    )
    return f"{text}\n\n{excluded[0].upper()}{excluded[1:]}." if excluded else text


INTRODUCTION = (
    "MAEGE (Choshen and Abend, 2018) evaluates metrics without human rankings. Applying subsets of "
    "an annotator's edits gives corrections of increasing quality whose order is known by "
    "construction; a good metric ranks them in that order."
)
"""The introduction of the page."""

_CORRELATIONS = (
    "Corpus level: ρ is the rank correlation of the metric's scores with the order of eleven "
    "corpora that apply more and more of the annotators' edits. Sentence level: r correlates the "
    "metric's scores with MAEGE's scores over all corrections; τ is computed over pairs of "
    "corrections where the edits of one are a proper subset of the edits of the other. Means over "
    "seeds, with standard deviation (sd) and median p-value."
)
_SENSITIVITY = (
    "The mean change of the score when one more edit of a type is applied. A positive value means "
    "that the metric rewards the correction, a negative value that it penalizes it. Stars mark "
    "changes that are significant by a sign-flip test over sentences, at a false discovery rate of "
    "5 % in the whole table (Benjamini and Hochberg). Types in fewer than ten sentences are not "
    "tested."
)
_ORIGINALS = (
    "Mean scores of original sentences, scored against the sampled sources, by the number of "
    "errors that an annotator found in them. The scores of a metric that is comparable across "
    "sentences decrease from left to right."
)


def sections(
    study: Study, *, mixed: Sequence[int] | None = None, human: Mapping[str, float] | None = None
) -> list[Section]:
    """Return the sections of the study's page.

    Parameters
    ----------
    study
        The study.
    mixed
        Numbers of mixed references per sentence, for figure 1.
    human
        Correlation of metrics, by name, with human rankings, for figure 4.
    """
    seen = [mixed_picture(mixed, for_page=True)] if mixed else []
    beside = [human_picture(study, human, for_page=True)] if human else []
    compared = [people(study, human)] if human else []
    return [
        Section("material", "Material", summary(study), pictures=tuple(seen)),
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
        Section("protocol", "Protocol", tables=(protocol(study),)),
        Section("signatures", "Signatures", tables=(settings(study),)),
    ]


def _corpora_text(study: Study) -> str:
    bound = study.upper_bound
    several = f" (standard deviation {bound.spread:.3f})" if len(bound.values) > 1 else ""
    return (
        "A corpus model applies M edits per sentence on average, or all edits of a sentence that "
        "has fewer. The corpora of the highest models therefore hardly differ, and their order is "
        "largely random: a metric that counts the applied edits reaches an upper bound of "
        f"ρ = {bound.mean:.3f}{several} instead of 1."
    )
